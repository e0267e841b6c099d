"""Imports Claude Code's own memory files: each becomes a note, which syncs to your other machines.

    memory_files    where the files are, which project a folder belongs to, parsing a file

The client's files are only read. When a file disappears its note stays: the client cleans up its folder, and
the facts are still true. `<root>/native.json` records size, time and text of what was imported, so an
unchanged file costs one stat. A person's change wins: a note edited here keeps its text, a deleted one stays
deleted.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from anamnesis import files
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.layout import GLOBAL
from anamnesis.native.memory_files import MemoryFile, memory_files, places, project_of, read_memory
from anamnesis.notes.record import Memory, epoch, stable_id, text_digest, unique_tags, utcnow
from anamnesis.notes.vocabulary import timestamp
from anamnesis.store import MemoryStore

STATE_NAME = "native.json"
TAG = "native"
_MAX_BYTES = 1_000_000
_MAX_FILES = 20_000
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Imported:
    """A file as it was imported: its size and time, its note, and the digest of the text written."""

    size: int
    mtime_ns: int
    note: str
    digest: str


@dataclass(slots=True)
class NativeImport:
    """The result of an import: ids added and updated, files unchanged, notes kept with a person's changes.

    `folders` is where it looked, `files` how many files it found; `problems` has each file that could not be
    imported, with the reason.
    """

    folders: tuple[str, ...] = ()
    files: int = 0
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: int = 0
    kept: int = 0
    problems: list[str] = field(default_factory=list)


def import_native(store: MemoryStore, *, claude_dir: Path, machine_id: str) -> NativeImport:
    """Mirror the client's memory files under `claude_dir` into notes."""
    try:
        with files.lock(store.root / "native.lock", timeout=_LOCK_SECONDS) as mine:
            if not mine:
                return NativeImport(problems=["another import is running; the next one continues"])
            return _import(store, claude_dir, machine_id)
    except OSError as exc:
        raise StoreUnavailable(
            f"{store.root}: {exc.strerror}; the import stopped; check the store's folder"
        ) from exc


def _import(store: MemoryStore, claude_dir: Path, machine_id: str) -> NativeImport:
    files_found = memory_files(claude_dir, store.root)
    result = NativeImport(tuple(places(claude_dir, store.root)), len(files_found))
    mirror = _Mirror(store, claude_dir / "projects", machine_id, result)
    before = dict(mirror.state)
    try:
        for path, info in files_found.items():
            mirror.import_file(path, info)
    finally:
        if mirror.state != before:
            kept = list(mirror.state.items())[-_MAX_FILES:]
            content = {name: asdict(imported) for name, imported in kept}
            files.write_object(store.root / STATE_NAME, content, indent=0)
    return result


class _Mirror:
    """One run of the import."""

    def __init__(self, store: MemoryStore, projects: Path, machine_id: str, result: NativeImport) -> None:
        self.state = _read_state(store.root)
        self._result = result
        self._store = store
        self._projects = projects
        self._machine_id = machine_id
        self._keys: dict[str, str] = {}  # client's folder -> project key

    def import_file(self, path: str, info: os.stat_result) -> None:
        """Import one file, if it changed."""
        # A file outside the projects is recorded by its absolute path, which no relative name equals.
        is_below = path.startswith(f"{self._projects}{os.sep}")
        name = os.path.relpath(path, self._projects) if is_below else path
        known = self.state.get(name)
        if known and (known.size, known.mtime_ns) == (info.st_size, info.st_mtime_ns):
            self._result.unchanged += 1
            return
        try:
            memory = _read(path, info)
            note, digest = self._write_note(name, memory, info, known) if memory else ("", "")
        except (OSError, InvalidNote) as exc:
            self._result.problems.append(f"{path}: {exc}")
            return
        self.state[name] = Imported(info.st_size, info.st_mtime_ns, note, digest)

    def _write_note(
        self, name: str, memory: MemoryFile, info: os.stat_result, known: Imported | None
    ) -> tuple[str, str]:
        """Write a file's note; returns the note's id and the digest of the file's text."""
        note_id = stable_id("native", self._machine_id, name)
        existing = self._store.get(note_id)
        digest = text_digest(existing.title, existing.body) if existing else ""
        if known and known.note and digest != known.digest:  # a person edited or deleted the note
            self._result.kept += 1
            return note_id, known.digest
        moment = _moment(info)
        fresh = Memory(
            id=note_id,
            type=memory.note_type,
            title=memory.title,
            body=memory.body,
            project=existing.project if existing else self._project(name),
            machine_id=self._machine_id,
            scope=existing.scope if existing else "portable",
            tags=unique_tags([*(existing.tags if existing else ()), TAG, memory.kind, memory.name]),
            created_at=existing.created_at if existing else moment,
            updated_at=max(moment, existing.updated_at, key=epoch) if existing else moment,
            prov_source="import",
            confidence=existing.confidence if existing else 1.0,
            supersedes=existing.supersedes if existing else "",
        )
        if fresh != existing:
            self._store.put(fresh)
            (self._result.updated if existing else self._result.added).append(note_id)
        return note_id, text_digest(fresh.title, fresh.body)

    def _project(self, name: str) -> str:
        folder = name.partition(os.sep)[0]
        if not folder:
            return GLOBAL
        if folder not in self._keys:
            self._keys[folder] = project_of(self._projects / folder)
        return self._keys[folder]


def _read(path: str, info: os.stat_result) -> MemoryFile | None:
    if info.st_size > _MAX_BYTES:
        raise InvalidNote(f"is {info.st_size:,} bytes long; the limit is {_MAX_BYTES:,}; split it")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as handle:
        text = handle.read(_MAX_BYTES).decode("utf-8", "replace")
    return read_memory(text, stem=Path(path).stem)


def _moment(info: os.stat_result) -> str:
    """When the file was written, in the format of notes; never in the future."""
    now = utcnow()
    if not 0 < info.st_mtime <= epoch(now):
        return now
    return timestamp(info.st_mtime)


def _read_state(root: Path) -> dict[str, Imported]:
    rows = files.read_object(root / STATE_NAME).items()
    return {name: imported for name, fields in rows if (imported := _imported(fields)) is not None}


def _imported(fields: object) -> Imported | None:
    try:
        imported = Imported(**fields)  # type: ignore[arg-type]  # types are checked below
    except TypeError:
        return None
    is_sound = isinstance(imported.note, str) and isinstance(imported.digest, str)
    return imported if is_sound and isinstance(imported.size, int) else None
