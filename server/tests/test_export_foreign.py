"""Any markdown can be imported: for search only, without loss, again and again, and back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.errors import AnamnesisError
from anamnesis.export import Filing, Imported, import_notes, read_export, undo_import
from anamnesis.inject.start import Start, told_rules
from anamnesis.inject.worth import Moment, rank
from anamnesis.operations.notes import links_of
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore(tmp_path / "store") as opened:
        yield opened


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


def backend(store: MemoryStore) -> GitSyncBackend:
    return GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")


def take(store: MemoryStore, path: Path, project: str = "", *, tell: bool = False) -> Imported:
    """Import as the command does."""
    filing = Filing(project or "global", "desk", tell=tell or bool(project))
    return import_notes(store, backend(store), read_export(path, filing), refile=filing.tell)


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
        undo_import(store, backend(store))
    store.write(type="semantic", title="Mine", body="my own")
    put(vault / "a.md", "one")
    take(store, vault)
    put(vault / "a.md", "two", at=1_700_000_100)
    put(vault / "b.md", "b")
    put(vault / "c.md", "c")
    done = take(store, vault)
    changed = next(note.id for note in store.list() if note.body == "c")
    store.update(changed, body="c, and my own")
    undone, kept = undo_import(store, backend(store))
    assert (set(undone), kept) == ({*done.added, *done.updated} - {changed}, [changed])
    assert sorted(note.body for note in store.list()) == ["c, and my own", "my own", "one"]
    with pytest.raises(AnamnesisError, match="no import to undo"):
        undo_import(store, backend(store))
    assert len(take(store, vault).added) == 1  # it can be imported again


def test_an_updated_note_stays_when_its_earlier_text_is_no_longer_kept(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / "a.md", "one")
    take(store, vault)
    put(vault / "a.md", "two", at=1_700_000_100)
    updated = take(store, vault).updated
    shutil.rmtree(store.root / "undo")
    assert undo_import(store, backend(store)) == ([], list(updated))
    assert [note.body for note in store.list()] == ["two"]


def test_the_same_folder_on_another_machine_gives_the_same_ids(
    store: MemoryStore, vault: Path, tmp_path: Path
) -> None:
    put(vault / "a.md", "one")
    elsewhere = tmp_path / "home of another" / "vault"
    put(elsewhere / "a.md", "one")
    assert take(store, vault).added == take(store, elsewhere).unchanged
