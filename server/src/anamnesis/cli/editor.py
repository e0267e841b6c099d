"""The user's editor on a text: $VISUAL, else $EDITOR, else vi. A text that was changed is never lost."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anamnesis.cli.terminal import confirmed, tell
from anamnesis.config import environment
from anamnesis.errors import AnamnesisError, ConfigError, StaleNote
from anamnesis.notes import decode

Saved = TypeVar("Saved")


def edit_until_saved(text: str, *, name: str, save: Callable[[str], Saved]) -> Saved | None:
    """Open `text` in the editor and hand the result to `save`; None when nothing was changed.

    What `save` refuses may be mended in the editor again; when it is given up, the text is kept in a file
    whose path the error names.
    """
    path = Path(tempfile.mkdtemp(prefix="anamnesis-edit-")) / f"{name}.md"
    path.write_text(text, encoding="utf-8", newline="")
    is_kept = False
    try:
        return _edit_and_save(path, text, save=save)
    except (AnamnesisError, KeyboardInterrupt):
        is_kept = path.is_file() and path.read_bytes() != text.encode()
        if is_kept:
            tell(f"your text is kept in {path}")
        raise
    finally:
        if not is_kept:
            path.unlink(missing_ok=True)
            path.parent.rmdir()


def _edit_and_save(path: Path, text: str, *, save: Callable[[str], Saved]) -> Saved | None:
    while True:
        _open_editor(path)
        try:
            edited = decode(path.read_bytes())
            return None if edited == text else save(edited)
        except StaleNote:
            raise  # editing on would only overwrite the newer version
        except AnamnesisError as exc:
            if not confirmed(f"{exc}; edit again?"):
                raise
        except FileNotFoundError as exc:
            raise ConfigError("the editor removed its file; nothing was saved") from exc


def _open_editor(path: Path) -> None:
    command = shlex.split(environment("VISUAL") or environment("EDITOR") or "vi")
    try:
        done = subprocess.run([*command, os.fspath(path)], check=False)
    except OSError as exc:
        raise ConfigError(
            f"the editor {command[0]!r} cannot be started; set EDITOR to one that exists"
        ) from exc
    if done.returncode != 0:
        raise ConfigError(f"the editor {command[0]!r} ended with status {done.returncode}; nothing was saved")
