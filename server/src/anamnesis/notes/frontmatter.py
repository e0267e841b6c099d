"""The YAML block at the start of a note, as keys and raw text. Pure; knows nothing about notes.

One regular expression reads the usual forms, as we and other tools write them (`title: "x"`, `tags: [a, b]`);
it is twenty times faster than a YAML parser. Anything else goes to PyYAML, which also writes. A property test
checks that both give the same result.
"""

from __future__ import annotations

import re

from anamnesis.errors import NoteFormatError

# A scalar is its text as written ("2026-01-01" stays a string), a list is a list of strings.
Value = str | list[str] | None

# For reading: unquoted text that can only be a string: no indicator, no ": ", no " #".
PLAIN = r"[^\W_][^:#\n]*(?:(?::(?=[^ \n])|(?<=\S)#)[^:#\n]*)*"
_QUOTED = r"'(?:[^'\n]|'')*'|\"[^\"\\\n]*\""
_ITEM = f"(?:{_QUOTED}|{PLAIN})"
_FLOW_ITEM = rf"(?:{_QUOTED}|[^\W_](?:[^:#,\[\]{{}}'\"\n]*[^:#,\[\]{{}}'\"\s])?)"
_FLOW = rf"\[ *(?:{_FLOW_ITEM} *(?:, *{_FLOW_ITEM} *)*)?\]"
_FIELD = re.compile(
    r"(([A-Za-z_][A-Za-z0-9_-]*):"
    rf"(?: +({PLAIN}(?:\n  {PLAIN})*|'[^'\n]*(?:(?:''|\n  (?=\S))[^'\n]*)*'|\"[^\"\\\n]*\"|{_FLOW}) *)?"
    rf"((?:\n- {_ITEM})+|(?:\n  - {_ITEM})+)?\n)"
    # Match the rest in one piece: otherwise the search would try every position in it.
    r"|[\s\S]+"
)
_FOLD = re.compile(r" *\n *")
_FLOW_ITEMS = re.compile(_FLOW_ITEM)
_QUOTES = ("'", '"')
_NULLS = frozenset(("", "null", "Null", "NULL"))

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
MAX_CHARS = 64_000


def read_fields(front: str) -> tuple[dict[str, Value], dict[str, str]]:
    """Split a front-matter block into values and the raw text of each key, with its newline."""
    if len(front) > MAX_CHARS:
        raise NoteFormatError(f"front matter is longer than {MAX_CHARS} characters; is a --- line missing?")
    block = front + "\n" if front else ""
    if simple := _read_simple(block):
        return simple
    from anamnesis.notes import yaml_block  # importing it takes 20 ms, and few notes need it

    return yaml_block.read(block)


def _read_simple(block: str) -> tuple[dict[str, Value], dict[str, str]] | None:
    """The fields of a block in a simple form; None if it needs a YAML parser."""
    # Some unprintable characters are line breaks or escapes in YAML.
    if not block.replace("\n", "").isprintable():
        return None
    values: dict[str, Value] = {}
    raw: dict[str, str] = {}
    for text, key, scalar, items in _FIELD.findall(block):
        if not text or key in values or (scalar and items):
            return None
        rows = [row.strip(" ")[2:].strip(" ") for row in items[1:].split("\n")] if items else []
        values[key] = [_item(row) for row in rows] if rows else _scalar(scalar)
        raw[key] = text
    return values, raw


def _scalar(text: str) -> Value:
    if text[:1] == "[":
        return [_item(item) for item in _FLOW_ITEMS.findall(text[1:-1])]
    if text[:1] in _QUOTES:
        return _unquoted(text)
    if "\n" in text:
        text = _FOLD.sub(" ", text)
    text = text.rstrip(" ")
    return None if text in _NULLS else text


def _item(text: str) -> str:
    return _unquoted(text) if text[0] in _QUOTES else text


def _unquoted(text: str) -> str:
    inner = text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
    return _FOLD.sub(" ", inner) if "\n" in inner else inner
