"""The git repository of a store: making it ours, setting it aside, its history.

Never reads or writes a file of the work tree; `tree` does that. The repository is never repaired: whatever
keeps git from working, it is set aside whole and a new one is made from its objects or from the remote.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from anamnesis.address import split_login
from anamnesis.errors import GitError, SyncError
from anamnesis.files import make_folder, read_text, write_atomic
from anamnesis.git import AUTHOR, FILE_MODE, HEAD_OF_MAIN, WAIT, Git, machine_name, reason
from anamnesis.git.objects import Change, Entry, parsed_changes
from anamnesis.layout import ASIDE_PREFIX, BRANCH, MAIN, OWN_FOLDER, TRACKING
from anamnesis.sync.state import Failure

REGULAR_MODES = frozenset((FILE_MODE, "100755"))
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_MOST_ASIDE = 3
_ASIDE_SECONDS = 30 * 86_400
# Age of a lock file that was left behind: git locks its index while a person types a commit's message, a
# reference only for an instant.
_STALE_INDEX, _STALE_LOCK = 60, 10
_LOCK_WAIT = 20.0  # seconds to wait for a user's own git
_TIDY_EVERY = 16  # syncs
# For `git status` and the user's own git: no attribute may change a note's bytes or run a program.
_ATTRIBUTES = b"* -text -filter -ident -working-tree-encoding -eol -merge\n"
_EXCLUDE = b"# Files that anamnesis does not sync.\n.*\n*~\n\\#*\\#\n*.sw[a-p]\n*.tmp\n*.lock\nThumbs.db\n"


class Repo:
    """The repository of a store, and the machine that writes to it."""

    def __init__(self, folder: Path, *, machine_id: str) -> None:
        self.machine = machine_name(machine_id)
        self.git = Git(folder, email=f"{AUTHOR}{self.machine}")
        self.folder = folder

    def exists(self) -> bool:
        """Whether there is a repository."""
        return (self.git.dir / "objects").is_dir()

    def create(self) -> None:
        """Create the repository."""
        make_folder(self.folder)
        self.git.run("init", "--quiet", "--template=", "--object-format=sha1", f"--initial-branch={BRANCH}")

    def own(self, remote: str | None) -> None:
        """Make an existing repository ours: no stale locks, our attributes, our remote."""
        _wait_for_locks(self.git.dir)
        shutil.rmtree(self.git.dir / OWN_FOLDER / "staged", ignore_errors=True)
        (self.git.dir / "objects/info/alternates").unlink(missing_ok=True)
        if read_text(self.git.dir / TRACKING).startswith("ref:"):
            (self.git.dir / TRACKING).unlink()  # a fetch would move what it names
        for name, content in (("attributes", _ATTRIBUTES), ("exclude", _EXCLUDE)):
            path = self.git.dir / "info" / name
            if not path.is_file() or path.read_bytes() != content:
                write_atomic(path, content)
        if remote:
            self._set_remote(split_login(remote)[0])

    def _set_remote(self, url: str) -> None:
        """Make `origin` mean only `url`; a password is not stored, callers pass it with each command."""
        config = self.git.dir / "config"
        text = read_text(config)
        lines, own, keeps = [], [f'[remote "origin"]\n\turl = {url}\n\tfetch = +{MAIN}:{TRACKING}\n'], True
        for line in text.splitlines():
            if line.strip().startswith("["):
                keeps = not line.strip().lower().startswith(("[remote", "[url", "[include", "[branch"))
            if keeps:
                lines.append(f"{line}\n")
        if (wanted := "".join(lines + own)) != text:
            write_atomic(config, wanted.encode())

    def set_aside(self) -> Path | None:
        """Move the repository out of the way; returns where it is now, None if there was none."""
        dot = self.folder / ".git"
        if not os.path.lexists(dot):
            return None
        # Names sort by time.
        aside = self.folder.parent / f"{ASIDE_PREFIX}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        dot.rename(aside)
        self.git = Git(self.folder, email=self.git.email)
        for path in list(set_aside_folders(self.folder.parent))[:-_MOST_ASIDE]:
            shutil.rmtree(path, ignore_errors=True)
        return aside

    def copy_history(self, source: Path, commit: str) -> bool:
        """Copy a commit and its history from a repository that was set aside; False if they are not whole."""
        alternates = self.git.dir / "objects/info/alternates"
        write_atomic(alternates, f"{source / 'objects'}\n".encode())
        try:
            pack = str(self.git.dir / "objects/pack/pack")
            self.git.run("pack-objects", "--quiet", "--revs", pack, stdin=f"{commit}\n".encode())
        except GitError as exc:
            if not is_damage(exc):
                raise
            return False
        finally:
            alternates.unlink(missing_ok=True)
        # Git copies what a loose object holds, even if that is another one's content.
        damage = find_damage(self.git, commit)
        if damage:
            for copied in (self.git.dir / "objects/pack").iterdir():
                copied.unlink()
        return not damage

    def has_commit(self, oid: str | None) -> bool:
        """Whether `oid` is a commit of this repository."""
        return bool(oid) and self.git.has(f"{oid}^{{commit}}")

    def main(self) -> str:
        """The commit of the store's branch; "" if there is none."""
        return self.git.ref(MAIN) or ""

    def point(self, ref: str, oid: str | None) -> None:
        """Point a reference to `oid`; None removes it."""
        if oid is None:
            self.git.run("update-ref", "-d", ref)
        else:
            self.git.run("update-ref", "-m", "anamnesis", ref, oid)

    def return_to_main(self, head: str) -> None:
        """Make HEAD the store's branch at `head`."""
        if head != self.main():
            self.point(MAIN, head or None)
        write_atomic(self.git.dir / "HEAD", HEAD_OF_MAIN.encode())

    def merge_base(self, one: str, other: str) -> str | None:
        """The last common ancestor of both."""
        answer = self.git.ask("merge-base", one, other)
        if answer.code > 1:
            raise GitError(f"git cannot compare two commits in {self.folder} ({answer.err.strip()})")
        return answer.out.decode().split("\n")[0] or None

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is in the history of `newer`."""
        return older == newer or self.git.ask("merge-base", "--is-ancestor", older, newer).code == 0

    def changes(self, old: str | None, new: str | None) -> list[Change]:
        """The changes between two commits or trees; none or "" means an empty tree."""
        if old == new:
            return []
        trees = (old or _EMPTY_TREE, new or _EMPTY_TREE)
        out = self.git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", *trees, "--")
        return [change for _, change in parsed_changes(out)]

    def count(self, base: str | None, tip: str) -> int:
        """How many commits `tip` has that `base` lacks."""
        return int(self.git.line("rev-list", "--count", *([tip, f"^{base}"] if base else [tip])))

    def tidy(self, run: int) -> None:
        """Now and then, let git pack its objects."""
        if run % _TIDY_EVERY == 0:
            detach = ("-c", "gc.autoDetach=true", "-c", "maintenance.autoDetach=true")
            self.git.ask("-c", "gc.auto=4000", *detach, "gc", "--auto", "--quiet")


def remote_key(remote: str) -> str:
    """A short digest of a remote's address; the same for any password."""
    return hashlib.sha256(split_login(remote)[0].encode("utf-8", "replace")).hexdigest()[:20]


def blob_of(entry: Entry | None) -> str | None:
    """The blob of an entry that is a regular file."""
    return entry[1] if entry and entry[0] in REGULAR_MODES else None


def set_aside_folders(root: Path) -> Iterator[Path]:
    """The repositories that were set aside, oldest first; those older than 30 days are deleted."""
    for path in sorted(root.glob(f"{ASIDE_PREFIX}*")):
        if abs(time.time() - _changed_at(path)) > _ASIDE_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
        else:
            yield path


_NOT_DAMAGE = (
    "No space left", "uota exceeded", "ermission denied", "Read-only", "dubious ownership", "File too large",
    "not found on the PATH", "could not be started", "said nothing for", "is not a folder",
    "Too many open files", "Cannot allocate memory", "out of memory", "Resource temporarily", "Input/output",
)  # fmt: skip


def is_damage(error: Exception) -> bool:
    """Whether a failure of local git means that the repository must be rebuilt, not that the disk is full."""
    if isinstance(error, OSError):
        is_wrong_kind = isinstance(error, IsADirectoryError | NotADirectoryError | FileExistsError)
        return is_wrong_kind and "/.git" in str(error.filename)
    return not any(words in str(error) for words in _NOT_DAMAGE)


def find_damage(git: Git, *tips: str) -> str:
    """What git finds wrong with everything that is reachable from these commits or any reference; or ""."""
    answer = git.ask("fsck", "--full", "--no-dangling", "--no-reflogs", *tips, silence=WAIT)
    return reason(answer.err) or "git gave no reason" if answer.code else ""


def damaged_here(said: str, git_dir: Path) -> Failure:
    """The store's own repository cannot be read, and rebuilding it did not help."""
    return Failure(
        "damaged here",
        f"the git repository in {git_dir} cannot be used ({reason(said)}), your notes are untouched",
        "`anamnesis doctor` says what is wrong",
    )


def _wait_for_locks(git_dir: Path) -> None:
    """Wait until the user's own git is done; a lock file that is old was left behind and is removed."""
    deadline = time.monotonic() + _LOCK_WAIT
    while locks := list(_locks(git_dir)):
        for path in locks:
            age = time.time() - _changed_at(path, default=0.0)
            if path.is_dir():
                raise GitError(f"{path} is a folder")
            if not 0 <= age < (_STALE_INDEX if path.name == "index.lock" else _STALE_LOCK):
                path.unlink(missing_ok=True)
            elif time.monotonic() > deadline:
                raise SyncError(
                    f"git is working in {git_dir.parent} ({path.name}); sync again when it is done",
                    kind="other",
                )
        time.sleep(0.02)


def _locks(git_dir: Path) -> Iterator[Path]:
    for pattern in ("*.lock", "refs/**/*.lock", "objects/info/*.lock"):
        yield from git_dir.glob(pattern)


def _changed_at(path: Path, *, default: float = -1.0) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return default
