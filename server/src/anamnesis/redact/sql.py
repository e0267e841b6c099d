"""Secrets in a row that is inserted into a table: the list of columns says which value is one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.rules import Folded, Span
from anamnesis.redact.values import Assignment, is_secret

_HEAD = re.compile(
    r"(?:insert|replace)\s{1,8}(?:\w{1,10}\s{1,8}){0,3}into\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}"
    r"\((?P<columns>[^()]{1,2000})\)\s{0,8}values?\s{0,8}",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\(")
_VALUE = re.compile(
    r"\s{0,8}(?:[NEeb]?'(?P<text>(?:[^'\\\n]|''|\\.){0,1000})'|(?P<bare>[^',()]{0,200}(?:\([^()]{0,200}\))?))\s{0,8}"
)
_MOST_ROWS = 1000


def find_inserted(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each secret among the values of an INSERT."""
    for place in folded.occurrences(("insert", "replace")):
        head = _HEAD.match(folded.text, place)
        columns = _columns(head["columns"]) if head else {}
        if head is None or not columns:
            continue
        for number, start, end in _texts(folded.text, head.end()):
            name = columns.get(number)
            if name and is_secret(Assignment(name, folded.text[start:end], "quoted", is_quoted=True)):
                yield start, end, name.kind


def _columns(listed: str) -> dict[int, Name]:
    """The columns that are named after a secret, by their number."""
    found: dict[int, Name] = {}
    for number, column in enumerate(listed.split(",")):
        title = column.strip('` "[]\n\r\t')
        starts = sorted({place for hint in HINTS if (place := title.lower().find(hint)) >= 0})
        names = (name_at(title, start) for start in starts)
        name = next((each for each in names if each and each.end == len(title)), None)
        if name:
            found[number] = name
    return found


def _texts(text: str, position: int) -> Iterator[tuple[int, int, int]]:
    """The quoted values of each row: the number of the column, start and end."""
    for _ in range(_MOST_ROWS):
        row = _ROW.match(text, position)
        if row is None:
            return
        position, number = row.end(), 0
        while found := _VALUE.match(text, position):
            if found["text"] is not None:
                yield number, *found.span("text")
            position, number = found.end() + 1, number + 1
            if text[found.end() : found.end() + 1] != ",":
                break
