"""The client's own memory files become notes: stable, redacted, and cheap while unchanged."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from anamnesis.native import NativeImport, import_native
from anamnesis.notes.record import Memory, is_valid_id
from anamnesis.store import MemoryStore
from secret_samples import SAMPLES
from transcript_lines import asked, write_transcript

FEEDBACK = """---
name: run-tests-first
description: "Run the tests before every commit: always"
metadata:
  type: feedback
---
Run `make test` first.

**Why:** the hook is slow. See [[release-steps]].
"""
FACT = """---
name: release-steps
description: Releases are cut from main
type: project
---
Tag, build, publish.
"""


@pytest.fixture
def claude_dir(home: Path) -> Path:
    """The client's folder."""
    return home / ".claude"


@pytest.fixture
def memory(claude_dir: Path, home: Path) -> Path:
    """The client's memory folder of the project ~/work/shop, where a session once ran."""
    cwd = home / "work" / "shop"
    cwd.mkdir(parents=True)
    project = claude_dir / "projects" / re.sub("[^A-Za-z0-9]", "-", str(cwd))
    write_transcript(project / "s.jsonl", {"type": "mode"}, asked("x", cwd=str(cwd)))
    (project / "memory").mkdir()
    return project / "memory"


def run(store: MemoryStore, claude_dir: Path, *, machine_id: str = "desk") -> NativeImport:
    """Import as sync does."""
    return import_native(store, claude_dir=claude_dir, machine_id=machine_id)


def nothing_in(claude_dir: Path, *, files: int = 0) -> NativeImport:
    """The outcome of an import that found nothing to import."""
    return NativeImport(folders=(str(claude_dir / "projects" / "*" / "memory"),), files=files)


def only_note(store: MemoryStore) -> Memory:
    """The one note of the store."""
    [note] = store.list()
    return note


def test_feedback_becomes_procedural_and_the_rest_semantic(
    store: MemoryStore, memory: Path, claude_dir: Path
) -> None:
    (memory / "run-tests-first.md").write_text(FEEDBACK)
    (memory / "release.md").write_text(FACT)
    result = run(store, claude_dir)
    assert len(result.added) == 2
    assert result.problems == []
    notes = {note.type: note for note in store.list()}
    rule, fact = notes["procedural"], notes["semantic"]
    assert rule.title == "Run the tests before every commit: always"
    assert rule.body == "Run `make test` first.\n\n**Why:** the hook is slow. See [[release-steps]]."
    assert rule.tags == ["native", "feedback", "run-tests-first"]
    assert (rule.prov_source, rule.scope, rule.machine_id) == ("import", "portable", "desk")
    assert (fact.title, fact.tags) == ("Releases are cut from main", ["native", "project", "release-steps"])
    assert {rule.project, fact.project} == {"shop"}


def test_the_index_file_symlinks_and_other_files_are_not_imported(
    store: MemoryStore, memory: Path, claude_dir: Path
) -> None:
    (memory / "MEMORY.md").write_text("- [Title](file.md) — hook")
    (memory / "notes.txt").write_text("text")
    (memory / "empty.md").write_text("---\nname: x\n---\n")
    (memory / "secret.md").symlink_to("/etc/passwd")
    os.mkfifo(memory / "pipe.md")
    (claude_dir / "projects" / "-linked").mkdir()
    (claude_dir / "projects" / "-linked" / "memory").symlink_to("/etc")
    assert run(store, claude_dir) == nothing_in(claude_dir, files=1)
    assert store.list() == []


def test_a_changed_file_updates_its_note_in_place(store: MemoryStore, memory: Path, claude_dir: Path) -> None:
    (memory / "a.md").write_text(FACT)
    [added] = run(store, claude_dir).added
    store.update(added, project="github.com/ada/shop", tags=["mine"])
    (memory / "a.md").write_text(FACT.replace("publish", "publish, tell").replace("project", "feedback"))
    assert run(store, claude_dir).updated == [added]
    note = only_note(store)
    assert (note.id, note.body, note.type) == (added, "Tag, build, publish, tell.", "procedural")
    assert note.project == "github.com/ada/shop"
    assert "mine" in note.tags
    assert len(list(store.memory_dir.rglob("*.md"))) == 1


def test_a_note_stays_when_its_file_disappears(store: MemoryStore, memory: Path, claude_dir: Path) -> None:
    (memory / "a.md").write_text(FACT)
    run(store, claude_dir)
    (memory / "a.md").unlink()
    assert run(store, claude_dir) == nothing_in(claude_dir)
    assert only_note(store).title == "Releases are cut from main"


def test_a_deleted_note_stays_deleted_and_an_edited_one_keeps_its_text(
    store: MemoryStore, memory: Path, claude_dir: Path
) -> None:
    for name in ("deleted", "edited"):
        (memory / f"{name}.md").write_text(FACT.replace("release-steps", name))
    for note in run(store, claude_dir).added:
        found = store.get(note)
        assert found is not None
        if "deleted" in found.tags:
            store.delete(note)
        else:
            store.update(note, body="My words")
    for _ in range(2):
        for name in ("deleted", "edited"):
            with (memory / f"{name}.md").open("a") as handle:
                handle.write("More.\n")
        assert run(store, claude_dir).kept == 2
    assert only_note(store).body == "My words"


def test_two_machines_never_share_an_id(tmp_path: Path, memory: Path, claude_dir: Path) -> None:
    (memory / "a.md").write_text(FACT)
    ids: list[str] = []
    for machine in ("desk", "lap"):
        with MemoryStore(tmp_path / machine) as store:
            ids += run(store, claude_dir, machine_id=machine).added
    assert len(set(ids)) == 2
    assert all(is_valid_id(note) and len(note) == 26 for note in ids)


def test_losing_the_record_neither_duplicates_nor_revives_nor_overwrites_a_note(
    store: MemoryStore, memory: Path, claude_dir: Path
) -> None:
    (memory / "a.md").write_text(FACT)
    [added] = run(store, claude_dir).added
    (store.root / "machine.db").unlink()
    assert run(store, claude_dir).added == []
    store.update(added, body="my own words")
    (store.root / "machine.db").unlink()
    assert run(store, claude_dir).kept == 1
    assert only_note(store).body == "my own words"
    store.delete(added)
    (store.root / "machine.db").unlink()
    assert run(store, claude_dir).added == []
    assert store.list() == []


def test_no_secret_in_a_memory_file_reaches_the_store(
    store: MemoryStore, memory: Path, claude_dir: Path
) -> None:
    for number, (text, _) in enumerate(SAMPLES.values()):
        (memory / f"{number}.md").write_text(
            f"---\nname: n{number}\ndescription: use {text[:100]}\n---\nIt is\n{text}\n"
        )
    (memory / "p.md").write_text("Open <private>hidden words</private>")
    assert len(run(store, claude_dir).added) == len(SAMPLES) + 1
    written = b"".join(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    assert [kind for kind, (_, secret) in SAMPLES.items() if secret.encode() in written] == []
    assert b"hidden words" not in written


def test_sessions_below_the_repository_root_identify_its_memory(
    store: MemoryStore, claude_dir: Path, home: Path
) -> None:
    root = home / "work" / "big_repo"
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    key = re.sub("[^A-Za-z0-9]", "-", str(root))
    write_transcript(claude_dir / "projects" / f"{key}-sub" / "s.jsonl", asked("x", cwd=str(root / "sub")))
    (claude_dir / "projects" / key / "memory").mkdir(parents=True)
    (claude_dir / "projects" / key / "memory" / "a.md").write_text(FACT)
    run(store, claude_dir)
    assert only_note(store).project == "big_repo"


@pytest.fixture
def named(claude_dir: Path, home: Path) -> Path:
    """A folder configured in the client's settings for all projects, with one memory in it."""
    folder = home / "my memories"
    (folder / "more").mkdir(parents=True)
    (folder / "more" / "a.md").write_text(FACT)
    (folder / "MEMORY.md").write_text("- [a](more/a.md)")
    claude_dir.mkdir(exist_ok=True)
    (claude_dir / "settings.json").write_text('{"autoMemoryDirectory": "~/my memories/"}')
    return folder


def test_the_folder_that_the_clients_settings_name_is_imported_too(
    store: MemoryStore, claude_dir: Path, named: Path
) -> None:
    done = run(store, claude_dir)
    assert (done.files, len(done.added)) == (1, 1)
    assert done.folders[1:] == (str(named),)
    assert (only_note(store).project, only_note(store).title) == ("global", "Releases are cut from main")
    assert run(store, claude_dir).unchanged == 1
    (named / "more" / "a.md").write_text(FACT.replace("publish", "announce"))
    assert run(store, claude_dir).updated == done.added
