"""The rules in notes: their lines are stored when a note is indexed, so that reading them is cheap.

A rule is a line of the list under `**Rules...**` in the note of a captured session, unless it is struck out,
or a note with the tag `rule`. A tag on an imported note counts for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.index.database import CLOCK_SECONDS, Database, marks
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import epoch

TAG = "rule"
INSERT = "INSERT OR REPLACE INTO rules (project, moment, note_id, position, line) VALUES (?, ?, ?, ?, ?)"
_LISTED = re.compile(r"^\*\*Rules\b[^\n]*\n+((?:[-*] [^\n]+(?:\n|\Z))+)", re.MULTILINE)
_READ = (
    "SELECT r.note_id, r.line, m.updated_at, r.project, m.prov_source, m.prov_model, m.title, EXISTS ("
    "SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'reviewed') FROM rules r"
    " JOIN memories m ON m.id = r.note_id WHERE r.project IN ({projects}) AND r.moment <= strftime('%s') + ?"
    " AND NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = r.note_id)"
    " ORDER BY r.moment DESC, r.note_id DESC, r.position LIMIT ?"
)


class Rule(NamedTuple):
    """One rule, as it stands in a note, and where the note comes from."""

    note_id: str
    line: str
    at: str  # when the note was last changed
    project: str
    source: str  # `prov_source` of the note: "session-end" for a captured session
    model: str  # `prov_model` of the note
    title: str
    is_kept: bool = False  # a person has reviewed it

    @classmethod
    def of(cls, note: Memory, line: str) -> Rule:
        """A rule that a note states in this line."""
        fields = (note.updated_at, note.project, note.prov_source, note.prov_model, note.title)
        return cls(note.id, line, *fields, "reviewed" in note.tags)

    @property
    def is_stated(self) -> bool:
        """Whether it is the user's: typed in a session, written by a person, or kept by one."""
        return self.is_kept or self.source == "session-end" or (self.source == "human" and not self.model)


def read_rules(db: Database, projects: Sequence[str], *, limit: int) -> list[Rule]:
    """The rules of some projects, of current notes, newest first."""
    sql = _READ.format(projects=marks(projects))
    rows = db.execute(sql, (*projects, CLOCK_SECONDS, limit))
    return [
        Rule(note_id, line, at, project, source, model or "", title, bool(is_kept))
        for note_id, line, at, project, source, model, title, is_kept in rows
    ]


def rule_rows(mem: Memory) -> list[tuple[object, ...]]:
    """The rows to store for a note."""
    lines = rule_lines(mem)
    moment = epoch(mem.updated_at) if lines else 0
    return [(mem.project, moment, mem.id, place, line[:400]) for place, line in enumerate(lines)]


def rule_lines(mem: Memory) -> list[str]:
    """The rules that a note states, each as one line."""
    if mem.prov_source == "session-end":
        found = _LISTED.search(mem.body) if "**Rules" in mem.body else None
        lines = found[1].splitlines() if found else []
        return [" ".join(line[2:].split()) for line in lines if not line.startswith("- ~~")]
    if TAG not in mem.tags or mem.prov_source == "import":
        return []
    title, first = " ".join(mem.title.split()), next(filter(None, map(str.strip, mem.body.splitlines())), "")
    said = " ".join(first.split())
    return [said if title.lower() in said.lower() else f"{title}: {said}" if said else title]
