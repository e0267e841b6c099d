"""What was measured before: one line of JSON per run, only ever added to."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import AnamnesisError
from anamnesis.eval.recall import RecallReport
from anamnesis.files import make_folder

HISTORY_NAME = "eval.jsonl"


@dataclass(frozen=True, slots=True)
class Run:
    """One measurement: when, of what, and what it came to."""

    at: str
    name: str
    report: RecallReport

    def as_dict(self) -> dict[str, object]:
        """The JSON form, a line of the history."""
        return {"at": self.at, "name": self.name, **self.report.as_dict()}


def add_run(path: Path, run: Run) -> None:
    """Add a run to the history in one write."""
    make_folder(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name another file with --history") from exc
    with os.fdopen(descriptor, "wb") as handle:
        handle.write((json.dumps(run.as_dict()) + "\n").encode())


def read_runs(path: Path) -> list[Run]:
    """The runs in a history, oldest first; a line that is none (a crash cut it off) is passed over."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [run for line in lines if (run := _run(line)) is not None]


def _run(line: bytes) -> Run | None:
    try:
        found = json.loads(line)
        report = RecallReport(
            cases=int(found["cases"]),
            recall={int(k): float(value) for k, value in found["recall"].items()},
            mrr=float(found["mrr"]),
            ndcg=float(found["ndcg"]),
            p50_ms=float(found["p50_ms"]),
            p95_ms=float(found["p95_ms"]),
            hit_tokens=int(found["hit_tokens"]),
            working_set_tokens=None
            if found["working_set_tokens"] is None
            else int(found["working_set_tokens"]),
        )
        return Run(str(found["at"]), str(found["name"]), report)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
