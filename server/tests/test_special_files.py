"""Special files with a note's name: nothing blocks, nothing is lost, they are reported."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.doctor import Context, examine
from anamnesis.errors import AnamnesisError
from anamnesis.store import MemoryStore
from machines import Machine, settle

pytestmark = pytest.mark.timeout(60)  # reading any of these would never end


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = {"pipe": _pipe, "folder": _folder, "link": _link}
Make = Callable[[Path], None]


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_nothing_blocks_on_a_special_file(desk: Machine, lap: Machine, make: Make) -> None:
    desk.write("N1", "walrus")
    settle(desk, lap)
    make(desk.memory / "semantic" / "odd.md")
    desk.write("N2", "seal")
    assert desk.sync().pushed
    assert not desk.backend.state().dirty
    with MemoryStore(desk.root) as store:
        assert store.reindex(full=True) == 2
        assert [note.id for note in store.search("walrus")] == ["N1"]
        assert len(store.problems()) == (make is not _folder)
        examine(Context(store, desk.backend))
    lap.sync()
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2.md"]


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_note_replaced_by_a_special_file_is_not_deleted_elsewhere(
    desk: Machine, lap: Machine, make: Make
) -> None:
    path = desk.write("N1", "walrus")
    settle(desk, lap)
    with MemoryStore(desk.root) as store:
        assert store.get("N1") is not None
        path.unlink()
        make(path)
        assert store.get("N1") is None
        with pytest.raises(AnamnesisError):
            store.update("N1", title="other")
    result = desk.sync()
    assert [(each.path, each.reason) for each in result.left_out] == [
        ("semantic/N1.md", "it is not a regular file")
    ]
    lap.save(lap.read("N1"), body="seal", updated_at="2026-02-01T00:00:00+00:00")
    settle(lap, desk)
    assert lap.read("N1").body == "seal"
    (path.rmdir if path.is_dir() else path.unlink)()
    desk.sync()
    assert desk.read("N1").body == "seal"
