"""Search: which notes match a query best, and why.

Notes are ranked by BM25 over all terms of the query; if a model is installed, in one ranking with the notes
that are near in meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from math import sqrt
from typing import NamedTuple

from anamnesis import recall
from anamnesis.index import spelling
from anamnesis.index.database import Database
from anamnesis.index.query import ANY_CURRENT, MOMENT, Filter, bindable
from anamnesis.index.rows import count_notes, read_notes, words_in
from anamnesis.notes.record import Memory

_SCORE = "bm25(memories_fts, 1.5, 1.0, 1.0, 0.5)"  # title, body, tags, extra
_SHORT_QUERY = 3  # words; in one this short, even a short word that no note contains is corrected
_MEANING_WEIGHT = 0.37  # 0.3 to 0.4 measured the same; more hurts queries by name
_FUSED = 50  # notes of each list that are merged
Nearness = Mapping[str, float]  # how near notes are to a query or a note: the cosine, from -1 to 1, by id


class Match(NamedTuple):
    """A note that matches; a higher score is better."""

    n: int
    id: str
    score: float
    moment: int
    meaning: float | None = None  # cosine to the query, if compared

    def rank(self) -> tuple[float, int, str]:
        """The sort key: score, then age."""
        return self.score, self.moment, self.id


@dataclass(slots=True)
class Hit:
    """A note that was found, and why; `is_weak` if it shares only common words with the query."""

    note: Memory
    score: float
    meaning: float | None = None
    terms: list[str] = field(default_factory=list)
    snippet: str = ""
    is_weak: bool = False


def find(
    db: Database, root: str, query: str, wanted: Filter, k: int, *, explain: bool, near: Nearness | None
) -> list[Hit]:
    """The best `k` notes for `query`; `explain` adds why to each."""
    if (k := min(int(k), 1000)) < 1:
        return []
    terms = _terms(db, query)[: wanted.rarest]
    matches = _by_words(db, query, terms, wanted, max(k, _FUSED) if near else k) if terms else []
    if near:
        matches = _blended(db, matches, near, wanted)[:k]
    notes = read_notes(db, root, [match.n for match in matches])
    matches = [match for match in matches if match.n in notes]
    hits = [Hit(notes[match.n], match.score, match.meaning) for match in matches]
    if explain and hits:
        _explain(db, terms, matches, hits)
    return hits


def _explain(db: Database, terms: list[recall.Term], matches: list[Match], hits: list[Hit]) -> None:
    """Add to each hit an excerpt, the matched words, and whether it shares only common words."""
    total = count_notes(db)
    # That a note shares a word which a tenth of all notes contain means little.
    telling = [term for term in terms if total <= 100 or term.count * 10 <= total]
    listed = ", ".join(str(match.n) for match in matches)
    sql = f"SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? AND rowid IN ({listed})"
    strong = {row[0] for row in db.rows(sql, (recall.any_term(telling),))} if telling else set()
    for match, hit in zip(matches, hits, strict=True):
        title = " ".join((hit.note.title, *hit.note.tags))
        hit.snippet, hit.terms = recall.excerpt(hit.note.body, terms, title=title)
        hit.is_weak = bool(telling) and match.n not in strong and match.meaning is None


def unknown_words(db: Database, query: str) -> dict[str, list[str]]:
    """The words of a query that no word of a note starts with, each with possible corrections."""
    words = recall.query_terms(query)
    unknown = [word for word in words if not _count(db, recall.Term(word, is_prefix=True))]
    near = {word: spelling.nearest(db, word, alone=len(words) <= _SHORT_QUERY) for word in unknown}
    return {word: [other for other, _ in corrected] for word, corrected in near.items()}


def _terms(db: Database, query: str) -> list[recall.Term]:
    """The terms to search for, rarest first.

    The last word of the query, which may not be finished, also stands for longer ones. The last few words
    that no note contains stand for longer or similar ones.
    """
    words, last, total = recall.query_terms(query), recall.last_word(query), count_notes(db)
    found: dict[str, recall.Term] = {}
    unknown: list[str] = []
    for word in words:
        term = recall.Term(word, is_prefix=word == last and len(word) > 1)
        if term.is_prefix and _count(db, term) * 2 > total:
            term.is_prefix = False
        if _count(db, term):
            found[word] = term
        else:
            unknown.append(word)
    for word in unknown[-8:]:
        longer = recall.Term(word, is_prefix=True)
        if len(word) > 3 and not recall.is_unspaced(word) and _count(db, longer):
            found[word] = longer
            continue
        for other, stem in spelling.nearest(db, word, alone=len(words) <= _SHORT_QUERY):
            # A stem is often not its own stem; without its last letter it finds its words.
            for term in (recall.Term(other), recall.Term(stem.removesuffix("y"), is_prefix=True)):
                if _count(db, term):
                    found[term.text] = term
                    break
    return recall.select_terms(found.values(), total=total, asked=recall.asked_terms(query))


def _count(db: Database, term: recall.Term) -> int:
    """Find out how many notes contain a term."""
    sql = "SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?"
    term.count = int(db.rows(sql, (term.expression,))[0][0])
    return term.count


def _by_words(db: Database, query: str, terms: list[recall.Term], wanted: Filter, k: int) -> list[Match]:
    """The best `k` notes with one of the terms."""
    matches = _run(db, recall.any_term(terms), wanted, k)
    words = recall.query_terms(query)
    if matches and 1 < len(words) <= 4:
        # Every word is a part of a name. In BM25, one word in a short note can outweigh all in a long one.
        named = _run(db, f"extra : ({' AND '.join(map(recall.quote, words))})", wanted, k)
        matches = _best([*matches, *_raised(named, matches[0].score, 1.0)], k)
    if matches and not wanted.rarest:
        # The whole title is the query: a longer text may repeat the words more often.
        matches = _best([*matches, *_raised(_titled(db, query, wanted, k), 0.0, 2 * matches[0].score)], k)
    return matches


def _raised(matches: Iterable[Match], by: float, times: float) -> list[Match]:
    return [Match(match.n, match.id, match.score * times + by, match.moment) for match in matches]


def _best(matches: Iterable[Match], k: int) -> list[Match]:
    """The best `k` matches; a note that is listed twice keeps its higher score."""
    best: dict[int, Match] = {}
    for match in matches:
        if match.n not in best or best[match.n].score < match.score:
            best[match.n] = match
    return sorted(best.values(), key=Match.rank, reverse=True)[:k]


def _run(db: Database, expression: str, wanted: Filter, k: int) -> list[Match]:
    """The best `k` wanted notes that an expression matches."""
    where, values = wanted.where(search=True)
    gain, preferred = wanted.gain()
    matched = f"SELECT rowid AS n, -{_SCORE} AS score FROM memories_fts WHERE memories_fts MATCH ?"
    if where == ANY_CURRENT and not preferred:  # nearly every match counts: look up the best and some ties
        matched += f" ORDER BY score DESC LIMIT {4 * k + 50} + (SELECT count(*) FROM supersessions)"
    # CROSS JOIN makes SQLite start from the match; otherwise FTS5 would run the match once per row.
    sql = (
        f"SELECT f.n, m.id, f.score * {gain} AS score, {MOMENT} AS moment FROM ({matched}) f"
        f" CROSS JOIN memories m ON m.n = f.n WHERE {where} ORDER BY 3 DESC, moment DESC, m.id DESC LIMIT ?"
    )
    return [Match(*row) for row in db.rows(sql, (*preferred, expression, *values, k))]


def _titled(db: Database, query: str, wanted: Filter, k: int) -> list[Match]:
    """The wanted notes whose whole title is the query; the score is the gain of their project."""
    where, values = wanted.where(search=True)
    gain, preferred = wanted.gain()
    sql = (
        f"SELECT m.n, m.id, {gain} AS score, {MOMENT} AS moment FROM memories m"
        f" WHERE m.title_words = ? AND {where} ORDER BY score DESC, moment DESC, m.id DESC LIMIT ?"
    )
    return [Match(*row) for row in db.rows(sql, (*preferred, bindable(words_in(query)), *values, k))]


def _blended(db: Database, matches: Sequence[Match], near: Nearness, wanted: Filter) -> list[Match]:
    """The matches by words and the nearest wanted notes in one ranking.

    A score by words counts as a share of the best, one by meaning in standard deviations above the mean.
    """
    where, values = wanted.where(search=True)
    gain, preferred = wanted.gain()
    sql = f"SELECT m.id, m.n, {MOMENT}, {gain} FROM memories m WHERE {where}"
    rows = {row[0]: row for row in db.rows(sql, (*preferred, *values))}
    cosines = {name: near[name] for name in rows if name in near}
    mean = sum(cosines.values()) / max(len(cosines), 1)
    spread = sqrt(sum((cosine - mean) ** 2 for cosine in cosines.values()) / max(len(cosines), 1)) or 1.0
    # Among n notes, none can be more than sqrt(n - 1) standard deviations above the mean.
    least = mean + min(2.0, 0.6 * sqrt(max(len(cosines) - 1, 0))) * spread
    nearest = [name for name in nlargest(_FUSED, cosines, key=cosines.__getitem__) if cosines[name] >= least]
    by_words, best = {match.id: match for match in matches}, matches[0].score if matches else 1.0
    blended: list[Match] = []
    for name in dict.fromkeys([*by_words, *nearest]):
        _, n, moment, factor = rows[name]
        # Four deviations count as much as the best match by words, whose score includes the factor.
        meant = (cosines.get(name, mean) - mean) / spread / 4
        said = by_words[name].score / best if name in by_words else 0.0
        score = _MEANING_WEIGHT * meant * (factor if meant > 0 else 1.0) + (1 - _MEANING_WEIGHT) * said
        blended.append(Match(n, name, score, moment, cosines.get(name)))
    return sorted(blended, key=Match.rank, reverse=True)
