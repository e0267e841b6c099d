"""The note merge as a pure function: its promises for any three versions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.notes.record import FIELDS, Memory, deserialize, parse, serialize
from anamnesis.sync.lines import join_lines, keep_both, merge_lines
from anamnesis.sync.merge import RULES, keep_both_data, merge_data, merge_note

BASE = Memory(
    "N1",
    "semantic",
    "Title",
    "one\ntwo\nthree\nfour",
    tags=["a", "b"],
    supersedes="X1",
    created_at="2026-01-02T00:00:00+00:00",
    updated_at="2026-01-02T00:00:00+00:00",
)
EARLY, LATE = "2026-01-03T00:00:00+00:00", "2026-01-04T00:00:00+00:00"

_LINE = st.sampled_from(("", "a", "b", "c", "d", "- item", "## head"))
_MOMENT = st.sampled_from(("", "not a date", "2026-01-01T00:00:00+00:00", EARLY, LATE))
_WORD = st.sampled_from(("x", "y", "z"))
_EXTRAS = st.dictionaries(st.sampled_from(("mood", "source_url")), _WORD, max_size=2).map(
    lambda found: {key: f"{key}: {value}\n" for key, value in found.items()}
)


@st.composite
def _notes(draw: st.DrawFn) -> str:
    note = Memory(
        "N1",
        draw(st.sampled_from(("semantic", "episodic", "procedural"))),
        draw(_WORD),
        "\n".join(draw(st.lists(_LINE, max_size=6))),
        project=draw(_WORD),
        machine_id=draw(_WORD),
        tags=draw(st.lists(_WORD, max_size=3, unique=True)),
        supersedes=" ".join(draw(st.lists(st.sampled_from(("X1", "X2", "X3")), max_size=2, unique=True))),
        created_at=draw(_MOMENT),
        updated_at=draw(_MOMENT),
        prov_model=draw(st.sampled_from(("", "m1", "m2"))),
        confidence=draw(st.sampled_from((0.5, 1.0))),
    )
    return serialize(note, draw(_EXTRAS))


_BASES = st.one_of(st.none(), _notes())


@given(_BASES, _notes(), _notes())
def test_the_result_does_not_depend_on_which_side_is_called_ours(
    base: str | None, one: str, two: str
) -> None:
    assert merge_note(base, one, two) == merge_note(base, two, one)


@given(_BASES, _notes())
def test_a_version_merged_with_itself_is_itself(base: str | None, one: str) -> None:
    assert merge_note(base, one, one) == (one, False)


@given(_notes(), _notes())
def test_a_side_that_changed_nothing_changes_nothing(base: str, one: str) -> None:
    assert merge_note(base, base, one).text == one
    assert merge_note(base, one, base).text == one


@given(_BASES, _notes(), _notes())
def test_no_line_added_by_one_side_is_dropped(base: str | None, one: str, two: str) -> None:
    merged, old = _said(merge_note(base, one, two).text), _said(base)
    for side in (one, two):
        assert _said(side) - old <= merged


@given(_BASES, _notes(), _notes())
def test_a_merge_invents_no_line_and_keeps_what_both_sides_kept(base: str | None, one: str, two: str) -> None:
    merged = Counter(deserialize(merge_note(base, one, two).text).body.split("\n"))
    sides = [Counter(deserialize(side).body.split("\n")) for side in (one, two)]
    assert set(merged) <= set(sides[0]) | set(sides[1]) | {""}


@given(_BASES, _notes(), _notes())
def test_merging_the_result_with_a_side_that_lost_nothing_loses_nothing(
    base: str | None, one: str, two: str
) -> None:
    merged = merge_note(base, one, two)
    again = merge_note(base, merged.text, two)
    assert _said(merged.text) - _said(base) <= _said(again.text)


def _said(text: str | None) -> set[str]:
    """The non-empty lines of a body."""
    return {line for line in deserialize(text).body.split("\n") if line} if text else set()


@given(st.one_of(st.none(), st.text()), st.text(), st.text())
def test_any_text_merges_the_same_way_from_both_sides(base: str | None, one: str, two: str) -> None:
    assert merge_note(base, one, two) == merge_note(base, two, one)


def test_every_key_of_the_front_matter_has_a_rule() -> None:
    assert set(RULES) == set(FIELDS)


def _merge(ours: Memory, theirs: Memory, base: Memory | None = BASE) -> Memory:
    merged = merge_note(serialize(base) if base else None, serialize(ours), serialize(theirs))
    assert not merged.clash
    return deserialize(merged.text)


def test_tags_and_supersedes_are_sets_and_removals_count() -> None:
    ours = replace(BASE, tags=["a", "b", "c"], supersedes="X1 X2", updated_at=EARLY)
    theirs = replace(BASE, tags=["b", "d"], supersedes="X3", updated_at=LATE)
    merged = _merge(ours, theirs)
    assert merged.tags == ["b", "c", "d"]
    assert merged.supersedes == "X2 X3"


def test_created_at_is_the_earlier_and_updated_at_the_later() -> None:
    ours = replace(BASE, created_at="2026-01-01T00:00:00+00:00", updated_at=LATE)
    theirs = replace(BASE, updated_at=EARLY)
    merged = _merge(ours, theirs)
    assert merged.created_at == "2026-01-01T00:00:00+00:00"
    assert merged.updated_at == LATE


@pytest.mark.parametrize(
    ("key", "one", "two"),
    [
        ("type", "episodic", "procedural"),
        ("title", "First", "Second"),
        ("project", "p", "q"),
        ("machine_id", "desk", "lap"),
        ("scope", "machine-local", "portable"),
        ("prov_source", "import", "reflection"),
        ("prov_model", "m1", "m2"),
        ("prov_session", "s1", "s2"),
        ("confidence", 0.2, 0.4),
    ],
)
def test_a_scalar_comes_from_the_side_that_changed_it_or_the_later_of_both(
    key: str, one: object, two: object
) -> None:
    def with_value(value: object, moment: str) -> Memory:
        changed = replace(BASE, updated_at=moment)
        setattr(changed, key, value)
        return changed

    base_value = getattr(BASE, key)
    one_sided = _merge(with_value(one, EARLY), with_value(base_value, LATE))
    assert getattr(one_sided, key) == one
    if two != base_value:
        assert getattr(_merge(with_value(one, LATE), with_value(two, EARLY)), key) == one
        assert getattr(_merge(with_value(one, EARLY), with_value(two, LATE)), key) == two


def test_unknown_keys_are_merged_one_by_one_and_a_change_beats_a_removal() -> None:
    base = serialize(BASE, {"mood": "mood: calm\n", "link": "link: a\n", "old": "old: 1\n"})
    ours = serialize(
        replace(BASE, updated_at=EARLY), {"mood": "mood: glad\n", "link": "link: b\n", "new": "new: 1\n"}
    )
    theirs = serialize(replace(BASE, updated_at=LATE), {"link": "link: c\n", "old": "old: 1\n"})
    assert parse(merge_note(base, ours, theirs).text)[1] == {
        "link": "link: c\n",
        "mood": "mood: glad\n",
        "new": "new: 1\n",
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        ("ONE\ntwo\nthree\nfour", "one\nTWO\nthree\nfour", "ONE\nTWO\nthree\nfour"),
        ("ONE\ntwo\nthree\nfour", "one\ntwo\nthree\nfour\nfive", "ONE\ntwo\nthree\nfour\nfive"),
        ("one\nthree\nfour", "one\ntwo\nthree", "one\nthree"),
        (
            "one\ntwo\nthree\nfour\n\nmine",
            "one\ntwo\nthree\nfour\n\nyours",
            "one\ntwo\nthree\nfour\n\nmine\n\nyours",
        ),
        ("one\nnew\ntwo\nthree\nfour", "ONE\ntwo\nthree\nfour", "ONE\nnew\ntwo\nthree\nfour"),
        ("one\nTWO\nthree\nfour", "one\nTWO\nthree\nfour", "one\nTWO\nthree\nfour"),
        ("one", "one\ntwo", "one"),
    ],
)
def test_bodies_merge_line_by_line(ours: str, theirs: str, merged: str) -> None:
    found = _merge(replace(BASE, body=ours, updated_at=EARLY), replace(BASE, body=theirs, updated_at=LATE))
    assert found.body == merged


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("one\nMINE\nthree\nfour", "one\nYOURS\nthree\nfour", "one\nMINE\nYOURS\nthree\nfour"),
        ("one\nthree\nfour", "one\nYOURS\nthree\nfour", "one\nYOURS\nthree\nfour"),
        ("mine alone", "yours alone", "mine alone\nyours alone"),
    ],
)
def test_two_changes_to_the_same_lines_clash_and_both_are_offered(ours: str, theirs: str, both: str) -> None:
    sides = (
        serialize(replace(BASE, body=body, updated_at=at)) for body, at in ((ours, EARLY), (theirs, LATE))
    )
    merged = merge_note(serialize(BASE), *sides)
    assert merged.clash
    assert deserialize(merged.text).body == both


def test_without_an_ancestor_the_fuller_body_wins_and_different_ones_clash() -> None:
    fuller = replace(BASE, body="one\ntwo\nthree\nfour\nfive", tags=["z"], updated_at=LATE)
    merged = _merge(BASE, fuller, base=None)
    assert merged.body == fuller.body
    assert merged.tags == ["a", "b", "z"]
    other = serialize(replace(BASE, body="quite\ndifferent"))
    assert merge_note(None, serialize(BASE), other).clash


def test_two_captures_of_one_session_become_one_note_with_the_lines_of_both() -> None:
    captured = replace(BASE, prov_source="session-end", prov_session="s1", body="Ask: one\n\nOutcome: half")
    longer = replace(captured, machine_id="other", body="Ask: one\n\nOutcome: all", updated_at=LATE)
    merged = _merge(captured, longer, base=None)
    assert merged.machine_id == "other"
    assert merged.body == "Ask: one\n\nOutcome: half\n\nOutcome: all"
    elsewhere = serialize(replace(longer, prov_session="s2"))
    assert merge_note(None, serialize(captured), elsewhere).clash
    unnamed = [serialize(replace(note, prov_session="")) for note in (captured, longer)]
    assert merge_note(None, *unnamed).clash
    assert merge_note(serialize(BASE), serialize(captured), serialize(longer)).clash


def test_a_file_that_is_not_a_note_is_merged_by_lines() -> None:
    assert merge_note("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").text == "A\nb\nC\n"
    assert merge_note("a\n", "b\n", "c\n").clash


@given(st.one_of(st.none(), st.lists(_LINE)), st.lists(_LINE), st.lists(_LINE))
def test_keeping_both_keeps_every_line_of_both_sides_in_order(
    base: list[str] | None, one: list[str], two: list[str]
) -> None:
    kept = keep_both(base, one, two)
    assert set(kept) <= {*one, *two, ""}
    for side in (one, two):
        rest = iter(kept)
        assert all(line in rest for line in side)


def test_keeping_both_restores_what_one_side_deleted_or_changed() -> None:
    base, ours, theirs = (
        serialize(replace(BASE, body=body, updated_at=at)).encode()
        for body, at in (
            ("a\nb\nc\nd", EARLY),
            ("a\nMINE\nc", EARLY),
            ("a\nYOURS\nC\nd", LATE),
        )
    )
    both = keep_both_data(base, ours, theirs)
    assert deserialize(both.decode()).body == "a\nMINE\nYOURS\nc\nC\nd"
    assert both == keep_both_data(base, theirs, ours)


def test_bytes_that_are_not_utf_8_survive_a_merge() -> None:
    assert merge_data(b"a\n\xff\nc", b"A\n\xff\nc", b"a\n\xff\nC") == (b"A\n\xff\nC", False)
    assert merge_data(b"\xff", b"\xfe", b"\xfd")[1]


def test_a_body_of_thousands_of_equal_lines_is_merged_in_limited_time() -> None:
    base = ["x"] * 30_000
    merged = merge_lines(base, ["first", *base], [*base[:-2], "last"])
    assert merged.lines[0] == "first"
    assert merged.lines[-1] == "last"
    assert join_lines(base, ["y"] * 30_000).clash
