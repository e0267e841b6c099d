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
from math import log2
from typing import NamedTuple

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
_PER_PAST_WORD = 0.4
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
    """The context of a session that starts: the branch, the last sessions, and their words."""

    def __init__(self, *, branch: str, sessions: Sequence[Memory], now: str) -> None:
        self.branch = "" if branch.lower() in TRUNKS else branch.lower()
        self.sessions = [note.id for note in sessions]
        self.now = now
        texts = [self.branch, *(f"{note.title} {note.body}" for note in sessions)]
        words = {word for text in texts for word in _words_of(text)} - _BRANCH_KINDS
        self.words = {word for word in words if len(word) > 2 and not word.isdigit()}


class Ranked(NamedTuple):
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
    return list({note.id: note for note in (*here[:2], *sessions[:2])}.values())[:2]


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
    is_other = any(_names(title, other) or _names(read.text, other) for other in others)
    return {"other branch": 1.0} if is_other or _leading_branch(title) else {}


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
    counts = Counter(word for read in notes for word in moment.words & read.words)
    most = log2(len(notes) + 1) - _COMMON_WORD
    return {word: max(0.0, most - log2(count)) for word, count in counts.items()}


def _likeness(read: _Read, moment: Moment, rarity: dict[str, float]) -> float:
    """How much a note shares with the moment, from 0 to nearly 1; words in its title count twice."""
    shared = moment.words & read.words
    amount = sum(rarity[word] * (1 + (word in read.title)) for word in shared)
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
        "passing": _events(read, common) / (1 + code / 2),
    }


def _basic(read: _Read) -> float:
    """Whether the title or a tag is about working on the project."""
    return float(not _BASICS.isdisjoint(read.title | set(_words_of(" ".join(read.note.tags)))))


def _events(read: _Read, common: set[str]) -> float:
    """How much a text reads like a one-off event: past tense, a particular day, not about the work."""
    past: int = len(_PAST & read.body) + sum(word[-2:] == "ed" and len(word) > 4 for word in read.body)
    words = read.passing - common
    return past * _PER_PAST_WORD + len(words) + len(words & read.title)
