"""Removing purged content from the plain files of a store: both trees, and everything kept beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path

from anamnesis.files import TEMP_PREFIX, make_folder, read_object, read_regular, write_atomic, write_object
from anamnesis.layout import (
    ALLOWED_NAME,
    CONFIG_NAME,
    DB_NAME,
    LOCAL,
    MEMORY,
    NEWS_NAME,
    PROPOSALS_NAME,
    RECEIPTS_FOLDER,
    SCOPE_OF,
    UNDO_FOLDER,
)
from anamnesis.purge.record import REMOVED
from anamnesis.purge.scrub import Scrubber, is_record

# The settings may hold the very password that is purged from the notes; they never leave this machine.
_SKIPPED = frozenset((CONFIG_NAME, ALLOWED_NAME, ".git"))
_TREE = f"{MEMORY}/"
_GUARDED = (_TREE, f"{LOCAL}/", f"{UNDO_FOLDER}/")  # written under the store's write lock only
_RECEIPTS = f"{RECEIPTS_FOLDER}/"
_MADE_FROM_NOTES = (PROPOSALS_NAME, NEWS_NAME)  # deleted as a whole when they name a purged note


def scrub_files(root: Path, scrubber: Scrubber, versions: Collection[str]) -> None:
    """Scrub every file of the store, and forget the files that were allowed in a `versions` that changed."""
    changed = {digest for path in list(_files(root)) if (digest := _scrub(root, path, scrubber))}
    _forget_allowed(root, {*changed, *versions})
    remove_index(root)


def remove_index(root: Path) -> None:
    """Remove the index: its free pages, shadow tables and log keep words that no row has."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        (root / f"{DB_NAME}{suffix}").unlink(missing_ok=True)


def _files(root: Path) -> Iterator[str]:
    """The regular files under `root`, relative to it; repositories, settings, locks and the index aside."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        for name in names:
            if name not in _SKIPPED and not name.startswith(DB_NAME) and not name.endswith(".lock"):
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    yield os.path.relpath(path, root)


def _scrub(root: Path, path: str, scrubber: Scrubber) -> str:
    """Scrub one file; the digest of what it held when that changed, else ""."""
    try:
        data = read_regular(root / path)
    except OSError:
        return ""  # it is gone by now, or cannot be read by us either
    is_kept = is_record(path.removeprefix(_TREE))
    place = path if is_kept else scrubber.scrub_path(path)
    is_dropped = _is_dropped(path, data, scrubber)
    clean = data if is_kept else scrubber.scrub(data)
    if path.startswith(_RECEIPTS):
        clean = _without_queries_for(clean, scrubber.ids)
    if clean is data and place == path and not is_dropped:
        return ""
    if not is_dropped:
        make_folder((root / place).parent)
        write_atomic(root / place, clean)
    if is_dropped or place != path:
        (root / path).unlink(missing_ok=True)
        _remove_empty(root, (root / path).parent)
    return sha256(data).hexdigest()


def _without_queries_for(receipt: bytes, ids: Collection[str]) -> bytes:
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


def _is_dropped(path: str, data: bytes, scrubber: Scrubber) -> bool:
    if path.rpartition("/")[2].startswith(TEMP_PREFIX) and path.startswith(_GUARDED):
        return True  # left by a killed write: no other process writes there now
    if path in _MADE_FROM_NOTES:
        return any(note_id.encode() in data for note_id in scrubber.ids)
    return any(scrubber.drops(part) for part in path.split("/")) or scrubber.drops_text(data)


def _remove_empty(root: Path, folder: Path) -> None:
    """Remove a folder that has become empty; the folders of types stay."""
    while len(folder.relative_to(root).parts) > 1 and folder.parent.name not in SCOPE_OF:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _forget_allowed(root: Path, versions: Collection[str]) -> None:
    listed = read_object(root / ALLOWED_NAME).get("versions")
    if isinstance(listed, list) and any(each in versions for each in listed):
        kept = [each for each in listed if each not in versions]
        write_object(root / ALLOWED_NAME, {"versions": kept})
