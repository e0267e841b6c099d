"""A small client for servers with the OpenAI protocols for chat and embeddings, and how much it was used.

    endpoint    the server, model and key, checked before anything is sent; one HTTP request
    client      asks for text or vectors: redaction, budget, one retry

Nothing here knows what the text is about. The client is imported only if a model is configured. This module
is the record of usage, `<root>/usage.json`, which is never synced. A call is counted before it is made, so
that a killed process counts too; the result is added afterwards. An unreadable record starts over at zero; if
it cannot be written, the caller makes no call.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import reduce
from pathlib import Path

from anamnesis.errors import StoreUnavailable
from anamnesis.files import lock, read_regular, write_object
from anamnesis.layout import USAGE_NAME
from anamnesis.notes.vocabulary import utcnow

_LOCK_NAME = "usage.lock"
_LOCK_SECONDS = 5.0


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
        sums = {part.name: getattr(self, part.name) + getattr(other, part.name) for part in fields(Usage)}
        return Usage(**{**sums, "seconds": round(sums["seconds"], 3)})


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """Everything in usage.json: first and last use, and the usage of each `provider/model`."""

    since: str
    last: str
    by_model: dict[str, Usage]

    @property
    def total(self) -> Usage:
        """All models together."""
        return reduce(Usage.plus, self.by_model.values(), Usage())

    def as_dict(self) -> dict[str, object]:
        """The JSON form, in the file and in `status --json`."""
        by_model = {label: asdict(part) for label, part in sorted(self.by_model.items())}
        return {"since": self.since, "last": self.last, "total": asdict(self.total), "by_model": by_model}


def read_usage(root: Path) -> UsageRecord | None:
    """The usage so far; None if no model was ever asked."""
    try:
        record = json.loads(read_regular(root / USAGE_NAME))
        by_model = {str(label): _usage(part) for label, part in record["by_model"].items()}
        return UsageRecord(str(record["since"]), str(record["last"]), by_model)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def add_usage(root: Path, label: str, more: Usage) -> None:
    """Add to the usage of one model; StoreUnavailable if the record cannot be written."""
    try:
        with lock(root / _LOCK_NAME, timeout=_LOCK_SECONDS) as held:
            if not held:
                raise StoreUnavailable(f"{root / _LOCK_NAME} is held by another process; try again")
            moment = utcnow()
            before = read_usage(root) or UsageRecord(moment, moment, {})
            by_model = {**before.by_model, label: before.by_model.get(label, Usage()).plus(more)}
            record = UsageRecord(before.since, moment, by_model)
            write_object(root / USAGE_NAME, record.as_dict(), indent=2)
    except OSError as exc:
        raise StoreUnavailable(
            f"{root / USAGE_NAME} cannot be written ({exc.strerror}), and calls must be counted;"
            " free some space, or check who owns it"
        ) from exc


def _usage(part: dict[str, float]) -> Usage:
    counts = {field.name: max(0, int(part[field.name])) for field in fields(Usage) if field.name != "seconds"}
    return Usage(**counts, seconds=max(0.0, float(part["seconds"])))
