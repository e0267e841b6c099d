"""Recall in mid-session: the notes that a prompt is clearly about, or nothing. For the UserPromptSubmit hook.

Prints nothing unless sure, which it is in two cases. A note holds most of the prompt's words, weighted by how
rare each is among the notes; words that no note holds count against every note, so that a prompt about
something else finds nothing however many notes there are. Or the prompt continues the work at
hand, which shows in rare words shared with the branch and the last sessions, and a note has these words, too.
Notes that this session has seen, one-off events and notes of other branches are left out. When the index is
out of date, nothing is printed: a person waits.
"""

from __future__ import annotations

from math import log, log2, log10

from anamnesis.config import environment, read_config
from anamnesis.index.reader import Matches, read_matches
from anamnesis.inject.asking import ASKING, FUNCTION_WORDS, QUESTIONS
from anamnesis.inject.briefing import FLOOR, write_reminder
from anamnesis.inject.kinds import words_of
from anamnesis.inject.start import contested_ids
from anamnesis.inject.working_set import present
from anamnesis.inject.worth import Moment, Ranked, forms_of, last_sessions, rank
from anamnesis.project import current_branch, keys_of
from anamnesis.recall import query_terms, quote
from anamnesis.session.receipts import add_entry, ids_in, read_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from anamnesis.inject.start import Start

SETTING, _VARIABLE = "recall_on_prompt", "ANAMNESIS_RECALL_ON_PROMPT"
_OFF = ("0", "false", "no", "off")
_MOST_NOTES = 2
_BUDGET = 1_500  # characters
_LONG = 2_000  # characters of a prompt; only the start of a longer one is read, because the end is pasted
_MOST_TERMS = 24
_SHORT = 4  # letters; of shorter words the plural is not looked for
_ENDINGS = ("n", "en", "e", "er")  # of plurals that the index does not remove itself
_FEWEST = 2  # words that a note must share with the prompt
_SHARE = 0.55  # share of the prompt's words, weighted by rarity, in a store of a hundred notes
_SHARE_GROWTH = 0.05  # added for each ten times as many notes: more of them match by chance
_OLD_SHARE = 0.75  # for a session that is not among the last two
_LEAST = 3.5  # shared rarity, a word of the title counting one and a half times
_CLEARLY = 1.2  # times the score of the sixth best note
_QUESTION = 0.15  # added for a question, which is often about general knowledge
_SECOND = 0.8  # share of the best note's score

# For a prompt that continues the work at hand; rarity in doublings, 0 for a word in a quarter of the notes.
_MOST_KNOWN = 100  # notes; in a larger store a word is not rarer for that
_AT_HAND = 2.0  # rarity that the prompt shares with the work at hand
_SHARE_AT_HAND = 0.35  # of the rarity of all its words
_ONE_AT_HAND, _SHARE_OF_ONE = 1.6, 0.15  # the same where only notes of the branch are considered
_LONG_SESSIONS, _LONG_SHARE = 500, 0.1  # characters; with each doubling more words are shared by chance
_FIT = 2.0  # rarity that a note must share with both
_FIT_OF_BRANCH = 2.5  # rarity that a note of the branch must share with the prompt
_BRANCH = 2.0  # added for a note of the branch
_FEW = 2  # notes; one word that so few have is enough
_PASSING = -1.5  # a note with a lower part for being a one-off event is not shown
_HIRAGANA = range(0x3040, 0x30A0)  # particles and endings; what a text is about is in the other scripts


def remind(start: Start, prompt: str) -> str:
    """What a session is told about its next prompt; "" unless a note scores clearly higher than others."""
    terms = _terms(prompt)
    if not terms or is_switched_off(start.home):
        return ""
    found = read_matches(start.home, keys_of(start.project), terms)
    if found is None or not found.notes:
        return ""
    entries = read_entries(start.home, start.session)
    seen = {*ids_in(entries, "told", "full", "cut"), *ids_in(entries, "searched", "ids")}
    asked = Asked(found, current_branch(start.folder), is_question=_is_question(prompt))
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
    """Whether the user switched this off; without a setting the hook is not installed, but can be run."""
    said = environment(_VARIABLE) or read_config(home).get(SETTING, "")
    return str(said).strip().lower() in _OFF


class Asked:
    """A prompt: how rare its words are, and which of them are about the work at hand."""

    __slots__ = ("at_hand", "goes_on", "goes_on_here", "is_question", "moment", "rarity", "telling")

    def __init__(self, found: Matches, branch: str, *, is_question: bool) -> None:
        now = present()
        last = last_sessions(found.sessions, branch, now=now)
        self.is_question = is_question
        self.moment = Moment(branch=branch, sessions=last, now=now)
        self.rarity = {word: log((found.total + 1) / (count + 0.5)) for word, count in found.counts.items()}
        most = log2((min(found.total, _MOST_KNOWN) + 1) / 4)
        self.telling = {word: max(0.0, most - log2(max(count, 1))) for word, count in found.counts.items()}
        self.at_hand = {word for note in last for word in found.hits.get(note.id, ())}
        named = set(words_of(self.moment.branch))
        self.at_hand |= {word for word in found.counts if not named.isdisjoint(forms_of(word))}
        shared = sum(self.telling[word] for word in self.at_hand)
        length = sum(len(note.body) for note in last)
        chance = _LONG_SHARE * max(0.0, log2(max(length, 1) / _LONG_SESSIONS))
        share = shared / max(sum(self.telling.values()), 1.0) - chance
        self.goes_on = (
            not is_question and len(self.at_hand) > 1 and shared >= _AT_HAND and share >= _SHARE_AT_HAND
        )
        self.goes_on_here = not is_question and shared >= _ONE_AT_HAND and share >= _SHARE_OF_ONE


def choose(found: Matches, asked: Asked, *, seen: Collection[str] = ()) -> list[Ranked]:
    """The notes that the prompt is clearly about, without those that were seen, best first; seldom any.

    Durable notes come first, and one session at most: the last ones were told when this one started.
    """
    allowed = [
        each
        for each in rank(found.notes, asked.moment, {})
        if each.note.id not in seen and _is_worth_telling(each)
    ]
    strengths = {note.id: _strength(found.hits[note.id], asked.rarity) for note in found.notes}
    about = _about(allowed, found, asked, strengths)
    durable = [each for each in allowed if each.note.type != "episodic"]
    fits = {each.note.id: _fit(each, found, asked) for each in durable}
    scores = fits if any(fits.values()) else strengths
    sure = [each for each in durable if fits[each.note.id] or each.note.id in about]
    sure.sort(key=lambda each: (scores[each.note.id], strengths[each.note.id]), reverse=True)
    near = [
        each
        for each in sure
        if scores[each.note.id] >= _SECOND * scores[sure[0].note.id] or _is_of_branch(each)
    ]
    sessions = [each for each in allowed if each.note.type == "episodic" and each.note.id in about]
    return [*near, *sorted(sessions, key=lambda each: strengths[each.note.id])[-1:]]


def _about(ranked: list[Ranked], found: Matches, asked: Asked, strengths: Mapping[str, float]) -> set[str]:
    """The ids of the notes that hold most of the prompt, and clearly more than other notes."""
    order = sorted(strengths.values(), reverse=True)
    least = max(_LEAST, _CLEARLY * order[5] if len(order) > 5 else 0.0)
    share = _SHARE + _SHARE_GROWTH * max(0.0, log10(max(found.total, 1) / 100))
    share += _QUESTION if asked.is_question else 0.0
    whole = sum(asked.rarity.values())
    return {
        each.note.id
        for each in ranked
        if len(hits := found.hits[each.note.id]) >= _FEWEST
        and strengths[each.note.id] >= least
        and sum(asked.rarity[word] for word in hits) >= _needed(each, share) * whole
    }


def _fit(each: Ranked, found: Matches, asked: Asked) -> float:
    """How well a note fits a prompt that continues the work at hand; 0 unless it clearly does."""
    hits, is_here = found.hits[each.note.id], _is_of_branch(each)
    shared = {word: titled for word, titled in hits.items() if word in asked.at_hand and asked.telling[word]}
    fit = _strength(shared, asked.telling)
    is_clear = len(shared) > 1 or any(titled or found.counts[word] <= _FEW for word, titled in shared.items())
    if asked.goes_on and fit and (is_here or (is_clear and fit >= _FIT)):
        return fit + (_BRANCH if is_here else 0.0)
    whole = _strength(hits, asked.telling)
    return whole + _BRANCH if is_here and asked.goes_on_here and whole >= _FIT_OF_BRANCH else 0.0


def _is_of_branch(each: Ranked) -> bool:
    return each.parts.get("branch", 0.0) > 0


def _terms(prompt: str) -> dict[str, str]:
    """The words of a prompt that say what it is about, with the expressions that find them."""
    text = prompt if len(prompt) <= _LONG else prompt[: _LONG // 4]
    words = [word for word in query_terms(text) if len(word) > 1 and not _is_grammar(word)]
    return {word: _expression(word) for word in words[:_MOST_TERMS]}


def _expression(word: str) -> str:
    """A full-text expression for a word in singular and plural."""
    if len(word) < _SHORT or not word.isalpha():
        return quote(word)
    return f"({' OR '.join(map(quote, forms_of(word, _ENDINGS)))})"


def _is_question(prompt: str) -> bool:
    """Whether a prompt starts like a question, in contrast to a task."""
    words = words_of(prompt[:_LONG])
    return bool(words) and words[0] in QUESTIONS


def _is_grammar(word: str) -> bool:
    """Whether a word shows no subject: a word of a request, a function word, a pair with a particle in it."""
    return word in ASKING or word in FUNCTION_WORDS or any(ord(char) in _HIRAGANA for char in word)


def _strength(hits: Mapping[str, bool], rarity: Mapping[str, float]) -> float:
    return sum(rarity[word] * (1.5 if is_titled else 1.0) for word, is_titled in hits.items())


def _is_worth_telling(each: Ranked) -> bool:
    """Whether a note may be shown at all: no one-off event, not of another branch, not worthless."""
    if each.parts.get("other branch", 0.0) < 0 or each.parts.get("passing", 0.0) < _PASSING:
        return False
    return each.note.type == "episodic" or each.worth >= FLOOR


def _needed(each: Ranked, share: float) -> float:
    return max(share, _OLD_SHARE) if "old session" in each.parts else share
