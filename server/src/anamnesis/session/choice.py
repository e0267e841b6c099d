"""Chooses the sentences that a note keeps: the most informative ones, within a note's length. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anamnesis.session.asks import ask_text, chosen_option, cut, is_telling_ask
from anamnesis.session.cue_phrases import PRONOUN, content_words, phrases, said
from anamnesis.session.rating import (
    POINTS,
    Rated,
    is_courtesy,
    matter_of,
    names_in,
    strong_reasons,
    weigh,
    without_nods,
)
from anamnesis.session.sentences import Unit, units_of, width
from anamnesis.session.still_valid import TEXT, Candidate, still_standing, words_of
from anamnesis.session.transcript import ParsedSession, Turn

# The longer the note, the more points a sentence needs: (up to this many characters, points).
_THRESHOLDS = (
    (300, 0.4),
    (600, 0.7),
    (900, 1.2),
    (1_200, 2.0),
    (1_500, 3.0),
    (1_800, 4.5),
    (2_200, 6.0),
)
_FIRST_ASK, _TELLING_ASK, _OTHER_ASK, _REMARK = 450, 280, 140, 300  # characters
_FIRST_ASK_POINTS, _TELLING_ASK_POINTS, _OTHER_ASK_POINTS = 100.0, 4.0, 0.5
_ASIDE = 2.0  # points deducted in a turn after the last change, which is probably a side question
_ALIKE = 0.7  # share of words in common with a sentence that is already kept
_ECHO = 0.6  # share of words in common with the ask
_LONGEST, _LONGEST_CODE = 600, 300
_MOST_PARTS = 200  # parts of one text
_MAX_REMARKS = 3
_REPORT = 60
_TESTED = re.compile(r"(?i)\btests?\b|\btestes\b|pruebas|тест|テスト|测试|테스트")
_LONG_ANSWER = 120  # characters
_RULE = phrases(
    "always|never|must|remember|rule|we use|we don't|from now on|immer|nie|niemals|muss|ab jetzt|merk dir"
    "|toujours|jamais|désormais|siempre|nunca|sempre|mai|altijd|nooit|zawsze|nigdy|всегда|никогда|запомни"
    "|必须|不要|记住|必ず|覚えて|항상|반드시|기억"
)
_QUESTION = re.compile(
    r"[?？]|^\W*(?:what|how|why|when|where|who|which|can|could|is|are|does|do|should|explain|show|write|make|give"
    r"|was|wie|warum|wann|wo|wer|welche|que|comment|pourquoi|qué|cómo|por qué|o que|como|cosa|perché|wat|hoe"
    r"|waarom|co|jak|dlaczego|что|как|почему|зачем)\b",
    re.IGNORECASE,
)
_LATEST = 3  # turns; what was open before them may be done by now
_STILL_LEFT = 5.0  # points; more than any sentence in earlier turns gets


class KeptTurn(NamedTuple):
    """What a note keeps of one turn: the ask, the user's remarks, and informative parts of the answers."""

    ask: str
    remarks: tuple[str, ...]
    told: tuple[Rated, ...]
    is_interrupted: bool
    has_changes: bool = False

    @property
    def length(self) -> int:
        """How many characters are kept."""
        return sum(len(told.unit.text) for told in self.told)


def choose(session: ParsedSession) -> list[KeptTurn]:
    """The turns that a note covers, with the chosen sentences in their original order."""
    turns, asks = session.turns, _asks(session.turns)
    digests = [commit.partition(" ")[0] for commit in session.commits]
    recorded = names_in(" ".join([session.tests, *digests, *session.pull_requests]))
    last_change = max((number for number, turn in enumerate(turns) if turn.has_changes), default=len(turns))
    candidates = [*_ask_candidates(turns, asks, last_change), *_told_candidates(turns, asks, last_change)]
    standing = still_standing(candidates, turns)
    kept = _best([each for each in standing if not _is_recorded(each.told, recorded)], asks)
    return [_kept_turn(turns[number], asks[number], kept[number]) for number in sorted(kept)]


def is_empty_talk(text: str) -> bool:
    """Whether a text consists only of courtesies and offers."""
    return all(is_courtesy(unit.text) or "offer" in weigh(unit).reasons for unit in units_of(text))


def is_small_talk(turns: Sequence[Turn]) -> bool:
    """Whether a session is only a greeting, without a subject or informative answers."""
    asks = " ".join(turn.ask for turn in turns if not is_courtesy(turn.ask))
    if not any(is_courtesy(turn.ask) for turn in turns) or len(matter_of(asks)) > 1 or names_in(asks):
        return False
    answers = [weigh(unit) for turn in turns for text in turn.texts for unit in units_of(text)]
    is_offered = any("offer" in each.reasons for each in answers)
    return is_offered and all(each.points < _THRESHOLDS[0][1] for each in answers)


def is_idle_chat(turns: Sequence[Turn]) -> bool:
    """Whether a session is only a chat: nothing was asked, stated or named, and no answer is long."""
    asked = [text for turn in turns for text in (turn.ask, *turn.remarks)]
    is_asked = any(_QUESTION.search(text) or names_in(text) or _RULE.are_in(said(text)) for text in asked)
    if is_asked or not any(map(is_courtesy, asked)) or not all(turn.texts for turn in turns):
        return False
    texts = [text for turn in turns for text in turn.texts]
    return all(width(text) < _LONG_ANSWER and not names_in(text) for text in texts)


def lead_of(told: Rated) -> str:
    """The line that introduces an item, a row or code, if it adds meaning ("Still open:")."""
    is_told = told.unit.kind != "prose" and strong_reasons(said(told.unit.lead))
    return told.unit.lead if is_told else ""


def _kept_turn(turn: Turn, ask: str, kept: list[Candidate]) -> KeptTurn:
    told = tuple(each.told for each in sorted(kept, key=lambda each: each.place) if each.told is not None)
    remarks = (ask_text(Turn(remark), _REMARK) for remark in turn.remarks[-_MAX_REMARKS:])
    return KeptTurn(ask, tuple(filter(None, remarks)), told, turn.is_interrupted, turn.has_changes)


def _asks(turns: list[Turn]) -> list[str]:
    asks: list[str] = []
    for number, turn in enumerate(turns):
        is_first = not any(asks)
        room = _FIRST_ASK if is_first else _TELLING_ASK if is_telling_ask(turn) else _OTHER_ASK
        asks.append(chosen_option(ask_text(turn, room), turns[number - 1].texts if number else []))
    return asks


def _ask_candidates(turns: list[Turn], asks: list[str], last_change: int) -> Iterator[Candidate]:
    """The asks as candidates; the first one, corrections and interrupted ones get the most points."""
    first = next((number for number, ask in enumerate(asks) if ask), -1)
    for number, (turn, ask) in enumerate(zip(turns, asks, strict=True)):
        is_telling = bool(turn.remarks) or turn.is_interrupted or (bool(ask) and is_telling_ask(turn))
        if number == first:
            yield Candidate(number, -1, _FIRST_ASK_POINTS, len(ask), is_aside=False)
        elif is_telling or ask:
            points = _TELLING_ASK_POINTS if is_telling else _OTHER_ASK_POINTS
            yield Candidate(number, -1, points, len(ask), is_aside=not is_telling and number > last_change)


def _told_candidates(turns: list[Turn], asks: list[str], last_change: int) -> Iterator[Candidate]:
    topic = content_words(" ".join(asks))
    for number, turn in enumerate(turns):
        for place, told in enumerate(_explained(list(_told(turn, topic, is_side=number > last_change)))):
            is_late = number >= len(turns) - _LATEST
            is_still_left = is_late and {"left", "last word"} <= told.reasons
            points = told.points + (
                _STILL_LEFT if is_still_left else 0.0 if is_late else _no_longer_left(told)
            )
            is_aside = number > last_change and not is_still_left
            yield Candidate(number, place, points, len(told.unit.text) + 3, is_aside=is_aside, told=told)


def _no_longer_left(told: Rated) -> float:
    """The points that an open item in an earlier turn loses, because it may be done by now."""
    return -sum(POINTS[reason] for reason in ("left", "open") if reason in told.reasons)


def _told(turn: Turn, topic: frozenset[str], *, is_side: bool) -> Iterator[Rated]:
    """The parts of a turn's answers that could be kept."""
    is_asked = not is_side and turn.ask.rstrip().endswith(("?", "？"))
    for number, text in enumerate(turn.texts):
        units = units_of(text)
        leads = {unit.lead for unit in units}
        for unit in units[:_MOST_PARTS]:
            part = unit._replace(text=without_nods(unit.text), block=number * TEXT + unit.block)
            if not is_courtesy(part.text) and _can_stand(part, is_lead=unit.text in leads):
                part = part if part.kind == "code" else part._replace(text=cut(part.text, _LONGEST))
                told = weigh(part, topic=topic, is_last=number == len(turn.texts) - 1)
                is_answer = is_asked and not number and unit is units[0] and bool(told.names)
                yield told._replace(points=told.points + POINTS["answer"]) if is_answer else told


def _can_stand(unit: Unit, *, is_lead: bool) -> bool:
    """Whether a part can be kept alone; a line that only introduces others is kept with them."""
    if unit.kind == "code":
        return len(unit.text) <= _LONGEST_CODE
    return not is_lead or bool(names_in(unit.text))


def _explained(found: list[Rated]) -> list[Rated]:
    """Give points to sentences in the same paragraph as a cause or an open item, because they explain it."""
    for reason, beside in (("cause", "beside a cause"), ("left", "beside what is left")):
        blocks = {told.unit.block for told in found if reason in told.reasons and told.unit.kind == "prose"}
        found = [
            told._replace(points=told.points + POINTS[beside])
            if told.unit.block in blocks and reason not in told.reasons
            else told
            for told in found
        ]
    return found


def _best(candidates: list[Candidate], asks: list[str]) -> dict[int, list[Candidate]]:
    """The parts to keep, by turn: those with enough points for the note's current length, and their asks."""
    kept: dict[int, list[Candidate]] = {}
    known: list[frozenset[str]] = []
    places = {each.at: each for each in candidates}
    used = 0
    for each in sorted(candidates, key=_order):
        threshold = next((points for length, points in _THRESHOLDS if used < length), float("inf"))
        less = _ASIDE if each.is_aside and used >= _THRESHOLDS[0][0] else 0.0
        words = _words(each.told)
        is_known = _is_like(words, known) or each in kept.get(each.turn, ())
        if each.points - less < threshold or is_known:
            continue
        used += 0 if each.turn in kept else len(asks[each.turn])
        if _is_echo(each.told, asks[each.turn]):  # the ask says it, so keep the ask instead
            kept.setdefault(each.turn, [])
            continue
        for part in _with_antecedent(each, places):
            if part not in kept.setdefault(each.turn, []):
                used += part.length if part.told else 0
                kept[each.turn].append(part)
                known.append(_words(part.told))
    return kept


def _with_antecedent(each: Candidate, places: dict[tuple[int, int], Candidate]) -> list[Candidate]:
    """A part with the sentences that it refers to ("It needs ..."), back to one that makes sense alone."""
    found = [each]
    while (told := found[-1].told) and told.unit.kind == "prose" and PRONOUN.start(said(told.unit.text)):
        before = places.get((each.turn, found[-1].place - 1))
        if before is None or before.told is None or before.told.unit.block != told.unit.block:
            break
        found.append(before)
    return found


def _order(each: Candidate) -> tuple[bool, float, int, int]:
    """The sort key for choosing: side questions last, then by points, then later ones, which may correct."""
    return each.is_aside, -each.worth, -each.turn, -each.place


def _words(told: Rated | None) -> frozenset[str]:
    return content_words(told.unit.text) | told.names if told else frozenset()


def _is_like(words: frozenset[str], known: list[frozenset[str]]) -> bool:
    """Whether a kept part says nearly the same."""
    return bool(words) and any(len(words & other) >= _ALIKE * len(words) for other in known)


def _is_echo(told: Rated | None, ask: str) -> bool:
    """Whether a part only repeats what the user said ("Noted: never on Fridays.") without denying it."""
    words = words_of(told)
    if told is None or not words or told.reasons & {"cause", "ruled out", "found"}:
        return False
    return len(words & (matter_of(ask) | names_in(ask))) >= _ECHO * len(words)


def _is_recorded(told: Rated | None, recorded: frozenset[str]) -> bool:
    """Whether a short report ("Committed as ...") only repeats a commit, a test result or an address."""
    if told is None or len(told.unit.text) >= _REPORT or not told.names:
        return False
    is_count = all(name[0].isdigit() for name in told.names) and _TESTED.search(told.unit.text) is not None
    return told.names <= recorded or (is_count and bool(recorded))
