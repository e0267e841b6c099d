"""The dashboard's endpoints, one module per page: plain functions from a `Call` to a JSON object.

    notes       list, search, read, write, edit, replace, delete; tags
    versions    a note's versions: compare, restore, forget
    inbox       everything that waits for a person
    activity    what happened, day by day; one session
    projects    what is known about a project, what Claude is told there, whether it is captured
    upkeep      the overview, other machines, settings, health

`routes` has the route of each endpoint. This module has the JSON forms that several of them share; that of
a note is `note_dict` in `anamnesis.notes`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from anamnesis.address import mask
from anamnesis.dashboard.call import Call, Json, StaleEdit
from anamnesis.errors import StaleNote
from anamnesis.notes.record import Memory, ids_superseded_by, note_dict
from anamnesis.operations.notes import note_details, successors
from anamnesis.sync import SyncState
from anamnesis.sync.results import WaitingFile

NOWHERE = "/"  # a folder outside any project, for a session without a branch


def summary(note: Memory, *, hidden: Collection[str] = ()) -> Json:
    """A note as a row of a list; `hidden` are the ids that other notes replace."""
    return {
        **note_dict(note, include_body=False),
        "prov_source": note.prov_source,
        "prov_model": note.prov_model,
        "confidence": note.confidence,
        "supersedes": ids_superseded_by(note),
        "superseded": note.id in hidden,
    }


def listed(rows: list[Json], offset: int, total: int, *, name: str = "notes") -> Json:
    """A page of a longer list, its length, and where the next page starts."""
    end = offset + len(rows)
    return {"total": total, "next": end if rows and end < total else None, name: rows}


def whole_note(call: Call, note_id: str) -> Json:
    """Everything about one note: its text, the version that an edit must name, and its related notes."""
    store, state = call.workspace.store, call.workspace.state()
    details, hidden = note_details(store, note_id), store.superseded_ids()
    replaced = str(details["supersedes"]).split()
    older = [note for old in replaced if (note := store.get(old)) is not None]
    path = store.path_of(note_id)
    return {
        **details,
        "supersedes": replaced,
        "superseded": note_id in hidden,
        "path": path.relative_to(store.root).as_posix() if path else "",
        "held": note_id in state.held,
        "waiting": [waiting_file(each) for each in state.waiting if each.id == note_id],
        "replaces": [summary(note, hidden=hidden) for note in older],
        "replaced_by": [summary(note, hidden=hidden) for note in successors(store, note_id)],
    }


def waiting_file(found: WaitingFile) -> Json:
    """A credential that keeps a file from being synced."""
    return asdict(found)


@contextmanager
def refusing_stale(call: Call) -> Iterator[None]:
    """Refuse a change if the note is no longer at the caller's `base`; the answer has the current note."""
    try:
        yield
    except StaleNote as exc:
        raise StaleEdit(str(exc), whole_note(call, call.note_id)) from exc


def sync_state(state: SyncState) -> Json:
    """The sync state of the store; a password in the address is masked."""
    shown = ("initialized", "dirty", "ahead", "behind", "unpushed_since", "late_push", "late_commit")
    return {
        **{name: getattr(state, name) for name in shown},
        "remote": mask(state.remote) if state.remote else None,
        "failure": state.failure_text,
        "last_sync": state.last_sync,
        "held": len(state.held),
    }


def shown_path(path: Path) -> str:
    """A path as people write it: `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
