"""The record of a note, its ids and rules, its markdown and its JSON form. No files, no database."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.notes.frontmatter import MAX_CHARS, TIMESTAMP, Value, read_fields, write_field
from anamnesis.notes.vocabulary import MAX_BODY, MAX_BYTES, SCOPES, SOURCES, TYPES
from anamnesis.text import epoch

MemoryType = str  # "procedural" | "semantic" | "episodic"
Scope = str  # "portable" | "machine-local"
Extras = dict[str, str]  # foreign front-matter keys, each with its raw text

FM_DELIM = "---\n"
# Exactly what YAML parses as a timestamp; any other text is a string.
_YAML_TIME = re.compile(
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?"
    r"(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?"
)
_FAST_ID = re.compile(rb"---\n(?:[a-z_]+: .*\n)*?id: ([A-Za-z0-9._-]+)\n")
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,126}(?<!\.)(?<!\.lock)")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass
class Memory:
    """One note: the fields of its markdown file."""

    id: str
    type: MemoryType
    title: str
    body: str
    project: str = "global"
    machine_id: str = "unknown"
    scope: Scope = "portable"
    tags: list[str] = field(default_factory=list)
    created_at: str = ""
    updated_at: str = ""
    prov_source: str = "human"
    prov_model: str = ""
    prov_session: str = ""
    confidence: float = 1.0
    supersedes: str = ""


# The keys of the front matter, in the order they are written.
FIELDS = (
    *("id", "type", "title", "project", "machine_id", "scope", "prov_source", "confidence"),
    *("prov_model", "prov_session", "supersedes", "created_at", "updated_at", "tags"),
)
_OURS = frozenset(FIELDS)
OPTIONAL = ("prov_model", "prov_session", "supersedes")  # written only when set
_TEXTS = ("body", *(name for name in FIELDS if name not in ("confidence", "tags")))


def new_id() -> str:
    """A new ULID, which sorts by creation time, also within one millisecond."""
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = (rest << 16) // 1_000_000
    return _ulid(milliseconds << 80 | fraction << 64 | int.from_bytes(os.urandom(8), "big"))


def stable_id(*names: str) -> str:
    """An id derived from these names, in the form of a ULID: the same on every machine."""
    from hashlib import sha256

    digest = sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
    return _ulid(int.from_bytes(digest[:16], "big"))


def _ulid(number: int) -> str:
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def text_digest(title: str, body: str) -> str:
    """A short digest of exactly this text, to detect later whether a person has changed it."""
    from hashlib import sha256

    return sha256(f"{title}\0{body}".encode("utf-8", "replace")).hexdigest()[:24]


def identity(mem: Memory) -> tuple[str, ...]:
    """What identical notes have in common, whatever their ids, titles, tags and dates."""
    body = mem.body.strip()
    # One word, such as "done", says nothing without its title.
    title = mem.title.strip() if len(body.split()) < 2 else ""
    return mem.type, mem.project, mem.scope, body, title


def ids_superseded_by(mem: Memory) -> list[str]:
    """The ids of the notes that this one replaces."""
    return mem.supersedes.split()


def by_age(mem: Memory) -> tuple[int, str]:
    """The key that sorts notes oldest first, the same on every machine."""
    return epoch(mem.created_at), mem.id


def note_path(mem: Memory) -> str:
    """Where a note belongs inside its tree: `<type>/<id>.md`."""
    return f"{mem.type}/{mem.id}.md"


def tidied(mem: Memory) -> Memory:
    """The note as it will be written, without duplicate tags and ids; InvalidNote if it is invalid."""
    _check_kinds(mem)
    replaced = " ".join(dict.fromkeys(ids_superseded_by(mem)))
    mem = replace(mem, tags=unique_tags(mem.tags), confidence=float(mem.confidence), supersedes=replaced)
    _check_names(mem)
    if not math.isfinite(mem.confidence):
        raise InvalidNote(f"confidence {mem.confidence!r} is not a number; use one between 0 and 1")
    if (size := len(mem.body.encode())) > MAX_BODY:
        raise InvalidNote(f"the body is {size:,} bytes long; the limit is {MAX_BODY:,}; split it into notes")
    for replaced in ids_superseded_by(mem):
        if not is_valid_id(replaced) or replaced == mem.id:
            raise InvalidNote(
                f"supersedes {replaced[:80]!r} is not the id of another note; `anamnesis list` shows them"
            )
    encode(mem)
    return mem


def _check_kinds(mem: Memory) -> None:
    for name in _TEXTS:
        value = getattr(mem, name)
        if not isinstance(value, str):
            raise InvalidNote(f"{name} is {value!r:.80}, which is not text; give it as one string")
    if not isinstance(mem.tags, list) or not all(isinstance(tag, str) for tag in mem.tags):
        raise InvalidNote(f"tags is {mem.tags!r:.80}, which is not a list of strings; make it one")
    if not isinstance(mem.confidence, float | int):
        raise InvalidNote(f"confidence {mem.confidence!r:.80} is not a number; use one between 0 and 1")
    try:
        "".join((*(getattr(mem, name) for name in _TEXTS), *mem.tags)).encode()
    except UnicodeEncodeError as exc:
        raise InvalidNote("the note contains half a character (a lone surrogate); remove it") from exc


def _check_names(mem: Memory) -> None:
    for name, choices in (("type", TYPES), ("scope", SCOPES), ("prov_source", SOURCES)):
        if getattr(mem, name) not in choices:
            raise InvalidNote(f"{name} {getattr(mem, name)!r} is not one of: {', '.join(choices)}")
    if not is_valid_id(mem.id):
        raise InvalidNote(f"id {mem.id[:80]!r} cannot name a file; use letters, digits, '-', '_' and '.'")


def unique_tags(tags: list[str]) -> list[str]:
    """The tags in order, each once, stripped of whitespace."""
    return [tag for tag in dict.fromkeys(tag.strip() for tag in tags) if tag]


def serialize(mem: Memory, extras: Extras | None = None) -> str:
    """The markdown text of a note; `extras` are written after our own keys."""
    parts = [FM_DELIM]
    for key in FIELDS:
        value = getattr(mem, key)
        if value or key not in OPTIONAL:
            parts.append(write_field(key, value))
    if extras:
        parts.extend(extras.values())
    parts += (FM_DELIM, mem.body, "\n")
    return "".join(parts)


def encode(mem: Memory, extras: Extras | None = None) -> bytes:
    """The bytes of a note's file; InvalidNote if they could not be read back."""
    text = serialize(mem, extras)
    data = text.encode()
    if len(data) > MAX_BYTES:
        raise InvalidNote(f"the note is {len(data):,} bytes long; the limit is {MAX_BYTES:,}; split it")
    if len(text) - len(mem.body) > MAX_CHARS:
        raise InvalidNote(f"title, tags and the like are longer than {MAX_CHARS:,} characters; shorten them")
    return data


def decode(data: bytes) -> str:
    """The text of a note file: decoded from UTF-8, without a byte order mark, with Unix line ends."""
    if len(data) > MAX_BYTES:
        raise NoteFormatError(f"the file is too long; the limit is {MAX_BYTES:,} bytes; split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise NoteFormatError(f"the file is not UTF-8 text (byte {exc.start}); save it as UTF-8") from exc
    return text.replace("\r\n", "\n") if text.startswith("---\r\n") else text


def deserialize(text: str) -> Memory:
    """Parse a note's markdown text; NoteFormatError says what is wrong with it."""
    front, body = split_text(text)
    return _to_memory(*read_fields(front), body)


def parse(text: str) -> tuple[Memory, Extras]:
    """Parse a note and its foreign front-matter keys."""
    front, body = split_text(text)
    values, raw = read_fields(front)
    return _to_memory(values, raw, body), {key: raw[key] for key in raw if key not in _OURS}


def note_in(data: bytes) -> Memory | None:
    """The note in a file; None if it is not one."""
    try:
        return deserialize(decode(data))
    except NoteFormatError:
        return None


def _to_memory(values: dict[str, Value], raw: Mapping[str, str], body: str) -> Memory:
    mem = Memory(
        id=_required(values, "id"),
        type=_required(values, "type"),
        title=_required(values, "title", blank=True),
        body=body,
        project=_scalar(values, "project", "global"),
        machine_id=_scalar(values, "machine_id", "unknown"),
        scope=_scalar(values, "scope") or "portable",
        tags=unique_tags(_strings(values, "tags")),
        created_at=_moment(values, raw, "created_at"),
        updated_at=_moment(values, raw, "updated_at"),
        prov_source=_scalar(values, "prov_source") or "human",
        prov_model=_scalar(values, "prov_model"),
        prov_session=_scalar(values, "prov_session"),
        confidence=_number(values, "confidence"),
        supersedes=" ".join(" ".join(_strings(values, "supersedes")).split()),
    )
    try:
        _check_names(mem)
    except InvalidNote as exc:
        raise NoteFormatError(str(exc)) from exc
    return mem


def split_text(text: str) -> tuple[str, str]:
    """Split a note's text into front matter and body."""
    if not text.startswith(FM_DELIM):
        raise NoteFormatError("memory file missing YAML front-matter")
    # Start at the opening line's newline, so that an empty block is closed too.
    end = text.find("\n" + FM_DELIM, len(FM_DELIM) - 1)
    if end < 0:
        if not text.endswith("\n---"):
            raise NoteFormatError("front matter has no closing --- line; add one below the keys")
        return text[len(FM_DELIM) : -len("\n---")], ""
    body = text[end + 1 + len(FM_DELIM) :]
    return text[len(FM_DELIM) : max(end, len(FM_DELIM))], body[:-1] if body.endswith("\n") else body


def _required(values: dict[str, Value], key: str, *, blank: bool = False) -> str:
    if key not in values:
        raise NoteFormatError(f"front matter has no `{key}:` line; add one between the --- lines")
    value = _scalar(values, key)
    if not value and not blank:
        raise NoteFormatError(f"`{key}:` is empty; write its value after it")
    return value


def _scalar(values: dict[str, Value], key: str, default: str = "") -> str:
    value = values.get(key)
    if isinstance(value, list):
        raise NoteFormatError(f"`{key}:` has a list where one value belongs; keep one of them")
    return default if value is None else value


def _strings(values: dict[str, Value], key: str) -> list[str]:
    value = values.get(key)
    if isinstance(value, str):
        return value.split(",") if key == "tags" else [value]
    return value or []


def _number(values: dict[str, Value], key: str) -> float:
    text = _scalar(values, key)
    try:
        number = float(text) if text else 1.0
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise NoteFormatError(f"`{key}:` is {text[:40]!r}, which is not a number; use one between 0 and 1")
    return number


def _moment(values: dict[str, Value], raw: Mapping[str, str], key: str) -> str:
    """A timestamp; an unquoted one, which YAML would parse as a date, becomes an ISO string in UTC."""
    text = _scalar(values, key)
    if not text or TIMESTAMP.fullmatch(text) or not _YAML_TIME.fullmatch(text):
        return text
    if raw.get(key, "").partition(":")[2].lstrip()[:1] in ("'", '"'):
        return text
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return when.astimezone(UTC).isoformat(timespec="seconds")


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
    note = note_in(data)
    return note.id if note else None


def note_dict(note: Memory, *, include_body: bool) -> dict[str, object]:
    """The JSON form of a note, the same on every surface."""
    answer: dict[str, object] = {name: getattr(note, name) for name in _ANSWERED}
    answer["tags"] = list(note.tags)
    return {**answer, "body": note.body} if include_body else answer


_ANSWERED = ("id", "type", "title", "project", "machine_id", "scope", "tags", "created_at", "updated_at")
