"""Text for people and models: a count with its noun, a note's name, a note made safe to show; moments.

`defang` is for models. A note is data: it must not be able to end its section, start one that looks like
ours, or contain tags that mean something to clients and models. The file is not changed. Every hook loads
this module, so it imports next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

# Long work reports its step, how much is done, and the total; 0 means unknown.
StepProgress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Ignore progress."""


def plural(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 note`, `2,000 notes`; `many` where adding an s is not enough."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def first_few(names: Sequence[str], *, most: int = 3, between: str = ", ") -> str:
    """The first few names, and how many more there are."""
    rest = len(names) - most
    return between.join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def and_superseded(number: int) -> str:
    """What follows a number of notes: `, 3 superseded`; "" if none is."""
    return f", {number:,} superseded" if number else ""


def named(note_id: str, title: str) -> str:
    """A note's name in messages: its title and its id."""
    return f"{line} ({note_id})" if (line := quoted(title)) else note_id


def quoted(title: str) -> str:
    """A title as one short line in quotes; "" if there is none."""
    line = " ".join(without_hidden(title).split())
    return f"'{line[:57]}...'" if len(line) > 60 else f"'{line}'" if line else ""


# Words that only join a sentence to the one before: "ok, but always use tabs".
JOINER = r"(?:(?:(?:and|but|so|also|ok|okay|und|aber|y|pero|et|mais)\b[\s,]+)|(?:yes|no|oh)\s*,\s*)+"
# Where a sentence starts in a session's note.
_START = rf"((?:^(?:\*\*[^*]+:\*\* |- User: |- )?|(?<=[.!?;…]\s)|(?<=[。！？]))(?:{JOINER})?)"


def without_sentence(text: str, sentence: str, instead: str = "") -> str:
    """The text with `instead` wherever it says this sentence, in any case and spacing."""
    words = r"\s+".join(map(re.escape, sentence.strip(" .!;…。！*").split()))
    return re.sub(rf"(?im){_START}{words}(?:[.!;…*]+(?=\s|$)|[。！]+|$)", rf"\1{instead}", text)


# Tags by name, and families of tags by how their names start; "_" counts as "-".
_TAGS = frozenset(
    "system-reminder system task-notification user-prompt-submit-hook hook-context untrusted-context"
    " function-calls function-results invoke tool-result tool-use".split()
)
_FAMILIES = ("command-", "local-command-", "bash-", "antml:")
_OPENING = "<\uff1c\ufe64"  # "<", and its full-width and small forms
# Control characters, and those that show nothing: they break a pattern match, but a model ignores them.
_UNSEEN = dict.fromkeys((*range(0x9), *range(0xE, 0x20), *range(0x7F, 0x85), *range(0x86, 0xA0), 0xAD, 0x34F,
                         0x61C, 0x115F, 0x1160, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
                         *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10),
                         0xFEFF, 0xFFA0, *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)))  # fmt: skip
_SPACES = (*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
# Hyphens and spaces of every kind count as plain ones, full-width characters and the long s as plain letters.
_PLAIN = {
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys((0x5F, 0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE63, 0xFF0D, 0xFF3F), "-"),
    **dict.fromkeys(_SPACES, " "),
    0x17F: "s",
}
# Unicode tags (they spell a text that nobody sees, except in the flag of a region), other characters of
# their block, overrides of the direction of writing, control characters, signs of no width, and the
# second of two joiners or variation selectors: a row of them can spell a text too.
_HIDDEN = re.compile(
    "(\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f)"
    "|[\U000e0000-\U000e0fff\u200b\u202a-\u202e\u2060-\u206f\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
    # A joiner or a selector is read once; a lookbehind in front would be tried at every character.
    "|[\u200c\u200d](?<=[\u200c\u200d]{2})|[\ufe00-\ufe0f](?<=[\ufe00-\ufe0f]{2})"
)
_SEEN = {**_UNSEEN, **_PLAIN}
_INDENT = "".join(map(chr, (*_UNSEEN, *_SPACES)))
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-:")
_MOST_HYPHENS = 3  # in a tag's name
_OURS = 3  # our own headings have one to three "#"


def defang(text: str) -> str:
    """A body with its headings demoted below ours, its code fences closed and clients' tags escaped."""
    fence = ""
    lines: list[str] = []
    for line in defang_tags(text).split("\n"):
        if fence:
            lines.append(f" {line}" if line.startswith("#") else line)
            fence = "" if _closes(line, fence) else fence
        else:
            fence = _fence(line)
            lines.append(line if fence else _lower(line))
    return "\n".join([*lines, fence] if fence else lines)


def defang_line(text: str) -> str:
    """A title or name as one line that cannot start a section or contain a tag."""
    return defang_tags(" ".join(text.split())).lstrip("# ")


def defang_key(key: str) -> str:
    """A project's key as one harmless line that can stand between backticks."""
    return defang_line(key).replace("`", "'")


def without_hidden(text: str) -> str:
    """The text without characters that no person can see and a model reads: tags, overrides, controls."""
    return _HIDDEN.sub(r"\1", text)


def defang_tags(text: str) -> str:
    """The text without hidden characters, and with `&lt;` wherever a client's tag starts, in any spacing."""
    text = without_hidden(text)
    for mark in _OPENING:
        first, *rest = text.split(mark)
        if rest:
            text = "".join([first, *(("&lt;" if _is_tag(part) else mark) + part for part in rest)])
    return text


def _is_tag(text: str) -> bool:
    """Whether a client's tag starts here, right after the `<`."""
    seen = text.translate(_SEEN).lower().lstrip("/\\ ")
    seen = "-".join(part.strip() for part in seen.split("-", _MOST_HYPHENS))
    length = next((at for at, char in enumerate(seen) if char not in _NAME), len(seen))
    name = seen[:length]
    return name in _TAGS or name.startswith(_FAMILIES)


def _fence(line: str) -> str:
    """The fence that opens a code block on this line; "" if there is none."""
    text = line.lstrip(" ")
    for mark in ("`", "~"):
        length = len(text) - len(text.lstrip(mark))
        if length >= 3 and len(line) - len(text) < 4 and (mark == "~" or mark not in text[length:]):
            return mark * length
    return ""


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return text.startswith(fence) and not text.strip(fence[0]) and len(line) - len(line.lstrip(" ")) < 4


def _lower(line: str) -> str:
    """Demote a heading below ours; turn an underline, and a line like our small print, into text."""
    text = line.lstrip(_INDENT)
    end = text.rstrip(_INDENT)
    is_underline = end.startswith("=") and not end.strip("= \t")
    if is_underline or (end.startswith("_") and end.endswith("_") and " " in end):
        return f"\\{text}"
    level = len(text) - len(text.lstrip("#"))
    return "#" * _OURS + text if 0 < level <= _OURS else line


# -- moments as text --------------------------------------------------------------------------------------

_LAST_SECOND = 253_402_300_799  # of the year 9999


def utcnow() -> str:
    """The current time in the format of notes: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def timestamp(seconds: float) -> str:
    """Seconds since 1970 as a timestamp in the format of notes; limited to the years 1970 to 9999."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC).isoformat(timespec="seconds")


def seconds_of(date: str | bytes) -> int:
    """A commit's date in seconds, as git prints it; 0 if there is none, as in commits of some tools."""
    try:
        return int(date)
    except ValueError:
        return 0


def epoch(moment: str) -> int:
    """A timestamp as seconds since 1970, for sorting; 0 if it is not one."""
    try:
        when = datetime.fromisoformat(moment)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


def since_moment(text: str) -> str:
    """The start of a filter as a timestamp: a date, a time, `today`, `yesterday`, `7d`; "" if it is none.

    A day starts at local midnight, and a time without an offset is local, because that is what people mean.
    """
    text = text.strip().lower()
    days_ago = {"today": "0", "yesterday": "1"}.get(text) or (text[:-1] if text.endswith("d") else "")
    try:
        if days_ago.isdecimal():
            when = datetime.combine(date.today() - timedelta(days=int(days_ago)), time())
        else:
            when = datetime.fromisoformat(text)
        return when.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def local_time(moment: str) -> str:
    """A timestamp for people: local date and time to the minute; any other text unchanged."""
    try:
        when = datetime.fromisoformat(moment)
        local = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone()
    except (ValueError, OverflowError, OSError):
        return moment
    return local.strftime("%Y-%m-%d %H:%M")
