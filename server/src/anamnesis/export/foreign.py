"""Turns other tools' notes into ours: any markdown file, and the JSON export of mcp-memory-service. Pure.

A file keeps its text and its own front-matter keys. Its title is the `title:` key, else the first heading,
else the file name; its id is derived from its path, so importing the folder again updates the same notes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.export.exporting import Entry, checked
from anamnesis.layout import GLOBAL
from anamnesis.notes.frontmatter import Value, read_fields
from anamnesis.notes.record import TYPES, Extras, Memory, epoch, split_text, unique_tags
from anamnesis.notes.vocabulary import timestamp

_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<title>.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_OURS = frozenset(Memory.__dataclass_fields__)
_CREATED = ("created_at", "created", "date")
_UPDATED = ("updated_at", "updated", "modified", "last_modified")
_MAX_TITLE = 120
_IMPORTED = 0.9  # confidence: a person wrote it, but did not review it here


@dataclass(frozen=True, slots=True)
class Filing:
    """The project and machine that imported notes get."""

    project: str = GLOBAL
    machine_id: str = "unknown"


def is_foreign(text: str) -> bool:
    """Whether a markdown text is not one of our notes: it has no front matter with our keys."""
    try:
        values, _ = read_fields(split_text(text)[0])
    except NoteFormatError:
        return not text.startswith("---\n")
    return "id" not in values or values.get("type") not in TYPES


def from_markdown(text: str, filing: Filing, *, path: str, modified: float) -> Entry:
    """Another tool's markdown file as a note; `path` is relative to its folder. InvalidNote without text."""
    values, extras, body = _split(text)
    if not body:
        raise InvalidNote("it has no text; add some, or remove the file")
    name = path.encode("utf-8", "surrogateescape")  # a path need not be UTF-8
    stem = name.rpartition(b"/")[2].removesuffix(b".md").decode("utf-8", "replace")
    kind = _text(values.get("type"))
    written = _moment(modified)
    note = Memory(
        id=f"md-{hashlib.sha256(name).hexdigest()[:20]}",
        type=kind if kind in TYPES else "semantic",
        title=_title(values, body, stem),
        body=body,
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags(_tags(values.get("tags"))),
        created_at=_date(values, _CREATED) or written,
        updated_at=_date(values, _UPDATED) or written,
        prov_source="import",
        confidence=_IMPORTED,
    )
    return checked(Entry(note, extras))


def from_memory_service(record: object, filing: Filing, *, modified: float) -> Entry:
    """One memory in a JSON export of mcp-memory-service as a note; InvalidNote if it has no text.

    A memory without a date gets the date of the file.
    """
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(content, str) or not content.strip():
        raise InvalidNote("it has no `content`; add some, or remove the entry")
    name = str(record.get("content_hash") or _digest(content))
    tags = record.get("tags")
    created = _known_moment(record, "created_at") or _moment(modified)
    note = Memory(
        id=f"mms-{_digest(name)[:20]}",
        type="semantic",
        title=_first_line(content),
        body=content.strip(),
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags([str(tag) for tag in tags] if isinstance(tags, list) else _tags(_text(tags))),
        created_at=created,
        updated_at=_known_moment(record, "updated_at") or created,
        prov_source="import",
        confidence=_IMPORTED,
    )
    return checked(Entry(note, {}))


def _digest(text: str) -> str:
    """A digest of any text, even with a lone surrogate: that note is refused later, not the whole file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _split(text: str) -> tuple[dict[str, Value], Extras, str]:
    """The keys of a file, the raw text of foreign ones, and its body."""
    if not text.startswith("---\n"):
        return {}, {}, text.strip()
    front, body = split_text(text)
    values, raw = read_fields(front)
    extras = {key: raw[key] for key in raw if key not in _OURS}
    return values, extras, body.strip()


def _title(values: dict[str, Value], body: str, stem: str) -> str:
    given = _text(values.get("title"))
    heading = _HEADING.search(_FENCE.sub("", body))
    title = given or (heading["title"] if heading else stem)
    return _shortened(" ".join(title.split()) or stem)


def _first_line(text: str) -> str:
    lines = (line.strip(" #*-") for line in text.splitlines())
    return _shortened(next((line for line in lines if line), "Imported memory"))


def _shortened(title: str) -> str:
    return title if len(title) <= _MAX_TITLE else title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"


def _tags(value: Value) -> list[str]:
    found = value if isinstance(value, list) else (value or "").split(",")
    return [tag.strip().lstrip("#") for tag in found if tag.strip().lstrip("#")]


def _date(values: dict[str, Value], keys: tuple[str, ...]) -> str:
    """The first of these keys with a date, in the format of notes."""
    found: Iterator[str] = (_text(values.get(key)) for key in keys)
    return next((_moment(epoch(text)) for text in found if text and epoch(text)), "")


def _known_moment(record: dict[str, object], key: str) -> str:
    """A time of a memory, which may be in seconds, as text, or both; "" if it has neither."""
    for value in (record.get(key), record.get(f"{key}_iso")):
        seconds = epoch(value) if isinstance(value, str) else value
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds < 2**35:
            return _moment(seconds)
    return ""


def _moment(seconds: object) -> str:
    usable = seconds if isinstance(seconds, int | float) and 0 <= seconds < 2**35 else 0
    return timestamp(usable)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
