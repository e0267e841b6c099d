"""`sync.json`, next to the repository: all that sync knows and git does not.

It survives a lost `.git`, and a person can read it. It is written under the store's write lock. Losing it is
harmless except for held notes, so a copy is kept inside `.git` while a note is held. `purge` keeps its own
part of the file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import read_object, write_object
from anamnesis.layout import OWN_FOLDER, SYNC_NAME
from anamnesis.sync.results import REMEDY
from anamnesis.text import local_time, named

HERE = "here"  # instead of a remote's key: the failure is in the store's own repository
_REMOVED_SECONDS = 30 * 86_400  # during which `sync --recover` brings notes back
_MOST_ALLOWED = 1000


class Failure(NamedTuple):
    """What went wrong: its kind, a sentence that quotes git, and what to type."""

    kind: str
    what: str
    remedy: str = ""

    @property
    def text(self) -> str:
        """Sentence and remedy as one line."""
        return f"{self.what}; {self.remedy}" if self.remedy else self.what


class Write(NamedTuple):
    """A file to change from `before` to `after` (blobs, None for "no file")."""

    path: str
    before: str | None
    after: str | None


class Held(NamedTuple):
    """A held note: the local version is the file at `ours_path`, the branch has `theirs` at `theirs_path`."""

    key: str  # the note's id; "/path" for any other file
    ours_path: str
    theirs_path: str
    base: str | None
    theirs: str | None
    since: str
    title: str = ""
    machine: str = ""  # machine and time of `theirs`
    moment: str = ""
    private: str = ""  # the note's file in the machine-local tree, if it is there now

    @property
    def id(self) -> str:
        """Its id on the command line: a note's id, any other file's path."""
        return self.key.lstrip("/")

    @property
    def name(self) -> str:
        """Its name in messages: title and id."""
        return named(self.id, self.title)

    @property
    def description(self) -> str:
        """Its description in messages: its name, and which other machine changed it and when."""
        here = "machine-local here, " if self.private else ""
        there = f"on {self.machine} at {local_time(self.moment)}" if self.machine else "on another machine"
        return f"{self.name}, {here}changed {there}"

    @property
    def paths(self) -> tuple[str, str]:
        """The paths that are not touched while the note is held."""
        return self.ours_path, self.theirs_path


HeldNotes = dict[str, Held]


@dataclass(slots=True)
class State:
    """What `sync.json` says. The tree of `head`, with what is held, waiting and left out, is the files."""

    head: str = ""  # the store's commit
    shared: str = ""  # the last commit that a remote had too
    remotes: dict[str, str] = field(default_factory=dict)  # key of a remote -> its last known commit
    held: HeldNotes = field(default_factory=dict)
    landing: list[Write] = field(default_factory=list)  # a landing in progress, or interrupted
    unwritten: list[str] = field(default_factory=list)  # files of `head` that cannot be written here
    allowed: list[str] = field(default_factory=list)  # digests of texts that may sync with a credential
    removed: dict[str, list[str]] = field(default_factory=dict)  # commit -> the notes that a rejoin removed
    removed_at: int = 0
    started: int = 0  # syncs are numbered: a waiting one knows what was done meanwhile
    finished: int = 0
    reached: bool = True  # whether the remote answered the sync that finished last
    last_sync: str = ""  # when a remote last answered
    failure: list[str] = field(default_factory=list)  # remote, kind, sentence, remedy
    stores: list[str] = field(default_factory=list)  # the ids that this store has had, the present one last
    namesake: str = ""  # this machine's name, if another store reports under it

    def removed_notes(self) -> dict[str, list[str]]:
        """The notes that a rejoin removed in the last 30 days, by the commit that has them."""
        return self.removed if abs(time.time() - self.removed_at) < _REMOVED_SECONDS else {}

    def allow(self, digest: str) -> None:
        """Allow a version with a credential to sync."""
        self.allowed = [*(each for each in self.allowed if each != digest), digest][-_MOST_ALLOWED:]


def load_state(memory: Path) -> State:
    """The state of the store with this `memory` folder; if the file is lost, its copy, or an empty one."""
    stored = read_object(memory.parent / SYNC_NAME)
    if "head" not in stored:  # only a purge has written it, or no one
        stored = {**read_object(_copy(memory)), **stored}
    state = State()
    for each in fields(State):
        value = stored.get(each.name)
        if isinstance(value, type(getattr(state, each.name))):
            setattr(state, each.name, value)
    rows: Iterable[object] = state.held.values()  # as the file has them
    kept = [Held(**row) for row in rows if isinstance(row, dict) and row.keys() == {*Held._fields}]
    state.held = {held.key: held for held in kept}
    state.landing = [Write(*row) for row in state.landing if len(row) == 3]
    return state


def save_state(memory: Path, state: State) -> None:
    """Write the state durably, if it has changed."""
    path = memory.parent / SYNC_NAME
    known = read_object(path)
    content = {**known, **{each.name: getattr(state, each.name) for each in fields(State)}}
    content["held"] = {key: held._asdict() for key, held in state.held.items()}
    content["landing"] = [list(write) for write in state.landing]
    if content != known:
        write_object(path, content)
    copy = _copy(memory)
    if state.held and read_object(copy) != content and copy.parent.parent.is_dir():
        write_object(copy, content)
    elif not state.held and copy.exists():
        copy.unlink()


def _copy(memory: Path) -> Path:
    return memory / ".git" / OWN_FOLDER / SYNC_NAME


def paths_of(notes: HeldNotes) -> list[str]:
    """The paths in the tree that belong to held notes."""
    return [path for held in notes.values() for path in held.paths]


def clash_text(held: Iterable[Held]) -> str:
    """Which notes are held, in one line; "" if none are."""
    names = "; ".join(record.description for record in sorted(held, key=lambda record: record.id))
    return f"conflict: kept local edits, not pushed: {names}; {REMEDY}" if names else ""


def identify_store(state: State, memory: Path) -> None:
    """Give the store the id of its place: a copy gets another, and one that lost this file its own."""
    status = os.stat(memory.parent)
    place = f"{memory.parent}:{status.st_dev}:{status.st_ino}"
    name = sha256(os.fsencode(place)).hexdigest()[:16]
    if name not in state.stores[-1:]:
        state.stores = [*state.stores, name][-20:]
