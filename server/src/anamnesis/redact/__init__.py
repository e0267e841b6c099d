"""Finds, locates and removes credentials in text. No state, and linear in the length of the text.

    rules        by form or position: issuers' keys, headers, commands, URLs, key blocks, manifests
    keyed        by a name near it: assignments, sentences, INSERT statements
    values       which words name a secret; what a value looks like: words, random text, placeholders, code

`issuers.txt`, `positions.txt` and `words.txt` hold forms and words; they are read with the first text.
A secret of unknown form under an innocent name is not found: redaction lowers the risk, no more. Nothing here
repeats a secret: `Secret` has only its kind and position. Decision 15 says what counts as one.
`strip_private` removes `<private>` spans, which the user marked as not for memory. `known_secrets` finds what
the text of a captured note does not give away itself.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from anamnesis.redact.values import has_all_kinds, is_odd, is_path, reads_as_words

if TYPE_CHECKING:
    from anamnesis.redact.rules import Span

_MAX_PASSES = 4
# Spaces and letters of other widths count as plain ones. Each is one character, so positions stay.
_PLAIN = {
    **dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
}
# Soft hyphen, zero-width space and joiners, word joiner, byte order mark occur in copied text.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_PRIVATE_TAG = re.compile(r"<(/?)\s{0,8}private(?:\s[^<>]{0,200})?>", re.IGNORECASE)


class Secret(NamedTuple):
    """A credential's kind, line and column (from 1), and slice of the text."""

    kind: str
    line: int
    column: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.kind} at line {self.line}, column {self.column}"


def find_secrets(text: str) -> list[Secret]:
    """Every credential in `text`, in order, none overlapping another."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines = [(bisect(starts, span[0]), span) for span in _spans(text)]
    return [
        Secret(kind, line, start - starts[line - 1] + 1, start, end) for line, (start, end, kind) in lines
    ]


def redact(text: str) -> str:
    """`text` with every credential replaced by `[redacted: KIND]`."""
    # A secret right after another one, without a space, is found only once the first is removed.
    for _ in range(_MAX_PASSES):
        spans = _spans(text)
        if not spans:
            break
        ends = [0, *(end for _, end, _ in spans)]
        kept = [text[end:start] for end, (start, _, _) in zip(ends, spans, strict=False)]
        marks = [f"{before}[redacted: {kind}]" for before, (_, _, kind) in zip(kept, spans, strict=True)]
        text = "".join(marks) + text[ends[-1] :]
    return text


def under_title(title: str, body: str) -> str:
    """A title, and the single word at the start of its body, as name and value; "" for any other body."""
    first = body.lstrip().partition("\n")[0].strip()
    return f"{title.strip().rstrip(':')}: {first}" if first and " " not in first else ""


def _spans(text: str) -> list[Span]:
    """What the readers found, with overlaps merged; the kind is that of the first, then the longest match."""
    if not text.isascii():
        text = text.translate(_PLAIN)
    found = _find_all(text)
    if _INVISIBLE.search(text):
        found += _find_split_by_invisible(text)
    joined: list[Span] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if joined and start < joined[-1][1]:
            first, last, name = joined[-1]
            joined[-1] = (first, max(last, end), name)
        else:
            joined.append((start, end, kind))
    return joined


def _find_all(text: str) -> list[Span]:
    # The tables take longer to load than most commands take to run, and most have no text to search.
    from anamnesis.redact.keyed import find_keyed
    from anamnesis.redact.rules import Folded, find_shaped

    folded = Folded(text)
    return [*find_shaped(folded), *find_keyed(folded)]


def _find_split_by_invisible(text: str) -> Iterator[Span]:
    """What is found if invisible characters are removed, with positions in the original text."""
    places = [place for place, char in enumerate(text) if not _INVISIBLE.match(char)]
    plain = "".join(text[place] for place in places)
    for start, end, kind in _find_all(plain):
        yield places[start], places[end - 1] + 1, kind


def strip_private(text: str) -> str:
    """`text` without its `<private>...</private>` spans; one that is not closed extends to the end.

    Spans may nest. A closing tag without an opening one is ordinary text.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _PRIVATE_TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


# -- the secrets of a captured note -----------------------------------------------------------------------

# A value that is a secret in one place is a secret everywhere: in an answer, in a title. A note is short and
# its source is long, so the search goes backwards: each unusual word of the note is looked up in the source
# and judged by its context there. Nobody reads a note before it is saved, and none is worth less without a
# long random key, so such a key is a secret whatever its name, unless it has the prefix of an id.

_MOST = 100  # words; each costs a search through the source, and those that look random come first
_WORD = re.compile(r"[^\s\"'`\\<>|()\[\]{},;]{6,300}")
_PART = re.compile(r"[^/:=@]{6,300}")
_MARK = re.compile(r"\[redacted: [a-z0-9-]+\]")
_EDGES = ".,:!?*_…"
_USUAL = re.compile(r"[\d.,:%/x+-]+[a-zA-Z]{0,4}|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d.*")
# Without the prefix of an id, and not a public key or the address of a wallet.
_KEY = re.compile(r"(?![a-z]{2,12}[_-]|AAAA[A-Z]3NzaC1|0x[0-9a-fA-F]+\Z)[A-Za-z0-9_-]{24,300}={0,2}")
_TWO_NUMBERS = re.compile(r"[A-Za-z]\d+[A-Za-z].*(?<=[A-Za-z])\d+[A-Za-z]")  # names of code have fewer
_SYLLABLES = re.compile(r"[A-Z]?[a-z]{3,}")  # half of such a name or more: `ReplicaSetV1Beta2Controller`
_CONTEXT = 400  # bytes on each side of a word
_MOST_PLACES = 20  # occurrences of one word
_SURE = 8  # characters; a part this long can only belong to one value


def known_secrets(text: str, source: Iterable[bytes], *, most: int = _MOST) -> dict[str, str]:
    """The credentials among the words of `text`, by form or by context in the source, with their kinds."""
    words = sorted(dict.fromkeys(_odd_words(text)), key=lambda word: not is_odd(word))[:most]
    found = dict.fromkeys(_random_keys(text), "random-key")
    seen = dict.fromkeys(words, 0)
    for line in source if words else ():
        for word in words:
            for place in () if word in found else _places(line, word.encode(), _MOST_PLACES - seen[word]):
                seen[word] += 1
                if kind := _judge(line, word, place):
                    found[word] = kind
                    break
    return found


def hide(text: str, known: dict[str, str]) -> str:
    """The text with each of the known values replaced by `[redacted: KIND]`."""
    for value in sorted(known, key=len, reverse=True):
        text = re.sub(
            rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", f"[redacted: {known[value]}]", text
        )
    return text


def _odd_words(text: str) -> Iterator[str]:
    """The words that could be secrets, and their parts (`admin:...`): long, and not ordinary words."""
    for found in _WORD.findall(_MARK.sub(" ", text)):
        whole = found.strip(_EDGES)
        for word in dict.fromkeys((whole, found.rstrip(".,:"), *_PART.findall(whole))):
            if _is_odd_enough(word):
                yield word


def _random_keys(text: str) -> Iterator[str]:
    """The long words that look random, except in addresses, which name pages and files with them."""
    for found in _WORD.findall(text):
        parts = (found, *_PART.findall(found)) if "://" not in found else ()
        yield from filter(_is_random_key, dict.fromkeys(part.strip(_EDGES) for part in parts))


def _is_random_key(word: str) -> bool:
    is_name = 2 * sum(map(len, _SYLLABLES.findall(word))) >= len(word)
    has_form = _KEY.fullmatch(word) is not None and _TWO_NUMBERS.search(word) is not None
    return has_form and has_all_kinds(word) and not is_name and is_odd(word)


def _is_odd_enough(word: str) -> bool:
    if not word.isascii() or _USUAL.fullmatch(word) or is_path(word):
        return False
    is_mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return (is_mixed or is_odd(word)) and not reads_as_words(word)


def _places(line: bytes, word: bytes, most: int) -> Iterator[int]:
    place = line.find(word)
    while place >= 0 and most > 0:
        yield place
        most -= 1
        place = line.find(word, place + len(word))


def _judge(line: bytes, word: str, place: int) -> str:
    """The kind of credential that the word is at this place in the line; "" if none."""
    head = line[max(place - _CONTEXT, 0) : place].decode("utf-8", "ignore")
    text = head + line[place : place + len(word) + _CONTEXT].decode("utf-8", "ignore")
    for secret in find_secrets(text):
        value = text[secret.start : secret.end]
        is_whole = secret.start <= len(head) and secret.end >= len(head) + len(word)
        if is_whole and (len(word) >= _SURE or value == word):
            return secret.kind
    return ""
