"""Lasting rules in what a user says: "never push to main", "from now on, use pnpm". Pure.

A session's note lists them, and later sessions are told them. A wrong rule would mislead every one of those,
so a sentence must look like a rule, not only contain "always": "the build always fails" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis.session.asks import typed_units
from anamnesis.session.cue_phrases import Said, phrases, said
from anamnesis.session.sentences import width
from anamnesis.session.transcript import Turn

_FEWEST_WORDS, _LONGEST = 3, 240  # words, characters
_SHORTEST_WIDE = 12  # width of a sentence in a script without spaces
_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")  # a short sentence before a rule is not part of it

# Anywhere in a sentence.
_LASTING = phrases(
    "from now on|going forward|from here on|as a rule|as a general rule|the rule is|the rule here is|our rule"
    "|our convention|the convention is|our policy|remember to always|remember to never|house rule",
    "ab jetzt|ab sofort|von jetzt an|künftig|zukünftig|grundsätzlich|bei uns gilt|bei uns immer|bei uns nie"
    "|fürs nächste mal",
    "désormais|dorénavant|à partir de maintenant",
    "a partir de ahora|de ahora en adelante|por norma",
    "a partir de agora|daqui em diante|de agora em diante",
    "d'ora in poi|da ora in poi|d'ora in avanti",
    "voortaan|vanaf nu",
    "odtąd|od teraz",
    "отныне|впредь|с этого момента",
    "从现在起|从今以后|以后都|今后|今後は|これからは|앞으로는|앞으로",
)
# At the start of a sentence.
_ORDERS = phrases(
    "always|never|don't ever|do not ever|we always|we never|we only ever|you must always|you must never"
    "|you should always|you should never|in this repo always|in this repo never|in this project always"
    "|in this project never|in this repo we|in this project we|in this repository we|in this codebase we"
    "|on this project we|on this team we",
    "immer|nie|niemals|altijd|nooit|zawsze|nigdy|всегда|никогда",
    "必须|一定要|禁止|必ず|絶対に|반드시|절대",
)
# Before an order: "yes, and please never ...", "no uses nunca ...".
_OPENERS = frozenset(
    "yes yeah ok okay no so and but also please right well ja nein und aber auch bitte sí y pero oui et mais"
    " s'il te plaît por favor não non ne да не и но пожалуйста".split()
)
# The second word, after an imperative: "Nutze immer ...", "Usa siempre ...".
_SECOND = frozenset(
    "immer nie niemals toujours jamais siempre nunca sempre mai altijd nooit zawsze nigdy всегда"
    " никогда".split()
)
_SUBJECTS = frozenset(
    "das es er sie der die ich wir man dies was il elle ça ce cela la le les on je nous el ella eso esto lo"
    " los las o a os as isso ele ela eu gli io noi questo het dat dit de hij zij ik wij we to ona ono ja"
    " это он она оно они я мы ты".split()
)
# Where an order holds, in a later part of a sentence: "a PR please, always german titles in this repo".
_PLACES = phrases(
    "here|in this repo|in this project|in this codebase|hier|bei uns|ici|chez nous|aquí|здесь|у нас"
)
# A convention, if it also says what not to do or where it holds.
_CONVENTION = phrases(
    "we use|we prefer|we write|we keep|we name|we run|we test|we deploy|we commit|we log|we pin|we format"
    "|we don't use|we do not use|we don't write|we do not write|wir nutzen|wir verwenden|wir schreiben"
    "|on utilise|nous utilisons|usamos|usiamo|we gebruiken|używamy|мы используем"
)
_LIMITS = phrases(
    "not|never|always|only|instead of|rather than|everywhere|for everything|here|in this repo|in this project"
    "|nicht|nie|immer|nur|statt|hier|überall|pas|jamais|toujours|ici|partout|no|nunca|siempre|aquí|não|sempre"
    "|non|mai|qui|niet|nooit|hier|nie|zawsze|tutaj|не|никогда|всегда|только|здесь"
)
# A report of what happens or happened, or of nothing at all.
_REPORTS = phrases(
    "never mind|nevermind|never again|always the same|always fails|always failed|always breaks"
    "|always returns|always gets|always happens|always been|always was|always had|always worked|always ends"
    "|never ends|never works|never worked|never happens|never happened|never been|never was|never had"
    "|never got|never saw|never seen|never did|never finishes|never finished|never heard|never returns"
    "|never gets|never knew|never found|never ran|never made|never came|never went|this time|for this run"
    "|just once"
    "|nie wieder|noch nie|schon immer|immer noch|immer wieder|dieses mal|jamais vu|toujours pas|cette fois"
    "|esta vez|questa volta|deze keer|tym razem|на этот раз"
)
_PAST = 4  # letters; "we never tested it": a longer word in -ed is a report


def rules_of(turns: Iterable[Turn]) -> list[str]:
    """The rules that the user states, in order, each once."""
    found: dict[str, str] = {}
    for turn in turns:
        for text in (turn.ask, *turn.remarks):
            for sentence in (each for unit in typed_units(Turn(text)) for each in _END.split(unit.text)):
                if states_rule(sentence):
                    found.setdefault(sentence.casefold().rstrip(" .!。！"), sentence)
    return list(found.values())


def states_rule(text: str) -> bool:
    """Whether a sentence states what is to be done in general."""
    sentence = said(text)
    is_wide = not text.isascii() and width(text) >= _SHORTEST_WIDE and width(text) > len(text)
    if text.rstrip().endswith(("?", "？", ":")) or not (len(sentence.words) >= _FEWEST_WORDS or is_wide):
        return False
    if len(text) > _LONGEST or _REPORTS.are_in(sentence) or _is_past(sentence):
        return False
    is_convention = _CONVENTION.start(sentence) and _LIMITS.are_in(sentence)
    return _LASTING.are_in(sentence) or is_convention or any(map(_is_order, _clauses(text)))


def _clauses(text: str) -> list[Said]:
    """A sentence without the words before its order, and its later parts that say where they hold."""
    later = (part for part in text.split(", ")[1:] if _PLACES.are_in(said(part)))
    return [said(_without_openers(part)) for part in (text, *later)]


def _without_openers(text: str) -> str:
    words = text.split(" ")
    while len(words) > 1 and words[0].lower().strip(",.!:") in _OPENERS:
        words = words[1:]
    return " ".join(words)


def _is_order(sentence: Said) -> bool:
    if len(sentence.words) < _FEWEST_WORDS and sentence.text.isascii():
        return False
    return _ORDERS.start(sentence) or _is_imperative(sentence)


def _is_imperative(sentence: Said) -> bool:
    words = sentence.words
    return bool(words) and words[0] not in _SUBJECTS and not _SECOND.isdisjoint(words[1:2])


def _is_past(sentence: Said) -> bool:
    """Whether the word after "always" or "never" is a past tense."""
    pairs = zip(sentence.words, sentence.words[1:], strict=False)
    return any(
        word in ("always", "never") and len(after) > _PAST and after.endswith("ed") for word, after in pairs
    )
