"""Opens what a command works on: the store, its index or its backend; reads a note's text from stdin.

Only a command that writes may create a store. Hooks load this module, so it imports next to nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.cli.output import tell
from anamnesis.config import read_config, resolve_home
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.layout import CONFIG_NAME, LOCAL, MEMORY

if TYPE_CHECKING:
    from anamnesis.index.core import Index
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend


def open_store(*, create: bool = False) -> MemoryStore:
    """The user's store; StoreUnavailable if there is none, unless `create`."""
    from anamnesis.store import MemoryStore

    return MemoryStore(resolve_home() if create else existing_home())


def open_to_ask(*, by_meaning: bool = False) -> Index:
    """The index alone, which loads faster; the store if a model is installed and wanted."""
    from anamnesis.index.core import Index
    from anamnesis.semantic.installed import is_installed

    home = existing_home()
    return open_store() if by_meaning and is_installed(home) else Index(home)


def open_backend(store: Index) -> SyncBackend:
    """The sync backend of the store, with the configured remote and machine."""
    from anamnesis import sync

    return sync.open_backend(store.memory_dir)


def existing_home() -> Path:
    """The folder of the user's store; StoreUnavailable if there is none."""
    home = resolve_home()
    if not (home / MEMORY).is_dir() and not (home / LOCAL).is_dir():
        raise StoreUnavailable(
            f"{home}: there is no store here; `anamnesis init` creates one, ANAMNESIS_HOME names another"
        )
    config = home / CONFIG_NAME
    if config.exists() and not read_config(home):
        tell(f"anamnesis: {config} is not a JSON object, so none of its settings apply; correct it")
    return home


def split_tags(text: str | None) -> list[str] | None:
    """The tags in a comma-separated option; None if it was not given."""
    return None if text is None else [tag.strip() for tag in text.split(",") if tag.strip()]


def read_body(option: str | None) -> str:
    """A note's text: the value of an option; without one, or with "-", standard input."""
    if option not in (None, "-"):
        return option
    if sys.stdin is None:
        raise InvalidNote("there is no standard input to read the note's text from; use --body")
    if sys.stdin.isatty():
        tell("reading the note's text; end it with Ctrl-D")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InvalidNote(
            f"standard input is not UTF-8 text (byte {exc.start}); nothing was written; convert it first"
        ) from exc
    return text.replace("\r\n", "\n").removesuffix("\n")
