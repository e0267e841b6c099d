"""What adding or removing our parts would change in files, and making those changes.

A change is planned first, so it can be previewed. Removing restores the bytes from before `init` if only we
changed the file since; a backup never contains our parts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.files import remove, write_atomic
from anamnesis.onboard.parts import Part, Setup


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change to one file, and the text to back up; None means no file."""

    path: Path
    before: str | None
    after: str | None
    backup: str | None

    @property
    def has_effect(self) -> bool:
        """Whether the change alters the file."""
        return self.before != self.after


def changes_to_add(parts: Iterable[Part], setup: Setup) -> list[Change]:
    """The changes that add every part; a backup never contains our parts."""
    return [_plan_adding(path, each, setup) for path, each in _by_file(parts).items()]


def changes_to_remove(parts: Iterable[Part], setup: Setup) -> list[Change]:
    """The changes that remove the parts: the bytes from before `init`, if only we changed the file."""
    return [_plan_removing(path, each, setup) for path, each in _by_file(parts).items()]


def command_lines(parts: Iterable[Part], setup: Setup) -> list[str]:
    """Our command lines in the files of the parts."""
    return [line for part in parts for line in part.lines(read_text(part.path), setup)]


def _by_file(parts: Iterable[Part]) -> dict[Path, list[Part]]:
    files: dict[Path, list[Part]] = {}
    for part in parts:
        files.setdefault(part.path, []).append(part)
    return files


def _plan_adding(path: Path, parts: Sequence[Part], setup: Setup) -> Change:
    _refuse_foreign_link(path)
    before = read_text(path)
    theirs = _without(parts, before, setup)
    # The first backup has the user's own bytes; a later one would contain our changes.
    backup = _backup_from_before(path, parts, setup) if theirs != before else None
    is_known = backup is not None and _round_trips_to(parts, backup, setup, theirs)
    return Change(path, before, _with(parts, before, setup), backup if is_known else theirs)


def _plan_removing(path: Path, parts: Sequence[Part], setup: Setup) -> Change:
    before = read_text(path)
    after = _without(parts, before, setup)
    backup = _backup_from_before(path, parts, setup) if after != before else None
    if backup is not None:
        empty = "{}\n" if path.suffix == ".json" else ""
        after = backup if _round_trips_to(parts, backup, setup, after) else empty if after is None else after
    return Change(path, before, after, before)


def _refuse_foreign_link(path: Path) -> None:
    """Refuse a symlink in the current project that leads out of it, because a clone may contain one."""
    here = Path.cwd()
    real = Path(os.path.realpath(path))
    if path.is_relative_to(here) and not real.is_relative_to(os.path.realpath(here)):
        raise ConfigError(f"{path} is a link that leads out of {here}; remove it and run init again")


def _backup_from_before(path: Path, parts: Sequence[Part], setup: Setup) -> str | None:
    """The backup of a file if it is readable and has none of our parts: the file existed before `init`."""
    try:
        backup = read_text(_backup(path))
        return backup if _without(parts, backup, setup) == backup else None
    except ConfigError:
        return None


def _with(parts: Iterable[Part], text: str | None, setup: Setup) -> str | None:
    for part in parts:
        text = part.add(text, setup)
    return text


def _without(parts: Iterable[Part], text: str | None, setup: Setup) -> str | None:
    for part in parts:
        text = part.remove(text, setup)
    return text


def _round_trips_to(parts: Sequence[Part], text: str, setup: Setup, rest: str | None) -> bool:
    """Whether adding the parts to the text and removing them again gives `rest`, or JSON like it."""
    left = _without(parts, _with(parts, text, setup), setup)
    return left == rest or _content(left) == _content(rest)


def _content(text: str | None) -> object:
    if text is None or not text.strip():
        return {}
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return text


def _backup(path: Path) -> Path:
    return path.with_name(path.name + ".bak")


def read_text(path: Path) -> str | None:
    """The text of a file, None if there is none; ConfigError if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path} is not UTF-8 text ({exc}); fix it and run init again") from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read ({exc.strerror}); check its permissions") from exc


def apply_change(change: Change) -> Path | None:
    """Write or remove the file; returns the path of the backup, None if there is none.

    A symlink stays a symlink: its target is replaced.
    """
    target = Path(os.path.realpath(change.path))
    if change.after is None:
        remove(target)
        return None
    mode, backup = 0o600, None
    if change.before is not None:
        mode = target.stat().st_mode & 0o777
    if change.backup is not None:
        backup = _backup(change.path)
        write_atomic(backup, change.backup.encode(), mode=mode)
    write_atomic(target, change.after.encode(), mode=mode)
    return backup
