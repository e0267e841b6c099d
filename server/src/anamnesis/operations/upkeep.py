"""The state of a store: counts, sync, what needs attention; and bringing its index up to date.

Kept light: `status` waits for what is imported here.
"""

from __future__ import annotations

from anamnesis.config import resolve_claude_dir, resolve_machine_id, resolve_remote
from anamnesis.index.query import digests
from anamnesis.model.usage import read_usage
from anamnesis.semantic.installed import read_installed
from anamnesis.semantic.report import report
from anamnesis.session.ledger import last_inject, pending, read_ledger
from anamnesis.session.receipts import sessions
from anamnesis.sync import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.index.quick import QuickIndex
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend, SyncState
    from anamnesis.text import Progress

QUIET_SECONDS = 3600.0  # a transcript unchanged for this long belongs to a session that has ended


def status_report(store: MemoryStore | QuickIndex, backend: SyncBackend) -> dict[str, object]:
    """Counts, places and sync state, in the documented shape."""
    return _status(store, backend.state())


def _status(store: MemoryStore | QuickIndex, state: SyncState) -> dict[str, object]:
    return {
        "root": str(store.root),
        "db_path": str(store.db_path),
        **store.stats(),
        "sync": {
            "initialized": state.initialized,
            "remote": state.remote,
            "head": state.head,
            "dirty": state.dirty,
            "detail": state.detail,
        },
    }


def overview(store: MemoryStore | QuickIndex, state: SyncState | None = None) -> dict[str, object]:
    """The status report and everything that needs attention; without a `state` it is read from the files."""
    state = state or state_of(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())
    usage = read_usage(store.root)
    meaning = report(store.root, store.ask(digests)) if read_installed(store.root) else None
    return {
        **_status(store, state),
        "ahead": state.ahead,
        "behind": state.behind,
        "unpushed_since": state.unpushed_since,
        "uncommitted_since": state.uncommitted_since,
        "failure": state.failure_text,
        "last_sync": state.last_sync,
        "held": list(state.held),
        "held_names": list(state.held_names),
        "waiting": [
            {"path": each.path, "line": each.line, "kind": each.kind, "id": each.id} for each in state.waiting
        ],
        "left_out": [{"path": each.path, "reason": each.reason} for each in state.left_out],
        "problems": [{"path": problem.path, "reason": problem.reason} for problem in store.problems()],
        **captures(store),
        "last_inject": last_inject(store.root) or None,
        "usage": usage.as_dict() if usage else None,
        "semantic": meaning.as_dict() if meaning else None,
    }


def captures(store: MemoryStore | QuickIndex) -> dict[str, object]:
    """When a session was last captured, and how many that have ended were not."""
    ledger, started = read_ledger(store.root), set(sessions(str(store.root)))
    uncaptured = pending(ledger, resolve_claude_dir(), started=started, quiet_seconds=QUIET_SECONDS)
    return {"last_capture": ledger.last_capture or None, "uncaptured": len(uncaptured)}


def reindex_store(
    store: MemoryStore, *, full: bool = False, progress: Progress | None = None
) -> dict[str, object]:
    """Bring the index up to date, or rebuild it; how many notes it has, and which files are not notes."""
    indexed = store.reindex(full=full, progress=progress)
    problems = [{"path": problem.path, "reason": problem.reason} for problem in store.problems()]
    return {"indexed": indexed, "problems": problems}
