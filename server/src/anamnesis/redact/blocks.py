"""Secrets that span several lines: private keys, and the data of a Kubernetes Secret. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.rules import Rule, Span
from anamnesis.redact.stand_ins import is_stand_in

# A key block as it is in a file, in JSON (`\n`), in JSON within JSON, quoted (`> `) or with line numbers
# in front; it may be cut off before its end.
_BREAK = r"(?:[\s>+|→]|\\{1,8}[nrt]|\d{1,6}(?=[\t→\\]))"
_KEY_HEADER = (
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Subject)[^\n\\]{0,200}(?:\n|\\{1,8}n)[\s>+|]{0,8})"
)
_KEY_LINE = r"[A-Za-z0-9+/=]{16,}"
_KEY_LINES = rf"{_BREAK}{{0,40}}{_KEY_HEADER}{{0,5}}{_KEY_LINE}(?:{_BREAK}{{1,40}}{_KEY_LINE}){{0,2000}}"
_KEY_END = (
    rf"(?:{_BREAK}{{0,40}}[A-Za-z0-9+/=]{{0,80}}{_BREAK}{{0,40}}(?:=[\w+/]{{4}}{_BREAK}{{0,40}})?"
    r"-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5})?"
)
BLOCK_RULES = (
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        rf"-{{4,5}} ?BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)? ?-{{4,5}}{_KEY_LINES}{_KEY_END}",
    ),
    Rule(
        "openvpn-key",
        ("OpenVPN Static key",),
        rf"-----BEGIN OpenVPN Static key V\d-----(?P<secret>(?:{_BREAK}{{1,40}}\w{{12,}}){{1,64}})",
    ),
    Rule("private-key", ("Private-Lines:",), rf"Private-Lines: \d{{1,6}}(?P<secret>{_KEY_LINES})"),
)

# A key whose beginning was cut off, read backwards: its last line may be short, the others are not.
_END_MARK = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_BACK_BREAK = r"(?:[\s>+|→]|[nrt]\\{1,8}|(?<=[\t→\\])\d{1,6})"
_BACKWARDS = re.compile(
    rf"{_BACK_BREAK}{{1,40}}(?:[A-Za-z0-9+/=]{{1,15}}{_BACK_BREAK}{{1,40}})?"
    rf"[A-Za-z0-9+/=]{{16,}}(?:{_BACK_BREAK}{{1,40}}[A-Za-z0-9+/]{{16,}}){{0,2000}}"
)
_LONGEST_KEY = 20_000


def find_cut_keys(text: str) -> Iterator[Span]:
    """Start, end and kind of every private key whose end is present; its beginning may be cut off."""
    for mark in _END_MARK.finditer(text) if "PRIVATE KEY" in text else ():
        before = text[max(mark.start() - _LONGEST_KEY, 0) : mark.start()][::-1]
        if body := _BACKWARDS.match(before):
            yield mark.start() - body.end(), mark.start(), "private-key"


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


def find_manifests(text: str) -> Iterator[Span]:
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
