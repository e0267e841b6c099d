"""Other machines and earlier versions: sync, the fleet; history, restore, undo, resolve, purge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from anamnesis.config import has_program, resolve_aliases, resolve_claude_dir
from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError, NoteNotFound, SyncError
from anamnesis.fleet import collect_news, forget
from anamnesis.history import History, Version
from anamnesis.index.query import Filter, digests
from anamnesis.layout import TREE_OF
from anamnesis.native import import_native
from anamnesis.notes.record import Extras, Memory, parse
from anamnesis.operations.notes import delete_note, read_note, recorded
from anamnesis.operations.reading import find_id, only_id
from anamnesis.programs import spawn
from anamnesis.purge import Purge, new_purge
from anamnesis.session.receipts import log_line, mark_waiting, read_items
from anamnesis.settings import resolve_switch
from anamnesis.store import MemoryStore
from anamnesis.sync import Choice, SyncBackend, SyncResult
from anamnesis.sync.purges import Credential, Survey, find_credentials, known_notes, survey
from anamnesis.sync.results import PRIVATE, Rejoin
from anamnesis.sync.waiting import find_in_file
from anamnesis.text import StepProgress, epoch, silent, utcnow


def sync_store(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    rejoin: Rejoin = False,
    in_background: bool = False,
    progress: StepProgress = silent,
    report: Callable[[str], None] | None = None,
) -> SyncResult:
    """Import the client's own memory files, sync once, and update the index.

    If the remote is too slow for a person to wait for, a background process keeps waiting. A failed import
    does not stop the sync: it is passed to `report`, or logged.
    """
    if resolve_switch("import_native", home=store.root):
        try:
            import_native(store, claude_dir=resolve_claude_dir(), machine_id=backend.machine_id)
        except AnamnesisError as exc:
            (report or partial(log_line, store.root))(f"import: {exc}")
    result = backend.sync(rejoin=rejoin, progress=progress)
    if result.changed:
        store.reindex()
    mark_waiting(store.root, [each.id for each in result.waiting if each.kind != PRIVATE])
    collect_news(store.root, backend.history(), machine=backend.machine_id, held=result.held)
    if result.failure == "slow" and not in_background:  # a longer wait may do
        spawn(store.root, "sync", "--quiet", "--background")
    return result


def sync_memory(store: MemoryStore, backend: SyncBackend) -> dict[str, object]:
    """The result of `sync_store` in the documented shape."""
    result = sync_store(store, backend)
    return {
        **{name: getattr(result, name) for name in ("pushed", "pulled", "conflicted", "head")},
        "indexed": store.stats()["total"],
        "detail": result.detail,
        **({"waiting": [each._asdict() for each in result.waiting]} if result.waiting else {}),
    }


def allow_secrets(backend: SyncBackend, names: Sequence[str]) -> None:
    """Allow notes with a credential to sync; each is given by id or path, or by title words if it waits."""
    for name in names:
        if backend.allow_secret(name):
            continue
        waiting = {each.id: each.title or each.path for each in backend.state().waiting}
        try:
            backend.allow_secret(only_id(name, list(waiting.items())))
        except NoteNotFound as exc:
            raise SyncError(
                f"{name!r} is neither waiting nor the id of a synced note with a credential;"
                " `anamnesis status` and `anamnesis doctor` list those"
            ) from exc


def forget_machine(store: MemoryStore, backend: SyncBackend, name: str) -> None:
    """Remove another machine from the list; the next sync removes it on the other machines."""
    forget(store.memory_dir, name, me=backend.machine_id)
    backend.commit()


def find_id_ever(store: MemoryStore, text: str, *, backend: SyncBackend) -> str:
    """Like `find_id`, but includes deleted notes."""
    try:
        return find_id(store, text)
    except NoteNotFound:
        present = set(store.ask(digests))
        removed = backend.history(store.undo).removed(present=present)
        titles = {each.note.id: each.note.title for each in removed}
        # A file that is no longer a note has its title only in the history.
        titles |= {each.id: each.title for each in backend.state().waiting if each.id not in present}
        with suppress(NoteNotFound):
            return only_id(text, list(titles.items()))
        return text  # a file that is no longer a note still has a history


def note_history(store: MemoryStore, note_id: str, *, backend: SyncBackend) -> list[Version]:
    """The versions of a note, even a deleted one, newest first; NoteNotFound if it never existed."""
    versions = backend.history(store.undo).of_note(note_id, path=_place_in_git(store, note_id))
    if not versions and store.path_of(note_id) is None:
        raise NoteNotFound(note_id)
    return versions


def is_uncommitted(
    store: MemoryStore, note_id: str, versions: Sequence[Version], *, backend: SyncBackend
) -> bool:
    """Whether a note's current text differs from the last committed one; `versions` are all it has."""
    text, history = store.text_of(note_id), backend.history(store.undo)
    last = next((each for each in versions if each.action != "replaced"), None)
    return text is not None and not (last and last.action != "deleted" and history.text(last) == text)


def note_version(store: MemoryStore, note_id: str, name: str, *, backend: SyncBackend) -> Version:
    """One version of a note, by the start of its name."""
    return backend.history(store.undo).find(note_id, name, path=_place_in_git(store, note_id))


def restore_note(
    store: MemoryStore, note_id: str, *, backend: SyncBackend, name: str = "", base: str | None = None
) -> Memory:
    """Restore an earlier version of a note; without a name, the newest readable text of a lost or broken one.

    `base` is the version that the caller has read; StaleNote if the note has changed since. A version with a
    credential is not committed, like any file with one: it waits.
    """
    if not name and store.path_of(note_id) is not None:
        raise InvalidNote(f"note {note_id} is not deleted; name a version that `anamnesis history` lists")
    history = backend.history(store.undo)
    if name:
        version = note_version(store, note_id, name, backend=backend)
    else:
        version = last_version(history, note_history(store, note_id, backend=backend), note_id)
    old, extras = _note_at(history, version, note_id)
    old.project = resolve_aliases().get(old.project, old.project)  # the version may be older than a rename
    with recorded(backend):
        if base is None and store.path_of(note_id) is None:
            path = store.root / TREE_OF[version.scope] / old.type / f"{old.id}.md"
            if path.is_file():  # it is no longer a note
                store.undo.keep(old.id, path, scope=version.scope)
                path.unlink()
            # Restore it to the tree it was in, with foreign keys.
            return store.put(replace(old, scope=version.scope, updated_at=utcnow()), extras=extras)
        kept = ("id", "created_at", "updated_at", "scope")
        changes = {key: value for key, value in vars(old).items() if key not in kept}
        return store.update(note_id, base=base, **changes)


class LastChange(NamedTuple):
    """The last change to a note, and the version before it; "" if the note is to be deleted."""

    note: Memory
    version: str
    about: str
    result: str


def last_change(store: MemoryStore, text: str, *, backend: SyncBackend) -> LastChange:
    """The last change to the note that `text` means, or to any note on this machine if it is empty."""
    note_id = find_id_ever(store, text, backend=backend) if text else _changed_last(store, backend.machine_id)
    note, history = store.get(note_id), backend.history(store.undo)
    versions = note_history(store, note_id, backend=backend)
    if note is None:
        version = last_version(history, versions, note_id)
        return LastChange(_note_at(history, version, note_id)[0], version.commit, "deleted", "restored")
    since = list(takewhile(lambda version: version.action != "deleted", versions))
    for version in since:
        earlier = _note_at(history, version, note_id)[0]
        if replace(earlier, scope=note.scope, updated_at=note.updated_at) != note:
            return LastChange(note, version.commit, "changed", "brought back the earlier text of")
    if len(since) > 1:
        raise InvalidNote(
            f"the last change to note {note_id} left its text as it was; see `anamnesis history {note_id}`"
        )
    if note.machine_id != backend.machine_id:
        raise InvalidNote(
            f"note {note_id} came from {note.machine_id} and was not changed; `anamnesis delete` removes it"
        )
    return LastChange(note, "", "wrote", "deleted")


def undo_change(store: MemoryStore, change: LastChange, *, backend: SyncBackend) -> Memory:
    """Undo a change; the text that it replaces is kept, so that doing this twice changes nothing."""
    if not change.version:
        return delete_note(store, change.note.id, backend=backend)
    return restore_note(store, change.note.id, backend=backend, name=change.version)


def _changed_last(store: MemoryStore, machine_id: str) -> str:
    """The note that was written, changed or deleted last on this machine by a person or a model.

    InvalidNote if another machine's change of it has arrived since, which undoing would take back.
    """
    note_id, moment = store.undo.last_changed()
    arrived = {item["id"]: item for item in read_items(str(store.root), deleted=True)}
    for note in store.page(Filter(machine_id=machine_id, prov_source="human"), limit=50).notes:
        path = store.path_of(note.id) if note.created_at == note.updated_at else None
        if path and path.stat().st_mtime_ns > moment and note.id not in arrived:
            return note.id
    if not note_id:
        raise InvalidNote("nothing was changed on this machine yet, so there is nothing to undo")
    if note_id in arrived and datetime.fromisoformat(arrived[note_id]["seen"]).timestamp() * 1e9 > moment:
        raise InvalidNote(
            f"note {note_id} was changed last here, and on {arrived[note_id]['machine']} since;"
            f" `anamnesis history {note_id}` lists what to restore"
        )
    return note_id


def restorable_id(store: MemoryStore, path: str, *, backend: SyncBackend) -> str:
    """The id of the note that a broken file was; "" if no version of it can be read."""
    note_id, history = Path(path).stem, backend.history(store.undo)
    with suppress(AnamnesisError):
        last_version(history, history.of_note(note_id), note_id)
        return note_id
    return ""


def last_version(history: History, versions: list[Version], note_id: str) -> Version:
    """The version with the last readable text of a note that is deleted or broken."""
    # Not simply the newest: git may record a move to the other tree late. Of two texts with one date, the one
    # that git never got and that was kept after its last commit is later.
    last: list[tuple[int, str, Version]] = []
    for actions in (("added", "edited", "moved"), ("replaced",)):
        for version in (each for each in versions if each.action in actions):
            with suppress(InvalidNote):
                note, _ = _note_at(history, version, note_id)
                last.append((epoch(note.updated_at), version.at, version))
                break
    if not last:
        raise InvalidNote(
            f"no version of note {note_id} can be read; `anamnesis history {note_id}` lists them"
        )
    return max(last, key=lambda found: found[:2])[2]


def _note_at(history: History, version: Version, note_id: str) -> tuple[Memory, Extras]:
    try:
        return parse(history.text(version))
    except NoteFormatError as exc:
        raise InvalidNote(
            f"version {version.commit[:12]} of {note_id} is not a note ({exc}); choose another one"
        ) from exc


def _place_in_git(store: MemoryStore, note_id: str) -> str | None:
    """The path of a note's file in git; None if it is not in the synced tree."""
    path = store.path_of(note_id)
    is_synced = path is not None and path.is_relative_to(store.memory_dir)
    return path.relative_to(store.memory_dir).as_posix() if path and is_synced else None


def resolve_note(
    store: MemoryStore,
    backend: SyncBackend,
    note_id: str,
    *,
    choice: Choice = "mine",
    text: str | None = None,
) -> Callable[[], None] | None:
    """Resolve a held note by a choice, or by a text that replaces both versions.

    Returns what holds it again in the files; None if that is not possible.
    """
    place = _place_in_git(store, note_id)
    if place and any(each.id == note_id for each in backend.held()):
        # Resolving replaces the file as a sync does, without the store, which would keep its text.
        store.undo.keep(note_id, store.memory_dir / place, scope="portable")
    hold_again = backend.resolve(note_id, choice=choice, text=text)
    store.reindex()
    return hold_again


def has_credential(history: History, version: Version) -> bool:
    """Whether a text kept on this machine contains what looks like a credential."""
    return version.action == "replaced" and bool(find_in_file(history.text(version).encode()))


def remove_credentials(store: MemoryStore, note_id: str, *, backend: SyncBackend) -> None:
    """Write `[removed]` in place of each credential in a note, and forget the kept texts that contain one."""
    note, version = read_note(store, note_id)
    found = find_in_file((store.text_of(note_id) or "").encode())

    def _clean(text: str) -> str:
        for each in found:
            text = text.replace(each.secret, "[removed]")
        return text

    changes = {"title": _clean(note.title), "body": _clean(note.body), "tags": [_clean(t) for t in note.tags]}
    with recorded(backend, before=False):
        store.update(note_id, base=version, **changes)
    forget_credentials(store, note_id, backend=backend)


def forget_credentials(store: MemoryStore, note_id: str, *, backend: SyncBackend) -> None:
    """Delete the texts of a note kept on this machine that contain a credential."""
    history = backend.history(store.undo)
    for each in history.of_note(note_id):
        if has_credential(history, each):
            Path(each.path).unlink(missing_ok=True)


class PurgePlan(NamedTuple):
    """A purge before it is made: its record, the credentials among its texts, what it affects."""

    record: Purge
    credentials: list[Credential]
    survey: Survey


class Purged(NamedTuple):
    """The result of a purge: how many objects still hold a text, where it was purged, if the remote was."""

    left: int
    detail: str
    reached: bool


def propose_purge(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    ids: Sequence[str],
    texts: Sequence[str],
    secrets: bool,
    report: Callable[[str], None],
) -> PurgePlan | None:
    """Plan to erase notes, texts and, with `secrets`, every credential; None if nothing of them is found.

    Syncs first, so that what other machines wrote is covered; a failure of that is passed to `report`.
    """
    if not (ids or texts or secrets):
        raise InvalidNote("there is nothing to purge; name notes, or give --text or --secrets")
    if not has_program("git"):
        raise SyncError("purge rewrites every version, which needs git; install git 2.30 or newer")
    try:
        backend.sync()
    except AnamnesisError as exc:
        report(f"sync: {exc}; what is on this machine is purged first")
    history = backend.history()
    credentials = find_credentials(store.root, history) if secrets else []
    known = list(known_notes(store.root, history).items()) if ids else []
    record = new_purge(
        ids=[only_id(text, known) for text in ids],
        texts=[*texts, *(credential.text for credential in credentials)],
        machine=backend.machine_id,
        at=utcnow(),
    )
    found = survey(store.root, history, record)
    return PurgePlan(record, credentials, found) if ids or found != Survey() else None


def carry_out_purge(store: MemoryStore, backend: SyncBackend, plan: PurgePlan) -> Purged:
    """Purge here, send it to the remote, and count the objects that still hold it."""
    backend.purge(plan.record)
    reached, detail = False, "purged here and at the remote; other machines follow when they sync"
    try:
        result = backend.sync()
        reached = result.reached
        detail = detail if reached else f"purged here only; sync: {result.detail}"
    except AnamnesisError as exc:
        detail = f"purged here only; sync: {exc}"
    store.reindex()
    if left := backend.count_left(plan.record):
        detail = f"{left} objects still hold it; do other clones share them?"
    return Purged(left, detail, reached)
