"""What the user wanted: the asks of a session without courtesies and pasted output, and its title. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from anamnesis.session import cues
from anamnesis.session.courtesy import is_courtesy, is_plain, without_nods
from anamnesis.session.cues import content_words
from anamnesis.session.sentences import Unit, units_of, width
from anamnesis.session.telling import names_in
from anamnesis.session.transcript import ParsedSession, Turn

MAX_TITLE = 80
_REVERTED = "Reverted: "
_PASTED = re.compile(
    r"Traceback \(most recent|File \"|at [\w$.<>]{1,200}\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d+ \|"
    r"|\d+\s{2,}\S{1,80}\s{2,}|Thread \d+ |#\d+ +(?:0x|\w{1,80} \()|goroutine \d+ |\s*\d+: +0x"  # frames
    r"|npm (?:ERR|error)|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[:\s\]]|[+-]{3} [ab]/|@@ -\d"
)
_ERROR = re.compile(r"[\w.]{0,100}(?:Error|Exception|Failure|Operation|Fault)\b|(?i:error|fatal|panic)\b")
_REQUEST = re.compile(
    r"(?:(?:please|pls|can you|could you|would you|i want you to|i need you to|bitte|kannst du|könntest du"
    r"|mir|por favor|puedes|podrías|s'il te plaît|peux-tu|pourrais-tu|tu peux|você pode|puoi|potresti|kun je"
    r"|можешь)\b[\s,]*)+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[:;])\s+|\s+[–—-]\s+")
_OPEN_MARK = re.compile(r"\[redacted:[^\]]{0,40}\Z")
_FIRST_SENTENCES = 8
_LATER = 2.0  # points deducted for each sentence before it: people say first what they want
_MOST_PARTS = 60
_FEW_WORDS = 4
_WIDE = 8  # characters of a script without spaces: as much as two words
_VAGUE_ASK = 40
_STATEMENT = 40  # characters
_MARKS = ".!?:;,…。！？：；"


def ask_text(turn: Turn, room: int) -> str:
    """The ask of a turn within `room` characters: its informative sentences, in order; "" for a courtesy."""
    units = _said(turn)[:_MOST_PARTS]
    used = sum(len(unit.text) + 2 for unit in units)
    for unit in sorted(units[1:], key=_weight):
        if used > room:
            units.remove(unit)
            used -= len(unit.text) + 2
    return cut(_with_command(turn, _joined(units)), room)


def is_telling_ask(turn: Turn) -> bool:
    """Whether a prompt corrects the assistant or states what the user wants in general."""
    text = _joined(_said(turn))
    said = cues.said(text)
    if len(said.words) < 4 and width(text) < 16:
        return False
    return cues.CORRECTION.start(said) or cues.PREFERENCE.are_in(said) or _is_only_acknowledged(turn, text)


def _is_only_acknowledged(turn: Turn, text: str) -> bool:
    """Whether the user stated something: the answer is shorter than the prompt, and nothing was done."""
    answered = sum(map(len, turn.texts))
    is_question = text.endswith(("?", "？"))
    return width(text) >= _STATEMENT and 0 < answered < len(text) and not turn.has_changes and not is_question


def title_of(session: ParsedSession, findings: list[str]) -> str:
    """What the session was about, cut at a word: its first real ask.

    Where no ask names a subject, the title is the first ask and the subject of a commit or a finding.
    """
    about = content_words(" ".join([*findings, *session.files_touched, *session.commits]))
    title = next(filter(None, (_title_line(turn, about) for turn in session.turns)), "")
    if not title or _is_bare_command(title):
        asked = title or next(filter(None, (ask_text(turn, _VAGUE_ASK) for turn in session.turns)), "")
        subjects = [commit.partition(" ")[2] or commit for commit in session.commits]
        title = " – ".join(filter(None, (asked, next(iter([*subjects, *findings]), ""))))
    title = " ".join(title.split())
    if title and session.is_taken_back:
        return _REVERTED + cut(title, MAX_TITLE - len(_REVERTED))
    return cut(title, MAX_TITLE)


def _is_bare_command(title: str) -> bool:
    """Whether a title is a command with a number or a word at most, as "/review 482"."""
    return title.startswith("/") and len(title.split()) <= 2


def cut(text: str, room: int) -> str:
    """The start of a text, cut at a word and outside of code; "…" marks the cut."""
    if len(text) <= room:
        return text
    head = text[: room - 1]
    if text[room - 1].strip() and " " in head.strip():
        head = head.rsplit(None, 1)[0]
    if head.count("`") % 2 and head.rpartition("`")[0].strip():
        head = head.rpartition("`")[0]
    head = _OPEN_MARK.sub("", head)
    return head.rstrip(" ,;:.-–(") + "…"


def _title_line(turn: Turn, about: frozenset[str]) -> str:
    """The sentence of an ask that has most to do with what followed."""
    units = [unit for unit in _said(turn) if _is_about_something(unit.text)][:_FIRST_SENTENCES]
    if not units:
        return ""
    best = max(enumerate(units), key=lambda pair: _relevance(pair[1].text, about) - _LATER * pair[0])[1].text
    text = _REQUEST.sub("", best, count=1).removesuffix("?") if _REQUEST.match(best) else best
    return _with_command(turn, _fitting(text.removesuffix("."), about))


def _fitting(text: str, about: frozenset[str]) -> str:
    """The text; where it is too long, without first clauses that have nothing to do with what followed."""
    while len(text) > MAX_TITLE and (end := _CLAUSE.search(text)):
        clause = text[: end.start()]
        if names_in(clause) or matter_of(clause) & about or not _is_closed(clause):
            break
        text = text[end.end() :]
    return text


def _is_closed(clause: str) -> bool:
    """Whether every bracket that a clause opens is closed in it; else it ends inside an aside."""
    return all(clause.count(left) == clause.count(right) for left, right in ("()", "[]", "{}"))


def _with_command(turn: Turn, text: str) -> str:
    """The arguments of a command; those that say little alone ("482") follow its name."""
    is_short = not text[:1].isalpha() or len(cues.words_of(text)) < _FEW_WORDS
    return f"{turn.command} {text}".strip() if turn.command and is_short else text


def _joined(units: list[Unit]) -> str:
    """Parts joined, with a semicolon where one ends without punctuation."""
    text = ""
    for unit in units:
        text += unit.text if not text else f" {unit.text}" if text[-1] in _MARKS else f"; {unit.text}"
    return text


def _relevance(text: str, about: frozenset[str]) -> float:
    words = matter_of(text)
    return len(words & about) + 0.3 * min(len(words) + len(names_in(text)), 8)


def matter_of(text: str) -> frozenset[str]:
    """The words of a text that are not in every conversation."""
    return content_words(" ".join(word for word in cues.words_of(text) if not is_plain(word)))


def _said(turn: Turn) -> list[Unit]:
    """The parts of a prompt that a person wrote; of pasted output only the error, after the rest."""
    parts = (unit for unit in units_of(turn.ask) if unit.kind != "code")
    units = [replace(unit, text=without_nods(unit.text)) for unit in parts]
    pasted = {unit.block for unit in units if _PASTED.match(unit.text)}
    written = [unit for unit in units if unit.block not in pasted and not is_courtesy(unit.text)]
    errors = [unit for unit in units if unit.block in pasted and _ERROR.match(unit.text)]
    return [*written, *errors[-1:]]


def _is_about_something(text: str) -> bool:
    return bool(matter_of(text) or names_in(text)) or width(text) >= len(text) + _WIDE


def _weight(unit: Unit) -> float:
    wanted = cues.PREFERENCE.are_in(cues.said(unit.text))
    return len(content_words(unit.text)) + len(names_in(unit.text)) + (4 if wanted else 0)
