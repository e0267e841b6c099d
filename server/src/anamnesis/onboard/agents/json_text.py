"""Edits the text of a JSON object: members that do not change keep their bytes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\r?\n([ \t]+)$")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of the object: its text, and the space before it and after it."""

    key: str
    lead: str
    text: str
    gap: str


def edited(text: str, settings: dict[str, object]) -> str | None:
    """`text`, an object, changed to say `settings`; None when that cannot be done member by member."""
    try:
        start = _after_space(text, int(text.startswith("\ufeff")))
        members, end = _members(text, start + 1)
        known = json.loads(text[start:end])
    except (ValueError, IndexError, RecursionError):
        return None
    if len(known) != len(members):
        return None  # a key that is there twice
    lead = members[-1].lead if members else "\n  "
    indent = found[1] if (found := _INDENT.search(lead)) else None
    kept = {each.key: each for each in members}
    parts = [
        kept[key]
        if key in kept and known[key] == value
        else _Member(key, kept[key].lead if key in kept else lead, _dumped(key, value, indent, lead), "")
        for key, value in settings.items()
    ]
    tail = members[-1].gap if members else "\n"
    # The space before the closing brace stays there when another member becomes the last.
    closing = members[-1] if members else None
    inner = ",".join(each.lead + each.text + ("" if each is closing else each.gap) for each in parts[:-1])
    last = (("," if inner else "") + parts[-1].lead + parts[-1].text + tail) if parts else ""
    result = f"{text[: start + 1]}{inner}{last}}}{text[end:]}"
    return result if _says(result[start:], settings) else None


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """The members of the object whose brace is before `at`, and where the object ends."""
    members: list[_Member] = []
    while True:
        start = _after_space(text, at)
        if text[start] == "}" and not members:
            return members, start + 1
        key, colon = _DECODER.raw_decode(text, start)
        if not isinstance(key, str) or text[colon := _after_space(text, colon)] != ":":
            raise ValueError(start)
        _, end = _DECODER.raw_decode(text, _after_space(text, colon + 1))
        after = _after_space(text, end)
        members.append(_Member(key, text[at:start], text[start:end], text[end:after]))
        if text[after] == "}":
            return members, after + 1
        if text[after] != ",":
            raise ValueError(after)
        at = after + 1


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _dumped(key: str, value: object, indent: str | None, lead: str) -> str:
    """A member as text, in the indentation of its file."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if any("\ud800" <= char <= "\udfff" for char in text + key):
        text = json.dumps(value, indent=indent)  # a lone surrogate cannot be encoded
    lines = text.split("\n")
    return f"{json.dumps(key)}: " + (("\r\n" if "\r" in lead else "\n") + (indent or "")).join(lines)


def _says(text: str, settings: dict[str, object]) -> bool:
    try:
        return bool(json.loads(text.removeprefix("\ufeff")) == settings)
    except ValueError:
        return False
