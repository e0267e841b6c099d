"""Lists and columns that are named after secrets: JSON and YAML lists, markdown tables, CSV, INSERT. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.rules import Folded, Span
from anamnesis.redact.values import Assignment, is_secret
from anamnesis.redact.words import is_odd

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
# "Tokens" are also the parts of a text.
_SHORTEST = 8
_LONG = 12
_RULER = re.compile(r"[\s|:-]*-[\s|:-]*")
_CSV_HEAD = re.compile(r"\"?[A-Za-z][\w .-]*\"?(?:[,;\t]\"?[A-Za-z][\w.-]*(?: [\w.-]+)*\"?)+")
_AROUND = ' `*"_\r'  # characters that may surround the name in its cell
_MOST_ROWS = 1000  # of a table, a list or an INSERT
_LONGEST_LINE = 1000


def secrets_in_list(text: str, name: Name) -> list[tuple[int, int]] | None:
    """Start and end of each secret in the list after the name; None if there is no list."""
    start = _START.match(text, name.end)
    if start is None:
        return None
    items = _items(text, start.end(), _FLOW_ITEM if start["flow"] else _BLOCK_ITEM)
    return [item for item in items if _counts(name, text[slice(*item)])]


def _items(text: str, position: int, item: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ROWS):
        found = item.match(text, position)
        if found is None:
            return
        yield found.span("quoted" if found["quoted"] else "bare")
        position = found.end()


def _counts(name: Name, value: str) -> bool:
    if name.whole.lower() == "tokens" and _is_part_of_a_text(value):
        return False
    return is_secret(Assignment(name, value, "prose", is_quoted=True))


def _is_part_of_a_text(value: str) -> bool:
    """Whether the value is a token of a text: short or word-like, in one case and without digits."""
    if len(value) < _LONG:
        return len(value) < _SHORTEST or not is_odd(value)
    is_one_case = value[1:] in (value[1:].lower(), value[1:].upper())
    return is_one_case and not any(map(str.isdigit, value)) and not is_odd(value)


def column_below(text: str, name: Name) -> Iterator[tuple[int, int]]:
    """Start and end of each cell in the column whose header is the name, if there is one."""
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
    """Start and end of the line, or of the part near the position if it is very long."""
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


_INSERT = re.compile(
    r"(?:insert|replace)\s{1,8}(?:\w{1,10}\s{1,8}){0,3}into\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}"
    r"\((?P<columns>[^()]{1,2000})\)\s{0,8}values?\s{0,8}",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\(")
_INSERTED = re.compile(
    r"\s{0,8}(?:[NEeb]?'(?P<text>(?:[^'\\\n]|''|\\.){0,1000})'|(?P<bare>[^',()]{0,200}(?:\([^()]{0,200}\))?))\s{0,8}"
)


def find_inserted(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each secret among the values of an INSERT."""
    for place in folded.occurrences(("insert", "replace")):
        head = _INSERT.match(folded.text, place)
        columns = _columns(head["columns"]) if head else {}
        if head is None or not columns:
            continue
        for number, start, end in _inserted_texts(folded.text, head.end()):
            name = columns.get(number)
            if name and is_secret(Assignment(name, folded.text[start:end], "quoted", is_quoted=True)):
                yield start, end, name.kind


def _columns(listed: str) -> dict[int, Name]:
    """The numbers of the columns that are named after a secret."""
    found: dict[int, Name] = {}
    for number, column in enumerate(listed.split(",")):
        title = column.strip('` "[]\n\r\t')
        starts = sorted({place for hint in HINTS if (place := title.lower().find(hint)) >= 0})
        names = (name_at(title, start) for start in starts)
        name = next((each for each in names if each and each.end == len(title)), None)
        if name:
            found[number] = name
    return found


def _inserted_texts(text: str, position: int) -> Iterator[tuple[int, int, int]]:
    """The quoted values of each row: the number of the column, start and end."""
    for _ in range(_MOST_ROWS):
        row = _ROW.match(text, position)
        if row is None:
            return
        position, number = row.end(), 0
        while found := _INSERTED.match(text, position):
            if found["text"] is not None:
                yield number, *found.span("text")
            position, number = found.end() + 1, number + 1
            if text[found.end() : found.end() + 1] != ",":
                break
