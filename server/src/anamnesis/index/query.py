"""Questions about notes, answered from the tables alone. Light: a command that asks once waits for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from anamnesis import recall
from anamnesis.errors import InvalidNote
from anamnesis.index.database import Database
from anamnesis.index.schema import CLOCK_SECONDS
from anamnesis.vocabulary import epoch, is_valid_id

MAX_K = 1000
_SCORE = "bm25(memories_fts, 1.5, 1.0, 1.0, 0.5)"  # title, body, tags, extra
# A date in the future is a wrong clock or a wrong hand; it must not win, so it counts as no date.
RECENCY = f"iif(m.moment > strftime('%s') + {CLOCK_SECONDS}, 0, m.moment) DESC"
_CURRENT = "NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = m.id)"
# The join goes outward from the match: driven from the notes, FTS5 would run the match once per row.
_FILTERED = (
    f"SELECT f.rowid AS n, {_SCORE} AS score, m.id, m.scope, m.body_path FROM memories_fts f"
    " CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND {conditions}"
    f" ORDER BY score, {RECENCY} LIMIT ?"
)
# Without a filter nearly every match counts, so the best are taken first and looked up afterwards.
_UNFILTERED = (
    f"SELECT b.n, b.score, m.id, m.scope, m.body_path, {_CURRENT} AS current FROM"
    f" (SELECT rowid AS n, {_SCORE} AS score FROM memories_fts WHERE memories_fts MATCH ?"
    " ORDER BY score LIMIT ?) b CROSS JOIN memories m ON m.n = b.n"
    f" ORDER BY b.score, {RECENCY}"
)
_SPARE = 50
_MARKS = ("\x02", "\x03")


class Filter:
    """Which notes a question is about."""

    __slots__ = ("equal", "projects", "since", "superseded", "tags")

    def __init__(
        self,
        *,
        project: str | Sequence[str] | None = None,
        type: str | None = None,
        scope: str | None = None,
        tags: Sequence[str] | None = None,
        since: str | None = None,
        machine_id: str | None = None,
        prov_source: str | None = None,
        superseded: bool | None = None,
    ) -> None:
        self.projects = [project] if isinstance(project, str) else project
        self.equal = {"type": type, "scope": scope, "machine_id": machine_id, "prov_source": prov_source}
        self.tags = tuple(tags or ())
        self.since = epoch(since) if since else None
        self.superseded = superseded  # None: whether or not; a search leaves them out in any case

    def conditions(self) -> tuple[list[str], list[object]]:
        """SQL conditions on `memories m`, and the values bound in them."""
        clauses: list[str] = []
        values: list[object] = []
        if self.projects is not None:
            clauses.append(f"m.project IN ({', '.join('?' * len(self.projects))})")
            values += map(_bindable, self.projects)
        for column, value in self.equal.items():
            if value is not None:
                clauses.append(f"m.{column} = ?")
                values.append(_bindable(value))
        for tag in self.tags:
            clauses.append("EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = ?)")
            values.append(_bindable(tag))
        if self.since is not None:
            clauses.append("m.moment >= ?")
            values.append(self.since)
        if self.superseded is not None:
            clauses.append(f"NOT {_CURRENT}" if self.superseded else _CURRENT)
        return clauses, values


class Match:
    """A note that answers a query, before its file is read; a higher score is better."""

    __slots__ = ("id", "n", "path", "score")

    def __init__(self, *, n: int, id: str, path: str, score: float) -> None:
        self.n = n
        self.id = id
        self.path = path
        self.score = score


class Finder:
    """Full-text search over one index; remembers how frequent the terms it met are."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._total = 0
        self._frequencies: dict[str, int] = {}

    def find(self, query: str, wanted: Filter, k: int) -> tuple[list[Match], list[str]]:
        """The best `k` notes for `query`, and the terms that were looked for."""
        terms = recall.query_terms(query)
        k = _whole(k)
        if not terms or k < 1:
            return [], []
        k = min(k, MAX_K)
        self._count_notes()
        matches: dict[int, Match] = {}
        looked_for: list[str] = []
        for attempt in self._attempts(terms):
            looked_for += attempt
            for expression in recall.match_expressions(attempt, frequency=self._frequency, total=self._total):
                for match in self._run(expression, wanted, k):
                    matches.setdefault(match.n, match)
                if len(matches) >= k:
                    return list(matches.values())[:k], looked_for
        return list(matches.values()), looked_for

    def snippets(self, matches: list[Match], terms: list[str]) -> dict[int, tuple[str, list[str]]]:
        """For each match a piece of its text around what was found, and the words found in it."""
        if not matches:
            return {}
        sql = (
            "SELECT rowid, snippet(memories_fts, -1, ?, ?, '…', 24) AS piece,"
            " highlight(memories_fts, 0, ?, ?) || ' ' || highlight(memories_fts, 1, ?, ?)"
            " || ' ' || highlight(memories_fts, 2, ?, ?) AS marked"
            " FROM memories_fts WHERE memories_fts MATCH ? AND rowid = ?"
        )
        expression = "{title body tags} : (" + recall.any_of(terms) + ")"
        answers: dict[int, tuple[str, list[str]]] = {}
        for match in matches:
            for row in self._db.rows(sql, (*_MARKS * 4, expression, match.n)):
                answers[match.n] = (_plain(row["piece"]), _marked_words(row["marked"]))
            if match.n not in answers:  # found by a part of a name, or in a script without blanks
                answers[match.n] = recall.excerpt(self._text_of(match.n), terms)
        return answers

    def _text_of(self, n: int) -> str:
        sql = "SELECT body || '\n' || title || '\n' || tags FROM memories_fts WHERE rowid = ?"
        return str(self._db.rows(sql, (n,))[0][0])

    def _attempts(self, terms: list[str]) -> Iterator[list[str]]:
        """The terms, with sure corrections if any of them tells notes apart, then with bolder ones."""
        sure = self._mended(terms, sure=True)
        if any(recall.is_rare(self._frequency(term), total=self._total) for term in sure):
            yield sure
        yield self._mended(terms, sure=False)

    def _mended(self, terms: list[str], *, sure: bool) -> list[str]:
        """The terms, each one that no note holds replaced by the nearest words that notes do hold."""
        found: list[str] = []
        for term in terms:
            if self._frequency(term):
                found.append(term)
            elif allowed := recall.edits_allowed(term, sure=sure):
                found += self._corrections(term, allowed)
        return list(dict.fromkeys(found))

    def _corrections(self, term: str, allowed: int) -> list[str]:
        nearby = self._db.rows(
            "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?",
            (term[0], chr(ord(term[0]) + 1)),
        )
        return recall.closest(term, ((row["term"], row["doc"]) for row in nearby), allowed=allowed)

    def _count_notes(self) -> None:
        total = count_notes(self._db)
        if abs(total - self._total) > self._total // 20 or len(self._frequencies) > 20_000:
            self._frequencies.clear()
            self._total = total

    def _frequency(self, term: str) -> int:
        """In how many notes a term stands, counted up to the half beyond which it has no weight."""
        known = self._frequencies.get(term)
        if known is None:
            sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
            known = int(self._db.rows(sql, (recall.quote(term), self._total // 2 + 1))[0][0])
            if known:  # a term that no note holds may be in the next one written
                self._frequencies[term] = known
        return known

    def _run(self, expression: str, wanted: Filter, k: int) -> list[Match]:
        clauses, values = wanted.conditions()
        if not clauses:
            rows = self._db.rows(_UNFILTERED, (expression, k + _SPARE))
            current = [row for row in rows if row["current"]]
            # Beyond the last row there may be more: current ones, or equally good ones that are newer.
            if len(rows) < k + _SPARE or (current[k - 1 : k] and current[k - 1]["score"] < rows[-1]["score"]):
                return [_match(row) for row in current[:k]]
        sql = _FILTERED.format(conditions=" AND ".join([*clauses, _CURRENT]))
        return [_match(row) for row in self._db.rows(sql, (expression, *values, k))]


def stats(db: Database) -> dict[str, object]:
    """Counts by type, project and scope."""
    counts = {
        f"by_{column}": {
            row[0]: row[1]
            for row in db.rows(f"SELECT {column}, count(*) FROM memories GROUP BY 1 ORDER BY 2 DESC, 1")
        }
        for column in ("type", "project", "scope")
    }
    return {"total": count_notes(db), **counts}


def complete(db: Database, beginning: str, k: int) -> list[str]:
    """The `k` most frequent terms of the notes that begin with a text of one or more characters."""
    sql = "SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?"
    after = beginning[:-1] + chr(min(ord(beginning[-1]) + 1, 0x10FFFF))
    return [row["term"] for row in db.rows(sql, (beginning, after, k))]


def superseded_ids(db: Database) -> set[str]:
    """Every id that another note replaces."""
    return {row[0] for row in db.rows("SELECT DISTINCT old_id FROM supersessions")}


def successors(db: Database) -> dict[str, list[str]]:
    """For every id that is replaced, the ids of the notes that replace it."""
    found: dict[str, list[str]] = {}
    for row in db.rows("SELECT old_id, new_id FROM supersessions ORDER BY old_id, new_id"):
        found.setdefault(row["old_id"], []).append(row["new_id"])
    return found


def beginning_with(db: Database, text: str, k: int) -> list[tuple[str, str]]:
    """Id and title of the first `k` notes whose id begins so; the letters of a ULID may be small ones."""
    if not is_valid_id(text):
        return []
    ranges = [bound for begun in (text, text.upper()) for bound in (begun, begun + _AFTER_ANY)]
    return [(row["id"], row["title"]) for row in db.rows(_BEGINNING, (*ranges, k))]


_AFTER_ANY = "\x7f"  # comes after every character that an id may hold
_BEGINNING = (
    "SELECT id, title FROM memories WHERE id >= ? AND id < ? OR id >= ? AND id < ? ORDER BY id LIMIT ?"
)


def path_of(db: Database, note_id: str) -> str | None:
    """Where a note's file is, relative to the store."""
    if not is_valid_id(note_id):
        return None
    for row in db.rows("SELECT scope, body_path FROM memories WHERE id = ?", (note_id,)):
        return _path(row)
    return None


class Problem:
    """A file in the trees that is not a note that can be found."""

    __slots__ = ("path", "reason")

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason


def problems(db: Database) -> list[Problem]:
    """Files that are no notes that can be found, with the reason."""
    sql = "SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path"
    return [Problem(row["path"], row["problem"]) for row in db.rows(sql)]


def _whole(k: float | str) -> int:
    """A number of notes as a caller without type checks may give it: 1.5 is one, "3" is three."""
    try:
        return int(k)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidNote(f"k is {str(k)[:40]!r}, which is no number of notes; give a whole number") from exc


def _bindable(text: str) -> str:
    """A text that SQLite takes: an argument of the command line may hold bytes that are no text."""
    return text.encode(errors="replace").decode()


def _match(row: sqlite3.Row) -> Match:
    return Match(n=row["n"], id=row["id"], path=_path(row), score=-row["score"])


def _path(row: sqlite3.Row) -> str:
    tree = "local" if row["scope"] == "machine-local" else "memory"
    return f"{tree}/{row['body_path']}"


def _plain(text: str) -> str:
    return " ".join(text.replace(_MARKS[0], "").replace(_MARKS[1], "").split())


def _marked_words(text: str) -> list[str]:
    words = [piece.partition(_MARKS[1])[0] for piece in text.split(_MARKS[0])[1:]]
    return list(dict.fromkeys(word.lower() for word in words))


def count_notes(db: Database) -> int:
    """The number of notes in the index."""
    return int(db.rows("SELECT count(*) FROM memories")[0][0])


def count_files(db: Database) -> int:
    """The number of files that were looked at, notes or not."""
    return int(db.rows("SELECT count(*) FROM files")[0][0])
