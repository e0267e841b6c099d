"""Tells the typed part of a prompt from the pasted one: logs, stacks, code, shell output. Pure."""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEVEL = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE"
_TIME = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
# How pasted lines start.
_FORMS = (
    # logs
    rf"\s*[\[(<]?(?:{_TIME})",
    rf"\s*\[?(?:{_LEVEL}|(?i:error|warn|warning|info|debug))\][\s:]",
    rf"\s*(?:{_LEVEL})[:\s]",
    r"\s*(?:npm|pnpm|yarn) (?:ERR|error|warn)",
    r"(?:error|warning)(?:\[\w{1,12}\])?: |(?:fatal|panic): |E {2,}\S",
    r"##\[|::error|Process completed with",
    # stacks and crashes
    r"\s*Traceback \(most recent|\s*File \"[^\"]|Caused by: |\s+\.\.\. \d+ more",
    r"\s*at [\w$.<>/@:\\-]{1,200}(?:\(|:\d)",
    r"(?:Uncaught |Unhandled )?(?:\(in promise\) )?[\w.]{0,100}(?:Error|Exception|Fault)\b[: (]|Uncaught ",
    r"Thread \d+ |\s*#\d+ +(?:0x|\w{1,80} ?\()|goroutine \d+ |EXC_|\s*\d+: +0x",
    # tests, diffs, numbered lines, columns, reports
    r"\S{1,200}::\S{1,200} (?:FAILED|PASSED|ERROR)|--- FAIL|FAIL(?:ED)?[: ]",
    r"diff --git |[+-]{3} [ab]/|@@ -\d",
    r"\s*\d+:? \||\s*\d+:? +(?:0x|\S{1,80}\s{2,})",
    r"\S{1,80}(?:\s{2,}\S{1,80}){2,}|[A-Z][\w -]{0,24}:\s{2,}\S",
    # prompts of a shell
    r"[$%❯] \S|PS [A-Z]:\\|[A-Z]:\\[^>\n]{0,200}>|[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^\n]{0,80}[$#] ",
    # code
    r"\s*(?:import [\w.]{1,80}(?:;|,| as |$)|import [{*\"']|from \S{1,80} import |#include)",
    r"\s*(?:def \w{1,80}\(|class \w{1,80}[:({]|(?:const|let) \w{1,80} =)",
    r"\s*(?:public|private|protected|static) \w",
    r"\s*[{}\])]{1,3}[,;]?\s*$|\s{2,}\S[^\n]{0,300}[;{]\s*$|\S{1,200}[;{]\s*$",
    r"\s*\"[\w-]{1,60}\": |\s*<\w[^>]{0,200}>\s*$",
)
_OUTPUT = re.compile("|".join(_FORMS))
_ERROR = re.compile(
    r"[\w.]{0,100}(?:Error|Exception|Failure|Operation|Fault)\b|(?i:\b(?:error|fatal|panic|failed|denied)\b)"
)
_HEAD = re.compile(
    rf"(?:[\[(<]?(?:{_TIME})[\d.,Z+: ]*[\])>]?\s*|\[?(?:{_LEVEL})\]?:?\s+"
    r"|E {2,}|[$❯] |Uncaught |\(in promise\) )+"
)
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_TYPED = re.compile(r"[^\W\d_][^\s]*(?:\s+\S*[^\W\d_]\S*){2,}")
_INTRODUCES = (":", "：")
_BLOCK = 3  # lines
_MANY = 12  # words


def typed_part(text: str) -> str:
    """A prompt without its pasted lines."""
    return _split(text)[0]


def pasted_error(text: str) -> str:
    """The line of the pasted output that says most about what went wrong; "" when there is none."""
    errors = [line for line in _split(text)[1] if _ERROR.search(line)]
    best = max(enumerate(errors), key=lambda pair: (_words_in(pair[1]), pair[0]), default=(0, ""))[1]
    return _HEAD.sub("", best.strip(), count=1).strip()


def _words_in(line: str) -> int:
    """The number of words in a line, up to the limit beyond which more say nothing."""
    words = _HEAD.sub("", line.strip(), count=1).split()
    return min(sum(any(map(str.isalpha, word)) for word in words), _MANY)


def _split(text: str) -> tuple[str, list[str]]:
    typed: list[str] = []
    pasted: list[str] = []
    lead = ""  # the last typed line
    for paragraph in _paragraphs(text):
        kept = _typed_lines(paragraph, is_introduced=lead.rstrip().endswith(_INTRODUCES))
        typed += ["", *(line for line, is_typed in zip(paragraph, kept, strict=True) if is_typed)]
        pasted += [line for line, is_typed in zip(paragraph, kept, strict=True) if not is_typed]
        lead = next((line for line in reversed(typed) if line), lead)
    return "\n".join(typed).strip(), pasted


def _paragraphs(text: str) -> list[list[str]]:
    """The lines between empty ones; a code block is one paragraph with its fences."""
    found: list[list[str]] = [[]]
    is_code = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        if is_fence and not is_code:
            found.append([])
        if line.strip() or is_code:
            found[-1].append(line)
        if (is_fence and is_code) or not (line.strip() or is_code):
            found.append([])
        is_code = is_code != is_fence
    return [lines for lines in found if lines]


def _typed_lines(lines: list[str], *, is_introduced: bool) -> list[bool]:
    """Which lines of a paragraph a person typed."""
    if _FENCE.match(lines[0]):
        return [False] * len(lines)
    output = [number for number, line in enumerate(lines) if _OUTPUT.match(line)]
    if is_introduced and (output or _is_a_list_of_values(lines)):
        return [False] * len(lines)
    if not output:
        return [True] * len(lines)
    first, last = output[0], output[-1]
    is_mostly = 2 * len(output) >= len(lines) or last - first + 1 >= _BLOCK
    return [
        number < first or (number > last and (not is_mostly or _is_typed(line)))
        for number, line in enumerate(lines)
    ]


def _is_a_list_of_values(lines: list[str]) -> bool:
    """Whether no line of a block is a sentence."""
    return len(lines) >= _BLOCK and not any(_is_typed(line) for line in lines)


def _is_typed(line: str) -> bool:
    return _ITEM.match(line) is not None or (line[:1] not in " \t" and _TYPED.match(line) is not None)
