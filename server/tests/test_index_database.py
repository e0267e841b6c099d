"""Several connections to the index file: none releases another's locks."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from anamnesis.index.database import Database
from anamnesis.store import MemoryStore

_WRITE = """
import sys
from anamnesis.store import MemoryStore
with MemoryStore(sys.argv[1]) as store:
    store.write(type="semantic", title=sys.argv[2], body="walrus")
"""


def write_elsewhere(root: Path, title: str) -> None:
    subprocess.run([sys.executable, "-c", _WRITE, str(root), title], check=True)


def test_a_second_connection_does_not_release_the_locks_of_the_first(store: MemoryStore) -> None:
    store.write(type="semantic", title="One", body="walrus")
    log = store.db_path.with_name(f"{store.db_path.name}-wal")
    with MemoryStore(store.root) as second:
        write_elsewhere(store.root, "Two")
        assert log.exists()  # the other process was not the last, and must not believe so
        store.write(type="semantic", title="Three", body="walrus")
        write_elsewhere(store.root, "Four")
        titles = ["Four", "One", "Three", "Two"]
        assert sorted(note.title for note in second.list()) == titles
        assert sorted(note.title for note in store.search("walrus")) == titles
    write_elsewhere(store.root, "Five")
    assert log.exists()
    assert len(store.list()) == 5


def test_the_index_file_is_private_from_the_start(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Database(tmp_path / "index.db").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "index.db").stat().st_mode) == 0o600
