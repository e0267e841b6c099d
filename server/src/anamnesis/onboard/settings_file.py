"""Claude Code's user settings file: where it is, reading it, replacing it and keeping a backup."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from anamnesis.config import resolve_claude_dir
from anamnesis.errors import ConfigError
from anamnesis.files import write_atomic


def settings_path() -> Path:
    """The user's settings.json: in CLAUDE_CONFIG_DIR, else in ~/.claude."""
    return resolve_claude_dir() / "settings.json"


def read_settings(path: Path) -> dict[str, object]:
    """The settings in the file, {} when there is none; ConfigError when it is not a JSON object."""
    try:
        found = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{path} is not valid JSON ({exc}); fix it and run init again") from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read ({exc.strerror}); check its permissions") from exc
    if not isinstance(found, dict):
        raise ConfigError(f"{path} does not hold a JSON object; fix it and run init again")
    return found


def write_settings(path: Path, settings: Mapping[str, object]) -> Path | None:
    """Replace the file if `settings` differ; returns the path of the backup, None when there is none.

    A settings file that is a link stays a link: its target is replaced.
    """
    target = Path(os.path.realpath(path))
    before = target.read_bytes() if target.exists() else None
    if before is not None and read_settings(target) == settings:
        return None
    # Escape non-ASCII letters only when a lone surrogate cannot be encoded.
    text = json.dumps(settings, indent=2, ensure_ascii=not _is_encodable(settings)) + "\n"
    backup = None
    mode = 0o600
    if before is not None:
        mode = target.stat().st_mode & 0o777
        backup = path.with_name(path.name + ".bak")
        write_atomic(backup, before, mode=mode)
    write_atomic(target, text.encode(), mode=mode)
    return backup


def _is_encodable(settings: Mapping[str, object]) -> bool:
    try:
        json.dumps(settings, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
