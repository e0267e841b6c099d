"""How much a note is worth to the session that starts now. Pure: notes and a moment in, numbers out.

Worth is a sum of named parts, so that it can be explained: what the user pinned; how basic the note is; how
it relates to the branch and to the last sessions; how often it was used; who vouches for it; and, with little
weight, its age. One-off events and notes of other branches lose points. The weights were measured:
docs/injection.md has the figures. The SessionStart hook uses it: sets of words, few regular expressions.
"""

from __future__ import annotations

import re
from math import log2

from anamnesis.inject.kinds import READ, WORD, Habits, Read, day_number, kind_of, session_branch, words_of
from anamnesis.layout import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.notes.vocabulary import Note

PINNED, SCRIPTED = "pinned", "scripted"
# Long-lived branches: a note about one of them is about the project.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))

# How the names of short-lived branches start.
_BRANCH_KINDS = frozenset(
    "feat feature fix bugfix hotfix chore docs doc refactor release perf test tests ci build wip spike exp"
    " experiment dependabot renovate task story issue style revert topic users user support".split()
)

# Of those, what a session on such a branch is about; the others show no subject.
_MEANT_BY_KIND = {
    "perf": ("perf", "performance", "speed"),
    "docs": ("docs", "documentation"),
    "doc": ("docs", "documentation"),
    "ci": ("ci", "pipeline"),
    "test": ("tests", "testing"),
    "tests": ("tests", "testing"),
    "release": ("release", "releasing"),
    "build": ("build", "building"),
}

# Words that say nothing about the subject of a session.
_COMMON = frozenset(
    "the and for with from that this not are was has have had but you your its into out one two all any can"
    " ask branch file touched outcome session main master src lib app test tests index readme docs"
    " und der die das mit für von ist nicht ein eine les des une pour avec est pas los las una para con"
    " que".split()
)
_BRANCH_WORDS = ("branch", "zweig", "rama", "ramo", "gałęzi", "ветке", "ブランチ", "分支")
_BRANCH_FORMS = frozenset(form for word in _BRANCH_WORDS for form in (word, f"{word}e"))
_BRANCH_WORD = rf"(?:{'|'.join(_BRANCH_WORDS)})e?"
_UNSPACED = ("ブランチ", "分支")  # in scripts without spaces, where they are a part of a longer word
# "On branch x", "**Branch:** x", "Branch feat/x"; neither "each version is a branch x" nor "Branch names are
# short", which are about how branches are used.
_NAMED_BRANCH = (
    rf"(?m)(?:\b(?:on|in|for|auf|im|sur|en|na|no|sul|op|в|на)\s+(?:\w{{2,3}}\s+)?{_BRANCH_WORD}[:\s`*\"']+"
    rf"|\*\*{_BRANCH_WORD}[:\s`*\"']+|^{_BRANCH_WORD}(?:\s*[:`*\"'][\s`*\"']*|\s+(?=[\w.-]+/)))([\w./-]+)"
)
_LONG_BEFORE = 14  # days
_LEAD = 60  # characters at the start of a note in which a branch must be named
_READ_SESSION = 1_600  # characters of a session: its later asks and its outcome are what comes next

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
    "last session": 3.0,
    "old session": -2.5,
    "scripted": -12.0,
    "used": 0.5,
    "source": 1.0,
    "age": -0.12,
    "everywhere": 0.6,
}
_DOUBT = {"session-end": -0.2, "reflection": -0.4, "import": -0.1}
_ASKED_FOR = (
    "test", "run", "build", "deploy", "release", "install", "setup", "migrations", "convention", "style",
    "rules", "architecture", "decision", "why", "never", "always", "must",
)  # fmt: skip
_OLDEST = 4.0
_MOST_USED = 3.0  # reached after seven sessions: use lifts a note, but must not bury an unused basic one
_HALF = 9.0  # this much shared rarity of words gives half of the highest score
_COMMON_WORD = 2.0  # doublings of rarity that count nothing: a word in a quarter of the notes says nothing
_ENDINGS = ("s", "n", "en")  # of plurals; taken off and put on


class Moment:
    """What a session starts with: the branch, the last sessions, and the words of both by weight."""

    __slots__ = ("branch", "now", "sessions", "today", "words")

    def __init__(self, *, branch: str, sessions: Sequence[Note], now: str) -> None:
        self.branch = "" if branch.lower() in TRUNKS else branch.lower()
        self.sessions = [note.id for note in sessions]
        self.now = now
        self.today = day_number(now)
        self.words: dict[str, float] = {}
        self._add(self.branch, 1.0)
        for word in _MEANT_BY_KIND.get(self.branch.partition("/")[0], ()):
            self.words[word] = 1.0
        for note, weight in zip(sessions, (1.0, 0.6), strict=False):
            self._add(note.title, weight)
            self._add(note.body[:_READ_SESSION], weight * 0.7)

    def _add(self, text: str, weight: float) -> None:
        for word in set(words_of(text)):
            if len(word) > 2 and not word.isdigit() and word not in _COMMON and word not in _BRANCH_KINDS:
                for form in forms_of(word):
                    if self.words.get(form, 0.0) < weight:
                        self.words[form] = weight


class Ranked:
    """A note with its worth, and the parts that it is the sum of."""

    __slots__ = ("note", "parts", "worth")

    def __init__(self, note: Note, parts: dict[str, float]) -> None:
        self.note = note
        self.parts = parts
        self.worth = sum(parts.values())


def last_sessions(notes: Iterable[Note], branch: str, *, now: str) -> list[Note]:
    """The two sessions to continue from: the latest on this branch, then the latest of all."""
    sessions = sorted(
        (note for note in notes if _is_of_a_person(note) and note.updated_at <= now),
        key=lambda note: (note.updated_at, note.id),
        reverse=True,
    )
    here = [note for note in sessions if branch and _worked_on(note, branch.lower())]
    found = list({note.id: note for note in (*here[:2], *sessions[:2])}.values())[:2]
    # On a branch of its own, work goes on after a pause; elsewhere, what was done long before is over.
    is_one_work = branch.lower() not in TRUNKS and len(here) > 1
    if len(found) > 1 and not is_one_work and _days_between(*found) > _LONG_BEFORE:
        return found[:1]
    return found


def _days_between(later: Note, earlier: Note) -> int:
    return day_number(later.updated_at) - day_number(earlier.updated_at)


def _is_of_a_person(note: Note) -> bool:
    return note.type == "episodic" and SCRIPTED not in note.tags


def _worked_on(note: Note, branch: str) -> bool:
    named = session_branch(note)
    return named == branch if named else _names(note.body[:READ].lower(), branch)


def phrases_for(branch: str) -> list[str]:
    """Full-text expressions that find, in a large project, basic notes and those of the branch."""
    words = WORD.findall(branch) if branch.lower() not in TRUNKS else []
    phrases = [f"title : ({' OR '.join(_ASKED_FOR)})"]
    return [*phrases, f'"{" ".join(words)}"'] if words else phrases


def rank(notes: Iterable[Note], moment: Moment, uses: Mapping[str, int]) -> list[Ranked]:
    """The notes with their worth, best first."""
    read = [Read(note, moment.words) for note in notes]
    known = _Known(read, moment)
    found = [Ranked(each.note, _parts(each, moment, known, uses.get(each.note.id, 0))) for each in read]
    return sorted(found, key=lambda each: (each.worth, _date(each.note, moment), each.note.id), reverse=True)


def forms_of(word: str, endings: Sequence[str] = _ENDINGS) -> list[str]:
    """A word with its possible singular and plural forms; a form that does not exist does no harm."""
    found = [word]
    for end in endings if len(word) > 3 else ("s",):
        found.append(word + end)
        if word.endswith(end) and len(word) - len(end) > 2:
            found.append(word[: -len(end)])
    return found


class _Known:
    """Data from all notes of a project: its rare words, its habits, and its other branches."""

    __slots__ = ("branches", "habits", "rarity")

    def __init__(self, notes: Sequence[Read], moment: Moment) -> None:
        self.rarity = _rarity(notes)
        self.habits = Habits(notes, today=moment.today)
        self.branches = _branches_of(notes) - {moment.branch}


def _parts(read: Read, moment: Moment, known: _Known, used: int) -> dict[str, float]:
    """The parts of a note's worth that are not zero."""
    note = read.note
    amounts = {
        "pinned": float(PINNED in note.tags),
        "moment": _likeness(read, moment.words, known.rarity),
        "used": min(log2(1 + used), _MOST_USED),
        "source": _DOUBT.get(note.prov_source, 0.0) - max(0.0, 1.0 - note.confidence) / 2,
        "age": _age(day_number(_date(note, moment)), moment.today),
        "everywhere": float(note.project == GLOBAL),
        **_branch(read, moment.branch, known.branches),
    }
    if "other branch" in amounts:
        amounts["used"] = 0.0  # it was used there
    if note.id in moment.sessions:
        amounts["last session"] = 1.0 if note.id == moment.sessions[0] else 0.7
        amounts["other branch"] = amounts.get("other branch", 0.0) / 4  # still the latest work
    elif note.type == "episodic":
        amounts["old session"] = 1.0
        amounts["scripted"] = float(SCRIPTED in note.tags)  # it is still counted and found by search
    else:
        amounts.update(kind_of(read, known.habits))
        # A one-off event does not gain worth from the topic it mentions.
        for name in ("basic", "how-to", "rules", "moment", "used"):
            amounts[name] /= 1 + amounts["passing"]
    return {name: _WEIGHTS[name] * amount for name, amount in amounts.items() if amount}


def _date(note: Note, moment: Moment) -> str:
    """When a note was changed last; a date in the future is a wrong clock, and counts as none."""
    return note.updated_at if note.updated_at <= moment.now else ""


def _age(day: int, today: int) -> float:
    """0 for a note of today, 1 after a month, at most 4."""
    return min(log2(1 + max(0, today - day) / 30), _OLDEST)


def _branches_of(notes: Iterable[Read]) -> frozenset[str]:
    """The branches that sessions say they worked on."""
    return frozenset(each.branch for each in notes if "/" in each.branch)


def _branch(read: Read, current: str, others: Iterable[str]) -> dict[str, float]:
    """Whether the note is about the branch that is checked out, or about another one."""
    if read.branch:  # a session's note names its branch
        if read.branch == current:
            return {"branch": 1.0}
        return {} if read.branch in TRUNKS else {"other branch": 1.0}
    title = read.note.title.lower()
    if current and (_names(title, current) or _names(read.text, current) or current in read.note.tags):
        return {"branch": 1.0}
    if any(_names(title, other) or _names(read.text[:_LEAD], other) for other in others):
        return {"other branch": 1.0}
    named = {_leading_branch(title), _leading_branch(_without_preposition(read.text[:_LEAD]))}
    if _speaks_of_branches(read):
        named.update(re.findall(_NAMED_BRANCH, read.text))
    return {"other branch": 1.0} if {name.rstrip(".") for name in named} - TRUNKS else {}


def _speaks_of_branches(read: Read) -> bool:
    """Whether to try the pattern for a branch's name, which costs more than everything else here."""
    if not _BRANCH_FORMS.isdisjoint(read.body):
        return True
    return not read.text.isascii() and any(piece in read.text for piece in _UNSPACED)


def _names(text: str, branch: str) -> bool:
    """Whether the text has the branch's name as a whole, not as part of a longer one."""
    at = text.find(branch)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(branch) : at + len(branch) + 1]
        if not any(char.isalnum() or char in "/_-" for char in around):
            return True
        at = text.find(branch, at + 1)
    return False


def _without_preposition(text: str) -> str:
    """A text without a short first word, as the "for" in "For feat/vouchers: ..."."""
    first, _, rest = text.partition(" ")
    return rest if len(first) < 6 and "/" not in first else text


def _leading_branch(title: str) -> str:
    """The branch that a title starts with, as in "feat/vouchers: rules"."""
    name, colon, _ = title.partition(":")
    name = name.rstrip()
    kind, slash, rest = name.partition("/")
    is_branch = bool(colon and slash) and kind in _BRANCH_KINDS and rest and " " not in rest
    return name if is_branch else ""


def _rarity(notes: Sequence[Read]) -> dict[str, float]:
    """For every word of the moment, how well it distinguishes notes: 0 for one that a quarter have."""
    counts: dict[str, int] = {}
    for note in notes:
        for word in note.shared:
            counts[word] = counts.get(word, 0) + 1
    most = log2(len(notes) + 1) - _COMMON_WORD
    return {word: max(0.0, most - log2(count)) for word, count in counts.items()}


def _likeness(read: Read, wanted: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """How much a note has in common with the moment: from 0 to nearly 1; words of its title count twice."""
    amount = sum(wanted[word] * rarity[word] * (2 if word in read.title else 1) for word in read.shared)
    return amount / (amount + _HALF)
