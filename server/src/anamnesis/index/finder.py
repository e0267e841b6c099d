"""Full-text search: which notes match a query best, and why.

Notes are ranked by BM25 over all terms of the query. Scoring every note that contains one of them is slow, so
the rarest terms select notes first; a more common term does so only while a note without the rarer ones could
still be among the best.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from anamnesis import recall
from anamnesis.errors import InvalidNote
from anamnesis.index import spelling
from anamnesis.index.database import Database
from anamnesis.index.query import CURRENT, MOMENT, Filter, titled_exactly
from anamnesis.index.refresh import count_notes
from anamnesis.index.rows import read_notes
from anamnesis.notes.record import Memory

MAX_K = 1000
_SCORE = "bm25(memories_fts, 1.5, 1.0, 1.0, 0.5)"  # title, body, tags, extra
# CROSS JOIN makes SQLite start from the match; otherwise FTS5 would run the match once per row.
_FILTERED = (
    f"SELECT f.rowid AS n, {_SCORE} * {{gain}} AS score, m.id, {MOMENT} AS moment FROM memories_fts f"
    " CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND {conditions}"
    " ORDER BY score, moment DESC, m.id DESC LIMIT ?"
)
# Without a filter nearly every match counts, so the best are selected first and looked up afterwards.
_UNFILTERED = (
    f"SELECT b.n, b.plain, b.plain * {{gain}} AS score, m.id, {MOMENT} AS moment, {CURRENT} AS current FROM"
    f" (SELECT rowid AS n, {_SCORE} AS plain FROM memories_fts WHERE memories_fts MATCH ?"
    " ORDER BY plain LIMIT ?) b CROSS JOIN memories m ON m.n = b.n ORDER BY score, moment DESC, m.id DESC"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
_AMONG = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? AND rowid IN ({numbers})"
_TEXTS = "SELECT rowid AS n, body, title || ' ' || tags AS title FROM memories_fts WHERE rowid IN ({numbers})"
_SPARE = 50  # matches fetched beyond `k`, some of which may be superseded
_WHOLE_TITLE = 2.0  # factor for a note whose whole title is the query
_FEW_WORDS = 4  # words; in a query this short they may be the parts of one name
_SHORT_QUERY = 3  # words; in one this short, even a short word that no note contains is corrected
_SHORTEST_UNFINISHED = 3  # letters of the last word that also finds longer ones
_CORRECTED = 8  # unknown words of a query that are corrected at most


@dataclass(slots=True)
class Match:
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
class Found:
    """The best matches of a query, and the terms by which they were found."""

    matches: list[Match] = field(default_factory=list)
    terms: list[recall.Term] = field(default_factory=list)


@dataclass(slots=True)
class Hit:
    """A note that was found, and why; `is_weak` if it shares only common words with the query."""

    note: Memory
    score: float
    meaning: float | None = None
    terms: list[str] = field(default_factory=list)
    snippet: str = ""
    is_weak: bool = False


def find(db: Database, query: str, wanted: Filter, k: int) -> Found:
    """The best `k` notes for `query`."""
    words = recall.query_terms(query)
    k = min(_as_int(k), MAX_K)
    if not words or k < 1:
        return Found()
    total = count_notes(db)
    asked = recall.asked_terms(query)
    tried: list[recall.Term] | None = None
    last = recall.last_word(query)
    for anywhere in (False, True):
        known = _terms(db, words, total, anywhere=anywhere, last=last)
        terms = recall.select_terms(known, total=total, asked=asked)
        if terms == tried:
            break
        tried = terms
        if matches := _best(db, terms, wanted, k, total):
            matches = _with_names_first(db, words, matches, wanted)
            return Found(_with_title_first(db, query, terms, matches, wanted, k), terms)
    return Found()


def hits_of(db: Database, root: str, found: Found, *, explain: bool) -> list[Hit]:
    """The notes that were found; `explain` adds why to each."""
    notes = read_notes(db, root, [match.n for match in found.matches])
    matches = [match for match in found.matches if match.n in notes]
    hits = [Hit(notes[match.n], match.score, match.meaning) for match in matches]
    if explain and hits:
        _explain(db, found.terms, matches, hits)
    return hits


def _explain(db: Database, terms: list[recall.Term], matches: list[Match], hits: list[Hit]) -> None:
    """Add to each hit an excerpt, the matched words, and whether it shares only common words."""
    listed, total = ", ".join(str(match.n) for match in matches), count_notes(db)
    telling = recall.any_term(term for term in terms if not recall.is_common(term, total=total))
    strong = {row[0] for row in db.rows(_AMONG.format(numbers=listed), (telling,))} if telling else set()
    texts = {row["n"]: row for row in db.rows(_TEXTS.format(numbers=listed))}
    for match, hit in zip(matches, hits, strict=True):
        row = texts[match.n]
        hit.snippet, hit.terms = recall.excerpt(row["body"], terms, title=row["title"])
        hit.is_weak = bool(telling) and match.n not in strong and match.meaning is None


def unknown_words(db: Database, query: str) -> dict[str, list[str]]:
    """The words of a query that no note contains, each with possible corrections."""
    words, total = recall.query_terms(query), count_notes(db)
    alone = len(words) <= _SHORT_QUERY
    unknown = [word for word in words if not _counted(db, word, total).count]
    near = {word: spelling.nearest(db, word, anywhere=False, alone=alone) for word in unknown}
    return {word: [other for other, _ in corrected] for word, corrected in near.items()}


def _terms(db: Database, words: list[str], total: int, *, anywhere: bool, last: str) -> list[recall.Term]:
    """The words that notes contain; for the last few that none contains, longer words or corrections.

    The last word of the query, which may not be finished, also stands for longer ones.
    """
    known = {word: [term] for word in words if (term := _counted(db, word, total)).count}
    if last in known and len(last) >= _SHORTEST_UNFINISHED:
        longer = _counted(db, last, total, is_prefix=True)
        known[last] = [longer] if longer.count * 2 <= total else known[last]
    for word in [word for word in words if word not in known][-_CORRECTED:]:
        longer = _counted(db, word, total, is_prefix=True)
        if longer.count and (recall.may_be_prefix(word) or word == last):
            known[word] = [longer]
        else:
            near = spelling.nearest(db, word, anywhere=anywhere, alone=len(words) <= _SHORT_QUERY)
            known[word] = [
                # A stem is often not its own stem; without its last letter it finds its words.
                term if term.count else _counted(db, stem.removesuffix("y"), total, is_prefix=True)
                for term, stem in ((_counted(db, other, total), stem) for other, stem in near)
            ]
    return list({term.text: term for word in words for term in known.get(word, ()) if term.count}.values())


def _best(db: Database, terms: list[recall.Term], wanted: Filter, k: int, total: int) -> list[Match]:
    """The best `k` notes: more and more terms select notes, until no other note can be better."""
    best = _Best(k)
    done, last = 0, min(wanted.rarest or len(terms), len(terms))
    while done < last:
        floor = best.floor / wanted.most_gain
        end = min(recall.count_selecting(terms, done, floor=floor, total=total), last)
        if end <= done:
            break
        selecting, adding = terms[done:end], terms[end:]
        expression = recall.any_term(selecting)
        if adding:
            # A score counts only the terms of its expression. So notes that also contain another term are
            # scored with all terms first; the next run matches them again, with a lower score.
            _run(db, best, f"({expression}) AND ({recall.any_term(adding)})", wanted)
        if sum(term.most(total) for term in selecting) >= best.floor / wanted.most_gain:
            _run(db, best, expression, wanted)
        done = end
    return best.matches


class _Best:
    """The best `k` matches so far; a note that is added twice keeps its higher score."""

    def __init__(self, k: int) -> None:
        self.k = k
        self._found: dict[int, Match] = {}
        self.matches: list[Match] = []

    @property
    def floor(self) -> float:
        """The score that another match has to beat; 0 while there is room."""
        return self.matches[-1].score if len(self.matches) == self.k else 0.0

    def add(self, matches: Iterable[Match]) -> None:
        """Add the matches of one expression."""
        for match in matches:
            if match.n not in self._found or self._found[match.n].score < match.score:
                self._found[match.n] = match
        self.matches = sorted(self._found.values(), key=Match.rank, reverse=True)[: self.k]


def _run(db: Database, best: _Best, expression: str, wanted: Filter) -> None:
    """Add the notes that an expression matches, as far as they are wanted and among the best."""
    clauses, values = wanted.conditions()
    gain, preferred = wanted.gain()
    if not clauses:
        rows = db.rows(_UNFILTERED.format(gain=gain), (*preferred, expression, best.k + _SPARE))
        current = [row for row in rows if row["current"] or wanted.finds_superseded]
        best.add(map(_match, current[: best.k]))
        if len(rows) < best.k + _SPARE or -max(row["plain"] for row in rows) * wanted.most_gain < best.floor:
            return  # no other match can be better
    asked = clauses if wanted.finds_superseded else [*clauses, CURRENT]
    sql = _FILTERED.format(gain=gain, conditions=" AND ".join(asked) or "1")
    best.add(map(_match, db.rows(sql, (*preferred, expression, *values, best.k))))


def _match(row: sqlite3.Row) -> Match:
    return Match(row["n"], row["id"], -row["score"], row["moment"])


def _with_names_first(
    db: Database, words: Sequence[str], matches: list[Match], wanted: Filter
) -> list[Match]:
    """Put the notes first that contain every word of a short query as a part of names.

    In BM25, one word in a short note can outweigh all parts of a name in a long one.
    """
    if not 1 < len(words) <= _FEW_WORDS:
        return matches
    complete = _Best(len(matches))
    _run(db, complete, f"extra : ({' AND '.join(map(recall.quote, words))})", wanted)
    for match in complete.matches:
        match.score += matches[0].score
    best = _Best(len(matches))
    best.add([*matches, *complete.matches])
    return best.matches


def _with_title_first(
    db: Database, query: str, terms: list[recall.Term], matches: list[Match], wanted: Filter, k: int
) -> list[Match]:
    """Put a note first if its whole title is the query: a longer text may repeat the words more often."""
    rarest = [term.text for term in terms if not term.is_prefix]
    whole = [_match(row) for row in titled_exactly(db, query, wanted, rarest=rarest)]
    for match in whole:
        match.score *= matches[0].score * _WHOLE_TITLE
    named = {match.n for match in whole}
    return [*whole, *(match for match in matches if match.n not in named)][:k]


def _counted(db: Database, word: str, total: int, *, is_prefix: bool = False) -> recall.Term:
    """A term and how many notes contain it, counted up to half of all, beyond which it has no weight."""
    term = recall.Term(word, 0, is_prefix=is_prefix)
    term.count = int(db.rows(_COUNT, (term.expression, total // 2 + 1))[0][0])
    return term


def _as_int(k: float | str) -> int:
    """`k` as a whole number, from a caller without type checks: 1.5 becomes 1, "3" becomes 3."""
    try:
        return int(k)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidNote(f"k is {str(k)[:40]!r}, which is not a whole number; use one such as 8") from exc
