"""How informative a sentence is, and why: named reasons, each with its points. Pure, no model.

A sentence is worth keeping when it names things (code, paths, figures), gives a cause, a decision, a
rejection or an open point, and is about what was asked. Offers, guesses and announcements are not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from anamnesis.session import cues
from anamnesis.session.courtesy import is_plain
from anamnesis.session.sentences import Unit

POINTS = {
    "cause": 2.0,
    "ruled out": 2.0,
    "decided": 1.5,
    "open": 1.5,
    "found": 2.0,
    "left": 2.0,
    "figure": 1.0,
    "command": 1.5,
    "limit": 0.5,
    "result": 0.5,
    "failed": 1.0,
    "on topic": 0.5,
    "beside a cause": 0.5,
    "last word": 0.5,
    "answer": 1.0,
    "beside what is left": 1.0,
    "guess": -2.0,
    "empty": -1.0,
    "question": -1.5,
    "narration": -2.0,
    "offer": -4.0,
}
_STRONG = {"cause": cues.CAUSE, "ruled out": cues.RULED_OUT, "decided": cues.DECIDED, "open": cues.OPEN}
_WEAK = {"limit": cues.LIMIT, "result": cues.RESULT, "failed": cues.FAILED}
_POINTS_PER_NAME, _MOST_NAMES = 0.7, 5
_MATTER = 3  # words that are not plain: a sentence with this many has a subject even if it names nothing
# The points of a reason in a sentence without a subject.
_VAGUE = {**dict.fromkeys(_STRONG, 0.5), **dict.fromkeys(_WEAK, 0.0)}
_CODE = re.compile(r"`([^`\n]{1,200})`")
_NAMES = re.compile(
    r"https?://\S{4,200}"
    r"|(?:[\w.@-]{1,60}/){1,12}[\w.*-]{1,60}|/\w[\w./-]{2,100}"  # paths
    r"|\b[\w-]{1,60}\.(?:cpp|cs|css|conf|exs?|go|html|ipynb|java|json|jsx?|kt|lock|md|php|py|rb|rs|sh|sql|swift"
    r"|tf|toml|tsx?|ya?ml)\b"
    r"|\b[a-z]{1,40}[0-9]{0,4}(?:[A-Z][a-z0-9]{1,40}){1,8}\b|\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b"  # camelCase
    r"|\b[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){1,12}\b|\b\w{1,60}(?:::\w{1,60}){1,8}|\b[\w.]{1,80}\(\)"
    r"|(?<!\w)--?[a-z][\w-]{1,40}|\b[A-Z][A-Z0-9]{1,15}\b|\b[0-9a-f]{7,40}\b"
    r"|(?<![\w.])\d[\d.,_]{0,20}(?:\s?(?:%|[a-zA-Zµ°]{1,4}\b))?"  # figures
)
_MEASURE = re.compile(
    r"\d\s?(?:%|×|x\b|[µmn]?s\b|sec|min\b|minut|hours?\b|days?\b|[kKMGT]i?B\b|fps|rpm|req|rows|°|回|件|秒|分|초|개)"
    r"|\d\D{1,25}(?:→|->|\b(?:to|auf|bis|à|a|naar|до|do)\b)\D{1,12}\d"
)
_LABEL = re.compile(r"\W{0,4}([^:：\n]{1,40}?)\W{0,4}[:：]")
_COMMAND = re.compile(r"(?:\$ )?[a-z./][\w./-]{1,60} [^\n]{1,300}")


class Told(NamedTuple):
    """A part of a text with its points, the reasons, and the things that it names."""

    unit: Unit
    points: float
    reasons: frozenset[str]
    names: frozenset[str]


def weigh(unit: Unit, *, topic: frozenset[str] = frozenset(), is_last: bool = False) -> Told:
    """The points of a part of an answer; `topic` are the words of the asks, `is_last` marks the last text."""
    names = names_in(unit.text)
    reasons = _reasons(unit)
    matter = {word for word in cues.words_of(unit.text) if not is_plain(word)}
    if len({word[:6] for word in matter} & topic) >= 2:
        reasons.add("on topic")
    if is_last:
        reasons.add("last word")
    if is_last or "ruled out" in reasons or cues.RETRACTED.are_in(cues.said(unit.text)):
        reasons.discard("guess")
    if not names and not matter:
        reasons.add("empty")
    is_vague = not names and len(matter) < _MATTER and "on topic" not in reasons
    points = sum(POINTS[reason] * (_VAGUE.get(reason, 1.0) if is_vague else 1.0) for reason in reasons)
    return Told(unit, points + _POINTS_PER_NAME * min(len(names), _MOST_NAMES), frozenset(reasons), names)


def strong_reasons(said: cues.Said) -> list[str]:
    """The reasons to keep a text that its words give: a cause, a rejection, a decision, what is open."""
    return [name for name, phrases in _STRONG.items() if phrases.are_in(said)]


def _reasons(unit: Unit) -> set[str]:
    text, said, lead = unit.text, cues.said(unit.text), cues.said(unit.lead)
    # A line that introduces a list ("Still open:") applies to each of its items.
    found = {*strong_reasons(said), *strong_reasons(lead)}
    found |= {name for name, phrases in _WEAK.items() if phrases.are_in(said)}
    claims = {
        "found": cues.FOUND.start(said),
        "left": _says_what_is_left(text, said),
        "figure": _MEASURE.search(text) is not None,
        "command": unit.kind == "code" and _COMMAND.fullmatch(text.strip()) is not None,
        "question": text.rstrip("*_\"')").endswith(("?", "？")),
        "guess": cues.GUESS.are_in(said),
        "offer": cues.OFFER.are_in(said) or cues.OFFER.are_in(lead),
        "narration": cues.NARRATION.start(said),
    }
    return found | {name for name, holds in claims.items() if holds}


def _says_what_is_left(text: str, said: cues.Said) -> bool:
    label = _LABEL.match(text)
    is_labelled = label is not None and cues.LEFT_LABEL.start(cues.said(label[1]))
    return is_labelled or cues.LEFT.start(said)


def names_in(text: str) -> frozenset[str]:
    """The things that a text names: code, paths, identifiers, figures."""
    named = [*_CODE.findall(text), *_NAMES.findall(_CODE.sub(" ", text))]
    return frozenset(name.strip().lower() for name in named if len(name.strip()) > 1 or name.isdigit())
