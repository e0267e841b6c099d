"""Notes of other tools are imported under a stable id; importing again updates them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.curate import apply_plan, plan_dedup
from anamnesis.export.importing import Filing, Imported, import_notes, read_export
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


def take(store: MemoryStore, path: Path) -> Imported:
    backend = GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")
    return import_notes(store, backend, read_export(path, Filing("shop/api", "desk")))


def test_a_plain_file_becomes_a_note_titled_by_its_heading(store: MemoryStore, vault: Path) -> None:
    put(
        vault / "ops" / "deploy-steps.md",
        "Intro first.\n\n```sh\n# a comment\n```\n\n## Deploy *slowly* ##\n\nx",
    )
    put(vault / "no_heading.md", "just text")
    take(store, vault)
    notes = {note.title: note for note in store.list()}
    assert notes.keys() == {"Deploy *slowly*", "no_heading"}
    deploy = notes["Deploy *slowly*"]
    assert deploy.body.startswith("Intro first.")
    assert (deploy.project, deploy.machine_id, deploy.prov_source) == ("shop/api", "desk", "import")
    assert deploy.updated_at == "2023-11-14T22:13:20+00:00"


@pytest.mark.parametrize("text", ["", " \n", "---\ntitle: Later\ntags: [a]\n---\n"])
def test_a_file_without_text_is_reported_and_not_imported(store: MemoryStore, vault: Path, text: str) -> None:
    put(vault / "empty.md", text)
    put(vault / "full.md", "some text")
    done = take(store, vault)
    assert [problem.reason for problem in done.problems] == ["it has no text; add some, or remove the file"]
    assert [note.title for note in store.list()] == ["full"]


def test_another_tools_front_matter_is_mapped_and_kept(store: MemoryStore, vault: Path) -> None:
    front = (
        'title: "Ports: which"\ntype: note\npermalink: ops/ports\ntags: [net, "#edge"]\ncreated: 2025-03-04\n'
    )
    put(vault / "ports.md", f"---\n{front}aliases:\n  - openings\n---\n\n[[Proxy]] listens on 8443.\n")
    take(store, vault)
    (note,) = store.list()
    assert (note.title, note.type, note.tags) == ("Ports: which", "semantic", ["net", "edge"])
    assert note.created_at.startswith("2025-03-04")
    text = store.text_of(note.id) or ""
    assert "permalink: ops/ports" in text
    assert "- openings" in text
    assert "[[Proxy]] listens on 8443." in text


def test_a_second_import_updates_what_changed_and_nothing_else(store: MemoryStore, vault: Path) -> None:
    put(vault / "a.md", "# A\n\none")
    put(vault / "b.md", "# B\n\ntwo")
    first = take(store, vault)
    assert len(first.added) == 2
    assert len(take(store, vault).unchanged) == 2
    put(vault / "a.md", "# A\n\nthree", at=1_700_000_100)
    second = take(store, vault)
    assert (len(second.updated), len(second.unchanged)) == (1, 1)
    assert sorted(note.body for note in store.list()) == ["# A\n\nthree", "# B\n\ntwo"]


def test_a_persons_later_edits_are_kept(store: MemoryStore, vault: Path) -> None:
    put(vault / "a.md", "# A\n\none")
    (note_id,) = take(store, vault).added
    store.update(note_id, body="mine")
    put(vault / "a.md", "# A\n\ntheirs", at=1_700_000_100)
    assert take(store, vault).kept == (note_id,)
    assert [note.body for note in store.list()] == ["mine"]


def test_a_folder_that_was_imported_into_the_wrong_project_moves_with_a_named_one(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / "pump.md", "# Pump\nIt leaks.\n")
    take(store, vault)
    backend = GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")
    export = read_export(vault, Filing("works/pumps", "desk"))
    assert import_notes(store, backend, export).kept  # nobody named a project
    assert import_notes(store, backend, export, refile=True).updated
    assert [note.project for note in store.list()] == ["works/pumps"]


def test_what_dedup_deleted_is_not_imported_again(store: MemoryStore, vault: Path) -> None:
    for name in ("one", "two", "three"):
        put(vault / f"{name}.md", "the same text")
    assert len(take(store, vault).added) == 3  # as they are in the folder
    backend = GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")
    apply_plan(store, backend, plan_dedup(store.list(), superseded=store.superseded_ids()))
    (left,) = store.list()
    assert len(take(store, vault).unchanged) == 3
    store.update(left.id, body="edited by a person")
    put(vault / "four.md", "another text")
    again = take(store, vault)
    assert (len(again.added), again.kept) == (1, (left.id,))
    assert sorted(note.body for note in store.list()) == ["another text", "edited by a person"]


def test_a_new_file_is_imported_although_a_note_says_the_same(store: MemoryStore, vault: Path) -> None:
    store.write(type="semantic", title="Mine", body="the same text", project="shop/api")
    put(vault / "one.md", "the same text")
    assert len(take(store, vault).added) == 1


def test_what_was_deleted_is_imported_again_if_only_a_superseded_note_says_it(
    store: MemoryStore, vault: Path
) -> None:
    for name in ("one", "two"):
        put(vault / f"{name}.md", "the same text")
    first, second = take(store, vault).added
    store.delete(first)
    assert take(store, vault).unchanged == (first, second)
    store.write(type="semantic", title="New", body="another", project="shop/api", supersedes=second)
    assert take(store, vault).added == (first,)


def test_the_same_folder_on_another_machine_gives_the_same_ids(
    store: MemoryStore, vault: Path, tmp_path: Path
) -> None:
    put(vault / "a.md", "# A\n\none")
    elsewhere = tmp_path / "home of another" / "vault"
    put(elsewhere / "a.md", "# A\n\none")
    assert take(store, vault).added == take(store, elsewhere).unchanged


def test_our_own_notes_in_the_folder_stay_our_own(store: MemoryStore, vault: Path) -> None:
    put(vault / "x.md", "---\nid: mine-1\ntype: procedural\ntitle: Ours\n---\ntext\n")
    take(store, vault)
    assert [(note.id, note.type) for note in store.list()] == [("mine-1", "procedural")]


def test_a_single_file_can_be_imported(store: MemoryStore, vault: Path) -> None:
    put(vault / "CLAUDE.md", "# House rules\n\nTabs.")
    take(store, vault / "CLAUDE.md")
    assert [note.title for note in store.list()] == ["House rules"]


def test_hidden_folders_links_and_broken_front_matter_are_skipped_and_reported(
    store: MemoryStore, vault: Path
) -> None:
    put(vault / ".obsidian" / "plugin.md", "# Not a note")
    put(vault / "broken.md", "---\ntitle: [\n---\ntext")
    put(vault / "good.md", "# Good")
    (vault / "link.md").symlink_to(vault / "good.md")
    done = take(store, vault)
    assert [note.title for note in store.list()] == ["Good"]
    assert {problem.path for problem in done.problems} == {"broken.md", "link.md"}


def test_an_export_of_mcp_memory_service_becomes_notes(store: MemoryStore, tmp_path: Path) -> None:
    memories = [
        {
            "content": "Redis needs maxmemory set\n\nOtherwise it is killed.",
            "content_hash": "ab12",
            "tags": ["redis", "ops"],
            "created_at": 1_700_000_000.5,
            "memory_type": "fact",
        },
        {"content": "  "},
        "text",
    ]
    path = put(tmp_path / "export.json", json.dumps({"export_metadata": {}, "memories": memories}))
    done = take(store, path)
    (note,) = store.list()
    assert (note.title, note.tags) == ("Redis needs maxmemory set", ["redis", "ops"])
    assert note.created_at == note.updated_at == "2023-11-14T22:13:20+00:00"
    assert len(done.problems) == 2
    assert len(take(store, path).unchanged) == 1


def test_a_memory_without_seconds_is_dated_by_its_text_or_by_the_file(
    store: MemoryStore, tmp_path: Path
) -> None:
    memories = [
        {
            "content": "iso",
            "created_at_iso": "2025-05-01T10:00:00Z",
            "updated_at_iso": "2025-06-01T10:00:00Z",
        },
        {"content": "none", "created_at": "soon"},
    ]
    path = put(tmp_path / "export.json", json.dumps({"memories": memories}))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    take(store, path)
    found = {note.title: (note.created_at, note.updated_at) for note in store.list()}
    assert found["iso"] == ("2025-05-01T10:00:00+00:00", "2025-06-01T10:00:00+00:00")
    assert found["none"] == ("2023-11-14T22:13:20+00:00",) * 2


def test_a_link_to_a_daily_note_works(store: MemoryStore, vault: Path) -> None:
    put(vault / "Daily" / "2026-01-02.md", "went for a walk")
    put(vault / "plan.md", "# Plan\n\nAs on [[2026-01-02]].")
    take(store, vault)
    plan = next(note for note in store.list() if note.title == "Plan")
    assert list(links_of(store, plan.id).mentions) == ["2026-01-02"]


def test_a_credential_in_a_foreign_file_is_not_imported(store: MemoryStore, vault: Path) -> None:
    secret = "gh" + "p_" + os.urandom(18).hex()
    put(vault / "a.md", f"# Token\n\n{secret}")
    assert len(take(store, vault).redacted) == 1
    assert secret not in store.list()[0].body


def test_a_large_folder_is_imported_completely_and_searchable_at_once(
    store: MemoryStore, vault: Path
) -> None:
    for number in range(620):
        put(vault / f"n{number}.md", f"# Number {number}\n\nwalrus{number} text\n")
    done = take(store, vault)
    assert (len(done.added), done.problems) == (620, ())
    assert store.search("walrus617")[0].title == "Number 617"
    assert store.stats()["total"] == 620
    again = take(store, vault)
    assert (len(again.unchanged), again.added, again.updated) == (620, (), ())
    put(vault / "n3.md", "# Number 3\n\nchanged\n", at=1_800_000_000)
    assert len(take(store, vault).updated) == 1


def test_a_note_whose_path_is_taken_is_reported_and_the_others_imported(
    store: MemoryStore, vault: Path, tmp_path: Path
) -> None:
    for number in range(3):
        put(vault / f"n{number}.md", f"# Number {number}\n\ntext\n")
    with MemoryStore(tmp_path / "second") as second:
        name = take(second, vault).added[0]
    place = store.memory_dir / "semantic" / f"{name}.md"
    put(place, "not a note\n")
    done = take(store, vault)
    assert len(done.added) == 2
    assert [problem.path for problem in done.problems] == [name]
    assert place.read_text() == "not a note\n"


def test_a_file_whose_name_is_not_utf8_is_imported_under_a_stable_id(store: MemoryStore, vault: Path) -> None:
    put(vault / os.fsdecode(b"caf\xe9.md"), "just text")
    put(vault / os.fsdecode(b"caf\xe8.md"), "# Another\n\ntext")
    put(vault / "plain.md", "# Plain\n\ntext")
    assert len(take(store, vault).added) == 3
    assert sorted(note.title for note in store.list()) == ["Another", "Plain", "caf\ufffd"]
    assert len(take(store, vault).unchanged) == 3


def test_half_a_character_in_a_memory_stops_only_that_memory(store: MemoryStore, tmp_path: Path) -> None:
    export = tmp_path / "memories.json"
    broken = [{"content": "half \ud800"}, {"content": "by its name", "content_hash": "\ud800"}]
    export.write_text(json.dumps({"memories": [*broken, {"content": "whole"}]}))
    done = take(store, export)
    assert sorted(note.body for note in store.list()) == ["by its name", "whole"]
    assert [problem.path for problem in done.problems] == ["note 1"]
