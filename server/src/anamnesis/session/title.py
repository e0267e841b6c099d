"""The title of a session: the first sentence of the first ask that names a subject, cut at a word. Pure."""

from __future__ import annotations

import re

from anamnesis.session.asks import ask_text, cut, pasted_error, typed_units, with_command
from anamnesis.session.cue_phrases import content_words
from anamnesis.session.rating import matter_of, names_in
from anamnesis.session.sentences import width
from anamnesis.session.transcript import ParsedSession, Turn

MAX_TITLE = 80
_REVERTED = "Reverted: "
_REQUEST = re.compile(
    r"(?:(?:please|pls|can you|could you|would you|i want you to|i need you to|bitte|kannst du|könntest du"
    r"|mir|por favor|puedes|podrías|s'il te plaît|peux-tu|pourrais-tu|tu peux|você pode|puoi|potresti|kun je"
    r"|можешь)\b[\s,]*)+",
    re.IGNORECASE,
)
# The role that a script gives the model before the task.
_ROLE = re.compile(
    r"(?:you are|you're|act|du bist|sie sind|tu es|vous êtes|eres|você é|sei|je bent|jesteś)"
    r" (?:a|an|the|my|our|as|now|running|acting|working|in|ein|eine|der|die|un|une|el|la|um|uma|uno|een)\b"
    r"[^.!?\n]{0,200}(?:[.!?]\s*|\Z)"
    r"|(?:(?:ты|вы) — |你是一|あなたは|당신은)[^。.！!\n]{0,100}(?:[。.！!]\s*|\Z)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[:;])\s+|\s+[–—-]\s+")
_PAUSE = re.compile(r"[,;:，、；：]|\s[–—(-]|[.!?。](?=\s)")
_MARK = "[redacted: "
_COLUMN = " | "  # between the columns of a table, whose rows are not titles
_PARTS = re.compile(r"\s+(?:and|und|et|y|e|en|i|и)\s+|[,;]\s+")
# Articles and prepositions that a cut leaves at the end of a title.
_DANGLING = re.compile(
    r"(?:\s+(?:an?|the|of|to|in|on|at|by|for|from|with|into|and|or|as|der|die|das|den|dem|eine?n?|von|zu|mit"
    r"|für|und|les?|la|une?|de|des|du|el|los|las|una))+…\Z",
    re.IGNORECASE,
)
_FIRST_SENTENCES = 8
_MORE = 3  # a sentence with this many words that recur later names the subject, if the first does not
_SHORTEST = 30  # characters of a title that ends at a pause
_RAMBLE = 140  # characters without a pause; such a sentence is dictated, and its start says little
_VAGUE_ASK = 40
_WIDE = 8  # characters of a script without spaces, as much as two words


def title_of(session: ParsedSession, findings: list[str]) -> str:
    """What the session was about, cut at a word.

    If no ask names a subject, a commit's subject or a finding is added to the first ask; if the ask is a
    ramble, it replaces the ask.
    """
    about = content_words(" ".join([*findings, *session.files_touched, *session.commits]))
    title = next(filter(None, (_title_line(turn, about) for turn in session.turns)), "")
    if not title or _is_bare_command(title):
        asked = title or next(filter(None, (ask_text(turn, _VAGUE_ASK) for turn in session.turns)), "")
        title = " – ".join(filter(None, (asked, _subject(session, findings, ""))))
    elif _is_ramble(title):
        title = _subject(session, findings, title) or title
    title = _without_marks(" ".join(title.split())).rstrip(" :：")
    if title and session.is_taken_back:
        return _REVERTED + _shortened(title, MAX_TITLE - len(_REVERTED))
    return _shortened(title, MAX_TITLE)


def _without_marks(title: str) -> str:
    """The longest part of a title without a redaction mark that has a subject."""
    if _MARK not in title:
        return title
    parts = [part.strip() for part in _PARTS.split(title) if _MARK not in part and _is_about_something(part)]
    return max(parts, key=len, default=title)


def _subject(session: ParsedSession, findings: list[str], ask: str) -> str:
    """The subject of the commit most similar to the ask, else the first finding, if it is related."""
    subjects = [commit.partition(" ")[2] or commit for commit in session.commits]
    asked = matter_of(ask)
    told = next((text for text in findings if _COLUMN not in text), "")
    finding = told if not ask or matter_of(told) & asked else ""
    return max(subjects, key=lambda each: len(matter_of(each) & asked), default=finding)


def _is_bare_command(title: str) -> bool:
    """Whether a title is a command with at most a number or a word, such as "/review 482"."""
    return title.startswith("/") and len(title.split()) <= 2


def _is_ramble(text: str) -> bool:
    """Whether a sentence goes on without a pause, as dictated ones do."""
    return width(text) > _RAMBLE and _PAUSE.search(text, 0, _RAMBLE) is None


def _title_line(turn: Turn, about: frozenset[str]) -> str:
    """The first sentence that names the subject; from pasted output only if nothing was typed."""
    typed = [unit.text for unit in typed_units(turn)] or [pasted_error(turn.ask)]
    told = [text for text in map(_without_role, typed) if _is_about_something(text)][:_FIRST_SENTENCES]
    if not told:
        return ""
    best = told[0]
    if not names_in(best) and not matter_of(best) & about:
        best = next((text for text in told if len(matter_of(text) & about) >= _MORE), best)
    text = _REQUEST.sub("", best, count=1).removesuffix("?") if _REQUEST.match(best) else best
    return with_command(turn, _fitting(text.removesuffix("."), about))


def _without_role(text: str) -> str:
    """A text without a first sentence that only assigns the model a role."""
    role = _ROLE.match(text)
    return text[role.end() :] if role else text


def _fitting(text: str, about: frozenset[str]) -> str:
    """The text; if it is too long, without first clauses that are unrelated to what followed."""
    while len(text) > MAX_TITLE and (end := _CLAUSE.search(text)):
        clause = text[: end.start()]
        if names_in(clause) or matter_of(clause) & about or not _is_closed(clause):
            break
        text = text[end.end() :]
    return text


def _shortened(text: str, room: int) -> str:
    """The text cut to `room` characters, at its last pause if that leaves enough."""
    if len(text) <= room:
        return text
    ends = [found.start() for found in _PAUSE.finditer(text, 0, room) if found.start() >= _SHORTEST]
    head = text[: ends[-1]].rstrip() if ends else ""
    if head and _is_closed(head) and _is_about_something(head):
        return head
    return _DANGLING.sub("…", cut(text, room))


def _is_closed(clause: str) -> bool:
    """Whether a clause closes every bracket and code span that it opens."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    is_balanced = all(clause.count(left) == clause.count(right) for left, right in pairs)
    return is_balanced and clause.count("`") % 2 == 0


def _is_about_something(text: str) -> bool:
    return bool(matter_of(text) or names_in(text)) or width(text) >= len(text) + _WIDE
