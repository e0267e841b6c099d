"""Removes purged text from receipts, and queries that found a purged note."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from anamnesis.files import read_object
from anamnesis.layout import PURGES_FOLDER
from anamnesis.purge.record import REMOVED, load_purge
from anamnesis.purge.scrub import Scrubber


def without_purged(memory: Path, text: str) -> str:
    """A text that is about to be stored, without text that was purged from this store."""
    records = sorted((memory / PURGES_FOLDER).glob("[!.]*.json"))
    purges = [purge for path in records if (purge := load_purge(path.stem, read_object(path)))]
    return Scrubber(purges).scrub(text.encode("utf-8", "replace")).decode("utf-8", "replace")


def without_queries_for(receipt: bytes, ids: Collection[str]) -> bytes:
    """A receipt whose queries are removed if they found one of these notes; the same object without any."""
    if not any(note_id.encode() in receipt for note_id in ids):
        return receipt
    return b"".join(_without_query(line, ids) for line in receipt.splitlines(keepends=True))


def _without_query(line: bytes, ids: Collection[str]) -> bytes:
    """One entry without its query; a damaged one is dropped, because its content is unknown."""
    if not any(note_id.encode() in line for note_id in ids):
        return line
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(entry, dict) or "query" not in entry:
        return line
    return json.dumps({**entry, "query": REMOVED}, separators=(",", ":")).encode() + b"\n"
