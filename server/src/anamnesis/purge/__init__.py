"""Erases notes and texts from every version: the record of a purge, and what it recognises.

    rewrite   rewrites the history without purged content
    apply     applies purges on this machine, and compares them with the remote's

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
SHORTEST = 6  # characters; a shorter text would also be cut out of unrelated words
_LONGEST = 100_000
_REMOVED = REMOVED.encode()
_MOST_PASSES = 8  # the replacement and its neighbours may form the text again
_FOLDERS = "memory local undo drafts receipts purges machines aliases anamnesis"
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
    forms = dict.fromkeys(form for text in texts for form in spellings(_checked(text)))
    return Purge(
        name=f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(4).hex()}",
        ids=tuple(dict.fromkeys(ids)),
        salt=salt,
        texts=tuple(TextMark(len(form), sum(form), digest(salt, form)) for form in forms),
        at=at,
        machine=machine,
    )


def _checked(text: str) -> str:
    wanted = text.strip()
    if len(wanted) < SHORTEST:
        raise InvalidNote(
            f"{wanted!r} is too short to purge: it would be cut out of other words; give {SHORTEST} or more"
        )
    if wanted in _RESERVED:
        raise InvalidNote(
            f"{wanted!r} is part of the format of notes and cannot be purged; give a longer text"
        )
    if len(wanted) > _LONGEST:
        raise InvalidNote(f"a text of {len(wanted):,} characters cannot be purged; give a part of it")
    return wanted


def digest(salt: str, data: bytes) -> str:
    """The salted digest of a text, as in a record."""
    return sha256(salt.encode() + data).hexdigest()


def spellings(text: str) -> list[bytes]:
    """The forms in which a text is searched for: as typed, and as JSON writes it."""
    forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    return list(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in forms))


def parse_purge(name: str, data: bytes) -> Purge | None:
    """A record from the bytes of its file; None if it is not one."""
    fields = parse_object(data)
    return None if fields is None else _load_purge(name, fields)


def _load_purge(name: str, fields: Mapping[str, object]) -> Purge | None:
    """A record from its JSON form; None if it is not one."""
    ids, salt, texts = fields.get("ids"), fields.get("salt"), fields.get("texts")
    if fields.get("purge") != 1 or not isinstance(ids, list) or not isinstance(texts, list):
        return None
    marks = [mark for each in texts if (mark := _mark(each)) is not None]
    return Purge(
        name=name,
        ids=tuple(each for each in ids if isinstance(each, str) and is_valid_id(each)),
        salt=salt if isinstance(salt, str) else "",
        texts=tuple(marks),
        at=str(fields.get("at") or ""),
        machine=str(fields.get("machine") or ""),
    )


def _mark(row: object) -> TextMark | None:
    if not isinstance(row, list) or len(row) != 3:
        return None
    length, total, value = row
    is_mark = isinstance(length, int) and isinstance(total, int) and isinstance(value, str)
    # A record from elsewhere must not cut single letters out of every note.
    return TextMark(length, total, value) if is_mark and length >= SHORTEST else None


def file_of(purge: Purge) -> tuple[str, bytes]:
    """The path of a record's file in the synced tree, and its content."""
    content = json.dumps(_dump_purge(purge), indent=1).encode() + b"\n"
    return f"{PURGES_FOLDER}/{purge.name}.json", content


def _dump_purge(purge: Purge) -> dict[str, object]:
    """The JSON form of a record."""
    return {
        "purge": 1,
        "at": purge.at,
        "machine": purge.machine,
        "ids": list(purge.ids),
        "salt": purge.salt,
        "texts": [[mark.length, mark.total, mark.digest] for mark in purge.texts],
    }


@dataclass(frozen=True, slots=True)
class PurgeState:
    """The purges known here, by name; those in `applying` were interrupted and must be repeated.

    `unsettled`: the remote may still have the old history, so a fetch may bring it back. `unreported`: ids of
    notes with unpushed changes that another machine's purge removed, until a sync has reported them.
    """

    known: dict[str, Purge] = field(default_factory=dict)
    applying: tuple[str, ...] = ()
    unsettled: bool = False
    unreported: tuple[str, ...] = ()


def load_state(root: Path) -> PurgeState:
    """The state of purges on this machine: a part of `sync.json`, which survives a lost repository."""
    stored = read_object(root / SYNC_NAME).get("purges")
    parts = stored if isinstance(stored, dict) else {}
    records, applying, unreported = (parts.get(key) for key in ("known", "applying", "unreported"))
    known = {
        name: purge
        for name, record in (records.items() if isinstance(records, dict) else ())
        if isinstance(record, dict) and (purge := _load_purge(name, record)) is not None
    }
    return PurgeState(
        known=known,
        applying=tuple(name for name in applying if name in known) if isinstance(applying, list) else (),
        unsettled=parts.get("unsettled") is True,
        unreported=tuple(each for each in unreported if isinstance(each, str))
        if isinstance(unreported, list)
        else (),
    )


def save_state(root: Path, state: PurgeState) -> None:
    """Save the state durably; the caller holds the store's write lock."""
    content = {
        "known": {name: _dump_purge(purge) for name, purge in state.known.items()},
        "applying": list(state.applying),
        "unsettled": state.unsettled,
        "unreported": list(state.unreported),
    }
    write_object(root / SYNC_NAME, {**read_object(root / SYNC_NAME), "purges": content})


def begin(root: Path, purges: Iterable[Purge], *, unreported: Iterable[str] = ()) -> None:
    """Record that these purges are being applied, before anything is changed."""
    state, fresh = load_state(root), {purge.name: purge for purge in purges}
    started = replace(
        state,
        known={**state.known, **fresh},
        applying=tuple(dict.fromkeys((*state.applying, *fresh))),
        unsettled=True,
        unreported=tuple(dict.fromkeys((*state.unreported, *unreported))),
    )
    save_state(root, started)


def take_unreported(root: Path) -> tuple[str, ...]:
    """The notes whose unpushed changes were removed; the caller reports them, so they are forgotten here."""
    state = load_state(root)
    if state.unreported:
        save_state(root, replace(state, unreported=()))
    return state.unreported


def record_settled(root: Path, settled: bool) -> None:
    """Record whether the remote and this machine have the same purges and no old object is left here."""
    save_state(root, replace(load_state(root), unsettled=not settled))


def purges_in(git: Git, commit: str) -> dict[str, Purge]:
    """The records in a commit's tree, by name."""
    rows = git.run("ls-tree", "-z", commit, f"{PURGES_FOLDER}/").split(b"\0")
    names: dict[str, str] = {}
    for row in rows:
        info, _, path = row.partition(b"\t")
        if info.startswith(b"100") and path.endswith(b".json"):
            names[path.decode("utf-8", "replace")[len(PURGES_FOLDER) + 1 : -5]] = info.split()[2].decode()
    texts = dict(git.blobs(set(names.values()))) if names else {}
    parsed = ((name, parse_purge(name, texts[oid])) for name, oid in names.items())
    return {name: purge for name, purge in parsed if purge is not None}


def purges_among_files(memory: Path) -> dict[str, Purge]:
    """The records among the synced files, by name; if the repository was lost, they may be the only copy."""
    paths = sorted((memory / PURGES_FOLDER).glob("[!.]*.json"))
    parsed = ((path.stem, _load_purge(path.stem, read_object(path))) for path in paths)
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

    def drops(self, path: str, data: bytes | None = None) -> bool:
        """Whether a file belongs to a purged note, by its name or by the id in it."""
        if not self.ids or is_record(path):
            return False
        name = path.rpartition("/")[2].partition(".md")[0]
        return name in self.ids or (data is not None and self.drops_text(data))

    def drops_text(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note."""
        return bool(self.ids) and read_id(data) in self.ids

    def scrub(self, data: bytes) -> bytes:
        """The bytes with every purged text replaced; the same object if there is none."""
        for _ in range(_MOST_PASSES):
            before = data
            for length in self._lengths:
                data = _cut(data, length)
            if data is before:
                break
        return data

    def holds(self, data: bytes) -> bool:
        """Whether the bytes contain a purged text."""
        return any(next(_places(data, length), None) is not None for length in self._lengths)

    def lines(self, data: bytes) -> list[int]:
        """The numbers of the lines on which a purged text starts."""
        starts = (start for length in self._lengths for start in _places(data, length))
        return sorted({data.count(b"\n", 0, start) + 1 for start in starts})

    def scrub_path(self, path: str) -> str:
        """A path without purged texts; paths of records are unchanged."""
        if is_record(path):
            return path
        return self.scrub(path.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def without_purged(memory: Path, text: str) -> str:
    """A text that is about to be stored, without what was purged from this store."""
    purges = purges_among_files(memory).values()
    return Scrubber(purges).scrub(text.encode("utf-8", "replace")).decode("utf-8", "replace")


def is_record(path: str) -> bool:
    """Whether a path in the synced tree is a purge record."""
    return path.startswith(f"{PURGES_FOLDER}/")


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
            parts += [data[end:start], _REMOVED]
            end = start + length.length
    return b"".join((*parts, data[end:])) if parts else data


def _places(data: bytes, length: _Length) -> Iterator[int]:
    """Where the texts start. The sums of all windows are compared first, because that is cheap."""
    size = length.length
    if len(data) < size:
        return iter(())
    sums = list(accumulate(data, initial=0))
    windows = map(sub, islice(sums, size, None), sums)
    likely = ((start, total) for start, total in enumerate(windows) if total in length.digests)
    return (
        start
        for start, total in likely
        if any(digest(salt, data[start : start + size]) == value for salt, value in length.digests[total])
    )
