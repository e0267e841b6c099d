"""What kind of note a text is: basic, a rule, or of passing interest. Pure.

Each list moves a figure (docs/heuristics.md). Words are compared whole, in lower case. A word belongs here if
it shows the *kind* of a note in any project, not because of one project's subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis.notes.record import Memory

READ = 420  # characters of a body that are read, because a note names its subject at the start
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


class Read:
    """A note with its words, and the branch of a session's note."""

    def __init__(self, note: Memory) -> None:
        self.note = note
        branch = _SESSION_BRANCH.search(note.body) if note.type == "episodic" else None
        self.branch = branch[1].strip(" `").lower() if branch else ""
        self.text = note.body[:READ].lower()
        self.title = set(words_of(note.title))
        self.body = set(_WORD.findall(self.text))
        self.words = self.title | self.body
        self.passing = self.words & _PASSING


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower())


def common_words(notes: Iterable[Read]) -> set[str]:
    """The passing words that many notes contain, so that the project is about them."""
    counts: dict[str, int] = {}
    total = 0
    for read in notes:
        total += 1
        for word in read.passing:
            counts[word] = counts.get(word, 0) + 1
    return {word for word, count in counts.items() if count > max(2, total // _COMMON)}


def kind_of(read: Read, common: set[str]) -> dict[str, float]:
    """How basic a note is, how much how-to, rule and code it contains, and how short-lived its subject is."""
    code = min(read.note.body.count("`") // 2, _MOST_CODE)
    return {
        "basic": _basic(read),
        "how-to": float(read.note.type == "procedural"),
        "rules": float(min(len(_RULES & read.body), _MOST_RULES)),
        "code": float(code),
        "passing": min(_events(read, common), _MOST_PASSING) / (1 + code / 2),
    }


def _basic(read: Read) -> float:
    """1 for a note clearly about working on the project; less if only one word of the title says so."""
    titled = len(_BASICS & read.title)
    is_sure = titled > 1 or (titled and read.note.type == "procedural")
    if is_sure or not _BASICS.isdisjoint(words_of(" ".join(read.note.tags))):
        return 1.0
    return _ONE_WORD if titled else 0.0


def _events(read: Read, common: set[str]) -> float:
    """How much a text reads like a one-off event: past tense, a particular day, not about the work."""
    past = len(_PAST & read.body) + sum(word[-2:] == "ed" and len(word) > 4 for word in read.body)
    event: float = past * _PER_PAST_WORD * min(1.0, _EVENT / max(len(read.text), 1))
    words = read.passing - common
    passing = len(words) + len(words & read.title)
    return event + (float(passing) if event or passing > 1 else _ALONE * passing)
