"""Which sentences of a session its note keeps: the most informative ones, within a note's length. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anamnesis.session.asks import ask_text, cut, is_telling_ask, matter_of
from anamnesis.session.courtesy import is_courtesy, without_nods
from anamnesis.session.cues import CORRECTION, GUESS, PROPOSED, RETRACTED, content_words, said
from anamnesis.session.sentences import Unit, units_of
from anamnesis.session.telling import POINTS, Told, names_in, strong_reasons, weigh
from anamnesis.session.transcript import ParsedSession, Turn

# The longer the note already is, the more points a sentence needs: (up to this many characters, points).
_THRESHOLDS = (
    (350, 0.4),
    (1_200, 0.7),
    (1_600, 1.1),
    (2_000, 1.7),
    (2_400, 2.5),
    (2_800, 4.0),
    (3_000, 5.5),
)
_FIRST_ASK, _TELLING_ASK, _OTHER_ASK, _REMARK = 600, 320, 160, 300  # characters
_FIRST_ASK_POINTS, _TELLING_ASK_POINTS, _OTHER_ASK_POINTS = 100.0, 4.0, 0.5
_ASIDE = 2.0  # points deducted for a turn after the last change, once the note has content: a side question
_ALIKE = 0.7  # share of the words that another sentence has too
_LONGEST, _LONGEST_CODE = 600, 300
_MOST_PARTS = 200  # of one text
_MAX_REMARKS = 3
_REPORT = 60
_SHORT = 40  # characters: what is shorter is not cheaper
_BLOCKS = 1_000  # more than a text has


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """What a note keeps of one turn: the ask, the user's remarks, informative parts of the answers."""

    ask: str
    remarks: tuple[str, ...]
    told: tuple[Told, ...]
    is_interrupted: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A part that could be kept: a turn's ask (`told` is None), or the part at `place` of its answers."""

    turn: int
    place: int
    points: float
    length: int
    is_aside: bool
    told: Told | None = None

    @property
    def worth(self) -> float:
        """Points per room it takes; long sentences are penalised only in part: they often hold the reason."""
        return float(self.points / max(self.length, _SHORT) ** 0.5)


def choose(session: ParsedSession) -> list[KeptTurn]:
    """The turns that a note covers, with their chosen sentences in the order in which they were said."""
    turns, asks = session.turns, _asks(session.turns)
    digests = [commit.partition(" ")[0] for commit in session.commits]
    recorded = names_in(" ".join([session.tests, *digests, *session.pull_requests]))
    last_change = max((number for number, turn in enumerate(turns) if turn.has_changes), default=len(turns))
    candidates = [*_ask_candidates(turns, asks, last_change), *_told_candidates(turns, asks, last_change)]
    standing = _without_refused(_without_retracted(candidates), turns)
    kept = _best([each for each in standing if not _is_recorded(each.told, recorded)], asks)
    return [_kept_turn(turns[number], asks[number], kept[number]) for number in sorted(kept)]


def is_empty_talk(text: str) -> bool:
    """Whether a text consists of courtesies and offers only."""
    return all(is_courtesy(unit.text) or "offer" in weigh(unit).reasons for unit in units_of(text))


def is_small_talk(turns: Sequence[Turn]) -> bool:
    """Whether a session is only a greeting: no subject, and answers without information."""
    asks = " ".join(turn.ask for turn in turns if not is_courtesy(turn.ask))
    if not any(is_courtesy(turn.ask) for turn in turns) or len(matter_of(asks)) > 1 or names_in(asks):
        return False
    answers = [weigh(unit) for turn in turns for text in turn.texts for unit in units_of(text)]
    is_offered = any("offer" in each.reasons for each in answers)
    return is_offered and all(each.points < _THRESHOLDS[0][1] for each in answers)


def lead_of(told: Told) -> str:
    """The line that introduces an item, a row or code, where it adds meaning ("Still open:")."""
    is_told = told.unit.kind != "prose" and strong_reasons(said(told.unit.lead))
    return told.unit.lead if is_told else ""


def _kept_turn(turn: Turn, ask: str, kept: list[_Candidate]) -> KeptTurn:
    told = tuple(each.told for each in sorted(kept, key=lambda each: each.place) if each.told is not None)
    remarks = (ask_text(Turn(remark), _REMARK) for remark in turn.remarks[-_MAX_REMARKS:])
    return KeptTurn(ask, tuple(filter(None, remarks)), told, turn.is_interrupted)


def _asks(turns: list[Turn]) -> list[str]:
    asks: list[str] = []
    for turn in turns:
        is_first = not any(asks)
        room = _FIRST_ASK if is_first else _TELLING_ASK if is_telling_ask(turn) else _OTHER_ASK
        asks.append(ask_text(turn, room))
    return asks


def _ask_candidates(turns: list[Turn], asks: list[str], last_change: int) -> Iterator[_Candidate]:
    """The asks: most comes from the first, from corrections, and from those that were interrupted."""
    first = next((number for number, ask in enumerate(asks) if ask), -1)
    for number, (turn, ask) in enumerate(zip(turns, asks, strict=True)):
        is_telling = bool(turn.remarks) or turn.is_interrupted or (bool(ask) and is_telling_ask(turn))
        if number == first:
            yield _Candidate(number, -1, _FIRST_ASK_POINTS, len(ask), is_aside=False)
        elif is_telling or ask:
            points = _TELLING_ASK_POINTS if is_telling else _OTHER_ASK_POINTS
            yield _Candidate(number, -1, points, len(ask), is_aside=not is_telling and number > last_change)


def _told_candidates(turns: list[Turn], asks: list[str], last_change: int) -> Iterator[_Candidate]:
    topic = content_words(" ".join(asks))
    for number, turn in enumerate(turns):
        for place, told in enumerate(_explained(list(_told(turn, topic)))):
            length = len(told.unit.text) + 3
            yield _Candidate(number, place, told.points, length, is_aside=number > last_change, told=told)


def _told(turn: Turn, topic: frozenset[str]) -> Iterator[Told]:
    """The parts of a turn's texts that could be kept."""
    for number, text in enumerate(turn.texts):
        units = units_of(text)
        leads = {unit.lead for unit in units}
        for unit in units[:_MOST_PARTS]:
            part = replace(unit, text=without_nods(unit.text), block=number * _BLOCKS + unit.block)
            if not is_courtesy(part.text) and _can_stand(part, is_lead=unit.text in leads):
                part = part if part.kind == "code" else replace(part, text=cut(part.text, _LONGEST))
                yield weigh(part, topic=topic, is_last=number == len(turn.texts) - 1)


def _can_stand(unit: Unit, *, is_lead: bool) -> bool:
    """Whether a part may be kept alone: a line that only introduces others is kept with them."""
    if unit.kind == "code":
        return len(unit.text) <= _LONGEST_CODE
    return not is_lead or bool(names_in(unit.text))


def _explained(found: list[Told]) -> list[Told]:
    """Give points to sentences in the paragraph of a cause: they continue to explain it."""
    causes = {told.unit.block for told in found if "cause" in told.reasons and told.unit.kind == "prose"}
    more = POINTS["beside a cause"]
    return [
        replace(told, points=told.points + more)
        if told.unit.block in causes and "cause" not in told.reasons
        else told
        for told in found
    ]


def _without_retracted(candidates: list[_Candidate]) -> list[_Candidate]:
    """The candidates without causes and guesses that a later sentence retracts; both name the same thing."""
    later = [
        (each.turn, each.place, {name for name in each.told.names if not name[0].isdigit()})
        for each in candidates
        if each.told is not None and RETRACTED.are_in(said(each.told.unit.text))
    ]
    return [each for each in candidates if not _is_taken_back(each, later)]


def _is_taken_back(each: _Candidate, later: Sequence[tuple[int, int, set[str]]]) -> bool:
    if each.told is None or not ("cause" in each.told.reasons or GUESS.are_in(said(each.told.unit.text))):
        return False
    named = " ".join(each.told.names)
    return any(
        (each.turn, each.place) < (turn, place) and any(name in named for name in names)
        for turn, place, names in later
    )


def _without_refused(candidates: list[_Candidate], turns: Sequence[Turn]) -> list[_Candidate]:
    """The candidates without proposals that the next prompt corrects: what was agreed comes after."""
    asks = [said(turn.ask.strip()) for turn in turns]
    refused = {
        number
        for number, ask in enumerate(asks[1:])
        if CORRECTION.start(ask) and not ask.text.endswith(("?", "？"))
    }
    return [
        each
        for each in candidates
        if each.told is None or each.turn not in refused or not PROPOSED.are_in(said(each.told.unit.text))
    ]


def _best(candidates: list[_Candidate], asks: list[str]) -> dict[int, list[_Candidate]]:
    """By turn, the parts with enough points for the note's length by then; a turn's ask is kept too."""
    kept: dict[int, list[_Candidate]] = {}
    known: list[frozenset[str]] = []
    used = 0
    for each in sorted(candidates, key=_order):
        threshold = next((points for length, points in _THRESHOLDS if used < length), float("inf"))
        less = _ASIDE if each.is_aside and used >= _THRESHOLDS[0][0] else 0.0
        words = _words(each.told)
        if each.points - less < threshold or _is_like(words, known):
            continue
        used += 0 if each.turn in kept else len(asks[each.turn])
        used += each.length if each.told else 0
        kept.setdefault(each.turn, []).append(each)
        known.append(words)
    return kept


def _order(each: _Candidate) -> tuple[bool, float, int, int]:
    """The order of choice: side questions last, then by points, then the latest: it corrects others."""
    return each.is_aside, -each.worth, -each.turn, -each.place


def _words(told: Told | None) -> frozenset[str]:
    return content_words(told.unit.text) | told.names if told else frozenset()


def _is_like(words: frozenset[str], known: list[frozenset[str]]) -> bool:
    """Whether a part that is already kept says nearly the same."""
    return bool(words) and any(len(words & other) >= _ALIKE * len(words) for other in known)


def _is_recorded(told: Told | None, recorded: frozenset[str]) -> bool:
    """Whether a short report ("Committed as ...") only repeats a commit, a test result or an address."""
    return told is not None and len(told.unit.text) < _REPORT and bool(told.names) and told.names <= recorded
