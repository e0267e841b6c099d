"""Finds notes by meaning: the model, the notes' vectors, and keeping these up to date."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from anamnesis.errors import AnamnesisError, SemanticError
from anamnesis.recall import question_in
from anamnesis.semantic.encoder import Encoder, EndpointEncoder, FolderEncoder
from anamnesis.semantic.installed import Installed, model_folder, read_installed
from anamnesis.semantic.nearness import Near, Space, encoded_digest, entries_of
from anamnesis.semantic.vectors import MOST_MISSING, Entry, VectorFile
from anamnesis.text import Progress

NoteText = tuple[str, bytes, str, str]  # id, digest of the file, title, body
_BATCH = 16  # notes; progress is reported after each batch
_RETRY_SECONDS = 60.0  # after a failure of the model, searches use words alone


class Meaning:
    """Finds notes by meaning; thread-safe, even while one thread computes vectors."""

    def __init__(self, root: Path, installed: Installed, encoder: Encoder) -> None:
        self.installed = installed
        self._file = VectorFile(root, installed.fingerprint)
        self._encoder = encoder
        self._space = Space(())
        self._state = (-1, 0, 0)
        self._missing = 1.0
        self._next_try = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether nearly all notes have vectors."""
        return self._missing <= MOST_MISSING and len(self._space) > 0

    def near(self, query: str) -> Near | None:
        """How near the notes are to a query; None while vectors are missing or the model fails."""
        if not self.is_ready or not query.strip() or time.monotonic() < self._next_try:
            return None
        try:
            vector = self._encoder.encode([question_in(query)], query=True)[0]
        except AnamnesisError:
            self._next_try = time.monotonic() + _RETRY_SECONDS
            return None
        return self._space.near(vector)

    def near_note(self, note_id: str) -> Near | None:
        """How near the other notes are to this one; None if it has no vectors yet."""
        vector = self._space.vector_of(note_id) if self.is_ready else None
        near = None if vector is None else self._space.near(vector)
        return None if near is None else near.among([name for name in near.ids if name != note_id])

    def close_pairs(self, ids: Sequence[str], *, least: float) -> list[tuple[str, str, float]]:
        """Pairs of these notes whose cosine is at least `least`, nearest first."""
        return self._space.close_pairs(ids, least=least) if self.is_ready else []

    def load(self, notes: Mapping[str, bytes]) -> list[str]:
        """Load the existing vectors of these notes (id and digest); returns the ids that need new vectors."""
        entries = self._file.entries()
        if (state := self._file.state()) != self._state:
            self._space, self._state = Space([entries[name] for name in notes if name in entries]), state
        self._missing = sum(name not in entries for name in notes) / len(notes) if notes else 0.0
        return [name for name, seen in notes.items() if name not in entries or entries[name].seen != seen]

    def catch_up(
        self,
        notes: Mapping[str, bytes],
        texts: Callable[[Sequence[str]], list[NoteText]],
        *,
        progress: Progress | None = None,
        pause: float = 0.0,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Compute missing vectors, in batches; returns False if another process is doing it.

        If interrupted, the next call continues from there.
        """
        with self._file.building() as mine:
            if mine:
                pending = self.load(notes)
                self._file.tidy(notes)
                known = self._file.entries()
                for done, batch in _batches(pending):
                    if stop():
                        break
                    self._file.append(self._made(texts(batch), known))
                    if progress is not None:
                        progress(done, len(pending))
                    time.sleep(pause)
        self.load(notes)
        return mine

    def _made(self, notes: list[NoteText], known: Mapping[str, Entry]) -> list[Entry]:
        """Entries for notes: the old vectors if only the front matter changed, else new ones."""
        kept: list[Entry] = []
        new: list[NoteText] = []
        for note in notes:
            old = known.get(note[0])
            if old is not None and old.text == encoded_digest(note[2], note[3]):
                old.seen = note[1]
                kept.append(old)
            else:
                new.append(note)
        return kept + (entries_of(self._encoder, new) if new else [])


def _batches(names: list[str]) -> Iterator[tuple[int, list[str]]]:
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        yield start + len(batch), batch


def open_meaning(root: Path, *, vectors: Path | None = None) -> Meaning:
    """The model that is installed in a store; SemanticError if there is none, or it cannot be used.

    `vectors` is the root of the store whose notes to compare, if it is another one.
    """
    installed = read_installed(root)
    if installed is None:
        raise SemanticError(f"{root}: no model is installed; `anamnesis semantic install` fetches one")
    return Meaning(vectors or root, installed, encoder_for(root, installed))


def encoder_for(root: Path, installed: Installed) -> Encoder:
    """The encoder: a server, or the model in the store's folder."""
    return EndpointEncoder(root, installed) if installed.url else FolderEncoder(model_folder(root))
