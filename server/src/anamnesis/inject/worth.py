"""How useful a note is to the session that starts now. Pure.

Worth is a sum of named parts, so that it can be explained: whether the note is pinned, how basic it is, how
it relates to the branch and the last sessions, how often it was used, who wrote it, and, with little weight,
its age. One-off events and notes about other branches lose points. docs/injection.md has the measured
weights. The SessionStart hook uses this module, so it uses sets of words and few regular expressions.
"""

from __future__ import annotations

import re
from math import log2

from anamnesis.inject.kinds import READ, WORD, Habits, Read, day_number, kind_of, session_branch, words_of
from anamnesis.inject.working_set import date_of
from anamnesis.layout import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.notes.vocabulary import Note

PINNED, SCRIPTED, REVIEWED = "pinned", "scripted", "reviewed"
# Long-lived branches: a note about one of them is about the project.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))

# First words in the names of short-lived branches.
_BRANCH_KINDS = frozenset(
    "feat feature fix bugfix hotfix chore docs doc refactor release perf test tests ci build wip spike exp"
    " experiment dependabot renovate task story issue style revert topic users user support".split()
)

# What a session on such a branch is about; the others show no subject.
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
_UNSPACED = ("ブランチ", "分支")  # in scripts without spaces, as substrings
# Matches "On branch x", "**Branch:** x", "Branch feat/x", but not "each version is a branch x" or "Branch
# names are short", which are about using branches.
_NAMED_BRANCH = (
    rf"(?m)(?:\b(?:on|in|for|auf|im|sur|en|na|no|sul|op|в|на)\s+(?:\w{{2,3}}\s+)?{_BRANCH_WORD}[:\s`*\"']+"
    rf"|\*\*{_BRANCH_WORD}[:\s`*\"']+|^{_BRANCH_WORD}(?:\s*[:`*\"'][\s`*\"']*|\s+(?=[\w.-]+/)))([\w./-]+)"
)
_LONG_BEFORE = 14  # days
_LEAD = 60  # a branch must be named within this many characters at the start of a note
_READ_SESSION = 1_600  # characters of a session's note: enough for its later asks and its outcome

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
_DOUBT = {"session-end": -0.2, "reflection": -0.4, "import": -0.6}
# The words of `kinds` that most often show a basic note: all of them would take a millisecond to look up.
_ASKED_FOR = (
    "test", "run", "build", "deploy", "release", "install", "setup", "environment", "migrations", "workflow",
    "convention", "style", "rules", "naming", "policy", "language", "preference", "architecture", "layers",
    "design", "decision", "why", "never", "always", "must",
)  # fmt: skip
_OLDEST = 4.0
_MOST_USED = 3.0  # reached after seven sessions: use raises a note, but must not bury an unused basic one
_HALF = 9.0  # shared rarity of words that gives half of the maximum
_COMMON_WORD = 2.0  # doublings of rarity that do not count: a word in a quarter of the notes says nothing
_ENDINGS = ("s", "n", "en")  # plural endings, added and removed


class Moment:
    """The context of a session that starts: the branch, the last sessions, and their words with weights."""

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
    """A note with its worth, and the parts that add up to it."""

    __slots__ = ("note", "parts", "worth")

    def __init__(self, note: Note, parts: dict[str, float]) -> None:
        self.note = note
        self.parts = parts
        self.worth = sum(parts.values())


def last_sessions(notes: Iterable[Note], branch: str, *, now: str) -> list[Note]:
    """The two sessions to continue from: the latest on this branch, then the latest of all."""
    sessions = sorted(
        (
            note
            for note in notes
            if note.type == "episodic" and SCRIPTED not in note.tags and note.updated_at <= now
        ),
        key=lambda note: (note.updated_at, note.id),
        reverse=True,
    )
    here = [note for note in sessions if branch and _worked_on(note, branch.lower())]
    latest = list({note.id: note for note in (*here[:2], *sessions[:2])}.values())[:2]
    # Work on its own branch continues after a pause; elsewhere, work from long ago is over.
    is_one_work = branch.lower() not in TRUNKS and len(here) > 1
    days = [day_number(note.updated_at) for note in latest]
    return latest[:1] if len(latest) > 1 and not is_one_work and days[0] - days[1] > _LONG_BEFORE else latest


def _worked_on(note: Note, branch: str) -> bool:
    named = session_branch(note)
    return named == branch if named else _names(note.body[:READ].lower(), branch)


def phrases_for(branch: str) -> list[str]:
    """Full-text expressions for basic notes and notes about the branch, for use in a large project."""
    words = WORD.findall(branch) if branch.lower() not in TRUNKS else []
    phrases = [f"{{title tags}} : ({' OR '.join(_ASKED_FOR)})"]
    return [*phrases, f'"{" ".join(words)}"'] if words else phrases


def rank(notes: Iterable[Note], moment: Moment, uses: Mapping[str, int]) -> list[Ranked]:
    """The notes with their worth, best first."""
    read = [Read(note, moment.words) for note in notes]
    known = _Known(read, moment)
    ranked = [Ranked(each.note, _parts(each, moment, known, uses.get(each.note.id, 0))) for each in read]
    return sorted(
        ranked, key=lambda each: (each.worth, date_of(each.note, moment.now), each.note.id), reverse=True
    )


def forms_of(word: str, endings: Sequence[str] = _ENDINGS) -> list[str]:
    """A word with its possible singular and plural forms; one that does not exist does no harm."""
    forms = [word]
    for end in endings if len(word) > 3 else ("s",):
        forms.append(word + end)
        if word.endswith(end) and len(word) - len(end) > 2:
            forms.append(word[: -len(end)])
    return forms


class _Known:
    """What is derived from all notes of a project: rare words, habits, other branches."""

    __slots__ = ("branches", "habits", "rarity")

    def __init__(self, notes: Sequence[Read], moment: Moment) -> None:
        self.rarity = _rarity(notes)
        self.habits = Habits(notes, today=moment.today)
        self.branches = {each.branch for each in notes if "/" in each.branch} - {moment.branch}


def _parts(read: Read, moment: Moment, known: _Known, used: int) -> dict[str, float]:
    """The parts of a note's worth that are not zero."""
    note = read.note
    amounts = {
        "pinned": float(PINNED in note.tags),
        "moment": _likeness(read, moment.words, known.rarity),
        "used": min(log2(1 + used), _MOST_USED),
        "source": _doubt(note) - max(0.0, 1.0 - note.confidence) / 2,
        "age": _age(day_number(date_of(note, moment.now)), moment.today),
        "everywhere": float(note.project == GLOBAL),
        **_branch(read, moment.branch, known.branches),
    }
    if "other branch" in amounts:
        amounts["used"] = 0.0  # used by earlier sessions
    if note.id in moment.sessions:
        amounts["last session"] = 1.0 if note.id == moment.sessions[0] else 0.7
        amounts["other branch"] = amounts.get("other branch", 0.0) / 4  # it is the latest work
    elif note.type == "episodic":
        amounts["old session"] = 1.0
        amounts["scripted"] = float(SCRIPTED in note.tags)  # still counted, and found by search
    else:
        amounts.update(kind_of(read, known.habits))
        # A one-off event gains no worth from the topic it mentions.
        for name in ("basic", "how-to", "rules", "moment", "used"):
            amounts[name] /= 1 + amounts["passing"]
    return {name: _WEIGHTS[name] * amount for name, amount in amounts.items() if amount}


def _doubt(note: Note) -> float:
    """What a note loses that no person wrote or reviewed; imported instructions are a person's feedback."""
    is_feedback = note.prov_source == "import" and note.type == "procedural"
    return 0.0 if is_feedback or REVIEWED in note.tags else _DOUBT.get(note.prov_source, 0.0)


def _age(day: int, today: int) -> float:
    """0 for a note from today, 1 after a month, at most 4."""
    return min(log2(1 + max(0, today - day) / 30), _OLDEST)


def _branch(read: Read, current: str, others: Iterable[str]) -> dict[str, float]:
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
    named = {_leading_branch(title), _leading_branch(_without_preposition(read.text[:_LEAD]))}
    if _speaks_of_branches(read):
        named.update(re.findall(_NAMED_BRANCH, read.text))
    return {"other branch": 1.0} if {name.rstrip(".") for name in named} - TRUNKS else {}


def _speaks_of_branches(read: Read) -> bool:
    """Whether to try the pattern for a branch's name, which is the most expensive check here."""
    if not _BRANCH_FORMS.isdisjoint(read.body):
        return True
    return not read.text.isascii() and any(piece in read.text for piece in _UNSPACED)


def _names(text: str, branch: str) -> bool:
    """Whether the text contains the branch's whole name, not as part of a longer one."""
    at = text.find(branch)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(branch) : at + len(branch) + 1]
        if not any(char.isalnum() or char in "/_-" for char in around):
            return True
        at = text.find(branch, at + 1)
    return False


def _without_preposition(text: str) -> str:
    """A text without a short first word, like the "for" in "For feat/vouchers: ..."."""
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
    """How well each word of the moment distinguishes notes: 0 for a word in a quarter of them."""
    counts: dict[str, int] = {}
    for note in notes:
        for word in note.shared:
            counts[word] = counts.get(word, 0) + 1
    most = log2(len(notes) + 1) - _COMMON_WORD
    return {word: max(0.0, most - log2(count)) for word, count in counts.items()}


def _likeness(read: Read, wanted: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """How much a note shares with the moment, from 0 to nearly 1; words in its title count twice."""
    amount = sum(wanted[word] * rarity[word] * (2 if word in read.title else 1) for word in read.shared)
    return amount / (amount + _HALF)
