"""Files that are on one side only: those here that do not travel, those of the commit that are not here.

Also the two facts about a file system that decide it: whether it ignores case, and under which of several
spellings git knows a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePosixPath

from anamnesis.git import Git, read_text
from anamnesis.sync.memo import load_unwritten
from anamnesis.sync.paths import folded, refusal, shown
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import LeftOut

_MOST_NAMED = 5


def left_out(repo: Repo, staying: Mapping[str, str]) -> tuple[LeftOut, ...]:
    """Every file that is on one side only, by path; `staying` are those that a scan found here."""
    found = {**_unwritten(repo), **staying}
    return tuple(LeftOut(shown(path), found[path]) for path in sorted(found))


def left_out_text(files: tuple[LeftOut, ...]) -> str:
    """The first few of the files in one line; "" when there are none."""
    named = [f"{each.path} was left out: {each.reason}" for each in files[:_MOST_NAMED]]
    rest = len(files) - _MOST_NAMED
    return "; ".join([*named, f"{rest} more were left out, see `anamnesis status`"] if rest > 0 else named)


def ignores_case(git: Git) -> bool:
    """Whether git found that the file system takes names for the same that differ only in case."""
    return "ignorecase = true" in read_text(git.dir / "config").lower()


def tracked(git: Git) -> list[str]:
    """The paths in git's index."""
    return [os.fsdecode(path) for path in git.run("ls-files", "-z").split(b"\0") if path]


class Spellings:
    """The names of tracked files, to notice a file that git lists a second time in another Unicode form.

    On macOS a file opens under its composed and its decomposed name, and git lists the composed one even
    when the index has the other.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[str, str] | None = None

    def is_tracked(self, path: str) -> bool:
        """Whether `path` is another spelling of a tracked file, and not a second file."""
        if path.isascii():
            return False
        if self._known is None:
            self._known = {folded(name): name for name in tracked(self._git) if not name.isascii()}
        known = self._known.get(folded(path), path)
        return known != path and self._is_one_file(known, path)

    def _is_one_file(self, one: str, other: str) -> bool:
        try:
            return os.path.samestat(*(os.lstat(self._git.folder / name) for name in (one, other)))
        except OSError:
            return False


def _unwritten(repo: Repo) -> dict[str, str]:
    """The files of the store's commit that are not here, each with the reason."""
    is_same = ignores_case(repo.git)
    absent = [path for path in load_unwritten(repo.own) if is_same or not os.path.lexists(repo.folder / path)]
    return {path: _why_unwritten(repo, path) for path in absent}


def _why_unwritten(repo: Repo, path: str) -> str:
    if why := refusal(path):
        return why
    try:
        os.lstat(repo.folder / path)
    except FileNotFoundError:
        pass
    except OSError as exc:
        return f"it cannot be written here: {exc.strerror}"
    folders = [repo.folder / folder for folder in PurePosixPath(path).parents][:-1]
    if any(folder.is_symlink() or folder.is_file() for folder in folders):
        return "it cannot be written here: a folder on its way is a link or a file"
    if ignores_case(repo.git) and folded(path) in {
        folded(name) for name in tracked(repo.git) if name != path
    }:
        return "another file's name differs from it only in case or in the form of its letters"
    return "it cannot be written here: it is a link elsewhere, or this disk does not take its name"
