"""From words to a MATCH expression: tokens, stop words, parts of names, unspaced scripts. Pure: no database.

Index and query go through the same splitting, so that what was written one way is found another:
`parseTranscript` by "parse transcript", `CONN_RESET` by "reset", Chinese, Japanese and Korean by overlapping
pairs of characters, Thai and its neighbours by pairs of syllable-like clusters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise

# A paraphrase is mostly made of these; they cost the most time and, left in, the most precision.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each few for
    from further had hadn has hasn have haven having he her here hers herself him himself his how i if in
    into is isn it its itself just ll m me more most my myself no nor not now o of off on once only or other
    our ours ourselves out over own re s same shan she should shouldn so some such t than that the their
    theirs them themselves then there these they this those through to too under until up ve very was wasn
    we were weren what when where which while who whom why will with won would wouldn y you your yours
    yourself yourselves""".split()
)
MAX_TERMS = 48
_MAX_QUERY_CHARS = 20_000

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


def _is_unspaced(text: str) -> bool:
    """Whether any of `text` is in a script that puts no blanks between words."""
    return not text.isascii() and _runs(_PAIRED + _CLUSTERED).search(text) is not None


def _fts_query(query: str) -> str:
    """The specified baseline: every word quoted, joined by OR."""
    return " OR ".join(f'"{word}"' for word in _WORD.findall(query))


def query_terms(query: str) -> list[str]:
    """The terms to look for, lower case, each once, stop words left out unless nothing else is there."""
    text = query[:_MAX_QUERY_CHARS]
    words: list[str] = []
    for word in _WORD.findall(text):
        if not _is_unspaced(word):
            words.append(word.lower())
            words.extend(name_parts(word))
    words.extend(_unspaced_terms(text))
    distinct = list(dict.fromkeys(words))
    return ([word for word in distinct if word not in STOP_WORDS] or distinct)[:MAX_TERMS]


def extra_text(*texts: str) -> str:
    """What the index holds beside the text itself: parts of names, and terms of scripts without blanks."""
    terms: list[str] = []
    for text in texts:
        terms.extend(_parts_of_names(text))
        terms.extend(_unspaced_terms(text, every_character=True))
    return " ".join(terms)


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
            yield from name_parts(word[0])


def name_parts(word: str) -> list[str]:
    """The lower-case parts of a compound name (`parseTranscript`, `CONN_RESET`, `utf8`); [] for a word."""
    if "_" not in word and word[1:].lower() == word[1:] and not _LETTER_DIGIT.search(word):
        return []
    parts = [part.lower() for part in _PART.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def is_rare(count: int, *, total: int) -> bool:
    """Whether a term that stands in `count` of `total` notes tells them apart."""
    return 0 < count <= max(min(total * _RARE_SHARE, _MANY), 1)


def match_expressions(terms: list[str], *, frequency: Callable[[str], int], total: int) -> list[str]:
    """MATCH expressions for the terms: a quick one, then a fuller one for when that finds too little.

    A note must hold one of the rarer terms to be looked at; the common ones only add to its score. That
    keeps the work proportional to what is rare, where a plain OR scores nearly every note.
    """
    counted = sorted((count, term) for term in terms if (count := frequency(term)))
    if not counted:
        return []
    # FTS5 gives a term that stands in more than half of the notes no weight at all.
    weighty = [pair for pair in counted if pair[0] * 2 <= total] or counted[:2]
    rare = [term for count, term in weighty if is_rare(count, total=total)]
    every = any_of([term for _, term in weighty])
    # In a small store half of the notes are a handful, each worth showing where there is nothing better.
    full = any_of([term for _, term in counted]) if total <= _SMALL else every
    if len(rare) < _MIN_RARE:
        # A second term widens the choice, unless it would have half of a large store looked at.
        rare = [term for count, term in weighty[:_MIN_RARE] if count <= _MANY or not rare]
    quick = f"({any_of(rare)}) AND ({every})" if len(rare) < len(weighty) else every
    if len(weighty) > 1 and weighty[0][0] > _MANY:
        # Among so many notes some hold both.
        quick = f"({' AND '.join(map(quote, rare))}) AND ({every})"
    return [quick, full] if full != quick else [quick]


_RARE_SHARE = 0.05
_MANY = 2000  # notes that are scored in a few milliseconds
_SMALL = 1000
_MIN_RARE = 2


def any_of(terms: Iterable[str]) -> str:
    """A MATCH expression for notes that hold any of these terms."""
    return " OR ".join(map(quote, terms))


def quote(term: str) -> str:
    """A term as FTS5 takes it literally; a lone character of a paired script matches the pairs it begins."""
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted + "*" if len(term) == 1 and not term.isascii() and _runs(_PAIRED).match(term) else quoted


def excerpt(text: str, terms: Iterable[str]) -> tuple[str, list[str]]:
    """A piece of `text` around terms that stand inside its words, and which terms those are."""
    lowered = text.lower()
    found = [written for written in dict.fromkeys(map(_as_written, terms)) if written in lowered]
    if not found:
        return "", []
    start = max(lowered.index(found[0]) - _BEFORE, 0)
    piece = " ".join(text[start : start + _AROUND].split())
    return ("…" if start else "") + piece + ("…" if start + _AROUND < len(text) else ""), found


_BEFORE = 60
_AROUND = 180


def edits_allowed(term: str, *, sure: bool) -> int:
    """How many letters of a term that no note holds may be wrong; a `sure` correction leaves little doubt."""
    if not term.isalpha() or _is_unspaced(term) or len(term) < (_SURE_LENGTH if sure else _LEAST_LENGTH):
        return 0
    return 2 if len(term) >= _LONG_LENGTH and not sure else 1


_LEAST_LENGTH, _SURE_LENGTH, _LONG_LENGTH = 4, 6, 8
_ENDINGS = ("", *"s e y es ed er ly al ing ion ies ers ions ings ment".split())


def closest(term: str, known: Iterable[tuple[str, int]], *, allowed: int, most: int = 2) -> list[str]:
    """The words that a misspelt `term` may stand for, nearest and most frequent first, by their stems."""
    heads = [(term.removesuffix(ending), ending) for ending in _ENDINGS if term.endswith(ending)]
    found = []
    for stem, count in known:
        if len(stem) >= _LEAST_LENGTH and stem not in STOP_WORDS:
            near = [pair for pair in heads if abs(len(pair[0]) - len(stem)) <= allowed]
            distance, ending = min(
                ((_edits(head, stem, allowed), end) for head, end in near), default=(9, "")
            )
            if distance <= allowed:
                # With its ending again: the stem of a stem can be another one ("deploy" becomes "deploi").
                found.append((distance, -count, stem + ending))
    return [word for _, _, word in sorted(found)[:most]]


def _edits(left: str, right: str, allowed: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours; more than `allowed` is not told apart."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if older and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > allowed:
            return allowed + 1
    return row[-1]


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
    """A term as a reader knows it, which is the reverse of `_cluster_term` for such a one."""
    if not _CLUSTER_TERM.fullmatch(term):
        return term
    return "".join(chr(int(number)) for number in term[1:].split("z"))
