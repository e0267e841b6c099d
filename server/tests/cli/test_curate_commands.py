"""The curation commands through the command line: a dry run unless applied, and an accurate report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from fake_model import FakeModel, answer
from processes import Run, Write

LESSON = json.dumps({"notes": [{"type": "procedural", "title": "Migrate first", "body": "Then\x20deploy."}]})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A model that answers correctly unless a test changes it."""
    with FakeModel([answer(LESSON)]) as server:
        server.configure(monkeypatch)
        yield server


def files_of(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*.md")}


def test_reflect_proposes_first_and_writes_exactly_that_when_applied(
    anamnesis: Run, write: Write, root: Path, model: FakeModel
) -> None:
    for number in range(5):
        write(f"Session {number}", "deployed", "--project", "shop", kind="episodic")
    before = files_of(root)
    dry = anamnesis("reflect", "--json")
    proposed = json.loads(dry.stdout)
    assert dry.returncode == 0
    assert files_of(root) == before
    done = anamnesis("reflect", "--apply", "--json")
    written = json.loads(done.stdout)
    assert [note["id"] for note in written["projects"][0]["notes"]] == [
        note["id"] for note in proposed["projects"][0]["notes"]
    ]
    assert (proposed["usage"]["calls"], written["usage"]["calls"]) == (1, 0)
    assert anamnesis("show", written["projects"][0]["notes"][0]["id"]).returncode == 0


def test_merge_shows_what_it_would_write_and_writes_it_when_applied(
    anamnesis: Run, write: Write, root: Path
) -> None:
    write("Deploys", "Migrations run before the workers start.")
    write("Deploys", "Migrations run before the worker starts.")
    before = files_of(root)
    dry = json.loads(anamnesis("merge", "--json").stdout)
    assert files_of(root) == before
    done = json.loads(anamnesis("merge", "--apply", "--json").stdout)
    assert done["steps"] == dry["steps"]
    assert (dry["applied"], done["applied"]) == (False, True)
    assert len(json.loads(anamnesis("search", "--json", "migrations").stdout)) == 1


def test_tidy_collapses_identical_notes_and_merges_those_that_say_the_same(
    anamnesis: Run, write: Write
) -> None:
    kept, gone = (write(title, "same body") for title in ("One", "Two"))
    text = "The deploy needs the VPN and a clean checkout of the main branch"
    pair = [write("Deploy needs VPN", f"{text}."), write("Deploy needs VPN", f"{text}; ask ops.")]
    shown = json.loads(anamnesis("tidy", "--json").stdout)
    done = json.loads(anamnesis("tidy", "--apply", "--json").stdout)
    assert [step["action"] for step in shown["steps"]] == [step["action"] for step in done["steps"]]
    assert {"delete", "write"} <= {step["action"] for step in done["steps"]}
    assert [anamnesis("show", note).returncode for note in (kept, gone)] == [0, 1]
    assert all("superseded by" in anamnesis("show", note).stderr for note in pair)


def test_global_notes_can_move_to_a_project_and_later_ones_stay_global(
    anamnesis: Run, write: Write, root: Path
) -> None:
    moved = write("One", "walnut", "--project", "global")
    anamnesis("migrate", "global", "shop", "--apply")
    (root / "memory/aliases").mkdir(exist_ok=True)
    (root / "memory/aliases/global.json").write_text('{"old": "global", "new": "shop"}')  # by another version
    later = write("Two", "walnut", "--project", "global")
    for key, note in (("shop", moved), ("global", later)):
        assert [row["id"] for row in json.loads(anamnesis("list", "--project", key, "--json").stdout)] == [
            note
        ]
    anamnesis("delete", later, "--yes")
    anamnesis("undo", later)
    assert json.loads(anamnesis("show", later, "--json").stdout)["project"] == "global"


def test_a_renamed_project_is_one_project_under_both_names(anamnesis: Run, write: Write, root: Path) -> None:
    moved = write("One", "walnut", "--project", "h.org/old")
    anamnesis("migrate", "h.org/old", "h.org/new", "--apply")
    with MemoryStore(root) as store:  # as a machine does that has not heard of the new name
        late = store.write(type="semantic", title="Two", body="walnut", project="h.org/old").id
    for key in ("h.org/old", "h.org/new", "old", "new"):
        for words in (("list",), ("search", "walnut")):
            rows = json.loads(anamnesis(*words, "--project", key, "--json").stdout)
            assert {row["id"] for row in rows} == {moved, late}
        assert "Project `h.org/new`: 2 notes, 2 shown in full" in anamnesis("inject", "--project", key).stdout
    third = write("Three", "plum", "--project", "h.org/old")
    assert json.loads(anamnesis("show", third, "--json").stdout)["project"] == "h.org/new"
