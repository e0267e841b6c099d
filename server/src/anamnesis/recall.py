"""From words to terms and MATCH expressions: stop words, parts of names, scripts without spaces. No database.

Index and query go through the same splitting, so that what was written one way is found another:
`parseTranscript` by "parse transcript", `CONN_RESET` by "reset", Chinese, Japanese and Korean by overlapping
pairs of characters, Thai and its neighbours by pairs of syllable-like clusters, full-width and decomposed
letters by their usual form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import log, sqrt

# A paraphrase is mostly made of these; they cost the most time and, left in, the most precision.
# "not" and "no" are missing on purpose: a negation is part of what is asked.
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
MAX_TERMS = 48
# Of a longer query only its two ends are read: the question stands above what was pasted, or below it.
_MAX_QUERY_CHARS = 10_000

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# What a compound name has and a word has not; a capital counts only inside a word or before another sign.
_SIGN = re.compile(r"[A-Z0-9_](?:(?<=[0-9_])|(?<=\w\w)|(?=[A-Z0-9_]))")
_LETTER_DIGIT = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_PAIRED = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_CLUSTERED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_CLUSTER_TERM = re.compile(r"(?:z[3-6]\d\d\d)+")


@cache
def _runs(characters: str) -> re.Pattern[str]:
    # Compiled when first needed: classes of this size take longer than a whole search in a small store.
    return re.compile(f"[{characters}]+")


def is_unspaced(text: str) -> bool:
    """Whether any of `text` is in a script that puts no spaces between words."""
    return not text.isascii() and _runs(_PAIRED + _CLUSTERED).search(text) is not None


def _fts_query(query: str) -> str:
    """The specified baseline: every word quoted, joined by OR."""
    return " OR ".join(f'"{word}"' for word in _WORD.findall(query))


def query_terms(query: str) -> list[str]:
    """The terms to look for, lower case, each once, stop words left out unless nothing else is there."""
    text = _usual_form(_both_ends(query))
    words: list[str] = []
    for word in _spaced_words(text):
        words.append(word.lower())
        # In a pasted trace the number in `step_25` only leads to notes about something else.
        words.extend(part for part in name_parts(word) if len(query) <= _LONG or not part.isdigit())
    words.extend(_unspaced_terms(text))
    distinct = list(dict.fromkeys(words))
    return [word for word in distinct if word not in STOP_WORDS] or distinct


def asked_terms(query: str) -> set[str]:
    """The terms of a long text's first and last line, one of which is the question; none of a short text."""
    if len(query) <= _LONG:
        return set()
    lines = _both_ends(query).strip().splitlines() or [""]
    return {*query_terms(lines[0][:_LINE]), *query_terms(lines[-1][-_LINE:])}


def question_in(query: str) -> str:
    """The query text for a search by meaning: of a long text, the first and the last line."""
    if len(query) <= _LONG:
        return query
    lines = _both_ends(query).strip().splitlines() or [""]
    return f"{lines[0][:_LONG]}\n{lines[-1][-_LONG:]}"


_LONG = 1000
_LINE = 200


def _both_ends(query: str) -> str:
    if len(query) <= _MAX_QUERY_CHARS:
        return query
    half = _MAX_QUERY_CHARS // 2
    return f"{query[:half]} {query[-half:]}"


def extra_text(*texts: str) -> str:
    """Extra terms for the index: parts of names, and text that the tokenizer does not split."""
    text = "\n".join(texts)
    usual = _usual_form(text)
    terms = list(_parts_of_names(usual))
    if not text.isascii():
        terms += _hidden_words(text, usual)
        terms += _unspaced_terms(usual, every_character=True)
    return " ".join(terms)


def _usual_form(text: str) -> str:
    """One spelling for text that looks the same: full-width letters, ligatures, separate accents."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _spaced_words(text: str) -> list[str]:
    """The words of `text`, also those inside a script without spaces, which is left out."""
    return _WORD.findall(_runs(_PAIRED + _CLUSTERED).sub(" ", text) if is_unspaced(text) else text)


def _hidden_words(text: str, usual: str) -> list[str]:
    """Words that `text` contains in another form, or next to a script without spaces."""
    seen = set(_WORD.findall(text.lower()))
    return [word for word in dict.fromkeys(_spaced_words(usual.lower())) if word not in seen]


def _parts_of_names(text: str) -> Iterator[str]:
    """The parts of every compound name; jumps from one sign of a compound to the next, not word by word."""
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


def name_parts(word: str) -> list[str]:
    """The lower-case parts of a compound name (`parseTranscript`, `CONN_RESET`, `utf8`); [] for a word."""
    if "_" not in word and word[1:].lower() == word[1:] and not _LETTER_DIGIT.search(word):
        return []
    parts = [part.lower() for part in _PART.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


class Term:
    """A term of a query with the number of notes that hold it; it counts as often as it has copies."""

    __slots__ = ("copies", "count", "text")

    def __init__(self, text: str, count: int, copies: int = 1) -> None:
        self.text = text
        self.count = count
        self.copies = copies

    def most(self, total: int) -> float:
        """The most that the term adds to a note's score, however often the note has it."""
        return self.copies * _SATURATION * max(log((total - self.count + 0.5) / (self.count + 0.5)), 1e-6)


# BM25 approaches 2.2 for a word repeated without end; a note would have to say it five times to pass this.
_SATURATION = 1.8
_FEW = 500  # notes that are scored in well under a millisecond
_AFFORDABLE = 20_000  # notes that are scored in a blink
_SMALL = 1000


def weighty(
    counted: Iterable[tuple[int, str]], *, total: int, asked: Collection[str]
) -> list[tuple[int, str]]:
    """The terms worth looking for, rarest first: of too many those `asked` for and the rarest.

    FTS5 gives a term that more than half of the notes contain no weight. In a small store half of the notes
    are a handful, each worth showing where there is nothing better.
    """
    rarest = sorted(counted)
    telling = rarest if total <= _SMALL else [pair for pair in rarest if pair[0] * 2 <= total]
    telling.sort(key=lambda pair: pair[1] not in asked)
    return sorted(telling[:MAX_TERMS]) or rarest[:2]


def choosing(terms: Sequence[Term], done: int, *, floor: float, total: int) -> int:
    """How many of the terms, rarest first, have to choose notes before the best notes are known.

    The first `done` have chosen, and `floor` is the score that a note has to beat, 0 while there are too few.
    The terms beyond only add to the score of a note: if it held them all, and no other, it would not beat the
    floor. Notes are scored up to a number that takes too long; then the commonest terms only add in any case.
    """
    end, rest = len(terms), 0.0
    while end > done and (rest := rest + terms[end - 1].most(total)) < floor:
        end -= 1
    spent = sum(term.count for term in terms[:done])
    for place in range(done, end):
        spent += terms[place].count
        if spent > (_AFFORDABLE if floor else _FEW):
            return place if place > done or floor else place + 1
    return end


def is_costly(term: Term) -> bool:
    """Whether so many notes hold the term that scoring them all takes too long."""
    return term.count > _AFFORDABLE


def can_beat(terms: Iterable[Term], floor: float, *, total: int) -> bool:
    """Whether a note that holds these terms and no other may have a score of `floor` or more."""
    return sum(term.most(total) for term in terms) >= floor


MEANING_WEIGHT = 0.37  # 0.3 to 0.4 did as well; more costs rank where names decide
FUSED = 50  # notes of each list that are put in one order
_SPREAD = 4.0  # standard deviations that count as much as the best match by words


def least_standing(notes: int) -> float:
    """How far a note without a word of the query must stand out among all notes to count as an answer.

    Among n notes none can stand out by more than the root of n - 1.
    """
    return min(2.0, 0.6 * sqrt(max(notes - 1, 0)))


def fused_score(words: float, standing: float | None, *, gain: float = 1.0) -> float:
    """One score of two: by words as a share of the best, by meaning in standard deviations above the mean.

    `gain` is what preferring the note's project adds; the score by words has it already.
    """
    by_meaning = (standing or 0.0) / _SPREAD
    return MEANING_WEIGHT * by_meaning * (gain if by_meaning > 0 else 1.0) + (1 - MEANING_WEIGHT) * words


def any_term(terms: Iterable[Term]) -> str:
    """A MATCH expression for notes that hold any of these terms."""
    return any_of(text for term in terms for text in [term.text] * term.copies)


def all_terms(terms: Iterable[Term]) -> str:
    """A MATCH expression for notes that hold each of these terms."""
    return " AND ".join(f"({any_term([term])})" for term in terms)


def any_of(terms: Iterable[str]) -> str:
    """A MATCH expression for notes that hold any of these terms."""
    return " OR ".join(map(quote, terms))


def quote(term: str) -> str:
    """A term as FTS5 takes it literally; a lone character of a paired script matches the pairs it begins."""
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted + "*" if len(term) == 1 and not term.isascii() and _runs(_PAIRED).match(term) else quoted


def excerpt(text: str, terms: Iterable[str]) -> tuple[str, list[str]]:
    """A piece of `text` around terms that stand inside its words, and which terms those are."""
    text = _usual_form(text)
    lowered = text.lower()
    found = [written for written in dict.fromkeys(map(_as_written, terms)) if written in lowered]
    if not found:
        return "", []
    start = max(lowered.index(found[0]) - _BEFORE, 0)
    piece = " ".join(text[start : start + _AROUND].split())
    return ("…" if start else "") + piece + ("…" if start + _AROUND < len(text) else ""), found


def beginning(text: str) -> str:
    """The first words of a text, for a note that was found by its meaning."""
    piece = " ".join(text[:_AROUND].split())
    return piece + ("…" if len(text) > _AROUND else "")


_BEFORE = 60
_AROUND = 180


def _unspaced_terms(text: str, *, every_character: bool = False) -> Iterator[str]:
    if text.isascii():
        return
    for run in _runs(_PAIRED).findall(text):
        yield from (run[i : i + 2] for i in range(len(run) - 1))
        # The last character begins no pair; alone in the index it answers for itself to `quote`'s prefix.
        if len(run) == 1 or every_character:
            yield run[-1]
    for run in _runs(_CLUSTERED).findall(text):
        clusters = _clusters(run)
        yield from (_cluster_term(a + b) for a, b in pairwise(clusters))
        if len(clusters) == 1 or every_character:
            yield from map(_cluster_term, clusters)


def _clusters(run: str) -> list[str]:
    """Base characters with the vowel signs and tone marks that belong to them."""
    clusters: list[str] = []
    for char in run:
        if clusters and unicodedata.category(char).startswith("M"):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _cluster_term(cluster: str) -> str:
    """A token that the tokenizer keeps whole: it would split Thai at every vowel sign."""
    return "".join(f"z{ord(char)}" for char in cluster)


def _as_written(term: str) -> str:
    """A term as a reader knows it: one that `_cluster_term` made becomes its characters again."""
    if not _CLUSTER_TERM.fullmatch(term):
        return term
    return "".join(chr(int(number)) for number in term[1:].split("z"))
