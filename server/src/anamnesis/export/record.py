"""A note as JSON and back: every field, and foreign front-matter keys as they were written. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.notes.record import Extras, Memory, check, parse, serialize, unique_tags

_NAMES = tuple(field.name for field in fields(Memory))


@dataclass(frozen=True, slots=True)
class Entry:
    """A note with the front-matter keys that are not ours."""

    note: Memory
    extras: Extras


def to_record(entry: Entry) -> dict[str, object]:
    """The JSON form of a note; `extras` maps each foreign key to its text."""
    return {**asdict(entry.note), "extras": dict(entry.extras)}


def from_record(record: object) -> Entry:
    """A note from its JSON form; InvalidNote when it is not one."""
    if not isinstance(record, dict):
        raise InvalidNote("it is not a JSON object")
    values = {name: record[name] for name in _NAMES if name in record}
    extras = record.get("extras", {})
    if not isinstance(extras, dict) or not all(isinstance(text, str) for text in extras.values()):
        raise InvalidNote("`extras` is not an object of strings")
    try:
        note = Memory(**values)
    except TypeError as exc:
        raise InvalidNote("`id`, `type`, `title` or `body` is missing") from exc
    check(note)
    return checked(Entry(replace(note, tags=unique_tags(note.tags)), extras))


def checked(entry: Entry) -> Entry:
    """`entry`, if a store would read it back unchanged; InvalidNote otherwise.

    The text of a foreign key goes into the file as it is, so it must not set any other key.
    """
    check(entry.note)
    try:
        note, extras = parse(serialize(entry.note, entry.extras))
    except NoteFormatError as exc:
        raise InvalidNote(f"it cannot be written as a note: {exc}") from exc
    if not is_same(Entry(note, {}), Entry(entry.note, {})) or extras.keys() != entry.extras.keys():
        raise InvalidNote("it would not be read back unchanged; check `tags` and `extras`")
    return entry


def is_same(one: Entry, other: Entry) -> bool:
    """Whether two notes say the same in everything."""
    return _comparable(one) == _comparable(other)


def _comparable(entry: Entry) -> Mapping[str, object]:
    return {**asdict(entry.note), "tags": sorted(entry.note.tags), "extras": entry.extras}
