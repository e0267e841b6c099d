"""Credentials recognised by their form: an issuer's prefix, a header, a key block, a URL. Pure.

Issuers' prefixes are looked up at the start of every word; any other rule is tried only if one of its hints
is in the text. Backtracking is bounded per character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from anamnesis.redact.issuers import ISSUERS, URL_RULES, Issuer
from anamnesis.redact.logins import LOGIN_RULES
from anamnesis.redact.rules import Folded, Rule, Rules, Span, compiled, judged
from anamnesis.redact.stand_ins import is_stand_in
from anamnesis.redact.tables import find_inserted
from anamnesis.redact.words import reads_as_words

# A key without its beginning, matched backwards: only its last line may be short.
_END_MARK = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_BACK_BREAK = r"(?:[\s>+|→]|[nrt]\\{1,8}|(?<=[\t→\\])\d{1,6})"
_BACKWARDS = re.compile(
    rf"{_BACK_BREAK}{{1,40}}(?:[A-Za-z0-9+/=]{{1,15}}{_BACK_BREAK}{{1,40}})?"
    rf"[A-Za-z0-9+/=]{{16,}}(?:{_BACK_BREAK}{{1,40}}[A-Za-z0-9+/]{{16,}}){{0,2000}}"
)
_LONGEST_KEY = 20_000


def find_shaped(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every credential whose form is known."""
    yield from _find_issued(folded.text)
    yield from _RULES.find(folded)
    yield from _find_manifests(folded.text)
    yield from _find_cut_keys(folded.text)
    yield from find_inserted(folded)


# Where a key can start: not inside a word; `\n` and `%3D` before it are escapes.
_START = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?=[A-Za-z0-9$_][!-~]{11})")
_Candidates = tuple[tuple[str, Rule], ...]  # prefix and rule


def _find_issued(text: str) -> Iterator[Span]:
    """Keys with a known prefix, and keys of issuers without one."""
    by_start, without_prefix = _issued()
    any_without_prefix = compiled("|".join(rule.pattern for _, rule in without_prefix))
    position = 0
    for place in _START.finditer(text):
        start = place.start()
        if start < position:
            continue
        candidates = by_start.get(text[start : start + 2], ())
        if any_without_prefix.match(text, start):
            candidates += without_prefix
        for prefix, rule in candidates:
            found = compiled(rule.pattern).match(text, start) if text.startswith(prefix, start) else None
            if found:
                position = found.end()
                yield from judged(rule, text, (found,))
                break


@cache
def _issued() -> tuple[dict[str, _Candidates], _Candidates]:
    """The issuers' rules by the first two characters of their prefix, and the rules without a prefix."""
    by_start: dict[str, _Candidates] = {}
    for rule in (_rule(issuer) for issuer in ISSUERS if not issuer.is_within):
        for prefix in rule.hints:
            by_start[prefix[:2]] = (*by_start.get(prefix[:2], ()), (prefix, rule))
    without_prefix = (*(_rule(issuer) for issuer in ISSUERS if not issuer.hints), _UNKNOWN_ISSUER)
    return by_start, tuple(("", rule) for rule in without_prefix)


def _rule(issuer: Issuer) -> Rule:
    return Rule(issuer.kind, issuer.hints, issuer.pattern, _is_not_a_name)


_WORDS = re.compile(r"[a-z]{1,20}(?:[-_.][a-z]{1,20})+[-_.]?|[A-Z]{1,20}(?:[-_][A-Z]{1,20})+")


def _is_not_a_name(found: re.Match[str]) -> bool:
    """Whether an issuer's prefix is not followed by words, unlike in `hf_hub_download`."""
    body = found["body"] if "body" in found.re.groupindex else found[0]
    return not _WORDS.fullmatch(body) and not reads_as_words(body)


# An unknown prefix followed by random text: longer than an id, with upper case, lower case and digits. Hashes
# and public keys are left alone.
_UNKNOWN_ISSUER = Rule(
    "token",
    (),
    r"(?!sha\d|pk[_-]|phc_|sb_publishable_)[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,12}){0,2}[_-]"
    r"(?=[A-Za-z]{0,60}\d)(?=[a-z0-9]{0,60}[A-Z])(?=[A-Z0-9]{0,60}[a-z])[A-Za-z0-9]{40,200}(?![\w+/=-])",
    _is_not_a_name,
)
_RULES = Rules(
    (
        *(_rule(issuer) for issuer in ISSUERS if issuer.is_within),
        # The look-behind prevents the search from starting again inside a run that was already read.
        Rule(
            "jwt",
            ("eyJ",),
            r"(?:(?<![\w-])|(?<=\\[nrt]))eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?=\.[\w-]{8}))(?:\.[\w-]*){1,3}",
        ),
        Rule("jwt", ("ZXlK",), r"(?:(?<![\w-])|(?<=\\[nrt]))ZXlK[A-Za-z0-9+/]{60,}={0,2}"),
        *URL_RULES,
        *LOGIN_RULES,
    )
)


def _find_cut_keys(text: str) -> Iterator[Span]:
    """Start, end and kind of every private key whose end is present; its beginning may be missing."""
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


def _find_manifests(text: str) -> Iterator[Span]:
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
