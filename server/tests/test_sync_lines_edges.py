"""The line merge where two edits meet: which one wins, and when both are offered."""

from __future__ import annotations

import pytest

from anamnesis.sync.lines import LineMerge, merge_lines


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


@pytest.mark.parametrize(
    ("moved", "deleted"),
    [
        ("intro\noutro\nstep one\nstep 2b\nstep three", "intro\noutro"),
        ("step one\na new step\nintro", "intro"),
    ],
)
def test_a_passage_moved_with_changes_and_deleted_elsewhere_clashes(moved: str, deleted: str) -> None:
    result = merge("intro\nstep one\nstep two\nstep three\noutro", moved, deleted)
    assert result.clash
    assert set(moved.split("\n")) <= set(result.lines)


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
