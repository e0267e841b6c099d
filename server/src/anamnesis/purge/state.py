"""Which purges this machine has applied, and whether one is in progress; kept inside the repository."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from anamnesis.files import read_object, write_object
from anamnesis.git import Git
from anamnesis.layout import OWN_FOLDER, PURGES_FOLDER
from anamnesis.purge.record import Purge, dump_purge, load_purge, parse_purge

_FILE = "purge.json"


@dataclass(frozen=True, slots=True)
class PurgeState:
    """The purges known here by name; `applying` are those that an interrupted run has to be repeated for.

    `unsettled`: the remote may still have the old history, so that a fetch brings it again.
    """

    known: dict[str, Purge] = field(default_factory=dict)
    applying: tuple[str, ...] = ()
    unsettled: bool = False


def load_state(git: Git) -> PurgeState:
    """The state of purges in this repository."""
    found = read_object(_path(git))
    records, applying = found.get("known"), found.get("applying")
    known = {
        name: purge
        for name, record in (records.items() if isinstance(records, dict) else ())
        if isinstance(record, dict) and (purge := load_purge(name, record)) is not None
    }
    return PurgeState(
        known=known,
        applying=tuple(name for name in applying if name in known) if isinstance(applying, list) else (),
        unsettled=found.get("unsettled") is True,
    )


def save_state(git: Git, state: PurgeState) -> None:
    """Save it durably."""
    content = {
        "known": {name: dump_purge(purge) for name, purge in state.known.items()},
        "applying": list(state.applying),
        "unsettled": state.unsettled,
    }
    write_object(_path(git), content)


def begin(git: Git, purges: Iterable[Purge]) -> None:
    """Record that these are to be applied, before anything is changed."""
    state, fresh = load_state(git), {purge.name: purge for purge in purges}
    started = replace(
        state,
        known={**state.known, **fresh},
        applying=tuple(dict.fromkeys((*state.applying, *fresh))),
        unsettled=True,
    )
    save_state(git, started)


def mark_unsettled(git: Git) -> None:
    """Record that the remote still had the old history, and that it was fetched."""
    save_state(git, replace(load_state(git), unsettled=True))


def settle(git: Git) -> None:
    """Record that the remote and this machine have the same purges and no old object is left here."""
    save_state(git, replace(load_state(git), unsettled=False))


def purges_in(git: Git, commit: str) -> dict[str, Purge]:
    """The records in a commit's tree, by name."""
    rows = git.run("ls-tree", "-z", commit, f"{PURGES_FOLDER}/").split(b"\0")
    names: dict[str, str] = {}
    for row in rows:
        info, _, path = row.partition(b"\t")
        if info.startswith(b"100") and path.endswith(b".json"):
            names[path.decode("utf-8", "replace")[len(PURGES_FOLDER) + 1 : -5]] = info.split()[2].decode()
    texts = dict(git.blobs(set(names.values()))) if names else {}
    found = ((name, parse_purge(name, texts[oid])) for name, oid in names.items())
    return {name: purge for name, purge in found if purge is not None}


def purges_among_files(git: Git) -> dict[str, Purge]:
    """The records among the synced files, by name; after a repository was lost they may be the only copy."""
    found = ((path.stem, load_purge(path.stem, read_object(path))) for path in _record_files(git))
    return {name: purge for name, purge in found if purge is not None}


def _record_files(git: Git) -> list[Path]:
    return sorted((git.folder / PURGES_FOLDER).glob("[!.]*.json"))


def _path(git: Git) -> Path:
    return git.dir / OWN_FOLDER / _FILE
