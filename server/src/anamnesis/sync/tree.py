"""The live files of a store: what differs from its commit, what stays here and why, landing what was fetched.

Git only reads here. We write files one by one: staged and durable beside the tree, then renamed over the live
file, if that still has the content that was merged. An interrupted landing is undone by the next session.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from anamnesis.files import TEMP_PREFIX, make_folder, remove, sync_files, sync_folder, write_atomic
from anamnesis.git import FILE_MODE, hash_of
from anamnesis.layout import OWN_FOLDER
from anamnesis.notes.record import read_id
from anamnesis.notes.vocabulary import MAX_BYTES, TYPES
from anamnesis.sync.paths import NOT_A_NOTE, bytes_of, private_notes, refusal, same_names, shown
from anamnesis.sync.repo import Repo, blob_of
from anamnesis.sync.results import LeftOut, WaitingFile
from anamnesis.sync.state import Held, Write, load_state, paths_of
from anamnesis.sync.waiting import Search, SecretInFile, find_unallowed, waiting_files

_NAME_REFUSED = frozenset((errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.ENOTDIR))
_NO_OBJECT = "0" * 40
_ORDER = "status --porcelain=v2 --branch -z -uall --ignored --no-renames --no-ahead-behind".split()


class TreeChanged(Exception):
    """A file changed just before a sync replaced it; the sync starts over with the new content."""


@dataclass(slots=True)
class Status:
    """What `git status` says: HEAD's commit, and each changed path with its blob in that commit."""

    head: str = ""
    changed: dict[str, str | None] = field(default_factory=dict)
    unmerged: dict[str, set[str]] = field(default_factory=dict)  # path -> the blobs of its stages
    is_staged: bool = False  # whether git's index differs from HEAD


class Tree:
    """The files under the store's `memory/`, and git's index of them."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._root = str(repo.folder)

    def status(self) -> Status:
        """What differs from HEAD; no ignore rule hides a file."""
        found = Status()
        for row in self._repo.git.run(*_ORDER).decode("utf-8", "surrogateescape").split("\0"):
            kind, _, rest = row.partition(" ")
            if row.startswith("# branch.oid "):
                found.head = row[13:].replace("(initial)", "")
            elif kind in "?!":
                found.changed.update({rest: None} if rest else {})
            elif kind == "1":
                state, _, _, _, _, blob, _, path = rest.split(" ", 7)
                found.changed[path] = None if blob == _NO_OBJECT else blob
                found.is_staged |= state[0] != "."
            elif kind == "u":
                *_, one, two, three, path = rest.split(" ", 9)
                found.unmerged[path] = {one, two, three}
        return found

    def remove_temporary(self, status: Status) -> None:
        """Remove what a killed process left: a living one holds the write lock, which is ours now."""
        for path in [path for path in status.changed if path.rpartition("/")[2].startswith(TEMP_PREFIX)]:
            remove(f"{self._root}/{path}")
            del status.changed[path]

    def reset_index(self, head: str) -> None:
        """Make git's index match `head`; its cached data about unchanged files is kept."""
        index = self._repo.git.dir / "index"
        if not head:
            index.unlink(missing_ok=True)  # git takes this for an empty index
            return
        if self._repo.git.ask("read-tree", "--reset", head).code:
            # Git refuses a tree with names like `.git/x`, which a hostile remote may have.
            index.unlink(missing_ok=True)
            rows = [f"{FILE_MODE} {blob}\t{path}\0" for path, blob in self.files(head).items()]
            self._repo.git.run("update-index", "-z", "--index-info", stdin="".join(rows).encode() or b"\0")
        self._repo.git.ask("update-index", "-q", "--refresh")  # the code only says whether files differ

    def files(self, head: str) -> dict[str, str]:
        """The files of a commit that are synced, each with its blob."""
        known = ((change.path, blob_of(change.new)) for change in self._repo.changes(None, head))
        return {path: blob for path, blob in known if blob and refusal(path) is None}

    def refusal_of(self, path: str) -> str | None:
        """Why the file at a good name is not synced ("" if that is not worth reporting); None if it is."""
        if not self._is_reachable(path):
            return ""  # and a file that vanished because its folder became a symlink is not deleted
        try:
            status = os.lstat(f"{self._root}/{path}")
        except FileNotFoundError:
            return None
        except OSError:
            return ""
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        if status.st_size > MAX_BYTES:
            return f"it is larger than {MAX_BYTES:,} bytes"
        return None if os.access(f"{self._root}/{path}", os.R_OK) else "it cannot be read"

    def _is_reachable(self, path: str) -> bool:
        """Whether no folder in `path` is a symlink or a file."""
        folder = os.path.dirname(f"{self._root}/{path}")
        while len(folder) > len(self._root):
            if os.path.islink(folder) or os.path.isfile(folder):
                return False
            folder = os.path.dirname(folder)
        return True

    def is_file(self, path: str) -> bool:
        """Whether a regular file is there."""
        full = f"{self._root}/{path}"
        return self._is_reachable(path) and os.path.isfile(full) and not os.path.islink(full)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is none, or it is not a regular file."""
        return bytes_of(f"{self._root}/{path}") if self._is_reachable(path) else None

    def hash(self, path: str) -> str | None:
        """The blob name of a file's content; None if there is none."""
        data = self.read(path)
        return None if data is None else hash_of(data)

    def blocked(self, paths: Collection[str], head: str) -> set[str]:
        """The paths that cannot be files here: something else is there, or a name differs only in case."""
        wrong = {path for path in paths if not self._is_reachable(path) or self._is_other(path)}
        if (self._repo.folder / ".GIT").exists():  # the file system ignores case
            wrong |= same_names(paths, [change.path for change in self._repo.changes(None, head)])
        return wrong

    def _is_other(self, path: str) -> bool:
        """Whether something that is not a file is there, or the file system refuses the name."""
        try:
            return not stat.S_ISREG(os.lstat(f"{self._root}/{path}").st_mode)
        except FileNotFoundError:
            return False
        except OSError:
            return True

    def check(self, writes: Iterable[Write]) -> None:
        """Raise TreeChanged unless every file has the expected content, or already the new one."""
        for write in writes:
            if self.hash(write.path) not in (write.before, write.after):
                raise TreeChanged(write.path)

    def land(self, writes: list[Write]) -> set[str]:
        """Bring the files to their planned content, new files first; returns the paths that the disk refuses.

        TreeChanged if a file was changed just before it was replaced.
        """
        arriving = [write for write in writes if write.after is not None]
        refused: set[str] = set()
        for write, temp in zip(arriving, self._stage(arriving), strict=True):
            self.check([write])
            try:
                _place(temp, f"{self._root}/{write.path}")
            except OSError as exc:
                if exc.errno not in _NAME_REFUSED:
                    raise
                refused.add(write.path)
        for folder in {os.path.dirname(f"{self._root}/{write.path}") for write in arriving}:
            if os.path.isdir(folder):
                sync_folder(folder)
        for write in writes:
            if write.after is None:
                self.check([write])
                self.remove(write.path)
        return refused

    def _stage(self, writes: list[Write]) -> list[str]:
        """Write the contents to temporary files and make them durable; returns their paths."""
        folder = self._repo.git.dir / OWN_FOLDER / "staged"
        make_folder(folder)
        temps: list[str] = []
        for number, (_, data) in enumerate(self._repo.git.blobs(write.after or "" for write in writes)):
            temps.append(f"{folder}/{number}")
            descriptor = os.open(temps[-1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(data)
        sync_files(temps)
        return temps

    def write(self, path: str, data: bytes) -> None:
        """Replace one file, which the caller has saved or merged."""
        write_atomic(f"{self._root}/{path}", data)

    def remove(self, path: str) -> None:
        """Remove a file, and its folder if that has become empty."""
        full = Path(self._root, path)
        if not self._is_reachable(path) or (full.exists() and not full.is_file()):
            return
        full.unlink(missing_ok=True)
        folder = full.parent
        while folder != self._repo.folder and folder.relative_to(self._repo.folder).as_posix() not in TYPES:
            try:
                folder.rmdir()
            except OSError:
                break  # not empty
            folder = folder.parent
        if folder.is_dir():
            sync_folder(folder)

    def undo(self, writes: Iterable[Write]) -> None:
        """Restore the files that an interrupted landing had already replaced; edited ones stay."""
        for write in writes:
            if write.before == write.after or self.hash(write.path) != write.after:
                continue
            if write.before is None:
                self.remove(write.path)
            elif data := self.blob(write.before):
                self.write(write.path, data)

    def blob(self, oid: str | None) -> bytes | None:
        """The content of a blob; None if there is none, or it was lost with the repository."""
        return next((data for _, data in self._repo.git.contents([oid])), None) if oid else None

    def complete(
        self, head: str, *, only: Collection[str] | None = None, apart: Collection[str] = ()
    ) -> list[str]:
        """Write the missing files of `head`, or of `only`, except moved notes; returns the paths written.

        They count as lost, not as deleted.
        """
        tree = self.files(head)
        asked = [path for path in tree if path not in apart and (only is None or path in only)]
        missing = {path: tree[path] for path in asked if not os.path.lexists(f"{self._root}/{path}")}
        if moved := self._ids_beside(tree) if missing else None:
            texts = dict(self._repo.git.blobs(set(missing.values())))
            missing = {path: blob for path, blob in missing.items() if read_id(texts[blob]) not in moved}
        blocked = self.blocked(missing, head)
        writes = [Write(path, None, blob) for path, blob in missing.items() if path not in blocked]
        refused = self.land(writes)
        return [write.path for write in writes if write.path not in refused]

    def _ids_beside(self, tree: Collection[str]) -> frozenset[str]:
        """The ids of notes in files that `tree` lacks, and of machine-local notes."""
        paths = (full.relative_to(self._repo.folder).as_posix() for full in self._repo.folder.rglob("*.md"))
        beside = (path for path in paths if path not in tree and refusal(path) is None)
        ids = {read_id(self.read(path) or b"") for path in beside}
        return frozenset((*filter(None, ids), *private_notes(self._repo.folder.parent)))


def _place(temp: str, path: str) -> None:
    """Move a staged file to its place."""
    try:
        os.replace(temp, path)
    except FileNotFoundError:
        make_folder(os.path.dirname(path))
        os.replace(temp, path)


class Changes:
    """The changed files of one store, sorted into those to commit and those that stay here."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.tree = Tree(repo)
        self.state = load_state(repo.folder)
        self.left_out: dict[str, str] = {}
        self._waiting: list[WaitingFile] = []
        self._moved: dict[str, str] = {}  # path in the branch -> the file that keeps it from being deleted
        self._status: Status | None = None

    @property
    def status(self) -> Status:
        """What differs from HEAD; git is asked again after a change."""
        if self._status is None:
            self._status = self.tree.status()
        return self._status

    def collect(self, *, most: int | None = None) -> dict[str, bytes | None]:
        """The changed files that may be committed, with their bytes; sorts out the others, each for a reason.

        At most `most` files are searched for credentials.
        """
        held, texts = self.state.held, self.status.changed
        search = Search(self.repo.folder, self.state.allowed)
        apart, unwritten = set(paths_of(held)), set(self.state.unwritten)
        known = {blob for blob in texts.values() if blob}
        edits: dict[str, bytes | None] = {}
        self.left_out, self._waiting, self._moved = {}, [], {}
        for path, old in sorted(texts.items())[:most]:
            if path in apart:
                continue
            reason = refusal(path)
            if reason is None:
                reason = self.tree.refusal_of(path)
            data = self.tree.read(path) if reason is None else None
            if reason is not None or (data is None and (old is None or path in unwritten)):
                self.left_out.update({path: reason} if reason else {})
            elif data is None:
                edits[path] = None
            elif hash_of(data) != old and not (held and read_id(data) in held):
                committed = partial(self.tree.blob, old)
                if found := search(path, data, committed=committed, is_known=hash_of(data) in known):
                    self._waiting += found
                else:
                    edits[path] = data
        self._keep_moved(edits, texts)
        return edits

    def _keep_moved(self, edits: dict[str, bytes | None], texts: dict[str, str | None]) -> None:
        """Do not commit a note as deleted if its id is in a file that is kept back."""
        gone = {path: blob for path in edits if edits[path] is None and (blob := texts[path])}
        local = [*(each.path for each in self._waiting), *self.left_out]
        kept = [path for path in local if path.endswith(".md")]
        if not gone or not kept:
            return
        ids = {read_id(bytes_of(self.repo.folder / path, follow=True) or b""): path for path in kept}
        contents = dict(self.repo.git.blobs(set(gone.values())))
        for path, blob in gone.items():
            note_id = read_id(contents[blob])
            if note_id is not None and note_id in ids:
                del edits[path]
                self._moved[path] = ids[note_id]

    @property
    def not_synced(self) -> tuple[LeftOut, ...]:
        """The notes on one side only, and other files here, each with its reason, as of the last look.

        Files that only the remote has and that are not notes are nothing to a memory.
        """
        absent = {path for path in self.state.unwritten if not os.path.lexists(self.repo.folder / path)}
        found = {path: refusal(path) or "this machine cannot write a file of that name" for path in absent}
        found |= self.left_out
        return tuple(
            LeftOut(shown(path), why)
            for path, why in sorted(found.items())
            if why != NOT_A_NOTE or os.path.lexists(self.repo.folder / path)
        )

    @property
    def waiting(self) -> tuple[WaitingFile, ...]:
        """What keeps changed files from being committed, as of the last look; held notes' files too."""
        files = list(self._waiting)
        for held in self.state.held.values():
            data = self.tree.read(held.ours_path)
            if data and (found := self._unallowed(data, held)):
                files += waiting_files(held.ours_path, data, found, note_id=held.id)
        return tuple(files)

    def _unallowed(self, data: bytes, held: Held) -> list[SecretInFile]:
        theirs = partial(self.tree.blob, held.theirs)
        return find_unallowed(data, allowed=self.state.allowed, known=theirs)
