"""The live files of a store: finding changes in them, and landing what a sync fetched.

Git only reads here. We write files one by one, atomically, after checking that each still has the content
that the sync expects; with the journal, an interrupted landing can be undone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.errors import GitError
from anamnesis.files import (
    TEMP_PREFIX,
    lock,
    make_folder,
    read_regular,
    sync_files,
    sync_folder,
    write_atomic,
)
from anamnesis.notes.vocabulary import MAX_BYTES, TYPES, read_id
from anamnesis.sync.paths import (
    PrivateNotes,
    Spellings,
    differing,
    is_synced_path,
    refusal,
    same_names,
    still_unwritten,
)
from anamnesis.sync.repo import FILE_MODE, Repo, blob_of
from anamnesis.sync.state import HeldNotes, Write, load_unwritten, paths_of, save_unwritten
from anamnesis.text import Progress

_FEW = 10  # files that git may write and fsync one by one
MANY = 50  # with more files, it is faster to fsync them together at the end
_SHARE_SECONDS = 0.25  # the longest that others wait for the write lock
_NAME_REFUSED = frozenset((errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL))  # by the file system
_HIDDEN = re.compile(rb"(?:\A|\0)[a-zS] ")  # `assume-unchanged` in lower case, `skip-worktree` as S
_SUBMODULE = re.compile(rb"(?:\A|\0)160000 [^\t]*\t([^\0]*)")
Mark = tuple[int, int, int, int]


class TreeChanged(Exception):
    """A file changed just before a sync replaced it; the sync starts over with the new content."""


@dataclass(slots=True)
class Scan:
    """What differs from the last commit: paths to record; files that cannot be synced, with the reason."""

    paths: list[str] = field(default_factory=list)
    new: set[str] = field(default_factory=set)  # those paths that the index lacks
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Plan:
    """A landing: the files to write, and the paths of the commit that cannot be files here."""

    writes: list[Write] = field(default_factory=list)
    foreign: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class WorkTree:
    """The files under the store's `memory/`, and git's index of them."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._git = repo.git
        self._index = repo.git.dir / "index"
        self._root = repo.folder
        self._base = str(repo.folder)  # formatting a Path takes as long as a look at the file
        self._spellings = Spellings(repo.git)

    def scan(self, held: HeldNotes | None = None, *, only: Collection[str] = ()) -> Scan:
        """The changed files, or those in `only`, without held notes; git's ignore rules do not apply."""
        scan, held = Scan(), held or {}
        skipped = {*paths_of(held), *still_unwritten(self._repo)}
        skipped |= {path for path in only if not self._is_reachable(path)}
        for path, is_new in differing(self._git, only):
            if path in skipped or (is_new and self._spellings.is_tracked(path)):
                continue
            skipped.add(path)  # git lists a deleted file twice
            reason = refusal(path)
            if reason is None:
                reason = self._refusal_of(path, is_new=is_new, held_ids=held)
            elif not is_new:
                reason = ""  # from another machine, and never written here
            if reason is None:
                scan.paths.append(path)
                scan.new |= {path} if is_new else set()
            elif reason:
                scan.left_out[path] = reason
        return scan

    def _refusal_of(self, path: str, *, is_new: bool, held_ids: Collection[str]) -> str | None:
        """Why a file is not committed ("" if that is not worth reporting); None if it is."""
        full = self._root / path
        try:
            status = os.lstat(full)
        except FileNotFoundError:
            # A file that vanished because its folder became a symlink is not deleted.
            return "" if is_new or not self._is_reachable(path) else None
        except OSError:
            return ""
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        if status.st_size > MAX_BYTES:
            return f"it is larger than {MAX_BYTES:,} bytes"
        if not os.access(full, os.R_OK):
            return "it cannot be read"
        is_held = held_ids and path.endswith(".md") and read_id(self._bytes(path) or b"") in held_ids
        return "" if is_held else None

    def _is_reachable(self, path: str, known: dict[str, bool] | None = None) -> bool:
        """Whether no folder in `path` is a symlink or a file; `known` caches the answers."""
        folder = path.rpartition("/")[0]
        if not folder:
            return True
        known = {} if known is None else known
        if folder not in known:
            try:
                is_real = stat.S_ISDIR(os.lstat(f"{self._base}/{folder}").st_mode)
            except FileNotFoundError:
                is_real = True  # it can be created
            except OSError:
                is_real = False
            known[folder] = is_real and self._is_reachable(folder, known)
        return known[folder]

    def record(self, paths: list[str]) -> tuple[str, dict[str, str]]:
        """Add files to the index as they are now; returns the tree, and why some files failed."""
        failed: dict[str, str] = {}
        if len(paths) > _FEW:
            # One pack is written at once; `update-index` would write and fsync each object separately.
            self._repo.store_many(data for path in paths if (data := self._bytes(path)) is not None)
        try:
            self._update_index(paths)
        except GitError:
            # One unreadable file must not keep the others from syncing.
            for path in paths:
                try:
                    self._update_index([path])
                except GitError as exc:
                    failed[path] = str(exc)
            if len(failed) == len(paths):
                self._repo.store(os.urandom(8))  # raises if git can store nothing, as on a full disk
        return self._git.line("write-tree"), failed

    def _update_index(self, paths: list[str]) -> None:
        listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._git.run("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=listed)

    def unhide(self) -> None:
        """Drop an index that makes git ignore changes to a file, which would never be synced."""
        if self._index.exists() and _HIDDEN.search(self._git.ask("ls-files", "-v", "-z").out):
            self._index.unlink(missing_ok=True)

    def reset_index(self, head: str | None) -> None:
        """Make the index match the files in `head`; its cached data about unchanged files is kept."""
        if head is None:
            self._index.unlink(missing_ok=True)  # git takes this for an empty index
            return
        order = ("read-tree", "--reset", head)
        if self._git.ask(*order).code:
            self._index.unlink(missing_ok=True)
            if self._git.ask(*order).code:
                self._fill_index(head)
        # Git does not look into a folder that the index calls a submodule: its notes would never be synced.
        if links := _SUBMODULE.findall(self._git.ask("ls-files", "-s", "-z").out):
            self._git.run("update-index", "-z", "--force-remove", "--stdin", stdin=b"\0".join((*links, b"")))
        # The exit code only says whether files differ.
        self._git.ask("update-index", "-q", "--refresh")

    def _fill_index(self, head: str) -> None:
        """Add the regular files of `head` to an empty index; git itself refuses a tree with `.git/x`."""
        rows = [
            f"{FILE_MODE} {blob}\t{change.path}\0"
            for change in self._repo.changes(None, head)
            if is_synced_path(change.path) and (blob := blob_of(change.new))
        ]
        self._git.run("update-index", "-z", "--index-info", stdin="".join(rows).encode() or b"\0")

    def plan(self, old: str | None, new: str, *, apart: dict[str, Write | None]) -> Plan:
        """What a landing from `old` to `new` touches; `apart` has the plan for some paths (None: skip)."""
        plan = Plan()
        for change in self._repo.changes(old, new):
            if change.path in apart:
                continue
            if change.new is None:
                plan.gone.add(change.path)
            if (why := refusal(change.path)) is not None:
                if change.new and why:
                    plan.foreign.add(change.path)
                continue
            write = Write(change.path, blob_of(change.old), blob_of(change.new))
            if write.before != write.after:
                plan.writes.append(write)
            if change.new and not write.after:
                plan.foreign.add(change.path)
        plan.writes += [write for write in apart.values() if write and write.before != write.after]
        return plan

    def check(self, writes: Iterable[Write], known: dict[str, bool]) -> None:
        """Raise TreeChanged unless every file has the expected content, or already the new one."""
        for write in writes:
            is_file = self._is_file(write.path, known)
            if is_file is not False and (self.hash(write.path) if is_file else None) not in write[1:]:
                raise TreeChanged(write.path)

    def land(
        self, plan: Plan, *, write_lock: lock | None = None, progress: Progress | None = None
    ) -> list[str]:
        """Bring the files to their planned content; returns the paths that were touched.

        With a `write_lock`, others may write in between; TreeChanged if they changed a file yet to land.
        """
        pace = _Pace(self.check, write_lock)
        removed = [write for write in plan.writes if write.after is None]
        for write in removed:
            pace.step(write)
            self._remove(write.path)
        wanted = {write.path: write for write in plan.writes if write.after is not None}
        unwritten = load_unwritten(self._repo.own) - {write.path for write in plan.writes} - plan.gone
        blocked = self._blocked(wanted)
        save_unwritten(self._repo.own, unwritten | blocked | plan.foreign)
        free = [write for path, write in wanted.items() if path not in blocked]
        refused = _write_files(self._repo, free, pace, progress=progress)
        save_unwritten(self._repo.own, unwritten | blocked | plan.foreign | refused)
        return [write.path for write in (*removed, *free) if write.path not in refused]

    def _blocked(self, paths: Collection[str]) -> frozenset[str]:
        """The paths that cannot be written: something else is there, or a name differs only in case."""
        known: dict[str, bool] = {}
        return same_names(self._git, paths) | {path for path in paths if self._is_blocked(path, known)}

    def _is_blocked(self, path: str, known: dict[str, bool] | None = None) -> bool:
        return self._is_file(path, known) is False

    def _is_file(self, path: str, known: dict[str, bool] | None = None) -> bool | None:
        """Whether a regular file is there; None if nothing is, so that one can be written."""
        if not self._is_reachable(path, known):
            return False
        try:
            return stat.S_ISREG(os.lstat(f"{self._base}/{path}").st_mode)
        except FileNotFoundError:
            return None
        except OSError:
            return False  # the file system refuses the name

    def _remove(self, path: str) -> None:
        if self._is_blocked(path):
            return
        full = self._root / path
        full.unlink(missing_ok=True)
        folder = full.parent
        while folder != self._root and not (folder.parent == self._root and folder.name in TYPES):
            try:
                folder.rmdir()
            except OSError:
                break  # not empty
            folder = folder.parent
        if folder.is_dir():
            sync_folder(folder)

    def complete(
        self, head: str, *, only: Collection[str] | None = None, apart: Collection[str] = ()
    ) -> list[str]:
        """Write the missing files of `head`, or of `only`, except moved notes; returns the paths written."""
        tree = {
            change.path: blob
            for change in self._repo.changes(None, head)
            if is_synced_path(change.path) and (blob := blob_of(change.new))
        }
        asked = [path for path in tree if path not in apart and (only is None or path in only)]
        missing = {path: tree[path] for path in asked if not os.path.lexists(f"{self._base}/{path}")}
        moved = self._ids_beside(tree) if missing else frozenset()
        if moved:
            ids = dict(self._git.blobs(set(missing.values())))
            missing = {path: blob for path, blob in missing.items() if read_id(ids[blob]) not in moved}
        blocked = self._blocked(missing)
        wanted = [Write(path, None, oid) for path, oid in missing.items() if path not in blocked]
        refused = _write_files(self._repo, wanted, _Pace(self.check, None))
        return [write.path for write in wanted if write.path not in refused]

    def _ids_beside(self, tree: Collection[str]) -> frozenset[str]:
        """The ids of notes in files that `tree` lacks, and of machine-local notes."""
        listed = self._git.run("ls-files", "-z", "-o").split(b"\0")
        paths = (path.decode("utf-8", "surrogateescape") for path in listed)
        new = [path for path in paths if path.endswith(".md") and path not in tree and is_synced_path(path)]
        ids = {read_id(self.read(path) or b"") for path in new}
        return frozenset((*filter(None, ids), *PrivateNotes(self._root).paths()))

    def undo(self, writes: Iterable[Write]) -> None:
        """Restore the files that an interrupted landing had already replaced."""
        for write in writes:
            if self._is_blocked(write.path) or self.hash(write.path) != write.after:
                continue
            if write.before is None:
                self._remove(write.path)
            else:
                write_atomic(self._root / write.path, self._git.blob(write.before))

    def clear_temporary(self, writes: Iterable[Write]) -> None:
        """Remove the temporary files of interrupted atomic writes; the caller holds the write lock."""
        for folder in {(self._root / write.path).parent for write in writes}:
            for leftover in folder.glob(f"{TEMP_PREFIX}*"):
                leftover.unlink(missing_ok=True)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is none, or it is not a regular file."""
        return None if self._is_blocked(path) else self._bytes(path)

    def hash(self, path: str) -> str | None:
        """The blob name of a file's content; None if it cannot be read."""
        data = self._bytes(path)
        return None if data is None else self._repo.hash(data)

    def _bytes(self, path: str) -> bytes | None:
        try:
            return read_regular(f"{self._root}/{path}")
        except OSError:
            return None

    def mark(self, path: str) -> Mark | None:
        """A fingerprint that changes when the file is written; None if there is no file."""
        try:
            info = os.lstat(self._root / path)
        except OSError:
            return None
        return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


class _Pace:
    """Shares the write lock while many files land; then checks each file again before it is written."""

    def __init__(
        self, check: Callable[[list[Write], dict[str, bool]], None], write_lock: lock | None
    ) -> None:
        self._check = check
        self._write_lock = write_lock
        self._folders: dict[str, bool] | None = None  # folders seen since the lock was last shared

    def step(self, write: Write | None = None) -> None:
        """Let others write if it is time; TreeChanged if they changed the next file."""
        if self._write_lock is not None and self._write_lock.share(after=_SHARE_SECONDS):
            self._folders = {}
        if self._folders is not None and write is not None:
            self._check([write], self._folders)


def _write_files(
    repo: Repo, writes: list[Write], pace: _Pace, *, progress: Progress | None = None
) -> frozenset[str]:
    """Write blobs to files; returns the paths that the file system refuses."""
    refused: set[str] = set()
    many = len(writes) > MANY
    root, temp = str(repo.folder), f"{repo.own}/{TEMP_PREFIX}{os.getpid()}"
    contents = repo.git.blobs(write.after or "" for write in writes)
    for done, (write, (_, data)) in enumerate(zip(writes, contents, strict=True), 1):
        pace.step(write)
        try:
            if many:
                _write_unsynced(f"{root}/{write.path}", data, temp=temp)
            else:
                write_atomic(repo.folder / write.path, data)
        except OSError as exc:
            if exc.errno not in _NAME_REFUSED:
                raise
            refused.add(write.path)
        if progress is not None:
            progress(done, len(writes))
    if many:
        sync_files([f"{root}/{write.path}" for write in writes], meanwhile=pace.step)
    return frozenset(refused)


def _write_unsynced(path: str, data: bytes, *, temp: str) -> None:
    """Write a file atomically by way of `temp`; the caller makes it durable."""
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)
    try:
        os.replace(temp, path)
    except FileNotFoundError:
        make_folder(Path(path).parent)
        os.replace(temp, path)
