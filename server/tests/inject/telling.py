"""Notes, rankings and injections for the inject tests."""

from __future__ import annotations

from collections.abc import Sequence

from anamnesis.inject.briefing import Brief, Briefing, write_briefing
from anamnesis.inject.worth import Moment, Ranked, last_sessions, rank
from anamnesis.notes.record import Memory

NOW = "2026-06-24T12:00:00+00:00"


def note(
    name: str,
    body: str = "Something that is so.",
    *,
    title: str = "",
    kind: str = "semantic",
    project: str = "app",
    day: str = "2026-06-01",
    tags: Sequence[str] = (),
    source: str = "human",
) -> Memory:
    """A note of the project `app`, a few weeks old."""
    mem = Memory(name, kind, title or f"title of {name}", body, project=project, machine_id="desk")
    mem.updated_at, mem.prov_source, mem.tags = f"{day}T08:00:00+00:00", source, list(tags)
    return mem


def session(name: str, body: str, *, day: str, branch: str = "", title: str = "") -> Memory:
    """The note of a session."""
    told = f"**Ask:** {body}\n\n**Branch:** {branch}\n\n**Outcome:** done." if branch else body
    return note(name, told, title=title, kind="episodic", day=day, source="session-end")


def ranked(notes: Sequence[Memory], *, branch: str = "") -> list[Ranked]:
    """The notes ranked by worth on `branch`."""
    return rank(notes, Moment(branch=branch, sessions=last_sessions(notes, branch, now=NOW), now=NOW))


def order(notes: Sequence[Memory], *, branch: str = "") -> list[str]:
    """The ids of the notes, worth most first."""
    return [each.note.id for each in ranked(notes, branch=branch)]


def briefing(
    notes: Sequence[Memory], *, budget: int = 9_500, most: int | None = None, contested: Sequence[str] = ()
) -> Briefing:
    """The injection of these notes into a session that starts now."""
    everywhere = sum(mem.project == "global" for mem in notes)
    brief = Brief(
        project="app",
        own=len(notes) - everywhere,
        everywhere=everywhere,
        budget=budget,
        most=most,
        contested=contested,
    )
    return write_briefing(ranked(notes), brief)
