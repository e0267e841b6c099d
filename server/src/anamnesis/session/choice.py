"""Chooses the sentences that a note keeps. Pure.

The most informative ones, within a note's length, that still hold at the end of the session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from anamnesis.session.asks import ask_text, chosen_option, cut, is_telling_ask, picks_option
from anamnesis.session.candidates import TEXT, Candidate, Passage, still_standing
from anamnesis.session.cue_phrases import (
    ADMITTED,
    CONCEDED,
    CORRECTION,
    GUESS,
    RETRACTED,
    content_words,
    prepare,
)
from anamnesis.session.rating import (
    POINTS,
    Rated,
    is_courtesy,
    matter_of,
    names_in,
    weigh,
    without_nods,
)
from anamnesis.session.sentences import Unit, units_of, width
from anamnesis.session.talk import APPROVED, Turn
from anamnesis.session.transcript import ParsedSession

# The longer the note, the more points a sentence needs: (up to this many characters, points).
_THRESHOLDS = (
    (300, 0.4),
    (800, 0.7),
    (1_200, 1.0),
    (1_600, 1.7),
    (2_000, 2.6),
    (2_400, 4.0),
)
_GOES_ON, _LEAST = 0.8, 0.5  # points fewer that the rest of a paragraph or list needs, and the fewest
_FIRST_ASK, _TELLING_ASK, _OTHER_ASK, _REMARK = 600, 280, 140, 300  # characters
_FIRST_ASK_POINTS, _TELLING_ASK_POINTS, _OTHER_ASK_POINTS = 100.0, 4.0, 0.5
_ASIDE, _ASIDE_ROOM = 1.5, 900  # points deducted in a side question, from this length on
_MOST_SIDE_TURNS = 3  # if more follow the last change, they are the matter of the session
_ALIKE = 0.7  # share of words in common with a sentence that is already kept
_ECHO = 0.6  # share of words in common with the ask
_LONGEST, _LONGEST_CODE = 600, 300
_MOST_PARTS = 200  # parts of one text
_MAX_REMARKS = 3
_REPORT = 60
_TESTED = re.compile(r"(?i)\btests?\b|\btestes\b|pruebas|тест|テスト|测试|테스트")
_ADDRESS = re.compile(r"https?://\S+")
_WORD_FIRST = re.compile(r"[a-zà-ÿа-я]+[ ,]")
_LATEST = 3  # turns; what was open before them may be done by now
_STILL_LEFT = 5.0  # points; more than any sentence in earlier turns gets


class KeptTurn(NamedTuple):
    """What a note keeps of one turn: the ask, the user's remarks, and informative parts of the answers."""

    ask: str
    remarks: tuple[str, ...]
    sentences: tuple[Rated, ...]
    is_interrupted: bool
    has_changes: bool = False
    is_aside: bool = False


def choose(session: ParsedSession) -> list[KeptTurn]:
    """The turns that a note covers, with the chosen sentences in their original order."""
    turns, asks = session.turns, _asks(session.turns)
    digests = [commit.partition(" ")[0] for commit in session.commits]
    reviews = [f"PR {address} {address.rpartition('/')[2]}" for address in session.pull_requests]
    recorded = names_in(" ".join([session.tests, *digests, *reviews]))
    asides = _asides(turns)
    candidates = [*_ask_candidates(turns, asks, asides), *_answer_candidates(turns, asks, asides)]
    standing = still_standing(candidates, turns)
    kept = _best([each for each in standing if not _is_recorded(each.sentence, recorded)], asks)
    return [
        _kept_turn(turns[number], asks[number], kept[number])._replace(is_aside=number in asides)
        for number in sorted(kept)
    ]


def _asides(turns: list[Turn]) -> set[int]:
    """The turns after the last change that are about something else: side questions."""
    later = max((number for number, turn in enumerate(turns, 1) if turn.has_changes), default=0)
    if not later or not 0 < len(turns) - later <= _MOST_SIDE_TURNS:
        return set()
    known = _subjects(" ".join(text for turn in turns[:later] for text in (turn.ask, *turn.texts)))
    asked = enumerate(map(_asked_subjects, turns[later:]), later)
    return {number for number, words in asked if 2 * len(words & known) < len(words)}


def _asked_subjects(turn: Turn) -> frozenset[str]:
    """What a prompt is about, or its answer for a question of plain words ("what was that?")."""
    is_question = turn.ask.rstrip().endswith(("?", "？"))
    return _subjects(turn.ask) or _subjects(" ".join(turn.texts) if is_question else "")


def _subjects(text: str) -> frozenset[str]:
    return matter_of(text) | names_in(text)


def _kept_turn(turn: Turn, ask: str, kept: list[Candidate]) -> KeptTurn:
    remarks = (ask_text(Turn(remark), _REMARK) for remark in turn.remarks[-_MAX_REMARKS:])
    answers = sorted((each for each in kept if each.place >= 0), key=lambda each: each.place)
    sentences = tuple(each.sentence for each in answers)
    return KeptTurn(ask, tuple(filter(None, remarks)), sentences, turn.is_interrupted, turn.has_changes)


def _asks(turns: list[Turn]) -> list[str]:
    asks: list[str] = []
    for number, turn in enumerate(turns):
        is_first = not any(asks)
        room = _FIRST_ASK if is_first else _TELLING_ASK if is_telling_ask(turn) else _OTHER_ASK
        asks.append(chosen_option(ask_text(turn, room), turns[number - 1].texts if number else []))
    return asks


def _ask_candidates(turns: list[Turn], asks: list[str], asides: set[int]) -> Iterator[Candidate]:
    """The asks as candidates; the first one, corrections and interrupted ones get the most points."""
    first = next((number for number, ask in enumerate(asks) if ask), -1)
    latest = {ask: number for number, ask in enumerate(asks)}
    for number, (turn, ask) in enumerate(zip(turns, asks, strict=True)):
        is_said = latest[ask] == number and bool(ask) and (is_telling_ask(turn) or picks_option(turn, ask))
        is_telling = bool(turn.remarks) or turn.is_interrupted or is_said
        if number == first:
            yield Candidate(number, -1, _FIRST_ASK_POINTS, len(ask), is_aside=False)
        elif is_telling or ask:
            points = _TELLING_ASK_POINTS if is_telling else _OTHER_ASK_POINTS
            yield Candidate(number, -1, points, len(ask), is_aside=not is_telling and number in asides)


def _answer_candidates(turns: list[Turn], asks: list[str], asides: set[int]) -> Iterator[Candidate]:
    topic = content_words(" ".join(asks))
    for number, turn in enumerate(turns):
        is_late = number >= len(turns) - _LATEST
        rated = _rate_answers(turn, topic, is_side=number in asides, is_late=is_late)
        for place, sentence in enumerate(rated):
            is_still_left = is_late and sentence.reasons >= {"left", "last word"}
            points = sentence.points + (_STILL_LEFT if is_still_left else 0.0)
            is_aside = number in asides and not is_still_left and "on topic" not in sentence.reasons
            length = len(sentence.unit.text) + 3
            yield Candidate(number, place, points, length, is_aside=is_aside, sentence=sentence)


def _started_again(text: str) -> str:
    """A text without the courtesies at its start; the rest starts with a capital, unless with a name."""
    rest = without_nods(text)
    is_cut = rest != text and _WORD_FIRST.match(rest)
    return rest[0].upper() + rest[1:] if is_cut else rest


def _rate_answers(turn: Turn, topic: frozenset[str], *, is_side: bool, is_late: bool) -> Iterator[Rated]:
    """The parts of a turn's answers that could be kept."""
    is_asked = not is_side and turn.ask.rstrip().endswith(("?", "？"))
    for number, text in enumerate(turn.texts):
        units = units_of(text)
        leads = {unit.lead for unit in units}
        admission = {"admission"} if units and _opens_with_admission(units[0].text, turn.ask) else set()
        for unit in units[:_MOST_PARTS]:
            part = unit._replace(
                text=_started_again(unit.text),
                lead=_started_again(unit.lead),
                block=number * TEXT + unit.block,
            )
            if not is_courtesy(part.text) and _can_stand(part, is_lead=unit.text in leads):
                part = part if part.kind == "code" else part._replace(text=cut(part.text, _LONGEST))
                is_report = number == len(turn.texts) - 1 or text.startswith(APPROVED)
                is_diagnosis = number == turn.diagnosis and not GUESS.are_in(prepare(part.text))
                sentence = weigh(part, topic=topic, is_last=is_report or is_diagnosis, is_late=is_late)
                sentence = sentence._replace(reasons=sentence.reasons | admission)
                admission = set()  # said once, at the start
                is_answer = is_asked and not number and unit is units[0] and bool(sentence.names)
                yield sentence._replace(points=sentence.points + POINTS["answer"]) if is_answer else sentence


def _opens_with_admission(text: str, ask: str) -> bool:
    """Whether an answer opens with "I was wrong", or agrees with an objection."""
    said = prepare(text)
    is_objection = RETRACTED.are_in(said) or CORRECTION.are_in(prepare(ask))
    return ADMITTED.are_in(said) or (is_objection and CONCEDED.start(said))


def _can_stand(unit: Unit, *, is_lead: bool) -> bool:
    """Whether a part can be kept alone; a line that only introduces others is kept with them."""
    if unit.kind == "code":
        return len(unit.text) <= _LONGEST_CODE
    return not is_lead or bool(names_in(unit.text))


def _best(candidates: list[Candidate], asks: list[str]) -> dict[int, list[Candidate]]:
    """The parts to keep, by turn: those with enough points for the note's current length, and their asks."""
    kept: dict[int, list[Candidate]] = {}
    known: list[frozenset[str]] = []
    places = {each.at: each for each in candidates}
    passages: set[Passage | None] = set()
    used = 0
    # Side questions last, then by points, then later ones first, which may correct earlier ones.
    for each in sorted(candidates, key=lambda each: (each.is_aside, -each.worth, -each.turn, -each.place)):
        threshold = next((points for length, points in _THRESHOLDS if used < length), float("inf"))
        less = _ASIDE if each.is_aside and used >= _ASIDE_ROOM else 0.0
        if each.passage and each.passage in passages and not each.is_aside:
            threshold = max(threshold - _GOES_ON, _LEAST)
        words = _words(each.sentence)
        is_told = bool(words) and any(len(words & other) >= _ALIKE * len(words) for other in known)
        if each.points - less < threshold or is_told or each in kept.get(each.turn, ()):
            continue
        used += 0 if each.turn in kept else len(asks[each.turn])
        is_heading = each.sentence.unit.kind == "heading"  # which may repeat any ask
        if _is_echo(each.sentence, " ".join(asks) if is_heading else asks[each.turn]):  # the ask says it
            kept.setdefault(each.turn, [])
            continue
        for part in _with_antecedent(each, places):
            if part not in kept.setdefault(each.turn, []):
                used += part.length if part.place >= 0 else 0
                kept[each.turn].append(part)
                known.append(_words(part.sentence))
                passages.add(part.passage)
    return kept


def _with_antecedent(each: Candidate, places: dict[tuple[int, int], Candidate]) -> list[Candidate]:
    """A part with the sentences that it refers to ("It needs ..."), back to one that makes sense alone.

    They are in its paragraph or in the one before ("That is why ..."), but not in a list or another text.
    """
    found = [each]
    while "refers back" in found[-1].sentence.reasons and found[-1].sentence.unit.kind == "prose":
        before = places.get((each.turn, found[-1].place - 1))
        if before is None or before.text != each.text or before.sentence.unit.kind != "prose":
            break
        found.append(before)
    return found


def _words(sentence: Rated) -> frozenset[str]:
    return content_words(sentence.unit.text) | sentence.names


def _is_echo(sentence: Rated, ask: str) -> bool:
    """Whether a part only repeats what the user said ("Noted: never on Fridays.") without denying it."""
    words = _words(sentence)
    if not words or sentence.reasons & {"cause", "ruled out", "found", "left"}:
        return False
    return len(words & (content_words(ask) | names_in(ask))) >= _ECHO * len(words)


def _is_recorded(sentence: Rated, recorded: frozenset[str]) -> bool:
    """Whether a short report ("Committed as ...") only repeats a commit, a test result or an address."""
    text = _ADDRESS.sub("", sentence.unit.text)
    if width(text) >= _REPORT or not sentence.names or "left" in sentence.reasons:
        return False
    is_count = "figure" not in sentence.reasons and all(name[0].isdigit() for name in sentence.names)
    is_test_count = is_count and _TESTED.search(text) is not None
    return sentence.names <= recorded or (is_test_count and bool(recorded))
