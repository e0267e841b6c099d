"""The line merge: what two machines insert, delete and move in one text."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.sync.lines import LineMerge, merge_lines
from anamnesis.sync.merge import merge_note

SECTIONS = ("## Desk\n\nchecked the pump\n\nDone.", "## Lap\n\nchecked the valve\n\nDone.")
FENCES = ("```sh\nmake desk\n```", "```sh\nmake lap\n```")
TABLES = ("| name | port |\n|---|---|\n| desk | 80 |", "| name | port |\n|---|---|\n| lap | 443 |")
LISTS = ("- milk\n- bread\n- salt", "- eggs\n- bread\n- salt")
FUNCTIONS = (
    "def desk():\n    try:\n        run()\n    finally:\n        close()\n    return None",
    "def lap():\n    try:\n        walk()\n    finally:\n        close()\n    return None",
)
YAML = (
    "desk:\n  cache:\n    enabled: true\n  retries: 3",
    "lap:\n  cache:\n    enabled: true\n  retries: 5",
)
PASSAGES = {
    "sections": SECTIONS,
    "fences": FENCES,
    "tables": TABLES,
    "lists": LISTS,
    "functions": FUNCTIONS,
    "yaml": YAML,
}


def merged(base: str, one: str, two: str) -> str:
    """The merge of both versions, which must not clash or depend on the order of the sides."""
    there, back = merge_note(base, one, two), merge_note(base, two, one)
    assert not there.clash
    assert there == back
    return there.text


@pytest.mark.parametrize("end", ["", "\n"], ids=["no newline", "newline"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"], ids=["next line", "blank line"])
@pytest.mark.parametrize("base", ["an intro", "an intro\n", "an intro\n\nmore\nDone."])
@pytest.mark.parametrize("kind", PASSAGES)
def test_two_appended_passages_both_stay_whole(kind: str, base: str, gap: str, end: str) -> None:
    one, two = PASSAGES[kind]
    text = merged(base, f"{base}{gap}{one}{end}", f"{base}{gap}{two}{end}")
    assert text.count(one) == 1
    assert text.count(two) == 1
    assert text.startswith(base.rstrip("\n"))
    assert text.endswith("\n") == bool(end)


@pytest.mark.parametrize("kind", PASSAGES)
def test_two_passages_appended_with_different_line_ends_both_stay_whole(kind: str) -> None:
    one, two = PASSAGES[kind]
    for ends in product(("", "\n", "\n\n"), repeat=2):
        text = merged("an intro\n", f"an intro\n\n{one}{ends[0]}", f"an intro\n\n{two}{ends[1]}")
        assert f"\n\n{one}" in text
        assert f"\n\n{two}" in text


@pytest.mark.parametrize("kind", PASSAGES)
def test_two_passages_inserted_in_the_middle_both_stay_whole(kind: str) -> None:
    one, two = PASSAGES[kind]
    text = merged(
        "above\n\nbelow\nDone.", f"above\n\n{one}\n\nbelow\nDone.", f"above\n\n{two}\n\nbelow\nDone."
    )
    assert sorted(text.split("\n")) == sorted(f"above\n\n{one}\n\n{two}\n\nbelow\nDone.".split("\n"))
    assert one in text
    assert two in text


@pytest.mark.parametrize("kind", PASSAGES)
def test_two_passages_written_into_an_empty_text_both_stay_whole(kind: str) -> None:
    one, two = PASSAGES[kind]
    assert merged("", one, two) in (f"{one}\n\n{two}", f"{two}\n\n{one}")


def test_the_same_passage_added_on_both_sides_is_kept_once() -> None:
    one = "intro\n\n## New\ntext"
    assert merged("intro", one, one) == one
    assert merged("intro", one, f"{one}\nand more") == f"{one}\nand more"
    # Even if one side changed something next to it.
    assert (
        merged("as of old\n\nlast", "as of old\n\n## New\ntext\n\nlast", "as of now\n\n## New\ntext\n\nlast")
        == "as of now\n\n## New\ntext\n\nlast"
    )


def test_whole_paragraphs_that_both_sides_added_are_kept_once() -> None:
    assert merged("intro", "intro\n\nsame", "intro\n\nother\n\nsame") == "intro\n\nother\n\nsame"


def test_a_line_that_the_other_side_has_in_another_context_is_kept() -> None:
    base = "```yaml\nserver:\n  port: 1\n```"
    text = merged(
        base,
        "```yaml\nserver:\n  port: 1\n  enabled: true\n```",
        "```yaml\nserver:\n  port: 1\ncache:\n  enabled: true\n```",
    )
    assert text.count("  enabled: true") == 2


def test_fences_and_brackets_do_not_align_lines() -> None:
    base = "# N\n\n```\na\n```\n\n```\nb\n```"
    one = "# N\n\n```\nb\n```\n\n```\nc\nd\n```"
    assert merged(base, one, base.replace("b\n", "b\nB\n")) == one.replace("b\n", "b\nB\n")


def test_a_passage_that_continues_the_text_above_stays_next_to_it() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    for one, two in (("| 3 | 4 |", "\nzebra"), ("| 3 | 4 |", "\nA paragraph."), ("zz", "## Heading\ntext")):
        assert merged(table, f"{table}\n{one}", f"{table}\n{two}") == f"{table}\n{one}\n{two}"


def test_a_passage_that_leads_into_the_text_below_stays_next_to_it() -> None:
    text = merged("# T\n- b", "# T\n- a\n- b", "# T\n\nAbout.\n\n- b")
    assert text == "# T\n\nAbout.\n\n- a\n- b"


# Any texts at all.

_LINE = st.sampled_from(("", "a", "b", "Done.", "```", "- item", "## head", "    return None"))
_LINES = st.lists(_LINE, max_size=8)
_INSERTED = st.lists(_LINE, min_size=1, max_size=5)


@given(st.integers(0, 5), st.integers(0, 5), _INSERTED, _INSERTED)
def test_two_insertions_are_both_in_the_result_in_one_piece(
    at: int, other_at: int, one: list[str], two: list[str]
) -> None:
    base = [f"base {number}" for number in range(5)]
    first, second = [*base[:at], *one, *base[at:]], [*base[:other_at], *two, *base[other_at:]]
    result = merge_lines(base, first, second)
    assert not result.clash
    assert [line for line in result.lines if line in base] == base
    for lines in (one, two):
        assert _is_in_one_piece(lines, result.lines)
    if at != other_at:
        assert Counter(result.lines) == Counter([*base, *one, *two])


def _is_in_one_piece(piece: list[str], lines: list[str]) -> bool:
    return any(lines[at : at + len(piece)] == piece for at in range(len(lines)))


@given(_LINES, _INSERTED, _INSERTED, st.data())
def test_insertions_anywhere_keep_every_line_as_often_as_written(
    base: list[str], one: list[str], two: list[str], data: st.DataObject
) -> None:
    spots = [data.draw(st.integers(0, len(base))) for _ in range(2)]
    first, second = ([*base[:at], *lines, *base[at:]] for at, lines in zip(spots, (one, two), strict=True))
    result = merge_lines(base, first, second)
    assert not result.clash
    assert not Counter(first) - Counter(result.lines)
    assert not Counter(second) - Counter(result.lines)


@given(_LINES, _LINES, _LINES)
def test_a_clean_merge_loses_no_added_line(base: list[str], first: list[str], second: list[str]) -> None:
    result = merge_lines(base, first, second)
    for side in (first, second):
        assert {*side} - {*base} - {""} <= {*result.lines}


@given(_LINES, _LINES)
def test_if_one_side_changed_nothing_the_other_side_wins(base: list[str], side: list[str]) -> None:
    assert merge_lines(base, base, side) == (side, False)
    assert merge_lines(base, side, base) == (side, False)
    assert merge_lines(base, side, side) == (side, False)


@given(st.lists(st.integers(0, 99), unique=True, max_size=9), st.data())
def test_deletions_of_both_sides_are_honoured(numbers: list[int], data: st.DataObject) -> None:
    base = [f"line {number}" for number in numbers]
    gone = [set(data.draw(st.lists(st.sampled_from(base), unique=True))) if base else set() for _ in range(2)]
    first, second = ([line for line in base if line not in lines] for lines in gone)
    assert merge_lines(base, first, second) == (
        [line for line in base if line not in gone[0] | gone[1]],
        False,
    )


# Moved lines.


@pytest.mark.parametrize(
    ("base", "deleted", "moved"),
    [
        ("a\nL\nb\nc", "a\nb\nc", "a\nb\nc\nL"),
        ("a\nL\nb\nc", "a\nb\nc", "a\nb\nc\nL\nnew"),
        ("## X\ntext\nDone.\n\nlast\npart", "last\npart", "last\npart\n\n## Y\nother\nmore\nDone."),
    ],
)
def test_what_one_side_moved_or_wrote_anew_stays_although_the_other_deleted_its_old_place(
    base: str, deleted: str, moved: str
) -> None:
    assert merged(base, deleted, moved) == moved


def test_a_line_that_both_sides_moved_is_not_lost() -> None:
    text = merged("a\nL\nb\nc\nd", "L\na\nb\nc\nd", "a\nb\nc\nd\nL")
    assert "L" in text.split("\n")


@given(st.permutations([f"line {number}" for number in range(7)]), st.sets(st.integers(0, 6), min_size=1))
def test_no_line_is_lost_that_one_side_moved_and_the_other_kept(moved: list[str], deleted: set[int]) -> None:
    base = [f"line {number}" for number in range(7)]
    first = [line for at, line in enumerate(base) if at not in deleted]
    assert set(first) <= set(merge_lines(base, first, moved).lines)


# Where two edits meet.


def merge(base: str, one: str, two: str) -> LineMerge:
    """The merge of both versions, checked in both orders."""
    there, back = (
        merge_lines(*(text.split("\n") for text in order)) for order in ((base, one, two), (base, two, one))
    )
    assert there == back
    return there


def test_a_reworded_line_before_a_deleted_one_merges_with_an_addition() -> None:
    result = merge("fill the tank up\nold hint", "fill the tank up now", "fill the tank up\nold hint\nmore")
    assert result == LineMerge(["fill the tank up now", "more"], clash=False)


def test_a_new_passage_that_repeats_a_line_deleted_elsewhere_stays_whole() -> None:
    base, new = "stop the pump\nclose the valve", "read the gauge\nclose the valve\nwrite it down"
    assert merge(base, "stop the pump", f"{new}\nstop the pump").lines == f"{new}\nstop the pump".split("\n")


@pytest.mark.parametrize("above", ["", "intro\n", "intro\n\nmore\n"])
def test_the_fuller_of_two_new_texts_for_the_same_lines_wins(above: str) -> None:
    result = merge(f"{above}old text", f"{above}new text\nmore of it", f"{above}new text")
    assert result == LineMerge(f"{above}new text\nmore of it".split("\n"), clash=False)


@pytest.mark.parametrize("above", ["", "intro\n", "intro\n\nmore\n"])
def test_a_text_replaced_here_and_extended_there_clashes_even_if_one_contains_the_other(
    above: str,
) -> None:
    kept = f"{above}first line\nother line"
    result = merge(kept, f"{above}first line\nfresh\nnew\nother line", f"{above}fresh")
    assert result.clash


def test_a_new_heading_stays_above_its_text_when_a_paragraph_is_added_there() -> None:
    result = merge("the text", "# Heading\nthe text", "a paragraph\n\nthe text")
    assert result == LineMerge(["a paragraph", "", "# Heading", "the text"], clash=False)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("seals sleep", "old\n\nwhales sing\nseals sleep"),
        ("whales sing\n\nseals sleep", "old\n\nwhales sing\n\nseals sleep\nin the sun"),
    ],
    ids=["end of a passage", "start of a passage"],
)
def test_a_new_passage_is_kept_even_if_another_happens_to_contain_its_lines(short: str, long: str) -> None:
    base, one, two = (text.split("\n") for text in ("intro\n", f"intro\n\n{short}", f"intro\n\n{long}"))
    for sides in ((one, two), (two, one)):
        result = merge_lines(base, *sides)
        assert not result.clash
        assert f"\n\n{short}" in "\n".join(result.lines).replace(f"\n\n{long}", "")


def test_a_new_passage_below_the_others_blank_line_is_kept_once() -> None:
    result = merge("intro\n", "intro\n\nseals sleep", "intro\n\n\nseals sleep\n\nwhales sing")
    assert result.lines.count("seals sleep") == 1
