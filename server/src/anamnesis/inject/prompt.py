"""Recall in mid-session: the notes that a prompt is clearly about, or nothing. For the UserPromptSubmit hook.

Prints nothing unless sure. A note is shown when it holds most of the prompt's words, weighted by how rare
each word is among the notes: words that no note holds count against every note, so that a prompt about
something else finds nothing however many notes there are. Notes that this session has seen, one-off events
and notes of other branches are left out. When the index is out of date, nothing is printed: a person waits.
"""

from __future__ import annotations

from math import log, log10

from anamnesis.config import environment, read_config
from anamnesis.index.reader import Matches, read_matches
from anamnesis.inject.briefing import FLOOR, write_reminder
from anamnesis.inject.cues import FUNCTION_WORDS
from anamnesis.inject.start import contested_ids
from anamnesis.inject.working_set import present
from anamnesis.inject.worth import Moment, Ranked, last_sessions, rank
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
_LONG = 2_000  # characters of a prompt; of a longer one the start is read, the rest was pasted
_MOST_TERMS = 24
_FEWEST = 2  # words that a note must share with the prompt
_SHARE = 0.55  # share of the prompt's words, weighted by rarity, in a store of a hundred notes
_SHARE_GROWTH = 0.05  # added for each ten times as many notes: more of them match by chance
_OLD_SHARE = 0.75  # for a session that is not among the last two
_LEAST = 3.5  # shared rarity, a word of the title counting one and a half times
_CLEARLY = 1.2  # times the score of the sixth best note
_SECOND = 0.6  # share of the best note's score
_PASSING = -1.5  # a note with a lower part for being a one-off event is not shown
# Words of a request: they say what to do, not what it is about.
_ASKING = frozenset(
    "write fix repair make get look continue finish rest do still please want know add change update create"
    " give show explain tell find help need properly again new go bring put let way thing things bit like"
    " mean means difference general good first last next one two three into code file files try see check"
    " start stop keep turn set say think happen happens prepare bitte mach zeig schreib erkläre prüf schau"
    " weiter montre explique fais escribe muestra explica haz faz escreve mostra continua".split()
)
_HIRAGANA = range(0x3040, 0x30A0)  # particles and endings; what a text is about is in the other scripts


def remind(start: Start, prompt: str) -> str:
    """What a session is told about its next prompt; "" unless a note scores clearly higher than others."""
    terms = _terms(prompt)
    if len(terms) < _FEWEST or is_switched_off(start.home):
        return ""
    found = read_matches(start.home, keys_of(start.project), terms)
    if found is None or not found.notes:
        return ""
    entries = read_entries(start.home, start.session)
    seen = {*ids_in(entries, "told", "full", "cut"), *ids_in(entries, "searched", "ids")}
    chosen = choose(found, current_branch(start.folder), seen=seen)
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


def choose(found: Matches, branch: str, *, seen: Collection[str] = ()) -> list[Ranked]:
    """The notes that the prompt is clearly about, without those that were seen, best first; seldom any."""
    rarity = {word: log((found.total + 1) / (count + 0.5)) for word, count in found.counts.items()}
    whole = sum(rarity.values())
    strengths = {note_id: _strength(hits, rarity) for note_id, hits in found.hits.items()}
    order = sorted(strengths.values(), reverse=True)
    crowd = order[5] if len(order) > 5 else 0.0
    now = present()
    moment = Moment(branch=branch, sessions=last_sessions(found.sessions, branch, now=now), now=now)
    share = _SHARE + _SHARE_GROWTH * max(0.0, log10(max(found.total, 1) / 100))
    sure = [
        each
        for each in rank(found.notes, moment, {})
        if each.note.id not in seen
        and _is_worth_telling(each)
        and len(found.hits[each.note.id]) >= _FEWEST
        and strengths[each.note.id] >= max(_LEAST, _CLEARLY * crowd)
        and sum(rarity[word] for word in found.hits[each.note.id]) >= _needed(each, share) * whole
    ]
    sure.sort(key=lambda each: strengths[each.note.id], reverse=True)
    sure = _with_one_session(sure)
    return [each for each in sure if strengths[each.note.id] >= _SECOND * strengths[sure[0].note.id]]


def _with_one_session(ranked: list[Ranked]) -> list[Ranked]:
    """The notes without all sessions but the best: sessions about one matter say much the same."""
    sessions = [each for each in ranked if each.note.type == "episodic"]
    return [each for each in ranked if each not in sessions[1:]]


def _terms(prompt: str) -> dict[str, str]:
    """The words of a prompt that say what it is about, with the expressions that find them."""
    text = prompt if len(prompt) <= _LONG else prompt[: _LONG // 4]
    words = [word for word in query_terms(text) if len(word) > 1 and not _is_grammar(word)]
    return {word: quote(word) for word in words[:_MOST_TERMS]}


def _is_grammar(word: str) -> bool:
    """Whether a word shows no subject: a word of a request, a function word, a pair with a particle in it."""
    return word in _ASKING or word in FUNCTION_WORDS or any(ord(char) in _HIRAGANA for char in word)


def _strength(hits: Mapping[str, bool], rarity: Mapping[str, float]) -> float:
    return sum(rarity[word] * (1.5 if is_titled else 1.0) for word, is_titled in hits.items())


def _is_worth_telling(each: Ranked) -> bool:
    """Whether a note may be shown at all: no one-off event, not of another branch, not worthless."""
    if each.parts.get("other branch", 0.0) < 0 or each.parts.get("passing", 0.0) < _PASSING:
        return False
    return each.note.type == "episodic" or each.worth >= FLOOR


def _needed(each: Ranked, share: float) -> float:
    return max(share, _OLD_SHARE) if "old session" in each.parts else share
