"""Search by meaning for a store: in one command, or in a long-running process.

A long-running process has a `Keeper`: a thread that loads the model once one is installed, computes the
vectors of new and changed notes, and drops the model when it is removed. Until the vectors are ready,
searches use words alone.
"""

from __future__ import annotations

import shutil
import threading
from functools import partial
from pathlib import Path

from anamnesis.errors import AnamnesisError
from anamnesis.index import query, rows
from anamnesis.semantic.installed import FOLDER, is_installed, read_installed
from anamnesis.semantic.vectors import Report, remove_vectors, report
from anamnesis.store import MemoryStore

TYPE_CHECKING = False  # this package imports numpy
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.semantic.meaning import Meaning, NoteText
    from anamnesis.text import Progress

_CHECK_SECONDS = 2.0  # between two checks for changed notes
_IDLE_SECONDS = 30.0  # between two checks for a model, while none is usable
_PAUSE_SECONDS = 0.05  # between two batches, to leave processor time to others


def meaning_report(store: MemoryStore) -> Report | None:
    """The state of a store's model and vectors; None if no model is installed."""
    return report(store.root, store.ask(query.digests)) if is_installed(store.root) else None


def enable_meaning(store: MemoryStore, *, root: Path | None = None, progress: Progress | None = None) -> None:
    """Load the model and compute missing vectors; from then on, this store's searches use meaning too.

    `root` is the store whose model to use, if it is another one. SemanticError says what is missing.
    """
    from anamnesis.semantic.meaning import open_meaning

    meaning = open_meaning(root or store.root, vectors=store.root)
    meaning.catch_up(store.ask(query.digests), partial(_texts, store), progress=progress)
    store.meaning = meaning


def _texts(store: MemoryStore, ids: Sequence[str]) -> list[NoteText]:
    return store.ask(lambda db: rows.texts(db, ids), thorough=False)


def remove_meaning(root: Path) -> bool:
    """Remove a store's model and all its vectors; returns whether there were any."""
    return remove_model(root) | remove_vectors(root)


def remove_model(root: Path) -> bool:
    """Remove the model and its record but keep the vectors; returns whether there was one."""
    existed = (root / FOLDER).is_dir()
    shutil.rmtree(root / FOLDER, ignore_errors=True)
    return existed


class Keeper:
    """Keeps a store's model loaded and its vectors up to date, in its own thread."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._meaning: Meaning | None = None
        self._seen: object = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="anamnesis-meaning", daemon=True)

    def __enter__(self) -> Keeper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self.step()):
            pass

    def step(self) -> float:
        """Check the model and the notes once, and update; returns the seconds until the next check."""
        installed = read_installed(self._store.root)
        loaded = self._meaning.installed.fingerprint if self._meaning is not None else ""
        if loaded != (installed.fingerprint if installed else ""):
            self._store.meaning = self._meaning = self._seen = None
        if installed is None:
            return _IDLE_SECONDS
        try:
            self._update_vectors()
        except (AnamnesisError, ImportError, OSError):
            # `status` and `doctor` say what is wrong; meanwhile, searches use words alone.
            self._store.meaning = self._meaning = self._seen = None
            return _IDLE_SECONDS
        return _CHECK_SECONDS

    def _update_vectors(self) -> None:
        from anamnesis.semantic.meaning import open_meaning

        if self._meaning is None:
            self._store.meaning = self._meaning = open_meaning(self._store.root)
        state = self._store.ask(query.tree_state, thorough=False)
        if state == self._seen:
            return
        done = self._meaning.catch_up(
            self._store.ask(query.digests, thorough=False),
            partial(_texts, self._store),
            pause=_PAUSE_SECONDS,
            stop=self._stopped.is_set,
        )
        self._seen = state if done else None
