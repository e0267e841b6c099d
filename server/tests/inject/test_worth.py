"""What a note is worth to a session that starts now."""

from __future__ import annotations

import pytest

from inject.telling import note, order, ranked, session

TRIVIA = "The cake was eaten on the 16th and somebody booked the room for next week; it was nice."


def test_an_old_fundamental_note_beats_new_trivia() -> None:
    old = note("old", "`make test` starts the database first.", title="Run the tests", day="2024-01-01")
    new = note("new", TRIVIA, title="Party in the small room", day="2026-06-23")
    assert order([new, old]) == ["old", "new"]


@pytest.mark.parametrize(
    "title",
    [
        "How to deploy",
        "Naming conventions",
        "Why we use SQLite",
        "Tests ausführen",
        "Lancer les tests",
    ],
)
def test_a_title_about_how_the_project_is_worked_on_raises_a_note(title: str) -> None:
    assert order([note("plain", title="The invoice page"), note("basic", title=title)])[0] == "basic"


def test_what_the_user_pinned_comes_first() -> None:
    basic = note("basic", "`make test` must pass. Never skip it.", title="Run the tests")
    assert order([basic, note("mine", TRIVIA, tags=["pinned"])])[0] == "mine"


def test_notes_of_the_branch_gain_and_those_of_other_branches_lose() -> None:
    here = note("here", "Half done.", title="feat/vouchers: combination rules")
    there = note("there", "The pool has eight connections, never more.", title="fix/timeouts: the pool")
    other = note("other", "Run `task replay`; always.", title="docs/guide: how to build")
    plain = note("plain")
    assert order([plain, there, other, here], branch="feat/vouchers")[0] == "here"
    assert order([there, other, plain], branch="feat/vouchers")[0] == "plain"
    assert set(order([plain, here, there, other], branch="main")[1:]) == {"here", "there", "other"}


@pytest.mark.parametrize(
    "text",
    ["On harbour/lamps, the pool has eight.", "Für harbour/lamps: `make sim`", "harbour/lamps: half done."],
)
def test_a_branch_is_recognised_by_the_sessions_on_it(text: str) -> None:
    there = session("s", "dim the lamps", day="2026-06-20", branch="harbour/lamps")
    found = {each.note.id: each.parts for each in ranked([there, note("n", text)], branch="main")}
    assert "other branch" in found["n"]
    alone = ranked([note("n", text)], branch="main")[0].parts
    assert "other branch" not in alone, "without a session it may be a folder"


def test_notes_about_the_last_sessions_subject_gain() -> None:
    last = session("s", "the geofence alarm comes late, see fence/alarm.go", day="2026-06-23")
    about = note("about", "The geofence alarm has a tolerance of two metres.")
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    assert order([*crowd, about, last])[:2] == ["s", "about"]


def test_the_last_session_on_this_branch_comes_before_a_newer_one_on_another() -> None:
    notes = [
        session("elsewhere", "rename a label", day="2026-06-23", branch="chore/label"),
        session("here", "voucher rules", day="2026-06-20", branch="feat/vouchers"),
    ]
    assert order(notes, branch="feat/vouchers") == ["here", "elsewhere"]


def test_a_persons_old_note_comes_before_an_import_of_today_until_that_is_reviewed() -> None:
    mine = note("mine", "Indent with tabs.", title="Tabs", day="2025-06-01")
    imported = note("imported", "Indent with tabs.", title="Tabs", day="2026-06-23", source="import")
    assert order([imported, mine])[0] == "mine"
    imported.tags.append("reviewed")
    assert order([imported, mine])[0] == "imported"
