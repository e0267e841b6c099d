"""Whether a session may be captured: by the user's settings, and by a file in the folder."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

from anamnesis.project.identity import is_silenced, spellings
from anamnesis.session.transcript import ParsedSession
from anamnesis.settings import CAPTURE_MODES, resolve, resolve_switch

_SCRIPTED = "sdk-"


def is_off(*, home: Path) -> bool:
    """Whether capture is switched off."""
    return _mode(home) == "none"


def is_scripted(session: ParsedSession) -> bool:
    """Whether a program drove the session, not a person."""
    return session.entrypoint.startswith(_SCRIPTED)


def objection(session: ParsedSession, *, project: str, home: Path) -> str:
    """Why the user does not want a session captured, naming the setting; "" when they do."""
    if _mode(home) == "none":
        return "the setting capture is none"
    if is_silenced(session.cwd):
        return "a file .anamnesis/off silences this folder"
    if pattern := _excluding(
        resolve("capture_exclude", home=home).value, project=project, folder=session.cwd
    ):
        return f"the setting capture_exclude holds {pattern}"
    has_changes = bool(session.files_touched or session.commits)
    if _mode(home) == "interactive" and is_scripted(session) and not has_changes:
        return "a scripted run that changed no file; the setting capture is interactive"
    return ""


def _mode(home: Path) -> str:
    found = resolve("capture", home=home).value.lower()
    if found in CAPTURE_MODES:
        return found
    # A hook must not fail on an invalid value: a clear no means no, anything else is the default.
    return "interactive" if resolve_switch("capture", home=home) else "none"


def _excluding(patterns: str, *, project: str, folder: str) -> str:
    """The first of the globs that matches the project's key, its folder or a folder above it.

    A folder behind a symbolic link has two paths; a pattern may name either.
    """
    names = {project, *(each for start in _named(folder) for each in (start, *map(str, Path(start).parents)))}
    for pattern in filter(None, (part.strip() for part in patterns.split(","))):
        glob = os.path.expanduser(pattern).rstrip("/") or "/"
        if any(fnmatchcase(name, each) for name in names for each in {glob, _real(glob)}):
            return pattern
    return ""


def _named(folder: str) -> list[str]:
    try:
        return list(dict.fromkeys([*filter(None, [folder]), *spellings(folder)]))
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        return [folder]


def _real(glob: str) -> str:
    """A pattern of a folder with the links followed in the part before its first wildcard."""
    if not os.path.isabs(glob):
        return glob
    plain = re.split(r"[*?\[]", glob, maxsplit=1)[0]
    start = plain if plain == glob else os.path.dirname(plain)
    return os.path.realpath(start).rstrip("/") + glob[len(start.rstrip("/")) :] or "/"
