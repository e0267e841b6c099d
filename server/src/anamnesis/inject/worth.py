"""How useful a note is to the session that starts now. Pure.

Worth is a sum of named parts, so that it can be explained: whether the note is pinned, how basic it is, how
it relates to the branch and the last sessions, and who wrote it. docs/heuristics.md has the figure of each.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

from anamnesis.index.database import CLOCK_SECONDS
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import HOW, PINNED, REVIEWED, SESSION
from anamnesis.text import timestamp

# Long-lived branches: a note about one of them is about the project.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))
# First words in the names of short-lived branches.
_BRANCH_KINDS = frozenset(
    "feat feature fix bugfix hotfix chore docs doc refactor release perf test tests ci build wip spike exp"
    " experiment task story issue style revert topic".split()
)
_WEIGHTS = {
    "pinned": 20.0,
    "basic": 1.6,
    "passing": -0.9,
    "branch": 5.0,
    "other branch": -5.0,
    "moment": 4.0,
    "old session": -2.5,
    "source": -0.4,
}
_READ = 420  # characters of a body that are read, because a note names its subject at the start
_WORD = re.compile(r"[^\W_]+")
_SESSION_BRANCH = re.compile(r"\*\*Branch:\*\* ([^\n]{1,300})")  # a line in a session's note

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
# A one-off event is told in the past tense (regular verbs are known by their ending), or names a day.
_PAST = frozenset("was were had got did went came took gave sat met showed told left made found lost".split())
_CALENDAR = frozenset(
    "yesterday today tomorrow tonight weekend monday tuesday wednesday thursday friday saturday sunday week"
    " month nobody somebody everybody temporarily".split()
) | frozenset(f"{day}{end}" for day in range(1, 32) for end in ("st", "nd", "rd", "th"))


class Moment:
    """The context of a session that starts: the branch, the last sessions, and their words."""

    def __init__(self, *, branch: str, sessions: Sequence[Memory], now: str) -> None:
        self.branch = "" if branch.lower() in TRUNKS else branch.lower()
        self.sessions = [note.id for note in sessions]
        self.now = now
        said = "\n".join([self.branch, *(f"{note.title} {note.body}" for note in sessions)])
        self.words = {word for word in _words_of(said) if len(word) > 2 and not word.isdigit()}


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
    sessions = [note for note in notes if note.type == SESSION and note.updated_at <= now]
    sessions.sort(key=lambda note: (note.updated_at, note.id), reverse=True)
    here = [note for note in sessions if branch and _branch_of(note) == branch.lower()]
    return list({note.id: note for note in (*here[:2], *sessions[:2])}.values())[:2]


def phrases_for(branch: str) -> list[str]:
    """Full-text expressions for basic notes and notes about the branch, for use in a large project."""
    words = _WORD.findall(branch) if branch.lower() not in TRUNKS else []
    phrases = [f"{{title tags}} : ({' OR '.join(sorted(_BASICS))})"]
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
    branches = {one.branch for one in read if "/" in one.branch} - {moment.branch}
    ranked = [Ranked(one.note, _parts(one, moment, rarity, branches)) for one in read]
    return sorted(
        ranked, key=lambda one: (one.worth, date_of(one.note, moment.now), one.note.id), reverse=True
    )


def is_by_model(note: Memory) -> bool:
    """Whether a model wrote a note, other than of a session, and no person has kept it."""
    is_model = note.prov_source == "reflection" or (note.prov_source == "human" and bool(note.prov_model))
    return is_model and REVIEWED not in note.tags


class _Read:
    """A note with its words, and the branch of a session's note."""

    def __init__(self, note: Memory) -> None:
        self.note = note
        self.branch = _branch_of(note)
        self.title = _words_of(note.title)
        self.body = _words_of(note.body[:_READ])
        self.words = self.title | self.body


def _parts(read: _Read, moment: Moment, rarity: dict[str, float], branches: set[str]) -> dict[str, float]:
    """The parts of a note's worth that are not zero."""
    note = read.note
    is_pinned = PINNED in note.tags and note.prov_source != "import" and not is_by_model(note)
    # Imported instructions are a person's feedback.
    is_feedback = note.prov_source == "import" and note.type == HOW
    is_persons = is_feedback or note.prov_source == "human" or REVIEWED in note.tags
    amounts = {
        "pinned": float(is_pinned),
        "moment": _likeness(read, moment, rarity),
        "source": float(not is_persons),
    }
    if branch := _relation(read, moment.branch, branches):
        amounts[branch] = 1.0
    if note.id in moment.sessions:
        amounts["other branch"] = amounts.get("other branch", 0.0) / 4  # it is the latest work
    elif note.type == SESSION:
        amounts["old session"] = 1.0
    else:
        amounts["basic"] = float(not _BASICS.isdisjoint(read.title | _words_of(" ".join(note.tags))))
        amounts["passing"] = _passing(read)
    return {name: _WEIGHTS[name] * amount for name, amount in amounts.items() if amount}


def _passing(read: _Read) -> float:
    """How much a text reads like a one-off event."""
    past = len(_PAST & read.body) + sum(word.endswith("ed") and len(word) > 4 for word in read.body)
    return 0.4 * past + len(_CALENDAR & read.words)


def _relation(read: _Read, current: str, others: Iterable[str]) -> str:
    """Whether the note is about the current `branch`, an `other branch`, or no branch ("")."""
    if read.branch:  # a session's note names its branch
        is_other = read.branch != current and read.branch not in TRUNKS
        return "branch" if read.branch == current else "other branch" if is_other else ""
    note = read.note
    text = "\n".join([note.title, note.body[:_READ], *note.tags]).lower()
    if current and _names(text, current):
        return "branch"
    kind, slash, _ = note.title.lower().partition(":")[0].partition("/")  # "feat/vouchers: rules"
    is_led = ":" in note.title and slash and kind.strip() in _BRANCH_KINDS
    return "other branch" if is_led or any(_names(text, other) for other in others) else ""


def _names(text: str, branch: str) -> bool:
    """Whether the text contains the branch's whole name, not as part of a longer one."""
    return branch in text and re.search(rf"(?<![\w/-]){re.escape(branch)}(?![\w/-])", text) is not None


def _branch_of(note: Memory) -> str:
    """The branch that a session's note names; "" for other notes."""
    found = _SESSION_BRANCH.search(note.body) if note.type == SESSION else None
    return found[1].strip(" `").lower() if found else ""


def _rarity(notes: Sequence[_Read], moment: Moment) -> dict[str, float]:
    """How well each word of the moment distinguishes notes: 0 for a word in a quarter of them."""
    counts = Counter(word for read in notes for word in moment.words & read.words)
    most = log2(len(notes) + 1) - 2
    return {word: max(0.0, most - log2(count)) for word, count in counts.items()}


def _likeness(read: _Read, moment: Moment, rarity: dict[str, float]) -> float:
    """How much a note shares with the moment, from 0 to nearly 1; words in its title count twice."""
    shared = moment.words & read.words
    amount = sum(rarity[word] * (1 + (word in read.title)) for word in shared)
    return amount / (amount + 9)  # nine doublings of rarity give half of the maximum


def _words_of(text: str) -> set[str]:
    """The words of a text, in lower case."""
    return set(_WORD.findall(text.lower()))
