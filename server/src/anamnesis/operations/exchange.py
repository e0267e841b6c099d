"""Exchanging notes with the other machines: a sync, and the end of a clash. The same for every surface."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

from anamnesis.operations.writing import refuse_secret
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, SyncBackend
from anamnesis.text import StepProgress


def sync_memory(
    store: MemoryStore, backend: SyncBackend, *, progress: StepProgress | None = None
) -> dict[str, object]:
    """One sync cycle, then the index in step with what came; `progress` hears of every step."""
    result = backend.sync() if progress is None else backend.sync(progress=progress)
    indexed = store.reindex(progress=partial(progress, "index") if progress else None)
    waiting = {"waiting": [asdict(each) for each in result.waiting]} if result.waiting else {}
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": indexed,
        "detail": result.detail,
        **waiting,
    }


def resolve_with(backend: HoldingBackend, note_id: str, text: str) -> None:
    """End a clash with a text that takes the place of both versions; refused when it holds a credential."""
    refuse_secret("text", text)
    backend.resolve(note_id, text=text)
