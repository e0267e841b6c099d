"""What kind of note a text is: basic, stating a rule, or of passing interest. Pure.

Passing interest shows in two ways: by words (past tense, days, the office) in the languages of
`anamnesis.inject.cues`, and in any language by what only lasting notes have: a name from the code, a tag, a
later edit, a note that refers to it. The SessionStart hook uses this module.
"""

from __future__ import annotations

import re

from anamnesis.inject.cues import (
    BASIC_PIECES,
    BASICS,
    BESIDE,
    BESIDE_PIECES,
    PASSING,
    PASSING_PIECES,
    PAST,
    PAST_ENDS,
    PRESENT,
    RULE_PIECES,
    RULES,
)
from anamnesis.layout import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.notes.vocabulary import Note

READ = 420  # characters of a body that are read: a note names its subject at the start
WORD = re.compile(r"[^\W_]+")
_WIDE = "\u2e80"  # from here on are the scripts without spaces
_SESSION_BRANCH = "**Branch:** "  # the line of a session's note
_LONGEST_BRANCH = 300
# Characters that only names in code and commands have; acronyms and numbers are in any text.
_CODE_NAME = re.compile(r"[`_/\\@=<{]|--|[a-z][A-Z]|[a-z]\.[a-z]|[a-z]\d|\d[a-z]")
_ASIDE = BESIDE | PASSING
_ASIDE_PIECES = (*BESIDE_PIECES, *PASSING_PIECES)

_ONE_WORD = 0.5  # of being basic, if only one word of the title says so
_PAST = 0.4  # for each word of the past beyond those of the present
_EVENT = 300  # characters: a longer text has more words of the past without being about an event
_ALONE = 0.5  # for a word of the office without any sign of an event
_MOST_PASSING = 4.0
_RELIEF = 0.5  # for each sign that the note is maintained
_LOOSE = 0.5  # for a text without any sign that it lasts
_LASTED = 120  # days; after that, a note's form no longer counts against it
_PREFERENCE = 160  # characters; a shorter global note is probably a preference
_MANY = 20  # notes; fewer say nothing about the writer's habits


class Read:
    """A note with the words that were read from it."""

    __slots__ = ("aside", "body", "branch", "is_loose", "is_wide", "note", "shared", "text", "title")

    def __init__(self, note: Note, wanted: Mapping[str, float]) -> None:
        self.note = note
        self.branch = session_branch(note)
        self.text = note.body[:READ].lower()
        self.is_wide = _is_wide(self.text)
        self.title = set(words_of(note.title))
        self.body = set(WORD.findall(self.text))
        words = self.title | self.body
        self.shared = wanted.keys() & words  # words in common with the moment
        self.aside = words & _ASIDE
        if self.is_wide:
            self.aside |= {piece for piece in _ASIDE_PIECES if piece in note.title or piece in self.text}
        self.is_loose = _is_loose(note)


class Habits:
    """How the notes of a project are usually written."""

    __slots__ = ("common", "has_links", "has_loose", "texts", "today")

    def __init__(self, notes: Sequence[Read], *, today: int) -> None:
        self.today = today
        self.common = _common_words(notes) | _own_words(notes)
        loose = sum(each.is_loose for each in notes)
        # If most notes are plain prose, being plain prose says nothing about one of them.
        self.has_loose = len(notes) >= _MANY and loose * 2 <= len(notes)
        self.texts = "\n".join([each.note.body for each in notes])
        self.has_links = "[[" in self.texts


def kind_of(read: Read, habits: Habits) -> dict[str, float]:
    """How basic a note is, how much how-to, rule and code it has, and how short-lived its subject is."""
    note = read.note
    code = min(note.body.count("`") // 2, 3)
    passing = min(_events(read, habits.common), _MOST_PASSING) / (1 + code / 2)
    if habits.has_loose and read.is_loose:
        passing += _LOOSE * max(0.0, 1 - max(0, habits.today - day_number(note.created_at)) / _LASTED)
    return {
        "basic": _basic(read),
        "how-to": float(note.type == "procedural"),
        "rules": float(min(len(RULES & read.body) + _pieces(read, RULE_PIECES), 3)),
        "code": float(code),
        "passing": passing * _RELIEF ** _signs_of_care(note, habits) if passing else 0.0,
    }


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return WORD.findall(text.lower())


def day_number(moment: str) -> int:
    """A timestamp as a number of days, months counted as 30: near enough for an age, and free."""
    year, month, day = moment[:4], moment[5:7], moment[8:10]
    is_date = year.isdecimal() and month.isdecimal() and day.isdecimal()
    return int(year) * 365 + int(month) * 30 + int(day) if is_date else 0


def session_branch(note: Note) -> str:
    """The branch that the note of a session says it worked on, wherever that line is; "" without one."""
    at = note.body.find(_SESSION_BRANCH) if note.type == "episodic" else -1
    if at < 0:
        return ""
    start = at + len(_SESSION_BRANCH)
    return note.body[start : start + _LONGEST_BRANCH].partition("\n")[0].strip(" `").lower()


def _basic(read: Read) -> float:
    """1 for a note that is certainly about working on the project; one word of a title may be chance."""
    note = read.note
    titled = len(BASICS & read.title)
    if not note.title.isascii():
        titled += sum(piece in note.title for piece in BASIC_PIECES)
    if titled > 1 or (titled and note.type == "procedural"):
        return 1.0
    if note.tags and not BASICS.isdisjoint(words_of(" ".join(note.tags))):
        return 1.0
    return _ONE_WORD if titled else 0.0


def _events(read: Read, common: frozenset[str]) -> float:
    """How much a text reads like a one-off event: past tense, a certain day, not about the work."""
    regular = len([word for word in read.body if word[-2:] == "ed" and len(word) > 4])
    past = len(PAST & read.body) + regular + _pieces(read, PAST_ENDS) - len(PRESENT & read.body)
    event: float = max(0, past) * _PAST * min(1.0, _EVENT / max(len(read.text), 1))
    words = read.aside - common
    aside = len(words) + len(words & read.title)
    return event + (float(aside) if event or aside > 1 else _ALONE * aside)


def _signs_of_care(note: Note, habits: Habits) -> int:
    """How many signs show that a note is maintained: it replaces one, was edited, is referred to."""
    was_edited = "" < note.created_at[:10] < note.updated_at[:10]
    is_linked = note.id in habits.texts or (habits.has_links and f"[[{note.title}]]" in habits.texts)
    return bool(note.supersedes) + was_edited + is_linked


def _is_loose(note: Note) -> bool:
    """Whether a text has no sign, in any language, that it is about the work."""
    if note.tags or (note.project == GLOBAL and len(note.body) <= _PREFERENCE):
        return False
    return note.type != "episodic" and not _CODE_NAME.search(note.body, 0, READ)


def _is_wide(text: str) -> bool:
    """Whether a text is in a script without spaces, where words are looked for as pieces."""
    return not text.isascii() and any(char >= _WIDE for char in text)


def _pieces(read: Read, pieces: Iterable[str]) -> int:
    """How many of the pieces a text in a script without spaces has."""
    return sum(piece in read.text for piece in pieces) if read.is_wide else 0


def _own_words(notes: Sequence[Read]) -> frozenset[str]:
    """The words for matters beside the work that this project is about: it has a tag or a branch of it."""
    named = " ".join([" ".join((*note.note.tags, note.branch)) for note in notes])
    return frozenset(words_of(named)) & BESIDE


def _common_words(notes: Sequence[Read]) -> frozenset[str]:
    """The words for passing matters that many notes have: this project is about them."""
    counts: dict[str, int] = {}
    for note in notes:
        for word in note.aside:
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if count > max(2, len(notes) // 12))
