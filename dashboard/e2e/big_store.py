"""Fill a store with many notes of ordinary words:  python big_store.py ROOT COUNT [PREFIX]"""

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from anamnesis.notes.record import TYPES, Memory, note_path, serialize
from anamnesis.store import MemoryStore

WORDS = (
    "timeout ledger parser webhook retry schema deploy cache index rebuild token session worker queue migration"
    " branch commit invoice refund customer report backup restore chunk network socket proxy header cookie form"
    " button layout theme font colour query filter search result page server client request response error"
).split()


def main() -> int:
    """Write the files, then let the store index them."""
    root, count, prefix = Path(sys.argv[1]), int(sys.argv[2]), (sys.argv[3:] or ["B"])[0]
    chance = random.Random(1)  # noqa: S311 - a test, not a secret
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        moment = (start + timedelta(minutes=number * 20)).isoformat(timespec="seconds")
        note = Memory(
            id=f"{prefix}{number:05}",
            type=TYPES[number % 3],
            title=" ".join(chance.choices(WORDS, k=5)),
            body=" ".join(chance.choices(WORDS, k=80)),
            project=f"project-{number % 23}",
            machine_id=("desk", "lap", "box")[number % 7 % 3],
            tags=chance.sample(WORDS, 2),
            created_at=moment,
            updated_at=moment,
            supersedes=f"{prefix}{number - 50:05}" if number % 97 == 96 else "",
        )
        path = root / "memory" / note_path(note)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(serialize(note))
    with MemoryStore(root) as store:
        store.reindex()
    return 0


if __name__ == "__main__":
    sys.exit(main())
