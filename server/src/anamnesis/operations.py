"""What can be done with a memory: functions over (store, backend), the same for MCP, CLI and dashboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from anamnesis.errors import InvalidNote, NoteNotFound, SecretFound
from anamnesis.lookup import Versioned, hit_dict, list_memories, note_details, read_note, search_memories
from anamnesis.notes import Memory, note_dict, parse
from anamnesis.overview import overview, status_report
from anamnesis.redact import find_secrets
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

__all__ = [
    "Versioned",
    "delete_note",
    "edit_note",
    "hit_dict",
    "list_memories",
    "note_details",
    "overview",
    "read_note",
    "revise_note",
    "search_memories",
    "status_report",
    "supersede_note",
    "sync_memory",
    "write_memory",
]


def write_memory(
    store: MemoryStore,
    *,
    type: str,
    title: str,
    body: str,
    project: str = "global",
    tags: Sequence[str] | None = None,
    machine_id: str = "unknown",
    scope: str = "portable",
    supersedes: str = "",
) -> dict[str, object]:
    """Create a note written on purpose; refused when it has no title or holds a credential."""
    _check_text(title, body)
    _check_superseded(store, supersedes)
    note = store.write(
        type=type,
        title=title.strip(),
        body=body,
        project=project.strip() or "global",
        machine_id=machine_id,
        scope=scope,
        tags=tags,
        supersedes=" ".join(supersedes.split()),
    )
    return note_dict(note, include_body=True)


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """One sync cycle, then the index in step with what came."""
    result = backend.sync()
    indexed = store.reindex()
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": indexed,
        "detail": result.detail,
    }


def edit_note(store: MemoryStore, note_id: str, *, base: str | None = None, **changes: object) -> Memory:
    """Change fields of a note as a person would; refused when stale, untitled or holding a credential."""
    title, body = changes.get("title"), changes.get("body")
    if title is not None or body is not None:
        known = read_note(store, note_id).note
        _check_text(str(known.title if title is None else title), str(known.body if body is None else body))
    return store.update(note_id, base=base, **changes)


def revise_note(
    store: MemoryStore, note_id: str, text: str, *, base: str, backend: SyncBackend | None = None
) -> Memory:
    """Save the whole markdown of a note as a person changed it; what makes it this note must stay."""
    known = store.text_of(note_id)
    if known is None:
        raise NoteNotFound(note_id)
    old, old_extras = parse(known)
    new, new_extras = parse(text)
    if (new.id, new.created_at) != (old.id, old.created_at):
        raise InvalidNote(f"`id` and `created_at` of note {note_id} cannot be changed; put them back")
    if new_extras != old_extras:
        keys = ", ".join(sorted({key for key, _ in old_extras.items() ^ new_extras.items()}))
        raise InvalidNote(f"`{keys}` belongs to another tool; put it back, or edit the file itself")
    changes = {key: value for key, value in vars(new).items() if value != getattr(old, key)}
    with _recorded(backend):
        return edit_note(store, note_id, base=base, **changes)


def delete_note(store: MemoryStore, note_id: str, *, backend: SyncBackend | None = None) -> Memory:
    """Remove a note; with a backend its last text is in git history first, whatever happened before."""
    with _recorded(backend):
        return store.delete(note_id)


@contextmanager
def _recorded(backend: SyncBackend | None) -> Iterator[None]:
    """Commit what a change is about to replace, and the change itself after it."""
    if backend is not None:
        backend.commit()
    yield
    if backend is not None:
        backend.commit()


def supersede_note(
    store: MemoryStore,
    note_id: str,
    *,
    title: str,
    body: str,
    machine_id: str = "unknown",
    type: str | None = None,
    tags: Sequence[str] | None = None,
) -> Memory:
    """Write a note that replaces another: same project and scope, and recall no longer shows the old one."""
    _check_text(title, body)
    old = read_note(store, note_id).note
    return store.write(
        type=type or old.type,
        title=title.strip(),
        body=body,
        project=old.project,
        machine_id=machine_id,
        scope=old.scope,
        tags=old.tags if tags is None else tags,
        supersedes=old.id,
    )


def _check_text(title: str, body: str) -> None:
    if not title.strip():
        raise InvalidNote("the note has no title; give it one short line")
    for name, text in (("title", title), ("body", body)):
        for secret in find_secrets(text):
            raise SecretFound(
                f"the {name} holds what looks like a credential ({secret.kind}, line {secret.line});"
                " notes travel through git: leave it out and say where it is kept instead"
            )


def _check_superseded(store: MemoryStore, supersedes: str) -> None:
    for note_id in supersedes.split():
        if store.path_of(note_id) is None:
            raise NoteNotFound(note_id)
