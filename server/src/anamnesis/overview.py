"""How a memory stands: counts, sync, and all that wants attention, the same for MCP, CLI and dashboard.

Apart from `operations` so that asking for it does not load the search for credentials.
"""

from __future__ import annotations

from anamnesis.index.query import digests
from anamnesis.ledger import last_inject, pending, read_ledger
from anamnesis.semantic.installed import read_installed
from anamnesis.semantic.report import report
from anamnesis.usage import read_usage

TYPE_CHECKING = False  # `status` waits for what is imported here
if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.index.quick import QuickIndex
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend, SyncState

QUIET_SECONDS = 3600.0  # a transcript that nobody wrote to for so long belongs to a session that has ended


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


def overview(store: MemoryStore | QuickIndex, state: SyncState, *, claude_dir: Path) -> dict[str, object]:
    """The status report, and with it all that wants attention; `claude_dir` is the client's own folder."""
    ledger = read_ledger(store.root)
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
        "last_capture": ledger.last_capture or None,
        "last_inject": last_inject(store.root) or None,
        "uncaptured": len(pending(ledger, claude_dir, quiet_seconds=QUIET_SECONDS)),
        "usage": usage.as_dict() if usage else None,
        "semantic": meaning.as_dict() if meaning else None,
    }
