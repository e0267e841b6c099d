"""Merges two versions of a note field by field. Pure: text in, text out; no files, no git, no clock.

`docs/sync.md` has the rule of each key. The *later* side is the one with the later `updated_at`, or the
greater text if they are equal, so the result does not depend on which side is called ours. A file that is not
a note is merged by lines as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from anamnesis.errors import NoteFormatError
from anamnesis.notes.record import FIELDS, Extras, Memory, parse, serialize
from anamnesis.sync.lines import join_lines, keep_both, merge_lines
from anamnesis.text import epoch


class Merged(NamedTuple):
    """The result; with `clash`, `text` has both variants of the lines that both sides changed."""

    text: str
    clash: bool = False


_T = TypeVar("_T")
Parsed = tuple[Memory, Extras]
# Merges base, first and second text: the result, and whether the sides clash.
_Bodies = Callable[[str | None, str, str], tuple[str, bool]]


def merge_note(base: str | None, ours: str, theirs: str) -> Merged:
    """Merge two versions of one note; `base` is their common ancestor, None if unknown."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    return _merge(base, ours, theirs, _merge_text)


def _merge(base: str | None, ours: str, theirs: str, bodies: _Bodies) -> Merged:
    mine, other = _parsed(ours), _parsed(theirs)
    if mine is None or other is None or mine[0].id != other[0].id:
        return Merged(*bodies(base, *sorted((ours, theirs))))
    if base is None and _is_one_session(mine[0], other[0]):
        bodies = _keep_both
    if (epoch(mine[0].updated_at), ours) > (epoch(other[0].updated_at), theirs):
        return _merge_parsed(_parsed(base), other, mine, bodies)
    return _merge_parsed(_parsed(base), mine, other, bodies)


def _parsed(text: str | None) -> Parsed | None:
    try:
        return None if text is None else parse(text)
    except NoteFormatError:
        return None


def _is_one_session(mine: Memory, other: Memory) -> bool:
    """Whether two notes were captured from the same session."""
    is_captured = mine.prov_source == other.prov_source == "session-end"
    return is_captured and mine.prov_session == other.prov_session != ""


def _merge_text(base: str | None, first: str, second: str) -> tuple[str, bool]:
    one, two = _lines(first), _lines(second)
    merged = join_lines(one, two) if base is None else merge_lines(_lines(base), one, two)
    return _text(merged.lines, base, first, second), merged.clash


def _keep_both(base: str | None, first: str, second: str) -> tuple[str, bool]:
    lines = keep_both(None if base is None else _lines(base), _lines(first), _lines(second))
    return _text(lines, base, first, second), False


def _lines(text: str) -> list[str]:
    """The lines of a text; the final newline is not a line, or an appended line would replace it."""
    return text.removesuffix("\n").split("\n") if text else []


def _text(lines: list[str], base: str | None, first: str, second: str) -> str:
    """The lines as a text, with a final newline if the sides have one; a change by one side wins."""
    old, one, two = (bool(text and text.endswith("\n")) for text in (base, first, second))
    ends = (one or two) if base is None else (two if one == old else one)
    return "\n".join(lines) + ("\n" if ends and lines else "")


def _merge_parsed(base: Parsed | None, earlier: Parsed, later: Parsed, bodies: _Bodies) -> Merged:
    old, one, two = base and base[0], earlier[0], later[0]
    body, clash = bodies(old.body if old else None, one.body, two.body)
    merged = Memory(id=two.id, type=two.type, title=two.title, body=body)
    for key, rule in RULES.items():
        values = [getattr(note, key) if note else None for note in (old, one, two)]
        setattr(merged, key, rule(*values))
    return Merged(serialize(merged, _merge_extras(base[1] if base else {}, earlier[1], later[1])), clash)


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


# How each field's base, earlier and later value are merged.
RULES: dict[str, Callable[..., object]] = {
    **dict.fromkeys(FIELDS, _scalar),
    "tags": _set,
    "supersedes": _set,
    "created_at": _earlier,
    "updated_at": _later,
}


def merge_data(base: bytes | None, ours: bytes, theirs: bytes) -> tuple[bytes, bool]:
    """Merge three versions of a file; returns the result, and whether they clash."""
    if ours == theirs or theirs == base:
        return ours, False
    if ours == base:
        return theirs, False
    merged = merge_note(_text_or_none(base), _text_of(ours), _text_of(theirs))
    return _data(merged.text), merged.clash


def keep_both_data(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """One file with every line of both versions; the front matter of a note is merged as usual."""
    return _data(_merge(_text_or_none(base), _text_of(ours), _text_of(theirs), _keep_both).text)


def title_of(*versions: bytes | None) -> str:
    """The title in the first of the versions that has one."""
    notes = (_parsed(shown_text(data)) for data in versions)
    return next((note[0].title for note in notes if note and note[0].title), "")


def shown_text(data: bytes | None) -> str | None:
    """A version as text for people; bytes that are not UTF-8 are replaced."""
    return None if data is None else _data(_text_of(data)).decode("utf-8", "replace")


def _text_of(data: bytes) -> str:
    """A version as text; bytes that are not UTF-8 survive a merge, as half a character each."""
    text = data.decode("utf-8-sig", "surrogateescape")
    return text.replace("\r\n", "\n") if text.startswith("---\r\n") else text


def _text_or_none(data: bytes | None) -> str | None:
    return None if data is None else _text_of(data)


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
