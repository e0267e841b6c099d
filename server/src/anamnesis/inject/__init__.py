"""What a session is told when it starts.

    start         a session start: find the notes and rules, write the briefing and the receipt
    worth         how useful a note is to the session that starts: its kind, branch, source
    briefing      the injected text, rules first, within its budget

Here is the working set of the specification: notes by recency, and their plain markdown form. The hook itself
chooses notes by worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anamnesis.inject.briefing import HEADER
from anamnesis.inject.worth import date_of, latest_moment
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import DURABLE, REFLECTED

# The specification puts these names here.
from anamnesis.project import _normalize_remote as _normalize_remote
from anamnesis.project import _read_marker as _read_marker
from anamnesis.project import keys_of
from anamnesis.project import resolve_project_key as resolve_project_key

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore  # the hook does without it

__all__ = ["render_inject", "select_inject"]

_DURABLE = DURABLE
_MAX_EPISODIC = 2


def select_inject(store: MemoryStore, *, project: str, k: int = 8) -> list[Memory]:
    """The working set of `project`: all global notes, then up to `k` of its own, two of them episodic.

    Superseded notes are left out. Newer notes come first, confidence breaks ties.
    """
    projects, now, hidden = keys_of(project), latest_moment(), store.superseded_ids()
    notes = [note for note in store.list(project=[GLOBAL, *projects]) if note.id not in hidden]
    recent = sorted(notes, key=lambda note: (date_of(note, now), note.confidence, note.id), reverse=True)
    open_notes = [note for note in recent if note.type in _DURABLE or REFLECTED not in note.tags]
    own = [note for note in open_notes if note.project in projects]
    episodic = [note for note in own if note.type not in _DURABLE][: min(_MAX_EPISODIC, max(k, 0))]
    durable = [note for note in own if note.type in _DURABLE][: max(k - len(episodic), 0)]
    always = [note for note in open_notes if note.project == GLOBAL]
    return list({note.id: note for note in (*always, *durable, *episodic)}.values())


def render_inject(notes: Sequence[Memory]) -> str:
    """The notes in full, as one markdown block; "" if there are none."""
    sections = [
        f"## [{note.type}] {_one_line(note.title)}\n_{_origin(note)}_\n\n{note.body}" for note in notes
    ]
    return HEADER + "\n" + "\n\n".join(sections) + "\n" if sections else ""


def _origin(note: Memory) -> str:
    known = f"project: {_one_line(note.project)} | origin: {_one_line(note.machine_id)}"
    if note.prov_source == "human" and note.confidence >= 1.0:
        return known
    return f"{known} | source: {note.prov_source} (confidence {note.confidence:g})"


def _one_line(text: str) -> str:
    """A value on one line, so that a line break in it cannot start a heading."""
    return " ".join(text.split())
