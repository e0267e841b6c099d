"""A small client for servers with the OpenAI protocol for chat, and how much it was used.

    client      the server, model and key; asks for text: redaction, budget, one HTTP request

Nothing here knows what the text is about. The client is imported only if a model is configured. The record of
usage is local: a call is counted before it is made, so that a killed process counts too; the result is added
afterwards. If that cannot be recorded, the caller makes no call.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from anamnesis import state
from anamnesis.notes.vocabulary import utcnow


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one model, or of all."""

    calls: int = 0
    failures: int = 0
    characters_sent: int = 0
    characters_received: int = 0
    seconds: float = 0.0

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        calls, failures, sent, received, seconds = map(sum, zip(astuple(self), astuple(other), strict=True))
        return Usage(calls, failures, sent, received, round(seconds, 3))


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """First and last use, and the usage of each `provider/model`."""

    since: str
    last: str
    by_model: dict[str, Usage]

    @property
    def total(self) -> Usage:
        """All models together."""
        total = Usage()
        for part in self.by_model.values():
            total = total.plus(part)
        return total

    def as_dict(self) -> dict[str, object]:
        """The JSON form, as in `status --json`."""
        by_model = {label: asdict(part) for label, part in sorted(self.by_model.items())}
        return {"since": self.since, "last": self.last, "total": asdict(self.total), "by_model": by_model}


def read_usage(root: Path) -> UsageRecord | None:
    """The usage so far; None if no model was ever asked."""
    rows = state.read(root, state.Used)
    if not rows:
        return None
    by_model = {row.model: Usage(*row[3:]) for row in rows}
    return UsageRecord(min(row.since for row in rows), max(row.last for row in rows), by_model)


def add_usage(root: Path, label: str, more: Usage) -> None:
    """Add to the usage of one model; StoreUnavailable if that cannot be recorded."""
    now = utcnow()
    state.add_usage(root, state.Used(label, now, now, *astuple(more)))
