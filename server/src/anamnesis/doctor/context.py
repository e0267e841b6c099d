"""What the checks share: the context, and which texts are known to hold no credential.

Those verdicts are kept between runs, so that only what changed is read again. They are a file of digests for
one version of the rules; with other rules everything is searched again. The file reveals nothing about the
notes, and may be lost without harm.
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
from anamnesis.index.load import digest_of
from anamnesis.layout import VERDICTS_NAME
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState, waiting
from anamnesis.sync.results import Finding as Finding
from anamnesis.sync.waiting import find_in_file

_SIZE = 16  # bytes of one digest
_WORTH_WRITING = 0.01  # of what the file holds


class Verdicts:
    """The digests of the texts in a store that hold no credential."""

    def __init__(self, home: Path) -> None:
        self._path = home / VERDICTS_NAME
        self._rules = _rules_digest()
        self._known = self._read()
        self._saved = len(self._known)

    def unknown(self, digests: Set[bytes]) -> Set[bytes]:
        """The digests whose texts are not known to be free of credentials."""
        return digests - self._known

    def judge(self, data: bytes) -> bool:
        """Whether this text holds no credential; it is searched unless that is known."""
        digest = digest_of(data)
        if digest in self._known:
            return True
        if find_in_file(data):
            return False
        self._known.add(digest)
        return True

    def save(self) -> None:
        """Write the digests, unless too few are new to rewrite the file.

        In a read-only store nothing is written, and the texts are searched again.
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
    """A digest over the sources that say what a credential is, and which parts of a text are searched."""
    sources = [Path(waiting.__file__)]
    for folder in redact.__path__:
        sources += sorted(Path(folder, name) for name in os.listdir(folder) if name.endswith(".py"))
    total = hashlib.blake2b(digest_size=_SIZE)
    for source in sources:
        total.update(source.read_bytes())
    return total.digest()


@dataclass(frozen=True)
class Context:
    """What is checked: an open store and its sync backend.

    `verdicts` are those that its owner keeps on which texts hold no credential; without, they are read again.
    `known` is the state of sync if the caller has read it already.
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
        """The state of sync; read once, because that starts git."""
        return self.known or self.backend.state()

    @cached_property
    def can_read_head(self) -> bool:
        """Whether the last commit is readable; looked up once, because that starts git."""
        return self.backend.can_read_head()


def some(names: list[str], *, most: int = 3, between: str = ", ") -> str:
    """The first few of several names, and how many more there are."""
    rest = len(names) - most
    return between.join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
