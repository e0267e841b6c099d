"""Sessions on disk from before the hooks were installed: finding them, and capturing them on request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anamnesis.project.place import place_of
from anamnesis.session.agents import folder_of
from anamnesis.session.ledger import read_ledger, unseen
from anamnesis.session.run import CaptureOutcome, capture_session
from anamnesis.session.summary import HeuristicSummarizer
from anamnesis.session.transcript import first_cwd
from anamnesis.store import MemoryStore
from anamnesis.text import Progress


@dataclass(frozen=True, slots=True)
class Past:
    """The results of capturing the sessions on disk."""

    outcomes: tuple[CaptureOutcome, ...]

    def count(self, *statuses: str) -> int:
        """How many of them had this result."""
        return sum(outcome.status in statuses for outcome in self.outcomes)


def past_sessions(root: Path, claude_dir: Path, *, since: float = 0.0) -> list[Path]:
    """The transcripts on disk that no capture has seen, newest first; `since` is in seconds since 1970."""
    return [path for path, state in unseen(read_ledger(root), claude_dir) if state.st_mtime >= since]


def project_of(transcript: Path, *, root: Path) -> str:
    """The key of the project that a session was about."""
    return place_of(first_cwd(transcript) or folder_of(transcript) or "/", home=str(root)).key


def capture_past(
    store: MemoryStore, transcripts: list[Path], *, machine_id: str, progress: Progress | None = None
) -> Past:
    """Capture each of the transcripts as at its session's end, but without a model."""
    outcomes: list[CaptureOutcome] = []
    for path in transcripts:
        outcomes.append(
            capture_session(store, transcript=path, machine_id=machine_id, summarizer=HeuristicSummarizer())
        )
        if progress is not None:
            progress(len(outcomes), len(transcripts))
    return Past(tuple(outcomes))
