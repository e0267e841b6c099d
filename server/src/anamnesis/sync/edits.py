"""What one side did to a text: edits of lines or words, in one canonical form. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

from anamnesis.sync.passages import is_telling

_Item = TypeVar("_Item", bound=Hashable)
_MAX_PAIRS = 4_000_000  # equal pairs of items that may be compared; beyond, a stretch counts as replaced


class Edit(NamedTuple):
    """`lines` take the place of the base's lines from `start` to `end`; `second` tells whose edit it is."""

    start: int
    end: int
    lines: list[str]
    second: bool

    @property
    def is_insertion(self) -> bool:
        """Whether it removes no line."""
        return self.start == self.end


class Span(NamedTuple):
    """A stretch of two sequences: `is_same` on both, or the old one replaced by the new one."""

    is_same: bool
    start: int
    end: int
    new_start: int
    new_end: int


def edits_of(base: list[str], side: list[str], *, second: bool) -> Iterator[Edit]:
    """The edits that turn `base` into `side`, in order; n lines that replace n lines are n edits."""
    spans = list(spans_of(base, side, is_anchor=is_telling))
    for at, span in enumerate(spans):
        if span.is_same:
            continue
        following = spans[at + 1 : at + 3]
        # A line is left between two edits of one side, so that they stay two.
        room = following[0].end - following[0].start - (len(following) > 1) if following else 0
        if span.start < span.end and span.new_start < span.new_end:
            yield from _replacements(base, side, span, room, second=second)
        else:
            yield _slid(base, Edit(span.start, span.end, side[span.new_start : span.new_end], second), room)


def _slid(base: list[str], edit: Edit, room: int) -> Edit:
    """An insertion or deletion at the last of the places that give the same text.

    Without this one section, added on both sides, would be there twice when their edits around it differ.
    """
    moved = edit.lines or base[edit.start : edit.end]
    steps = 0
    while steps < room and base[edit.end + steps] == moved[steps % len(moved)]:
        steps += 1
    turn = steps % len(moved)
    lines = edit.lines[turn:] + edit.lines[:turn]
    return Edit(edit.start + steps, edit.end + steps, lines, edit.second)


def _replacements(base: list[str], side: list[str], span: Span, room: int, *, second: bool) -> Iterator[Edit]:
    """A replaced stretch, line by line where lines correspond: all of them, or similar ones at its ends."""
    start, end, new_start, new_end = span[1:]
    if end - start == new_end - new_start:
        for at, new_at in zip(range(start, end), range(new_start, new_end), strict=True):
            if base[at] != side[new_at]:
                yield Edit(at, at + 1, [side[new_at]], second)
        return
    while start < end and new_start < new_end and _are_similar(base[start], side[new_start]):
        yield Edit(start, start + 1, [side[new_start]], second)
        start, new_start = start + 1, new_start + 1
    tail: list[Edit] = []
    while start < end and new_start < new_end and _are_similar(base[end - 1], side[new_end - 1]):
        end, new_end = end - 1, new_end - 1
        tail.insert(0, Edit(end, end + 1, [side[new_end]], second))
    rest = Edit(start, end, side[new_start:new_end], second)
    if start < end and rest.lines:
        yield rest
    elif start < end or rest.lines:
        yield _slid(base, rest, 0 if tail else room)
    yield from tail


def _are_similar(old: str, new: str) -> bool:
    """Whether two lines have most of their words in common, so that one is an edit of the other."""
    ours, theirs = Counter(old.split()), Counter(new.split())
    shared = (ours & theirs).total()
    return shared * 2 > max(ours.total(), theirs.total())


def spans_of(
    old: Sequence[_Item], new: Sequence[_Item], *, is_anchor: Callable[[_Item], bool] | None = None
) -> Iterator[Span]:
    """Both sequences as stretches that are the same and stretches that differ, in turn.

    Equal items that are no anchors, such as closing brackets, correspond only next to some that are.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head:
        yield Span(True, 0, head, 0, head)
    yield from _middle(old[head : len(old) - tail], new[head : len(new) - tail], head, is_anchor)
    if tail:
        yield Span(True, len(old) - tail, len(old), len(new) - tail, len(new))


def _middle(
    old: Sequence[_Item], new: Sequence[_Item], head: int, is_anchor: Callable[[_Item], bool] | None
) -> Iterator[Span]:
    if not old and not new:
        return
    known = Counter(new)
    if sum(count * known[item] for item, count in Counter(old).items()) > _MAX_PAIRS:
        yield Span(False, head, head + len(old), head, head + len(new))
        return
    is_junk = None if is_anchor is None else lambda item: not is_anchor(item)
    for tag, a1, a2, b1, b2 in SequenceMatcher(is_junk, old, new, autojunk=False).get_opcodes():
        yield Span(tag == "equal", head + a1, head + a2, head + b1, head + b2)
