"""Held notes: the ones whose two versions clash, kept until someone or something resolves them.

The local version stays in the note's own file, the other version is what the branch has. The record names all
three versions as git objects, and references keep them from being collected. A note that is machine-local
here and shared elsewhere has no local version in the tree; its text stays out of git.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from anamnesis.files import write_atomic
from anamnesis.sync.repo import Repo

_FILE = "held.json"
_UNDER = "held"  # the references that keep the versions, and a copy of the file
_COPY = "record"


@dataclass(frozen=True, slots=True)
class Held:
    """One held note: where its versions are. `theirs` at `theirs_path` is what the commit `at` has."""

    key: str  # the note's id; "/path" for a file that is no note
    ours_path: str
    theirs_path: str
    base: str | None
    mine: str | None
    theirs: str | None
    at: str
    since: str
    title: str = ""
    machine: str = ""  # who made `theirs`, and when
    moment: str = ""
    private: str = ""  # the note's file in the tree that stays here, when that is where it is now

    @property
    def id(self) -> str:
        """What the user calls it: the id of a note, the path of any other file."""
        return self.key.lstrip("/")

    @property
    def name(self) -> str:
        """What messages call it: its title and its id."""
        return named(self.id, self.title)

    @property
    def story(self) -> str:
        """What messages say of it: its name, and who changed it when."""
        here = "machine-local here, " if self.private else ""
        there = f"on {self.machine} at {self.moment}" if self.machine else "elsewhere"
        return f"{self.name}, {here}changed {there}"

    @property
    def paths(self) -> tuple[str, str]:
        """The places in the tree that are left alone while the note is held."""
        return self.ours_path, self.theirs_path


HeldNotes = dict[str, Held]
_FIELDS = frozenset(Held.__dataclass_fields__) - {"key"}


def named(note_id: str, title: str) -> str:
    """A note as messages name it: its title on one line, and its id."""
    line = " ".join(title.split())
    return f"'{line[:57]}...' ({note_id})" if len(line) > 60 else f"'{line}' ({note_id})" if line else note_id


def load_held(repo: Repo) -> HeldNotes:
    """The held notes by key; a record that was lost or damaged is taken from the copy among git's objects."""
    found = _read_file(repo.own / _FILE)
    if found is None:
        copy = repo.git.ref(f"refs/anamnesis/{_UNDER}/{_COPY}")
        found = _parse(repo.git.blob(copy)) if copy else None
    return read_held(found or {})


def _read_file(path: Path) -> dict[str, object] | None:
    try:
        return _parse(path.read_bytes())
    except OSError:
        return None


def _parse(data: bytes) -> dict[str, object] | None:
    """The JSON object in `data`, None when there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_held(found: dict[str, object]) -> HeldNotes:
    """Held notes from their JSON form; a record that cannot be read is passed over."""
    notes: HeldNotes = {}
    for key, record in found.items():
        if isinstance(record, dict):
            try:
                notes[key] = Held(key=key, **{name: record[name] for name in _FIELDS & record.keys()})
            except TypeError:
                continue
    return notes


def dump_held(notes: HeldNotes) -> dict[str, object]:
    """The JSON form of held notes."""
    return {
        key: {name: value for name, value in asdict(held).items() if name != "key"}
        for key, held in notes.items()
    }


def save_held(repo: Repo, notes: HeldNotes) -> None:
    """Record durably which notes are held, their versions first."""
    before, content = load_held(repo), json.dumps(dump_held(notes)).encode()
    if dump_held(before) == dump_held(notes):
        return
    kept = {
        f"{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:20]}/{side}": oid
        for key, held in notes.items()
        for side, oid in (("base", held.base), ("mine", held.mine), ("theirs", held.theirs))
        if oid
    }
    if notes:
        kept[_COPY] = repo.store(content)
    known = {**_versions(before), **kept}
    repo.protect(known, under=_UNDER)
    write_atomic(repo.own / _FILE, content)
    if known != kept:
        repo.protect(kept, under=_UNDER)


def _versions(notes: HeldNotes) -> dict[str, str]:
    # During the change both the old and the new versions are protected.
    return {
        f"old-{oid}": oid for held in notes.values() for oid in (held.base, held.mine, held.theirs) if oid
    }
