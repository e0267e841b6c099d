"""Credentials recognised by their form: an issuer's prefix, a header, a command, a URL. Pure.

A rule is an expression with hints and a judge of its matches. Issuers' prefixes are looked up at the start of
every word; any other rule is tried only if one of its hints is in the text, which is lower-cased once.
Backtracking is bounded per character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from anamnesis.redact.issuers import ISSUERS, SECRET_URLS, Issuer
from anamnesis.redact.judges import JUDGES, Judge
from anamnesis.redact.logins import LOGIN_PARTS, LOGIN_TABLE
from anamnesis.redact.words import reads_as_words

Span = tuple[int, int, str]  # start, end, kind


class Folded:
    """A text with a lower-case form of the same length, built once and searched for many words."""

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        # A few upper-case letters have longer lower-case forms.
        self.lower = lower if len(lower) == len(text) else "".join(char.lower()[:1] for char in text)
        self._is_ascii = text.isascii()

    def occurrences(self, words: tuple[str, ...]) -> list[int]:
        """The positions at which any of these lower-case words starts, in order."""
        places: set[int] = set()
        for word in _ascii_only(words) if self._is_ascii else words:
            place = self.lower.find(word)
            while place >= 0:
                places.add(place)
                place = self.lower.find(word, place + 1)
        return sorted(places)


@cache
def _ascii_only(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word.isascii())


class Rule(NamedTuple):
    """One form of credential; the group `secret`, if there is one, or else the whole match is removed.

    A pattern that ignores case starts with one of its hints, which are in lower case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    judge: Judge | None = None
    ignores_case: bool = False


def find_shaped(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every credential whose form is known."""
    yield from _find_issued(folded.text)
    for rule in _hinted(folded):
        yield from _judged(rule, folded.text, _matches(rule, folded))


def _hinted(folded: Folded) -> Iterator[Rule]:
    """The rules of which a hint is in the text; few are, so few are compiled."""
    for rule in _RULES:
        searched = folded.lower if rule.ignores_case else folded.text
        for hint in rule.hints:  # `any` takes twice as long, and this is most of what a harmless text costs
            if hint in searched:
                yield rule
                break


def _matches(rule: Rule, folded: Folded) -> Iterator[re.Match[str]]:
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


def _judged(rule: Rule, text: str, matches: Iterable[re.Match[str]]) -> Iterator[Span]:
    """The matches that are credentials, as spans to remove."""
    for found in matches:
        group = "secret" if "secret" in found.re.groupindex else 0
        if not _starts_a_word(text, found.start()) or _PLACEHOLDER.search(found[group]):
            continue
        if rule.judge is None or rule.judge(found):
            yield found.start(group), found.end(group), rule.kind


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _starts_a_word(text: str, start: int) -> bool:
    if start == 0 or not (_WORD.match(text, start) and _WORD.match(text, start - 1)):
        return True
    # `\n` and `%3D` before a match are escapes, not part of a word.
    before = text[max(start - 3, 0) : start]
    return before[-2:-1] == "\\" or _PERCENT_ESCAPE.fullmatch(before) is not None


_WORD = re.compile(r"[A-Za-z0-9]")
_PERCENT_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
# What documentation shows instead of a key.
_PLACEHOLDER = re.compile(
    r"(?i)x{8}|\*{4}|\.{3}|your[-_]|[-_]here\b|placeholder|replace[-_]?me|\[redacted|\$\{|\{\{|<[a-z]+>"
    r"|(?-i:EXAMPLE)"
)
# Where a key can start: not inside a word; `\n` and `%3D` before it are escapes.
_START = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?=[A-Za-z0-9$_][!-~]{11})")
_Candidates = tuple[tuple[str, Rule], ...]  # prefix and rule


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


@cache
def _issued() -> tuple[dict[str, _Candidates], _Candidates]:
    """The issuers' rules by the first two characters of their prefix, and the rules without a prefix."""
    by_start: dict[str, _Candidates] = {}
    for rule in (_rule_of(issuer) for issuer in ISSUERS if not issuer.is_within):
        for prefix in rule.hints:
            by_start[prefix[:2]] = (*by_start.get(prefix[:2], ()), (prefix, rule))
    without_prefix = (*(_rule_of(issuer) for issuer in ISSUERS if not issuer.hints), _UNKNOWN_ISSUER)
    return by_start, tuple(("", rule) for rule in without_prefix)


def _rule_of(issuer: Issuer) -> Rule:
    return Rule(issuer.kind, issuer.hints, issuer.pattern, _is_not_a_name)


_NAME = re.compile(r"[a-z]{1,20}(?:[-_.][a-z]{1,20})+[-_.]?|[A-Z]{1,20}(?:[-_][A-Z]{1,20})+")


def _is_not_a_name(found: re.Match[str]) -> bool:
    """Whether an issuer's prefix is not followed by words, unlike in `hf_hub_download`."""
    body = found["body"] if "body" in found.re.groupindex else found[0]
    return not _NAME.fullmatch(body) and not reads_as_words(body)


# An unknown prefix followed by random text: longer than an id, with upper case, lower case and digits. Hashes
# and public keys are left alone.
_UNKNOWN_ISSUER = Rule(
    "token",
    (),
    r"(?!sha\d|pk[_-]|phc_|sb_publishable_)[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,12}){0,2}[_-]"
    r"(?=[A-Za-z]{0,60}\d)(?=[a-z0-9]{0,60}[A-Z])(?=[A-Z0-9]{0,60}[a-z])[A-Za-z0-9]{40,200}(?![\w+/=-])",
    _is_not_a_name,
)
# The look-behind prevents the search from starting again inside a run that was already read.
_JWT_START = r"(?:(?<![\w-])|(?<=\\[nrt]))"
_JWT_RULES = (
    Rule("jwt", ("eyJ",), _JWT_START + r"eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?=\.[\w-]{8}))(?:\.[\w-]*){1,3}"),
    Rule("jwt", ("ZXlK",), _JWT_START + r"ZXlK[A-Za-z0-9+/]{60,}={0,2}"),
)


def table_rows(table: str) -> Iterator[tuple[str, str]]:
    """The rows of a table of expressions: the first line, and the joined lines that are indented below it."""
    for row in re.split(r"\n(?=\S)", re.sub(r"(?m)^#.*\n|^\n", "", table)):
        head, *lines = row.splitlines()
        yield head, "".join(map(str.strip, lines))


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The text with `parts` in place of their names, which are in capitals and braces: `{QUOTE}`."""
    while found := re.search(r"\{([A-Z_]+)\}", text):
        text = text.replace(found[0], parts[found[1]])
    return text


def _login_rules() -> Iterator[Rule]:
    for head, pattern in table_rows(LOGIN_TABLE):
        kind, judge, listed = head.split(None, 2)
        hints = tuple(filled(listed, LOGIN_PARTS).split("|"))
        any_hint = f"(?:{'|'.join(map(re.escape, hints))})"
        pattern = filled(pattern, {**LOGIN_PARTS, "HINT": any_hint})
        yield Rule(kind, hints, pattern, JUDGES[judge], ignores_case=pattern.startswith("(?i)"))


_RULES = (
    *(_rule_of(issuer) for issuer in ISSUERS if issuer.is_within),
    *_JWT_RULES,
    *(Rule(kind, (hint,), pattern) for kind, hint, pattern in SECRET_URLS),
    *_login_rules(),
)
