"""What differs from the store's commit: what to commit, and what stays here and why. Writes nothing."""

from __future__ import annotations

import os
from functools import partial

from anamnesis.notes.vocabulary import read_id
from anamnesis.sync.paths import NOT_A_NOTE, refusal, shown
from anamnesis.sync.repo import Repo, hash_of
from anamnesis.sync.results import LeftOut, WaitingFile
from anamnesis.sync.state import Held, load_state, paths_of
from anamnesis.sync.tree import Status, Tree
from anamnesis.sync.waiting import Search, SecretInFile, find_unallowed, no_longer_a_note, waiting_files


class Changes:
    """The changed files of one store, sorted into those to commit and those that stay here."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.tree = Tree(repo)
        self.state = load_state(repo.folder)
        self.left_out: dict[str, str] = {}
        self._waiting: list[WaitingFile] = []
        self._moved: dict[str, str] = {}  # path in the branch -> the file that keeps it from being deleted
        self._status: Status | None = None

    @property
    def status(self) -> Status:
        """What differs from HEAD; git is asked again after a change."""
        if self._status is None:
            self._status = self.tree.status()
        return self._status

    def collect(self, *, most: int | None = None) -> dict[str, bytes | None]:
        """The changed files that may be committed, with their bytes; sorts out the others, each for a reason.

        At most `most` files are searched for credentials.
        """
        held, texts = self.state.held, self.status.changed
        search = Search(self.repo.folder, frozenset(self.state.allowed))
        apart, unwritten = set(paths_of(held)), set(self.state.unwritten)
        known = {blob for blob in texts.values() if blob}
        edits: dict[str, bytes | None] = {}
        self.left_out, self._waiting, self._moved = {}, [], {}
        for path, old in sorted(texts.items())[:most]:
            if path in apart:
                continue
            reason = refusal(path)
            if reason is None:
                reason = self.tree.refusal_of(path)
            data = self.tree.read(path) if reason is None else None
            if reason is not None or (data is None and (old is None or path in unwritten)):
                self.left_out.update({path: reason} if reason else {})
            elif data is None:
                edits[path] = None
            elif hash_of(data) != old and not (held and read_id(data) in held):
                committed = partial(self.tree.blob, old)
                found = search(path, data, committed=committed, is_known=hash_of(data) in known)
                found = found or no_longer_a_note(path, data, committed)
                if found:
                    self._waiting += found
                else:
                    edits[path] = data
        self._keep_moved(edits, texts)
        return edits

    def _keep_moved(self, edits: dict[str, bytes | None], texts: dict[str, str | None]) -> None:
        """Do not commit a note as deleted if its id is in a file that is kept back."""
        gone = {path: blob for path in edits if edits[path] is None and (blob := texts[path])}
        kept = [each.path for each in self._waiting] + list(self.left_out)
        if not gone or not kept:
            return
        ids = {read_id(self._any_text(path)): path for path in kept}
        contents = dict(self.repo.git.blobs(set(gone.values())))
        for path, blob in gone.items():
            note_id = read_id(contents[blob])
            if note_id is not None and note_id in ids:
                del edits[path]
                self._moved[path] = ids[note_id]

    def _any_text(self, path: str) -> bytes:
        try:
            return (self.repo.folder / path).read_bytes() if path.endswith(".md") else b""
        except OSError:
            return b""

    @property
    def not_synced(self) -> tuple[LeftOut, ...]:
        """The notes on one side only, and other files here, each with its reason, as of the last look.

        Files that only the remote has and that are not notes are nothing to a memory.
        """
        absent = {path for path in self.state.unwritten if not os.path.lexists(self.repo.folder / path)}
        found = {path: refusal(path) or "this machine cannot write a file of that name" for path in absent}
        found |= self.left_out
        return tuple(
            LeftOut(shown(path), why)
            for path, why in sorted(found.items())
            if why != NOT_A_NOTE or os.path.lexists(self.repo.folder / path)
        )

    @property
    def waiting(self) -> tuple[WaitingFile, ...]:
        """What keeps changed files from being committed, as of the last look; held notes' files too."""
        files = list(self._waiting)
        for held in self.state.held.values():
            data = self.tree.read(held.ours_path)
            if data and (found := self._unallowed(data, held)):
                files += waiting_files(held.ours_path, data, found, note_id=held.id)
        return tuple(files)

    def _unallowed(self, data: bytes, held: Held) -> list[SecretInFile]:
        allowed = frozenset(self.state.allowed)
        found = find_unallowed(data, allowed=allowed)
        known = self.tree.blob(held.theirs) if found else None
        return find_unallowed(data, allowed=allowed, known=known) if known else found
