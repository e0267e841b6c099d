"""Which sessions are captured, by settings and by folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture import CaptureOutcome, capture_session
from anamnesis.index.rows import rule_lines
from anamnesis.notes.record import Memory
from anamnesis.project import is_silenced
from anamnesis.settings import save
from anamnesis.store import MemoryStore
from transcript_lines import SESSION, Line, asked, called, returned, said, write_transcript

ANSWER = said("The parser fails because `loop()` never ends.")
EDITED = (called("1", "Edit", file_path="/work/a.py"), returned("1"))


@pytest.fixture
def folder(home: Path) -> Path:
    """The folder that the sessions are about."""
    found = home / "work" / "shop"
    found.mkdir(parents=True)
    return found


def capture(store: MemoryStore, folder: Path, *lines: Line, **hook: str) -> CaptureOutcome:
    """Capture a session with these lines in `folder`; the caller marks scripted ones."""
    said_there = [{**line, "cwd": str(folder)} for line in lines]
    path = write_transcript(folder.parent.parent / ".claude/projects/-shop" / f"{SESSION}.jsonl", *said_there)
    return capture_session(store, transcript=path, machine_id="desk", **hook)  # type: ignore[arg-type]  # texts only


def scripted(*lines: Line) -> list[Line]:
    """These lines as in a session that a program drives."""
    return [{**line, "entrypoint": "sdk-cli", "promptSource": "sdk"} for line in lines]


def test_a_scripted_run_is_captured_only_when_it_changed_a_file(store: MemoryStore, folder: Path) -> None:
    outcome = capture(store, folder, *scripted(asked("Review the diff"), ANSWER))
    assert (outcome.status, "capture is interactive" in outcome.detail) == ("skipped", True)
    assert store.list() == []
    assert capture(store, folder, *scripted(asked("Fix it"), *EDITED, ANSWER)).status == "written"


def test_a_scripted_session_continued_by_a_person_is_captured(store: MemoryStore, folder: Path) -> None:
    typed = asked("And why is that?", entrypoint="cli")
    assert capture(store, folder, *scripted(asked("Review")), typed, ANSWER).status == "written"


def test_the_hooks_payload_marks_a_scripted_session_if_the_transcript_does_not(
    store: MemoryStore, folder: Path
) -> None:
    assert capture(store, folder, asked("Review"), ANSWER, entrypoint="sdk-cli").status == "skipped"
    typed = asked("Review", entrypoint="cli")
    assert capture(store, folder, typed, ANSWER, entrypoint="sdk-cli").status == "written"


@pytest.mark.parametrize(
    ("value", "person", "script"),
    [
        ("all", "written", "written"),
        ("interactive", "written", "skipped"),
        ("none", "skipped", "skipped"),
        ("nonsense", "written", "skipped"),
    ],
)
def test_the_setting_says_which_sessions_become_notes(
    store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch, value: str, person: str, script: str
) -> None:
    monkeypatch.setenv("ANAMNESIS_CAPTURE", value)
    assert capture(store, folder, *scripted(asked("Review"), ANSWER)).status == script
    assert capture(store, folder, asked("Review"), asked("And again, please"), ANSWER).status == person


def test_the_environment_beats_the_setting_and_0_means_none(
    store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("capture", "all", home=store.root)
    monkeypatch.setenv("ANAMNESIS_CAPTURE", "0")
    assert capture(store, folder, asked("Review"), *EDITED, ANSWER).status == "skipped"
    monkeypatch.delenv("ANAMNESIS_CAPTURE")
    assert capture(store, folder, *scripted(asked("Review"), ANSWER)).status == "written"


@pytest.mark.parametrize(
    ("patterns", "status"),
    [
        ("github.com/*/secret, shop", "skipped"),
        ("sh*", "skipped"),
        ("~/work/shop", "skipped"),
        ("~/work/", "skipped"),
        ("*/work/*", "skipped"),
        ("~/work/sho, other, , /", "skipped"),
        ("~/work/sho, other", "written"),
        ("hop", "written"),
    ],
)
def test_projects_and_folders_can_be_excluded_by_globs(
    store: MemoryStore, folder: Path, patterns: str, status: str
) -> None:
    save("capture_exclude", patterns, home=store.root)
    assert capture(store, folder, asked("Review"), ANSWER).status == status


def test_an_off_file_stops_capture_in_its_folder_and_below(store: MemoryStore, folder: Path) -> None:
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    assert not is_silenced(below)
    (folder / ".anamnesis").mkdir()
    (folder / ".anamnesis" / "off").touch()
    assert [is_silenced(place) for place in (below, folder, folder.parent)] == [True, True, False]
    assert is_silenced(below / "gone")
    assert not is_silenced("")
    assert not is_silenced("nul\0")
    assert capture(store, below, asked("Review"), *EDITED, ANSWER).status == "skipped"


def test_an_off_file_also_applies_through_a_symlink(store: MemoryStore, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / ".anamnesis").mkdir()
    (folder / ".anamnesis" / "off").touch()
    link = folder.parent / "link"
    link.symlink_to(folder / "sub")
    assert is_silenced(link)
    assert capture(store, link, asked("Review"), *EDITED, ANSWER).status == "skipped"


@pytest.mark.parametrize("pattern", ["~/work/shop", "~/link", "~/work/sh*", "~/li*"])
@pytest.mark.parametrize("visited", ["work/shop", "link"])
def test_a_folder_is_excluded_by_any_of_its_paths(
    store: MemoryStore, folder: Path, home: Path, pattern: str, visited: str
) -> None:
    (home / "link").symlink_to(folder)
    save("capture_exclude", pattern, home=store.root)
    expected = "written" if (pattern, visited) == ("~/li*", "work/shop") else "skipped"
    place = home / visited
    said_there = [{**line, "cwd": str(place)} for line in (asked("Review"), ANSWER)]
    path = write_transcript(home / ".claude/projects/-shop" / f"{SESSION}.jsonl", *said_there)
    assert capture_session(store, transcript=path, machine_id="desk").status == expected


def test_of_a_note_that_a_person_edited_the_rest_follows_the_session(
    store: MemoryStore, folder: Path
) -> None:
    lines = [asked("Review"), ANSWER]
    store.update(capture(store, folder, *lines).note_id, title="My title")
    lines += [asked("Rename the lexer"), said("The lexer is `scanner.py` now.")]
    for _ in range(2):
        capture(store, folder, *lines)
        [note] = store.list()
        assert note.title == "My title"
        assert "scanner.py" in note.body
        lines += [asked("And the parser"), said("The parser is `grammar.py` now.")]
    store.update(note.id, body=f"My words\n{note.body.replace('lexer', 'scanner')}")
    capture(store, folder, *lines, asked("And now? Never push to main."), said("All of `tree.py` is done."))
    [note] = store.list()
    assert note.body.startswith("My words\n")
    assert "The scanner is" in note.body
    assert "tree.py" in note.body
    assert rule_lines(note) == ["Never push to main."]
    store.update(note.id, body="Only this")
    capture(store, folder, *lines, asked("Always sign the tag."), said("`key.py` signs."))
    assert "key.py" in (text := store.list()[0].body)
    assert (text.startswith("Only this\n"), "scanner" in text, "tree.py" in text) == (True, False, False)
    assert rule_lines(store.list()[0]) == ["Always sign the tag."]


@pytest.mark.parametrize(("name", "value"), [("CAPTURE", "0"), ("CAPTURE_EXCLUDE", "*")])
def test_a_skipped_capture_does_not_forget_that_a_person_edited_or_deleted_the_note(
    store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    lines = [asked("Review"), ANSWER]
    note = store.update(capture(store, folder, *lines).note_id, body="My words")
    for expected in (["My words"], []):
        with monkeypatch.context() as patch:
            patch.setenv(f"ANAMNESIS_{name}", value)
            assert capture(store, folder, *lines, asked("Not this")).status == "skipped"
        capture(store, folder, *lines, asked("More"))
        assert [found.body for found in store.list()] == expected
        if expected:
            store.delete(note.id)


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
