"""The YAML block at the head of a note, as keys and raw text. Pure: no files, no idea of what a note is.

The form that our own writer produces is read and written by hand, several times faster than a YAML
parser; anything else goes to PyYAML. Both ways give the same answer, and a property test holds them to it.
"""

from __future__ import annotations

import re

from anamnesis.errors import NoteFormatError

# A scalar is its text as written ("2026-01-01" stays a string), a list is a list of such texts.
Value = str | list[str] | None

_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*))?$")
# What PyYAML leaves unquoted whatever the context: no indicator, no ": ", no " #", nothing that looks
# like a number, a date or a truth value.
_PLAIN_OUT = re.compile(r"[A-Za-z](?:(?:[A-Za-z0-9_./@()+=;,-]| (?! )|:(?=[^ \n]))*[A-Za-z0-9_./@()+])?")
_PLAIN_IN = re.compile(r"[^\W_](?:[^:#\n]|:(?=[^ \n])|(?<=\S)#)*")
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE = re.compile(r'"([^"\\]*)"')
_ULID = re.compile(r"(?=[0-9]*[A-Z])[0-9A-Z]{26}")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_NOT_PLAIN = frozenset("true false yes no on off null nan inf".split())
_MAX_CHARS = 256_000


def read_fields(front: str) -> tuple[dict[str, Value], dict[str, str]]:
    """Split a front-matter block into its values and the raw text of each key (with its newline)."""
    if len(front) > _MAX_CHARS:
        raise NoteFormatError(f"front matter is longer than {_MAX_CHARS} characters; is a --- line missing?")
    raw = _raw_blocks(front)
    if raw is None:
        return _read_yaml(front)
    values: dict[str, Value] = {}
    for key, block in raw.items():
        value = _simple_value(block)
        if value is _NOT_SIMPLE:
            return _read_yaml(front)
        values[key] = value  # type: ignore[assignment]  # the sentinel is gone here
    return values, raw


def write_field(key: str, value: str | float | list[str]) -> str:
    """One key with its value, byte for byte as `yaml.safe_dump(..., allow_unicode=True)` writes it."""
    if isinstance(value, str):
        if _is_plain(value) and len(key) + len(value) < 78:
            return f"{key}: {value}\n"
        if _TIMESTAMP.fullmatch(value):
            return f"{key}: '{value}'\n"
    elif isinstance(value, list):
        if not value:
            return f"{key}: []\n"
        if all(_is_plain(item) and len(item) < 76 for item in value):
            return f"{key}:\n" + "".join(f"- {item}\n" for item in value)
    return _dump_yaml({key: value})


def _is_plain(text: str) -> bool:
    if _PLAIN_OUT.fullmatch(text):
        return text.lower() not in _NOT_PLAIN and not text.startswith("---")
    return _ULID.fullmatch(text) is not None


_NOT_SIMPLE = object()


def _raw_blocks(front: str) -> dict[str, str] | None:
    """The text of each top-level key, or None when the block is not plain `key: value` lines."""
    blocks: dict[str, str] = {}
    key = ""
    for line in front.split("\n"):
        if not line:
            if key:
                return None  # blank lines mean something inside a scalar; leave them to YAML
            continue
        if line[0] in " -":
            if not key:
                return None
            blocks[key] += line + "\n"
            continue
        found = _KEY.match(line)
        if not found or found[1] in blocks:
            return None
        key = found[1]
        blocks[key] = line + "\n"
    return blocks


def _simple_value(block: str) -> object:
    """The value of one `key: value` block, or _NOT_SIMPLE when only a YAML parser can tell."""
    head, *rest = block[:-1].split("\n")
    text = head.partition(":")[2].strip(" ")
    if not rest:
        return _simple_scalar(text) if not text.startswith("[") else _simple_flow(text)
    if not text:
        return _simple_list(rest)
    if any(line[0] != " " for line in rest):
        return _NOT_SIMPLE
    # A long scalar that the writer folded: line breaks inside it stand for single blanks.
    if text.startswith('"') or any(line.rstrip(" ") != line for line in (head, *rest)):
        return _NOT_SIMPLE
    parts = [text, *(line.strip(" ") for line in rest)]
    if not text.startswith("'") and not all(_PLAIN_IN.fullmatch(part) for part in parts):
        return _NOT_SIMPLE
    return _simple_scalar(" ".join(parts))


def _simple_scalar(text: str) -> object:
    if not text or text in ("~", "null", "Null", "NULL"):
        return None
    if not text.isprintable():
        return _NOT_SIMPLE  # YAML has line breaks and escapes of its own among these
    if text[0] == "'":
        quoted = _SINGLE.fullmatch(text)
        return quoted[1].replace("''", "'") if quoted else _NOT_SIMPLE
    if text[0] == '"':
        quoted = _DOUBLE.fullmatch(text)
        return quoted[1] if quoted else _NOT_SIMPLE
    if _PLAIN_IN.fullmatch(text) and text[-1] != ":":
        return text
    return _NOT_SIMPLE


def _simple_list(lines: list[str]) -> object:
    items: list[str] = []
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    for line in lines:
        if line[:indent].strip() or not line.startswith("- ", indent):
            return _NOT_SIMPLE
        item = _simple_scalar(line[indent + 2 :].strip(" "))
        if not isinstance(item, str) or ": " in line:
            return _NOT_SIMPLE
        items.append(item)
    return items


def _simple_flow(text: str) -> object:
    if text == "[]":
        return []
    inner = text[1:-1]
    if not text.endswith("]") or any(mark in inner for mark in "[]{}'\"&*"):
        return _NOT_SIMPLE
    items = [_simple_scalar(part.strip(" ")) for part in inner.split(",")]
    return items if all(isinstance(item, str) for item in items) else _NOT_SIMPLE


def _read_yaml(front: str) -> tuple[dict[str, Value], dict[str, str]]:
    from anamnesis import yaml_block  # 20 ms that only a hand-written front matter is worth

    return yaml_block.read(front)


def _dump_yaml(mapping: dict[str, str | float | list[str]]) -> str:
    from anamnesis import yaml_block

    return yaml_block.dump(mapping)
