"""Three-way merge of lines. Pure, and indifferent to which side is called which.

Edits of different lines always merge, also next to each other. Insertions at one spot are both kept, the
first side's above the second's. Only where both sides changed the same lines in different ways do they
clash; there the result holds both variants, common lines once, and never a conflict marker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_MAX_PAIRS = 4_000_000  # equal pairs of lines that may be compared; beyond, a stretch counts as replaced


class LineMerge(NamedTuple):
    """The merged lines, and whether some of them are two variants of one place."""

    lines: list[str]
    clash: bool


class _Edit(NamedTuple):
    start: int
    end: int
    lines: list[str]
    second: bool

    @property
    def is_insertion(self) -> bool:
        """Whether it takes no line away."""
        return self.start == self.end


def merge_lines(base: list[str], first: list[str], second: list[str]) -> LineMerge:
    """Bring the changes of both sides together."""
    edits = [*_edits(base, first, second=False), *_edits(base, second, second=True)]
    merged: list[str] = []
    clash = False
    at = 0
    for group in _groups(sorted(edits, key=lambda edit: (edit.start, edit.end, edit.second))):
        start, end = group[0].start, max(edit.end for edit in group)
        merged += base[at:start]
        lines, clashed = _settle(base, group, start, end)
        merged += lines
        clash = clash or clashed
        at = end
    return LineMerge(merged + base[at:], clash)


def join_lines(first: list[str], second: list[str]) -> LineMerge:
    """Merge without a common ancestor: clean only when one side holds all of the other."""
    larger = _superset(first, second)
    return LineMerge(union(first, second), clash=True) if larger is None else LineMerge(larger, clash=False)


def union(first: list[str], second: list[str]) -> list[str]:
    """Every line of both sides, what they share once; blank lines stay with the text they stand before."""
    larger = _superset(first, second)
    if larger is not None:
        return larger
    # Two paragraphs share the blank line above them only by accident.
    keys = [(side, at) if not line.strip() else line for side, at, line in _numbered(first, second)]
    one, two = keys[: len(first)], keys[len(first) :]
    merged: list[str] = []
    for same, a1, a2, b1, b2 in _opcodes(one, two):
        merged += first[a1:a2]
        if not same:
            merged += second[b1:b2]
    return merged


def _numbered(first: list[str], second: list[str]) -> Iterator[tuple[int, int, str]]:
    for side, lines in enumerate((first, second)):
        for at, line in enumerate(lines):
            yield side, at, line


def _edits(base: list[str], side: list[str], *, second: bool) -> Iterator[_Edit]:
    """What a side did to the base; a replacement of n lines by n lines counts line by line."""
    for same, a1, a2, b1, b2 in _opcodes(base, side):
        if same:
            continue
        if a2 - a1 == b2 - b1:
            for step in range(a2 - a1):
                yield _Edit(a1 + step, a1 + step + 1, [side[b1 + step]], second)
        else:
            yield _Edit(a1, a2, side[b1:b2], second)


def _groups(edits: list[_Edit]) -> Iterator[list[_Edit]]:
    """Edits that touch the same lines, or insert at the same spot, together."""
    group: list[_Edit] = []
    end = 0
    for edit in edits:
        if group and not (edit.start < end or _are_one_spot(group[-1], edit)):
            yield group
            group = []
        group.append(edit)
        end = max(end, edit.end)
    if group:
        yield group


def _are_one_spot(one: _Edit, other: _Edit) -> bool:
    return one.is_insertion and other.is_insertion and one.start == other.start


def _settle(base: list[str], group: list[_Edit], start: int, end: int) -> tuple[list[str], bool]:
    """The lines of one touched stretch, and whether the sides clash there."""
    sides = [[edit for edit in group if edit.second is second] for second in (False, True)]
    if not sides[0] or not sides[1]:
        return _applied(base, group, start, end), False
    first, second = (_applied(base, side, start, end) for side in sides)
    if first == second:
        return first, False
    if start == end:
        return union(first, second), False
    if not any(edit.lines for edit in group):
        gone = {at for edit in group for at in range(edit.start, edit.end)}
        return [base[at] for at in range(start, end) if at not in gone], False
    rewritten = all(sum(edit.end - edit.start for edit in side) == end - start for side in sides)
    larger = _superset(first, second) if rewritten and first and second else None
    return (union(first, second), True) if larger is None else (larger, False)


def _applied(base: list[str], edits: list[_Edit], start: int, end: int) -> list[str]:
    lines: list[str] = []
    at = start
    for edit in edits:
        lines += base[at : edit.start] + edit.lines
        at = edit.end
    return lines + base[at:end]


def _superset(first: list[str], second: list[str]) -> list[str] | None:
    """The side that holds the other's lines, all of them and in order."""
    if _holds(first, second):
        return first
    return second if _holds(second, first) else None


def _holds(larger: list[str], smaller: list[str]) -> bool:
    rest = iter(larger)
    return len(smaller) <= len(larger) and all(line in rest for line in smaller)


def _opcodes(old: Sequence[object], new: Sequence[object]) -> Iterator[tuple[bool, int, int, int, int]]:
    """(is the same, old start, old end, new start, new end) over both sequences."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    yield True, 0, head, 0, head
    yield from _middle(old, new, head, len(old) - tail, len(new) - tail)
    yield True, len(old) - tail, len(old), len(new) - tail, len(new)


def _middle(
    old: Sequence[object], new: Sequence[object], head: int, old_end: int, new_end: int
) -> Iterator[tuple[bool, int, int, int, int]]:
    ours, theirs = old[head:old_end], new[head:new_end]
    if not ours and not theirs:
        return
    known = Counter(theirs)
    if sum(count * known[line] for line, count in Counter(ours).items()) > _MAX_PAIRS:
        yield False, head, old_end, head, new_end
        return
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        yield tag == "equal", head + a1, head + a2, head + b1, head + b2
