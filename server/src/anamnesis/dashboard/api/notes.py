"""Notes: listed, searched, read, written, edited, replaced, deleted."""

from __future__ import annotations

import re

from anamnesis import operations
from anamnesis.dashboard.answers import counts, found, refuse_stale, whole_note
from anamnesis.dashboard.call import Call, Json, StaleEdit
from anamnesis.errors import StaleNote
from anamnesis.notes import Memory
from anamnesis.project import keys_of
from anamnesis.store import Hit

MOST = 500
MOST_FOUND = 200
_PAGE = 100
_LAST_WORD = re.compile(r"\w*$")


def list_notes(call: Call) -> Json:
    """A page of the notes that the filters leave: the best first for a search, else the newest first."""
    limit, offset = call.number("limit", _PAGE, most=MOST), call.number("offset", 0, most=10_000_000)
    hits = _search(call) if call.asked("q") else _list(call)
    hidden = call.workspace.store.superseded_ids()
    page = [found(hit, hidden=hidden) for hit in hits[offset : offset + limit]]
    return {"total": len(hits), "next": offset + limit if offset + limit < len(hits) else None, "notes": page}


def facets(call: Call) -> Json:
    """What there is to filter by, with numbers."""
    notes = call.workspace.store.list(bodies=False)
    return {
        "types": counts(note.type for note in notes),
        "projects": counts(note.project for note in notes),
        "machines": counts(note.machine_id for note in notes),
        "sources": counts(note.prov_source for note in notes),
        "scopes": counts(note.scope for note in notes),
        "tags": counts(tag for note in notes for tag in note.tags),
    }


def read_note(call: Call) -> Json:
    """One note and all that is known about it."""
    return whole_note(call, call.note_id)


def create_note(call: Call) -> Json:
    """Write a note as a person does."""
    return _write(call, supersedes="")


def supersede_note(call: Call) -> Json:
    """Write a note that replaces another."""
    return _write(call, supersedes=call.note_id)


def edit_note(call: Call) -> Json:
    """Save an edit; refused with the present note when that is no longer what the edit was based on."""
    try:
        operations.edit_note(
            call.workspace.store,
            call.note_id,
            base=call.text("base"),
            type=call.text("type"),
            title=call.text("title").strip(),
            body=call.text("body"),
            project=call.text("project").strip() or "global",
            scope=call.text("scope"),
            tags=call.texts("tags"),
        )
    except StaleNote as exc:
        raise StaleEdit(str(exc), whole_note(call, call.note_id)) from exc
    return whole_note(call, call.note_id)


def delete_note(call: Call) -> Json:
    """Remove a note, unless it changed since it was looked at."""
    refuse_stale(call)
    operations.delete_note(call.workspace.store, call.note_id, backend=call.workspace.backend)
    return {"done": True}


def _write(call: Call, *, supersedes: str) -> Json:
    written = operations.write_memory(
        call.workspace.store,
        type=call.text("type"),
        title=call.text("title"),
        body=call.text("body"),
        project=call.text("project"),
        tags=call.texts("tags"),
        machine_id=call.workspace.machine_id,
        scope=call.text("scope"),
        supersedes=supersedes,
    )
    return whole_note(call, str(written["id"]))


def _list(call: Call) -> list[Memory]:
    store, hidden = call.workspace.store, call.workspace.store.superseded_ids()
    notes = store.list(
        project=_projects(call),
        type=call.asked("type"),
        scope=call.asked("scope"),
        tags=_tags(call),
        bodies=False,
    )
    return [note for note in notes if _is_wanted(note, call) and _is_shown(note, hidden, call)]


def _search(call: Call) -> list[Hit]:
    """What was asked for, and after it what the last word may become: it is perhaps still being typed."""
    text, k = call.asked("q") or "", _needed(call)
    hits = _explain(call, text, k)
    if len(hits) < k and (endings := call.workspace.store.complete(_LAST_WORD.findall(text)[0])):
        known = {hit.note.id for hit in hits}
        hits += [hit for hit in _explain(call, " ".join([text, *endings]), k) if hit.note.id not in known]
    return [hit for hit in hits[:k] if _is_wanted(hit.note, call)]


def _explain(call: Call, text: str, k: int) -> list[Hit]:
    return call.workspace.store.explain(
        text,
        project=_projects(call),
        type=call.asked("type"),
        scope=call.asked("scope"),
        tags=_tags(call),
        k=k,
    )


def _projects(call: Call) -> list[str] | None:
    project = call.asked("project")
    return keys_of(project) if project else None


def _tags(call: Call) -> list[str]:
    tag = call.asked("tag")
    return [tag] if tag else []


def _needed(call: Call) -> int:
    """How many hits to ask for: one more than the page ends with, or all where some of them will fall out."""
    if call.asked("machine") or call.asked("source"):  # the index does not filter by these
        return MOST_FOUND
    last = call.number("offset", 0, most=MOST_FOUND) + call.number("limit", _PAGE, most=MOST)
    return min(last + 1, MOST_FOUND)


def _is_wanted(note: Memory, call: Call) -> bool:
    machine, source = call.asked("machine"), call.asked("source")
    return machine in (None, note.machine_id) and source in (None, note.prov_source)


def _is_shown(note: Memory, hidden: set[str], call: Call) -> bool:
    wish = call.asked("superseded")
    return wish == "show" or (note.id in hidden) == (wish == "only")
