"""The state of a store: counts, sync, what needs attention; and updating its index.

Imports little, because `status` waits for it.
"""

from __future__ import annotations

from dataclasses import asdict

from anamnesis import state
from anamnesis.config import has_program, resolve_claude_dir, resolve_machine_id, resolve_remote
from anamnesis.index.figures import note_counts
from anamnesis.index.query import digests
from anamnesis.semantic.installed import is_installed
from anamnesis.session.ledger import last_capture, last_inject, pending, read_ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.index.core import Index
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend

_NO_GIT = "git was not found on the PATH: nothing is committed or sent; install git 2.30 or newer"
QUIET_SECONDS = 3600.0  # a session whose transcript is unchanged for this long has ended


def status_report(store: Index, backend: SyncBackend) -> dict[str, object]:
    """Counts, paths and sync state, in the documented shape."""
    return _status(store, asdict(backend.state()))


def _status(store: Index, facts: dict[str, object]) -> dict[str, object]:
    notes = store.ask(note_counts)
    return {
        "root": str(store.root),
        "db_path": str(store.db_path),
        "total": notes.total + notes.superseded,
        **{f"by_{column}": counted for column, counted in notes.every.items()},
        "superseded": notes.superseded,
        "current": {"total": notes.total, **{f"by_{name}": each for name, each in notes.current.items()}},
        "sync": {key: facts[key] for key in ("initialized", "remote", "head", "dirty", "detail")},
    }


def overview(store: Index) -> dict[str, object]:
    """The status report and everything that needs attention."""
    from anamnesis.sync import backend_for

    backend = backend_for(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())
    facts = asdict(backend.state())
    if not has_program("git"):
        facts["detail"] = _NO_GIT
    captured, uncaptured = captures(store)
    keys = "ahead behind unpushed_since uncommitted_since last_sync held held_names waiting left_out".split()
    return {
        **_status(store, facts),
        **{key: facts[key] for key in keys},
        "failure": facts["failure_text"],
        "problems": [asdict(problem) for problem in store.problems()],
        "last_capture": captured,
        "uncaptured": uncaptured,
        "last_inject": last_inject(store.root) or None,
        "usage": _usage(store.root),
        "semantic": _meaning(store),
    }


def _usage(root: Path) -> dict[str, object] | None:
    """How much models were used; None if none was ever asked."""
    if not state.read(root, state.Used):
        return None
    from anamnesis.model import read_usage

    usage = read_usage(root)
    if usage is None:
        return None
    by_model = {label: part._asdict() for label, part in usage.by_model.items()}
    return {**usage._asdict(), "total": usage.total._asdict(), "by_model": by_model}


def _meaning(store: Index) -> dict[str, object] | None:
    if not is_installed(store.root):
        return None
    from anamnesis.semantic.vectors import report

    vectors = report(store.root, store.ask(digests))
    return vectors.as_dict() if vectors else None


def captures(store: Index) -> tuple[str | None, int]:
    """When a session was last captured, and how many ended without being captured."""
    ledger, started = read_ledger(store.root), set(state.sessions(store.root))
    uncaptured = pending(ledger, resolve_claude_dir(), started=started, quiet_seconds=QUIET_SECONDS)
    return last_capture(store.root) or None, len(uncaptured)


def reindex_store(store: MemoryStore, *, full: bool = False) -> dict[str, object]:
    """Update or rebuild the index; returns the number of notes, and the files that are not notes."""
    indexed = store.reindex(full=full)
    return {"indexed": indexed, "problems": [asdict(problem) for problem in store.problems()]}
