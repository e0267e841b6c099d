"""Splits text into the smallest parts that make sense alone: sentences, list items, table rows, code. Pure.

The text is mostly markdown. A code span is never cut, a list item keeps the line that introduces its list,
and a sentence of a word or two ("Found it.") stays with the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["prose", "item", "row", "code", "heading", "columns"]

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(\S.*)|\*\*([^*]{1,200})\*\*:?")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)")
_ROW = re.compile(r"\|(.*)\|")
_RULE = re.compile(r"[\s|:*_=-]{3,}")
_DRAWN = re.compile("[─━═]{3,}")  # a line drawn with characters, with or without a caption
_ENDS = re.compile(r"[.!?…]+[\"'»”)*_]{0,3}\s+|[。！？]+[」』）]?\s*|\n+")
ABBREVIATED = re.compile(
    r"^\d\.$|(?:^|(?<!\d)[\s(])(?:[^\W\d]\.){1,4}$"  # but not a unit after a number
    r"|\b(?:ab|am|bis|de[mnr]|im|vom|zum) \d{1,2}\.$"  # the day of a German date
    r"|\b(?:approx|bzw|ca|cf|etc|evtl|ggf|incl|inkl|nr|resp|usw|vgl|vs|тыс|см|ex|ej)\.$",
    re.IGNORECASE,
)
_LONGEST_ITEM = 240
_SHORTEST = 24
_WRAP = 60
_MARKS = ".!?:;…。！？："
_WIDE_ENDS = ("。", "！", "？", "」", "』", "）")


class Unit(NamedTuple):
    """A part of a text; `lead` is the heading or line that introduces it, `block` the paragraph's number.

    `columns` are the names of the columns of a row.
    """

    text: str
    kind: Kind = "prose"
    lead: str = ""
    block: int = 0
    columns: str = ""


def units_of(text: str) -> list[Unit]:
    """The parts of a text, in order."""
    units: list[Unit] = []
    lead = heading = columns = ""
    for number, (kind, part) in enumerate(_blocks(text)):
        if kind == "heading":
            heading, lead = part, ""
            units.append(Unit(part, "heading", block=number))
        elif kind == "columns":
            columns = part
        elif kind == "prose":
            sentences = sentences_of(part)
            lead = sentences[-1] if sentences[-1].endswith((":", "：")) else ""
            units += [Unit(sentence, "prose", heading, number) for sentence in sentences]
        else:
            parts = [part] if kind != "item" or len(part) <= _LONGEST_ITEM else sentences_of(part)
            named = columns if kind == "row" else ""
            units += [Unit(each, kind, lead or heading, number, named) for each in parts]
    return units


def sentences_of(paragraph: str) -> list[str]:
    """The sentences of a paragraph; a very short one stays with the next."""
    sentences: list[str] = []
    start = ticks = seen = 0
    for end in _ENDS.finditer(paragraph):
        ticks += paragraph.count("`", seen, end.end())
        seen = end.end()
        is_line = "\n" in end.group()
        is_short = seen - start <= _SHORTEST and width(paragraph[start:seen].strip()) <= _SHORTEST
        tail = paragraph[max(start, seen - _SHORTEST) : seen].rstrip()
        if ticks % 2 or ABBREVIATED.search(tail) or (is_short and not is_line):
            continue
        sentences.append(paragraph[start:seen].strip())
        start = seen
    sentences.append(paragraph[start:].strip())
    return list(filter(None, sentences)) or [paragraph.strip()]


def joint(text: str) -> str:
    """What stands between a sentence and the next: nothing after the full stop of a script without spaces."""
    return "" if text.endswith(_WIDE_ENDS) else " "


def width(text: str) -> int:
    """The length of a text; a character of a script without spaces counts as two."""
    return len(text) if text.isascii() else len(text) + sum(char >= "\u2e80" for char in text)


def _blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """Code, headings, items, rows and paragraphs, each without its markup."""
    kind: Kind = "prose"
    lines: list[str] = []
    rows = text.split("\n")
    for number, line in enumerate(rows):
        if _FENCE.match(line):
            yield from _block(kind, lines)
            kind, lines = ("prose", []) if kind == "code" else ("code", [])
            continue
        if kind == "code":
            lines.append(line)
            continue
        is_header = number + 1 < len(rows) and "|" in line and _is_rule(rows[number + 1])
        new, part = _line(line)
        goes_on = (
            new == "prose" and part and kind in ("prose", "item") and (kind == "prose" or line[:1] in " \t")
        )
        if lines and not goes_on:
            yield from _block(kind, lines)
            kind, lines = "prose", []
        if is_header:
            yield "columns", part
        elif part:
            kind = kind if goes_on and lines else new
            lines.append(part)
    yield from _block(kind, lines)


def _line(line: str) -> tuple[Kind, str]:
    """A line's kind, and its text without markup ("" for an empty line or a rule)."""
    bare = line.strip().removeprefix("> ").strip()
    if not bare or _RULE.fullmatch(bare) or _DRAWN.search(bare):
        return "prose", ""
    if heading := _HEADING.fullmatch(bare):
        return "heading", (heading[1] or heading[2]).strip()
    if item := _ITEM.fullmatch(line):
        return "item", item[1].strip()
    if row := _ROW.fullmatch(bare):
        return "row", " | ".join(cell.strip() for cell in row[1].split("|") if cell.strip())
    return "prose", bare


def _is_rule(line: str) -> bool:
    return "-" in line and "|" in line and _RULE.fullmatch(line.strip()) is not None


def _block(kind: Kind, lines: list[str]) -> Iterator[tuple[Kind, str]]:
    text = _wrapped(lines) if kind == "prose" else ("\n" if kind == "code" else " ").join(lines).strip("\n")
    if text.strip():
        yield kind, text


def _wrapped(lines: list[str]) -> str:
    """Join wrapped lines: a long line without punctuation at its end continues on the next."""
    return "".join(
        line + (" " if width(line) >= _WRAP and line[-1:] not in _MARKS else "\n") for line in lines
    ).strip()
