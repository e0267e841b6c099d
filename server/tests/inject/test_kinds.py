"""What counts as basic, and what as a one-off event."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from anamnesis.notes.record import Memory
from inject.telling import briefing, note, ranked

EVENT = "The crane was moved, we watched and asked for a picture; it stopped twice and somebody laughed."


def part(notes: Sequence[Memory], name: str, part: str) -> float:
    """One part of the worth of the note `name` among these notes."""
    return next(each.parts.get(part, 0.0) for each in ranked(notes) if each.note.id == name)


def described(count: int = 24) -> list[Memory]:
    """Notes about the parts of a program, each with a name from its code."""
    return [note(f"n{place}", f"Part {place} reads `conf/part{place}.toml`.") for place in range(count)]


def young(name: str, body: str, **fields: object) -> Memory:
    """A note from yesterday, not edited since."""
    made = note(name, body, day="2026-06-23", **fields)  # type: ignore[arg-type]
    made.created_at = made.updated_at
    return made


def test_one_office_word_does_not_make_a_note_an_event() -> None:
    plain = note("n", "The clinic shows a photo beside each name and keeps it for a year.")
    assert -0.5 < part([plain], "n", "passing") < 0
    gone = note("n", "The photo was taken on Monday, and nobody asked for it.")
    assert part([gone], "n", "passing") < -1.5


def test_a_word_in_many_notes_is_the_projects_subject() -> None:
    flights = [note(f"f{place}", f"Flight {place} has a log of its own.") for place in range(8)]
    assert part(flights, "f1", "passing") == 0
    assert part([*described(), flights[0]], "f0", "passing") < 0


@pytest.mark.parametrize("sign", ["replaces", "edited", "linked by id", "linked by title"])
def test_a_maintained_note_loses_only_half_the_points(sign: str) -> None:
    event = note("01EVENT", EVENT, title="Crane")
    event.created_at = event.updated_at
    bare = part([event], "01EVENT", "passing")
    notes = [event]
    if sign == "replaces":
        event.supersedes = "older"
    elif sign == "edited":
        event.created_at = "2026-01-01T08:00:00+00:00"
    else:
        notes.append(note("n", "See [[Crane]]." if sign == "linked by title" else "See 01EVENT."))
    assert part(notes, "01EVENT", "passing") == pytest.approx(bare / 2)


def test_a_text_about_code_is_less_of_an_event() -> None:
    told = f"{EVENT} See `crane/move.py` and `crane/stop.py`."
    assert part([note("n", EVENT)], "n", "passing") < part([note("n", told)], "n", "passing") < 0


@pytest.mark.parametrize(
    "text",
    [
        "Kahvikone on rikki, uusi tulee kahden viikon päästä. Kuitti on laatikossa.",
        "Bussen går klockan åtta från torget, ta med en jacka.",
        "Az asztal a folyosón marad, a kulcs a portán van.",
    ],
)
def test_in_any_language_a_new_note_without_code_names_ranks_below_those_with_them(
    text: str,
) -> None:
    loose = young("loose", text)
    assert part([*described(), loose], "loose", "passing") < 0
    for other in (
        young("loose", f"{text} Katso `src/kone.c`."),
        young("loose", text, tags=["kone"]),
        note("loose", text, day="2026-01-01"),
    ):
        other.created_at = other.updated_at
        assert part([*described(), other], "loose", "passing") == 0


def test_a_short_global_note_counts_as_a_preference() -> None:
    text = "Vastaa aina suomeksi ja lyhyesti."
    assert part([*described(), young("g", text, project="global")], "g", "passing") == 0
    assert part([*described(), young("g", text * 6, project="global")], "g", "passing") < 0


def test_plain_prose_is_no_sign_where_most_notes_are_plain_prose() -> None:
    prose = [young(f"p{place}", f"Osa {place} lukee asetukset tiedostosta.") for place in range(30)]
    assert part([*described(), *prose], "p1", "passing") == 0
    assert part(prose[:8], "p1", "passing") == 0, "so few notes tell nothing"


def test_a_small_store_of_plain_prose_is_shown_whole() -> None:
    told = briefing([young(f"p{place}", "Osa lukee asetukset tiedostosta. " * 3) for place in range(12)])
    assert len(told.full) == 12


def test_one_word_of_a_title_counts_half_as_basic() -> None:
    chance = note("n", title="Release stick")
    certain = [
        note("n", title="Release stick", tags=["release"]),
        note("n", title="Release the stick", kind="procedural"),
        note("n", title="Release and deploy"),
    ]
    whole = {part([each], "n", "basic") for each in certain}
    assert whole == {2 * part([chance], "n", "basic")}


def test_a_rule_inside_an_event_counts_less() -> None:
    told = f"{EVENT} Everybody must bring a cup, always."
    assert (
        0 < part([note("n", told)], "n", "rules") < part([note("n", "It must be so, always.")], "n", "rules")
    )
