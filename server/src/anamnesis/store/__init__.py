"""MemoryStore: notes in markdown files, and an index of them.

    note_files    where a note's file belongs; writing, moving and removing it
    meaning       search by meaning for a store: in one command, or in a long-running process

A change is written to the file, atomically and under the write lock, before the index is updated: an index
failure means stale answers, never a lost note. Edits by other programs are noticed on the next read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from anamnesis import files
from anamnesis.errors import InvalidNote, NoteFormatError, NoteNotFound, StaleNote, StoreUnavailable
from anamnesis.index import listing, query
from anamnesis.index.blend import Meanings, Nearness
from anamnesis.index.core import Answer, Health, Index
from anamnesis.index.database import Database
from anamnesis.index.finder import Hit
from anamnesis.index.listing import Page
from anamnesis.index.query import Filter, Problem
from anamnesis.index.rows import FileRow, Loaded, digest_of
from anamnesis.index.scan import folder_times
from anamnesis.index.schema import SCHEMA, SCHEMA_VERSION
from anamnesis.layout import DB_NAME, WRITE_LOCK
from anamnesis.notes.record import (
    FM_DELIM,
    Extras,
    Memory,
    MemoryType,
    Scope,
    deserialize,
    epoch,
    new_id,
    serialize,
    tidied,
    utcnow,
)
from anamnesis.recall import _fts_query
from anamnesis.store.note_files import NoteFiles
from anamnesis.text import Progress

# Names that the specification puts in this module, pinned by `test_spec_names`.
_serialize = serialize
_deserialize = deserialize
_utcnow = utcnow
_FM_DELIM = FM_DELIM
_SCHEMA = SCHEMA
_SCHEMA_VERSION = SCHEMA_VERSION

__all__ = ["Health", "Hit", "Memory", "MemoryStore", "MemoryType", "Problem", "Scope", "_fts_query"]

_WRITE_LOCK_SECONDS = 30.0
_READ_AT_ONCE = 500


class MemoryStore:
    """The notes under one root: `memory/` is synced, `local/` stays on this machine."""

    def __init__(self, root: str | os.PathLike[str], *, patience: float = 30.0) -> None:
        """Open the store, or create it; wait at most `patience` seconds for its index."""
        self.root = Path(root).expanduser()
        self._files = NoteFiles(self.root)
        self.memory_dir, self.local_dir = self._files.memory_dir, self._files.local_dir
        self.undo = self._files.undo
        self.db_path = self.root / DB_NAME
        self.meaning: Meanings | None = None  # set if a model is loaded; search then uses it too
        try:
            files.make_folder(self.memory_dir)
            files.make_folder(self.local_dir)
        except OSError as exc:
            if not self.memory_dir.is_dir():
                raise StoreUnavailable(
                    f"{self.root}: cannot contain a store ({exc.strerror}); check the path"
                ) from exc
        self._index = Index(self.root, self.db_path, patience=patience)

    def __enter__(self) -> MemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; note files are never kept open."""
        self._index.close()

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
        """Write many notes with new ids, cheaply; returns why some could not be written, by id."""
        with self._writing():
            refused = self._files.add_many(notes)
        self._index.ask(query.count_notes, thorough=False)  # their folders' times show the new files
        return refused

    def update(self, note_id: str, *, base: str | None = None, **changes: object) -> Memory:
        """Change fields of a note; `base`, if given, is the version that the change is based on.

        Raises NoteNotFound, StaleNote if the note is no longer at `base`, InvalidNote for an invalid value.
        """
        unknown = changes.keys() - _CHANGEABLE
        if unknown:
            asked, allowed = (", ".join(sorted(names)) for names in (unknown, _CHANGEABLE))
            raise InvalidNote(f"{asked} cannot be changed; these can: {allowed}")
        with self._writing():
            path = self._existing(note_id)
            if path is None:
                raise NoteNotFound(note_id)
            text = self._files.text(path)
            _refuse_stale(note_id, text, base)
            known = replace(deserialize(text), scope=self._files.scope_of(path))
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
            path = self._existing(note_id)
            mem = self._files.read(path) if path is not None else None
            if path is None or mem is None:
                raise NoteNotFound(note_id)
            _refuse_stale(note_id, self._files.text(path), base)
            before = self._folder_time(path)
            self._files.remove(note_id, path)
            self._index.note_removed(note_id, self._files.relative(path), folder_before=before)
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

    def _existing(self, note_id: str) -> Path | None:
        """The file that currently contains a note; None if someone changed the id in the file."""
        relative = self._index.ask(lambda db: query.path_of(db, note_id), thorough=False)
        if relative is not None and not self._holds(self.root / relative, note_id):
            self._index.refresh()
            relative = self._index.ask(lambda db: query.path_of(db, note_id))
        if relative is None or not self._holds(self.root / relative, note_id):
            return None
        return self.root / relative

    def _holds(self, path: Path, note_id: str) -> bool:
        note = self._files.read(path)
        return note is not None and note.id == note_id

    def _save(self, mem: Memory, old: Path | None, *, extras: Extras | None = None) -> Memory:
        """Write a note's file, then update the index."""
        new = self._files.place(mem, old)
        before, before_old = self._folder_time(new), self._folder_time(old or new)
        data = self._files.write(mem, new, old, extras=extras)
        if old is not None and old != new:
            self._index.note_removed(mem.id, self._files.relative(old), folder_before=before_old)
        path = self._files.relative(new)
        row = FileRow(path, len(data), new.stat().st_mtime_ns, digest_of(data), mem.id)
        self._index.note_written(Loaded(row, mem), folder_before=before)
        return mem

    def _folder_time(self, path: Path) -> int:
        return folder_times(str(self.root), [self._files.relative(path.parent)])[0]

    def get(self, note_id: str, *, thorough: bool = True) -> Memory | None:
        """The note with this id, or None; unless `thorough`, an id just edited in its file may be missed."""
        path = self.path_of(note_id) if thorough else self._existing(note_id)
        return self._files.read(path) if path is not None else None

    def text_of(self, note_id: str, *, thorough: bool = True) -> str | None:
        """The markdown text of a note; None if there is none. `thorough` as for `get`."""
        path = self.path_of(note_id, thorough=thorough)
        try:
            return self._files.text(path) if path is not None else None
        except (OSError, NoteFormatError):
            return None

    def path_of(self, note_id: str, *, thorough: bool = True) -> Path | None:
        """The file of a note; None if there is none. `thorough` as for `get`."""
        relative = self._index.ask(lambda db: query.path_of(db, note_id), thorough=thorough)
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

    def find(
        self, query: str, wanted: Filter, *, k: int, explain: bool = True, thorough: bool = True
    ) -> list[Hit]:
        """The best `k` matching notes; superseded notes are left out.

        `explain` adds matched words and a snippet; unless `thorough`, a recent edit in place may be missed.
        """
        near = self.meaning.near(query) if self.meaning is not None else None
        hits = self._index.find(query, wanted, k, explain=explain, thorough=thorough, near=near)
        return list(self._current(hits))

    def nearest(self, near: Nearness, wanted: Filter, *, k: int) -> list[Hit]:
        """The `k` notes nearest in meaning, among those wanted."""
        return list(self._current(self._index.nearest(near, wanted, k)))

    def _current(self, hits: Sequence[Hit]) -> Iterator[Hit]:
        """The hits with their current notes; a file is parsed only if it has changed since it was indexed."""
        for hit in hits:
            try:
                unchanged = digest_of(files.read_regular(f"{self.root}/{hit.path}")) == hit.digest
            except OSError:
                continue
            if note := hit.note if unchanged else self._files.read(self.root / hit.path):
                hit.note = note
                yield hit

    def complete(self, beginning: str, *, k: int = 6) -> list[str]:
        """Words in the notes that start with `beginning`, most frequent first, for completing a search."""
        word = beginning.strip().lower().encode("utf-8", "ignore").decode()  # no lone surrogates
        return self._index.ask(lambda db: query.complete(db, word, k), thorough=False) if word else []

    def page(self, wanted: Filter, *, limit: int | None, offset: int = 0, sort: str = listing.NEWEST) -> Page:
        """A page of the wanted notes, newest first, without bodies; and the total."""
        return self._index.ask(lambda db: listing.page_of(db, wanted, limit=limit, offset=offset, sort=sort))

    def each(self, wanted: Filter) -> Iterator[Memory]:
        """All wanted notes, newest first, without bodies, read in batches."""
        numbers = self._index.ask(lambda db: listing.numbers_of(db, wanted))
        for start in range(0, len(numbers), _READ_AT_ONCE):
            some = numbers[start : start + _READ_AT_ONCE]
            yield from self._index.ask(partial(listing.notes_at, numbers=some), thorough=False).values()

    def facets(self, *, current: bool = False) -> dict[str, list[tuple[str, int]]]:
        """The values to filter by, with counts; with `current`, superseded notes do not count."""
        return self._index.ask(lambda db: listing.facets(db, current=current))

    def ask(self, question: Callable[[Database], Answer], *, thorough: bool = True) -> Answer:
        """The index's answer to a query function of `anamnesis.index`."""
        return self._index.ask(question, thorough=thorough)

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope."""
        return self._index.ask(query.stats)

    def superseded_ids(self) -> set[str]:
        """Every id that another note replaces."""
        return self._index.ask(query.superseded_ids)

    def successors(self) -> dict[str, list[str]]:
        """For every superseded id, the ids of the notes that replace it."""
        return self._index.ask(query.successors)

    def starting_with(self, text: str, *, k: int) -> list[tuple[str, str]]:
        """Id and title of the first `k` notes whose id starts with `text`, in upper or lower case."""
        return self._index.ask(lambda db: query.starting_with(db, text, k))

    def titled(self, words: Sequence[str], *, k: int) -> list[tuple[str, str]]:
        """Id and title of the `k` newest current notes that have all of these words in their title."""
        return self._index.ask(lambda db: query.titled(db, words, k))

    def problems(self) -> list[Problem]:
        """Files that cannot be read as notes, and files with a duplicate id, each with the reason."""
        return self._index.ask(query.problems)

    def reindex(self, *, full: bool = False, progress: Progress | None = None) -> int:
        """Update the index from the files, or rebuild it; returns the number of notes in it."""
        if full:
            return self._index.rebuild(progress=progress)
        self._index.refresh(progress=progress)
        return self._index.ask(query.count_notes)

    def health(self) -> Health:
        """Whether the index matches the files, after a scan of every file."""
        self._index.refresh()
        return Health(
            notes=self._index.ask(query.count_notes),
            files=self._index.ask(query.count_files),
            problems=self.problems(),
            healed=self._index.healed,
            in_memory=self._index.in_memory,
        )

    def _dir_for_scope(self, scope: Scope) -> Path:
        return self._files.folder_for(scope)

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
        return self._index.ask(lambda db: listing.list_notes(db, wanted, bodies=bodies))


_CHANGEABLE = frozenset(Memory.__dataclass_fields__) - {"id", "created_at"}


def version_of(text: str) -> str:
    """A fingerprint of a note's exact text, to say what an edit is based on."""
    return sha256(text.encode()).hexdigest()[:16]


def _refuse_stale(note_id: str, text: str, base: str | None) -> None:
    if base is not None and version_of(text) != base:
        raise StaleNote(f"note {note_id} changed since it was looked at; look at it again and repeat this")
