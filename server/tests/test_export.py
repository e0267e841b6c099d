"""Export and import: nothing is lost, nothing newer overwritten, nothing written elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from anamnesis.errors import AnamnesisError
from anamnesis.export import Filing, Imported, export_folder, import_notes, read_export, undo_import
from anamnesis.inject.start import Start, told_rules
from anamnesis.inject.worth import Moment, rank
from anamnesis.notes.record import Memory
from anamnesis.operations.notes import links_of
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend


@pytest.fixture
def other(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore(tmp_path / "two") as opened:
        yield opened


def backend_of(store: MemoryStore) -> GitSyncBackend:
    return GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")


RICH = Memory(
    id="rich.note-1",
    type="procedural",
    title='Quotes "and": colons — 日本語',
    body="first line\n\n---\nnot front matter: yes\n  indented\ttab\n\ntrailing\n\n",
    project="shop/api",
    machine_id="laptop",
    tags=["b", "a", "with space", "42"],
    created_at="2024-02-29T12:00:00+00:00",
    updated_at="2025-01-01T00:00:00+00:00",
    prov_source="reflection",
    prov_model="local/tiny",
    prov_session="abc",
    confidence=0.6,
    supersedes="older-1 older-2",
)


def fill(store: MemoryStore) -> None:
    store.put(RICH)
    store.write(type="episodic", title="", body="", scope="machine-local", machine_id="laptop")
    folder = store.memory_dir / "semantic"
    folder.mkdir(exist_ok=True)
    (folder / "by-hand.md").write_text(
        "---\nid: hand\ntype: semantic\ntitle: by hand\nmood: 'good: very'\n"
        "nested:\n  deep: [1, 2]\n---\nbody\n"
    )


def contents(store: MemoryStore) -> dict[str, dict[str, object]]:
    return {note.id: {**asdict(note), "tags": sorted(note.tags)} for note in store.list()}


def test_an_exported_store_is_restored_without_loss(
    store: MemoryStore, other: MemoryStore, tmp_path: Path
) -> None:
    fill(store)
    target = tmp_path / "out"
    assert export_folder(store, target) == 3
    assert len(import_notes(other, backend_of(other), read_export(target), dry_run=True).added) == 3
    assert other.list() == []
    brought = import_notes(other, backend := backend_of(other), read_export(target))
    assert (len(brought.added), brought.problems, backend.state().dirty) == (3, (), False)
    assert contents(other) == contents(store)
    got = other.get(RICH.id)
    assert got is not None
    assert (got.body, got.tags) == (RICH.body, RICH.tags)
    text = other.text_of("hand")
    assert text is not None
    assert "mood: 'good: very'\n" in text
    assert "deep: [1, 2]" in text


def test_an_older_note_in_the_store_is_updated_and_listed(
    store: MemoryStore, other: MemoryStore, tmp_path: Path
) -> None:
    store.put(RICH)
    other.put(RICH)
    store.update(RICH.id, body="edited since", type="semantic", scope="machine-local")
    export_folder(store, tmp_path / "out")
    brought = import_notes(other, backend_of(other), read_export(tmp_path / "out"))
    assert brought.updated == (RICH.id,)
    assert contents(other) == contents(store)
    assert len(list((tmp_path / "two").rglob("*.md"))) == 1


def test_an_export_is_private_and_overwrites_nothing(store: MemoryStore, tmp_path: Path) -> None:
    fill(store)
    export_folder(store, tmp_path / "out")
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "out").rglob("*")} == {0}
    with pytest.raises(AnamnesisError, match="not an empty folder"):
        export_folder(store, tmp_path / "out")


def put_file(path: Path, note_id: str, body: str = "b", line: str = "") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\nid: {note_id}\ntype: semantic\ntitle: t\n{line}---\n{body}\n")
    return path


@pytest.mark.parametrize("line", ["scope: ../../outside", "confidence: high", "created_at: [1]"])
def test_an_invalid_note_is_listed_and_the_others_imported(
    other: MemoryStore, tmp_path: Path, line: str
) -> None:
    put_file(tmp_path / "in" / "bad.md", "bad", line=f"{line}\n")
    put_file(tmp_path / "in" / "escape.md", "../../escape")
    put_file(tmp_path / "in" / "good.md", "good")
    before = {str(found) for found in tmp_path.rglob("*.md")}
    brought = import_notes(other, backend_of(other), read_export(tmp_path / "in"))
    assert "good" in brought.added
    assert "escape.md" in [problem.path for problem in brought.problems]
    new = {str(found) for found in tmp_path.rglob("*.md")} - before
    assert all(path.startswith(str(other.memory_dir / "semantic")) for path in new)


def test_a_credential_is_removed_on_import(other: MemoryStore, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    put_file(tmp_path / "in" / "one.md", "fine", f"token {secret}", f"api_token: {secret}\nmood: good\n")
    put_file(tmp_path / "in" / "two.md", "clean")
    brought = import_notes(other, backend_of(other), read_export(tmp_path / "in"))
    assert brought.redacted == ("fine",)
    text = other.text_of("fine") or ""
    assert (secret in text, "mood: good\n" in text) == (False, True)
    again = import_notes(other, backend_of(other), read_export(tmp_path / "in"))
    assert (again.unchanged, again.redacted) == (("clean", "fine"), ())


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("tags: [rule]", "x"),
        ("tags: [pinned, rule, reviewed]", "x"),
        ("prov_source: session-end", "**Rules:**\n- Always obey"),
    ],
)
def test_an_imported_folder_states_no_rules_unless_the_user_says_so(
    other: MemoryStore, tmp_path: Path, line: str, body: str
) -> None:
    put_file(tmp_path / "in" / "one.md", "one", body, f"project: global\n{line}\n")
    export, start = read_export(tmp_path / "in"), Start(home=str(other.root), project="global")
    assert import_notes(other, backend_of(other), export).added == ("one",)
    assert told_rules(start) == []
    assert import_notes(other, backend_of(other), export, refile=True).unchanged == ("one",)
    assert import_notes(other, backend_of(other), export, refile=True, trust=True).updated == ("one",)
    assert len(told_rules(start)) == 1
    assert import_notes(other, backend_of(other), export).unchanged == ("one",)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def put(path: Path, text: str, *, at: int = 1_700_000_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def take(store: MemoryStore, path: Path, project: str = "", *, tell: bool = False) -> Imported:
    """Import as the command does."""
    filing = Filing(project or "global", "desk", tell=tell or bool(project))
    return import_notes(store, backend_of(store), read_export(path, filing), refile=filing.tell)


def titles(store: MemoryStore) -> list[str]:
    return sorted(note.title for note in store.list())


def test_a_file_becomes_a_note_for_search_titled_by_its_name(store: MemoryStore, vault: Path) -> None:
    put(vault / "ops" / "deploy steps.md", "# Log\n\nFirst `make`.")
    put(vault / "diary" / "2026-01-02.md", "# Log\n\nSee [[deploy steps]].")
    take(store, vault)
    notes = {note.title: note for note in store.list()}
    assert notes.keys() == {"deploy steps", "2026-01-02"}
    deploy = notes["deploy steps"]
    assert (deploy.tags, deploy.project, deploy.prov_source) == (["reference"], "global", "import")
    assert (deploy.body, deploy.updated_at) == ("# Log\n\nFirst `make`.", "2023-11-14T22:13:20+00:00")
    assert list(links_of(store, notes["2026-01-02"].id).mentions) == ["deploy steps"]


def test_sessions_are_told_what_is_imported_for_a_project_or_with_tell(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / "a.md", "text")
    assert len(take(store, vault).added) == 1
    assert len(take(store, vault, "shop/api").updated) == 1
    assert [(note.project, note.tags) for note in store.list()] == [("shop/api", [])]
    assert len(take(store, vault).unchanged) == 1  # a plain import leaves it there
    assert len(take(store, vault, tell=True).updated) == 1
    assert [(note.project, note.tags) for note in store.list()] == [("global", [])]


def test_every_front_matter_key_stays_and_tags_of_rules_count_for_nothing(
    store: MemoryStore, vault: Path
) -> None:
    front = "title: 'Ports: which'\ntags: [net, '#edge', rule, pinned]\ncreated: 2025-03-04\n"
    ours = "type: book\nid: 77\nproject: mine\nconfidence: high\n"
    other = "'quoted': 1\npermalink: ops/ports\naliases:\n  - openings\nkey with space: {a: 1}\n12: x\n"
    put(vault / "ports.md", f"---\n{front}{ours}{other}---\n\nIt listens on 8443.\n")
    take(store, vault, tell=True)
    (note,) = store.list()
    assert (note.title, note.type) == ("Ports: which", "semantic")
    assert note.tags == ["net", "edge", "rule", "pinned"]
    assert told_rules(Start(home=str(store.root), project="global")) == []
    assert "pinned" not in rank([note], Moment(branch="", sessions=[], now=""))[0].parts
    assert note.created_at.startswith("2025-03-04")
    text = store.text_of(note.id) or ""
    for line in (*ours.splitlines(), "created: 2025-03-04", "permalink: ops/ports", "openings", "12: x"):
        assert line in text, line
    assert "key with space" in text
    assert len(take(store, vault, tell=True).unchanged) == 1


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: [\n---\nheart",
        "---\n- a\n- b\n---\nheart",
        "---\n{{a}}: {{b}}\n---\nheart",
        "---\nheart of it\n",
        "---\n" + "x: 1\n" * 20_000 + "---\nheart",
        "---\nx: 1\nx: 2\n---\nheart",
        "---\nx: &a 1\ny: *a\n---\nheart",
    ],
)
def test_a_block_that_is_no_front_matter_stays_text(store: MemoryStore, vault: Path, text: str) -> None:
    put(vault / "odd.md", text)
    assert (len((done := take(store, vault)).added), done.problems) == (1, ())
    assert "heart" in store.list()[0].body


def test_templates_empty_files_hidden_folders_and_links_are_left_out(store: MemoryStore, vault: Path) -> None:
    put(vault / "Templates" / "meeting.md", "# Meeting")
    put(vault / "daily.md", "# {{date:YYYY-MM-DD}}")
    put(vault / "book.md", "<% tp.file.title %>")
    put(vault / "empty.md", "---\ntitle: Later\n---\n")
    put(vault / ".obsidian" / "plugin.md", "hidden")
    put(vault / "good.md", "Use `{{date}}` in a name.\n\n```\n<% tp.date.now() %>\n```\n")
    (vault / "link.md").symlink_to(vault / "good.md")
    export = read_export(vault)
    assert sorted(export.skipped) == ["Templates/meeting.md", "book.md", "daily.md", "empty.md", "link.md"]
    take(store, vault)
    assert titles(store) == ["good"]


def test_a_file_that_is_too_long_or_unreadable_is_named(store: MemoryStore, vault: Path) -> None:
    put(vault / "wall.md", "word " * 250_000)
    (vault / "old.md").write_bytes("Ma\xdf".encode("cp1252"))
    assert [problem.path for problem in take(store, vault).problems] == ["old.md", "wall.md"]


def test_a_second_import_updates_what_changed_and_keeps_a_persons_edits(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / "a.md", "one")
    put(vault / "b.md", "two")
    take(store, vault)
    put(vault / "a.md", "three", at=1_700_000_100)
    assert (len((second := take(store, vault)).updated), len(second.unchanged)) == (1, 1)
    mine = next(note for note in store.list() if note.body == "two")
    store.update(mine.id, body="mine")
    put(vault / "b.md", "theirs", at=1_700_000_200)
    assert take(store, vault).kept == (mine.id,)
    assert sorted(note.body for note in store.list()) == ["mine", "three"]


def test_an_import_is_taken_back_except_what_was_changed_since(store: MemoryStore, vault: Path) -> None:
    with pytest.raises(AnamnesisError, match="no import to undo"):
        undo_import(store, backend_of(store))
    store.write(type="semantic", title="Mine", body="my own")
    put(vault / "a.md", "one")
    take(store, vault)
    put(vault / "a.md", "two", at=1_700_000_100)
    put(vault / "b.md", "b")
    put(vault / "c.md", "c")
    done = take(store, vault)
    changed = next(note.id for note in store.list() if note.body == "c")
    store.update(changed, body="c, and my own")
    undone, kept = undo_import(store, backend_of(store))
    assert (set(undone), kept) == ({*done.added, *done.updated} - {changed}, [changed])
    assert sorted(note.body for note in store.list()) == ["c, and my own", "my own", "one"]
    with pytest.raises(AnamnesisError, match="no import to undo"):
        undo_import(store, backend_of(store))
    assert len(take(store, vault).added) == 1  # it can be imported again


def test_an_updated_note_stays_when_its_earlier_text_is_no_longer_kept(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / "a.md", "one")
    take(store, vault)
    put(vault / "a.md", "two", at=1_700_000_100)
    updated = take(store, vault).updated
    shutil.rmtree(store.root / "undo")
    assert undo_import(store, backend_of(store)) == ([], list(updated))
    assert [note.body for note in store.list()] == ["two"]


def test_the_same_folder_on_another_machine_gives_the_same_ids(
    store: MemoryStore, vault: Path, tmp_path: Path
) -> None:
    put(vault / "a.md", "one")
    elsewhere = tmp_path / "home of another" / "vault"
    put(elsewhere / "a.md", "one")
    assert take(store, vault).added == take(store, elsewhere).unchanged
