"""A note's fixed vocabulary, id and timestamp formats, and JSON form; cheap to import."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anamnesis.notes.record import Memory


HOW, FACT, SESSION = TYPES = ("procedural", "semantic", "episodic")  # a way, a fact, what happened
DURABLE = (HOW, FACT)  # the types that stay true
SCOPES = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")
# What notes can be filtered by, on every surface: the values, and what the filter does.
FILTERS = {
    "project": ("KEY", "only this project: its key, the last part of it, or . for this one"),
    "type": ("|".join(TYPES), "only notes of this type"),
    "scope": ("|".join(SCOPES), "only notes of this scope"),
    "tags": ("A,B", "only notes with all of these tags"),
    "since": ("DATE", "only notes updated since: 2026-01-31, 7d, today or yesterday"),
    "machine": ("NAME", "only notes written on this machine: its name, or the start of it"),
}
MAX_BYTES = 16_000_000  # size of a note's file that is read
MAX_BODY = 1_000_000  # bytes of a body that is written
SHORTEST_BEGINNING = 4  # shortest accepted prefix of an id; anything shorter is probably a mistake
# Tags with a meaning: what sessions are told first, and what they are not told.
RULE, PINNED = "rule", "pinned"
REVIEWED = "reviewed"  # a note by a model or an import that a person has reviewed
REFLECTED = "reflected"  # a session's note that was already reflected
SCRIPTED = "scripted"  # the note of a session that no person took part in
REFERENCE = "reference"  # found by search, but not told to sessions

_FAST_ID = re.compile(rb"---\n(?:[a-z_]+: .*\n)*?id: ([A-Za-z0-9._-]+)\n")
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,126}(?<!\.)(?<!\.lock)")


def is_valid_id(text: str) -> bool:
    """Whether `text` can be a note's id: safe as a file name, a git path and a git reference."""
    return _ID.fullmatch(text) is not None


def read_id(data: bytes) -> str | None:
    """The id in a file's front matter; None if the file is not a note."""
    if fast := _FAST_ID.match(data):
        found = fast[1].decode()
        return found if is_valid_id(found) else None
    if not data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    from anamnesis.notes.record import note_in  # `status` rarely needs the parser

    note = note_in(data)
    return note.id if note else None


def utcnow() -> str:
    """The current time in the format of notes: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def timestamp(seconds: float) -> str:
    """Seconds since 1970 as a timestamp in the format of notes; limited to the years 1970 to 9999."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC).isoformat(timespec="seconds")


_LAST_SECOND = 253_402_300_799  # of the year 9999


def seconds_of(date: str | bytes) -> int:
    """A commit's date in seconds, as git prints it; 0 if there is none, as in commits of some tools."""
    try:
        return int(date)
    except ValueError:
        return 0


def epoch(moment: str) -> int:
    """A timestamp as seconds since 1970, for sorting; 0 if it is not one."""
    try:
        when = datetime.fromisoformat(moment)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


def since_moment(text: str) -> str:
    """The start of a filter as a timestamp: a date, a time, `today`, `yesterday`, `7d`; "" if it is none.

    A day starts at local midnight, and a time without an offset is local, because that is what people mean.
    """
    text = text.strip().lower()
    days_ago = {"today": "0", "yesterday": "1"}.get(text) or (text[:-1] if text.endswith("d") else "")
    try:
        if days_ago.isdecimal():
            when = datetime.combine(date.today() - timedelta(days=int(days_ago)), time())
        else:
            when = datetime.fromisoformat(text)
        return when.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def local_time(moment: str) -> str:
    """A timestamp for people: local date and time to the minute; any other text unchanged."""
    try:
        when = datetime.fromisoformat(moment)
        local = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone()
    except (ValueError, OverflowError, OSError):
        return moment
    return local.strftime("%Y-%m-%d %H:%M")


def note_dict(note: Memory, *, include_body: bool) -> dict[str, object]:
    """The JSON form of a note, the same on every surface."""
    answer: dict[str, object] = {name: getattr(note, name) for name in _ANSWERED}
    answer["tags"] = list(note.tags)
    return {**answer, "body": note.body} if include_body else answer


_ANSWERED = ("id", "type", "title", "project", "machine_id", "scope", "tags", "created_at", "updated_at")
