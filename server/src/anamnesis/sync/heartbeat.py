"""What each machine reports about itself, and what the commits show about it.

A heartbeat is one small file in the synced tree that only its machine writes. It is part of a commit that is
made anyway, and gets its own commit at most once a day. The tree of that commit shows which notes the machine
had, so the file does not list them; and since it arrives by a push, nothing was unpushed then.

A machine had the tree of the last commit that it made or that contains its heartbeat, because it integrates
the remote before it pushes. If heartbeats under one name alternate between two stores, they are two machines.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anamnesis import __version__, state
from anamnesis.files import parse_object, read_object, read_text, write_atomic
from anamnesis.git import AUTHOR, Git, machine_name
from anamnesis.layout import MACHINES_FOLDER, MAIN, OWN_FOLDER
from anamnesis.notes.vocabulary import seconds_of, utcnow
from anamnesis.sync.repo import Repo, Step
from anamnesis.sync.results import Heartbeat, Machine
from anamnesis.sync.state import load_runs

TYPE_CHECKING = False  # a sync writes heartbeats and does not read the log
if TYPE_CHECKING:
    from anamnesis.history import Commit
    from anamnesis.sync.log import LogTail

_DAILY = timedelta(hours=24)
_MAX_BYTES = 20_000
_MARK_FILE = "store-mark"
_LAST = 20  # heartbeats to compare
_SECONDS = 30 * 86_400  # a name clash is not reported long after it was fixed


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
    path, text = heartbeat_path(repo.machine), _heartbeat_text(repo, held, waiting, problems)
    try:
        if text:
            write_atomic(repo.folder / path, text)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return ""  # the user has a file or folder of that name: sync without the heartbeat
    return path if text else ""


def commit_heartbeat(repo: Repo, head: str, message: str, *, held: int, waiting: int, problems: int) -> str:
    """Commit this machine's file on top of `head`; returns `head` without a remote or place for it."""
    path, text = heartbeat_path(repo.machine), _heartbeat_text(repo, held, waiting, problems)
    reported = repo.git.run("ls-tree", "-r", "-z", "--name-only", head, "--", MACHINES_FOLDER)
    names = reported.decode("utf-8", "replace").split("\0")
    is_taken = any(name == MACHINES_FOLDER or name.startswith(f"{path}/") for name in names)
    if is_taken or not text:
        return head
    return repo.build(head, [Step(repo.tree_of(head), {path: text}, message)]) or head


def _heartbeat_text(repo: Repo, held: int, waiting: int, problems: int) -> bytes:
    """This machine's file as of now; empty without a remote."""
    if '[remote "origin"]' not in read_text(repo.git.dir / "config"):
        return b""
    root = repo.folder.parent
    captured, injected = state.latest(root, state.Captured), state.latest(root, state.Entry, kind="told")
    now = Heartbeat(
        machine=repo.machine,
        at=utcnow(),
        version=__version__,
        last_sync=load_runs(repo.own).last_sync or "",
        last_capture=captured.at if captured else "",
        last_inject=injected.at if injected else "",
        held=held,
        waiting=waiting,
        problems=problems,
        store=_store_token(repo.git.dir, create=True),
    )
    return f"{json.dumps(now._asdict(), indent=1)}\n".encode()


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


def _store_token(git_folder: Path, *, create: bool = False) -> str:
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


class _Beat(NamedTuple):
    """A version of a heartbeat: when it was committed, and its store's token ("" if it has none)."""

    seconds: int
    store: str


class _Trail(NamedTuple):
    """One machine in the commits: the last commit it had, and later ones with notes that it had not seen."""

    commit: str | None = None
    lacks: tuple[int, ...] = ()  # time of each, newest first
    beats: tuple[_Beat, ...] = ()


def read_machines(repo: Repo, tail: LogTail) -> Iterator[Machine]:
    """Every machine that has reported, this one first; a long-running process passes its `tail`."""
    git, own, token = repo.git, heartbeat_path(repo.machine), _store_token(repo.git.dir)
    beats = {own: Heartbeat(repo.machine, "", __version__), **load_heartbeats(repo.folder)}
    for path, beat in sorted(beats.items(), key=lambda each: (each[0] != own, each[0])):
        here, trail = path == own, _read_trail(git, path, beat.machine, tail, here=path == own)
        yield Machine(
            beat,
            here=here,
            arrived=_changed_at(repo.folder / path),
            tree=partial(_tree, git, trail.commit, tail) if trail.commit else str,
            lacks=trail.lacks,
            has_twin=_has_twin(trail.beats, token if here else ""),
            # A copy of the whole store looks the same.
            is_this_store=bool(beat.store) and beat.store == token,
        )


def _read_trail(git: Git, path: str, name: str, tail: LogTail, *, here: bool) -> _Trail:
    """What the log shows about a machine; this machine has every commit."""
    from anamnesis.sync.log import is_by

    tip = git.ref(MAIN)
    if tip is None:
        return _Trail()

    def _read() -> _Trail:
        commit = tip if here else _last_commit(git, path, name)
        lacks = _lacking(git, commit) if commit and not here else ()
        return _Trail(commit, lacks, _last_beats(git, path))

    def _add(new: Sequence[Commit], known: _Trail) -> _Trail:
        commit, lacks = known.commit, known.lacks
        for each in reversed(new):
            if here or is_by(each, machine_name(name)) or any(row.path == path for row in each.rows):
                commit, lacks = each.oid, ()
            elif any(row.path.partition("/")[0] != MACHINES_FOLDER for row in each.rows):
                lacks = (each.seconds, *lacks)
        return _Trail(commit, lacks, (*_beats(git, new, path), *known.beats))

    return tail.read(git, ("trail", path, name, here), tip, _read, _add)


def _last_commit(git: Git, path: str, machine: str) -> str | None:
    """The last commit that a machine made, or that added its heartbeat."""
    last = git.line("log", "-1", "--format=%H", MAIN, "--", f":(literal){path}")
    since = [f"^{last}"] if last else []
    own = ("--fixed-strings", f"--author=<{AUTHOR}{machine_name(machine)}>")
    return git.line("log", "-1", "--format=%H", *own, MAIN, *since, "--") or last or None


def _tree(git: Git, commit: str, tail: LogTail) -> str:
    """A short hash of everything in a commit except the heartbeats."""

    def _read() -> str:
        rows = git.run("ls-tree", "-z", commit).split(b"\0")
        kept = [row for row in rows if not row.endswith(b"\t" + MACHINES_FOLDER.encode())]
        return sha256(b"\0".join(kept)).hexdigest()[:7]

    return tail.read(git, ("tree", commit), commit, _read)


def _lacking(git: Git, commit: str) -> tuple[int, ...]:
    """The times of the commits after `commit` that changed more than heartbeats, newest first."""
    listed = git.run("rev-list", MAIN, f"^{commit}")
    # Top level only: changes inside folders do not matter here and are slow to list.
    order = ("diff-tree", "--stdin", "--root", "--name-only", "-z", "--format=%x02%ct")
    changes = [part.split(b"\0") for part in git.run(*order, stdin=listed).split(b"\x02")[1:]]
    heartbeats = (b"", MACHINES_FOLDER.encode())
    return tuple(
        seconds_of(when) for when, *names in changes if any(name.strip() not in heartbeats for name in names)
    )


def _has_twin(beats: Iterable[_Beat], own: str = "") -> bool:
    """Whether the last heartbeats, newest first, come from two stores; `own` is this store's token."""
    recent = [beat for beat in beats if beat.seconds > time.time() - _SECONDS][:_LAST]
    tokens = [beat.store for beat in reversed(recent) if beat.store]
    runs = [token for token, _ in groupby([*tokens, own] if own in tokens else tokens)]
    # A store reports again after another one did, unlike one that was only replaced.
    return len(runs) > len(set(runs))


def _last_beats(git: Git, path: str) -> tuple[_Beat, ...]:
    """The last versions of a heartbeat, newest first."""
    from anamnesis.sync.log import walk

    since = int(time.time()) - _SECONDS
    return _beats(git, [*walk(git, limit=_LAST, since=since, places=[f":(literal){path}"])], path)


def _beats(git: Git, commits: Iterable[Commit], path: str) -> tuple[_Beat, ...]:
    """The versions of a heartbeat that these commits added."""
    rows = [(each.seconds, row) for each in commits for row in each.rows if row.path == path]
    stores = {oid: _store_of(data) for oid, data in git.blobs({row.blob for _, row in rows})}
    return tuple(_Beat(at, "" if row.action == "deleted" else stores[row.blob]) for at, row in rows)


def _store_of(heartbeat: bytes) -> str:
    """The token in the text of a heartbeat; "" for one without."""
    token = (parse_object(heartbeat) or {}).get("store")
    return token if isinstance(token, str) else ""


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
