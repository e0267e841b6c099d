"""Full-text search: which notes match a query best, and why. Imports little: every command waits for it.

Notes are ranked by BM25 over all terms of the query. Scoring every note that contains one of them is slow, so
the rarest terms select notes first; a more common term does so only while a note without the rarer ones could
still be among the best.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from anamnesis import recall
from anamnesis.errors import InvalidNote
from anamnesis.index import spelling
from anamnesis.index.database import Database
from anamnesis.index.query import CURRENT, MOMENT, Filter, count_notes, file_path, titled_exactly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.record import Memory

MAX_K = 1000
_SCORE = "bm25(memories_fts, 1.5, 1.0, 1.0, 0.5)"  # title, body, tags, extra
_NOTE = f"m.id, m.scope, m.body_path, {MOMENT} AS moment"
# CROSS JOIN makes SQLite start from the match; otherwise FTS5 would run the match once per row.
_FILTERED = (
    f"SELECT f.rowid AS n, {_SCORE} * {{gain}} AS score, {_NOTE} FROM memories_fts f"
    " CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND {conditions}"
    " ORDER BY score, moment DESC, m.id DESC LIMIT ?"
)
# Without a filter nearly every match counts, so the best are selected first and looked up afterwards.
_UNFILTERED = (
    f"SELECT b.n, b.plain, b.plain * {{gain}} AS score, {_NOTE}, {CURRENT} AS current FROM"
    f" (SELECT rowid AS n, {_SCORE} AS plain FROM memories_fts WHERE memories_fts MATCH ?"
    " ORDER BY plain LIMIT ?) b CROSS JOIN memories m ON m.n = b.n ORDER BY score, moment DESC, m.id DESC"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
_COUNT_WANTED = (
    "SELECT count(*) FROM memories_fts f CROSS JOIN memories m ON m.n = f.rowid"
    " WHERE memories_fts MATCH ? AND {conditions}"
)
_TEXTS = "SELECT body, title || ' ' || tags AS title FROM memories_fts WHERE rowid = ?"
_SPARE = 50
_COUNTED_WANTED = 5_000  # notes with a term; more are not checked against the filter
_WHOLE_TITLE = 2.0  # factor for a note whose whole title is the query
_FEW_WORDS = 4  # words; a note that contains every word of a query this short comes first
_CORRECTED = 8  # unknown words of a query that are corrected at most


class Hit:
    """A note that matches a query, and why; a higher score is better. Its reader adds the note itself."""

    __slots__ = ("digest", "id", "meaning", "moment", "n", "note", "path", "score", "snippet", "terms")
    note: Memory
    digest: bytes  # of the file that was indexed

    def __init__(self, row: sqlite3.Row) -> None:
        self.n: int = row["n"]
        self.id: str = row["id"]
        self.path = file_path(row)
        self.score: float = -row["score"]
        self.moment: int = row["moment"]
        self.snippet = ""
        self.terms: list[str] = []
        self.meaning: float | None = None  # cosine to the query, if compared

    def rank(self) -> tuple[float, int, str]:
        """The sort key: score, then age."""
        return self.score, self.moment, self.id


class _Best:
    """The best `k` matches so far; a note that is added twice keeps its higher score."""

    def __init__(self, k: int) -> None:
        self.k = k
        self._found: dict[int, Hit] = {}
        self.matches: list[Hit] = []

    @property
    def floor(self) -> float:
        """The score that another match has to beat; 0 while there is room."""
        return self.matches[-1].score if len(self.matches) == self.k else 0.0

    def add(self, matches: Iterable[Hit]) -> None:
        """Add the matches of one expression."""
        for match in matches:
            if match.n not in self._found or self._found[match.n].score < match.score:
                self._found[match.n] = match
        ranked = sorted(self._found.values(), key=Hit.rank, reverse=True)
        self.matches = ranked[: self.k]


class Finder:
    """Full-text search in one index; caches the frequency of terms."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._total = 0
        self._frequencies: dict[str, int] = {}

    def find(self, query: str, wanted: Filter, k: int, *, explain: bool = False) -> list[Hit]:
        """The best `k` notes for `query`; `explain` adds a snippet and the matched words to each."""
        words = recall.query_terms(query)
        k = min(_as_int(k), MAX_K)
        if not words or k < 1:
            return []
        self._count_notes()
        asked = recall.asked_terms(query)
        tried: list[str] | None = None
        for slips in (1, 2):
            terms = self._spelled(words, slips=slips)
            if terms == tried:
                break
            tried = terms
            weighed = self._weighed(terms, asked, wanted)
            if matches := self._best(weighed, wanted, k):
                matches = self._with_all_words_first(weighed, matches, wanted)
                matches = self._with_title_first(query, weighed, matches, wanted, k)
                if explain:
                    self._explain(matches, terms)
                return matches
        return []

    def _with_all_words_first(
        self, terms: list[recall.Term], matches: list[Hit], wanted: Filter
    ) -> list[Hit]:
        """Put the notes first that contain every word of a short query.

        In BM25, one word in a short note can outweigh all words in a long one.
        """
        most = max(term.copies for term in terms)
        telling = [term for term in terms if term.copies == most]  # without those in most of the wanted notes
        if not 1 < len(telling) <= len(terms) <= _FEW_WORDS:
            return matches
        complete = _Best(len(matches))
        self._run(complete, recall.all_terms(telling), wanted)
        for match in complete.matches:
            match.score += matches[0].score
        best = _Best(len(matches))
        best.add([*matches, *complete.matches])
        return best.matches

    def _with_title_first(
        self, query: str, terms: list[recall.Term], matches: list[Hit], wanted: Filter, k: int
    ) -> list[Hit]:
        """Put a note first if its whole title is the query: a longer text may repeat the words more often."""
        rarest = [term.text for term in terms]
        whole = [Hit(row) for row in titled_exactly(self._db, query, wanted, rarest=rarest)]
        for match in whole:
            match.score *= matches[0].score * _WHOLE_TITLE
        named = {match.n for match in whole}
        return [*whole, *(match for match in matches if match.n not in named)][:k]

    def explain(self, query: str, matches: list[Hit]) -> None:
        """Add to each match the words of the query that it contains, and an excerpt."""
        self._explain(matches, self._spelled(recall.query_terms(query), slips=1))

    def unknown(self, query: str) -> dict[str, list[str]]:
        """The words of a query that no note contains, each with possible corrections."""
        self._count_notes()
        words = recall.query_terms(query)
        alone = len(words) <= _SHORT_QUERY
        return {
            word: self._corrections(word, slips=1, alone=alone) for word in words if not self._frequency(word)
        }

    def _spelled(self, words: list[str], *, slips: int) -> list[str]:
        """The words that notes contain, and corrections for the last few that no note contains."""
        known = {word: [word] for word in words if self._frequency(word)}
        for word in [word for word in words if word not in known][-_CORRECTED:]:
            known[word] = self._corrections(word, slips=slips, alone=len(words) <= _SHORT_QUERY)
        return list(dict.fromkeys(term for word in words for term in known.get(word, ())))

    def _corrections(self, word: str, *, slips: int, alone: bool) -> list[str]:
        near = spelling.nearest(self._db, word, slips=slips, alone=alone)
        counted = sorted((-count, other) for other in near if (count := self._frequency(other)))
        return spelling.distinct(other for _, other in counted)

    def _weighed(self, terms: list[str], asked: set[str], wanted: Filter) -> list[recall.Term]:
        """The terms to search for, rarest first.

        Those in `asked` count double, and those in most of the wanted notes count half.
        """
        counted = [(self._frequency(term), term) for term in terms]
        counted = recall.select_terms(counted, total=self._total, asked=asked)
        common = self._common(counted, wanted) if wanted.projects is not None else set()
        whole = 2 if common else 1
        return [
            recall.Term(term, count, copies=(1 if term in common else whole) * (2 if term in asked else 1))
            for count, term in counted
        ]

    def _common(self, counted: Sequence[tuple[int, str]], wanted: Filter) -> set[str]:
        """The terms in more than half of the wanted notes: they hardly distinguish them."""
        clauses, values = wanted.conditions()
        conditions = " AND ".join(clauses)
        pool = self._number(f"SELECT count(*) FROM memories m WHERE {conditions}", *values)
        count = _COUNT_WANTED.format(conditions=conditions)
        return {
            term
            for number, term in counted
            if pool < number * 2
            and number <= _COUNTED_WANTED
            and self._number(count, recall.quote(term), *values) * 2 > pool
        }

    def _best(self, terms: list[recall.Term], wanted: Filter, k: int) -> list[Hit]:
        """The best `k` notes: more and more terms select notes, until no other note can be better."""
        best = _Best(k)
        done, last = 0, min(wanted.rarest or len(terms), len(terms))
        while done < last:
            floor = best.floor / wanted.most_gain
            end = min(recall.count_selecting(terms, done, floor=floor, total=self._total), last)
            if end <= done:
                break
            if end < len(terms) and recall.is_costly(terms[done]):
                # With so many notes, require the next term as well: those notes are fewer and score higher.
                pair = terms[done : done + 2]
                self._score(best, recall.all_terms(pair), pair, terms[done + 2 :], wanted)
                if best.floor:
                    break
            needed = terms[done:end]
            self._score(best, recall.any_term(needed), needed, terms[end:], wanted)
            done = end
        return best.matches

    def _score(
        self,
        best: _Best,
        expression: str,
        needed: list[recall.Term],
        others: list[recall.Term],
        wanted: Filter,
    ) -> None:
        """Score the notes that match `expression`, which consists of the `needed` terms.

        A score counts only the terms of its expression. So notes that also contain another term are scored
        with all terms first; the second run matches them again, with a score that is too low and is ignored.
        """
        if others:
            self._run(best, f"({expression}) AND ({recall.any_term(others)})", wanted)
        if recall.can_beat(needed, best.floor / wanted.most_gain, total=self._total):
            self._run(best, expression, wanted)

    def _run(self, best: _Best, expression: str, wanted: Filter) -> None:
        """Add the notes that an expression matches, as far as they are wanted and among the best."""
        clauses, values = wanted.conditions()
        if not clauses:
            unseen = self._add_top(best, expression, wanted)
            if unseen * wanted.most_gain < best.floor or not unseen:
                return
            if unseen < best.floor:  # only a preferred note can still be better
                clauses, values = wanted.preference()
        gain, preferred = wanted.gain()
        asked = clauses if wanted.finds_superseded else [*clauses, CURRENT]
        sql = _FILTERED.format(gain=gain, conditions=" AND ".join(asked) or "1")
        best.add(map(Hit, self._db.rows(sql, (*preferred, expression, *values, best.k))))

    def _add_top(self, best: _Best, expression: str, wanted: Filter) -> float:
        """Add the best notes of all; returns the highest score that others may have, 0 if there are none."""
        gain, preferred = wanted.gain()
        rows = self._db.rows(_UNFILTERED.format(gain=gain), (*preferred, expression, best.k + _SPARE))
        current = [row for row in rows if row["current"] or wanted.finds_superseded]
        best.add(map(Hit, current[: best.k]))
        return -max(row["plain"] for row in rows) if len(rows) == best.k + _SPARE else 0.0

    def _explain(self, matches: list[Hit], terms: list[str]) -> None:
        """Add to each match an excerpt of its body around the matched words, and these words."""
        for match in matches:
            for row in self._db.rows(_TEXTS, (match.n,)):
                match.snippet, match.terms = recall.excerpt(row["body"], terms, title=row["title"])

    def _count_notes(self) -> None:
        total = count_notes(self._db)
        if abs(total - self._total) > self._total // 20 or len(self._frequencies) > 20_000:
            self._frequencies.clear()
            self._total = total

    def _frequency(self, term: str) -> int:
        """How many notes contain a term, counted up to half of all, beyond which it has no weight."""
        known = self._frequencies.get(term)
        if known is None:
            known = self._number(_COUNT, recall.quote(term), self._total // 2 + 1)
            if known:  # a term in no note may be in the next one
                self._frequencies[term] = known
        return known

    def _number(self, sql: str, *values: object) -> int:
        return int(self._db.rows(sql, values)[0][0])


_SHORT_QUERY = 3


def _as_int(k: float | str) -> int:
    """`k` as a whole number, from a caller without type checks: 1.5 becomes 1, "3" becomes 3."""
    try:
        return int(k)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidNote(f"k is {str(k)[:40]!r}, which is not a whole number; use one such as 8") from exc
