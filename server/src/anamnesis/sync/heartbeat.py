"""What each machine reports about itself, and what the commits show about it.

A heartbeat is one small file in the synced tree that only its machine writes. It is part of a commit that is
made anyway, and gets its own commit at most once a day. It has the commit that the machine was at, from which
`fleet` sees what it lacked then, and the id of its store, by which two machines with one name are noticed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from anamnesis import __version__, state
from anamnesis.files import parse_object, read_object
from anamnesis.git import AUTHOR, machine_name
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.vocabulary import epoch, seconds_of, utcnow
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import Heartbeat, Machine
from anamnesis.sync.state import State, load_state

_DAILY = timedelta(hours=24)
_MAX_BYTES = 20_000
_NAME_SECONDS = 30 * 86_400  # a silent machine's name is free after that


def is_heartbeat_due(repo: Repo, known: State) -> bool:
    """Whether the heartbeat needs its own commit: none yet, none for a day, a new version, fewer held notes.

    The last one reports notes as held that were resolved since; the resolution is pushed anyway.
    """
    last = _load_heartbeat(repo.folder / heartbeat_path(repo.machine))
    if (
        last is None
        or last.version != __version__
        or last.held > len(known.held)
        or last.store != known.store
    ):
        return True
    try:
        reported = datetime.fromisoformat(last.at)
    except ValueError:
        return True
    return abs(datetime.fromisoformat(utcnow()) - reported) >= _DAILY


def heartbeat_file(repo: Repo, known: State, *, held: int, waiting: int, problems: int) -> tuple[str, bytes]:
    """The path of this machine's file in the synced tree, and its content now."""
    root = repo.folder.parent
    captured, injected = state.latest(root, state.Captured), state.latest(root, state.Entry, kind="told")
    now = Heartbeat(
        machine=repo.machine,
        at=utcnow(),
        version=__version__,
        last_sync=known.last_sync,
        last_capture=captured.at if captured else "",
        last_inject=injected.at if injected else "",
        held=held,
        waiting=waiting,
        problems=problems,
        store=known.store,
        head=known.head,
    )
    return heartbeat_path(repo.machine), f"{json.dumps(now._asdict(), indent=1)}\n".encode()


def heartbeat_path(machine: str) -> str:
    """The path of a machine's file in the synced tree; similar names get different paths."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "-", machine)[:80].strip("-") or "unknown"
    mark = "" if safe == machine else f"-{sha256(machine.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return f"{MACHINES_FOLDER}/{safe}{mark}.json"


def find_namesake(repo: Repo, known: State, theirs: str) -> str:
    """This machine's name, if another store reports under it in a commit of the remote; else ""."""
    blob = repo.blob_at(theirs, heartbeat_path(repo.machine))
    beat = _read_heartbeat(parse_object(repo.git.blob(blob)) or {}) if blob else None
    if beat is None or not beat.store or beat.store in (known.store, *known.earlier):
        return ""
    return repo.machine if time.time() - epoch(beat.at) < _NAME_SECONDS else ""


def _load_heartbeat(path: Path) -> Heartbeat | None:
    """A machine's heartbeat; None if its file cannot be read."""
    return _read_heartbeat(read_object(path, most=_MAX_BYTES))


def _read_heartbeat(stored: dict[str, object]) -> Heartbeat | None:
    known = {
        name: (_number if isinstance(default, int) else _text)(stored.get(name))
        for name, default in Heartbeat("", "")._asdict().items()
    }
    return Heartbeat(**known) if known["machine"] and known["at"] else None  # type: ignore[arg-type]


def load_heartbeats(memory: Path) -> dict[str, Heartbeat]:
    """Every machine's last heartbeat, by the path of its file."""
    beats = ((path, _load_heartbeat(path)) for path in sorted((memory / MACHINES_FOLDER).glob("[!.]*.json")))
    return {f"{MACHINES_FOLDER}/{path.name}": beat for path, beat in beats if beat is not None}


def read_machines(repo: Repo) -> Iterator[Machine]:
    """Every machine that has reported, this one first; each is read when it is reached."""
    known, own = load_state(repo.folder), heartbeat_path(repo.machine)
    beats = load_heartbeats(repo.folder)
    mine = beats.pop(own, None)
    has_twin = known.namesake == repo.machine
    if mine is None or has_twin:
        beats |= {own: mine} if mine else {}
        mine = Heartbeat(repo.machine, "", last_sync=known.last_sync)
    head = repo.main()
    yield Machine(mine, here=True, tree=_tree(repo, head), has_twin=has_twin, is_this_store=True)
    for path, beat in beats.items():
        had, lacks = _lacking(repo, path, beat)
        yield Machine(
            beat,
            arrived=_changed_at(repo.folder / path),
            tree=_tree(repo, had),
            lacks=lacks,
            is_this_store=beat.store in (known.store, *known.earlier),
        )


def _lacking(repo: Repo, path: str, beat: Heartbeat) -> tuple[str, tuple[int, ...]]:
    """The last commit that a machine had, and the times of later ones with notes, newest first.

    It had the commit that its heartbeat names, and those that it made itself since.
    """
    start = beat.head if repo.has_commit(beat.head) else ""
    start = start or repo.git.line("log", "-1", "--format=%H", MAIN, "--", f":(literal){path}")
    if not start:
        return "", ()
    # Top level only: changes inside folders do not matter here and are slow to list.
    order = (
        "log",
        "--name-only",
        "-z",
        "--no-renames",
        "--format=%x02%H%x00%ae%x00%ct%x00",
        "--diff-merges=off",
    )
    shown = repo.git.run(*order, MAIN, f"^{start}", "--").decode("utf-8", "replace")
    lacks: list[int] = []
    for part in shown.split("\x02")[1:]:
        oid, email, when, *names = part.split("\0")
        if email == f"{AUTHOR}{machine_name(beat.machine)}":
            return oid, tuple(lacks)
        if any(name.strip() and not name.strip().startswith(f"{MACHINES_FOLDER}/") for name in names):
            lacks.append(seconds_of(when))
    return start, tuple(lacks)


def _tree(repo: Repo, commit: str) -> str:
    """A short hash of everything in a commit except the heartbeats; "" without one."""
    if not commit:
        return ""
    rows = repo.git.run("ls-tree", "-z", commit).split(b"\0")
    kept = [row for row in rows if not row.endswith(b"\t" + MACHINES_FOLDER.encode())]
    return sha256(b"\0".join(kept)).hexdigest()[:7]


def _text(value: object) -> str:
    # Half a character, which JSON can hold, could neither be printed nor sent.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _changed_at(path: Path) -> float | None:
    """When a file was changed, by this machine's clock; None if there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None
