"""Folders and dead links where git expects files, and the reverse: moved aside before a sync.

Backup and sync tools leave such things behind. Git stops at them; without them it, or the next step of a
sync, makes new ones.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from anamnesis.layout import MAIN, OWN_FOLDER

_FILES = ("HEAD", "config", "index", "packed-refs", "shallow", "commondir", MAIN, "logs/HEAD", f"logs/{MAIN}")
_FOLDERS = (
    *(OWN_FOLDER, "refs", "refs/heads", "objects", "objects/pack", "info"),
    *("logs", "logs/refs", "logs/refs/heads"),
)


def move_obstacles_aside(git_dir: Path) -> list[str]:
    """Rename what is of the wrong kind; returns a remark on each."""
    files, folders = ([git_dir / name for name in names] for names in (_FILES, _FOLDERS))
    wrong = [path for path in files if not path.is_file()]
    wrong += [path for path in folders if not path.is_dir()]
    remarks = []
    for path in filter(os.path.lexists, wrong):
        with suppress(FileNotFoundError):  # another process was faster
            kind = _kind(path)
            remarks.append(f"{path} was {kind}; it is now {move_aside(path).name} beside it")
    return remarks


def move_aside(path: Path) -> Path:
    """Give a file or folder a free name beside it; returns its new path."""
    return path.rename(_free_name(path))


def _kind(path: Path) -> str:
    if path.is_symlink():
        return "a link that leads to no such thing"
    if path.is_dir():
        return "a folder"
    return "a file" if path.is_file() else "a pipe or a device"


def _free_name(path: Path) -> Path:
    # Beside it: references in a folder stay references.
    names = (path.with_name(f"{path.name}.aside{number or ''}") for number in range(1000))
    return next(name for name in names if not os.path.lexists(name))
