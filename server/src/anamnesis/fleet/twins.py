"""Two machines under one name: heartbeats of one name that come from two stores in turn. Reads only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from anamnesis.git import Git
from anamnesis.layout import MAIN
from anamnesis.sync.heartbeat import heartbeat_path, store_token

_LAST = 20  # heartbeats to read
_SINCE = "--since=30.days"  # a name clash that was fixed is not reported forever
TWIN_REMEDY = "give one of them another name: `anamnesis config set machine_id NAME`"


def has_twin(git: Git, path: str, own: str = "") -> bool:
    """Whether the last heartbeats in this file come from two stores; `own` is the token of the store here."""
    tokens = _tokens(git, path)
    return _alternate([*tokens, own] if own and own in tokens else tokens)


def own_name_has_twin(memory: Path, machine: str) -> bool:
    """Whether another store sends heartbeats under the name of this machine."""
    git = Git(memory)
    return has_twin(git, heartbeat_path(machine), store_token(git.dir))


def _alternate(tokens: Sequence[str]) -> bool:
    """Whether a store reports again after another one did; a store that was only replaced does not."""
    runs = [token for token, _ in groupby(token for token in tokens if token)]
    return len(runs) > len(set(runs))


def _tokens(git: Git, path: str) -> list[str]:
    """The tokens in the last versions of a heartbeat, oldest first; "" for one without."""
    if not git.dir.is_dir() or git.ref(MAIN) is None:
        return []
    order = (
        "log",
        f"-{_LAST}",
        _SINCE,
        "--format=",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        MAIN,
        "--",
        f":(literal){path}",
    )
    rows = git.run(*order).decode("ascii", "replace").splitlines()
    oids = [row.split()[3] for row in rows if row.startswith(":")]
    known = dict(git.blobs({oid for oid in oids if oid.strip("0")}))
    return [_token(known.get(oid, b"")) for oid in reversed(oids)]


def _token(data: bytes) -> str:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    token = found.get("store") if isinstance(found, dict) else None
    return token if isinstance(token, str) else ""
