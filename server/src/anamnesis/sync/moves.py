"""Lines that one side deleted and the other moved: they stay deleted. Pure.

A line counts as moved when a side removed it in one place and inserted it in another. A passage that one side
deleted and the other changed while moving it is a clash: both sides meant something by it.
"""

from __future__ import annotations

from typing import NamedTuple

from anamnesis.sync.edits import Edit, spans_of
from anamnesis.sync.passages import is_telling

_MAX_WORK = 4_000_000  # steps of a search for moved lines; beyond, none counts as moved


class Honoured(NamedTuple):
    """The edits of both sides without the lines that must not come back, and whether the sides clash."""

    first: list[Edit]
    second: list[Edit]
    clash: bool


class _Moves(NamedTuple):
    """What one side moved (for each edit: places in it -> places in the base) of what the other deleted."""

    origins: list[dict[int, int]]
    deleted: frozenset[int]


def honour_deletions(base: list[str], first: list[Edit], second: list[Edit]) -> Honoured:
    """Take out of each side's insertions what it only moved and the other side deleted."""
    one, one_clashes = _without_deleted(base, first, deleted_by=second)
    two, two_clashes = _without_deleted(base, second, deleted_by=first)
    return Honoured(one, two, one_clashes or two_clashes)


def _without_deleted(
    base: list[str], edits: list[Edit], *, deleted_by: list[Edit]
) -> tuple[list[Edit], bool]:
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
    """What `edits` moved of what the other side deleted; None when that is nothing."""
    removed = [at for edit in edits for at in range(edit.start, edit.end)]
    rewritten = {line for edit in deleted_by for line in edit.lines if is_telling(line)}
    deleted = frozenset(
        at
        for edit in deleted_by
        if not edit.lines
        for at in range(edit.start, edit.end)
        if base[at] not in rewritten  # the other side moved it, too
    )
    wanted = {base[at] for at in deleted.intersection(removed) if is_telling(base[at])}
    suspects = sum(not wanted.isdisjoint(edit.lines) for edit in edits)
    if not suspects or suspects * len(removed) > _MAX_WORK:
        return None
    return _Moves(_origins(base, edits, removed, wanted), deleted)


def _origins(
    base: list[str], edits: list[Edit], removed: list[int], wanted: set[str]
) -> list[dict[int, int]]:
    """For each edit that has a wanted line its moved lines: places in it -> places that they left."""
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
    """What moved in one piece, with its blank lines and brackets."""
    found: dict[int, int] = {}
    for span in spans_of([base[at] for at in places], lines, is_anchor=is_telling):
        if span.is_same and any(map(is_telling, lines[span.new_start : span.new_end])):
            new = range(span.new_start, span.new_end)
            found |= zip(new, places[span.start : span.end], strict=True)
    return found


def _single_lines(
    base: list[str], places: list[int], lines: list[str], known: dict[int, int]
) -> dict[int, int]:
    """Lines that moved out of their order."""
    sources: dict[str, list[int]] = {}
    for at in reversed(places):
        sources.setdefault(base[at], []).append(at)
    wanted = [(at, line) for at, line in enumerate(lines) if at not in known and is_telling(line)]
    return {at: sources[line].pop() for at, line in wanted if sources.get(line)}


def _is_move(edit: Edit, found: dict[int, int]) -> bool:
    """Whether an edit is mostly moved text: a new passage may end with the same words as a deleted one."""
    telling = [at for at, line in enumerate(edit.lines) if is_telling(line)]
    return 2 * sum(at in found for at in telling) >= len(telling)


def _is_changed(
    base: list[str], edits: list[Edit], moved: Edit, found: dict[int, int], moves: _Moves
) -> bool:
    """Whether a passage was changed on the way: it has new text, and some of its lines arrived nowhere."""
    if all(at in found or not is_telling(line) for at, line in enumerate(moved.lines)):
        return False
    arrived = {place for places in moves.origins for place in places.values()}
    left = {
        place
        for edit in edits
        if not arrived.isdisjoint(range(edit.start, edit.end))
        for place in range(edit.start, edit.end)
    }
    return any(is_telling(base[place]) for place in left & moves.deleted - arrived)


def _without(edit: Edit, places: set[int]) -> Edit:
    lines = [line for at, line in enumerate(edit.lines) if at not in places]
    return edit._replace(lines=lines if any(map(str.strip, lines)) else [])
