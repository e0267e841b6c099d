"""What the user wanted: the asks of a session without courtesies and pasted output. Pure."""

from __future__ import annotations

import re

from anamnesis.session import cues
from anamnesis.session.courtesy import is_courtesy, is_plain, without_fillers, without_nods
from anamnesis.session.cues import content_words
from anamnesis.session.pasted import pasted_error, typed_part
from anamnesis.session.sentences import Unit, units_of, width
from anamnesis.session.telling import names_in
from anamnesis.session.transcript import Turn

_OPEN_MARK = re.compile(r"\[redacted:[^\]]{0,40}\Z")
_PICKED = re.compile(
    r"(?:(?:option|variante?|opción|opção|opzione|optie|вариант|let's do|do|take|go with|nimm|ok|yes|ja|sí"
    r"|oui)[ ,]+)?(?P<label>[a-h]|[1-9])(?=[.,)]?(?:\Z|[.,)]\s|\s(?:is|sounds|looks|please|pls|then|and|or|it"
    r"|ist|klingt|bitte|dann|und|est|et|es|y|é|è|e|suona|klinkt|en|to|i|это|и)\b))",
    re.IGNORECASE,
)
_OPTION = 80  # characters
_MOST_PARTS = 60
_LONGEST = 300  # characters of one sentence
_FEW_WORDS = 4
_STATEMENT = 40  # characters
_MARKS = ".!?:;,…。！？：；"


def ask_text(turn: Turn, room: int) -> str:
    """The ask of a turn within `room` characters: its informative sentences, in order; "" for a courtesy."""
    units = [unit._replace(text=cut(unit.text, _LONGEST)) for unit in _said(turn)[:_MOST_PARTS]]
    used = sum(len(unit.text) + 2 for unit in units)
    for unit in sorted(units[1:], key=_weight):
        if used > room:
            units.remove(unit)
            used -= len(unit.text) + 2
    return cut(with_command(turn, _joined(units)), room)


def chosen_option(ask: str, texts: list[str]) -> str:
    """An ask that starts with the label of an option in the texts before it ("b"), with its words."""
    picked = _PICKED.match(ask)
    if picked is None:
        return ask
    label = re.escape(picked["label"])
    option = re.compile(
        rf"^[\s>|*-]{{0,8}}(?:[^\W\d_]{{3,10}} )?{label}[.):]\**\s+(.{{3,400}})$",
        re.MULTILINE | re.IGNORECASE,
    )
    found = next(filter(None, (option.search(text) for text in reversed(texts))), None)
    if found is None:
        return ask
    words = re.split(r"\s\|\s|(?<=\w)\. ", found[1].replace("*", ""), maxsplit=1)[0].strip(" |.")
    end = picked.end("label")
    return f"{ask[:end]} ({cut(words, _OPTION)}){ask[end:]}"


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


def with_command(turn: Turn, text: str) -> str:
    """The arguments of a command; those that say little alone ("482") follow its name."""
    is_short = not text[:1].isalpha() or len(cues.words_of(text)) < _FEW_WORDS
    return f"{turn.command} {text}".strip() if turn.command and is_short else text


def _joined(units: list[Unit]) -> str:
    """Parts joined, with a semicolon where one ends without punctuation."""
    text = ""
    for unit in units:
        text += unit.text if not text else f" {unit.text}" if text[-1] in _MARKS else f"; {unit.text}"
    return text


def matter_of(text: str) -> frozenset[str]:
    """The words of a text that are not in every conversation."""
    return content_words(" ".join(word for word in cues.words_of(text) if not is_plain(word)))


def typed_units(turn: Turn) -> list[Unit]:
    """The parts of a prompt that a person typed, without courtesies and fillers."""
    parts = (unit for unit in units_of(typed_part(turn.ask)) if unit.kind != "code")
    units = [unit._replace(text=without_nods(unit.text)) for unit in parts]
    said = [unit for unit in units if not is_courtesy(unit.text)]
    return [unit._replace(text=without_fillers(unit.text)) for unit in said[:1]] + said[1:]


def _said(turn: Turn) -> list[Unit]:
    """What a person typed; of pasted output only the error, after the rest."""
    error = pasted_error(turn.ask)
    return [*typed_units(turn), *([Unit(error)] if error else [])]


def _weight(unit: Unit) -> float:
    wanted = cues.PREFERENCE.are_in(cues.said(unit.text))
    return len(content_words(unit.text)) + len(names_in(unit.text)) + (4 if wanted else 0)
