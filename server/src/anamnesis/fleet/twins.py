"""Two machines under one name: heartbeats of one name that come from two stores in turn. Reads only."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anamnesis.git import Git
from anamnesis.layout import MAIN
from anamnesis.sync.heartbeat import heartbeat_path, store_token

_LAST = 20  # heartbeats to compare
_SECONDS = 30 * 86_400  # a name clash that was fixed is not reported forever
TWIN_REMEDY = "give one of them another name: `anamnesis config set machine_id NAME`"


class Beat(NamedTuple):
    """A version of a heartbeat: when it was committed, and the token of its store; "" for one without."""

    seconds: int
    store: str


def has_twin(beats: Iterable[Beat], own: str = "") -> bool:
    """Whether the last heartbeats, newest first, are of two stores; `own` is the token of the store here."""
    recent = [beat for beat in beats if beat.seconds > time.time() - _SECONDS][:_LAST]
    tokens = [beat.store for beat in reversed(recent)]
    return _alternate([*tokens, own] if own and own in tokens else tokens)


def own_name_has_twin(memory: Path, machine: str) -> bool:
    """Whether another store sends heartbeats under the name of this machine."""
    git, path = Git(memory), heartbeat_path(machine)
    if not (memory / path).exists():
        return False  # no store reports under this name now
    return has_twin(last_beats(git, path), store_token(git.dir))


def last_beats(git: Git, path: str) -> list[Beat]:
    """The last versions of a heartbeat, newest first."""
    if not git.dir.is_dir() or git.ref(MAIN) is None:
        return []
    since = f"--since={int(time.time()) - _SECONDS}"
    order = ("log", f"-{_LAST}", since, "--format=%x02%ct", "--raw", "--no-abbrev", "--no-renames")
    told = git.run(*order, MAIN, "--", f":(literal){path}").decode("ascii", "replace")
    found = [(part.split()[0], part.partition(":")[2].split()) for part in told.split("\x02")[1:]]
    named = [(int(when), fields[3] if len(fields) > 3 else "") for when, fields in found]
    known = dict(git.blobs({oid for _, oid in named if oid.strip("0")}))
    return [Beat(when, store_of(known.get(oid, b""))) for when, oid in named]


def store_of(heartbeat: bytes) -> str:
    """The token in the text of a heartbeat; "" for one without."""
    try:
        found = json.loads(heartbeat)
    except (ValueError, RecursionError):
        return ""
    token = found.get("store") if isinstance(found, dict) else None
    return token if isinstance(token, str) else ""


def _alternate(tokens: Sequence[str]) -> bool:
    """Whether a store reports again after another one did; a store that was only replaced does not."""
    runs = [token for token, _ in groupby(token for token in tokens if token)]
    return len(runs) > len(set(runs))
