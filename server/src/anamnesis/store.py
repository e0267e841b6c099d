"""MemoryStore: notes in markdown files, and an index of them.

A change is written to the file, atomically and under the write lock, before the index is updated: an index
failure means stale answers, never a lost note. Before a file is replaced or removed, its text is saved for
undo. Edits by other programs are noticed on the next read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis import files
from anamnesis.errors import (
    InvalidNote,
    NoteFormatError,
    NoteNotFound,
    SemanticError,
    StaleNote,
    StoreUnavailable,
)
from anamnesis.index import figures, listing, query, rows
from anamnesis.index.core import Health, Index, folder_time
from anamnesis.index.database import SCHEMA, SCHEMA_VERSION
from anamnesis.index.finder import Hit, Nearness
from anamnesis.index.listing import Page
from anamnesis.index.query import Filter, Problem
from anamnesis.index.rows import Loaded, count_notes, digest_of
from anamnesis.layout import LOCAL, MEMORY, SCOPE_OF, TREE_OF, WRITE_LOCK
from anamnesis.notes.record import (
    FM_DELIM,
    Extras,
    Memory,
    MemoryType,
    Scope,
    decode,
    deserialize,
    encode,
    new_id,
    note_path,
    parse,
    serialize,
    tidied,
)
from anamnesis.recall import _fts_query
from anamnesis.semantic.installed import FOLDER, is_installed
from anamnesis.text import StepProgress, epoch, silent, utcnow
from anamnesis.undo import UndoTexts, drop_unless_replaced

if TYPE_CHECKING:
    from anamnesis.semantic.meaning import Meaning

# Names that the specification puts in this module, pinned by `test_spec_names`.
_serialize = serialize
_deserialize = deserialize
_utcnow = utcnow
_FM_DELIM = FM_DELIM
_SCHEMA = SCHEMA
_SCHEMA_VERSION = SCHEMA_VERSION

__all__ = ["Health", "Hit", "Memory", "MemoryStore", "MemoryType", "Problem", "Scope", "_fts_query"]

_WRITE_LOCK_SECONDS = 30.0
_CHANGEABLE = frozenset(Memory.__dataclass_fields__) - {"id", "created_at"}


class MemoryStore(Index):
    """The notes under one root, and their index: `memory/` is synced, `local/` stays on this machine."""

    def __init__(self, root: str | os.PathLike[str], *, patience: float = 30.0) -> None:
        """Open the store, or create it; wait at most `patience` seconds for its index."""
        home = Path(root).expanduser()
        self.local_dir = home / LOCAL
        self.undo = UndoTexts(home)
        self.meaning: Meaning | None = None  # set if a model is loaded; search then uses it too
        try:
            files.make_folder(home / MEMORY)
            files.make_folder(self.local_dir)
        except OSError as exc:
            if not (home / MEMORY).is_dir():
                raise StoreUnavailable(
                    f"{home}: cannot contain a store ({exc.strerror}); check the path"
                ) from exc
        super().__init__(home, patience=patience)

    def write(
        self,
        *,
        type: MemoryType,
        title: str,
        body: str,
        project: str = "global",
        machine_id: str = "unknown",
        scope: Scope = "portable",
        tags: Sequence[str] | None = None,
        prov_source: str = "human",
        prov_model: str = "",
        prov_session: str = "",
        confidence: float = 1.0,
        supersedes: str = "",
    ) -> Memory:
        """Create a note with a new id and return it."""
        now = utcnow()
        mem = Memory(
            id=new_id(),
            type=type,
            title=title,
            body=body,
            project=project,
            machine_id=machine_id,
            scope=scope,
            tags=[tags] if isinstance(tags, str) else list(tags or ()),
            created_at=now,
            updated_at=now,
            prov_source=prov_source,
            prov_model=prov_model,
            prov_session=prov_session,
            confidence=confidence,
            supersedes=supersedes,
        )
        with self._writing():
            return self._save(tidied(mem), None)

    def put(self, mem: Memory, *, extras: Extras | None = None) -> Memory:
        """Write a complete note, replacing the one with its id; a new type or scope moves its file.

        Foreign front-matter keys are preserved, unless `extras` replaces them.
        """
        mem = tidied(mem)
        with self._writing():
            return self._save(mem, self._existing(mem.id), extras=extras)

    def add_many(self, notes: Sequence[tuple[Memory, Extras]]) -> dict[str, str]:
        """Write many notes with new ids, durable together; returns why some could not be written, by id."""
        added: list[str] = []
        refused: dict[str, str] = {}
        with self._writing():
            for mem, extras in notes:
                try:
                    path, data = self._place(mem := tidied(mem), None), encode(mem, extras)
                except InvalidNote as exc:
                    refused[mem.id] = str(exc)
                    continue
                files.write_atomic(path, data, durable=False)
                added.append(str(path))
            files.sync_files(added)
        self.ask(count_notes, thorough=False)  # their folders' times show the new files
        return refused

    def update(self, note_id: str, *, base: str | None = None, **changes: object) -> Memory:
        """Change fields of a note; `base`, if given, is the version that the change is based on.

        Raises NoteNotFound, StaleNote if the note is no longer at `base`, InvalidNote for an invalid value.
        """
        if unknown := changes.keys() - _CHANGEABLE:
            asked, allowed = (", ".join(sorted(names)) for names in (unknown, _CHANGEABLE))
            raise InvalidNote(f"{asked} cannot be changed; these can: {allowed}")
        with self._writing():
            path, known = self._to_change(note_id, base)
            mem = tidied(replace(known, **changes))  # type: ignore[arg-type]  # names checked above, values below
            if mem != known and "updated_at" not in changes:
                # Not before the last change, even if this machine's clock is behind it.
                mem.updated_at = max(utcnow(), known.updated_at, key=epoch)
            return self._save(mem, path)

    def delete(self, note_id: str, *, base: str | None = None) -> Memory:
        """Delete a note's file and return the note; the text is kept for undo.

        Raises NoteNotFound, StaleNote if the note is no longer at `base`, the version that the caller read.
        """
        with self._writing():
            path, mem = self._to_change(note_id, base)
            before = self._folder_time(path)
            self.undo.keep(note_id, path, scope=self._scope_of(path))
            path.unlink(missing_ok=True)
            files.sync_folder(path.parent)
            self.note_removed(self._relative(path), folder_before=before)
            return mem

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the write lock for the block; the index is updated inside it too."""
        try:
            with files.lock(self.root / WRITE_LOCK, timeout=_WRITE_LOCK_SECONDS) as mine:
                if not mine:
                    raise StoreUnavailable(f"{self.root}: another process keeps writing; try again")
                yield
        except OSError as exc:
            where = exc.filename or self.root
            raise StoreUnavailable(
                f"{where}: {exc.strerror}; nothing was written; check the disk and who owns the store"
            ) from exc

    def _to_change(self, note_id: str, base: str | None) -> tuple[Path, Memory]:
        """A note that is about to change, and its file; NoteNotFound, or StaleNote if it is not at `base`."""
        path = self._existing(note_id)
        note = self._read(path) if path is not None else None
        if path is None or note is None:
            raise NoteNotFound(note_id)
        if base is not None and version_of(self._text(path)) != base:
            raise StaleNote(f"note {note_id} changed since it was read; read it again and repeat this")
        return path, note

    def _existing(self, note_id: str) -> Path | None:
        """The file that currently contains a note; None if someone changed the id in the file."""
        path = self.path_of(note_id, thorough=False)
        if path is not None and not self._holds(path, note_id):
            self.refresh()
            path = self.path_of(note_id)
        return path if path is not None and self._holds(path, note_id) else None

    def _holds(self, path: Path, note_id: str) -> bool:
        note = self._read(path)
        return note is not None and note.id == note_id

    def _save(self, mem: Memory, old: Path | None, *, extras: Extras | None = None) -> Memory:
        """Write a note's file, then update the index."""
        new = self._place(mem, old)
        before, before_old = self._folder_time(new), self._folder_time(old or new)
        data = self._write_file(mem, new, old, extras=extras)
        if old is not None and old != new:
            self.note_removed(self._relative(old), folder_before=before_old)
        item = Loaded(self._relative(new), len(data), new.stat().st_mtime_ns, digest_of(data), mem)
        self.note_written(item, folder_before=before)
        return mem

    def _place(self, mem: Memory, old: Path | None) -> Path:
        """The file to write a note to: never one with something else in it."""
        new = self._dir_for_scope(mem.scope) / note_path(mem)
        if old is not None:
            known = self._read(old)
            stays = known is not None and (known.type, known.scope) == (mem.type, mem.scope)
            if old.parent == new.parent or stays:
                return old  # the user chose its name and folder
        if new.parent.is_symlink():
            raise InvalidNote(f"{new.parent} is a symlink that leads out of the store; make it a folder")
        if os.path.lexists(new):
            raise InvalidNote(
                f"{new} already exists and contains something else; fix or remove that file first"
            )
        return new

    def _write_file(self, mem: Memory, new: Path, old: Path | None, *, extras: Extras | None) -> bytes:
        """Write a note to `new`, replacing `old`; if it fails, `old` is unchanged."""
        if extras is None:
            extras = parse(self._text(old))[1] if old else {}
        data = encode(mem, extras)
        with ExitStack() as undo:
            if old is not None and old.read_bytes() != data:
                kept = self.undo.keep(mem.id, old, scope=self._scope_of(old))
                undo.callback(drop_unless_replaced, kept, old)
            if old is not None and old != new:
                # Move the file before changing its text, so that there is always exactly one file.
                files.make_folder(new.parent)
                os.rename(old, new)
                undo.callback(os.rename, new, old)
                files.sync_folder(new.parent)
            files.write_atomic(new, data)
            undo.pop_all()
        if old is not None and old != new:
            files.sync_folder(old.parent)
        return data

    def _dir_for_scope(self, scope: Scope) -> Path:
        return self.root / TREE_OF.get(scope, MEMORY)

    def _scope_of(self, path: Path) -> Scope:
        """The scope of a file, which its tree decides, whatever its front matter says."""
        return SCOPE_OF[LOCAL if path.is_relative_to(self.local_dir) else MEMORY]

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _folder_time(self, path: Path) -> int:
        return folder_time(str(self.root), self._relative(path.parent))

    def _text(self, path: Path) -> str:
        return decode(files.read_regular(path))

    def _read(self, path: Path) -> Memory | None:
        """The note in a file; None if the file is gone or no longer a note."""
        try:
            note = deserialize(self._text(path))
        except (OSError, NoteFormatError):
            return None
        note.scope = self._scope_of(path)
        return note

    def get(self, note_id: str, *, thorough: bool = True) -> Memory | None:
        """The note with this id, or None; unless `thorough`, an id just edited in its file may be missed."""
        path = self.path_of(note_id) if thorough else self._existing(note_id)
        return self._read(path) if path is not None else None

    def text_of(self, note_id: str, *, thorough: bool = True) -> str | None:
        """The markdown text of a note; None if there is none. `thorough` as for `get`."""
        path = self.path_of(note_id, thorough=thorough)
        try:
            return self._text(path) if path is not None else None
        except (OSError, NoteFormatError):
            return None

    def path_of(self, note_id: str, *, thorough: bool = True) -> Path | None:
        """The file of a note; None if there is none. `thorough` as for `get`."""
        relative = self.ask(lambda db: rows.path_of(db, note_id), thorough=thorough)
        return self.root / relative if relative is not None else None

    def search(
        self,
        query: str,
        *,
        project: str | Sequence[str] | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        k: int = 8,
        tags: Sequence[str] | None = None,
        since: str | None = None,
        prefer_project: str | Sequence[str] | None = None,
    ) -> list[Memory]:
        """The best `k` notes for a query in plain words, best first; superseded notes are left out."""
        wanted = Filter(
            project=project, type=type, scope=scope, tags=tags, since=since, prefer_project=prefer_project
        )
        return [hit.note for hit in self.find(query, wanted, k=k, explain=False)]

    def _near(self, text: str) -> Nearness | None:
        """How near each note is to a text; None without a model that works."""
        with self._lock:
            if self.meaning is None and is_installed(self.root):
                try:
                    from anamnesis.semantic.meaning import open_meaning  # loads numpy

                    self.meaning = open_meaning(self.root)
                except (SemanticError, ImportError, OSError):
                    return None  # `status` and `doctor` say what is wrong
        return self.meaning.near(text) if self.meaning is not None else None

    def page(self, wanted: Filter, *, limit: int | None, offset: int = 0, sort: str = listing.NEWEST) -> Page:
        """A page of the wanted notes, newest first, without bodies; and the total."""
        return self.ask(lambda db: listing.page_of(db, wanted, limit=limit, offset=offset, sort=sort))

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope; superseded notes included."""
        every = self.ask(figures.note_counts).every
        return {"total": sum(every["type"].values()), **{f"by_{name}": every[name] for name in every}}

    def superseded_ids(self) -> set[str]:
        """Every id that another note replaces."""
        return self.ask(query.superseded_ids)

    def reindex(self, *, full: bool = False) -> int:
        """Update the index from the files, or rebuild it; returns the number of notes in it."""
        return self.rebuild() if full else self.refresh()

    # Last in the class, because below it `list` no longer means the type.
    def list(
        self,
        *,
        project: str | Sequence[str] | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        tags: Sequence[str] | None = None,
        bodies: bool = True,
    ) -> list[Memory]:
        """Notes, newest first, including superseded ones; cheaper without `bodies`."""
        wanted = Filter(project=project, type=type, scope=scope, tags=tags)
        return self.ask(lambda db: listing.list_notes(db, wanted, bodies=bodies))


def make_vectors(store: MemoryStore, *, progress: StepProgress = silent) -> None:
    """Compute the vectors of new and changed notes; another process that does so is not disturbed."""
    from anamnesis.semantic.meaning import open_meaning  # loads numpy

    open_meaning(store.root).make_vectors(
        store.ask(query.digests),
        lambda ids: store.ask(lambda db: rows.texts(db, ids), thorough=False),
        progress=progress,
    )


def remove_meaning(store: MemoryStore) -> None:
    """Remove a store's model and all its vectors."""
    shutil.rmtree(store.root / FOLDER, ignore_errors=True)


def version_of(text: str) -> str:
    """A fingerprint of a note's exact text, to say what an edit is based on."""
    return sha256(text.encode()).hexdigest()[:16]
