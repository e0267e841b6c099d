"""Credentials recognised by form or position: an issuer's prefix, a header, a command, a URL, a key block.

`issuers.txt` and `positions.txt` hold the rules. Issuers' prefixes are looked up at the start of every word;
any other rule is tried only if one of its hints is in the text, which is lower-cased once. Backtracking is
bounded per character.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from anamnesis.redact.values import (
    data_file,
    has_all_kinds,
    is_long_random,
    is_odd,
    is_path,
    is_stand_in,
    reads_as_words,
    seems_random,
)

Span = tuple[int, int, str]  # start, end, kind
_Match = re.Match[str]
_Judge = Callable[[_Match], bool]


class Folded:
    """A text with a lower-case form of the same length, built once and searched for many words."""

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        # A few upper-case letters have longer lower-case forms.
        self.lower = lower if len(lower) == len(text) else "".join(char.lower()[:1] for char in text)

    def occurrences(self, words: tuple[str, ...]) -> list[int]:
        """The positions at which any of these lower-case words starts, in order."""
        places: set[int] = set()
        for word in words:
            place = self.lower.find(word)
            while place >= 0:
                places.add(place)
                place = self.lower.find(word, place + 1)
        return sorted(places)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One form of credential; the group `secret`, if there is one, or else the whole match is removed.

    A pattern that ignores case starts with one of its hints, which are in lower case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    judge: _Judge | None = None
    ignores_case: bool = False


def find_shaped(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every credential whose form or position is known."""
    text = folded.text
    yield from _find_issued(text)
    yield from _find_private_keys(text)
    yield from _find_in_manifests(text)
    for rule in _rules():
        searched = folded.lower if rule.ignores_case else text
        for hint in rule.hints:  # `any` takes twice as long, and this is most of what a harmless text costs
            if hint in searched:
                yield from _judged(rule, text, _matches(rule, folded))
                break


def _matches(rule: _Rule, folded: Folded) -> Iterator[_Match]:
    pattern = _compiled(rule.pattern)
    if not rule.ignores_case:
        yield from pattern.finditer(folded.text)
        return
    # A case-insensitive search would try every position in the text.
    position = 0
    for place in folded.occurrences(rule.hints):
        found = pattern.match(folded.text, place) if place >= position else None
        if found:
            position = found.end()
            yield found


def _judged(rule: _Rule, text: str, matches: Iterable[_Match]) -> Iterator[Span]:
    """The matches that are credentials, as spans to remove."""
    for found in matches:
        group = "secret" if "secret" in found.re.groupindex else 0
        is_sample = rule.judge in (None, _is_not_a_name) and _PLACEHOLDER.search(found[group])
        if is_sample or not _BOUNDARY.match(text, found.start()):
            continue
        if rule.judge is None or rule.judge(found):
            yield found.start(group), found.end(group), rule.kind


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


# What documentation shows instead of a key.
_PLACEHOLDER = re.compile(
    r"(?i)x{8}|\*{4}|\.{3}|your[-_]|[-_]here\b|placeholder|replace[-_]?me|\[redacted|\$\{|\{\{|<[a-z]{3,}>"
    r"|(?-i:EXAMPLE)"
)
# Not inside a word; `\n` and `%3D` before a match are escapes.
_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_BOUNDARY = re.compile(rf"(?![A-Za-z0-9])|{_BEFORE}")
_START = re.compile(rf"{_BEFORE}(?=[A-Za-z0-9$_][!-~]{{11}})")
_Candidates = tuple[tuple[str, _Rule], ...]  # prefix and rule


def _find_issued(text: str) -> Iterator[Span]:
    """Keys with a known prefix, and keys of issuers without one."""
    by_start, without_prefix = _issued()
    any_without_prefix = _compiled("|".join(rule.pattern for _, rule in without_prefix))
    position = 0
    for place in _START.finditer(text):
        start = place.start()
        if start < position:
            continue
        candidates = by_start.get(text[start : start + 2], ())
        if any_without_prefix.match(text, start):
            candidates += without_prefix
        for prefix, rule in candidates:
            found = _compiled(rule.pattern).match(text, start) if text.startswith(prefix, start) else None
            if found:
                position = found.end()
                yield from _judged(rule, text, (found,))
                break


_NAME = re.compile(r"[a-z]{1,20}(?:[-_.][a-z]{1,20})+[-_.]?|[A-Z]{1,20}(?:[-_][A-Z]{1,20})+")


def _is_not_a_name(found: _Match) -> bool:
    """Whether an issuer's prefix is not followed by words, unlike in `hf_hub_download`."""
    body = found["body"] if "body" in found.re.groupindex else found[0]
    return not _NAME.fullmatch(body) and not reads_as_words(body)


# An unknown prefix followed by random text: longer than an id, with upper case, lower case and digits. Hashes
# and public keys are left alone.
_UNKNOWN_ISSUER = _Rule(
    "token",
    (),
    r"(?!sha\d|pk[_-]|phc_|sb_publishable_)[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,12}){0,2}[_-]"
    r"(?=[A-Za-z]{0,60}\d)(?=[a-z0-9]{0,60}[A-Z])(?=[A-Z0-9]{0,60}[a-z])[A-Za-z0-9]{40,200}(?![\w+/=-])",
    _is_not_a_name,
)
_ISSUER_PARTS = {
    "UUID": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "A": "[A-Za-z0-9]",
    "X": "[0-9a-f]",
}


def _issuer_rows() -> Iterator[list[str]]:
    for row in _filled(data_file("issuers.txt"), _ISSUER_PARTS).splitlines():
        if not row.startswith("#"):
            yield row.split()


@cache
def _issued() -> tuple[dict[str, _Candidates], _Candidates]:
    """The issuers' rules by the first two characters of their prefix, and the rules without a prefix."""
    by_start: dict[str, _Candidates] = {}
    without_prefix: _Candidates = (("", _UNKNOWN_ISSUER),)
    for kind, listed, body in _issuer_rows():
        if listed == "-":
            without_prefix += (("", _Rule(kind, (), body, _is_not_a_name)),)
        elif not listed.startswith("@"):
            choice = "|".join(map(re.escape, listed.split(",")))
            rule = _Rule(kind, (), f"(?:{choice})(?P<body>{body})", _is_not_a_name)
            for prefix in listed.split(","):
                by_start[prefix[:2]] = (*by_start.get(prefix[:2], ()), (prefix, rule))
    return by_start, without_prefix


@cache
def _rules() -> tuple[_Rule, ...]:
    """The rules that are tried if one of their hints is in the text."""
    rules = [
        _Rule(kind, (hint[1:],), body, _is_not_a_name)
        for kind, hint, body in _issuer_rows()
        if hint.startswith("@")
    ]
    parts: dict[str, str] = {}
    for row in re.split(r"\n(?=\S)", re.sub(r"(?m)^#.*\n|^\n", "", data_file("positions.txt"))):
        head, *lines = row.splitlines()
        if part := re.match(r"([A-Z_]+) = (.*)", head):
            parts[part[1]] = _filled(part[2], parts)
            continue
        kind, judge, listed = head.split(None, 2)
        hints = tuple(_filled(listed, parts).split("|"))
        any_hint = f"(?:{'|'.join(map(re.escape, hints))})"
        pattern = _filled("".join(map(str.strip, lines)), {**parts, "HINT": any_hint})
        rules.append(_Rule(kind, hints, pattern, _JUDGES[judge], pattern.startswith("(?i)")))
    return tuple(rules)


def _filled(text: str, parts: dict[str, str]) -> str:
    return re.sub(r"\{([A-Z_]+)\}", lambda found: parts[found[1]], text)


def _is_value(found: _Match) -> bool:
    return not is_stand_in(found["secret"])


def _is_not_a_word(found: _Match) -> bool:
    return _is_value(found) and not reads_as_words(found["secret"].strip(".,;:!?()="))


def _holds_a_key(found: _Match) -> bool:
    return b"PRIVATE KEY" in base64.b64decode(found[0][: min(len(found[0]), 120) // 4 * 4])


def _holds_a_login(found: _Match) -> bool:
    login = base64.b64decode(found["secret"][: len(found["secret"].rstrip("=")) // 4 * 4])
    return b":" in login and login.isascii() and login.decode().isprintable()


def _is_real_login(found: _Match) -> bool:
    """Whether the password is not just a word for one or a variable."""
    return _is_value(found) and not found["secret"].startswith(("${", "$(", "{", "<", "%("))


def _is_argument(found: _Match) -> bool:
    """Whether an option is followed by a password, not by the next option, a path or a port."""
    secret = found["secret"]
    if found.string[found.start("secret") - 1].isspace() and secret.startswith(("-", "/")):
        return False
    return _is_value(found) and not secret.isdigit()


_SYMBOL = re.compile(r"[-_!#$%&*+=?@^~.]")
_DATED = re.compile(r".*\d{4}-\d\d-\d\d.*|.*\d\.\d.*|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/.*)?")


def _is_odd_password(found: _Match) -> bool:
    """Whether the value looks like a password, not like a word, a path, a host or a version."""
    value = found["secret"].rstrip(".,;:!?)")
    user = found.groupdict().get("user") or ""
    if not _is_not_a_word(found) or value.isdigit() or is_path(value) or is_path(f"{user}/{value}"):
        return False
    is_strong = has_all_kinds(value) and _SYMBOL.search(value) is not None and not _DATED.fullmatch(value)
    return seems_random(value) or is_strong


_STORES = re.compile(
    r"kubectl (?:[^\n]{0,200} )?create secret\b|(?:fly|flyctl|supabase|infisical|doppler) secrets set\b"
)


def _is_stored(found: _Match) -> bool:
    """Whether the assignment is an argument of a command that stores secrets: `fly secrets set X=...`."""
    before = found.string[max(found.start() - 2000, 0) : found.start()]
    command = re.split(r"(?<!\\)(?<!\\\r)\n|[;|]|&&", before)[-1]
    return _STORES.search(command) is not None and _is_value(found)


def _is_random_value(found: _Match) -> bool:
    value = found["secret"]
    return _is_value(found) and (is_long_random(value) or is_odd(value)) and not is_path(value)


_JUDGES: dict[str, _Judge | None] = {
    "always": None,
    "value": _is_value,
    "no-word": _is_not_a_word,
    "base64-key": _holds_a_key,
    "base64-login": _holds_a_login,
    "login": _is_real_login,
    "argument": _is_argument,
    "odd": _is_odd_password,
    "stored": _is_stored,
    "random": _is_random_value,
}

_KEY_MARK = re.compile(
    r"-{4,5} ?(?P<edge>BEGIN|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-{4,5}"
)
_REACH = 20_000  # characters of a key, with what stands before each line, and of a JSON object
_MOST_GAPS = 5  # lines in a row without a run of base64: headers, a blank line
_LONG_RUN = 40
_RUN = re.compile(r"(?=[A-Za-z+/]{0,80}\d)(?=[\d+/]{0,80}[A-Za-z])[A-Za-z0-9+/=]{16,}")
_BREAK = re.compile(r"[\"'+ ]*(?:\r?\n|\\{1,8}[nr])(?:[\"'+\s]|\\{1,8}[nr])*")


def _find_private_keys(text: str) -> Iterator[Span]:
    """Key blocks with anything before each of their lines; the end may be missing."""
    marks = list(_KEY_MARK.finditer(text)) if "PRIVATE KEY" in text or "Static key" in text else []
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        if mark["edge"] == "END":
            continue
        last = min(after.start() if after else len(text), mark.end() + _REACH)
        body = text[mark.end() : last]
        if after and after["edge"] == "END" and last == after.start():
            if _RUN.search(body):
                yield mark.start(), after.end(), "private-key"
        elif length := _key_lines(body):
            yield mark.start(), mark.end() + length, "private-key"


def _key_lines(text: str) -> int:
    """How far a key goes on: up to the last line with a long run of base64, and a short one after it."""
    end = position = gaps = 0
    while gaps <= _MOST_GAPS:
        following = _BREAK.search(text, position)
        stop = following.start() if following else len(text)
        runs = _RUN.findall(text, position, stop)
        if any(len(run) >= _LONG_RUN for run in runs) or (runs and end and not gaps):
            end, gaps = stop, 0
        else:
            gaps += 1
        if following is None:
            break
        position = following.end()
    return end


_DOCUMENT = re.compile(r"^(?=---[ \t]*$)", re.MULTILINE)
# Before a line: the sign of a diff or a quote, the number in a listing.
_MARGIN = r"[-+>|]?(?:[ \t]*\d+[\t→|])?"
_SECRET_KIND = re.compile(rf"^{_MARGIN}[ \t]*kind:[ \t]*[\"']?Secret[\"']?[ \t]*$", re.MULTILINE)
_DATA = re.compile(rf"^{_MARGIN}(?P<indent>[ \t]*)(?:data|stringData):[ \t]*$", re.MULTILINE)
# `name: value`, or a line of a value.
_ENTRY = re.compile(
    rf"{_MARGIN}(?P<indent>[ \t]*)(?:[\w./\"'-]{{1,120}}:(?=\s|\Z))?"
    r"[ \t]*[\"']?(?P<value>[^\n]*?)[\"']?[ \t\r]*(?:\n|\Z)"
)
_JSON_KIND = re.compile(r"\\{0,7}\"kind\\{0,7}\"\s{0,4}:\s{0,4}\\{0,7}\"Secret\\{0,7}\"")
_JSON_DATA = re.compile(r"\"(?:data|stringData)\\{0,7}\"\s{0,4}:\s{0,4}\{(?P<entries>[^{}]{0,200000})\}")
_JSON_ENTRY = re.compile(
    r"\\{0,7}\"[^\"\n\\]{1,253}\\{0,7}\"\s{0,4}:\s{0,4}(?P<open>\\{0,7}\")(?P<value>(?:(?!(?P=open)).){1,100000})(?P=open)"
)


def _find_in_manifests(text: str) -> Iterator[Span]:
    """Every value in the data of a Kubernetes Secret."""
    if "Secret" not in text or "ata" not in text:
        return
    start = 0
    for document in _DOCUMENT.split(text):
        if _SECRET_KIND.search(document):
            for first, last in _yaml_values(document):
                yield start + first, start + last, "kubernetes-secret"
        start += len(document)
    stop = 0
    while kind := _JSON_KIND.search(text, stop):
        start, stop = _object_around(text, *kind.span())
        for data in _JSON_DATA.finditer(text, start, stop):
            for entry in _JSON_ENTRY.finditer(text, *data.span("entries")):
                if not is_stand_in(entry["value"]):
                    yield *entry.span("value"), "kubernetes-secret"


def _object_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of the JSON object that directly contains this part of the text, within reach."""
    before = text[max(start - _REACH, 0) : start][::-1]
    return start - _to_the_brace(before, "}"), end + _to_the_brace(text[end : end + _REACH], "{")


def _to_the_brace(text: str, opening: str) -> int:
    depth = 0
    for brace in re.finditer(r"[{}]", text):
        depth += 1 if brace[0] == opening else -1
        if depth < 0:
            return brace.end()
    return len(text)


def _yaml_values(document: str) -> Iterator[tuple[int, int]]:
    """Start and end of every value below `data:`, of several lines too."""
    for data in _DATA.finditer(document):
        position = data.end() + 1
        while position < len(document) and (entry := _ENTRY.match(document, position)):
            position = entry.end()
            value = entry["value"]
            if value and len(entry["indent"]) <= len(data["indent"]):
                break
            if value and value[0] not in "|>" and not is_stand_in(value):
                yield entry.span("value")
