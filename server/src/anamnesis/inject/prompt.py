"""Recall in mid-session: the notes that a prompt is clearly about, or nothing. For the UserPromptSubmit hook.

Finds out which words show the prompt's subject, whether it is a question, and whether it asks to release
something; `anamnesis.inject.subject` decides which notes to print. When the index is out of date, nothing is
printed: a person waits.
"""

from __future__ import annotations

import re

from anamnesis.config import environment, read_config
from anamnesis.index.reader import read_matches
from anamnesis.inject.asking import (
    ASKING,
    EVERYDAY,
    FUNCTION_WORDS,
    MOTION,
    PLACES,
    QUESTIONS,
    SHIPPED,
    SHIPPING,
)
from anamnesis.inject.briefing import write_reminder
from anamnesis.inject.cues import TRUNKS
from anamnesis.inject.kinds import words_of
from anamnesis.inject.start import contested_ids
from anamnesis.inject.subject import OF_BRANCH, OF_SHIPPING, Asked, choose
from anamnesis.inject.worth import forms_of
from anamnesis.project import current_branch, keys_of
from anamnesis.recall import query_terms, quote
from anamnesis.session.receipts import add_entry, ids_in, read_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.inject.start import Start

SETTING, _VARIABLE = "recall_on_prompt", "ANAMNESIS_RECALL_ON_PROMPT"
_OFF = ("0", "false", "no", "off")
_MOST_NOTES = 2
_BUDGET = 1_500  # characters
_LONG = 2_000  # characters of a prompt; of a longer one the start is read, the rest was pasted
_MOST_TERMS = 24
_SHORT = 4  # letters; of shorter words the plural is not looked for
_ENDINGS = ("n", "en", "e", "er")  # of plurals that the index does not take off by itself
_VERSION = r"(?<![\d.])v?\d+\.\d+\.\d+(?![\d.])"
_HIRAGANA = range(0x3040, 0x30A0)  # particles and endings; what a text is about is in the other scripts


def remind(start: Start, prompt: str) -> str:
    """What a session is told about its next prompt; "" unless a note scores clearly higher than others."""
    terms, asks_to_ship = _terms(prompt), _asks_to_ship(prompt)
    if not (terms or asks_to_ship) or is_switched_off(start.home):
        return ""
    branch = current_branch(start.folder)
    phrases = _phrases(branch, asks_to_ship=asks_to_ship)
    found = read_matches(start.home, keys_of(start.project), terms, phrases)
    if found is None or not (found.notes or asks_to_ship):
        return ""
    entries = read_entries(start.home, start.session)
    seen = {*ids_in(entries, "told", "full", "cut"), *ids_in(entries, "searched", "ids")}
    asked = Asked(found, branch, is_question=_is_question(prompt))
    chosen = choose(found, asked, seen=seen)
    briefing = write_reminder(
        chosen[:_MOST_NOTES], contested=contested_ids(start.home), budget=_BUDGET, measure=start.measure
    )
    if briefing.text and start.session:
        versions = {each.note.id: each.note.updated_at for each in chosen}
        add_entry(
            start.home,
            start.session,
            "told",
            source="prompt",
            project=start.project,
            full=[[each, versions[each]] for each in briefing.full],
            cut=[[each, versions[each]] for each in briefing.cut],
            characters=len(briefing.text),
        )
    return briefing.text


def is_switched_off(home: str) -> bool:
    """Whether the user switched this off; without a setting it is not installed, but can be tried by hand."""
    said = environment(_VARIABLE) or read_config(home).get(SETTING, "")
    return str(said).strip().lower() in _OFF


def _phrases(branch: str, *, asks_to_ship: bool) -> dict[str, str]:
    """Expressions that match the notes of the branch and, if asked for, those about releasing."""
    words = words_of(branch) if branch.lower() not in TRUNKS else []
    phrases = {OF_BRANCH: quote(" ".join(words))} if words else {}
    if asks_to_ship:
        phrases[OF_SHIPPING] = f"{{title tags}} : ({' OR '.join(map(quote, SHIPPED))})"
    return phrases


def _asks_to_ship(prompt: str) -> bool:
    """Whether a prompt asks to release something: "release it", "cut 4.2.0", "get it live"."""
    words = set(words_of(prompt[:_LONG]))
    if _is_question(prompt) or len(words) > _MOST_TERMS:
        return False
    has_place = not (words.isdisjoint(PLACES) or words.isdisjoint(MOTION))
    if has_place or not words.isdisjoint(SHIPPING):
        return True
    # Compiling the pattern costs more than the other checks, so it is done only if it may match.
    return prompt.count(".") > 1 and re.search(_VERSION, prompt) is not None


def _terms(prompt: str) -> dict[str, str]:
    """The words of a prompt that say what it is about, with the expressions that find them."""
    text = prompt if len(prompt) <= _LONG else prompt[: _LONG // 4]
    words = [word for word in query_terms(text) if len(word) > 1 and not _is_grammar(word)]
    return {word: _expression(word) for word in words[:_MOST_TERMS]}


def _expression(word: str) -> str:
    """What finds a word in singular and plural."""
    if len(word) < _SHORT or not word.isalpha():
        return quote(word)
    return f"({' OR '.join(map(quote, forms_of(word, _ENDINGS)))})"


def _is_question(prompt: str) -> bool:
    """Whether a prompt starts like a question, in contrast to a task."""
    words = words_of(prompt[:_LONG])
    return bool(words) and words[0] in QUESTIONS


def _is_grammar(word: str) -> bool:
    """Whether a word says nothing about the subject: a request, grammar, everyday words, a particle."""
    return (
        word in ASKING
        or word in FUNCTION_WORDS
        or word in EVERYDAY
        or any(ord(char) in _HIRAGANA for char in word)
    )
