"""The standing rules that a session is told first: one line each, newest first, each matter once. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from anamnesis.index.rules import Rule
from anamnesis.recall import STOP_WORDS
from anamnesis.text import defang_line

STATED = "## Rules that the user stated"
NOTED = "## Rules that Claude noted, which the user has not confirmed"
MOST_NOTED = 5
_SAME = 0.5  # share of words in common from which two rules are about the same; then the newer one holds
_WORD = re.compile(r"[^\W\d_]{2,}")
_VALUE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)['‘][^'’]*['’](?!\w)|\S*[\d_@/]\S*")
_CODE = re.compile(r"[`_@/\\]|\w\.\w|[a-z][A-Z]|\w\(|(?<!\w)['\"]\S+['\"]")


def current_rules(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, newest first, without those that a newer one replaces."""
    kept: list[Rule] = []
    sizes: list[int] = []
    places: dict[str, list[int]] = {}  # word -> numbers of the kept rules that have it
    for rule in rules:
        words = _words(rule.line)
        shared = Counter(place for word in words for place in places.get(word, ()))
        if any(count >= _SAME * (len(words) + sizes[place] - count) for place, count in shared.items()):
            continue
        for word in words:
            places.setdefault(word, []).append(len(kept))
        kept.append(rule)
        sizes.append(len(words))
    return kept


def _words(line: str) -> frozenset[str]:
    """What a rule is about, apart from the values that it sets."""
    words = frozenset(_WORD.findall(_VALUE.sub(" ", line.lower()))) - STOP_WORDS
    return words or frozenset([line.lower()])


def fitting(
    rules: Sequence[Rule], room: int, names: dict[str, str], measure: Callable[[str], int]
) -> list[str]:
    """As many rules as fit, as lines, newest first; if room is short, those that name code come first."""
    lines = {rule: f"- {defang_line(rule.line)} ({names[rule.note_id]})" for rule in rules}
    chosen: set[Rule] = set()
    for rule in sorted(rules, key=lambda rule: _CODE.search(rule.line) is None):
        cost = measure(lines[rule]) + 1
        if cost <= room:
            room -= cost
            chosen.add(rule)
    return [line for rule, line in lines.items() if rule in chosen]
