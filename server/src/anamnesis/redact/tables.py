"""The values below a column that is named after a secret, in markdown tables and in CSV. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import Name

_RULER = re.compile(r"[\s|:-]*-[\s|:-]*")
_CSV_HEAD = re.compile(r"\"?[A-Za-z][\w .-]*\"?(?:[,;\t]\"?[A-Za-z][\w.-]*(?: [\w.-]+)*\"?)+")
_AROUND = ' `*"_\r'  # what may surround the name in its cell
_MOST_ROWS = 1000
_LONGEST_LINE = 1000


def column_below(text: str, name: Name) -> Iterator[tuple[int, int]]:
    """Start and end of each cell in the column whose header is the name, if it is one."""
    separator = _separator(text, name)
    if separator is None:
        return
    start, end = _line(text, name.start)
    column, cells = text.count(separator, start, name.start), text.count(separator, start, end)
    is_first = start == 0 or text.count(separator, *_line(text, start - 1)) != cells
    if not is_first or (separator == "|" and not _RULER.fullmatch(text, *_line(text, end + 1))):
        return
    for _ in range(_MOST_ROWS):
        start, end = _line(text, end + 1)
        if text.count(separator, start, end) != cells:
            return
        if not _RULER.fullmatch(text, start, end):
            yield _cell(text, separator, column, start, end)


def _separator(text: str, name: Name) -> str | None:
    """What separates the cells of the line, if the name fills one of them."""
    after = text[name.end : name.end + 8].lstrip(_AROUND)[:1]
    before = text[max(name.start - 8, 0) : name.start].rstrip(_AROUND)[-1:]
    sign = before if before.strip("\n") else after.strip("\n")
    if sign not in ("|", ",", ";", "\t") or not {before, after} <= {sign, "\n", ""}:
        return None
    if sign == "|":
        return sign
    start, end = _line(text, name.start)
    return sign if _CSV_HEAD.fullmatch(text, start, end) else None


def _line(text: str, place: int) -> tuple[int, int]:
    """Start and end of the line, or of the part near the position in a very long one."""
    earliest, latest = max(place - _LONGEST_LINE, 0), min(place + _LONGEST_LINE, len(text))
    start, end = text.rfind("\n", earliest, place), text.find("\n", place, latest)
    return max(start + 1, earliest), end if end >= 0 else latest


def _cell(text: str, separator: str, column: int, start: int, end: int) -> tuple[int, int]:
    for _ in range(column):
        start = text.index(separator, start, end) + 1
    last = text.find(separator, start, end)
    cell = text[start : last if last >= 0 else end]
    start += len(cell) - len(cell.lstrip(_AROUND))
    return start, start + len(cell.strip(_AROUND))
