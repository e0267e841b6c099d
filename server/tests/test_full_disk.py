"""A disk that fills up: everything acknowledged is there and syncs once there is room again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from anamnesis.errors import AnamnesisError
from anamnesis.store import MemoryStore
from faults import Record, fill, lost_texts, on_small_disk
from index_state import assert_index_equals_files, put
from machines import Machine, make_remote, settle

_ROOM = (0, 4_096, 12_288, 40_960, 131_072, 409_600)  # bytes that are left on the disk


@pytest.mark.parametrize("seed", range(2))
def test_nothing_acknowledged_is_lost_when_the_disk_fills_up_again_and_again(
    tmp_path: Path, record_property: Record, seed: int
) -> None:
    disk, remote = tmp_path / "disk", make_remote(tmp_path / "r.git")
    found = on_small_disk(disk, lambda: _live_on(disk, remote, seed), size="16m")
    for name, value in found.items():
        record_property(name, value)
    assert found["tried"] > 20
    assert found["lost"] == 0


def _live_on(disk: Path, remote: Path, seed: int) -> dict[str, int]:
    chance = random.Random(seed)  # noqa: S311  # seeded, so that a failure can be reproduced
    desk, lap = Machine(disk / "desk", remote), Machine(remote.parent / "lap", remote)
    texts: dict[str, set[str]] = {}  # note -> texts of which one must exist
    refused = 0
    for room in _ROOM:
        settle(desk)
        ballast = fill(disk, leave=room)
        for turn in range(12):
            refused += not _change(desk, texts, chance, f"{seed}.{room}.{turn}.")
        refused += not _sync(desk)
        ballast.unlink()
        with MemoryStore(desk.root) as store:
            assert store.health().ok
            assert_index_equals_files(store)
    settle(desk, lap)
    everywhere = [desk.files().values(), lap.files().values()]
    lost = [each for each in texts.values() if len(lost_texts(each, *everywhere)) == len(each)]
    return {"tried": refused, "lost": len(lost)}


def _change(desk: Machine, texts: dict[str, set[str]], chance: random.Random, mark: str) -> bool:
    """Write or edit a note; returns whether the store acknowledged it."""
    name = f"n{chance.randrange(8)}"
    text = mark + "x" * chance.randrange(30_000) + " end"
    try:
        with MemoryStore(desk.root) as store:
            if chance.random() < 0.5 and store.get(name):
                store.update(name, body=text)
            else:
                put(store, name, text)
    except (AnamnesisError, OSError):
        if name in texts:
            texts[name].add(text)  # refused: the old text or the new one
        return False
    texts[name] = {text}
    return True


def _sync(desk: Machine) -> bool:
    try:
        return desk.sync().reached
    except (AnamnesisError, OSError):
        return False
