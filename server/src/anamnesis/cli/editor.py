"""The user's editor on a text: $VISUAL, else $EDITOR, else vi. A text that was changed is never lost."""

from __future__ import annotations

import os
import shlex
import shutil
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
    folder = Path(tempfile.mkdtemp(prefix="anamnesis-edit-"))
    path = folder / f"{name}.md"
    path.write_text(text, encoding="utf-8", newline="")
    is_done = False
    try:
        saved = _edit_and_save(path, text, save=save)
        is_done = True
        return saved
    finally:
        if is_done or not path.is_file() or path.read_bytes() == text.encode():
            shutil.rmtree(folder, ignore_errors=True)  # with whatever the editor left beside the file
        else:
            tell(f"your text is kept in {path}")


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
    chosen = environment("VISUAL") or environment("EDITOR") or "vi"
    try:
        command = shlex.split(chosen)
        done = subprocess.run([*command, os.fspath(path)], check=False)
    except (OSError, ValueError) as exc:
        raise ConfigError(f"the editor {chosen!r} cannot be started; set EDITOR to one that exists") from exc
    if done.returncode != 0:
        raise ConfigError(f"the editor {chosen!r} ended with status {done.returncode}; nothing was saved")
