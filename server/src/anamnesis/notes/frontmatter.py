"""The YAML block at the start of a note, as keys and raw text. Pure; knows nothing about notes.

One regular expression covers our writer's form and the plain forms of other tools (`title: "x"`, `tags: [a,
b]`); it is twenty times faster than a YAML parser. Anything else goes to PyYAML. A property test checks that
both give the same result.
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

# For writing: what PyYAML leaves unquoted, which excludes numbers, dates and booleans. Non-ASCII characters
# are checked with `str.isprintable`, because a range of them takes milliseconds to compile.
_INNER = r"(?:[^\x00-\x20:#\x7f]| (?![ #])|:(?=[^ ])|(?<! )#)"
_PLAIN_OUT = re.compile(rf"(?:[^\x00-@\[-`{{-\xaa]|\d(?=.* )(?=.*[A-Za-z]{{2}})){_INNER}*(?<![ :])")
# What PyYAML puts in single quotes, because the first character, a ": " or a " #" is special in YAML.
_QUOTED_OUT = re.compile(r"(?=[#,\[\]{}&*!|>'\"%@`]|.*: |.* #)[^ ](?:[^ ]| (?! ))*(?<! )")
_WIDTH = 80  # PyYAML folds a line at the first space after this column
_NOT_PLAIN = frozenset("true false yes no on off null nan inf".split())
_NAME = re.compile(r"(?=[0-9]*[A-Z])[0-9A-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # ULID, UUID
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_DECIMAL = re.compile(r"\d+\.\d+")
MAX_CHARS = 64_000


def read_fields(front: str) -> tuple[dict[str, Value], dict[str, str]]:
    """Split a front-matter block into values and the raw text of each key, with its newline."""
    if len(front) > MAX_CHARS:
        raise NoteFormatError(f"front matter is longer than {MAX_CHARS} characters; is a --- line missing?")
    block = front + "\n" if front else ""
    return _read_simple(block) or _read_yaml(block)


def write_field(key: str, value: str | float | list[str]) -> str:
    """One key with its value, exactly as `yaml.safe_dump(..., allow_unicode=True)` writes it."""
    if isinstance(value, str):
        if written := _write_text(value, column=len(key) + 2):
            return f"{key}: {written}\n"
    elif isinstance(value, list):
        items = [_write_text(item, column=2) for item in value]
        if all(items):
            return f"{key}:\n" + "".join(f"- {item}\n" for item in items) if items else f"{key}: []\n"
    elif _DECIMAL.fullmatch(repr(value)):
        return f"{key}: {value!r}\n"
    return _dump_yaml({key: value})


def _write_text(text: str, *, column: int) -> str:
    """A string as it is written at this column; "" if only PyYAML can write it."""
    if not text.isprintable():
        return ""
    if TIMESTAMP.fullmatch(text):
        return f"'{text}'"
    if column + text.rfind(" ") > _WIDTH:
        return ""
    if _PLAIN_OUT.fullmatch(text):
        return text if text.lower() not in _NOT_PLAIN else ""
    if _NAME.fullmatch(text):
        return text
    quoted = "'" + text.replace("'", "''") + "'"
    return quoted if _QUOTED_OUT.fullmatch(text) and column + quoted.rfind(" ") <= _WIDTH else ""


def _read_simple(block: str) -> tuple[dict[str, Value], dict[str, str]] | None:
    """The fields of a block in a simple form; None if it needs a YAML parser."""
    # Some unprintable characters are line breaks or escapes in YAML.
    if not block.replace("\n", "").isprintable():
        return None
    found = _FIELD.findall(block)
    raw = {key: text for text, key, _, _ in found}
    if "" in raw or len(raw) < len(found) or any(scalar and items for _, _, scalar, items in found):
        return None
    return {
        key: [_item(row.strip(" ")[2:].strip(" ")) for row in items[1:].split("\n")]
        if items
        else _scalar(scalar)
        for _, key, scalar, items in found
    }, raw


def _scalar(text: str) -> Value:
    first = text[:1]
    if first == "[":
        return [_item(item) for item in _FLOW_ITEMS.findall(text[1:-1])]
    if first in _QUOTES:
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


def _read_yaml(block: str) -> tuple[dict[str, Value], dict[str, str]]:
    from anamnesis.notes import yaml_block  # importing it takes 20 ms, and few notes need it

    return yaml_block.read(block)


def _dump_yaml(mapping: dict[str, str | float | list[str]]) -> str:
    from anamnesis.notes import yaml_block

    return yaml_block.dump(mapping)
