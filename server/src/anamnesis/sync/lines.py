"""Three-way merge of lines. Pure, and the same whichever side is called which.

Edits of different lines always merge, also next to each other. Two insertions at one spot both stay whole,
one below the other. A line that one side deleted and the other moved stays deleted. Only where both sides
changed the same lines in different ways do they clash; there the result holds both variants, one below the
other, and never a conflict marker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anamnesis.sync.edits import Edit, edits_of, spans_of
from anamnesis.sync.insertions import both_inserted, spot_at
from anamnesis.sync.moves import honour_deletions
from anamnesis.sync.passages import blocks_of, fenced
from anamnesis.sync.words import merge_prose


class LineMerge(NamedTuple):
    """The merged lines, and whether some of them are two variants of one place."""

    lines: list[str]
    clash: bool


def merge_lines(base: list[str], first: list[str], second: list[str], *, prose: bool = False) -> LineMerge:
    """Bring the changes of both sides together; in `prose`, long lines get a second look word by word."""
    ours, theirs = list(edits_of(base, first, second=False)), list(edits_of(base, second, second=True))
    ours, theirs, clash = honour_deletions(base, ours, theirs)
    code = _code_lines(base, first, second) if prose else frozenset()
    merged: list[str] = []
    at = 0
    for group in _groups([*ours, *theirs]):
        start, end = group[0].start, max(edit.end for edit in group)
        lines = _agreed(base, group, start, end)
        if lines is None and prose:
            lines = _merged_words(base, group, start, end, code)
        if lines is None:
            clash = True
            lines = _variants(*_sides(base, group, start, end))
        merged += base[at:start] + lines
        at = end
    return LineMerge(merged + base[at:], clash)


def join_lines(first: list[str], second: list[str]) -> LineMerge:
    """Merge without a common ancestor: clean only when one side holds all of the other."""
    larger = _superset(first, second)
    return LineMerge(_union(first, second), clash=True) if larger is None else LineMerge(larger, clash=False)


def keep_both(base: list[str] | None, first: list[str], second: list[str]) -> list[str]:
    """Every line of both sides as often as either has it, each side in its order.

    What one side changed or deleted and the other left alone is there in both forms.
    """
    larger = _superset(first, second)
    if larger is not None:
        return larger
    if base is None:
        return _union(first, second)
    merged: list[str] = []
    at = 0
    edits = [*edits_of(base, first, second=False), *edits_of(base, second, second=True)]
    for group in _groups(edits):
        start, end = group[0].start, max(edit.end for edit in group)
        sides = _sides(base, group, start, end)
        both = both_inserted(spot_at(base, start), *sides) if start == end else _variants(*sides)
        merged += base[at:start] + both
        at = end
    return merged + base[at:]


def _groups(edits: list[Edit]) -> Iterator[list[Edit]]:
    """Edits that touch the same lines, or insert at the same spot, together."""
    group: list[Edit] = []
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end, edit.second)):
        if group and not (edit.start < end or _are_one_spot(group[-1], edit)):
            yield group
            group = []
        group.append(edit)
        end = max(end, edit.end)
    if group:
        yield group


def _are_one_spot(one: Edit, other: Edit) -> bool:
    return one.is_insertion and other.is_insertion and one.start == other.start


def _agreed(base: list[str], group: list[Edit], start: int, end: int) -> list[str] | None:
    """The lines of one touched stretch; None when the sides clash there."""
    first, second = _sides(base, group, start, end)
    if len({edit.second for edit in group}) == 1:
        return second if group[0].second else first
    if first == second:
        return first
    if start == end:
        return both_inserted(spot_at(base, start), first, second)
    if not any(edit.lines for edit in group):
        gone = {at for edit in group for at in range(edit.start, edit.end)}
        return [base[at] for at in range(start, end) if at not in gone]
    return _superset(first, second) if first and second and _is_rewritten(group, end - start) else None


def _is_rewritten(group: list[Edit], length: int) -> bool:
    """Whether each side replaced every line of the stretch."""
    replaced = [sum(edit.end - edit.start for edit in group if edit.second is side) for side in (False, True)]
    return replaced == [length, length]


def _sides(base: list[str], group: list[Edit], start: int, end: int) -> tuple[list[str], list[str]]:
    """One touched stretch as the first side and as the second side has it."""
    first, second = (
        _applied(base, [edit for edit in group if edit.second is side], start, end) for side in (False, True)
    )
    return first, second


def _applied(base: list[str], edits: list[Edit], start: int, end: int) -> list[str]:
    lines: list[str] = []
    at = start
    for edit in edits:
        lines += base[at : edit.start] + edit.lines
        at = edit.end
    return lines + base[at:end]


def _variants(first: list[str], second: list[str]) -> list[str]:
    return _superset(first, second) or [*first, *second]


def _merged_words(
    base: list[str], group: list[Edit], start: int, end: int, code: frozenset[str]
) -> list[str] | None:
    """One long line of prose that both sides edited in different places; None for anything else."""
    if len(group) != 2 or any((edit.start, edit.end, len(edit.lines)) != (start, end, 1) for edit in group):
        return None
    line, first, second = base[start], group[0].lines[0], group[1].lines[0]
    if end - start != 1 or code & {line, first, second}:
        return None
    merged = merge_prose(line, first, second)
    return None if merged is None else [merged]


def _code_lines(*texts: list[str]) -> frozenset[str]:
    """Every line that is inside a code fence in one of the texts."""
    return frozenset(
        line for text in texts for line, is_code in zip(text, fenced(text), strict=True) if is_code
    )


def _union(first: list[str], second: list[str]) -> list[str]:
    """Every line of both sides: shared passages once, the others whole and the first side's above."""
    one, two = blocks_of(first), blocks_of(second)
    merged: list[str] = []
    for span in spans_of(one, two):
        blocks = one[span.start : span.end] + ([] if span.is_same else two[span.new_start : span.new_end])
        for block in blocks:
            merged += ["", *block] if merged and merged[-1].strip() and block[0].strip() else block
    return merged


def _superset(first: list[str], second: list[str]) -> list[str] | None:
    """The side that holds the other's lines, all of them and in order."""
    if _holds(first, second):
        return first
    return second if _holds(second, first) else None


def _holds(larger: list[str], smaller: list[str]) -> bool:
    rest = iter(larger)
    return len(smaller) <= len(larger) and all(line in rest for line in smaller)
