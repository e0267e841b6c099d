"""Export and import: nothing is lost, nothing newer overwritten, nothing written elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from anamnesis.errors import AnamnesisError
from anamnesis.export import export_folder, import_notes, read_export
from anamnesis.inject.start import Start, told_rules
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore(tmp_path / "one") as opened:
        yield opened


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


def test_importing_the_same_export_twice_changes_nothing(
    store: MemoryStore, other: MemoryStore, tmp_path: Path
) -> None:
    fill(store)
    export_folder(store, tmp_path / "out")
    import_notes(other, backend_of(other), read_export(tmp_path / "out"))
    again = import_notes(other, backend_of(other), read_export(tmp_path / "out"))
    assert (again.added, again.updated, again.kept) == ((), (), ())
    assert len(again.unchanged) == 3


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
