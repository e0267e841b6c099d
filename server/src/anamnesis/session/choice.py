"""Splits what was said into parts, and chooses those that a note keeps. Pure.

A part is the smallest piece of markdown that makes sense alone: a sentence, an item, a row, short code. A
name is a piece of code, a path, an identifier, a figure or an address; other words count a little. Parts are
taken by the names not yet told that they add for their length, until the note is long enough. No word lists:
it works the same in every language. docs/heuristics.md has the figures for each setting.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from anamnesis.recall import STOP_WORDS
from anamnesis.session.transcript import Turn

# -- parts of a text --------------------------------------------------------------------------------------

Kind = Literal["prose", "item", "row", "code", "heading"]

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(\S.*)|\*\*([^*]{1,200})\*\*:?")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)")
_ROW = re.compile(r"\|(.*)\|")
_LINE_ACROSS = re.compile(r"[\s|:*_=-]{3,}|.*[─━═]{3}.*")
_ENDS = re.compile(r"[.!?…]+[\"'»”)*_]{0,3}\s+|[。！？]+[」』）]?\s*|\n+")
_SHORT_SENTENCE = 24  # width


class Unit(NamedTuple):
    """A part of a text; `block` is the number of its paragraph, item, row or piece of code."""

    text: str
    kind: Kind = "prose"
    block: int = 0


def units_of(text: str) -> list[Unit]:
    """The parts of a text, in order."""
    units: list[Unit] = []
    for number, (kind, part) in enumerate(_blocks(text)):
        is_split = kind == "prose" or (kind == "item" and len(part) > 240)
        units += [Unit(piece, kind, number) for piece in (sentences_of(part) if is_split else [part])]
    return units


def sentences_of(paragraph: str) -> list[str]:
    """The sentences of a paragraph; a very short one stays with the next."""
    sentences: list[str] = []
    start = ticks = seen = 0
    for end in _ENDS.finditer(paragraph):
        ticks += paragraph.count("`", seen, end.end())
        seen = end.end()
        is_short = "\n" not in end[0] and width(paragraph[start:seen].strip()) <= _SHORT_SENTENCE
        if not (ticks % 2 or is_short):
            sentences.append(paragraph[start:seen].strip())
            start = seen
    return [*filter(None, [*sentences, paragraph[start:].strip()])] or [paragraph.strip()]


def width(text: str) -> int:
    """The length of a text; a character of a script without spaces counts as two."""
    return len(text) if text.isascii() else len(text) + sum(char >= "\u2e80" for char in text)


def cut(text: str, room: int) -> str:
    """The start of a text, cut at a word and outside of code; "…" marks the cut."""
    if len(text) <= room:
        return text
    head = text[: room - 1]
    if text[room - 1].strip() and " " in head.strip():
        head = head.rsplit(None, 1)[0]
    if head.count("`") % 2 and head.rpartition("`")[0].strip():
        head = head.rpartition("`")[0]
    head = re.sub(r"\[redacted:[^\]]{0,40}\Z", "", head)
    return head.rstrip(" ,;:.-–(") + "…"


def _blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """Code, headings, items, rows and paragraphs, each without its markup."""
    kind: Kind = "prose"
    lines: list[str] = []
    rows = text.split("\n")
    for line, below in zip(rows, [*rows[1:], ""], strict=True):
        if _FENCE.match(line):
            yield from _block(kind, lines)
            kind, lines = ("prose" if kind == "code" else "code"), []
            continue
        if kind == "code":
            lines.append(line)
            continue
        new, part = _line(line)
        if new == "row" and _LINE_ACROSS.fullmatch(below.strip()):
            part = ""  # the head of a table
        goes_on = (
            bool(part) and new == "prose" and (kind == "prose" or (kind == "item" and line[:1] in " \t"))
        )
        if lines and not goes_on:
            yield from _block(kind, lines)
            kind, lines = "prose", []
        if part:
            kind = kind if lines else new
            lines.append(part)
    yield from _block(kind, lines)


def _line(line: str) -> tuple[Kind, str]:
    """A line's kind, and its text without markup ("" for an empty line or a line across)."""
    bare = line.strip().removeprefix("> ").strip()
    if not bare or _LINE_ACROSS.fullmatch(bare):
        return "prose", ""
    if heading := _HEADING.fullmatch(bare):
        return "heading", (heading[1] or heading[2]).strip()
    if item := _ITEM.fullmatch(line):
        return "item", item[1].strip()
    if row := _ROW.fullmatch(bare):
        return "row", " | ".join(cell.strip() for cell in row[1].split("|") if cell.strip())
    return "prose", bare


def _block(kind: Kind, lines: list[str]) -> Iterator[tuple[Kind, str]]:
    text = ("\n" if kind in ("prose", "code") else " ").join(lines).strip("\n")
    if text.strip():
        yield kind, text


# -- which of them are kept -------------------------------------------------------------------------------

_BASE_ROOM, _SHARE, _MOST_ROOM = 1_400, 0.2, 2_600  # characters: at least, a share of what was said, at most
_LONGEST_ASK = 200  # characters of an ask that come together; the rest is chosen like an answer
_LONGEST, _LONGEST_CODE = 500, 300  # characters of one part
_MOST_PARTS = 200  # of one text
_FRAME = 5  # characters that a part costs besides its text
_NAME, _WORD = 1.0, 0.15  # weights of a name and of any other word
_SUBJECT, _SUBJECTS = 4, 5  # letters of a word that can be a subject; how many subjects a session has
_SHORT_ASK = 12  # width; a shorter ask ("ok", "continue") tells nothing

_SPAN = re.compile(r"`([^`\n]{2,80})`")
_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"“”«»'’`*|，。；：！？、（）「」]+")
_CODE = re.compile(r"\w[_/\\@=#$:.]+\w|[a-zà-ÿ][A-Z]|\d|[A-Z]{2}|[.~/@#$-]{1,3}\w+[./-]\w")
_NUMBER = re.compile(r"\d|^[A-Z]+$|^\W")  # a name that says little alone: a number, a hash, a shouted word
_WIDE = re.compile(r"[\u2e80-\u9fff]+")
QUESTIONS = ("?", "？", "؟")  # of the assistant: offers
FEW_WORDS = 3  # of a greeting or thanks
_CHEERFUL = re.compile("[!?！？]")
_MARKS = ".!?:;,…。！？：；"
_ASK, _REMARK = -1_000, -500  # places
# A line of a log, of data or of markup, which nobody types.
_PASTED = re.compile(r"\s*(?:[\[(]?\d[\d:.,/T-]{5,}|[{}<>|])")
_LEAD = 0.5  # the first part of the last text of a turn tells the answer


class Part(NamedTuple):
    """A part of what was said in a turn; what the user said has places below 0."""

    turn: int
    place: int
    unit: Unit
    names: dict[str, float]
    least: float = 0.0
    is_lead: bool = False

    @property
    def cost(self) -> int:
        """The characters that it takes."""
        return len(self.unit.text) + _FRAME

    def gain(self, told: set[str]) -> float:
        """What the part adds to what is told."""
        return sum(weight for name, weight in self.names.items() if name not in told)

    def rate(self, told: set[str]) -> float:
        """What it adds per character."""
        return self.gain(told) / self.cost


class KeptTurn(NamedTuple):
    """What a note keeps of one turn: the ask, the user's remarks, and parts of the answers."""

    ask: str = ""
    remarks: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    is_interrupted: bool = False


def choose(turns: list[Turn], recorded: str = "") -> list[KeptTurn]:
    """The turns that a note covers; `recorded` is what its lists of commits and tests say already."""
    said = sum(len(text) for turn in turns for text in turn.texts)
    chosen = _Chosen(turns, room=min(_BASE_ROOM + _SHARE * said, _MOST_ROOM), recorded=recorded)
    by_turn = [list(_parts(number, turn)) for number, turn in enumerate(turns)]
    asks = [parts[0] for turn, parts in zip(turns, by_turn, strict=True) if parts and _tells(turn)]
    leads = [part for parts in by_turn for part in parts if part.is_lead]
    for part in (*asks[:1], *leads[-1:]):
        chosen.consider(part)
    if len(turns) >= 10:
        answers = ([part for part in parts if part.place >= 0] for parts in by_turn)
        lines = [max(parts, key=lambda part: part.rate(chosen.told)) for parts in answers if parts]
        for part in sorted(lines, key=lambda part: (-part.rate(chosen.told), -part.turn)):
            chosen.consider(part)
    # What a part adds only falls while others are kept, so an outdated rate is an upper bound.
    # Of equal parts, the latest comes first.
    rest = [part for parts in by_turn[::-1] for part in parts if (part.turn, part.place) not in chosen.kept]
    queue = [(-part.rate(chosen.told), number) for number, part in enumerate(rest)]
    heapq.heapify(queue)
    while queue:
        _, number = heapq.heappop(queue)
        rate = rest[number].rate(chosen.told)
        if queue and rate < -queue[0][0]:
            heapq.heappush(queue, (-rate, number))
        else:
            chosen.consider(rest[number])
    return _by_turn(turns, list(chosen.kept.values()))


class _Chosen:
    """The parts kept so far, the names they tell, and the room that is left."""

    def __init__(self, turns: list[Turn], *, room: float, recorded: str) -> None:
        self.kept: dict[tuple[int, int], Part] = {}
        self.told = set(names_in(recorded))
        self._room = room
        # The first part of a turn brings its ask.
        self._asks = {number: len(_short_ask(turn)) for number, turn in enumerate(turns)}

    def consider(self, part: Part) -> None:
        """Keep a part if it adds enough and fits."""
        cost = part.cost + (self._asks[part.turn] if part.place > _ASK else 0)
        if cost <= self._room and part.gain(self.told) > part.least:
            self._room -= cost
            self._asks[part.turn] = 0
            self.kept[part.turn, part.place] = part
            self.told.update(part.names)


def typed(ask: str) -> str:
    """An ask without the lines that were pasted, unless that is all there is."""
    lines = [line for line in ask.split("\n") if not _PASTED.match(line)]
    return "\n".join(lines) if is_telling("".join(lines)) else ask


def is_idle(turn: Turn) -> bool:
    """Whether a turn is a greeting or thanks: few words, no name, and a cheerful answer or hardly any."""
    said = (turn.ask, *turn.texts)
    if len(turn.ask.split()) > FEW_WORDS or turn.ask.endswith(QUESTIONS) or not any(turn.texts):
        return False
    has_name = any(weight >= _NAME for text in said for weight in names_in(text).values())
    is_short = all(width(text) < 120 for text in said) and not has_name
    return is_short and (width("".join(said)) < _SHORT_ASK or all(map(_CHEERFUL.search, turn.texts)))


def is_telling(ask: str) -> bool:
    """Whether an ask says more than "ok", "continue" or "thanks"."""
    return width(ask.strip()) >= _SHORT_ASK


def _tells(turn: Turn) -> bool:
    return is_telling(turn.ask) and not is_idle(turn)


def names_in(text: str) -> dict[str, float]:
    """The names and other words in a text, with their weights."""
    found: dict[str, float] = {}
    for span in _SPAN.findall(text):
        found[span.strip().casefold()] = _NAME
    for token in _TOKEN.finditer(text):
        word = token[0].strip(".:!?…-–—")
        weight = _WORD if len(word) > 3 or not word.isascii() else 0.0
        weight = _NAME if _CODE.search(word) else weight
        for piece in _pieces(word):
            own = weight if piece == word.casefold() else min(weight, _WORD)
            found[piece] = max(found.get(piece, 0.0), own)
    return {name: weight for name, weight in found.items() if weight}


def subjects_of(turns: list[Turn]) -> list[str]:
    """What a session is about: asked words and names that the answers repeat most, as first written."""
    asked = {word.casefold(): word for turn in reversed(turns) for word in reversed(_words_of(turn.ask))}
    said = [word for turn in turns for text in turn.texts for word in _words_of(text)]
    counts = Counter(map(str.casefold, said))
    named = [word for word in reversed(said) if _CODE.search(word) and not _NUMBER.search(word)]
    named += [word for name, word in asked.items() if counts[name] > 1]
    written = {word.casefold(): word for word in named}
    found: list[str] = []
    for word in sorted(written, key=lambda word: -counts[word])[:_SUBJECTS]:
        if not any(word.startswith(other[:_SUBJECT]) for other in found):
            found.append(word)
    return [written[word] for word in found]


def _words_of(text: str) -> list[str]:
    words = (word.strip(".:!?…-–—/") for word in _TOKEN.findall(text))
    return [word for word in words if len(word) >= _SUBJECT and word.casefold() not in STOP_WORDS]


def _pieces(word: str) -> Iterator[str]:
    """A word, or the pairs of characters in a script without spaces and the words between them."""
    if not word.isascii() and _WIDE.search(word):
        for run in _WIDE.findall(word):
            yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))
        yield from (piece.casefold() for piece in _WIDE.split(word) if piece)
    elif word:
        yield word.casefold()


def _parts(number: int, turn: Turn) -> Iterator[Part]:
    """The parts of a turn that could be kept; what was said before an interruption is not a fact."""
    asked = [unit for unit in units_of(typed(turn.ask)) if unit.kind != "code"]
    asked = asked if _tells(turn) else []
    lead = ""
    while asked and (not lead or len(lead) + len(asked[0].text) < _LONGEST_ASK):
        lead += ("; " if lead and lead[-1] not in _MARKS else " ") + asked.pop(0).text
    if lead:
        yield _part(number, _ASK, Unit(cut(lead.strip(), _LONGEST_ASK)))
    for place, unit in enumerate(asked[:_MOST_PARTS], 1):
        yield _part(number, _ASK + place, unit)
    for place, remark in enumerate(turn.remarks):
        yield _part(number, _REMARK + place, Unit(cut(" ".join(remark.split()), _LONGEST_ASK)))
    place = 0
    for number_of_text, text in enumerate([] if turn.is_interrupted else turn.texts):
        units = units_of(text)[:_MOST_PARTS]
        for unit in units:
            is_kind = len(unit.text) <= _LONGEST_CODE if unit.kind == "code" else unit.kind != "heading"
            if is_kind and not unit.text.endswith(QUESTIONS):
                own = unit._replace(block=number_of_text * _MOST_PARTS + unit.block)
                is_answer = text is turn.texts[-1] and _tells(turn)
                part = _part(number, place, own, is_lead=is_answer and unit is units[0])
                yield part._replace(least=0.0 if is_answer else 1.0)
            place += 1


def _part(turn: int, place: int, unit: Unit, *, is_lead: bool = False) -> Part:
    unit = unit if unit.kind == "code" else unit._replace(text=cut(unit.text, _LONGEST))
    # The text itself is a name, so that none is kept twice.
    names = {**names_in(unit.text), unit.text: _LEAD if is_lead else 0.0}
    return Part(turn, place, unit, names, is_lead=is_lead)


def _by_turn(turns: list[Turn], kept: list[Part]) -> list[KeptTurn]:
    """The kept parts in their order; a turn with any of them shows its ask."""
    found: list[KeptTurn] = []
    stopped = {len(turns) - 1} if turns and turns[-1].is_interrupted else set()
    for number in sorted({part.turn for part in kept} | stopped):
        turn = turns[number]
        own = sorted((part for part in kept if part.turn == number), key=lambda part: part.place)
        asks = [part.unit.text for part in own if part.place < _REMARK] or [_short_ask(turn)]
        remarks = tuple(part.unit.text for part in own if _REMARK <= part.place < 0)
        units = tuple(part.unit for part in own if part.place >= 0)
        found.append(KeptTurn(" ".join(asks), remarks, units, turn.is_interrupted))
    return found


def _short_ask(turn: Turn) -> str:
    return cut(" ".join(turn.ask.split()), _LONGEST_ASK // 2) if _tells(turn) else ""
