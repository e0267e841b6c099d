"""What a prompt is about, and which notes are about the same. Pure; for the UserPromptSubmit hook.

Only distinctive words count, each by its rarity in doublings: 0 for a word in 25 notes or more. A note is
chosen if it is about most of the prompt, or if the prompt continues the current work, that is, shares words
with the branch and the last sessions.
"""

from __future__ import annotations

from math import log2, log10

from anamnesis.inject.kinds import words_of
from anamnesis.inject.working_set import present
from anamnesis.inject.worth import Moment, Ranked, forms_of, last_sessions, rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from anamnesis.index.reader import Matches

OF_BRANCH, OF_SHIPPING = "branch", "shipping"  # groups of notes that are read besides the matches

_MOST_NOTES = 2
_RAREST = log2(101 / 4)  # rarity of a word in one note, however few notes there are
_MOST = 0.25  # share of the notes; in a larger store, a word in more of them counts nothing
_STEM = 4  # letters; words that start with the same ones and are in the same notes count once
_SMALL = 12  # notes; in a store up to this size, that rule does not apply
_FEWEST = 2  # words that a note shares with the prompt, unless its title has one that no other note has
_LEAST = 6.5  # rarity that it must share, a word of its title or tags counting one and a half times
_SHARE = 0.35  # share of the total rarity of the prompt's words, in a store of a hundred notes
_SHARE_GROWTH = 0.05  # added for each tenfold of notes: more of them match by chance
_QUESTION = 0.15  # added for a question, which is often about general knowledge
_MOST_OF_IT = 0.6  # the share for a session, for a note of another branch, and for a match by one word
_CLEARLY = 1.2  # times the score of the sixth-best note
_SECOND = 0.75  # share of the best note's score

_AT_HAND = 2.0  # rarity that the prompt must share with the current work
_SHARE_AT_HAND = 0.35  # share of the total rarity of its words
_SHARE_NAMED = 0.25  # the same if one of the words is in the branch's name
_LONG_SESSIONS, _LONG_SHARE = 500, 0.1  # characters; with each doubling more words are shared by chance
_FIT = 2.0  # rarity that a note must share with both
_BRANCH = 2.0  # added for a note of the branch
_FEW = 2  # notes; a word in at most this many is enough by itself
_FEW_HERE = 4  # the same, to show that the prompt continues the work on the branch
_MOMENT = 1.65  # worth from the current work that a note needs to be shown for it
_UNDOING = frozenset("back rollback revert undo zurück zurückrollen annuler deshacer revertir".split())
_PASSING = -1.5  # a note that loses more worth as a one-off event is not shown


class Asked:
    """A prompt: the rarity of its words, and which of them are about the current work."""

    __slots__ = (
        "at_hand", "chance", "goes_on", "goes_on_here", "is_question", "is_short", "moment", "telling",
        "whole",
    )  # fmt: skip

    def __init__(self, found: Matches, branch: str, *, is_question: bool, is_short: bool) -> None:
        now = present()
        last = last_sessions(found.sessions, branch, now=now)
        self.is_question = is_question
        self.is_short = is_short
        self.moment = Moment(branch=branch, sessions=last, now=now)
        self.telling = _telling(found)
        self.whole = sum(self.telling.values())
        self.at_hand = {word for note in last for word in found.hits.get(note.id, ())}
        parts = set(words_of(self.moment.branch))
        named = {word for word in self.telling if not parts.isdisjoint(forms_of(word))}
        self.at_hand |= named
        shared = sum(self.telling[word] for word in self.at_hand)
        length = sum(len(note.body) for note in last)
        self.chance = _LONG_SHARE * max(0.0, log2(max(length, 1) / _LONG_SESSIONS))
        share = 0.0 if is_question else shared / max(self.whole, 1.0) - self.chance
        self.goes_on = share >= _SHARE_AT_HAND and len(self.at_hand) > 1 and shared >= _AT_HAND
        is_rare = any(0 < found.counts[word] <= _FEW_HERE for word in self.at_hand)
        is_named = any(self.telling[word] for word in named)
        self.goes_on_here = share >= (_SHARE_NAMED if is_named else _SHARE_AT_HAND) and (is_rare or is_named)


def choose(
    found: Matches,
    asked: Asked,
    *,
    seen: Collection[str] = (),
    everything: Callable[[], Sequence[Ranked]] = tuple,
) -> list[Ranked]:
    """The notes to show at a prompt, without those already seen, best first; usually none.

    Notes that are clearly about it come first, then how to ship if it asks for that, then the note of
    `everything` that is most about the current work if the prompt continues that, and at most one session.
    """
    notes = {note.id: note for some in (found.notes, *found.by_phrase.values()) for note in some}
    allowed = [
        each
        for each in rank(notes.values(), asked.moment, {})
        if each.note.id not in seen and _is_lasting(each)
    ]
    strengths = {each.note.id: _strength(found.hits.get(each.note.id, {}), asked) for each in allowed}
    about = _about(allowed, found, asked, strengths)
    durable = [each for each in allowed if each.note.type != "episodic"]
    here = [each for each in durable if not _is_elsewhere(each)]
    scores = {each.note.id: strengths[each.note.id] for each in durable if each.note.id in about}
    for each in here:
        if fit := _fit(each, found, asked):
            scores[each.note.id] = max(fit, scores.get(each.note.id, 0.0))
    sure = sorted(
        (each for each in durable if each.note.id in scores), key=lambda each: -scores[each.note.id]
    )
    near = [
        each for each in sure if scores[each.note.id] >= _SECOND * scores[sure[0].note.id] or _is_here(each)
    ]
    sessions = [each for each in allowed if each.note.type == "episodic" and each.note.id in about]
    chosen = [*near, *_shipping(here, found)]
    if (chosen or sessions) and len(chosen) < _MOST_NOTES and (asked.goes_on or asked.goes_on_here):
        taken = {each.note.id for each in chosen}
        others = (each for each in everything() if each.note.id not in taken and _is_lasting(each))
        chosen += [each for each in _nearest(others, asked) if each.note.id not in seen]
    chosen += sorted(sessions, key=lambda each: -strengths[each.note.id])[:1]
    return list({each.note.id: each for each in chosen}.values())[:_MOST_NOTES]


def _telling(found: Matches) -> dict[str, float]:
    """The rarity of each word; 0 if most notes have it, for a number in none, for a form of another word."""
    most = max(found.total, _SMALL) * _MOST
    telling = {}
    known = set()
    for word, count in found.counts.items():
        notes = frozenset(note_id for note_id, words in found.hits.items() if word in words)
        is_same = (word[:_STEM], notes) in known  # "open" and "opening" are one word
        known.add((word[:_STEM], notes))
        is_telling = count <= most and (count > 0 or not word.isdigit()) and not is_same
        telling[word] = max(0.0, _RAREST - log2(max(count, 1))) if is_telling else 0.0
    return telling


def _about(ranked: list[Ranked], found: Matches, asked: Asked, strengths: Mapping[str, float]) -> set[str]:
    """The ids of the notes that are about most of the prompt, and clearly more than other notes."""
    order = sorted(strengths.values(), reverse=True)
    least = max(_LEAST, _CLEARLY * order[5] if len(order) > 5 else 0.0)
    share = _SHARE + _SHARE_GROWTH * max(0.0, log10(max(found.total, 1) / 100))
    share += _QUESTION if asked.is_question else 0.0
    chosen = set()
    for each in ranked:
        words = [word for word in found.hits.get(each.note.id, ()) if asked.telling[word]]
        held = sum(asked.telling[word] for word in words)
        is_history = each.note.type == "episodic" or _is_elsewhere(each)
        has_few = len(words) < _FEWEST
        needed = max(share, _MOST_OF_IT) if is_history or has_few else share
        if has_few and (is_history or asked.is_question or asked.is_short):
            continue
        if strengths[each.note.id] >= least and held >= needed * asked.whole:
            chosen.add(each.note.id)
    return chosen


def _fit(each: Ranked, found: Matches, asked: Asked) -> float:
    """How well a note fits a prompt that continues the current work; 0 unless it clearly does."""
    shared = _shared(each, found, asked)
    fit = _strength(shared, asked)
    is_clear = len(shared) > 1 or any(titled or found.counts[word] <= _FEW for word, titled in shared.items())
    if _is_here(each):
        goes_on = asked.goes_on_here or (asked.goes_on and fit)
        return _BRANCH + _strength(found.hits.get(each.note.id, {}), asked) if goes_on else 0.0
    return fit if asked.goes_on and is_clear and fit >= _FIT else 0.0


def _shipping(durable: list[Ranked], found: Matches) -> list[Ranked]:
    """The most useful note on how to ship, if the prompt asks for that."""
    ids = {note.id for note in found.by_phrase.get(OF_SHIPPING, ())}
    how = [each for each in durable if each.note.id in ids and "how-to" in each.parts]
    return sorted(how, key=lambda each: not _UNDOING.isdisjoint(words_of(each.note.title)))[:1]


def _nearest(ranked: Iterable[Ranked], asked: Asked) -> list[Ranked]:
    """The note that is most about the current work, if it clearly is."""
    notes = [each for each in ranked if each.note.type != "episodic" and not _is_elsewhere(each)]
    best = max(notes, key=lambda each: each.parts.get("moment", 0.0), default=None)
    least = _MOMENT * (1 + 5 * asked.chance)
    return [best] if best and best.parts.get("moment", 0.0) >= least else []


def _shared(each: Ranked, found: Matches, asked: Asked) -> dict[str, bool]:
    """The distinctive words that a note shares with the prompt and the current work."""
    hits = found.hits.get(each.note.id, {})
    return {word: titled for word, titled in hits.items() if word in asked.at_hand and asked.telling[word]}


def _is_here(each: Ranked) -> bool:
    """Whether a note is about the branch that is checked out."""
    return each.parts.get("branch", 0.0) > 0


def _strength(hits: Mapping[str, bool], asked: Asked) -> float:
    return sum(asked.telling[word] * (1.5 if is_titled else 1.0) for word, is_titled in hits.items())


def _is_elsewhere(each: Ranked) -> bool:
    """Whether a note is about another branch."""
    return each.parts.get("other branch", 0.0) < 0


def _is_lasting(each: Ranked) -> bool:
    """Whether a note is no one-off event; what is known of the current branch never is."""
    return _is_here(each) or each.parts.get("passing", 0.0) >= _PASSING
