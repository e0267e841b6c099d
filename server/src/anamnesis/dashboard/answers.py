"""JSON forms that only the dashboard uses; a note itself is `notes.note_dict`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from anamnesis.address import mask
from anamnesis.dashboard.call import Call, Json, StaleEdit
from anamnesis.errors import StaleNote
from anamnesis.notes.record import Memory, ids_superseded_by, note_dict
from anamnesis.operations.notes import note_details
from anamnesis.operations.reading import rounded
from anamnesis.project import keys_of
from anamnesis.store import Hit
from anamnesis.sync import SyncState

_MOST = 500  # notes in one answer


def summary(note: Memory, *, hidden: Collection[str]) -> Json:
    """A note as a row of a list; `hidden` are the ids that other notes replace."""
    return {
        **note_dict(note, include_body=False),
        "prov_source": note.prov_source,
        "prov_model": note.prov_model,
        "confidence": note.confidence,
        "supersedes": ids_superseded_by(note),
        "superseded": note.id in hidden,
    }


def hit_row(hit: Hit | Memory, *, hidden: Collection[str]) -> Json:
    """A hit as a row of a list, with why it matched if it comes from a search."""
    if isinstance(hit, Memory):
        return {**summary(hit, hidden=hidden), "match": None}
    match = {
        "score": rounded(hit.score),
        "terms": hit.terms,
        "snippet": hit.snippet,
        "meaning": hit.meaning,
    }
    return {**summary(hit.note, hidden=hidden), "match": match}


def listed(rows: list[Json], offset: int, total: int, *, name: str = "notes") -> Json:
    """A page of a longer list, its length, and where the next page starts."""
    end = offset + len(rows)
    return {"total": total, "next": end if rows and end < total else None, name: rows}


def requested_page(call: Call, size: int) -> tuple[int, int]:
    """The limit, by default `size`, and the offset in the query string."""
    return call.number("limit", size, most=_MOST), call.number("offset", 0, most=10_000_000)


def requested_projects(call: Call) -> list[str] | None:
    """The keys of the project in the query string, older ones too; None if there is none."""
    project = call.param("project")
    return keys_of(project) if project else None


def whole_note(call: Call, note_id: str) -> Json:
    """Everything about one note: its text, the version that an edit must name, and its related notes."""
    store = call.workspace.store
    details = note_details(store, note_id)
    hidden = store.superseded_ids()
    replaced = str(details["supersedes"]).split()
    newer = (
        [note for note in store.list(bodies=False) if note_id in ids_superseded_by(note)]
        if note_id in hidden
        else []
    )
    older = [note for old in replaced if (note := store.get(old)) is not None]
    path = store.path_of(note_id)
    return {
        **details,
        "supersedes": replaced,
        "superseded": note_id in hidden,
        "path": path.relative_to(store.root).as_posix() if path else "",
        "held": note_id in call.workspace.state().held,
        "replaces": [summary(note, hidden=hidden) for note in older],
        "replaced_by": [summary(note, hidden=hidden) for note in newer],
    }


@contextmanager
def refusing_stale(call: Call) -> Iterator[None]:
    """Refuse a change if the note is no longer at the caller's `base`; the answer has the current note."""
    try:
        yield
    except StaleNote as exc:
        raise StaleEdit(str(exc), whole_note(call, call.note_id)) from exc


def sync_state(state: SyncState) -> Json:
    """The sync state of the store; a password in the address is masked."""
    return {**asdict(state), "remote": mask(state.remote) if state.remote else None, "held": len(state.held)}


def shown_path(path: Path) -> str:
    """A path as people write it: `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
