"""How useful a note is to the session that starts now. Pure.

Worth is a sum of named parts, so that it can be explained: whether the note is pinned, how basic it is, how
it relates to the branch and the last sessions, and who wrote it. One-off events and notes about other
branches lose points. docs/heuristics.md has the figure of each weight.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import log2

from anamnesis.index.schema import CLOCK_SECONDS
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import HOW, SESSION, timestamp

PINNED, SCRIPTED, REVIEWED, REFERENCE = "pinned", "scripted", "reviewed", "reference"
# Long-lived branches: a note about one of them is about the project.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))
# First words in the names of short-lived branches.
_BRANCH_KINDS = frozenset(
    "feat feature fix bugfix hotfix chore docs doc refactor release perf test tests ci build wip spike exp"
    " experiment task story issue style revert topic".split()
)
# Matches "On branch x", "**Branch:** x", "Branch feat/x", but not "each version is a branch x" or "Branch
# names are short", which are about using branches.
_NAMED_BRANCH = re.compile(
    r"(?m)(?:\b(?:on|in|for)\s+(?:\w{2,3}\s+)?branch[:\s`*\"']+|\*\*branch[:\s`*\"']+"
    r"|^branch(?:\s*[:`*\"'][\s`*\"']*|\s+(?=[\w.-]+/)))([\w./-]+)"
)
_LONG_BEFORE = 14  # days
_LEAD = 60  # a branch must be named within this many characters at the start of a note
_READ_SESSION = 1_600  # characters of a session's note: enough for its later asks and its outcome
_SECOND_SESSION = 0.6  # how much the words of the second to last session count
_IN_BODY = 0.7  # how much words count that are not in a session's title
_HALF = 9.0  # shared rarity of words that gives half of the maximum
_COMMON_WORD = 2.0  # doublings of rarity that do not count: a word in a quarter of the notes says nothing
_WEIGHTS = {
    "pinned": 20.0,
    "basic": 1.6,
    "how-to": 0.5,
    "rules": 0.5,
    "code": 0.3,
    "passing": -0.9,
    "branch": 5.0,
    "other branch": -5.0,
    "moment": 4.0,
    "last session": 1.8,
    "old session": -2.5,
    "scripted": -12.0,
    "source": 1.0,
}
_DOUBT = {"session-end": -0.2, "reflection": -0.4, "import": -0.6}
# The words of `kinds` that most often show a basic note: all of them would take a millisecond to look up.
_ASKED_FOR = (
    "test run build deploy release install setup environment migrations workflow convention style rules"
    " naming policy language preference architecture layers design decision why never always must".split()
)

# -- the kind of a note ------------------------------------------------------------------------------------
# A word belongs here if it shows the kind of a note in any project, not because of one project's subject.

_READ = 420  # characters of a body that are read, because a note names its subject at the start
_WORD = re.compile(r"[^\W_]+")
_SESSION_BRANCH = re.compile(r"\*\*Branch:\*\* ([^\n]{1,300})")  # a line in a session's note
_ONE_WORD = 0.5  # if only one word of the title says that a note is basic
_PER_PAST_WORD = 0.4
_EVENT = 300  # characters; a longer text has more past-tense words without being about an event
_ALONE = 0.5  # for a passing word without any sign of an event
_MOST_PASSING = 4.0
_MOST_RULES = _MOST_CODE = 3
_COMMON = 12  # if more than one note in so many contains a passing word, the project is about it

# A title or tag with one of these is about working on the project: build, run, test, ship, and rules.
_BASIC = (
    "test testing run running start build building compile install installation setup environment env dev"
    " deploy deployment deploying release releasing publish publishing rollback migration migrate codegen"
    " generate generated lint linting linter formatting formatter ci workflow toolchain version dependency"
    " debug debugging bootstrap onboarding convention style rule guideline policy naming standard practice"
    " principle never always must don architecture layer layering structure design boundary decision adr why"
    " invariant error handling unit preference prefer feedback tone language commit review branching".split()
)
_BASICS = frozenset((*_BASIC, *(f"{word}s" for word in _BASIC)))
# A body with these states a rule.
_RULES = frozenset(
    "never always must only every exactly forbidden required require instead avoid prefer refuse rejected"
    " reject decided decide because unless nowhere neither nor pinned mandatory shall don use".split()
)
# One-off events are written in the past tense; regular verbs are known by their ending.
_PAST = frozenset("was were had got did went came took gave sat met showed told left made found lost".split())
# About a day or the office rather than the work.
_PASSING = frozenset(
    "yesterday today tomorrow tonight weekend monday tuesday wednesday thursday friday saturday sunday week"
    " month booked meeting party lunch birthday vacation holiday travel hotel train flight invited visit"
    " survey poll chat emoji poster anecdote nobody somebody everybody temporarily temporary"
    " office kitchen coffee cake beer pizza barbecue sofa desk chair guitar printer toner projector"
    " parking badge sticker stickers mascot flyer brochure photo marketing sticky whiteboard raffle"
    " parcel courier headset meetup vote quiz dock charger drawer snack plant fridge recipe oven keyboard"
    " bike insurance interview radio".split()
) | frozenset(f"{day}{end}" for day in range(1, 32) for end in ("st", "nd", "rd", "th"))


class Moment:
    """The context of a session that starts: the branch, the last sessions, and their words with weights."""

    def __init__(self, *, branch: str, sessions: Sequence[Memory], now: str) -> None:
        self.branch = "" if branch.lower() in TRUNKS else branch.lower()
        self.sessions = [note.id for note in sessions]
        self.now = now
        self.words: dict[str, float] = {}
        self._add(self.branch, 1.0)
        for note, weight in zip(sessions, (1.0, _SECOND_SESSION), strict=False):
            self._add(note.title, weight)
            self._add(note.body[:_READ_SESSION], weight * _IN_BODY)

    def _add(self, text: str, weight: float) -> None:
        for word in set(_words_of(text)) - _BRANCH_KINDS:
            if len(word) > 2 and not word.isdigit():
                self.words[word] = max(self.words.get(word, 0.0), weight)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A note with the parts of its worth."""

    note: Memory
    parts: dict[str, float]

    @property
    def worth(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())


def last_sessions(notes: Iterable[Memory], branch: str, *, now: str) -> list[Memory]:
    """The two sessions to continue from: the latest on this branch, then the latest of all."""
    sessions = [note for note in notes if note.type == SESSION.name and SCRIPTED not in note.tags]
    sessions = [note for note in sessions if note.updated_at <= now]
    sessions.sort(key=lambda note: (note.updated_at, note.id), reverse=True)
    here = [note for note in sessions if branch and _worked_on(note, branch.lower())]
    latest = list({note.id: note for note in (*here[:2], *sessions[:2])}.values())[:2]
    # Work on its own branch continues after a pause; elsewhere, work from long ago is over.
    is_one_work = branch.lower() not in TRUNKS and len(here) > 1
    days = [_day(note.updated_at) for note in latest]
    return latest[:1] if len(latest) > 1 and not is_one_work and days[0] - days[1] > _LONG_BEFORE else latest


def _day(moment: str) -> int:
    try:
        return date.fromisoformat(moment[:10]).toordinal()
    except ValueError:
        return 0


def _worked_on(note: Memory, branch: str) -> bool:
    named = _Read(note).branch
    return named == branch if named else _names(note.body[:_READ].lower(), branch)


def phrases_for(branch: str) -> list[str]:
    """Full-text expressions for basic notes and notes about the branch, for use in a large project."""
    words = re.findall(r"[^\W_]+", branch) if branch.lower() not in TRUNKS else []
    phrases = [f"{{title tags}} : ({' OR '.join(_ASKED_FOR)})"]
    return [*phrases, f'"{" ".join(words)}"'] if words else phrases


def latest_moment() -> str:
    """The current time, plus the minutes by which machines' clocks may differ."""
    return timestamp(time.time() + CLOCK_SECONDS)


def date_of(note: Memory, now: str) -> str:
    """When a note was last changed; a date in the future is a wrong clock or a typo and counts as no date."""
    return note.updated_at if note.updated_at <= now else ""


def rank(notes: Iterable[Memory], moment: Moment) -> list[Ranked]:
    """The notes with their worth, best first; of equal ones, the newest."""
    read = [_Read(note) for note in notes]
    rarity = _rarity(read, moment)
    common = _common_words(read)
    branches = {one.branch for one in read if "/" in one.branch} - {moment.branch}
    ranked = [Ranked(one.note, _parts(one, moment, rarity, common, branches)) for one in read]
    return sorted(
        ranked, key=lambda one: (one.worth, date_of(one.note, moment.now), one.note.id), reverse=True
    )


def is_by_model(note: Memory) -> bool:
    """Whether a model wrote a note, other than of a session, and no person has kept it."""
    is_model = note.prov_source == "reflection" or (note.prov_source == "human" and bool(note.prov_model))
    return is_model and REVIEWED not in note.tags


def _parts(
    read: _Read, moment: Moment, rarity: dict[str, float], common: set[str], branches: set[str]
) -> dict[str, float]:
    """The parts of a note's worth that are not zero."""
    note = read.note
    is_pinned = PINNED in note.tags and note.prov_source != "import" and not is_by_model(note)
    amounts = {
        "pinned": float(is_pinned),
        "moment": _likeness(read, moment, rarity),
        "source": _doubt(note) - max(0.0, 1.0 - note.confidence) / 2,
        **_branch(read, moment.branch, branches),
    }
    if note.id in moment.sessions:
        amounts["last session"] = 1.0 if note.id == moment.sessions[0] else 0.7
        amounts["other branch"] = amounts.get("other branch", 0.0) / 4  # it is the latest work
    elif note.type == SESSION.name:
        amounts["old session"] = 1.0
        amounts["scripted"] = float(SCRIPTED in note.tags)  # still counted, and found by search
    else:
        amounts.update(_kind_of(read, common))
        # A one-off event gains no worth from the topic it mentions.
        for name in ("basic", "how-to", "rules", "moment"):
            amounts[name] /= 1 + amounts["passing"]
    return {name: _WEIGHTS[name] * amount for name, amount in amounts.items() if amount}


def _doubt(note: Memory) -> float:
    """What a note loses that no person wrote or reviewed; imported instructions are a person's feedback."""
    is_feedback = note.prov_source == "import" and note.type == HOW.name
    return 0.0 if is_feedback or REVIEWED in note.tags else _DOUBT.get(note.prov_source, 0.0)


def _branch(read: _Read, current: str, others: Iterable[str]) -> dict[str, float]:
    """Whether the note is about the current branch, or about another one."""
    if read.branch:  # a session's note names its branch
        if read.branch == current:
            return {"branch": 1.0}
        return {} if read.branch in TRUNKS else {"other branch": 1.0}
    title = read.note.title.lower()
    if current and (_names(title, current) or _names(read.text, current) or current in read.note.tags):
        return {"branch": 1.0}
    if any(_names(title, other) or _names(read.text[:_LEAD], other) for other in others):
        return {"other branch": 1.0}
    named = {_leading_branch(title), *(_NAMED_BRANCH.findall(read.text) if "branch" in read.body else ())}
    return {"other branch": 1.0} if {name.rstrip(".") for name in named} - TRUNKS else {}


def _names(text: str, branch: str) -> bool:
    """Whether the text contains the branch's whole name, not as part of a longer one."""
    return branch in text and re.search(rf"(?<![\w/-]){re.escape(branch)}(?![\w/-])", text) is not None


def _leading_branch(title: str) -> str:
    """The branch that a title starts with, as in "feat/vouchers: rules"."""
    name, colon, _ = title.partition(":")
    kind, slash, rest = name.strip().partition("/")
    return name.strip() if colon and slash and kind in _BRANCH_KINDS and rest and " " not in rest else ""


def _rarity(notes: Sequence[_Read], moment: Moment) -> dict[str, float]:
    """How well each word of the moment distinguishes notes: 0 for a word in a quarter of them."""
    counts = Counter(word for read in notes for word in moment.words.keys() & read.words)
    most = log2(len(notes) + 1) - _COMMON_WORD
    return {word: max(0.0, most - log2(count)) for word, count in counts.items()}


def _likeness(read: _Read, moment: Moment, rarity: dict[str, float]) -> float:
    """How much a note shares with the moment, from 0 to nearly 1; words in its title count twice."""
    shared = moment.words.keys() & read.words
    amount = sum(moment.words[word] * rarity[word] * (1 + (word in read.title)) for word in shared)
    return amount / (amount + _HALF)


class _Read:
    """A note with its words, and the branch of a session's note."""

    def __init__(self, note: Memory) -> None:
        self.note = note
        branch = _SESSION_BRANCH.search(note.body) if note.type == SESSION.name else None
        self.branch = branch[1].strip(" `").lower() if branch else ""
        self.text = note.body[:_READ].lower()
        self.title = set(_words_of(note.title))
        self.body = set(_WORD.findall(self.text))
        self.words = self.title | self.body
        self.passing = self.words & _PASSING


def _words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower())


def _common_words(notes: Iterable[_Read]) -> set[str]:
    """The passing words that many notes contain, so that the project is about them."""
    counts: dict[str, int] = {}
    total = 0
    for read in notes:
        total += 1
        for word in read.passing:
            counts[word] = counts.get(word, 0) + 1
    return {word for word, count in counts.items() if count > max(2, total // _COMMON)}


def _kind_of(read: _Read, common: set[str]) -> dict[str, float]:
    """How basic a note is, how much how-to, rule and code it contains, and how short-lived its subject is."""
    code = min(read.note.body.count("`") // 2, _MOST_CODE)
    return {
        "basic": _basic(read),
        "how-to": float(read.note.type == HOW.name),
        "rules": float(min(len(_RULES & read.body), _MOST_RULES)),
        "code": float(code),
        "passing": min(_events(read, common), _MOST_PASSING) / (1 + code / 2),
    }


def _basic(read: _Read) -> float:
    """1 for a note clearly about working on the project; less if only one word of the title says so."""
    titled = len(_BASICS & read.title)
    is_sure = titled > 1 or (titled and read.note.type == HOW.name)
    if is_sure or not _BASICS.isdisjoint(_words_of(" ".join(read.note.tags))):
        return 1.0
    return _ONE_WORD if titled else 0.0


def _events(read: _Read, common: set[str]) -> float:
    """How much a text reads like a one-off event: past tense, a particular day, not about the work."""
    past = len(_PAST & read.body) + sum(word[-2:] == "ed" and len(word) > 4 for word in read.body)
    event: float = past * _PER_PAST_WORD * min(1.0, _EVENT / max(len(read.text), 1))
    words = read.passing - common
    passing = len(words) + len(words & read.title)
    return event + (float(passing) if event or passing > 1 else _ALONE * passing)
