"""A note's closed sets of words, its id, its JSON form. Light: all that a quick answer needs of notes."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from anamnesis.errors import NoteFormatError

TYPE_CHECKING = False  # `typing` would cost a quick command more than this whole module
if TYPE_CHECKING:
    from typing import Protocol

    class Noted(Protocol):
        """The fields that an answer reads of a note."""

        id: str
        type: str
        title: str
        body: str
        project: str
        machine_id: str
        scope: str
        tags: list[str]
        created_at: str
        updated_at: str

    class Note(Noted, Protocol):
        """The fields that a briefing reads of a note."""

        prov_source: str
        prov_session: str
        confidence: float
        supersedes: str


TYPES = ("procedural", "semantic", "episodic")
DURABLE = ("procedural", "semantic")  # what stays true; an episodic note says what happened once
SCOPES = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")
MAX_BYTES = 16_000_000  # of a note's file
SHORTEST_BEGINNING = 4  # characters of an id that may stand for all of it; fewer would be a slip
REFLECTED = "reflected"  # tag of a session note whose lessons were drawn

_FAST_ID = re.compile(rb"---\n(?:[a-z_]+: .*\n)*?id: ([A-Za-z0-9._-]+)\n")
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,126}(?<!\.)(?<!\.lock)")


def is_valid_id(text: str) -> bool:
    """Whether `text` may name a note: safe as a file name, a git path and a git reference."""
    return _ID.fullmatch(text) is not None


def read_id(data: bytes) -> str | None:
    """The id in the front matter of a file; None when the file is not a note."""
    if fast := _FAST_ID.match(data):
        found = fast[1].decode()
        return found if is_valid_id(found) else None
    if not data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    from anamnesis.notes.record import decode, parse  # `status` seldom needs the parser

    try:
        return parse(decode(data))[0].id
    except NoteFormatError:
        return None


def utcnow() -> str:
    """The present moment as notes write it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def timestamp(seconds: float) -> str:
    """Seconds since 1970 as notes write a moment; one outside the calendar counts as its nearest end."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC).isoformat(timespec="seconds")


_LAST_SECOND = 253_402_300_799  # of the year 9999


def seconds_of(date: str | bytes) -> int:
    """A commit's date as git prints it in seconds; 0 when there is none, as other tools may write."""
    try:
        return int(date)
    except ValueError:
        return 0


def epoch(moment: str) -> int:
    """A timestamp as seconds since 1970, 0 when it is not one: what notes are ordered by."""
    try:
        when = datetime.fromisoformat(moment)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


def since_moment(text: str) -> str:
    """When a filter starts, as notes write it: `today`, `yesterday`, a date or a time; "" when it is neither.

    A day starts at local midnight, and a time without an offset is local, because people mean it so.
    """
    days_ago = {"today": 0, "yesterday": 1}.get(text.strip().lower())
    try:
        if days_ago is None:
            when = datetime.fromisoformat(text.strip())
        else:
            when = datetime.combine(date.today() - timedelta(days=days_ago), time())
        return when.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def local_time(moment: str) -> str:
    """A timestamp as people read it: local date and time to the minute; any other text as it is."""
    try:
        when = datetime.fromisoformat(moment)
        local = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone()
    except (ValueError, OverflowError, OSError):
        return moment
    return local.strftime("%Y-%m-%d %H:%M")


def note_dict(note: Noted, *, include_body: bool) -> dict[str, object]:
    """The JSON form of a note that every surface answers with."""
    answer: dict[str, object] = {
        "id": note.id,
        "type": note.type,
        "title": note.title,
        "project": note.project,
        "machine_id": note.machine_id,
        "scope": note.scope,
        "tags": list(note.tags),
        "created_at": note.created_at,
        "updated_at": note.updated_at,
    }
    if include_body:
        answer["body"] = note.body
    return answer
