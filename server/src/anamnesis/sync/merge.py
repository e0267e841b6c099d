"""Merge two versions of a note by meaning. Pure: text in, text out; no files, no git, no clock.

Of the two sides the *later* one is that with the later `updated_at`, the greater text when they are equal, so
the result does not depend on which side is called ours. Every key of the front matter has its rule:

    key                                        rule
    id                                         the same on both sides, else the files clash
    tags, supersedes                           sets: additions of both sides, removals of either
    created_at                                 the earlier
    updated_at                                 the later
    type, title, project, machine_id, scope,   changed on one side: that side;
    prov_source, prov_model, prov_session,     changed on both: the later side, and the other value is
    confidence                                 reported as given up
    any other key                              the same, as text; a change beats a removal
    body                                       three-way by lines (`lines`)

Without a common ancestor the sets are joined, scalars that differ go to the later side, and the body merges
only when one side holds all lines of the other. A file that is no note is merged by lines as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from anamnesis.errors import NoteFormatError
from anamnesis.notes import Extras, Memory, epoch, parse, serialize
from anamnesis.sync.lines import LineMerge, join_lines, merge_lines


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome: with `clash`, `text` holds both variants of the lines that both sides changed."""

    text: str
    clash: bool = False
    ours_gave_up: tuple[str, ...] = ()
    theirs_gave_up: tuple[str, ...] = ()


_T = TypeVar("_T")
Parsed = tuple[Memory, Extras]

_SCALARS = (
    "type",
    "title",
    "project",
    "machine_id",
    "scope",
    "prov_source",
    "prov_model",
    "prov_session",
    "confidence",
)
RULES: dict[str, str] = {
    "id": "same",
    "tags": "set",
    "supersedes": "set",
    "created_at": "earlier",
    "updated_at": "later",
    **dict.fromkeys(_SCALARS, "scalar"),
}


def merge_note(base: str | None, ours: str, theirs: str) -> Merged:
    """Bring two versions of one note together; `base` is what both came from, None when unknown."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    mine, other = _parsed(ours), _parsed(theirs)
    if mine is None or other is None or mine[0].id != other[0].id:
        return _merge_plain(base, ours, theirs)
    if (epoch(mine[0].updated_at), ours) > (epoch(other[0].updated_at), theirs):
        text, clash, lost = _merge_parsed(_parsed(base), other, mine)
        return Merged(text, clash, theirs_gave_up=lost)
    text, clash, lost = _merge_parsed(_parsed(base), mine, other)
    return Merged(text, clash, ours_gave_up=lost)


def _parsed(text: str | None) -> Parsed | None:
    try:
        return None if text is None else parse(text)
    except NoteFormatError:
        return None


def _merge_plain(base: str | None, ours: str, theirs: str) -> Merged:
    merged = _merge_text(base, *sorted((ours, theirs)))
    return Merged("\n".join(merged.lines), merged.clash)


def _merge_text(base: str | None, first: str, second: str) -> LineMerge:
    if base is None:
        return join_lines(first.split("\n"), second.split("\n"))
    return merge_lines(base.split("\n"), first.split("\n"), second.split("\n"))


def _merge_parsed(base: Parsed | None, earlier: Parsed, later: Parsed) -> tuple[str, bool, tuple[str, ...]]:
    """The merged text, whether the bodies clash, and the keys whose earlier value was given up."""
    old, one, two = base and base[0], earlier[0], later[0]
    body = _merge_text(old.body if old else None, one.body, two.body)
    lost: list[str] = []
    merged = Memory(id=two.id, type=two.type, title=two.title, body="\n".join(body.lines))
    for key, rule in RULES.items():
        values = [getattr(note, key) if note else None for note in (old, one, two)]
        setattr(merged, key, _MERGERS[rule](*values))
        if rule == "scalar" and len({old and values[0], values[1], values[2]}) == 3:
            lost.append(key)
    extras = _merge_extras(base[1] if base else {}, earlier[1], later[1])
    lost += [key for key, block in earlier[1].items() if _was_given_up(key, block, base, extras)]
    return serialize(merged, extras), body.clash, tuple(lost)


def _was_given_up(key: str, block: str, base: Parsed | None, extras: Extras) -> bool:
    return key in extras and extras[key] != block and (base is None or base[1].get(key) != block)


def _merge_extras(base: Extras, earlier: Extras, later: Extras) -> Extras:
    merged: Extras = {}
    for key in (*later, *(key for key in earlier if key not in later)):
        old, one, two = base.get(key), earlier.get(key), later.get(key)
        block = _scalar(old, one, two)
        if block is None and one is not None and one != old:
            block = one
        if block is not None:
            merged[key] = block
    return merged


def _scalar(base: _T, earlier: _T, later: _T) -> _T:
    return earlier if later == base else later


def _set(base: str | list[str] | None, earlier: str | list[str], later: str | list[str]) -> str | list[str]:
    old, one, two = (
        value.split() if isinstance(value, str) else value or [] for value in (base, earlier, later)
    )
    if set(one) == set(old):
        merged = two
    elif set(two) == set(old):
        merged = one
    else:
        kept = [item for item in old if item in one and item in two]
        merged = list(dict.fromkeys([*kept, *(item for item in (*one, *two) if item not in old)]))
    return " ".join(merged) if isinstance(later, str) else merged


def _earlier(_base: str | None, earlier: str, later: str) -> str:
    return min((moment for moment in (earlier, later) if epoch(moment)), key=_order, default=later or earlier)


def _later(_base: str | None, earlier: str, later: str) -> str:
    return max(earlier, later, key=_order)


def _order(moment: str) -> tuple[int, str]:
    return epoch(moment), moment


def _same(_base: str | None, _earlier: str, later: str) -> str:
    return later


_MERGERS: dict[str, Callable[..., object]] = {
    "same": _same,
    "scalar": _scalar,
    "set": _set,
    "earlier": _earlier,
    "later": _later,
}
