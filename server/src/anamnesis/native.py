"""Imports Claude Code's own memory files: each becomes a note, which syncs to your other machines.

The client's files are only read. When a file disappears its note stays: the client cleans up its folder, and
the facts are still true. What was imported is recorded on this machine with size, time and text, so an
unchanged file costs one stat. A person's change wins: a note edited here keeps its text, a deleted one stays
deleted.

There is one folder per project, or the folder that `autoMemoryDirectory` in the user's settings names; the
client requires it to be absolute or below `~/`. That folder has memories of every project, so they belong to
none. A folder that overlaps the store is refused, or an import would import its own notes. The name of a
folder under `projects/` is the working directory with everything but letters and digits replaced by `-`,
which cannot be reversed; the transcripts in it name the real directory. Front matter is read line by line,
not as YAML: a model writes it, and an unquoted colon in a description must not lose the memory.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path

from anamnesis import files, state
from anamnesis.errors import InvalidNote
from anamnesis.layout import GLOBAL, LOCAL, MEMORY
from anamnesis.notes.record import Memory, stable_id, text_digest, unique_tags
from anamnesis.notes.vocabulary import FACT, HOW
from anamnesis.project import resolve_project_key
from anamnesis.redact import redact, strip_private
from anamnesis.state import Import
from anamnesis.store import MemoryStore
from anamnesis.text import epoch, timestamp, utcnow

TAG = "native"
_MAX_BYTES = 1_000_000
_LOST = "lost"  # digest of what an import wrote, if its record was lost
INDEX_NAME = "MEMORY.md"
_OTHER = re.compile(r"[^A-Za-z0-9]")
_MAX_TRANSCRIPTS = 5
_MAX_FOLDERS = 20
_FENCE = re.compile(r"---[ \t]*\n(?P<front>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^[ \t]*(?P<key>name|description|type):[ \t]+(?P<value>[^\s>|].*)$", re.MULTILINE)
_MAX_TITLE = 120
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


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
    named = _named_folder(claude_dir, store.root)
    found = _memory_files(claude_dir, named)
    folders = (claude_dir / "projects" / "*" / "memory", *([named] if named else []))
    result = NativeImport(tuple(map(str, folders)), len(found))
    mirror = _Mirror(store, claude_dir / "projects", machine_id, result)
    for path, info in found.items():
        mirror.import_file(path, info)
    return result


class _Mirror:
    """One run of the import."""

    def __init__(self, store: MemoryStore, projects: Path, machine_id: str, result: NativeImport) -> None:
        self._known = {row.file: row for row in state.read(store.root, Import)}
        self._result = result
        self._store = store
        self._projects = projects
        self._machine_id = machine_id
        self._keys: dict[str, str] = {}  # client's folder -> project key

    def import_file(self, path: Path, info: os.stat_result) -> None:
        """Import one file, if it changed."""
        # A file outside the projects is recorded by its absolute path, which no relative name equals.
        is_below = path.is_relative_to(self._projects)
        name = str(path.relative_to(self._projects) if is_below else path)
        known = self._known.get(name)
        if known and (known.size, known.mtime_ns) == (info.st_size, info.st_mtime_ns):
            self._result.unchanged += 1
            return
        try:
            if info.st_size > _MAX_BYTES:
                raise InvalidNote(f"is {info.st_size:,} bytes long; the limit is {_MAX_BYTES:,}; split it")
            memory = read_memory(files.read_regular(path).decode("utf-8", "replace"), stem=path.stem)
            note, digest = self._write_note(name, memory, info, known) if memory else ("", "")
        except (OSError, InvalidNote) as exc:
            self._result.problems.append(f"{path}: {exc}")
            return
        state.save(self._store.root, Import(name, info.st_size, info.st_mtime_ns, note, digest))

    def _write_note(
        self, name: str, memory: MemoryFile, info: os.stat_result, known: Import | None
    ) -> tuple[str, str]:
        """Write a file's note; returns the note's id and the digest of the file's text."""
        note_id = stable_id("native", self._machine_id, name)
        existing = self._store.get(note_id)
        digest = text_digest(existing.title, existing.body) if existing else ""
        wrote = known.digest if known and known.note else ""
        is_known = bool(wrote or existing or self._store.undo.of_note(note_id))
        if is_known and digest not in (wrote or _LOST, text_digest(memory.title, memory.body)):
            self._result.kept += 1  # a person edited or deleted it
            return note_id, wrote or _LOST
        now = utcnow()
        moment = timestamp(info.st_mtime) if 0 < info.st_mtime <= epoch(now) else now
        kind = HOW if memory.kind == "feedback" else FACT
        before = existing or Memory(
            note_id,
            kind,
            memory.title,
            memory.body,
            project=self._project(name),
            created_at=moment,
            updated_at=moment,
        )
        fresh = replace(
            before,
            type=kind,
            title=memory.title,
            body=memory.body,
            machine_id=self._machine_id,
            tags=unique_tags([*before.tags, TAG, memory.kind, memory.name]),
            updated_at=max(moment, before.updated_at, key=epoch),
            prov_source="import",
        )
        if fresh != existing:
            self._store.put(fresh)
            (self._result.updated if existing else self._result.added).append(note_id)
        return note_id, text_digest(fresh.title, fresh.body)

    def _project(self, name: str) -> str:
        """The key for a file; without a transcript, from the name of the client's folder."""
        folder = name.partition(os.sep)[0]
        if folder and folder not in self._keys:
            cwd = _working_directory(self._projects / folder)
            self._keys[folder] = resolve_project_key(cwd) if cwd else folder.strip("-").lower() or GLOBAL
        return self._keys.get(folder, GLOBAL)


def _memory_files(claude_dir: Path, named: Path | None) -> dict[Path, os.stat_result]:
    """Every memory file, each once even if two paths lead to it; symlinks are not followed."""
    found: dict[Path, os.stat_result] = {}
    known: set[tuple[int, int]] = set()
    for folder in (*sorted((claude_dir / "projects").glob("*/memory")), *([named] if named else [])):
        linked = folder.is_symlink() or (folder != named and folder.parent.is_symlink())
        for path in () if linked else sorted(folder.rglob("*.md")):
            info = path.lstat()
            key = (info.st_dev, info.st_ino)
            if stat.S_ISREG(info.st_mode) and path.name != INDEX_NAME and key not in known:
                known.add(key)
                found[path] = info
    return found


def _named_folder(claude_dir: Path, root: Path) -> Path | None:
    """The folder in `autoMemoryDirectory`; None if it is not set or not usable."""
    value = files.read_object(claude_dir / "settings.json").get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value or not value.startswith(("/", "~/")):
        return None
    path, home = Path(os.path.normpath(os.path.expanduser(value))), Path.home().resolve()
    # A setting that is or contains the home folder must be a mistake; the store's notes are no memory files.
    trees = [part.resolve() for part in (root, root / MEMORY, root / LOCAL)]
    real = path.resolve()
    is_of_store = any(real.is_relative_to(tree) or tree.is_relative_to(real) for tree in trees)
    return None if is_of_store or home.is_relative_to(real) else path


def _working_directory(folder: Path) -> str:
    from anamnesis.session.transcript import first_cwd  # called only once for each folder

    cwds = [cwd for path in _transcripts(folder) if (cwd := first_cwd(path))]
    # The client stores a repository's memory under its root, but sessions may have started below it.
    below = sorted(folder.parent.glob(f"{glob.escape(folder.name)}-*/"))[:_MAX_FOLDERS]
    others = (cwd for near in below for path in _transcripts(near) if (cwd := first_cwd(path)))
    for cwd in (*cwds, *others):
        for place in (Path(cwd), *Path(cwd).parents):
            # The client counts in UTF-16, where some characters are two.
            if _OTHER.sub(lambda found: "-" if ord(found[0]) < 0x10000 else "--", str(place)) == folder.name:
                return str(place)
    return cwds[0] if cwds else ""


def _transcripts(folder: Path) -> list[Path]:
    """The newest transcripts of a folder."""
    found = [path for path in folder.glob("*.jsonl") if path.is_file() and not path.is_symlink()]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[:_MAX_TRANSCRIPTS]


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """The content of a memory file, without secrets and private spans."""

    name: str
    title: str
    body: str
    kind: str


def read_memory(text: str, *, stem: str) -> MemoryFile | None:
    """Parse a memory file; None if it is empty. `stem` is used if it has no name."""
    text = _UNPRINTABLE.sub("", redact(strip_private(text.removeprefix("\ufeff").replace("\r\n", "\n"))))
    fence = _FENCE.match(text)
    # The wanted keys, at the top level or under `metadata`; the first of each counts.
    keys = reversed([*_KEY.finditer(fence["front"])] if fence else [])
    fields = {key["key"]: _unquoted(key["value"].strip()) for key in keys}
    body = (text[fence.end() :] if fence else text).strip()
    description = " ".join(fields.get("description", "").split())
    name = fields.get("name") or stem
    title = description or name.replace("-", " ").replace("_", " ").strip()
    if len(title) > _MAX_TITLE:
        body = f"{title}\n\n{body}".strip()
        title = title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"
    if not body and not description:
        return None
    return MemoryFile(name=name, title=title, body=body or description, kind=fields.get("type", "").lower())


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    return value
