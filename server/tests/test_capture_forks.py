"""Only the new part of a forked session is captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture import capture_session
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from transcript_lines import Line, asked, called, returned, said, write_transcript


def numbered(session: str, *lines: Line, start: int = 0) -> list[Line]:
    """Lines as the client writes them, each with its own id and time."""
    return [
        {**line, "sessionId": session, "uuid": f"{session}-{n}", "timestamp": f"2026-03-04T09:{n:02}:00.000Z"}
        for n, line in enumerate(lines, start)
    ]


PARENT = numbered(
    "parent",
    asked("Why does the mill stop?"),
    called("1", "Edit", file_path="/home/ada/work/parser/timer.py"),
    returned("1"),
    said("The cause is `overflow()` after 65,536 turns."),
)


def copied(lines: list[Line], session: str) -> list[Line]:
    """These lines in a fork: the same ids and times, but the new session's id."""
    return [{**line, "sessionId": session} for line in lines]


class Desk:
    """A machine that captures transcripts."""

    def __init__(self, store: MemoryStore, folder: Path) -> None:
        self.store = store
        self._folder = folder

    def capture(self, session: str, lines: list[Line]) -> str:
        """Write a session's transcript and capture it; returns the outcome."""
        path = write_transcript(self._folder / f"{session}.jsonl", *lines)
        return capture_session(self.store, transcript=path, machine_id="desk").status

    def note(self, session: str) -> Memory | None:
        """The note of a session."""
        return next((note for note in self.store.list() if note.prov_session == session), None)


@pytest.fixture
def desk(store: MemoryStore, home: Path) -> Desk:
    """A machine that has captured the parent."""
    found = Desk(store, home / ".claude" / "projects" / "-work")
    assert found.capture("parent", PARENT) == "written"
    return found


def test_only_the_new_part_of_a_fork_is_captured(desk: Desk) -> None:
    new = numbered("fork", asked("Now try `gears`"), said("`gears` brings it to 12 hours."), start=30)
    assert desk.capture("fork", [*copied(PARENT, "fork"), *new]) == "written"
    note = desk.note("fork")
    assert note is not None
    assert (note.title, "12 hours" in note.body, "overflow" in note.body) == ("Now try `gears`", True, False)
    assert "timer.py" not in note.body
    assert note.created_at == "2026-03-04T09:30:00+00:00"


def test_a_fork_with_nothing_new_has_no_note(desk: Desk) -> None:
    assert desk.capture("fork", copied(PARENT, "fork")) == "trivial"
    assert len(desk.store.list()) == 1


def test_a_parent_that_continues_keeps_its_start(desk: Desk) -> None:
    new = numbered("fork", asked("Now try `gears`"), said("`gears` brings it to 12 hours."), start=30)
    desk.capture("fork", [*copied(PARENT, "fork"), *new])
    more = numbered("parent", asked("And `belts`?"), said("`belts` bring it to 9 hours."), start=40)
    assert desk.capture("parent", [*PARENT, *more]) == "written"
    note = desk.note("parent")
    assert note is not None
    assert "overflow" in note.body
    assert "9 hours" in note.body


def test_a_fork_that_is_resumed_updates_its_one_note(desk: Desk) -> None:
    new = numbered("fork", asked("Now try `gears`"), said("`gears` brings it to 12 hours."), start=30)
    lines = [*copied(PARENT, "fork"), *new]
    desk.capture("fork", lines)
    more = numbered("fork", asked("Measure again"), said("It is 11 hours in `grind.py`."), start=50)
    assert desk.capture("fork", [*lines, *more]) == "written"
    note = desk.note("fork")
    assert note is not None
    assert ("11 hours" in note.body, "overflow" in note.body) == (True, False)
    assert len(desk.store.list()) == 2


def test_lines_that_name_the_session_they_come_from_are_left_out(desk: Desk) -> None:
    marked = [
        {**line, "forkedFrom": {"sessionId": "gone"}} for line in numbered("fork", asked("Old"), said("Old."))
    ]
    new = numbered("fork", asked("Now try `gears`"), said("`gears` brings it to 12 hours."), start=30)
    desk.capture("fork", [*marked, *new])
    note = desk.note("fork")
    assert note is not None
    assert "Old" not in note.title + note.body
