"""Splits markdown into the smallest parts that make sense alone: sentences, items, rows, short code. Pure.

A code span is never cut, and a sentence of a word or two ("Found it.") stays with the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["prose", "item", "row", "code", "heading"]

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(\S.*)|\*\*([^*]{1,200})\*\*:?")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)")
_ROW = re.compile(r"\|(.*)\|")
_LINE_ACROSS = re.compile(r"[\s|:*_=-]{3,}|.*[─━═]{3}.*")
_ENDS = re.compile(r"[.!?…]+[\"'»”)*_]{0,3}\s+|[。！？]+[」』）]?\s*|\n+")
_ABBREVIATED = re.compile(
    r"^\d\.$|(?:^|(?<!\d)[\s(])(?:[^\W\d]\.){1,4}$|\b(?:approx|ca|cf|etc|vs|bzw|z\.B)\.$"
)
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
        tail = paragraph[max(start, seen - _SHORT_SENTENCE) : seen].rstrip()
        if not (ticks % 2 or is_short or _ABBREVIATED.search(tail)):
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
