"""What the commits show about each machine: the last one it had, what it lacks, its last heartbeats.

Reads only.

A machine had the tree of the last commit that it made or that contains its heartbeat, because it integrates
the remote before it pushes. If heartbeats under one name alternate between two stores, they are two machines.
A long-running process keeps the trails and reads only new commits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import parse_object
from anamnesis.git import AUTHOR, Git, machine_name
from anamnesis.history.walk import Commit, walk
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.vocabulary import seconds_of
from anamnesis.sync.heartbeat import heartbeat_path, store_token

_LAST = 20  # heartbeats to compare
_SECONDS = 30 * 86_400  # a name clash is not reported long after it was fixed
TWIN_REMEDY = "give one of them another name: `anamnesis config set machine_id NAME`"

Since = Callable[[str], Sequence[Commit] | None]  # the commits after one, newest first; None if unknown


class Beat(NamedTuple):
    """A version of a heartbeat: when it was committed, and its store's token ("" if it has none)."""

    seconds: int
    store: str


@dataclass(frozen=True, slots=True)
class Trail:
    """One machine in the commits: the last commit it had, and later ones with notes that it had not seen."""

    commit: str | None = None
    lacks: tuple[int, ...] = ()  # time of each, newest first
    beats: tuple[Beat, ...] = ()


class Trails:
    """The trails of all machines up to one commit."""

    def __init__(self) -> None:
        self._tip = ""
        self._known: dict[tuple[str, str], Trail] = {}
        self._trees: dict[str, str] = {}

    def read(
        self, git: Git, machines: Mapping[str, str], *, own: str, since: Since | None = None
    ) -> dict[str, Trail]:
        """The trail of each machine, by the path of its heartbeat; `own` is this machine's path."""
        if (tip := git.ref(MAIN)) is None:
            return dict.fromkeys(machines, Trail())
        new = since(self._tip) if since and self._tip and self._tip != tip else None
        stores = _stores(git, machines, new or ())
        trails: dict[tuple[str, str], Trail] = {}
        for path, name in machines.items():
            known = self._known.get((path, name))
            if known and self._tip == tip:
                trail = known
            elif known and new is not None:
                trail = _continued(known, new, path, name, stores)
            else:
                commit = None if path == own else _last_commit(git, path, name)
                trail = Trail(commit, _lacking(git, commit) if commit else (), _last_beats(git, path))
            trails[path, name] = trail if path != own else replace(trail, commit=tip, lacks=())
        self._tip, self._known = tip, trails
        return {path: trail for (path, _), trail in trails.items()}

    def tree(self, git: Git, commit: str | None) -> str:
        """A short hash of everything in a commit except the heartbeats; "" without a commit."""
        if not commit:
            return ""
        if commit not in self._trees:
            kept = {trail.commit for trail in self._known.values()}
            self._trees = {name: tree for name, tree in self._trees.items() if name in kept}
            self._trees[commit] = _tree(git, commit)
        return self._trees[commit]


def _stores(git: Git, paths: Iterable[str], commits: Iterable[Commit]) -> dict[str, str]:
    """The store token in each heartbeat that these commits added."""
    wanted = set(paths)
    rows = (row for commit in commits for row in commit.rows if row.path in wanted)
    return {oid: _store_of(data) for oid, data in git.blobs({row.blob for row in rows})}


def _continued(
    known: Trail, new: Sequence[Commit], path: str, machine: str, stores: Mapping[str, str]
) -> Trail:
    """A trail continued with the commits since it was read."""
    author, commit, lacks = machine_name(machine), known.commit, known.lacks
    for each in reversed(new):
        if each.is_by(author) or any(row.path == path for row in each.rows):
            commit, lacks = each.oid, ()
        elif any(row.path.partition("/")[0] != MACHINES_FOLDER for row in each.rows):
            lacks = (each.seconds, *lacks)
    return Trail(commit, lacks, (*_beats(new, path, stores), *known.beats))


def _beats(commits: Iterable[Commit], path: str, stores: Mapping[str, str]) -> tuple[Beat, ...]:
    """The versions of a heartbeat that these commits added."""
    return tuple(
        Beat(each.seconds, "" if row.action == "deleted" else stores[row.blob])
        for each in commits
        for row in each.rows
        if row.path == path
    )


def _last_commit(git: Git, path: str, machine: str) -> str | None:
    """The last commit that a machine made, or that added its heartbeat."""
    last = git.line("log", "-1", "--format=%H", MAIN, "--", f":(literal){path}")
    since = [f"^{last}"] if last else []
    own = ("--fixed-strings", f"--author=<{AUTHOR}{machine_name(machine)}>")
    return git.line("log", "-1", "--format=%H", *own, MAIN, *since, "--") or last or None


def _tree(git: Git, commit: str) -> str:
    rows = git.run("ls-tree", "-z", commit).split(b"\0")
    kept = [row for row in rows if not row.endswith(b"\t" + MACHINES_FOLDER.encode())]
    return sha256(b"\0".join(kept)).hexdigest()[:7]


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


def has_twin(beats: Iterable[Beat], own: str = "") -> bool:
    """Whether the last heartbeats, newest first, come from two stores; `own` is this store's token."""
    recent = [beat for beat in beats if beat.seconds > time.time() - _SECONDS][:_LAST]
    tokens = [beat.store for beat in reversed(recent) if beat.store]
    runs = [token for token, _ in groupby([*tokens, own] if own in tokens else tokens)]
    # A store reports again after another one did, unlike one that was only replaced.
    return len(runs) > len(set(runs))


def own_name_has_twin(memory: Path, machine: str) -> bool:
    """Whether another store sends heartbeats under the name of this machine."""
    git, path = Git(memory), heartbeat_path(machine)
    if not (memory / path).exists():
        return False  # no store uses this name now
    return has_twin(_last_beats(git, path), store_token(git.dir))


def _last_beats(git: Git, path: str) -> tuple[Beat, ...]:
    """The last versions of a heartbeat, newest first."""
    since = int(time.time()) - _SECONDS
    commits = [*walk(git, limit=_LAST, since=since, places=[f":(literal){path}"])]
    return _beats(commits, path, _stores(git, [path], commits))


def _store_of(heartbeat: bytes) -> str:
    """The token in the text of a heartbeat; "" for one without."""
    token = (parse_object(heartbeat) or {}).get("store")
    return token if isinstance(token, str) else ""
