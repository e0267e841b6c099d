"""A rule: the form of a credential as an expression, its hints, and how a match is judged. Pure.

Hints are searched for in a text that was lower-cased once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

Judge = Callable[[re.Match[str]], bool]
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

    A pattern that ignores case starts with `(?i)` and then one of its hints, which are in lower case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    judge: Judge | None = None

    @property
    def ignores_case(self) -> bool:
        """Whether the pattern matches upper and lower case alike."""
        return self.pattern.startswith("(?i)")


class Rules:
    """A table of rules; all hints are searched for first, because a text contains few of them."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._exact: dict[str, list[int]] = {}
        self._folded: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            for hint in rule.hints:
                (self._folded if rule.ignores_case else self._exact).setdefault(hint, []).append(number)

    def find(self, folded: Folded) -> Iterator[Span]:
        """Every credential that a rule finds; a rule is not even compiled unless one of its hints occurs."""
        text, lower = folded.text, folded.lower
        hinted = {number for hint, numbers in self._exact.items() if hint in text for number in numbers}
        hinted |= {number for hint, numbers in self._folded.items() if hint in lower for number in numbers}
        for number in sorted(hinted):
            rule = self._rules[number]
            yield from judged(rule, text, _matches(rule, folded))


def _matches(rule: Rule, folded: Folded) -> Iterator[re.Match[str]]:
    pattern = compiled(rule.pattern)
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


def judged(rule: Rule, text: str, matches: Iterable[re.Match[str]]) -> Iterator[Span]:
    """The matches that are credentials, as spans to remove."""
    for found in matches:
        group = "secret" if "secret" in found.re.groupindex else 0
        if not _starts_a_word(text, found.start()) or re.search(_PLACEHOLDER, found[group]):
            continue
        if rule.judge is None or rule.judge(found):
            yield found.start(group), found.end(group), rule.kind


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The expression, compiled on first use."""
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
_PLACEHOLDER = (
    r"(?i)x{8}|\*{4}|\.{3}|your[-_]|[-_]here\b|placeholder|replace[-_]?me|\[redacted|\$\{|\{\{|<[a-z]+>"
    r"|(?-i:EXAMPLE)"
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
