"""A purge also removes changes that only another machine has; that machine says so."""

from __future__ import annotations

import pytest

from machines import Machine, assert_gone, settle

LATER = "2026-02-01T00:00:00+00:00"


def test_a_machine_is_told_that_a_purge_removed_changes_that_were_only_there(
    desk: Machine, lap: Machine
) -> None:
    for name in ("N1", "N2", "N3"):
        desk.write(name, "shared")
    settle(desk, lap)
    lap.save(lap.read("N1"), body="shared\nand only typed here", updated_at=LATER)
    private = lap.make_private("N3")
    desk.purge("N1", "N2", "N3")
    desk.sync()
    result = lap.sync()
    assert result.purged == ("N1", "N3")
    assert "changes made here to N1, N3 had not been pushed" in result.detail
    assert not private.exists()
    assert lap.sync().purged == ()
    assert_gone("only typed here", desk, lap)


def test_a_sync_that_dies_while_it_purges_leaves_it_to_the_next_to_say_what_was_removed(
    desk: Machine, lap: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "shared")
    settle(desk, lap)
    lap.save(lap.read("N1"), body="only here", updated_at=LATER)
    desk.purge("N1")
    desk.sync()
    with monkeypatch.context() as patch:
        patch.setattr("anamnesis.purge.apply.remove_unreachable", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            lap.sync()
    assert lap.sync().purged == ("N1",)


def _interrupted(git: object) -> None:
    raise KeyboardInterrupt
