"""Removes what keeps git from starting, before a sync. None of it contains a note.

Backup and sync tools leave folders and dead symlinks where git expects files, and the reverse; a crash leaves
lock files and damaged small files. Git, or the next step of a sync, creates new ones.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from anamnesis.files import is_device, read_text, write_atomic
from anamnesis.git import Git, git_dir, is_oid
from anamnesis.layout import GIT_FILES, MAIN, OWN_FOLDER
from anamnesis.sync.repo import PACKED_REF, Repo

_FILES = (*GIT_FILES, "logs/HEAD", f"logs/{MAIN}")
_FOLDERS = (
    *(OWN_FOLDER, "refs", "refs/heads", "objects", "objects/pack", "info"),
    *("logs", "logs/refs", "logs/refs/heads"),
)
# Sections of `key = value` lines and comments, at least one of them; git does not start with anything else.
_CONFIG = re.compile(r"\s*(?:(?:\[[^\]\n\0]+\]|[#;][^\n\0]*|[A-Za-z][\w-]*[^\n\0]*)\s*)+\Z")
# Seconds that a lock file must stay unchanged before it counts as stale. We watch it instead of reading its
# date, because after a jump of the clock a lock in use would look old.
_STALE_AFTER = 2.0
_LONGEST_WAIT = 20.0  # seconds for locks that others keep writing to; then git reports the problem


def unblock_git(repo: Repo) -> None:
    """Remove what keeps git from starting, and stale lock files."""
    clear_obstacles(repo)
    if repo.git.dir.is_dir():
        _clear_locks(repo.git.dir)


def clear_obstacles(repo: Repo) -> list[str]:
    """Move aside or repair files that keep git from starting; returns remarks."""
    dot = repo.folder / ".git"
    leads_nowhere = dot.is_symlink() and not dot.exists()
    if leads_nowhere or (dot.is_file() and not git_dir(repo.folder).is_dir()):
        # Rebuild it here, not at the symlink's target, which is outside the store.
        dot.unlink()
        repo.git = Git(repo.folder, email=repo.git.email)
    remarks = _move_obstacles_aside(repo.git.dir)
    if is_device(attributes := repo.folder / ".gitattributes"):
        remarks.append(_set_aside(attributes))
    config, shallow = repo.git.dir / "config", repo.git.dir / "shallow"
    if config.is_file() and not _CONFIG.match(read_text(config)):
        config.replace(config.with_name("config.broken"))
    if shallow.is_file() and not all(map(is_oid, read_text(shallow).split())):
        shallow.unlink()
    return [*remarks, *_repair_packed_refs(repo)]


def _repair_packed_refs(repo: Repo) -> list[str]:
    """Drop unreadable lines of `packed-refs`; a branch that is lost this way is recovered later."""
    if repo.has_readable_refs():
        return []
    folder, lines = repo.git.dir, repo.packed_refs()
    write_atomic(folder / "packed-refs.broken", b"".join(lines))
    write_atomic(folder / "packed-refs", b"".join(filter(PACKED_REF.fullmatch, lines)))
    return [f"packed-refs in {folder} was damaged and is repaired; see packed-refs.broken next to it"]


def _move_obstacles_aside(git_dir: Path) -> list[str]:
    """Rename files and folders of the wrong kind; returns a remark on each."""
    wrong = [path for name in _FILES if _is_other_than(stat.S_ISREG, path := git_dir / name)]
    wrong += [path for name in _FOLDERS if _is_other_than(stat.S_ISDIR, path := git_dir / name)]
    remarks = []
    for path in wrong:
        with suppress(FileNotFoundError):  # another process was faster
            remarks.append(_set_aside(path))
    return remarks


def _is_other_than(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether something of another kind is at `path`; asked once, because git may be creating it now."""
    try:
        return not kind(path.stat().st_mode)
    except FileNotFoundError:
        return path.is_symlink()  # it leads nowhere
    except NotADirectoryError:
        return False  # its folder is the obstacle
    except OSError:
        return True  # a link to itself


def _set_aside(path: Path) -> str:
    """Move a file or folder of the wrong kind out of the way; returns a remark on it."""
    kind = _kind(path)
    if is_device(path):  # it contains no text, and inside refs git would open it under any name
        path.unlink()
        return f"{path} was {kind}; it is removed"
    return f"{path} was {kind}; it is now {_move_aside(path).name}"


def _move_aside(path: Path) -> Path:
    """Rename a file or folder to a free name next to it; returns its new path."""
    # In the same folder, so that references stay references.
    names = (path.with_name(f"{path.name}.aside{number or ''}") for number in range(1000))
    return path.rename(next(name for name in names if not os.path.lexists(name)))


def _kind(path: Path) -> str:
    if path.is_symlink():
        return "a link to a pipe or a device" if is_device(path) else "a link that leads to no such thing"
    if path.is_dir():
        return "a folder"
    return "a file" if path.is_file() else "a pipe or a device"


def _clear_locks(git_dir: Path) -> None:
    """Remove stale lock files, and references that are not valid."""
    known: dict[Path, tuple[tuple[int, int], float]] = {}  # the mark of each, and since when it has it
    deadline = time.monotonic() + _LONGEST_WAIT
    while locks := {path: mark for path in _lock_files(git_dir) if (mark := _mark(path))}:
        now = time.monotonic()
        seen = {path: known.get(path, (mark, now)) for path, mark in locks.items()}
        known = {path: seen[path] if seen[path][0] == mark else (mark, now) for path, mark in locks.items()}
        for path, (_, since) in known.items():
            if now - since >= _STALE_AFTER:
                _remove_lock(path)
        if now >= deadline:
            return
        time.sleep(0.05)


def _lock_files(git_dir: Path) -> list[Path]:
    locks = [Path(entry.path) for entry in os.scandir(git_dir) if entry.name.endswith(".lock")]
    for folder, folders, names in os.walk(git_dir / "refs"):
        locks += [Path(folder, name) for name in (*folders, *names) if name.endswith(".lock")]
        for path in (Path(folder, name) for name in names if not name.endswith(".lock")):
            text = read_text(path).strip()
            if not is_oid(text) and not text.startswith("ref: "):
                path.unlink(missing_ok=True)
    return locks


def _remove_lock(path: Path) -> None:
    with suppress(FileNotFoundError):  # its own process removed it
        if path.is_dir() and not path.is_symlink():
            _move_aside(path)  # git creates no folders here, so it may contain someone's files
        else:
            path.unlink()


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
