"""What each machine reports about itself: one small file in the synced tree that only it writes.

It is part of a commit that is made anyway, and gets its own commit at most once a day. The tree of that
commit shows which notes the machine had, so the file does not list them; and since it arrives by a push,
nothing was unpushed then.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from anamnesis import __version__
from anamnesis.files import read_object, read_text, write_atomic, write_object
from anamnesis.layout import LAST_INJECT, LEDGER_NAME, MACHINES_FOLDER, OWN_FOLDER
from anamnesis.notes.vocabulary import timestamp, utcnow
from anamnesis.sync.repo import Repo
from anamnesis.sync.state import load_runs

_DAILY = timedelta(hours=24)
_MAX_BYTES = 20_000
_MARK_FILE = "store-mark"


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What a machine reported, and when."""

    machine: str
    at: str
    version: str = ""
    last_sync: str = ""
    last_capture: str = ""
    last_inject: str = ""
    held: int = 0
    waiting: int = 0
    problems: int = 0  # files that are not synced
    store: str = ""  # a random token of the store, to detect two machines with the same name


def is_heartbeat_due(repo: Repo, *, held: int) -> bool:
    """Whether the heartbeat needs its own commit: none yet, none for a day, a new version, fewer held notes.

    The last one reports notes as held that were resolved since; the resolution is pushed anyway.
    """
    last = _load_heartbeat(repo.folder / heartbeat_path(repo.machine))
    if last is None or last.version != __version__ or last.held > held:
        return True
    try:
        reported = datetime.fromisoformat(last.at)
    except ValueError:
        return True
    return abs(datetime.fromisoformat(utcnow()) - reported) >= _DAILY


def write_heartbeat(repo: Repo, *, held: int, waiting: int, problems: int) -> str:
    """Write this machine's file; returns its path in the synced tree, "" without a remote or place for it."""
    if '[remote "origin"]' not in read_text(repo.git.dir / "config"):
        return ""
    root, path = repo.folder.parent, heartbeat_path(repo.machine)
    now = Heartbeat(
        machine=repo.machine,
        at=utcnow(),
        version=__version__,
        last_sync=load_runs(repo.own).last_sync or "",
        last_capture=_text(read_object(root / LEDGER_NAME).get("last_capture")),
        last_inject=_changed_at(root / LAST_INJECT),
        held=held,
        waiting=waiting,
        problems=problems,
        store=store_token(repo.git.dir, create=True),
    )
    try:
        write_object(repo.folder / path, asdict(now), indent=1)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return ""  # the user has a file or folder of that name: sync without the heartbeat
    return path


def heartbeat_path(machine: str) -> str:
    """The path of a machine's file in the synced tree; similar names get different paths."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "-", machine)[:80].strip("-") or "unknown"
    mark = "" if safe == machine else f"-{sha256(machine.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return f"{MACHINES_FOLDER}/{safe}{mark}.json"


def _load_heartbeat(path: Path) -> Heartbeat | None:
    """A machine's heartbeat; None if its file cannot be read."""
    stored = read_object(path, most=_MAX_BYTES)
    if not _text(stored.get("machine")) or not _text(stored.get("at")):
        return None
    return Heartbeat(
        machine=_text(stored.get("machine")),
        at=_text(stored.get("at")),
        version=_text(stored.get("version")),
        last_sync=_text(stored.get("last_sync")),
        last_capture=_text(stored.get("last_capture")),
        last_inject=_text(stored.get("last_inject")),
        held=_number(stored.get("held")),
        waiting=_number(stored.get("waiting")),
        problems=_number(stored.get("problems")),
        store=_text(stored.get("store")),
    )


def store_token(git_folder: Path, *, create: bool = False) -> str:
    """The random token of this store, which says nothing about the machine; "" if there is none yet."""
    path = git_folder / OWN_FOLDER / _MARK_FILE
    token = read_text(path).strip()
    if not token and create:
        token = os.urandom(8).hex()
        write_atomic(path, token.encode())
    return token


def load_heartbeats(memory: Path) -> dict[str, Heartbeat]:
    """Every machine's last heartbeat, by the path of its file."""
    beats = ((path, _load_heartbeat(path)) for path in sorted((memory / MACHINES_FOLDER).glob("[!.]*.json")))
    return {f"{MACHINES_FOLDER}/{path.name}": beat for path, beat in beats if beat is not None}


def _text(value: object) -> str:
    # Half a character, which JSON can hold, could neither be printed nor sent.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _changed_at(path: Path) -> str:
    try:
        return timestamp(path.stat().st_mtime)
    except OSError:
        return ""
