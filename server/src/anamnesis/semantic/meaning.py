"""Finds notes by meaning: the model, the notes' vectors, and making those that are missing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from anamnesis.errors import SemanticError
from anamnesis.files import lock, make_folder
from anamnesis.recall import question_in
from anamnesis.semantic.encoder import Encoder, FolderEncoder
from anamnesis.semantic.installed import FOLDER, Installed, model_folder, read_installed, vector_file
from anamnesis.semantic.vectors import Space, entries_of, read_vectors, write_vectors
from anamnesis.text import StepProgress, silent

NoteText = tuple[str, bytes, str, str]  # id, digest of the file, title, body
_BATCH = 16  # notes; progress is reported after each batch
_KEPT_EVERY = 512  # notes: a killed process loses at most this many; each time the whole file is written


class Meaning:
    """Finds notes by meaning, with the vectors that exist; thread-safe."""

    def __init__(self, root: Path, installed: Installed, encoder: Encoder) -> None:
        self._root = root
        self._model = installed.fingerprint
        self._encoder = encoder
        self._loaded: tuple[tuple[int, int], Space] = ((-1, 0), Space({}))

    def near(self, query: str) -> dict[str, float]:
        """How near each note is to a query: a cosine by note id."""
        return self._space().near(self._encoder.encode([question_in(query)])[0]) if query.strip() else {}

    def near_note(self, note_id: str) -> dict[str, float]:
        """How near each other note is to this one; none if it has no vectors yet."""
        space = self._space()
        vector = space.vector_of(note_id)
        near = {} if vector is None else space.near(vector)
        return {name: cosine for name, cosine in near.items() if name != note_id}

    def make_vectors(
        self,
        notes: Mapping[str, bytes],
        texts: Callable[[Sequence[str]], list[NoteText]],
        *,
        progress: StepProgress = silent,
    ) -> bool:
        """Make the missing vectors of these notes (id and digest), in batches.

        Returns False if another process is doing it. If interrupted, the next call continues from there.
        """
        make_folder(self._root / FOLDER)
        with lock(self._root / FOLDER / "vectors.lock", timeout=0.0) as mine:
            if mine:
                self._catch_up(notes, texts, progress)
        return mine

    def _catch_up(
        self,
        notes: Mapping[str, bytes],
        texts: Callable[[Sequence[str]], list[NoteText]],
        progress: StepProgress,
    ) -> None:
        found = read_vectors(self._root, self._model)
        known = {
            name: entry
            for name, entry in found.items()
            if name in notes and notes[name].hex() == entry.digest
        }
        pending = [name for name in notes if name not in known]
        if not pending and len(known) == len(found):
            return
        try:
            for start in range(0, len(pending), _BATCH):
                batch = pending[start : start + _BATCH]
                known |= entries_of(self._encoder, texts(batch))
                progress("computing vectors", start + len(batch), len(pending))
                if start % _KEPT_EVERY == 0:
                    write_vectors(self._root, self._model, known)
        finally:
            write_vectors(self._root, self._model, known)

    def _space(self) -> Space:
        """The vectors, read again if their file has changed."""
        try:
            info = os.stat(vector_file(self._root))
            state = info.st_ino, info.st_mtime_ns
        except OSError:
            state = 0, 0
        if state != self._loaded[0]:
            self._loaded = state, Space(read_vectors(self._root, self._model))
        return self._loaded[1]


def open_meaning(root: Path) -> Meaning:
    """The model that is installed in a store; SemanticError if there is none, or it cannot be used."""
    installed = read_installed(root)
    if installed is None:
        raise SemanticError(f"{root}: no model is installed; `anamnesis semantic install` fetches one")
    return Meaning(root, installed, FolderEncoder(model_folder(root)))
