"""What each machine reports about itself, and what the commits show about it.

A heartbeat is one small file in the synced tree that only its machine writes. It is part of a commit that is
made anyway, and gets its own commit at most once a day. It has the commit that the machine was at, from which
`fleet` sees what it lacked then, and the id of its store, by which two machines with one name are noticed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from anamnesis import __version__, state
from anamnesis.files import read_object
from anamnesis.git import AUTHOR, machine_name
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import Heartbeat, Machine
from anamnesis.sync.state import State, load_state
from anamnesis.text import epoch, utcnow

_DAY = 86_400
RETIRED_SECONDS = 30 * _DAY  # without a report; the name of a machine is free after that


def is_heartbeat_due(repo: Repo, known: State) -> bool:
    """Whether the heartbeat needs its own commit: none yet, none for a day, a new version, fewer held notes.

    The last one reports notes as held that were resolved since; the resolution is pushed anyway.
    """
    last = _read_heartbeat(read_object(repo.folder / heartbeat_path(repo.machine)))
    if last is None or (last.version, last.store) != (__version__, known.stores[-1]):
        return True
    return last.held > len(known.held) or abs(time.time() - epoch(last.at)) >= _DAY


def heartbeat_file(repo: Repo, known: State, *, waiting: int, problems: int) -> tuple[str, bytes]:
    """The path of this machine's file in the synced tree, and its content now."""
    root = repo.folder.parent
    now = Heartbeat(
        machine=repo.machine,
        at=utcnow(),
        version=__version__,
        last_sync=known.last_sync,
        last_capture=state.last_capture(root),
        last_inject=state.last_inject(root),
        held=len(known.held),
        waiting=waiting,
        problems=problems,
        store=known.stores[-1],
        head=known.head,
    )
    return heartbeat_path(repo.machine), f"{json.dumps(now._asdict(), indent=1)}\n".encode()


def heartbeat_path(machine: str) -> str:
    """The path of a machine's file in the synced tree; similar names get different paths."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "-", machine)[:80].strip("-") or "unknown"
    mark = "" if safe == machine else f"-{sha256(machine.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return f"{MACHINES_FOLDER}/{safe}{mark}.json"


def has_namesake(repo: Repo, known: State) -> bool:
    """Whether another store reported under this machine's name within the last month."""
    beat = _read_heartbeat(read_object(repo.folder / heartbeat_path(repo.machine)))
    return (
        beat is not None
        and beat.store not in ("", *known.stores)
        and time.time() - epoch(beat.at) < RETIRED_SECONDS
    )


def _read_heartbeat(stored: Mapping[str, object]) -> Heartbeat | None:
    """A machine's heartbeat from its JSON form; None if it is not one."""
    usual = Heartbeat("", "")._asdict()
    known = {key: value for key, value in stored.items() if type(value) is type(usual.get(key))}
    beat = Heartbeat(**{**usual, **known})
    # Half a character, which JSON can hold, could neither be printed nor sent.
    beat = beat._replace(machine=beat.machine.encode("utf-8", "replace").decode())
    return beat if beat.machine and beat.at else None


def load_heartbeats(memory: Path) -> dict[str, Heartbeat]:
    """Every machine's last heartbeat, by the path of its file."""
    paths = sorted((memory / MACHINES_FOLDER).glob("[!.]*.json"))
    beats = ((path, _read_heartbeat(read_object(path))) for path in paths)
    return {f"{MACHINES_FOLDER}/{path.name}": beat for path, beat in beats if beat is not None}


def read_machines(repo: Repo) -> Iterator[Machine]:
    """Every machine that has reported, this one first; each is read when it is reached."""
    known, own = load_state(repo.folder), heartbeat_path(repo.machine)
    beats = load_heartbeats(repo.folder)
    has_twin = known.namesake == repo.machine
    mine = None if has_twin else beats.pop(own, None)
    mine = mine or Heartbeat(repo.machine, "", last_sync=known.last_sync)
    yield Machine(mine, here=True, tree=_tree(repo, repo.main()), has_twin=has_twin)
    for path, beat in beats.items():
        had, lacks = _lacking(repo, beat)
        arrived = (repo.folder / path).stat().st_mtime
        yield Machine(beat, arrived=arrived, tree=_tree(repo, had), lacks=lacks)


def _lacking(repo: Repo, beat: Heartbeat) -> tuple[str, tuple[int, ...]]:
    """The last commit that a machine made, and the times of later ones with notes, newest first.

    The history is linear, so it had everything before its own commit.
    """
    author = f"--author=<{AUTHOR}{machine_name(beat.machine)}>"
    had = repo.git.line("log", "-1", "--fixed-strings", author, "--format=%H", MAIN)
    if not had:
        return "", ()
    notes = (".", f":(exclude){MACHINES_FOLDER}")
    return had, tuple(map(int, repo.git.line("log", "--format=%ct", MAIN, f"^{had}", "--", *notes).split()))


def _tree(repo: Repo, commit: str) -> str:
    """A short hash of everything in a commit except the heartbeats; "" without one."""
    if not commit:
        return ""
    rows = repo.git.run("ls-tree", "-z", commit).split(b"\0")
    kept = [row for row in rows if not row.endswith(b"\t" + MACHINES_FOLDER.encode())]
    return sha256(b"\0".join(kept)).hexdigest()[:7]
