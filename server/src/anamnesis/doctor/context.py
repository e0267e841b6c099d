"""What the checks share: the context, and which texts are known to contain no credential.

These verdicts are saved between runs, so that only changed texts are searched again. They are a file of
digests for one version of the rules; after a change of the rules, everything is searched again. The file
reveals nothing about the notes and can be deleted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from anamnesis import redact
from anamnesis.files import read_regular, write_atomic
from anamnesis.index.rows import digest_of
from anamnesis.layout import VERDICTS_NAME
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState, waiting
from anamnesis.sync.results import Finding as Finding
from anamnesis.sync.waiting import find_in_file

_SIZE = 16  # bytes of one digest
_WORTH_WRITING = 0.01  # share of new digests at which the file is rewritten


class Verdicts:
    """The digests of a store's texts without a credential."""

    def __init__(self, home: Path) -> None:
        self._path = home / VERDICTS_NAME
        self._rules = _rules_digest()
        self._known = self._read()
        self._saved = len(self._known)

    def unknown(self, digests: Set[bytes]) -> Set[bytes]:
        """The digests of texts that have not been searched yet."""
        return digests - self._known

    def judge(self, data: bytes) -> bool:
        """Whether this text contains no credential; it is searched if that is not known yet."""
        digest = digest_of(data)
        if digest in self._known:
            return True
        if find_in_file(data):
            return False
        self._known.add(digest)
        return True

    def save(self) -> None:
        """Write the digests, unless too few are new.

        In a read-only store nothing is written, and the texts are searched again next time.
        """
        if len(self._known) - self._saved > self._saved * _WORTH_WRITING:
            with suppress(OSError):
                write_atomic(self._path, self._rules + b"".join(sorted(self._known)))
                self._saved = len(self._known)

    def _read(self) -> set[bytes]:
        try:
            data = read_regular(self._path)
        except OSError:
            return set()
        if not data.startswith(self._rules) or len(data) % _SIZE:
            return set()
        return {data[at : at + _SIZE] for at in range(_SIZE, len(data), _SIZE)}


def _rules_digest() -> bytes:
    """A digest of the source code that decides what a credential is and which text is searched."""
    sources = [Path(waiting.__file__)]
    for folder in redact.__path__:
        sources += sorted(Path(folder, name) for name in os.listdir(folder) if name.endswith((".py", ".txt")))
    total = hashlib.blake2b(digest_size=_SIZE)
    for source in sources:
        total.update(source.read_bytes())
    return total.digest()


@dataclass(frozen=True)
class Context:
    """What is checked: an open store and its sync backend.

    A long-running caller passes its own `verdicts`; otherwise they are read from the file.
    `known` is the sync state, if the caller has read it already.
    """

    store: MemoryStore
    backend: SyncBackend
    verdicts: Verdicts | None = field(default=None, compare=False)
    known: SyncState | None = None

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root

    @cached_property
    def state(self) -> SyncState:
        """The sync state; read once, because that runs git."""
        return self.known or self.backend.state()

    @cached_property
    def can_read_head(self) -> bool:
        """Whether the last commit is readable; checked once, because that runs git."""
        return self.backend.can_read_head()


def first_few(names: list[str], *, most: int = 3, between: str = ", ") -> str:
    """The first few names, and how many more there are."""
    rest = len(names) - most
    return between.join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
