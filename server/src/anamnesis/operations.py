"""What can be done with a memory: functions over (store, backend), the same for MCP, CLI and dashboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from anamnesis.details import Versioned, note_details, read_note
from anamnesis.errors import (
    InvalidNote,
    NoteFormatError,
    NoteNotFound,
    SecretFound,
    StoreUnavailable,
    SyncError,
)
from anamnesis.history import History, Version
from anamnesis.index.query import REVIEWED as REVIEWED_TAG
from anamnesis.lookup import (
    find_id,
    hit_dict,
    id_in,
    list_memories,
    notes_by_id,
    only_id,
    page_of_memories,
    project_to_read,
    project_to_write,
    search_memories,
)
from anamnesis.notes import Extras, Memory, epoch, note_dict, parse, utcnow
from anamnesis.overview import overview, status_report
from anamnesis.progress import StepProgress
from anamnesis.redact import find_secrets
from anamnesis.similar import similar_notes
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, SyncBackend
from anamnesis.sync.credentials import find_in_file

__all__ = [
    "REVIEWED_TAG",
    "Versioned",
    "check_project",
    "check_tag",
    "delete_note",
    "edit_note",
    "find_id",
    "find_id_ever",
    "history_of",
    "hit_dict",
    "id_in",
    "keep_note",
    "list_memories",
    "note_details",
    "note_history",
    "note_version",
    "notes_by_id",
    "only_id",
    "overview",
    "page_of_memories",
    "project_to_read",
    "project_to_write",
    "read_note",
    "recorded",
    "resolve_with",
    "restore_note",
    "revise_note",
    "search_memories",
    "similar_notes",
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
    _check_text(title, body, project=project, tags=tags or ())
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


def sync_memory(
    store: MemoryStore, backend: SyncBackend, *, progress: StepProgress | None = None
) -> dict[str, object]:
    """One sync cycle, then the index in step with what came; `progress` hears of every step."""
    result = backend.sync() if progress is None else backend.sync(progress=progress)
    indexed = store.reindex(progress=partial(progress, "index") if progress else None)
    waiting = {"waiting": [asdict(each) for each in result.waiting]} if result.waiting else {}
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": indexed,
        "detail": result.detail,
        **waiting,
    }


def resolve_with(backend: HoldingBackend, note_id: str, text: str) -> None:
    """End a clash with a text that takes the place of both versions; refused when it holds a credential."""
    _refuse_secret("text", text)
    backend.resolve(note_id, text=text)


def edit_note(
    store: MemoryStore, note_id: str, *, backend: SyncBackend, base: str | None = None, **changes: object
) -> Memory:
    """Change fields of a note as a person would; refused when stale, untitled or holding a credential."""
    known = read_note(store, note_id).note
    title, body, project = (
        str(changes.get(key, getattr(known, key))) for key in ("title", "body", "project")
    )
    tags = changes.get("tags", known.tags)
    _check_text(
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


def find_id_ever(store: MemoryStore, text: str) -> str:
    """The id that a person means, as `find_id` finds it, or else among the deleted notes."""
    try:
        return find_id(store, text)
    except NoteNotFound:
        gone = history_of(store).deleted(text)
        return only_id(text, gone) if gone else text  # a file that is no note any more has a history, too


def history_of(store: MemoryStore) -> History:
    """What is remembered of the notes in a store: in git, and in the texts that it keeps for an undo."""
    return History(store.memory_dir, undo=store.undo)


def note_history(store: MemoryStore, note_id: str) -> list[Version]:
    """The versions of a note, newest first, also of a deleted one; NoteNotFound when it never was."""
    path = store.path_of(note_id)
    versions = history_of(store).of_note(note_id, path=_place_in_git(store, path))
    if path is None and not versions:
        raise NoteNotFound(note_id)
    return versions


def note_version(store: MemoryStore, note_id: str, name: str) -> Version:
    """One version of a note, named by the beginning of its name."""
    place = _place_in_git(store, store.path_of(note_id))
    return history_of(store).find(note_id, name, path=place)


def restore_note(
    store: MemoryStore,
    note_id: str,
    *,
    backend: HoldingBackend,
    name: str = "",
    base: str | None = None,
    allow_secret: bool = False,
) -> Memory:
    """Make an earlier version of a note its text again; without a name, the last text of a deleted note.

    `base` is the version that was looked at: StaleNote when the note is no longer that. A version that holds
    a credential is refused, or with `allow_secret` allowed to travel.
    """
    if not name and store.path_of(note_id) is not None:
        raise InvalidNote(f"note {note_id} is not deleted; name the version to go back to")
    version = note_version(store, note_id, name) if name else _last_version(store, note_id)
    old, extras = _note_at(store, version, note_id)
    if not allow_secret:
        _refuse_secret_of(version, note_id, history_of(store).text(version))
    with recorded(backend):
        if base is None and store.path_of(note_id) is None:
            # It comes back to where it was, keys of other tools and all.
            restored = store.put(replace(old, scope=version.scope, updated_at=utcnow()), extras=extras)
        else:
            kept = ("id", "created_at", "updated_at", "scope")
            changes = {key: value for key, value in vars(old).items() if key not in kept}
            restored = store.update(note_id, base=base, **changes)
        if allow_secret:
            backend.allow_secret(note_id)
    return restored


def _refuse_secret_of(version: Version, note_id: str, text: str) -> None:
    name = version.commit[:12]
    for found in find_in_file(text.encode()):
        raise SecretFound(
            f"version {name} of note {note_id} holds what looks like a credential ({found.kind}, line"
            f" {found.line}); to restore it all the same:"
            f" `anamnesis history {note_id} --restore {name} --allow-secret`"
        )


def _last_version(store: MemoryStore, note_id: str) -> Version:
    """The version with the last text of a deleted note."""
    versions = note_history(store, note_id)
    committed = [version for version in versions if version.action != "replaced"]
    kept = [version for version in versions if version.action == "replaced"]
    # Not simply the newest: git may learn late that a note left its tree for the other one.
    return max(committed[:1] + kept[:1], key=lambda each: epoch(_note_at(store, each, note_id)[0].updated_at))


def _note_at(store: MemoryStore, version: Version, note_id: str) -> tuple[Memory, Extras]:
    try:
        return parse(history_of(store).text(version))
    except NoteFormatError as exc:
        raise InvalidNote(f"version {version.commit[:12]} of {note_id} is not a note: {exc.reason}") from exc


def _place_in_git(store: MemoryStore, path: Path | None) -> str | None:
    """The path of a note's file as git knows it; None when it is not in the tree that travels."""
    if path is None or not path.is_relative_to(store.memory_dir):
        return None
    return path.relative_to(store.memory_dir).as_posix()


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
    _check_text(title, body, project=old.project, tags=tags)
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


def _check_text(title: str, body: str, *, project: str = "", tags: Sequence[str] = ()) -> None:
    if not title.strip():
        raise InvalidNote("the note has no title; give it one short line")
    check_project(project)
    for name, text in (("title", title), ("body", body), ("list of tags", "\n".join(tags))):
        _refuse_secret(name, text)


def check_project(key: str) -> None:
    """Raise InvalidNote or SecretFound unless notes may be filed under this key."""
    if not key.isprintable():
        raise InvalidNote(f"project {key[:80]!r} is not one line of text; use a key such as host/owner/name")
    _refuse_secret("project", key)


def check_tag(tag: str) -> None:
    """Raise InvalidNote or SecretFound unless a note may have this tag."""
    if not tag.strip() or not tag.isprintable() or "," in tag:
        raise InvalidNote(f"{tag[:80]!r} cannot be a tag; use one line of text without a comma")
    _refuse_secret("tag", tag)


def _refuse_secret(name: str, text: str) -> None:
    for secret in find_secrets(text):
        raise SecretFound(
            f"the {name} holds what looks like a credential ({secret.kind}, line {secret.line});"
            " notes travel through git: leave it out and say where it is kept instead"
        )


def _check_superseded(store: MemoryStore, supersedes: str) -> None:
    for note_id in supersedes.split():
        if store.path_of(note_id) is None:
            raise NoteNotFound(note_id)
