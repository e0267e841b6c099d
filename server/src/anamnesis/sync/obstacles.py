"""Folders where git expects files, and files where it expects folders: moved aside before a sync.

Backup and sync tools leave such things behind. Git stops at them; without them it, or the next step of a
sync, makes new ones.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from anamnesis.layout import MAIN, OWN_FOLDER

_FILES = ("HEAD", "config", "index", "packed-refs", "shallow", MAIN)
_FOLDERS = (OWN_FOLDER, "refs", "refs/heads", "objects", "info", "logs")


def move_obstacles_aside(git_dir: Path) -> list[str]:
    """Rename what is of the wrong kind; returns a remark on each."""
    files, folders = ([git_dir / name for name in names] for names in (_FILES, _FOLDERS))
    wrong = [(path, "a folder") for path in files if path.is_dir()]
    wrong += [(path, "a file") for path in folders if path.is_file()]
    remarks = []
    for path, kind in wrong:
        with suppress(FileNotFoundError):  # another process was faster
            aside = path.rename(_free_name(path))
            remarks.append(f"{path} was {kind}; it is now {aside.name} beside it")
    return remarks


def _free_name(path: Path) -> Path:
    # Beside it: references in a folder stay references.
    names = (path.with_name(f"{path.name}.aside{number or ''}") for number in range(1000))
    return next(name for name in names if not name.exists())
