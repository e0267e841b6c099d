"""Three-way merge of lines. Pure and symmetric.

Edits of different lines always merge, even if the lines are adjacent. Two insertions at the same place are
both kept whole, one below the other. A line that one side moved and the other deleted stays in its new place.
The sides clash only if both changed the same lines differently; the result then has both variants, one below
the other, and never a conflict marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

_HEADING = re.compile(r"#{1,6}\s")
_MAX_PAIRS = 4_000_000  # equal pairs of items to compare; with more, a span counts as replaced


class LineMerge(NamedTuple):
    """The merged lines, and whether some of them are two variants of a clash."""

    lines: list[str]
    clash: bool


def merge_lines(base: list[str], first: list[str], second: list[str]) -> LineMerge:
    """Merge both sides' changes."""
    clashes: list[int] = []

    def _settled(group: list[Edit], start: int, end: int) -> list[str]:
        lines = _agreed(base, group, start, end)
        if lines is None:
            clashes.append(start)
            lines = _variants(*_sides(base, group, start, end))
        return lines

    merged = _merged(base, first, second, _settled)
    return LineMerge(merged, bool(clashes))


def join_lines(first: list[str], second: list[str]) -> LineMerge:
    """Merge without a common ancestor; clean only if one side contains all lines of the other."""
    larger = _superset(first, second)
    return LineMerge(_union(first, second), clash=True) if larger is None else LineMerge(larger, clash=False)


def keep_both(base: list[str] | None, first: list[str], second: list[str]) -> list[str]:
    """Every line of both sides, as often as either has it, each side in its order.

    Lines that one side changed or deleted are kept in both forms.
    """
    larger = _superset(first, second)
    if larger is not None:
        return larger
    if base is None:
        return _union(first, second)

    def _both(group: list[Edit], start: int, end: int) -> list[str]:
        sides = _sides(base, group, start, end)
        return _both_inserted(base, start, *sides) if start == end else _variants(*sides)

    return _merged(base, first, second, _both)


def _merged(
    base: list[str], first: list[str], second: list[str], settle: Callable[[list[Edit], int, int], list[str]]
) -> list[str]:
    """The base with both sides' edits; `settle` gives the lines for each group of them."""
    merged: list[Edit] = []
    edits = [*_edits_of(base, first, second=False), *_edits_of(base, second, second=True)]
    for group in _groups(edits):
        start, end = group[0].start, max(edit.end for edit in group)
        merged.append(Edit(start, end, settle(group, start, end), second=False))
    return _applied(base, merged, 0, len(base))


def _groups(edits: list[Edit]) -> Iterator[list[Edit]]:
    """Group the edits that touch the same lines or insert at the same place."""
    group: list[Edit] = []
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end, edit.second)):
        is_same_spot = (
            group and edit.is_insertion and group[-1].is_insertion and edit.start == group[-1].start
        )
        if group and edit.start >= end and not is_same_spot:
            yield group
            group = []
        group.append(edit)
        end = max(end, edit.end)
    if group:
        yield group


def _agreed(base: list[str], group: list[Edit], start: int, end: int) -> list[str] | None:
    """The merged lines for one group of edits; None if the sides clash there."""
    first, second = _sides(base, group, start, end)
    if len({edit.second for edit in group}) == 1:
        return second if group[0].second else first
    if first == second:
        return first
    if start == end:
        return _both_inserted(base, start, first, second)
    if not any(edit.lines for edit in group):
        gone = {at for edit in group for at in range(edit.start, edit.end)}
        return [base[at] for at in range(start, end) if at not in gone]
    return _superset(first, second) if first and second and _is_rewritten(group, end - start) else None


def _is_rewritten(group: list[Edit], length: int) -> bool:
    """Whether each side replaced every line of the group."""
    replaced = [sum(edit.end - edit.start for edit in group if edit.second is side) for side in (False, True)]
    return replaced == [length, length]


def _sides(base: list[str], group: list[Edit], start: int, end: int) -> tuple[list[str], list[str]]:
    """The lines from `start` to `end` in the first side's and the second side's version."""
    first, second = (
        _applied(base, [edit for edit in group if edit.second is side], start, end) for side in (False, True)
    )
    return first, second


def _applied(base: list[str], edits: Iterable[Edit], start: int, end: int) -> list[str]:
    """The lines of the base from `start` to `end` with these edits."""
    merged: list[str] = []
    at = start
    for edit in edits:
        merged += [*base[at : edit.start], *edit.lines]
        at = edit.end
    return merged + base[at:end]


def _variants(first: list[str], second: list[str]) -> list[str]:
    return _superset(first, second) or [*first, *second]


def _union(first: list[str], second: list[str]) -> list[str]:
    """Every line of both sides: shared passages once, others whole, the first side's above."""
    one, two = _passages(first), _passages(second)
    merged: list[str] = []
    for span in _spans_of(one, two):
        for passage in one[span.start : span.end] + (
            [] if span.is_same else two[span.new_start : span.new_end]
        ):
            lines = passage.split("\n")
            merged += ["", *lines] if merged and merged[-1].strip() and lines[0].strip() else lines
    return merged


def _superset(first: list[str], second: list[str]) -> list[str] | None:
    """The side that contains all of the other's lines, in order; None if neither does."""
    if _holds(first, second):
        return first
    return second if _holds(second, first) else None


def _holds(larger: list[str], smaller: list[str]) -> bool:
    rest = iter(larger)
    return len(smaller) <= len(larger) and all(line in rest for line in smaller)


def _both_inserted(base: list[str], at: int, first: list[str], second: list[str]) -> list[str]:
    """Both insertions before line `at`, each in one piece; only the larger one if it contains the other."""
    above, below = base[at - 1] if at else None, base[at] if at < len(base) else None
    smaller, larger = sorted((first, second), key=len)
    if not smaller or _is_part(smaller, larger, above):
        return larger
    if _order(above, below, second) < _order(above, below, first):
        first, second = second, first
    return [*first, *([""] if _needs_gap(above, below, first, second) else []), *second]


def _is_part(smaller: list[str], larger: list[str], above: str | None) -> bool:
    """Whether `larger` contains all of `smaller` in the same context: at its start, or as separate passages.

    A line in the middle of a passage may match by accident and mean something else there.
    """
    if larger[: len(smaller)] == smaller:
        return True
    if all(map(_is_bare, smaller)) or not _starts_passage(above, smaller[0]):
        return False
    size = len(smaller)
    return any(
        larger[at : at + size] == smaller
        and _starts_passage(larger[at - 1], smaller[0])
        and (at + size == len(larger) or _starts_passage(smaller[-1], larger[at + size]))
        for at in range(1, len(larger) - size + 1)
    )


def _order(above: str | None, below: str | None, lines: list[str]) -> int:
    """Keep a continuation of the text above next to it, and a lead-in to the text below next to that."""
    if _continues(above) and _continues(lines[0]):
        return 0
    return 2 if _continues(below) and lines[-1].strip() else 1


def _needs_gap(above: str | None, below: str | None, first: list[str], second: list[str]) -> bool:
    """Whether two separate passages need a blank line between them."""
    stood_alone = not (above or "").strip() and not _continues(below)
    return stood_alone and bool(first[-1].strip() and second[0].strip())


def _is_bare(line: str) -> bool:
    """Whether a line has no content of its own: a bracket, a rule or a blank line."""
    return not any(map(str.isalnum, line))


def _continues(line: str | None) -> bool:
    """Whether a line belongs with the lines next to it: it is neither blank nor a heading."""
    return line is not None and bool(line.strip()) and not _HEADING.match(line)


def _starts_passage(above: str | None, line: str) -> bool:
    """Whether a line below `above` (None: nothing) starts something new."""
    return not _continues(above) or not _continues(line)


def _passages(lines: list[str]) -> list[str]:
    """The text split above each blank line: paragraphs, lists, tables."""
    passages: list[list[str]] = []
    for line in lines:
        if not passages or (not line.strip() and any(map(str.strip, passages[-1]))):
            passages.append([])
        passages[-1].append(line)
    return ["\n".join(passage) for passage in passages]


class Edit(NamedTuple):
    """`lines` replace the base's lines from `start` to `end`; `second`: it is the second side's edit."""

    start: int
    end: int
    lines: list[str]
    second: bool

    @property
    def is_insertion(self) -> bool:
        """Whether it removes no line."""
        return self.start == self.end


class Span(NamedTuple):
    """A span of two sequences: the same in both, or replaced."""

    is_same: bool
    start: int
    end: int
    new_start: int
    new_end: int


def _edits_of(base: list[str], side: list[str], *, second: bool) -> Iterator[Edit]:
    """The edits that turn `base` into `side`, in order; n lines that replace n lines are n edits."""
    spans = list(_spans_of(base, side))
    for at, span in enumerate(spans):
        if span.is_same:
            continue
        following = spans[at + 1 : at + 3]
        # Keep one line between two edits of one side, so that they stay separate.
        room = following[0].end - following[0].start - (len(following) > 1) if following else 0
        edit = Edit(span.start, span.end, side[span.new_start : span.new_end], second)
        yield from _split(base, edit, room)


def _split(base: list[str], edit: Edit, room: int) -> Iterator[Edit]:
    """An edit, split into lines where they correspond: all of them, or similar ones at its start."""
    size, done = edit.end - edit.start, 0
    for done, (old, new) in enumerate(zip(base[edit.start : edit.end], edit.lines, strict=False)):
        if size != len(edit.lines) and not _are_similar(old, new):
            break
        if old != new:
            yield Edit(edit.start + done, edit.start + done + 1, [new], edit.second)
    else:
        done = min(size, len(edit.lines))
    rest = Edit(edit.start + done, edit.end, edit.lines[done:], edit.second)
    if rest.lines and not rest.is_insertion:
        yield rest
    elif rest.lines or not rest.is_insertion:
        yield _moved_down(base, rest, room)


def _are_similar(old: str, new: str) -> bool:
    """Whether two lines share most of their words, so that one is an edit of the other."""
    ours, theirs = Counter(old.split()), Counter(new.split())
    return (ours & theirs).total() * 2 > max(ours.total(), theirs.total())


def _moved_down(base: list[str], edit: Edit, room: int) -> Edit:
    """An insertion or deletion moved to the last place that gives the same text.

    Otherwise a section that both sides added would appear twice if their edits around it differ.
    """
    moved = edit.lines or base[edit.start : edit.end]
    steps = 0
    while steps < room and base[edit.end + steps] == moved[steps % len(moved)]:
        steps += 1
    turn = steps % len(moved)
    lines = edit.lines[turn:] + edit.lines[:turn]
    return Edit(edit.start + steps, edit.end + steps, lines, edit.second)


def _spans_of(old: list[str], new: list[str]) -> Iterator[Span]:
    """Both sequences as alternating equal and different spans.

    Equal items without content, such as closing brackets, match only next to others.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head:
        yield Span(True, 0, head, 0, head)
    yield from _middle(old[head : len(old) - tail], new[head : len(new) - tail], head)
    if tail:
        yield Span(True, len(old) - tail, len(old), len(new) - tail, len(new))


def _middle(old: list[str], new: list[str], head: int) -> Iterator[Span]:
    known = Counter(new)
    if sum(count * known[item] for item, count in Counter(old).items()) > _MAX_PAIRS:
        yield Span(False, head, head + len(old), head, head + len(new))
        return
    for tag, a1, a2, b1, b2 in SequenceMatcher(_is_bare, old, new, autojunk=False).get_opcodes():
        yield Span(tag == "equal", head + a1, head + a2, head + b1, head + b2)
