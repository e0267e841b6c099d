"""Lists that are named after secrets: `tokens: ["...", "..."]`, and YAML's lines with a dash. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import Name
from anamnesis.redact.odd import is_odd
from anamnesis.redact.values import Assignment, is_secret

_BLANK = r"(?:\s|\\{1,7}[nrt]){0,60}"
_START = re.compile(
    rf"\\{{0,7}}[\"'`]?[ \t]{{0,8}}[:=][ \t]{{0,8}}(?:(?P<flow>\[{_BLANK})|\r?\n(?=[ \t]{{0,40}}- ))"
)
_FLOW_ITEM = re.compile(
    r"(?:(?P<open>\\{0,7}[\"'])(?P<quoted>(?:(?!(?P=open))[^\n]){1,400})(?P=open)"
    rf"|(?P<bare>[^\s\"'`,\[\]{{}}\\]{{1,300}})){_BLANK}(?:,{_BLANK}|(?=\]))"
)
_BLOCK_ITEM = re.compile(
    r"[ \t]{0,40}-[ \t]{1,8}(?:(?P<open>[\"'])(?P<quoted>(?:(?!(?P=open))[^\n]){1,400})(?P=open)"
    r"|(?P<bare>[^\s\"'`#&*!|>][^\s]{0,300}))[ \t]{0,40}(?:#[^\n]{0,200})?(?:\r?\n|\Z)"
)
_MOST_ITEMS = 1000
# Tokens are also the parts of a text.
_SHORTEST = 8
_LONG = 12


def secrets_in_list(text: str, name: Name) -> list[tuple[int, int]] | None:
    """Start and end of each secret in the list after the name; None if there is no list."""
    start = _START.match(text, name.end)
    if start is None:
        return None
    items = _items(text, start.end(), _FLOW_ITEM if start["flow"] else _BLOCK_ITEM)
    return [item for item in items if _counts(name, text[slice(*item)])]


def _items(text: str, position: int, item: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ITEMS):
        found = item.match(text, position)
        if found is None:
            return
        yield found.span("quoted" if found["quoted"] else "bare")
        position = found.end()


def _counts(name: Name, value: str) -> bool:
    if name.whole.lower() == "tokens" and not _is_no_part_of_a_text(value):
        return False
    return is_secret(Assignment(name, value, "prose", is_quoted=True))


def _is_no_part_of_a_text(value: str) -> bool:
    """Whether the value is not a token of a text: those are short, in one case, without digits."""
    if len(value) < _LONG:
        return len(value) >= _SHORTEST and is_odd(value)
    return (
        value[1:] not in (value[1:].lower(), value[1:].upper())
        or any(map(str.isdigit, value))
        or is_odd(value)
    )
