"""The candidate notes for a session: few, current, and as they are in their files."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from anamnesis.index.candidates import Candidates
from anamnesis.store import MemoryStore
from index_state import candidates, put, settle


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An unchanging store: two projects, both trees, a superseded and a reflected note."""
    folder = tmp_path / "store # 100%?"
    with MemoryStore(folder) as store:
        put(store, "g1", "walrus", tags=["b", "a"], confidence=0.5, prov_model="m")
        put(store, "g2", "walrus", scope="machine-local", supersedes="old")
        put(store, "old", "walrus")
        put(store, "p1", "badger", project="p")
        put(store, "p2", "badger", project="p", type="procedural")
        put(store, "e1", "badger", project="p", type="episodic")
        put(store, "e2", "badger", project="p", type="episodic", tags=["reflected"])
        put(store, "q1", "other", project="q")
    rest(folder)
    return folder


def rest(folder: Path) -> None:
    settle()
    with MemoryStore(folder) as store:
        store.reindex()


def ids(found: Candidates) -> list[str]:
    return sorted(note.id for note in found.notes)


def test_the_reader_returns_the_current_notes_of_the_given_projects_and_counts_all(root: Path) -> None:
    assert ids(candidates(root, "global")) == ["g1", "g2"]
    assert ids(candidates(root, "p", "q")) == ["e1", "g1", "g2", "p1", "p2", "q1"]
    found = candidates(root, "p")
    assert (ids(found), found.own, found.everywhere) == (["e1", "g1", "g2", "p1", "p2"], 4, 2)


def test_the_latest_notes_are_read_and_a_date_in_the_future_counts_as_none(tmp_path: Path) -> None:
    random = Random(7)  # noqa: S311  # the same notes in every run
    with MemoryStore(tmp_path / "store") as store:
        for number in range(150):
            day = random.choice(["2026-01-01", "2026-01-02", "2026-01-03", "9000-01-01"])
            kind = random.choice(["semantic", "procedural"])
            confidence = random.choice([0.5, 1.0])
            fields = {"type": kind, "project": random.choice("pq"), "confidence": confidence}
            put(store, f"n{number:03}", "text", updated_at=f"{day}T00:00:00+00:00", **fields)
        order = sorted(
            store.list(),
            key=lambda note: ("" if note.updated_at > "9" else note.updated_at, note.confidence, note.id),
        )
    rest(tmp_path / "store")
    assert ids(candidates(tmp_path / "store", "p", "q")) == sorted(note.id for note in order[-60:])


def test_in_a_large_project_old_notes_are_found_by_pin_title_or_as_instructions(root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(120):
            put(store, f"n{number}", "filler", project="p", updated_at="2026-06-01T00:00:00+00:00")
        put(store, "pin", "filler", project="p", tags=["pinned"], updated_at="2020-01-01T00:00:00+00:00")
        put(store, "ship", "filler", title="Deploy", project="p", updated_at="2020-01-01T00:00:00+00:00")
        put(store, "dull", "deploy", project="p", updated_at="2020-01-01T00:00:00+00:00")
        put(store, "how", "x", type="procedural", project="p", updated_at="2020-01-01T00:00:00+00:00")
    found = candidates(root, "p", phrases=["title : (deploy)"])
    assert {"pin", "ship", "how"} <= {note.id for note in found.notes}
    assert "dull" not in {note.id for note in found.notes}


def test_a_file_added_or_deleted_by_hand_shows_in_the_next_answer(root: Path) -> None:
    path = root / "memory/semantic/g1.md"
    path.with_name("new.md").write_text(path.read_text().replace("id: g1", "id: new"))
    (root / "local/semantic/g2.md").unlink()
    assert ids(candidates(root, "global")) == ["g1", "new", "old"]


def test_scripted_runs_do_not_crowd_out_a_persons_sessions(root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(20):
            put(store, f"r{number}", "run", project="p", type="episodic", tags=["scripted"])
    rest(root)
    assert ids(candidates(root, "p")) == ["e1", "g1", "g2", "p1", "p2"]


def test_many_imported_notes_do_not_displace_what_a_person_wrote(root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(40):
            put(store, f"i{number}", "imported", prov_source="import", updated_at="2026-03-01T00:00:00+00:00")
        put(store, "mine", "by a person", updated_at="2025-03-01T00:00:00+00:00")
    rest(root)
    found = ids(candidates(root, "p", phrases=["title : nothing"]))
    assert "mine" in found
    assert len([name for name in found if name.startswith("i")]) == 30
