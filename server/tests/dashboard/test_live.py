"""Live updates: open pages are notified of every change, and a store's change mark moves with it."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace

import pytest

from anamnesis.dashboard import live, workspace
from anamnesis.dashboard.workspace import Watcher
from anamnesis.index.query import Filter
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, backend_for
from dashboard_server import Dashboard


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr("anamnesis.dashboard.live.CHECK_SECONDS", 0.02)


def synced_by(store: MemoryStore) -> SyncBackend:
    """The backend of a store that has no remote."""
    return backend_for(store.memory_dir, remote=None, machine_id="desk")


@pytest.fixture
def marks(store: MemoryStore) -> Iterator[Watcher]:
    """A watcher of the store."""
    with closing(Watcher(store, synced_by(store))) as watching:
        yield watching


def test_the_change_mark_stays_while_nothing_happens(store: MemoryStore, marks: Watcher) -> None:
    store.write(type="semantic", title="One", body="b")
    store.reindex()  # files written a moment ago are checked once more
    first = marks.mark()
    store.search("one")
    assert [marks.mark() for _ in range(3)] == [first] * 3


def moved(marks: Watcher, before: str) -> str:
    """The next different mark; the index checks for hand edits once a second, so this may take a second."""
    while (mark := marks.mark()) == before:
        time.sleep(0.02)
    return mark


def test_the_change_mark_moves_with_a_write_a_hand_edit_and_a_deletion(
    store: MemoryStore, marks: Watcher
) -> None:
    seen = [marks.mark()]
    note = store.write(type="semantic", title="One", body="b")
    seen.append(moved(marks, seen[-1]))
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("title: One", "title: One more"))
    seen.append(moved(marks, seen[-1]))
    path.unlink()
    seen.append(moved(marks, seen[-1]))
    assert len(set(seen)) == 4


def test_the_change_mark_moves_when_another_process_writes(store: MemoryStore, marks: Watcher) -> None:
    before = marks.mark()
    with MemoryStore(store.root) as other:
        other.write(type="semantic", title="From elsewhere", body="b")
    assert moved(marks, before) != before


def test_a_search_does_not_scan_while_a_page_is_open(marks: Watcher) -> None:
    assert not marks.postpone()  # nothing was checked yet: the search has to
    marks.mark()
    assert marks.postpone()


def test_without_an_index_file_a_search_scans_itself(store: MemoryStore) -> None:
    store.db_path.unlink()
    store.db_path.mkdir()
    with MemoryStore(store.root) as derived, closing(Watcher(derived, synced_by(derived))) as marks:
        marks.mark()
        assert not marks.postpone()


def test_what_the_watcher_saw_is_found_without_another_scan(store: MemoryStore, marks: Watcher) -> None:
    note = store.write(type="semantic", title="One", body="walrus")
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("walrus", "narwhal"))
    before = marks.mark()
    found = store.find("narwhal", Filter(), k=1, thorough=False)
    while not found:  # the index checks for hand edits once a second
        moved(marks, before)
        found = store.find("narwhal", Filter(), k=1, thorough=False)
    assert found[0].note.id == note.id


def test_checks_pause_briefly_while_someone_types(marks: Watcher, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(workspace, "time", SimpleNamespace(monotonic=lambda: now[0]))
    looks: list[float] = []
    monkeypatch.setattr(Watcher, "_check", lambda _: looks.append(now[0]))
    for _ in range(16):  # a letter four times a second, and the listener as often
        marks.mark()
        marks.postpone()
        now[0] += 0.25
    assert looks == [100.0, 102.0]


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
