"""Live updates: open pages are notified of every change, and a store's change mark moves with it."""

from __future__ import annotations

import http.client
import time
from types import SimpleNamespace

import pytest

from anamnesis.dashboard import live
from anamnesis.dashboard.workspace import Workspace
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from dashboard_server import Dashboard


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_CHECK_SECONDS", 0.02)
    monkeypatch.setattr(live, "_ENDING_SECONDS", 0.02)


@pytest.fixture
def space(store: MemoryStore) -> Workspace:
    """The workspace of a store without a remote."""
    return Workspace(store, backend_for(store.memory_dir, remote=None, machine_id="desk"), "desk")


def moved(space: Workspace, before: str) -> str:
    """The next different mark; the index checks for hand edits every second or two."""
    while (mark := space.mark()) == before:
        time.sleep(0.02)
    return mark


def test_the_change_mark_stays_while_nothing_happens(store: MemoryStore, space: Workspace) -> None:
    store.write(type="semantic", title="One", body="b")
    store.reindex()  # files written a moment ago are checked once more
    first = space.mark()
    store.search("one")
    assert [space.mark() for _ in range(3)] == [first] * 3


def test_the_change_mark_moves_with_every_kind_of_change(store: MemoryStore, space: Workspace) -> None:
    seen = [space.mark()]
    note = store.write(type="semantic", title="One", body="b")
    seen.append(moved(space, seen[-1]))
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("title: One", "title: One more"))
    seen.append(moved(space, seen[-1]))
    path.unlink()
    seen.append(moved(space, seen[-1]))
    with MemoryStore(store.root) as other:  # as another process would
        other.write(type="semantic", title="From elsewhere", body="b")
    seen.append(moved(space, seen[-1]))
    space.backend.commit()
    seen.append(moved(space, seen[-1]))
    assert len(set(seen)) == 6


def test_an_open_page_is_notified_of_a_note_written_by_hand(dashboard: Dashboard) -> None:
    note = dashboard.put("N1", "One")
    connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=600)
    headers = {"Host": f"localhost:{dashboard.port}", "Cookie": dashboard.cookie}
    connection.request("GET", "/api/events", headers=headers)
    stream = connection.getresponse()
    assert stream.readline() == b": following\n"
    path = dashboard.store.path_of(note.id)
    assert path is not None
    path.with_name("N2.md").write_text(path.read_text().replace("N1", "N2"))
    lines = iter(stream.readline, b"")
    assert next(line for line in lines if line.startswith(b"event")) == b"event: change\n"
    connection.close()


def test_the_progress_of_a_long_step_is_throttled_but_keeps_start_and_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(live, "time", SimpleNamespace(monotonic=lambda: now[0]))
    told: list[tuple[object, ...]] = []
    steps = live.limited(lambda word: told.append(tuple(word.values())))
    for done in range(1001):
        steps("integrate", done, 1000)
        now[0] += 0.001
    steps("push", 0, 0)
    steps("push", 1, 1)
    first, *between, last, started, ended = told
    assert (first, last) == (("integrate", 0, 1000), ("integrate", 1000, 1000))
    assert (started, ended) == (("push", 0, 0), ("push", 1, 1))
    assert 10 < len(between) <= 20
