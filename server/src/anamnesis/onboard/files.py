"""Our part in someone else's file: JSON, or a block in TOML or text. A change is planned before it is made.

A changed JSON file is written with an indent of 2 and letters as they are; the text before is kept beside it
as `.bak`. A file that is not plain JSON (comments) is refused, with the lines to paste.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from anamnesis.errors import ConfigError
from anamnesis.files import remove as remove_file
from anamnesis.files import write_atomic

Json = dict[str, object]
Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Setup:
    """The values for a setup: our command, its variables, and the name of the MCP server."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    name: str = "anamnesis"


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change to one file of an agent; None means no file."""

    agent: str
    path: Path
    before: str | None
    after: str | None

    @property
    def has_effect(self) -> bool:
        """Whether the change alters the file."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A part of a JSON object, as two functions from the object to the new one."""

    add: Callable[[Json, Setup], Json]
    remove: Callable[[Json, Setup], Json]

    def changed(self, text: str | None, setup: Setup, *, remove: bool) -> str | None:
        """The object's text with our part, or without it."""
        try:
            settings = parsed(text)
        except ConfigError as exc:
            lines = json_text(self.add({}, setup))
            raise exc if remove else ConfigError(f"{exc}; or add this to it yourself:\n{lines}") from exc
        new = self.remove(settings, setup) if remove else self.add(settings, setup)
        if text is not None and new == settings:
            return text
        return json_text(new) if new else None


@dataclass(frozen=True, slots=True)
class Block:
    """Lines between two comments, at the end of a file that is not ours."""

    start: str
    end: str
    content: Callable[[Setup], str]
    is_toml: bool = False

    def changed(self, text: str | None, setup: Setup, *, remove: bool) -> str | None:
        """The text with our block at its end, or without it."""
        if text is None and remove:
            return None
        text = text or ""
        if text.count(self.start) != text.count(self.end) or text.count(self.start) > 1:
            raise ConfigError("the comments around our lines are damaged; remove them and run init again")
        block = rf"\n?{re.escape(self.start)}.*?{re.escape(self.end)}\n?"
        rest = re.sub(block, "", text, flags=re.DOTALL)
        self._check(rest, "fix it")
        if remove:
            return rest or None
        gap = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
        new = f"{rest}{gap}{self.start}\n{self.content(setup)}{self.end}\n"
        self._check(new, "remove the entry that `init` did not write, or choose another --name,")
        return new

    def _check(self, text: str, remedy: str) -> None:
        try:
            tomllib.loads(text if self.is_toml else "")
        except tomllib.TOMLDecodeError as exc:
            raise ConfigError(f"it would not be valid TOML ({exc}); {remedy} and run init again") from exc


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that only we write; a file without our `mark` belongs to someone else."""

    mark: str
    content: Callable[[Setup], str]

    def changed(self, text: str | None, setup: Setup, *, remove: bool) -> str | None:
        """Our text, or no file; someone else's file is refused, and stays when ours is removed."""
        is_foreign = bool(text) and self.mark not in (text or "")
        if remove:
            return text if is_foreign else None
        if is_foreign:
            raise ConfigError("`init` did not write it; move it and run init again")
        return self.content(setup)


Part = JsonPart | Block | OwnFile  # one of our parts in a file


def planned(agent: str, path: Path, parts: Sequence[Part], setup: Setup, *, remove: bool = False) -> Change:
    """The change that adds every part to a file, or removes it."""
    real, here = Path(os.path.realpath(path)), Path.cwd()
    if path.is_relative_to(here) and not real.is_relative_to(os.path.realpath(here)):
        # A cloned repository may contain such a link.
        raise ConfigError(f"{path} is a link that leads out of {here}; remove it and run init again")
    before = after = read_text(path)
    try:
        for part in parts:
            after = part.changed(after, setup, remove=remove)
    except ConfigError as exc:
        raise ConfigError(f"{path}: {exc}") from exc
    return Change(agent, path, before, after)


def read_text(path: Path) -> str | None:
    """The text of a file, None if there is none; ConfigError if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, OSError) as exc:
        raise ConfigError(f"{path} cannot be read as UTF-8 text ({exc}); fix it and run init again") from exc


def apply_change(change: Change, *, keep: bool = True) -> Path | None:
    """Write or remove the file; returns the path of the backup, None if there is none.

    With `keep`, the text before is kept as the backup. A symlink stays a symlink: its target is replaced.
    """
    target, backup = Path(os.path.realpath(change.path)), None
    mode = 0o600 if change.before is None else target.stat().st_mode & 0o777
    if change.before is not None and keep:
        backup = change.path.with_name(change.path.name + ".bak")
        write_atomic(backup, change.before.encode(), mode=mode)
    if change.after is None:
        remove_file(target)
    else:
        write_atomic(target, change.after.encode(), mode=mode)
    return backup


def parsed(text: str | None) -> Json:
    """The JSON object in a text, {} if it is blank; ConfigError if there is something else."""
    if text is None or not text.strip():
        return {}
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"this is not plain JSON ({exc}); fix it and run init again") from exc
    return checked(value, dict, "the file")


def checked(value: object, kind: type[Kind], key: str) -> Kind:
    """A value of a foreign file if it is of this kind; ConfigError if not."""
    if isinstance(value, kind):
        return value
    expected = "a JSON object" if kind is dict else "a list"
    raise ConfigError(f"`{key}` is not {expected}; fix it and run init again")


def json_text(value: object) -> str:
    """A value as the text of a JSON file, letters as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
