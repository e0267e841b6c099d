"""Where the passages of a markdown text start and end: paragraphs, headings, code fences. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def is_telling(line: str) -> bool:
    """Whether a line says something: a closing bracket, a rule or a blank line is in any text."""
    return any(map(str.isalnum, line))


def continues(line: str | None) -> bool:
    """Whether a line belongs with the lines next to it: it is neither blank nor a heading."""
    return line is not None and bool(line.strip()) and not _HEADING.match(line)


def starts_passage(above: str | None, line: str) -> bool:
    """Whether a line below `above` (None: nothing) is the start of something new."""
    return not continues(above) or not continues(line)


def fenced(lines: list[str]) -> Iterator[bool]:
    """For each line whether it is inside a code fence, the fence's own lines left out."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield False
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
            yield False
        else:
            yield bool(fence)


def blocks_of(lines: list[str]) -> list[tuple[str, ...]]:
    """The text cut above each blank line that is not inside a fence: paragraphs, lists, tables, fences."""
    blocks: list[list[str]] = [[]]
    for line, is_inside in zip(lines, fenced(lines), strict=True):
        if not line.strip() and not is_inside and any(map(str.strip, blocks[-1])):
            blocks.append([])
        blocks[-1].append(line)
    return [tuple(block) for block in blocks if block]
