"""Before and after a change, on a copy of the store: the store itself is only read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis.eval.cases import EvalCase
from anamnesis.eval.recall import KS, RecallReport, Render, recall_at_k
from anamnesis.store import MemoryStore
from anamnesis.text import Progress

# Changes the copy; returns the ids of removed notes with the ids that replace them.
Change = Callable[[MemoryStore], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same cases before and after a change, and how many notes there were."""

    before: RecallReport
    after: RecallReport
    notes_before: int
    notes_after: int


def compare(
    store: MemoryStore,
    cases: Sequence[EvalCase],
    change: Change,
    *,
    ks: Sequence[int] = KS,
    render: Render | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Measure a copy of the store, change it, and measure it again."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-experiment-") as folder:
        copy_trees(store, Path(folder))
        with MemoryStore(folder) as copy:
            before = recall_at_k(copy, cases, ks, render=render, progress=progress)
            notes_before = _count_current(copy)
            renamed = change(copy)
            after = recall_at_k(copy, cases, ks, renamed=renamed, render=render, progress=progress)
            return Comparison(before, after, notes_before, _count_current(copy))


def copy_trees(store: MemoryStore, root: Path) -> None:
    """Copy both trees of notes to `root`; links and the git repository are left out."""
    for tree in (store.memory_dir, store.local_dir):
        for path in sorted(tree.rglob("*.md")):
            inner = path.relative_to(store.root)
            if path.is_symlink() or not path.is_file() or ".git" in inner.parts:
                continue
            target = root / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _count_current(store: MemoryStore) -> int:
    hidden = store.superseded_ids()
    return sum(note.id not in hidden for note in store.list(bodies=False))
