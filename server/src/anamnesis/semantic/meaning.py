"""Finds notes by meaning: the model, the notes' vectors, and making those that are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from anamnesis.errors import SemanticError
from anamnesis.recall import question_in
from anamnesis.semantic.encoder import Encoder, FolderEncoder
from anamnesis.semantic.installed import Installed, model_folder, read_installed
from anamnesis.semantic.nearness import Space, entries_of
from anamnesis.semantic.vectors import VectorFile
from anamnesis.text import Progress

NoteText = tuple[str, bytes, str, str]  # id, digest of the file, title, body
_BATCH = 16  # notes; progress is reported after each batch


class Meaning:
    """Finds notes by meaning, with the vectors that exist; thread-safe."""

    def __init__(self, root: Path, installed: Installed, encoder: Encoder) -> None:
        self._file = VectorFile(root, installed.fingerprint)
        self._encoder = encoder
        self._space = Space(())
        self._state = (-1, 0, 0)

    def near(self, query: str) -> dict[str, float]:
        """How near each note is to a query: a cosine by note id."""
        self._load()
        if not len(self._space) or not query.strip():
            return {}
        return self._space.near(self._encoder.encode([question_in(query)])[0])

    def near_note(self, note_id: str) -> dict[str, float]:
        """How near each other note is to this one; none if it has no vectors yet."""
        self._load()
        vector = self._space.vector_of(note_id)
        near = {} if vector is None else self._space.near(vector)
        return {name: cosine for name, cosine in near.items() if name != note_id}

    def make_vectors(
        self,
        notes: Mapping[str, bytes],
        texts: Callable[[Sequence[str]], list[NoteText]],
        *,
        progress: Progress | None = None,
    ) -> bool:
        """Make the missing vectors of these notes (id and digest), in batches.

        Returns False if another process is doing it. If interrupted, the next call continues from there.
        """
        with self._file.making() as mine:
            if mine:
                known = self._file.keep_only(notes)
                pending = [
                    name for name, seen in notes.items() if name not in known or known[name].seen != seen
                ]
                for start in range(0, len(pending), _BATCH):
                    batch = pending[start : start + _BATCH]
                    self._file.append(entries_of(self._encoder, texts(batch)))
                    if progress is not None:
                        progress(start + len(batch), len(pending))
        return mine

    def _load(self) -> None:
        """Read the vectors if their file has changed."""
        if (state := self._file.state()) != self._state:
            self._space, self._state = Space(list(self._file.entries().values())), state


def open_meaning(root: Path) -> Meaning:
    """The model that is installed in a store; SemanticError if there is none, or it cannot be used."""
    installed = read_installed(root)
    if installed is None:
        raise SemanticError(f"{root}: no model is installed; `anamnesis semantic install` fetches one")
    return Meaning(root, installed, FolderEncoder(model_folder(root)))
