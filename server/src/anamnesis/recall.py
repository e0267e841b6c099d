"""Turns text into search terms and MATCH expressions: stop words, parts of names, scripts without spaces.

Notes and queries are split in the same way, so that `parseTranscript` is found by "parse transcript" and
`CONN_RESET` by "reset". Chinese, Japanese and Korean are split into overlapping pairs of characters, Thai and
its neighbours into pairs of syllable-like clusters; full-width and decomposed letters become their usual
form. No database.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from math import log, sqrt

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
MAX_TERMS = 48
_MAX_UNSPACED_TERMS = 200  # a term is only two characters there
# Only both ends of a longer query are read: the question is above or below the pasted text.
_MAX_QUERY_CHARS = 10_000

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Characters that show a compound name; a capital counts only inside a word or before another such character.
_SIGN = re.compile(r"[A-Z0-9_](?:(?<=[0-9_])|(?<=\w\w)|(?=[A-Z0-9_]))")
_LETTER_DIGIT = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_PAIRED = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_CLUSTERED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_CLUSTER_TERM = re.compile(r"(?:z[3-6]\d\d\d)+")


def is_unspaced(text: str) -> bool:
    """Whether `text` contains a script without spaces between words."""
    return not text.isascii() and _runs(_PAIRED + _CLUSTERED).search(text) is not None


@cache
def _runs(characters: str) -> re.Pattern[str]:
    # Compiled on first use: compiling such large classes takes longer than a search in a small store.
    return re.compile(f"[{characters}]+")


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


_LONG = 1000
_LINE = 200


def _both_ends(query: str) -> str:
    if len(query) <= _MAX_QUERY_CHARS:
        return query
    half = _MAX_QUERY_CHARS // 2
    return f"{query[:half]} {query[-half:]}"


def extra_text(*texts: str) -> str:
    """Extra terms to index: parts of names, and text that the tokenizer does not split."""
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
    """The words of `text` that are written with spaces, even inside a script without them."""
    return _WORD.findall(_runs(_PAIRED + _CLUSTERED).sub(" ", text) if is_unspaced(text) else text)


def _hidden_words(text: str, usual: str) -> list[str]:
    """Words that the tokenizer misses: in another Unicode form, or next to a script without spaces."""
    seen = set(_WORD.findall(text.lower()))
    return [word for word in dict.fromkeys(_spaced_words(usual.lower())) if word not in seen]


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
    count: int
    copies: int = 1
    is_prefix: bool = False  # also finds longer words that start like this

    @property
    def expression(self) -> str:
        """The MATCH expression for the term, counted once."""
        quoted = quote(self.text)
        return quoted + "*" if self.is_prefix and quoted[-1] != "*" else quoted

    def most(self, total: int) -> float:
        """The most that the term can add to a note's score, however often the note repeats it."""
        return self.copies * _SATURATION * max(log((total - self.count + 0.5) / (self.count + 0.5)), 1e-6)


_SATURATION = 1.8  # BM25 approaches 2.2 as a word is repeated; it takes five repetitions to exceed this
_FEW = 500  # notes; scoring these takes well under a millisecond
_AFFORDABLE = 20_000  # notes; scoring more is noticeably slow
_SMALL = 1000
_COMMON_SHARE = 0.1  # of all notes; a word in more of them does not make a note relevant
_SHORTEST_PREFIX = 4  # letters


def select_terms(terms: Iterable[Term], *, total: int, asked: Collection[str]) -> list[Term]:
    """The terms worth searching for, rarest first; if there are too many, those in `asked` and the rarest.

    FTS5 gives no weight to a term in more than half of the notes. In a small store that is only a handful of
    notes, each worth showing if there is nothing better. Terms in `asked` count double.
    """
    rarest = sorted(terms, key=lambda term: (term.count, term.text))
    telling = rarest if total <= _SMALL else [term for term in rarest if term.count * 2 <= total]
    telling.sort(key=lambda term: term.text not in asked)
    most = _MAX_UNSPACED_TERMS if any(is_unspaced(term.text) for term in telling) else MAX_TERMS
    chosen = sorted(telling[:most], key=lambda term: (term.count, term.text)) or rarest[:2]
    for term in chosen:
        term.copies = 2 if term.text in asked else 1
    return chosen


def count_selecting(terms: Sequence[Term], done: int, *, floor: float, total: int) -> int:
    """How many terms, rarest first, must select notes before the best notes are known.

    The first `done` terms have selected notes, and `floor` is the score to beat (0 while there are too few
    notes). The other terms only add to a note's score: a note with all of them and no other term would not
    beat the floor. Once scoring would take too long, the most common terms only add in any case.
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


def is_common(term: Term, *, total: int) -> bool:
    """Whether so many notes contain the term that sharing it means little."""
    return total > _SMALL // 10 and term.count > total * _COMMON_SHARE


def may_be_prefix(word: str) -> bool:
    """Whether a word that no note contains is searched for as the beginning of longer words."""
    return len(word) >= _SHORTEST_PREFIX and not is_unspaced(word)


def last_word(query: str) -> str:
    """The word that a person may not have finished typing; "" if there is none."""
    words = _spaced_words(_usual_form(query[-_LINE:]))
    return words[-1].lower() if words and query.endswith(words[-1]) else ""


MEANING_WEIGHT = 0.37  # 0.3 to 0.4 measured the same; more hurts queries by name
FUSED = 50  # notes of each list that are merged
_SPREAD = 4.0  # this many standard deviations count as much as the best match by words


def min_standing(notes: int) -> float:
    """The standing that a note without any word of the query needs to count as an answer.

    Among n notes, none can be more than sqrt(n - 1) standard deviations above the mean.
    """
    return min(2.0, 0.6 * sqrt(max(notes - 1, 0)))


def fused_score(words: float, standing: float | None, *, gain: float = 1.0) -> float:
    """Combine two scores: by words as a share of the best, by meaning in standard deviations above the mean.

    `gain` is the bonus for the preferred project, which the score by words already includes.
    """
    by_meaning = (standing or 0.0) / _SPREAD
    return MEANING_WEIGHT * by_meaning * (gain if by_meaning > 0 else 1.0) + (1 - MEANING_WEIGHT) * words


def any_term(terms: Iterable[Term]) -> str:
    """A MATCH expression for notes that contain any of these terms."""
    return " OR ".join(expression for term in terms for expression in [term.expression] * term.copies)


def quote(term: str) -> str:
    """A term quoted for FTS5; a single character of a paired script matches the pairs that start with it."""
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted + "*" if len(term) == 1 and not term.isascii() and _runs(_PAIRED).match(term) else quoted


def excerpt(body: str, terms: Iterable[Term], *, title: str = "") -> tuple[str, list[str]]:
    """A piece of the body around the words that match, and these words; the body's start if none is in it.

    Only the first `_SCANNED` characters and `_MOST_FOUND` places are looked at, however long a note is and
    however often it repeats a word.
    """
    stems = {_stem(_as_written(term.text)): term for term in terms}
    body = _usual_form(body[:_SCANNED])
    places, words = _matching_words(body, stems)
    _, others = _matching_words(_usual_form(title[:_SCANNED]), stems)
    start = max(_densest(places) - _BEFORE, 0)
    piece = body[start : start + _AROUND]
    if start:
        piece = "…" + (piece.partition(" ")[2] or piece)
    if start + _AROUND < len(body):
        piece = (piece.rpartition(" ")[0] or piece) + "…"
    return " ".join(piece.split()), list(dict.fromkeys(others + words))


def _matching_words(text: str, stems: Mapping[str, Term]) -> tuple[list[tuple[int, str]], list[str]]:
    """Where the stems are in a text, and the words there: as written, or the term if it is only a part."""
    lowered = text.lower()
    if not stems or len(lowered) != len(text):  # a few letters have a longer lower case
        lowered = text
    pattern = re.compile("|".join(re.escape(stem) for stem in sorted(stems, key=len, reverse=True)) or "(?!)")
    places: list[tuple[int, str]] = []
    words: list[str] = []
    for found in islice(pattern.finditer(_without_accents(lowered)), _MOST_FOUND):
        start, end = found.start(), found.end()
        while start and lowered[start - 1].isalnum():
            start -= 1
        while end < len(lowered) and lowered[end].isalnum():
            end += 1
        word, term = lowered[start:end], stems[found[0]]
        if _stem(word) != found[0] and not (term.is_prefix and start == found.start()):
            if not is_unspaced(word) and found[0] not in map(_stem, name_parts(text[start:end])):
                continue
            word = _as_written(term.text)
        places.append((found.start(), term.text))
        words.append(word)
    return places, list(dict.fromkeys(words))


def _densest(places: Sequence[tuple[int, str]]) -> int:
    """The first place from which an excerpt shows the most different terms."""
    best, most = places[0][0] if places else 0, 0
    shown: deque[tuple[int, str]] = deque()
    for place in places:
        shown.append(place)
        while place[0] - shown[0][0] > _AROUND - 2 * _BEFORE:
            shown.popleft()
        if (different := len({term for _, term in shown})) > most:
            best, most = shown[0][0], different
    return best


def _stem(word: str) -> str:
    """The part of a word that its inflected forms share, about as the index stems words."""
    plain = _without_accents(word)
    short = _SUFFIX.sub("", plain) if plain.isascii() else plain
    if short != plain and len(short) > 3 and short[-1] == short[-2] and short[-1] not in "aeiouls":
        short = short[:-1]
    return short


def _without_accents(text: str) -> str:
    """The same text, of the same length, with plain letters."""
    return text if text.isascii() else text.translate(_BASE_LETTERS)


class _BaseLetters(dict[int, int]):
    def __missing__(self, code: int) -> int:
        self[code] = ord(unicodedata.normalize("NFD", chr(code))[0])
        return self[code]


_BASE_LETTERS = _BaseLetters()
_SUFFIX = re.compile(r"(?<=\w\w\w)(?:ations?|ions?|ings?|ies|edly|ed|es|ers?|ly|s|e|y|i)$")
_SCANNED = 200_000  # characters of a note
_MOST_FOUND = 1000  # places in a note
_BEFORE = 60
_AROUND = 180


def _unspaced_terms(text: str, *, every_character: bool = False) -> Iterator[str]:
    if text.isascii():
        return
    for run in _runs(_PAIRED).findall(text):
        yield from (run[i : i + 2] for i in range(len(run) - 1))
        # The last character starts no pair, so it is indexed alone, where the prefix from `quote` matches it.
        if len(run) == 1 or every_character:
            yield run[-1]
    for run in _runs(_CLUSTERED).findall(text):
        clusters = _clusters(run)
        yield from (_cluster_term(a + b) for a, b in pairwise(clusters))
        if len(clusters) == 1 or every_character:
            yield from map(_cluster_term, clusters)


def _clusters(run: str) -> list[str]:
    """Split into clusters: a base character with its vowel signs and tone marks."""
    clusters: list[str] = []
    for char in run:
        if clusters and unicodedata.category(char).startswith("M"):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _cluster_term(cluster: str) -> str:
    """A cluster as a token that the tokenizer keeps whole; it would split Thai at every vowel sign."""
    return "".join(f"z{ord(char)}" for char in cluster)


def _as_written(term: str) -> str:
    """A term as people write it; reverses `_cluster_term`."""
    if not _CLUSTER_TERM.fullmatch(term):
        return term
    return "".join(chr(int(number)) for number in term[1:].split("z"))
