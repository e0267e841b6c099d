"""Credentials in files that are about to be committed: where they stand, and which versions were allowed.

What passes when a note is written through a command or a tool passes here, too: the text of a note is looked
at in the same pieces (its fields and tags, its body, each key of others), not as one file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from anamnesis.errors import NoteFormatError
from anamnesis.files import write_atomic
from anamnesis.frontmatter import Value, read_fields
from anamnesis.json_file import read_object
from anamnesis.notes import FIELDS, decode, split_text
from anamnesis.redact import find_secrets

ALLOWED_NAME = "allowed.json"
_MOST_ALLOWED = 1000
_BINARY_SAMPLE = 8000  # bytes, as git looks at
_APART = "\n" * 4  # too far for a name in one tag or field to be given the value of the next


@dataclass(frozen=True, slots=True)
class Found:
    """A credential in a file: its kind, its line, and the text itself, which is never shown or kept."""

    kind: str
    line: int
    secret: str = field(repr=False)


def find_in_file(data: bytes) -> list[Found]:
    """Every credential in a file, in the order of its lines."""
    text = _text(data)
    found = [
        Found(secret.kind, _line(text, place, secret.start, value), value)
        for place, piece in _pieces(text)
        for secret in find_secrets(piece)
        if (value := piece[secret.start : secret.end])
    ]
    return sorted(found, key=lambda each: each.line)


def find_unallowed(data: bytes, *, allowed: Collection[str], known: bytes = b"") -> list[Found]:
    """The credentials in a file that nobody allowed and that `known`, another version, does not hold."""
    if not data or version(data) in allowed:
        return []
    found = find_in_file(data)
    before = {each.secret for each in find_in_file(known)} if found and known else set()
    return [each for each in found if each.secret not in before]


def version(data: bytes) -> str:
    """The name of exactly this content."""
    return sha256(data).hexdigest()


def load_allowed(root: Path) -> frozenset[str]:
    """The versions that were allowed to travel with a credential, on this machine."""
    return frozenset(_listed(root))


def allow(root: Path, data: bytes) -> None:
    """Let exactly this content travel, whatever it holds."""
    listed = [*(each for each in _listed(root) if each != version(data)), version(data)]
    write_atomic(root / ALLOWED_NAME, json.dumps({"versions": listed[-_MOST_ALLOWED:]}).encode())


def _listed(root: Path) -> list[str]:
    found = read_object(root / ALLOWED_NAME).get("versions")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _text(data: bytes) -> str:
    """A file as text; "" for what is none. A file that is no note may be in any encoding."""
    try:
        return decode(data)
    except NoteFormatError:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16", "replace")
        return "" if b"\0" in data[:_BINARY_SAMPLE] else data.decode("utf-8", "replace")


def _pieces(text: str) -> Iterator[tuple[int | None, str]]:
    """The pieces of a file's text, each with its place, or None for a value of the front matter."""
    try:
        front, body = split_text(text)
        values, raw = read_fields(front)
    except NoteFormatError:
        yield 0, text
        return
    yield None, _APART.join(each for name in FIELDS for each in _texts(values.get(name)))
    yield from ((None, block) for key, block in raw.items() if key not in FIELDS)
    yield len(text) - len(body) - text.endswith("\n"), body


def _texts(value: Value) -> list[str]:
    return value if isinstance(value, list) else [value or ""]


def _line(text: str, place: int | None, start: int, secret: str) -> int:
    """The line of a credential; in the front matter, where it was quoted and folded, that of its text."""
    position = max(text.find(secret), 0) if place is None else place + start
    return text.count("\n", 0, position) + 1
