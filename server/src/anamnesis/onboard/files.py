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
_MARKDOWN_MARKS = ("<!-- anamnesis: start -->", "<!-- anamnesis: end -->")
_TOML_MARKS = ("# >>> anamnesis init", "# <<< anamnesis init")


@dataclass(frozen=True, slots=True)
class Setup:
    """The values for a setup: our command and its variables."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


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


def with_block(text: str | None, content: str | None, *, is_toml: bool) -> str | None:
    """The text with our lines at its end, between two comments; with None, without them."""
    if text is None and content is None:
        return None
    text = text or ""
    start, end = _TOML_MARKS if is_toml else _MARKDOWN_MARKS
    if text.count(start) != text.count(end) or text.count(start) > 1:
        raise ConfigError("the comments around our lines are damaged; remove them and run init again")
    rest = re.sub(rf"\n?{re.escape(start)}.*?{re.escape(end)}\n?", "", text, flags=re.DOTALL)
    _check_toml(rest if is_toml else "", "fix it")
    if content is None:
        return rest or None
    gap = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
    new = f"{rest}{gap}{start}\n{content}{end}\n"
    _check_toml(new if is_toml else "", "remove the entry that `init` did not write")
    return new


def _check_toml(text: str, remedy: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"it would not be valid TOML ({exc}); {remedy} and run init again") from exc


def own_file(text: str | None, content: str | None, *, mark: str) -> str | None:
    """The text of a file that only we write; with None, no file. One without our `mark` is someone else's."""
    is_foreign = bool(text) and mark not in (text or "")
    if is_foreign and content is not None:
        raise ConfigError("`init` did not write it; move it and run init again")
    return text if is_foreign else content


def change_between(agent: str, path: Path, changed: Callable[[str | None], str | None]) -> Change:
    """The change from a file's text to what `changed` makes of it; ConfigError names the file."""
    real, here = Path(os.path.realpath(path)), Path.cwd()
    if path.is_relative_to(here) and not real.is_relative_to(os.path.realpath(here)):
        # A cloned repository may contain such a link.
        raise ConfigError(f"{path} is a link that leads out of {here}; remove it and run init again")
    before = read_text(path)
    try:
        return Change(agent, path, before, changed(before))
    except ConfigError as exc:
        raise ConfigError(f"{path}: {exc}") from exc


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
