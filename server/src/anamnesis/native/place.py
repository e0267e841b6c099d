"""Which project a folder under the client's `projects/` belongs to.

The folder's name is the working directory with everything but letters and digits replaced by `-`, which
cannot be undone; the transcripts in it name the real directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from anamnesis.project import resolve_project_key

_OTHER = re.compile(r"[^A-Za-z0-9]")
_MAX_TRANSCRIPTS = 5
_MAX_FOLDERS = 20


def project_of(folder: Path) -> str:
    """The project key for a folder of the client; its own name, tidied, when no transcript says more."""
    cwd = _working_directory(folder)
    return resolve_project_key(cwd) if cwd else folder.name.strip("-").lower() or "global"


def folder_name(cwd: str) -> str:
    """The client's name for a working directory."""
    return _OTHER.sub(lambda found: "-" if ord(found[0]) < 0x10000 else "--", cwd)


def _working_directory(folder: Path) -> str:
    from anamnesis.session.transcript import first_cwd  # only a folder that was not met before is asked about

    beside = [cwd for path in _transcripts(folder) if (cwd := first_cwd(path))]
    for cwd in beside:
        if folder_name(cwd) == folder.name:
            return cwd
    # The client keeps the memory of a repository at its root; sessions may have started below it.
    for below in _folders_below(folder):
        for cwd in map(first_cwd, _transcripts(below)):
            above = next((str(up) for up in Path(cwd).parents if folder_name(str(up)) == folder.name), "")
            if above:
                return above
    return beside[0] if beside else ""


def _transcripts(folder: Path) -> list[Path]:
    """The newest transcripts of a folder."""
    found = [(state.st_mtime, path) for path, state in regular_files(str(folder)) if path.endswith(".jsonl")]
    return [Path(path) for _, path in sorted(found, reverse=True)[:_MAX_TRANSCRIPTS]]


def _folders_below(folder: Path) -> list[Path]:
    below = [path for path in folders(str(folder.parent)) if path.startswith(f"{folder}-")]
    return [Path(path) for path in below[:_MAX_FOLDERS]]


def folders(folder: str) -> list[str]:
    """The folders in a folder by name, without symlinks; none when it cannot be read."""
    return [entry.path for entry in _scan(folder) if entry.is_dir(follow_symlinks=False)]


def regular_files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The regular files in a folder by name, with their state; none when it cannot be read."""
    for entry in _scan(folder):
        try:
            if entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False)
        except OSError:
            continue  # removed while the folder was read


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
