"""What a session would be told if it started now: for people who want to see it, and for `eval`."""

from __future__ import annotations

from anamnesis.inject.briefing import Brief, Briefing, write_briefing
from anamnesis.inject.working_set import DEFAULT_BUDGET, GLOBAL, present
from anamnesis.inject.worth import Moment, Ranked, last_sessions, rank
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore
from anamnesis.vocabulary import REFLECTED


def preview(
    store: MemoryStore, *, project: str, branch: str = "", budget: int = DEFAULT_BUDGET
) -> tuple[Briefing, list[Ranked]]:
    """The briefing for `project` on `branch`, and every note that was considered with its worth."""
    hidden = store.superseded_ids()
    notes = [note for note in store.list(project=[GLOBAL, *keys_of(project)]) if note.id not in hidden]
    told = [note for note in notes if note.type != "episodic" or REFLECTED not in note.tags]
    now = present()
    moment = Moment(branch=branch, sessions=last_sessions(told, branch, now=now), now=now)
    ranked = rank(told, moment, {})
    everywhere = sum(note.project == GLOBAL for note in notes)
    brief = Brief(project=project, own=len(notes) - everywhere, everywhere=everywhere, budget=budget)
    return write_briefing(ranked, brief), ranked
