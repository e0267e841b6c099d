"""Credentials recognised by their name: `password=...`, `"token": "..."`, `--api-key ...`. Pure.

A reading is one way in which a value can follow a name (`readings`). `names` knows the names, and `values`
decides about the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.readings import READING_PARTS, READING_TABLE, REVERSED
from anamnesis.redact.rules import Folded, Span, filled, table_rows
from anamnesis.redact.sentences import values_later
from anamnesis.redact.structures import column_below, secrets_in_list
from anamnesis.redact.values import Assignment, Form, is_secret
from anamnesis.redact.words import has_all_kinds, is_id, is_odd, reads_as_words, seems_random


def find_keyed(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every value that is assigned to the name of a secret."""
    text = folded.text
    position = 0
    for start in folded.occurrences(HINTS):
        name = name_at(text, start) if start >= position else None
        if name is None or _is_part_of_another(text[max(start - 80, 0) : start]):
            continue
        for begin, end in _values(text, name):
            yield begin, end, name.kind
            position = max(position, end, name.end)
        for begin, end in column_below(text, name):
            if is_secret(Assignment(name, text[begin:end], "prose", is_quoted=True)):
                yield begin, end, name.kind


def _values(text: str, name: Name) -> list[tuple[int, int]]:
    """The secrets in the list after the name, or the first value that is a secret."""
    listed = secrets_in_list(text, name)
    if listed is not None:
        return listed
    found = (
        (begin, _end_of_password(text, end) if not given.is_quoted else end)
        for begin, end, given in _assignments(text, name)
        if is_secret(given)
    )
    return list(islice(found, 1))


def _end_of_password(text: str, end: int) -> int:
    """The end of a bare value, including characters that often end passwords but rarely sentences."""
    while text[end : end + 1] in ("!", "?"):
        end += 1
    return end


def _is_part_of_another(before: str) -> bool:
    """Whether the name is part of a redaction mark or a cloud resource's name, which no value follows."""
    if "[redacted: " not in before and "arn:" not in before:
        return False
    return re.search(r"(?:\[redacted: [a-z0-9-]{0,20}|\barn:[\w:/*-]{0,70})\Z", before) is not None


def _assignments(text: str, name: Name) -> Iterator[tuple[int, int, Assignment]]:
    """The values that may be assigned to the name, by each reading of the text after and before it."""
    for kind, (first, form, expression) in _READINGS.items():
        if first and text[name.end : name.end + 1] not in first:
            continue
        if kind == "after" and (name.kind != "password" or name.is_plural):
            continue
        found = _compiled(expression).match(text, name.end)
        if found and _fits(kind, text, name, found):
            parts = {group: part for group, part in found.groupdict().items() if part}
            group = next(group for group in ("quoted", "fancy", "bare") if group in parts)
            start, end = found.span(group)
            if group == "bare" and kind != "markup":
                end = start + len(_cut(text[start:end], text, name, end))
            after = text[end : end + 24].split("\n", 1)[0]
            if form != "prose" and group != "bare" and "cell" not in parts:
                form = "quoted"
            form = form or _direct_form(text, name, parts, start, end)
            yield start, end, Assignment(name, text[start:end], form, after, is_quoted=group != "bare")
    told = _told_before(text, name)
    if told:
        yield *told.span("bare"), Assignment(name, told["bare"], "prose")
    for begin, end in values_later(text, name):
        yield begin, end, Assignment(name, text[begin:end], "prose")


def _told_before(text: str, name: Name) -> re.Match[str] | None:
    """The value in a sentence such as "... is the password"."""
    before = text[max(name.start - 60, 0) : name.start]
    is_told = before.endswith((" ", "\t")) and any(verb in before for verb in ("is ", "as ", "s ", "("))
    if not is_told or text[name.end : name.end + 1].isalnum():
        return None
    found = _compiled(REVERSED).search(text, max(name.start - 240, 0), name.start)
    # "... is the token bucket" is about something else.
    return found if found and (is_odd(found["bare"]) or not _NOUN.match(text, name.end)) else None


_NOUN = re.compile(
    rf"[ ](?!(?:{READING_PARTS['PREPOSITIONS']}|and|but|so|now|we|I|you|that|which|at|with|by|is|was)\b)[a-z]"
)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    # Compiled on first use, so that a hook without such text does not wait.
    return re.compile(expression, re.VERBOSE | re.IGNORECASE)


_CALL = re.compile(r"(?:[\w$]|(?i:values)[ ])\([ ]?\\{0,7}[\"'][A-Za-z0-9_.#*\[=\"'-]{0,40}\Z")
# `("password", "...")`, `"--token", "..."`
_PAIR = re.compile(r"(?:[(\[{][ ]?\\{0,7}[\"']|[\"']--?)[\w.\[='-]{0,40}\Z")
_SETTER = re.compile(r"(?i)(?:\.|set_?|with_?|use_?|add_?|new[ _]?)\Z")
_BLOCK = re.compile(r"(?:variable|output)[ ]\"\Z")
_FLAG = re.compile(
    r"(?:^|[^A-Za-z0-9]|\\[nrt])(?:--?[\w.-]{0,40}|require|master|bind|root|\#define[ ]+\w{0,30}"
    r"|(?:(?:set|setx|setenv|ENV|add|export)[ ]+(?:-\w{1,4}[ ]+)?|set\(|\((?:setq|def\w{0,12})[ ]+)"
    r"[\w/.:@-]{0,80})\Z"
)


def _fits(kind: str, text: str, name: Name, found: re.Match[str]) -> bool:
    """Whether the text before the name allows the reading."""
    earliest = max(name.start - 60, 0)
    if kind == "argument":
        is_call = bool(found["chained"]) or _CALL.search(text, earliest, name.end) is not None
        is_pair = _PAIR.search(text, earliest, name.end) is not None
        return is_call or (is_pair and seems_random(found["quoted"]))
    if kind == "block":
        return _BLOCK.search(text, earliest, name.start) is not None
    if kind == "call":
        return not name.before or _SETTER.search(text, earliest, name.word_start) is not None
    if kind == "flag":
        is_keyword = found["quoted"] is not None and text[max(name.start - 1, 0) : name.start] == ":"
        return is_keyword or _FLAG.search(text, earliest, name.word_start) is not None
    if kind == "beside":
        return _stands_beside(name, found)
    if kind == "after":
        return is_odd(_told(found))
    if kind in ("bracketed", "asked"):
        return seems_random(found["bare"])
    if kind == "direct" and found["cell"] and found["bare"] and _MORE_IN_CELL.match(text, found.end()):
        return is_odd(found["bare"])
    if kind == "alone":
        # Gradle's `keyPassword "..."`; in other lines a longer name is the first word of a sentence.
        is_setting = name.whole.lower() in ("password", "passwd") or found["quoted"] is not None
        return is_setting and _is_whole_line(text, name, found.end() + (found["quoted"] is not None))
    if kind == "distant" and found["quoted"] is not None:
        return found["quoted"][0].isalnum()
    if kind == "below":
        setting = re.match(r"([A-Za-z_][\w.-]{2,})[=:][^=]", found["bare"])
        is_named = bool(found["sign"].strip()) or (not name.before and _starts_line(text, name))
        head = _head(text, name) or ""
        is_named = is_named or _HEADING.fullmatch(head) is not None
        is_named = is_named or (seems_random(found["bare"]) and _LABEL.fullmatch(head) is not None)
        is_other = (setting and reads_as_words(setting[1])) or _METHOD.match(found["bare"])
        return is_named and not is_other
    return True


_MORE_IN_CELL = re.compile(r"[ \t]+[^\s|]")
_METHOD = re.compile(r"\??\.[A-Za-z_]\w*\(")  # of the value on the line above
_LABEL = re.compile(r"[ \t]{0,3}(?:[A-Za-z-]{1,20} ){0,3}")  # "Secret access key", as a page shows it
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?:[\w-]{1,20} ){0,3}")


_LONG_WORD = 16  # no word of a sentence, if it is not in the list


def _stands_beside(name: Name, found: re.Match[str]) -> bool:
    """Whether the value needs no operator after the name: it looks random, or is a password with a digit."""
    value, is_bare, is_password = _told(found), bool(found["bare"]), name.kind == "password"
    is_sure = is_password or not (name.is_weak or name.is_unsure)
    if name.is_plural or (is_bare and value.isalpha() and value[1:].islower() and len(value) < _LONG_WORD):
        return False
    if is_id(value) and "-" in value and name.kind in ("password", "api-key"):
        return is_sure
    if is_password and re.fullmatch(r"(?=.*[A-Za-z])(?=.*\d)[^./:\s]+", value):
        return True
    is_compound = re.search(r"[./:]" if is_password else r"[-_./:]", value) is not None
    return is_sure and is_odd(value) and not (is_bare and is_compound and not has_all_kinds(value))


def _told(found: re.Match[str]) -> str:
    return found["quoted"] or found["fancy"] or found["bare"].rstrip(".,;:!?)")


_NEXT_SETTING = re.compile(r"[,;&](?P<name>[A-Za-z]{3}[\w .-]{0,40}?)[=:]")


def _cut(value: str, text: str, name: Name, end: int) -> str:
    """A bare value without the next setting, and without the punctuation of a sentence."""
    if text[max(name.start - 1, 0) : name.start] in ("?", "&"):
        value = re.split(r"[&)\]#]", value, maxsplit=1)[0] or value
    for found in _NEXT_SETTING.finditer(value):
        if reads_as_words(found["name"].strip()):
            value = value[: found.start()]
            break
    return value.rstrip("|,;\\") if _is_whole_line(text, name, end) else _without_punctuation(value)


_OPENING = {")": "(", "]": "[", "}": "{"}


def _without_punctuation(value: str) -> str:
    value = value.rstrip(".,;:|\\!?*")
    while value[-1:] in _OPENING and value.count(value[-1]) > value.count(_OPENING[value[-1]]):
        value = value[:-1].rstrip(".,;:")
    return value


def _direct_form(text: str, name: Name, parts: Mapping[str, str], start: int, end: int) -> Form:
    """The form of an assignment, by what is between name and value."""
    if parts.keys() & {"cell", "verb", "dash", "particle"}:
        return "prose"
    sign = parts.get("sign", "")
    if sign in ("=", "%3D", "?=", "＝") and text[name.end : start].strip("\"'`\\*])") == sign:
        return "tight"
    if sign in ("==", "===") or _is_code(text, name, sign, end):
        return "code"
    if "=" in sign:
        return "spaced"
    return "line" if sign == "：" or _is_whole_line(text, name, end) else "prose"


_LINE_HEAD = re.compile(
    r"[\s>+|*#•→\-\d.:)(\\\"'`{\[,]*"
    r"(?:(?:export|set|local|readonly|declare|typeset|ENV|env|-e|--env|-[xg]+|static|public|private)[ \t]+)*"
)
_LINE_END = re.compile(
    r"[ \t]*(?:(?:#|//|--|/\*|;)[^\n]*)?(?:\n|\r|\\{1,7}[nr]|\\{0,7}[\"'`]?\Z|\\{1,7}\")"
    r"|[ \t]*\*{0,3}[ \t]*(?:\||\Z|\n)"
)
_CODE_HEAD = re.compile(
    r"\s*(?:let|const|var|val|auto|final|def|func|fn|public|private|protected|static|mut|pub|int|char|string|String"
    r"|std::string|local)\b.*|.*(?:\b(?:self|this|cls)\.|->|::)|.*\$\w*"
)
_LOOK_BACK = 160


def _head(text: str, name: Name) -> str | None:
    """The line before the name; None if it is too long for a setting."""
    before = text[max(name.start - _LOOK_BACK, 0) : name.start]
    # A line may also end with an escape, as in JSON.
    starts = [before.rfind(mark) + len(mark) for mark in ("\n", "\r", "\\n", "\\r") if mark in before]
    if starts:
        return before[max(starts) :]
    return before if len(before) < _LOOK_BACK else None


def _starts_line(text: str, name: Name) -> bool:
    head = _head(text, name)
    return head is not None and _LINE_HEAD.fullmatch(head) is not None


def _is_whole_line(text: str, name: Name, end: int) -> bool:
    return _starts_line(text, name) and _LINE_END.match(text, end) is not None


def _is_code(text: str, name: Name, sign: str, end: int) -> bool:
    """Whether a bare value is in code, where it is a variable, because strings are quoted there."""
    head = _head(text, name) if "=" in sign else None
    if head is None:
        return False
    return ";" in text[end - 1 : end + 1] or _CODE_HEAD.fullmatch(head + name.before) is not None


def _readings() -> Iterator[tuple[str, tuple[str, Form | None, str]]]:
    for head, pattern in table_rows(READING_TABLE):
        kind, form, first = head.split()
        characters = "" if first == "any" else first.encode().decode("unicode_escape")
        yield kind, (characters, _FORMS.get(form), filled(pattern, READING_PARTS))


_FORMS: dict[str, Form] = {"below": "below", "flag": "flag", "prose": "prose", "tight": "tight"}
# By reading: the characters that can come right after the name (empty: any), the form, and the expression.
_READINGS = dict(_readings())
