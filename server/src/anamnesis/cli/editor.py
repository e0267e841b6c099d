"""Edits a text in the user's editor: $VISUAL, else $EDITOR, else vi. A changed text is never lost."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anamnesis.cli.output import can_ask, confirmed, on_terminal, tell
from anamnesis.config import environment
from anamnesis.errors import AnamnesisError, ConfigError, StaleNote
from anamnesis.files import make_folder, write_atomic
from anamnesis.layout import UNDO_FOLDER
from anamnesis.notes.record import decode
from anamnesis.programs import run_in_terminal

Saved = TypeVar("Saved")
_ON_SCREEN = ("vi", "vim", "nvim", "nano", "micro", "hx")
UNSAVED_NAME = "unsaved.md"  # in the note's folder under `undo/`


def edit_until_saved(text: str, *, name: str, root: Path, save: Callable[[str], Saved]) -> Saved | None:
    """Open `text` in the editor and pass the result to `save`; None if nothing was changed, or all removed.

    If `save` refuses the text, the user can open it again; if they give up, it is kept under the store's
    `undo/`, and its path is printed.
    """
    with tempfile.TemporaryDirectory(prefix="anamnesis-edit-") as folder:
        path = Path(folder, "note.md")
        write_atomic(path, text.encode())
        while True:
            edited = ""
            try:
                _open_editor(path)
                edited = decode(path.read_bytes())
                # As with a commit message, an empty text means that the user changed their mind.
                return None if edited == text or not edited.strip() else save(edited)
            except FileNotFoundError as exc:
                raise ConfigError("the editor removed its file; nothing was saved; run this again") from exc
            except AnamnesisError as exc:
                # Editing a stale note again would overwrite the newer version.
                if edited and not isinstance(exc, StaleNote) and confirmed(f"{exc}; open it again?"):
                    continue
                _keep_unsaved(path, text, root / UNDO_FOLDER / name.replace("/", "-")[:100])
                raise


def _keep_unsaved(path: Path, text: str, folder: Path) -> None:
    if path.is_file() and (data := path.read_bytes()) != text.encode():
        make_folder(folder)
        write_atomic(folder / UNSAVED_NAME, data)
        tell(f"your text is kept in {folder / UNSAVED_NAME}; copy it from there when you edit again")


def _open_editor(path: Path) -> None:
    chosen = environment("VISUAL") or environment("EDITOR") or "vi"
    if os.path.basename(chosen) in _ON_SCREEN and not (can_ask() and on_terminal()):
        advice = "in a script, set EDITOR to a program that changes the file it is given"
        raise ConfigError(f"the editor {chosen!r} needs a terminal; {advice}")
    try:
        status = run_in_terminal([*shlex.split(chosen), os.fspath(path)])
    except (OSError, ValueError) as exc:
        raise ConfigError(f"the editor {chosen!r} cannot be started; set EDITOR to one that exists") from exc
    if status != 0:
        raise ConfigError(f"the editor {chosen!r} exited with status {status}; nothing was saved")
