"""A second sync backend: notes sync through a plain folder that the machines share, without git.

It uses only `anamnesis.sync.results`, to prove that nothing outside a backend knows how notes move.
A file that both sides changed since the last sync is held with this machine's text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from anamnesis.errors import NotHeld
from anamnesis.files import read_object, write_atomic
from anamnesis.history import History
from anamnesis.purge import Purge
from anamnesis.sync.results import (
    Choice,
    Finding,
    Heartbeat,
    HeldNote,
    Machine,
    Rejoin,
    SyncResult,
    SyncState,
)
from anamnesis.text import StepProgress, plural, silent, utcnow
from anamnesis.undo import UndoTexts

PREFIX = "folder:"
_AWAY = "the shared folder {} is not there; mount it, the next sync tries again"


@dataclass(frozen=True, slots=True)
class Record:
    """What this machine committed, and what it last shared with the folder; texts by path."""

    committed: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    last_sync: str | None = None


class FolderBackend:
    """Syncs the notes under `memory_dir` with the folder that the address names."""

    kind = "the shared folder"

    def __init__(
        self,
        memory_dir: Path,
        *,
        remote: str | None,
        machine_id: str,
        timeout: float | None = None,
        background: bool = False,
        heartbeat: bool = False,
    ) -> None:
        self.remote = remote
        self.machine_id = machine_id
        self._memory = memory_dir
        self._folder = Path((remote or "").removeprefix(PREFIX))
        self._file = memory_dir.parent / "folder-sync.json"

    def init(self) -> None:
        """Record that the store is initialized."""
        self._save(self._record())

    def commit(self, message: str | None = None) -> bool:
        """Record the texts of the notes as they are now."""
        record = self._record()
        if record.committed == (now := _texts(self._memory)):
            return False
        self._save(replace(record, committed=now))
        return True

    def sync(self, *, rejoin: Rejoin = False, progress: StepProgress = silent) -> SyncResult:
        """Copy what changed on one side only to the other."""
        progress("commit", 0, 0)
        self.commit()
        if not self._folder.is_dir():
            away = _AWAY.format(self._folder)
            return SyncResult(detail=away, reached=False, failure="away", head=self.state().head)
        record = self._record()
        mine, theirs = record.committed, _texts(self._folder)
        incoming = _changed(record.shared, theirs)
        outgoing = _changed(record.shared, mine)
        clashes = {path for path in incoming & outgoing if mine.get(path) != theirs.get(path)}
        progress("integrate", 0, 0)
        for path in incoming - outgoing:
            _put(self._memory / path, theirs.get(path))
        progress("push", 0, 0)
        for path in outgoing - incoming:
            _put(self._folder / path, mine.get(path))
        now = _texts(self._memory)
        base = {path: record.shared[path] for path in clashes & record.shared.keys()}
        common = {path: text for path, text in now.items() if path not in clashes}
        self._save(Record(now, {**common, **base}, utcnow()))
        state = self.state()
        return SyncResult(
            pushed=bool(outgoing - incoming),
            pulled=len(incoming - outgoing),
            conflicted=bool(clashes),
            head=state.head,
            detail=state.detail,
            held=state.held,
            changed=tuple(sorted(incoming - outgoing)),
        )

    def state(self) -> SyncState:
        """The sync state, from the record and the two folders."""
        record = self._record()
        held = tuple(path for path, *_ in self._clashes(record))
        waiting = _changed(record.shared, record.committed) - {*held}
        away = "" if self._folder.is_dir() else _AWAY.format(self._folder)
        clash = f"conflict: {', '.join(held)} held" if held else ""
        return SyncState(
            initialized=self._file.exists(),
            remote=self.remote,
            head=sha256(json.dumps(record.committed, sort_keys=True).encode()).hexdigest()[:7],
            dirty=record.committed != _texts(self._memory),
            detail="; ".join(filter(None, (clash, away))) or "ok",
            ahead=len(waiting),
            behind=len(_changed(record.shared, _texts(self._folder)) - {*held}) if not away else 0,
            failure="away" if away else "",
            failure_text=away,
            held=tuple(_id(path) for path in held),
            held_names=held,
            last_sync=record.last_sync,
        )

    def held(self) -> list[HeldNote]:
        """The notes that both sides changed."""
        return [
            HeldNote(_id(path), path, _id(path), base, mine, theirs, since="", machine="another machine")
            for path, base, mine, theirs in self._clashes(self._record())
        ]

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> None:
        """Make the next sync see only one side's change."""
        record = self._record()
        for path, _, mine, theirs in self._clashes(record):
            if note_id in (path, _id(path)):
                chosen = text if text is not None else theirs if choice == "theirs" else mine
                _put(self._memory / path, chosen)
                shared = {**record.shared, path: theirs or ""}
                self._save(replace(record, shared=shared, committed=_texts(self._memory)))
                return
        raise NotHeld(f"{note_id!r} is not a held note")

    def purge(self, purge: Purge) -> None:
        """Remove notes from the files and from what was committed; the next sync removes them elsewhere."""
        for path in [path for path in _texts(self._memory) if _id(path) in purge.ids]:
            _put(self._memory / path, None)
        self.commit()

    def count_left(self, purge: Purge) -> int:
        """How many texts of these notes are still on record."""
        record = self._record()
        return sum(_id(path) in purge.ids for path in (*record.committed, *record.shared))

    def allow_secret(self, name: str) -> bool:
        """Nothing ever waits here."""
        return False

    def recover(self, name: str) -> list[str]:
        """The folder removes nothing by a rejoin."""
        return []

    def history(self, kept: UndoTexts | None = None) -> History:
        """The folder keeps no versions: only the texts of this machine are known."""
        return History(None, kept=kept)

    def machines(self) -> list[Machine]:
        """Only this one: the folder keeps no heartbeats."""
        return [Machine(Heartbeat(self.machine_id, ""), here=True)]

    def examine_tools(self) -> Finding:
        """No tools are needed."""
        return Finding("tools", "ok", "none are needed")

    def examine_storage(self) -> Finding:
        """Whether the record can be read."""
        evidence = f"{plural(len(self._record().shared), 'note')} in common with {self._folder}"
        return Finding("shared folder", "ok", evidence)

    def examine_remote(self) -> Finding:
        """Whether the shared folder exists."""
        if self._folder.is_dir():
            return Finding("remote", "ok", f"{self.remote} is there")
        return Finding("remote", "bad", f"{self.remote} is not there", "mount the folder")

    def watched(self) -> list[Path]:
        """The record changes with every sync."""
        return [self._file]

    def _clashes(self, record: Record) -> list[tuple[str, str | None, str | None, str | None]]:
        theirs = _texts(self._folder)
        changed = _changed(record.shared, theirs) & _changed(record.shared, record.committed)
        return [
            (path, record.shared.get(path), record.committed.get(path), theirs.get(path))
            for path in sorted(changed)
            if record.committed.get(path) != theirs.get(path)
        ]

    def _record(self) -> Record:
        found = read_object(self._file)
        texts = [found.get(name) for name in ("committed", "shared")]
        committed, shared = (dict(each) if isinstance(each, dict) else {} for each in texts)
        last = found.get("last_sync")
        return Record(committed, shared, last if isinstance(last, str) else None)

    def _save(self, record: Record) -> None:
        content = {"committed": record.committed, "shared": record.shared, "last_sync": record.last_sync}
        write_atomic(self._file, json.dumps(content).encode())


def _texts(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.md"))}


def _changed(old: dict[str, str], new: dict[str, str]) -> set[str]:
    return {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}


def _put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())


def _id(path: str) -> str:
    return Path(path).stem
