"""Erases notes and texts from every version: the record of a purge, and what it recognises.

    apply     applies purges on this machine: history, files, state

A record is synced, and does not contain what it removes: it has the ids of notes, and digests that can
recognise a text. What this machine has applied, or is applying, is recorded in `sync.json`.
docs/decisions/0017 has the reasons.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, islice
from operator import sub
from pathlib import Path
from typing import NamedTuple

from anamnesis.errors import InvalidNote
from anamnesis.files import parse_object, read_object, write_object
from anamnesis.git import Git
from anamnesis.layout import PURGES_FOLDER, SYNC_NAME
from anamnesis.notes.record import FIELDS
from anamnesis.notes.vocabulary import SCOPES, TYPES, is_valid_id, read_id

REMOVED = "[removed]"
_SHORTEST = 6  # characters; a shorter text would also be cut out of unrelated words
_FOLDERS = "memory local undo purges machines aliases anamnesis"
_RESERVED = " ".join((REMOVED, *FIELDS, *TYPES, *SCOPES, _FOLDERS))


class TextMark(NamedTuple):
    """Recognises a text without storing it: its length in bytes, their sum, a salted digest."""

    length: int
    total: int
    digest: str


class Purge(NamedTuple):
    """One purge; `name` is the name of its file."""

    name: str
    ids: tuple[str, ...] = ()
    salt: str = ""
    texts: tuple[TextMark, ...] = ()
    at: str = ""
    machine: str = ""


def new_purge(*, ids: Iterable[str] = (), texts: Iterable[str] = (), machine: str, at: str) -> Purge:
    """A new record that removes these notes and texts."""
    salt = os.urandom(16).hex()
    forms = dict.fromkeys(form for text in texts for form in _spellings(_checked(text)))
    return Purge(
        name=f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(4).hex()}",
        ids=tuple(dict.fromkeys(ids)),
        salt=salt,
        texts=tuple(TextMark(len(form), sum(form), _digest(salt, form)) for form in forms),
        at=at,
        machine=machine,
    )


def _checked(text: str) -> str:
    wanted = text.strip()
    if len(wanted) < _SHORTEST:
        raise InvalidNote(
            f"{wanted!r} is too short to purge: it would be cut out of other words; give {_SHORTEST} or more"
        )
    if wanted in _RESERVED:
        raise InvalidNote(
            f"{wanted!r} is part of the format of notes and cannot be purged; give a longer text"
        )
    return wanted


def _digest(salt: str, data: bytes) -> str:
    return sha256(salt.encode() + data).hexdigest()


def _spellings(text: str) -> list[bytes]:
    """The forms in which a text is searched for: as typed, and as JSON writes it."""
    forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    return list(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in forms))


def parse_purge(name: str, fields: Mapping[str, object] | None) -> Purge | None:
    """A record from its JSON form; None if it is not one."""
    ids, texts = (fields or {}).get("ids"), (fields or {}).get("texts")
    if not fields or fields.get("purge") != 1 or not isinstance(ids, list) or not isinstance(texts, list):
        return None
    return Purge(
        name=name,
        ids=tuple(each for each in ids if isinstance(each, str) and is_valid_id(each)),
        salt=str(fields.get("salt") or ""),
        texts=tuple(mark for each in texts if (mark := _mark(each)) is not None),
        at=str(fields.get("at") or ""),
        machine=str(fields.get("machine") or ""),
    )


def _mark(row: object) -> TextMark | None:
    if not isinstance(row, list) or len(row) != 3:
        return None
    length, total, value = row
    is_mark = isinstance(length, int) and isinstance(total, int) and isinstance(value, str)
    # A record from elsewhere must not cut single letters out of every note.
    return TextMark(length, total, value) if is_mark and length >= _SHORTEST else None


def _dump(purge: Purge) -> dict[str, object]:
    """The JSON form of a record."""
    fields = {key: value for key, value in purge._asdict().items() if key != "name"}
    return {"purge": 1, **fields}


def file_of(purge: Purge) -> tuple[str, bytes]:
    """The path of a record's file in the synced tree, and its content."""
    return f"{PURGES_FOLDER}/{purge.name}.json", json.dumps(_dump(purge), indent=1).encode() + b"\n"


def is_record(path: str) -> bool:
    """Whether a path in the synced tree is a purge record."""
    return path.startswith(f"{PURGES_FOLDER}/")


@dataclass(frozen=True, slots=True)
class PurgeState:
    """The purges known here, by name; those in `applying` were interrupted and must be repeated.

    `unsettled`: the remote may still have the old history, so a fetch may bring it back.
    """

    known: dict[str, Purge] = field(default_factory=dict)
    applying: tuple[str, ...] = ()
    unsettled: bool = False


def load_state(root: Path) -> PurgeState:
    """The state of purges on this machine: a part of `sync.json`, which survives a lost repository."""
    stored = read_object(root / SYNC_NAME).get("purges")
    parts = stored if isinstance(stored, dict) else {}
    known = _readable(parts.get("known") or {})
    applying = tuple(name for name in parts.get("applying") or () if name in known)
    return PurgeState(known=known, applying=applying, unsettled=parts.get("unsettled") is True)


def save_state(root: Path, state: PurgeState) -> None:
    """Save the state durably; the caller holds the store's write lock."""
    content = {
        "known": {name: _dump(purge) for name, purge in state.known.items()},
        "applying": list(state.applying),
        "unsettled": state.unsettled,
    }
    write_object(root / SYNC_NAME, {**read_object(root / SYNC_NAME), "purges": content})


def begin(root: Path, purges: Iterable[Purge]) -> None:
    """Record that these purges are being applied, before anything is changed."""
    state, fresh = load_state(root), {purge.name: purge for purge in purges}
    applying = tuple(dict.fromkeys((*state.applying, *fresh)))
    save_state(root, PurgeState({**state.known, **fresh}, applying, unsettled=True))


def record_settled(root: Path, settled: bool) -> None:
    """Record whether the remote and this machine have the same purges and no old object is left here."""
    save_state(root, replace(load_state(root), unsettled=not settled))


def purges_in(git: Git, commit: str) -> dict[str, Purge]:
    """The records in a commit's tree, by name."""
    rows = git.line("ls-tree", "-z", commit, f"{PURGES_FOLDER}/").split("\0")
    listed = [row.partition("\t") for row in rows if row.startswith("100") and row.endswith(".json")]
    blobs = git.blobs(info.split()[2] for info, _, _ in listed)
    names = (path[len(PURGES_FOLDER) + 1 : -5] for _, _, path in listed)
    return _readable({name: parse_object(data) for name, (_, data) in zip(names, blobs, strict=True)})


def purges_among_files(memory: Path) -> dict[str, Purge]:
    """The records among the synced files, by name; if the repository was lost, they may be the only copy."""
    paths = sorted((memory / PURGES_FOLDER).glob("[!.]*.json"))
    return _readable({path.stem: read_object(path) for path in paths})


def _readable(records: Mapping[str, Mapping[str, object] | None]) -> dict[str, Purge]:
    parsed = ((name, parse_purge(name, record)) for name, record in records.items())
    return {name: purge for name, purge in parsed if purge is not None}


class _Length(NamedTuple):
    """The texts of one length in bytes: by sum, the salted digests."""

    length: int
    digests: dict[int, list[tuple[str, str]]]


class Scrubber:
    """Recognises what the given purges remove."""

    def __init__(self, purges: Iterable[Purge]) -> None:
        ordered = sorted(purges, key=lambda purge: purge.name)
        self.ids = frozenset(note_id for purge in ordered for note_id in purge.ids)
        self._lengths = [length for purge in ordered for length in _by_length(purge)]

    def drops(self, path: str, data: bytes = b"") -> bool:
        """Whether a file belongs to a purged note, by its name or by the id in it."""
        if not self.ids or is_record(path):
            return False
        return path.rpartition("/")[2].partition(".md")[0] in self.ids or self.drops_text(data)

    def drops_text(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note."""
        return bool(self.ids) and read_id(data) in self.ids

    def scrub(self, data: bytes) -> bytes:
        """The bytes with every purged text replaced; the same object if there is none."""
        for length in self._lengths:
            data = _cut(data, length)
        return data

    def holds(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note, or contain a purged text."""
        return self.drops_text(data) or self.scrub(data) is not data

    def lines(self, data: bytes) -> list[int]:
        """The numbers of the lines on which a purged text starts."""
        starts = (start for length in self._lengths for start in _places(data, length))
        return sorted({data.count(b"\n", 0, start) + 1 for start in starts})

    def scrub_text(self, text: str) -> str:
        """A text or path without what is purged."""
        return self.scrub(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def without_purged(memory: Path, text: str) -> str:
    """A text that is about to be stored, without what was purged from this store."""
    return Scrubber(purges_among_files(memory).values()).scrub_text(text)


def _by_length(purge: Purge) -> list[_Length]:
    found: dict[int, dict[int, list[tuple[str, str]]]] = {}
    for mark in purge.texts:
        totals = found.setdefault(mark.length, {})
        totals.setdefault(mark.total, []).append((purge.salt, mark.digest))
    # Longest spelling first, because a shorter one may be part of it.
    return [_Length(length, found[length]) for length in sorted(found, reverse=True)]


def _cut(data: bytes, length: _Length) -> bytes:
    parts: list[bytes] = []
    end = 0
    for start in _places(data, length):
        if start >= end:
            parts += [data[end:start], REMOVED.encode()]
            end = start + length.length
    return b"".join((*parts, data[end:])) if parts else data


def _places(data: bytes, length: _Length) -> Iterator[int]:
    """Where the texts start. The sums of all windows are compared first, because that is cheap."""
    size = length.length
    if len(data) < size:
        return
    sums = list(accumulate(data, initial=0))
    windows = map(sub, islice(sums, size, None), sums)
    for start, total in enumerate(windows):
        for salt, value in length.digests.get(total, ()):
            if _digest(salt, data[start : start + size]) == value:
                yield start
                break
