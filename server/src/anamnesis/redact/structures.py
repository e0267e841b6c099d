"""Secrets in structures: lists, tables, INSERT statements, Kubernetes manifests, key blocks. Pure.

A list or a column is named after its secrets. Every value of a Kubernetes Secret is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.rules import Folded, Span
from anamnesis.redact.stand_ins import is_stand_in
from anamnesis.redact.values import Assignment, is_secret
from anamnesis.redact.words import is_odd


def find_structured(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every secret in an INSERT, a Kubernetes manifest or a truncated key block."""
    yield from _find_inserted(folded)
    yield from _find_in_manifests(folded.text)
    yield from _find_cut_keys(folded.text)


_BLANK = r"(?:\s|\\{1,7}[nrt]){0,60}"
_START = re.compile(
    rf"\\{{0,7}}[\"'`]?[ \t]{{0,8}}[:=][ \t]{{0,8}}(?:(?P<flow>\[(?!\]){_BLANK})|\r?\n(?=[ \t]{{0,40}}- ))"
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
_RULER = re.compile(r"[\s|:+-]*-[\s|:+-]*")
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
        if _RULER.fullmatch(text, start, end):
            continue
        if text.count(separator, start, end) != cells:
            return
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


def _find_inserted(folded: Folded) -> Iterator[Span]:
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


_DOCUMENT = re.compile(r"^(?=---[ \t]*$)", re.MULTILINE)
_SECRET_KIND = re.compile(r"^[ \t]*kind:[ \t]*[\"']?Secret[\"']?[ \t]*$", re.MULTILINE)
_DATA = re.compile(r"^(?P<indent>[ \t]*)(?:data|stringData):[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(
    r"(?P<indent>[ \t]*)[\w./\"'-]{1,120}:[ \t]+[\"']?(?P<value>[^\s\"'#|>][^\n\"']{3,4000}?)[\"']?[ \t]*$",
    re.MULTILINE,
)
_JSON_KIND = re.compile(r"\\{0,7}\"kind\\{0,7}\"\s{0,4}:\s{0,4}\\{0,7}\"Secret\\{0,7}\"")
_JSON_DATA = re.compile(r"\"(?:data|stringData)\\{0,7}\"\s{0,4}:\s{0,4}\{(?P<entries>[^{}]{0,200000})\}")
_JSON_ENTRY = re.compile(
    r"\\{0,7}\"[^\"\n\\]{1,253}\\{0,7}\"\s{0,4}:\s{0,4}(?P<open>\\{0,7}\")(?P<value>(?:(?!(?P=open)).){1,100000})(?P=open)"
)
_BRACE = re.compile(r"[{}]")
_OBJECT_REACH = 20_000


def _find_in_manifests(text: str) -> Iterator[Span]:
    """Start, end and kind of every value in the data of a Kubernetes Secret."""
    if "Secret" not in text or "ata" not in text:
        return
    yield from _in_yaml(text)
    for kind in _JSON_KIND.finditer(text):
        for data in _JSON_DATA.finditer(text, *_object_around(text, *kind.span())):
            for entry in _JSON_ENTRY.finditer(text, *data.span("entries")):
                if not is_stand_in(entry["value"]):
                    yield *entry.span("value"), "kubernetes-secret"


def _object_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of the JSON object that directly contains this part of the text, within reach."""
    earliest, latest = max(start - _OBJECT_REACH, 0), min(end + _OBJECT_REACH, len(text))
    depth = 0
    for place in range(start - 1, earliest - 1, -1):
        depth += (text[place] == "}") - (text[place] == "{")
        if depth < 0:
            earliest = place
            break
    depth = 0
    for brace in _BRACE.finditer(text, end, latest):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return earliest, brace.end()
    return earliest, latest


def _in_yaml(text: str) -> Iterator[Span]:
    start = 0
    for document in _DOCUMENT.split(text):
        if _SECRET_KIND.search(document):
            for first, last in _data_values(document):
                yield start + first, start + last, "kubernetes-secret"
        start += len(document)


def _data_values(document: str) -> Iterator[tuple[int, int]]:
    for data in _DATA.finditer(document):
        position = data.end() + 1
        while position < len(document):
            entry = _ENTRY.match(document, position)
            line_end = document.find("\n", position)
            if entry and len(entry["indent"]) <= len(data["indent"]):
                break
            if entry and not is_stand_in(entry["value"]):
                yield entry.span("value")
            if line_end < 0 or not document[position:line_end].startswith((" ", "\t")):
                break
            position = line_end + 1


# A key without its beginning, matched backwards: only its last line may be short.
_END_MARK = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_BACK_BREAK = r"(?:[\s>+|→]|[nrt]\\{1,8}|(?<=[\t→\\])\d{1,6})"
_BACKWARDS = re.compile(
    rf"{_BACK_BREAK}{{1,40}}(?:[A-Za-z0-9+/=]{{1,15}}{_BACK_BREAK}{{1,40}})?"
    rf"[A-Za-z0-9+/=]{{16,}}(?:{_BACK_BREAK}{{1,40}}[A-Za-z0-9+/]{{16,}}){{0,2000}}"
)
_LONGEST_KEY = 20_000


def _find_cut_keys(text: str) -> Iterator[Span]:
    """Start, end and kind of every private key whose end is present; its beginning may be missing."""
    for mark in _END_MARK.finditer(text) if "PRIVATE KEY" in text else ():
        before = text[max(mark.start() - _LONGEST_KEY, 0) : mark.start()][::-1]
        if body := _BACKWARDS.match(before):
            yield mark.start() - body.end(), mark.start(), "private-key"
