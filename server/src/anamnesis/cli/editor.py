"""Edits a text in the user's editor: $VISUAL, else $EDITOR, else vi. A changed text is never lost.

The draft is in its own folder under the store's `drafts/`, which is private, neither indexed nor synced, and
removed once the text is saved.
"""

from __future__ import annotations

import glob
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anamnesis.cli.terminal import can_ask, confirmed, on_terminal, tell
from anamnesis.config import environment
from anamnesis.errors import AnamnesisError, ConfigError, StaleNote
from anamnesis.files import make_folder, write_atomic
from anamnesis.layout import DRAFTS_FOLDER
from anamnesis.notes.record import decode
from anamnesis.programs import run_in_terminal
from anamnesis.sync.waiting import find_in_file
from anamnesis.text import plural

Saved = TypeVar("Saved")
_ON_SCREEN = ("vi", "vim", "nvim", "view", "nano", "pico", "micro", "joe", "hx", "helix", "mcedit", "ne")
_LONGEST_NAME = 200  # bytes; a file that is not a note is named by its path


def edit_until_saved(text: str, *, name: str, root: Path, save: Callable[[str], Saved]) -> Saved | None:
    """Open `text` in the editor and pass the result to `save`; None if nothing was changed, or all removed.

    If `save` refuses the text, the user can correct it in the editor; if they give up, the draft stays in the
    store at `root`, and its path is printed.
    """
    _require_terminal()
    path = _new_draft(text, name=name, root=root)
    is_done = False
    try:
        saved = _edit_and_save(path, text, save=save)
        is_done = True
        return saved
    finally:
        if is_done or not path.is_file() or path.read_bytes() == text.encode():
            shutil.rmtree(path.parent, ignore_errors=True)  # including files that the editor left there
        else:
            path.chmod(0o600)  # an editor that saves by renaming creates a new file
            path.parent.chmod(0o700)
            tell(f"your text is kept in {path}; {_what_to_do(path)}")


def _what_to_do(draft: Path) -> str:
    if find_in_file(draft.read_bytes()):
        return (
            "it contains the credential: copy the rest from there when you edit again, then remove the file"
        )
    return "copy it from there when you edit again"


def _new_draft(text: str, *, name: str, root: Path) -> Path:
    """Write `text` to a new draft file, and mention earlier drafts of the same name."""
    drafts = root / DRAFTS_FOLDER
    make_folder(drafts)
    file_name = f"{name.encode()[:_LONGEST_NAME].decode('utf-8', 'ignore')}.md"
    kept = drafts.glob(f"*/{glob.escape(file_name)}")
    others = [(each.stat().st_mtime, each) for each in kept if each.read_bytes() != text.encode()]
    if others:
        count = plural(len(others), "earlier draft")
        tell(f"{count} of this note: the last is {max(others)[1]}; remove what you do not need")
    path = Path(tempfile.mkdtemp(dir=drafts, prefix="edit-")) / file_name
    write_atomic(path, text.encode())
    return path


def _edit_and_save(path: Path, text: str, *, save: Callable[[str], Saved]) -> Saved | None:
    while True:
        _open_editor(path)
        try:
            edited = decode(path.read_bytes())
            # As with a commit message, an empty text means that the user changed their mind.
            return None if edited == text or not edited.strip() else save(edited)
        except StaleNote:
            raise  # editing again would overwrite the newer version
        except AnamnesisError as exc:
            if not confirmed(f"{exc}; edit again?"):
                raise
        except FileNotFoundError as exc:
            raise ConfigError("the editor removed its file; nothing was saved; run this again") from exc


def _require_terminal() -> None:
    """Refuse a full-screen editor if there is no terminal; one with options may not need a terminal."""
    name = os.path.basename(_chosen_editor())
    if name in _ON_SCREEN and not (can_ask() and on_terminal()):
        raise ConfigError(
            f"the editor {name!r} needs a terminal; in a script, set EDITOR to a program that changes"
            " the file it is given"
        )


def _open_editor(path: Path) -> None:
    chosen = _chosen_editor()
    try:
        command = shlex.split(chosen)
        status = run_in_terminal([*command, os.fspath(path)])
    except (OSError, ValueError) as exc:
        raise ConfigError(f"the editor {chosen!r} cannot be started; set EDITOR to one that exists") from exc
    if status != 0:
        raise ConfigError(
            f"the editor {chosen!r} exited with status {status}; nothing was saved; run this again"
        )


def _chosen_editor() -> str:
    return environment("VISUAL") or environment("EDITOR") or "vi"
