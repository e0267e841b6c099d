"""What one side did to a text: edits of lines or words in one canonical form, and which lines it moved. Pure.

A line counts as moved if a side removed it in one place and inserted it in another. A moved line that the
other side deleted stays deleted. If one side deleted a passage and the other changed it while moving it, that
is a clash, because both changes are deliberate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_Item = TypeVar("_Item", bound=Hashable)
_MAX_PAIRS = 4_000_000  # equal pairs of items to compare; with more, a span counts as replaced
_MAX_WORK = 4_000_000  # steps of a search for moved lines; with more, none counts as moved


def has_content(line: str) -> bool:
    """Whether a line has content of its own, unlike a bracket, a rule or a blank line."""
    return any(map(str.isalnum, line))


def continues(line: str | None) -> bool:
    """Whether a line belongs with the lines next to it: it is neither blank nor a heading."""
    return line is not None and bool(line.strip()) and not _HEADING.match(line)


def starts_passage(above: str | None, line: str) -> bool:
    """Whether a line below `above` (None: nothing) starts something new."""
    return not continues(above) or not continues(line)


def fenced(lines: list[str]) -> Iterator[bool]:
    """For each line, whether it is inside a code fence; the fence's own lines are not."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield False
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
            yield False
        else:
            yield bool(fence)


def blocks_of(lines: list[str]) -> list[tuple[str, ...]]:
    """The text split above each blank line that is not inside a fence: paragraphs, lists, tables, fences."""
    blocks: list[list[str]] = [[]]
    for line, is_inside in zip(lines, fenced(lines), strict=True):
        if not line.strip() and not is_inside and any(map(str.strip, blocks[-1])):
            blocks.append([])
        blocks[-1].append(line)
    return [tuple(block) for block in blocks if block]


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


def edits_of(base: list[str], side: list[str], *, second: bool) -> Iterator[Edit]:
    """The edits that turn `base` into `side`, in order; n lines that replace n lines are n edits."""
    spans = list(spans_of(base, side, is_anchor=has_content))
    for at, span in enumerate(spans):
        if span.is_same:
            continue
        following = spans[at + 1 : at + 3]
        # Keep one line between two edits of one side, so that they stay separate.
        room = following[0].end - following[0].start - (len(following) > 1) if following else 0
        if span.start < span.end and span.new_start < span.new_end:
            yield from _replacements(base, side, span, room, second=second)
        else:
            yield _moved_down(
                base, Edit(span.start, span.end, side[span.new_start : span.new_end], second), room
            )


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


def _replacements(base: list[str], side: list[str], span: Span, room: int, *, second: bool) -> Iterator[Edit]:
    """A replaced span, split into lines where they correspond: all of them, or similar ones at its ends."""
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
        yield _moved_down(base, rest, 0 if tail else room)
    yield from tail


def _are_similar(old: str, new: str) -> bool:
    """Whether two lines share most of their words, so that one is an edit of the other."""
    ours, theirs = Counter(old.split()), Counter(new.split())
    shared = (ours & theirs).total()
    return shared * 2 > max(ours.total(), theirs.total())


def spans_of(
    old: Sequence[_Item], new: Sequence[_Item], *, is_anchor: Callable[[_Item], bool] | None = None
) -> Iterator[Span]:
    """Both sequences as alternating equal and different spans.

    Equal items that are not anchors, such as closing brackets, match only next to anchors.
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


class _Moves(NamedTuple):
    """What one side moved (for each edit: its lines -> lines of the base), and what the other deleted."""

    origins: list[dict[int, int]]
    deleted: frozenset[int]


def without_deleted(base: list[str], edits: list[Edit], *, deleted_by: list[Edit]) -> tuple[list[Edit], bool]:
    """A side's edits without the lines that it only moved and the other side deleted; whether they clash."""
    moves = _find_moves(base, edits, deleted_by)
    if moves is None:
        return edits, False
    left: list[Edit] = []
    clash = False
    for edit, found in zip(edits, moves.origins, strict=True):
        back = {at for at, place in found.items() if place in moves.deleted}
        if back and _is_changed(base, edits, edit, found, moves):
            clash = True
        elif back:
            edit = _without(edit, back)
        left += [edit] if edit.lines or not edit.is_insertion else []
    return left, clash


def _find_moves(base: list[str], edits: list[Edit], deleted_by: list[Edit]) -> _Moves | None:
    """What `edits` moved among the lines that the other side deleted; None if nothing."""
    removed = [at for edit in edits for at in range(edit.start, edit.end)]
    rewritten = {line for edit in deleted_by for line in edit.lines if has_content(line)}
    deleted = frozenset(
        at
        for edit in deleted_by
        if not edit.lines
        for at in range(edit.start, edit.end)
        if base[at] not in rewritten  # the other side moved it too
    )
    wanted = {base[at] for at in deleted.intersection(removed) if has_content(base[at])}
    suspects = sum(not wanted.isdisjoint(edit.lines) for edit in edits)
    if not suspects or suspects * len(removed) > _MAX_WORK:
        return None
    return _Moves(_origins(base, edits, removed, wanted), deleted)


def _origins(
    base: list[str], edits: list[Edit], removed: list[int], wanted: set[str]
) -> list[dict[int, int]]:
    """For each edit with a wanted line, its moved lines: its lines -> lines of the base."""
    free = dict.fromkeys(removed)
    origins: list[dict[int, int]] = []
    for edit in edits:
        found: dict[int, int] = {}
        if not wanted.isdisjoint(edit.lines):
            places = [at for at in free if not edit.start <= at < edit.end]
            if len(places) * len(edit.lines) <= _MAX_WORK:
                found = _passages(base, places, edit.lines)
            taken = set(found.values())
            found |= _single_lines(base, [at for at in places if at not in taken], edit.lines, found)
            for at in found.values():
                del free[at]
        origins.append(found if _is_move(edit, found) else {})
    return origins


def _passages(base: list[str], places: list[int], lines: list[str]) -> dict[int, int]:
    """Lines that moved as one block, with their blank lines and brackets."""
    found: dict[int, int] = {}
    for span in spans_of([base[at] for at in places], lines, is_anchor=has_content):
        if span.is_same and any(map(has_content, lines[span.new_start : span.new_end])):
            new = range(span.new_start, span.new_end)
            found |= zip(new, places[span.start : span.end], strict=True)
    return found


def _single_lines(
    base: list[str], places: list[int], lines: list[str], known: dict[int, int]
) -> dict[int, int]:
    """Lines that moved one by one."""
    sources: dict[str, list[int]] = {}
    for at in reversed(places):
        sources.setdefault(base[at], []).append(at)
    wanted = [(at, line) for at, line in enumerate(lines) if at not in known and has_content(line)]
    return {at: sources[line].pop() for at, line in wanted if sources.get(line)}


def _is_move(edit: Edit, found: dict[int, int]) -> bool:
    """Whether an edit is mostly moved text; a new passage may also end with the words of a deleted one."""
    telling = [at for at, line in enumerate(edit.lines) if has_content(line)]
    return 2 * sum(at in found for at in telling) >= len(telling)


def _is_changed(
    base: list[str], edits: list[Edit], moved: Edit, found: dict[int, int], moves: _Moves
) -> bool:
    """Whether a passage was changed while it moved: it has new text, and some of its lines are gone."""
    if all(at in found or not has_content(line) for at, line in enumerate(moved.lines)):
        return False
    arrived = {place for places in moves.origins for place in places.values()}
    left = {
        place
        for edit in edits
        if not arrived.isdisjoint(range(edit.start, edit.end))
        for place in range(edit.start, edit.end)
    }
    return any(has_content(base[place]) for place in left & moves.deleted - arrived)


def _without(edit: Edit, places: set[int]) -> Edit:
    lines = [line for at, line in enumerate(edit.lines) if at not in places]
    return edit._replace(lines=lines if any(map(str.strip, lines)) else [])
