"""Writing notes on purpose: create, replace, edit, keep, delete. The same for every surface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from anamnesis.errors import InvalidNote, NoteNotFound, SecretFound, StoreUnavailable, SyncError
from anamnesis.notes.record import Memory, note_dict, parse
from anamnesis.operations.details import read_note
from anamnesis.redact import find_secrets
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

REVIEWED_TAG = "reviewed"  # on what a model or an import wrote, once a person has confirmed it


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
    check_text(title, body, project=project, tags=tags or ())
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
    old = read_note(store, note_id).note
    tags = old.tags if tags is None else tags
    check_text(title, body, project=old.project, tags=tags)
    return store.write(
        type=type or old.type,
        title=title.strip(),
        body=body,
        project=old.project,
        machine_id=machine_id,
        scope=old.scope,
        tags=tags,
        supersedes=old.id,
    )


def edit_note(
    store: MemoryStore, note_id: str, *, backend: SyncBackend, base: str | None = None, **changes: object
) -> Memory:
    """Change fields of a note as a person would; refused when stale, untitled or holding a credential."""
    known = read_note(store, note_id).note
    title, body, project = (
        str(changes.get(key, getattr(known, key))) for key in ("title", "body", "project")
    )
    tags = changes.get("tags", known.tags)
    check_text(
        title, body, project=project, tags=[str(tag) for tag in tags] if isinstance(tags, list) else ()
    )
    # A text that is to stay on this machine must not enter the history that travels; the store keeps it.
    stays_here = changes.get("scope", known.scope) == "machine-local"
    with recorded(backend, before=not stays_here):
        return store.update(note_id, base=base, **changes)


def revise_note(store: MemoryStore, note_id: str, text: str, *, base: str, backend: SyncBackend) -> Memory:
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
    return edit_note(store, note_id, backend=backend, base=base, **changes)


def keep_note(store: MemoryStore, note_id: str, *, backend: SyncBackend) -> Memory:
    """Mark a note as looked at and found right: from now on a person vouches for it."""
    known = read_note(store, note_id)
    tags = [*known.note.tags, REVIEWED_TAG]
    return edit_note(store, note_id, backend=backend, base=known.version, tags=tags, confidence=1.0)


def delete_note(store: MemoryStore, note_id: str, *, backend: SyncBackend, base: str | None = None) -> Memory:
    """Remove a note; the last text of one that travels is in git history first.

    `base` is the version that was looked at: StaleNote when the note is no longer that.
    """
    with recorded(backend):
        return store.delete(note_id, base=base)


@contextmanager
def recorded(backend: SyncBackend, *, before: bool = True) -> Iterator[None]:
    """Commit what a change is about to replace, and the change itself after it.

    The store keeps what it replaces in any case. So git that is missing or broken, which `status` and
    `doctor` tell of, does not stop a person from changing a note.
    """
    if before:
        _commit_if_possible(backend)
    yield
    _commit_if_possible(backend)


def _commit_if_possible(backend: SyncBackend) -> None:
    with suppress(SyncError, StoreUnavailable):
        backend.commit()


def check_text(title: str, body: str, *, project: str = "", tags: Sequence[str] = ()) -> None:
    """Raise InvalidNote or SecretFound unless a note may have these fields."""
    if not title.strip():
        raise InvalidNote("the note has no title; give it one short line")
    check_project(project)
    for name, text in (("title", title), ("body", body), ("list of tags", "\n".join(tags))):
        refuse_secret(name, text)


def check_project(key: str) -> None:
    """Raise InvalidNote or SecretFound unless notes may be filed under this key."""
    if not key.isprintable():
        raise InvalidNote(f"project {key[:80]!r} is not one line of text; use a key such as host/owner/name")
    refuse_secret("project", key)


def refuse_secret(name: str, text: str) -> None:
    """Raise SecretFound when a text that a person or a model gives holds a credential."""
    for secret in find_secrets(text):
        raise SecretFound(
            f"the {name} holds what looks like a credential ({secret.kind}, line {secret.line});"
            " notes travel through git: leave it out and say where it is kept instead"
        )


def _check_superseded(store: MemoryStore, supersedes: str) -> None:
    for note_id in supersedes.split():
        if store.path_of(note_id) is None:
            raise NoteNotFound(note_id)
