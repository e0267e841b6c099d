"""Turns text into search terms and MATCH expressions: stop words, parts of names, scripts without spaces.

Notes and queries are split in the same way, so that `parseTranscript` is found by "parse transcript" and
`CONN_RESET` by "reset". Scripts without spaces are split into overlapping pairs of letters, without
vowel signs; full-width and decomposed letters become their usual form. No database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

# A paraphrase consists mostly of these; searching for them costs the most time and precision.
# Without "not" and "no": a negation is part of the question.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each few for
    from further had hadn has hasn have haven having he her here hers herself him himself his how i if in
    into is isn it its itself just ll m me more most my myself nor now o of off on once only or other
    our ours ourselves out over own re s same shan she should shouldn so some such t than that the their
    theirs them themselves then there these they this those through to too under until up use used ve very
    was wasn we were weren what when where which while who whom why will with won work works would wouldn y
    you your yours yourself yourselves""".split()
)
# Only both ends of a longer query are read: the question is above or below the pasted text.
_MAX_QUERY_CHARS = 10_000
_LONG = 1000  # characters; the first and last line of a longer query matter most, up to _LINE of each
_LINE = 200

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Characters that show a compound name; a capital counts only inside a word or before another such character.
_SIGN = re.compile(r"[A-Z0-9_](?:(?<=[0-9_])|(?<=\w\w)|(?=[A-Z0-9_]))")
_LETTER_DIGIT = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_SUFFIX = re.compile(r"(?<=\w\w\w)(?:ations?|ions?|ings?|ies|edly|ed|es|ers?|ly|s|e|y|i)$")
_BEFORE, _AROUND = 60, 180  # characters of an excerpt: before the first match, and in all
# Thai and its neighbours; Chinese, Japanese, Korean.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3105-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)


def is_unspaced(text: str) -> bool:
    """Whether `text` contains a script without spaces between words."""
    return not text.isascii() and _unspaced().search(text) is not None


@cache
def _unspaced() -> re.Pattern[str]:
    # Compiled on first use: compiling such large classes takes longer than a search in a small store.
    return re.compile(f"[{_UNSPACED}]+")


def _fts_query(query: str) -> str:
    """The baseline in the specification: every word quoted, joined by OR."""
    return " OR ".join(f'"{word}"' for word in _WORD.findall(query))


def query_terms(query: str) -> list[str]:
    """The terms to search for: lower case, each once, without stop words unless there is nothing else."""
    text = _usual_form(_both_ends(query))
    words: list[str] = []
    for word in _spaced_words(text):
        words.append(word.lower())
        # In a pasted trace, the number in `step_25` only finds unrelated notes.
        words.extend(part for part in name_parts(word) if len(query) <= _LONG or not part.isdigit())
    words.extend(_unspaced_terms(text))
    distinct = list(dict.fromkeys(words))
    return [word for word in distinct if word not in STOP_WORDS] or distinct


def asked_terms(query: str) -> set[str]:
    """The terms of a long text's first and last line, one of which is the question; none for a short text."""
    if len(query) <= _LONG:
        return set()
    return {term for line in _outer_lines(query, _LINE) for term in query_terms(line)}


def question_in(query: str) -> str:
    """The query for a search by meaning: for a long text, its first and last line."""
    return query if len(query) <= _LONG else "\n".join(_outer_lines(query, _LONG))


def _outer_lines(query: str, longest: int) -> tuple[str, str]:
    lines = _both_ends(query).strip().splitlines() or [""]
    return lines[0][:longest], lines[-1][-longest:]


def _both_ends(query: str) -> str:
    half = _MAX_QUERY_CHARS // 2
    return query if len(query) <= _MAX_QUERY_CHARS else f"{query[:half]} {query[-half:]}"


def extra_text(*texts: str) -> str:
    """Extra terms to index: parts of names, and text that the tokenizer does not split."""
    text = "\n".join(texts)
    usual = _usual_form(text)
    terms = list(_parts_of_names(usual))
    if not text.isascii():
        # Words that the tokenizer misses: in another Unicode form, or next to a script without spaces.
        seen = set(_WORD.findall(text.lower()))
        terms += (word for word in dict.fromkeys(_spaced_words(usual.lower())) if word not in seen)
        terms += _unspaced_terms(usual, every_character=True)
    return " ".join(terms)


def _usual_form(text: str) -> str:
    """One spelling for text that looks the same: full-width letters, ligatures, separate accents."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _spaced_words(text: str) -> list[str]:
    """The words of `text` that are written with spaces, even inside a script without them."""
    return _WORD.findall(_unspaced().sub(" ", text) if is_unspaced(text) else text)


def _parts_of_names(text: str) -> Iterator[str]:
    """The parts of every compound name; skips the plain words between them, for speed."""
    end = 0
    for sign in _SIGN.finditer(text):
        start = sign.start()
        if start < end:
            continue
        while start > end and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        word = _WORD.match(text, start)
        if word:
            end = word.end()
            for piece in _spaced_words(word[0]):
                yield from name_parts(piece)
                if "_" in piece.strip("_"):
                    yield piece.replace("_", "").lower()  # as people type it in one word


def name_parts(word: str) -> list[str]:
    """The lower-case parts of a compound name (`parseTranscript`, `CONN_RESET`, `utf8`); [] for a word."""
    if "_" not in word and word[1:].lower() == word[1:] and not _LETTER_DIGIT.search(word):
        return []
    parts = [part.lower() for part in _PART.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


@dataclass(slots=True)
class Term:
    """A query term, the number of notes that contain it, and how many times it counts."""

    text: str
    count: int = 0
    copies: int = 1
    is_prefix: bool = False  # also finds longer words that start like this

    @property
    def expression(self) -> str:
        """The MATCH expression for the term, counted once."""
        quoted = quote(self.text)
        return quoted + "*" if self.is_prefix and quoted[-1] != "*" else quoted


def select_terms(terms: Iterable[Term], *, total: int, asked: Collection[str]) -> list[Term]:
    """The terms worth searching for, rarest first; if there are too many, those in `asked` and the rarest.

    FTS5 gives no weight to a term in more than half of the notes. In a small store that is only a handful of
    notes, each worth showing if there is nothing better. Terms in `asked` count double.
    """
    rarest = sorted(terms, key=lambda term: (term.count, term.text))
    telling = [term for term in rarest if total <= 1000 or term.count * 2 <= total]
    telling.sort(key=lambda term: term.text not in asked)
    # In a script without spaces, a term is only two characters.
    most = 200 if any(is_unspaced(term.text) for term in telling) else 48
    chosen = sorted(telling[:most], key=lambda term: (term.count, term.text)) or rarest[:2]
    for term in chosen:
        term.copies = 2 if term.text in asked else 1
    return chosen


def last_word(query: str) -> str:
    """The word that a person may not have finished typing; "" if there is none."""
    words = _spaced_words(_usual_form(query[-_LINE:]))
    return words[-1].lower() if words and query.endswith(words[-1]) else ""


def any_term(terms: Iterable[Term]) -> str:
    """A MATCH expression for notes that contain any of these terms."""
    return " OR ".join(expression for term in terms for expression in [term.expression] * term.copies)


def quote(term: str) -> str:
    """A term quoted for FTS5; a lone character of a script without spaces matches the pairs it starts."""
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted + "*" if len(term) == 1 and is_unspaced(term) else quoted


def excerpt(body: str, terms: Iterable[Term], *, title: str = "") -> tuple[str, list[str]]:
    """A piece of the body around the words that match, and these words; the body's start if none is in it.

    Only the start of a very long note and its first matches are looked at, whatever it repeats.
    """
    stems = {_without_accents(_SUFFIX.sub("", term.text)) for term in terms}
    written = (re.escape(stem) for stem in sorted(stems, key=len, reverse=True))
    # Vowel signs may stand between the letters of a pair.
    joined = (r"[^\w\s]*".join(stem) if is_unspaced(stem) else stem for stem in written)
    pattern = re.compile("|".join(joined) or "(?!)", re.IGNORECASE)
    body = _usual_form(body[:200_000])
    places, others = _matches(pattern, body), _matches(pattern, _usual_form(title[:1000]))
    start = max(_densest(places) - _BEFORE, 0)
    piece = body[start : start + _AROUND]
    if start:
        piece = "…" + (piece.partition(" ")[2] or piece)
    if start + _AROUND < len(body):
        piece = (piece.rpartition(" ")[0] or piece) + "…"
    return " ".join(piece.split()), list(dict.fromkeys(word for _, word in others + places))


def _matches(pattern: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    """The first places where a pattern is found, each with the word or the part of a name there."""
    found = islice(pattern.finditer(_without_accents(text)), 200)
    places = ((match.start(), _word_at(text, *match.span())) for match in found)
    return [(start, word) for start, word in places if word]


def _word_at(text: str, start: int, end: int) -> str:
    """The word or part of a name that starts here, in lower case, cut like an excerpt; "" if none does."""
    if is_unspaced(text[start:end]):
        return text[start:end]
    before, after = text[start - 1 : start], text[start + 1 : start + 2]
    is_part = text[start].isupper() and (before.islower() or after.islower())
    if before.isalnum() and not is_unspaced(before) and not is_part:
        return ""
    while end < min(len(text), start + _AROUND) and text[end].isalnum() and not is_unspaced(text[end]):
        end += 1
    return text[start:end].lower()


def _densest(places: Sequence[tuple[int, str]]) -> int:
    """The first place from which an excerpt shows the most different words."""
    room = _AROUND - 2 * _BEFORE
    shown = {start: {word for at, word in places if 0 <= at - start <= room} for start, _ in places}
    return max(shown, key=lambda start: len(shown[start]), default=0)


def _without_accents(text: str) -> str:
    """The same text, of the same length, with plain letters."""
    return text if text.isascii() else "".join(map(_base_letter, text))


@cache
def _base_letter(letter: str) -> str:
    # In scripts without spaces, what is split off makes another letter.
    return letter if is_unspaced(letter) else unicodedata.normalize("NFD", letter)[0]


def _unspaced_terms(text: str, *, every_character: bool = False) -> Iterator[str]:
    """Pairs of characters, without the vowel signs and tone marks at which the tokenizer would split them."""
    if text.isascii():
        return
    for run in _unspaced().findall(text):
        letters = [char for char in run if char.isalnum()]
        yield from (a + b for a, b in pairwise(letters))
        # The last letter starts no pair, so it is indexed alone, where the prefix from `quote` matches it.
        if len(letters) == 1 or (letters and every_character):
            yield letters[-1]
