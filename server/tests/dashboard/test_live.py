"""Live: whoever listens hears of a change, whoever made it; and the mark of a store moves with the store."""

from __future__ import annotations

import http.client
import time

import pytest

from anamnesis.dashboard import watcher
from anamnesis.dashboard.watcher import Watcher
from anamnesis.store import MemoryStore
from dashboard_server import Dashboard


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr("anamnesis.dashboard.live.LOOK_SECONDS", 0.02)


def test_the_mark_stays_while_nothing_happens(store: MemoryStore) -> None:
    store.write(type="semantic", title="One", body="b")
    store.reindex()  # what was written a moment ago is looked at once more
    marks = Watcher(store)
    first = marks.mark()
    store.search("one")
    assert [marks.mark() for _ in range(3)] == [first] * 3


def moved(marks: Watcher, before: str) -> str:
    """The next mark that differs; the index looks for hand edits once a second, so this may take one."""
    while (mark := marks.mark()) == before:
        time.sleep(0.02)
    return mark


def test_the_mark_moves_with_a_write_a_hand_edit_and_a_deletion(store: MemoryStore) -> None:
    marks = Watcher(store)
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


def test_the_mark_moves_with_what_another_process_writes(store: MemoryStore) -> None:
    marks = Watcher(store)
    before = marks.mark()
    with MemoryStore(store.root) as other:
        other.write(type="semantic", title="From elsewhere", body="b")
    assert moved(marks, before) != before


def test_a_search_waits_for_no_look_while_somebody_listens(store: MemoryStore) -> None:
    marks = Watcher(store)
    assert not marks.stand_back()  # nobody ever looked: the search has to
    marks.mark()
    assert marks.stand_back()


def test_nobody_looks_in_the_midst_of_typing_but_never_for_long(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("anamnesis.dashboard.watcher.time.monotonic", lambda: now[0])
    looks: list[float] = []
    monkeypatch.setattr(store, "superseded_ids", lambda: looks.append(now[0]))
    marks = Watcher(store)
    for _ in range(16):  # a letter four times a second, and the listener as often
        marks.mark()
        marks.stand_back()
        now[0] += 0.25
    assert looks == [100.0, 102.0]


def test_a_listener_hears_of_a_note_written_by_hand(dashboard: Dashboard) -> None:
    note = dashboard.put("N1", "One")
    connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=20)
    connection.request("GET", "/api/events", headers={"Host": f"localhost:{dashboard.port}"})
    stream = connection.getresponse()
    assert stream.readline() == b": following\n"
    path = dashboard.store.path_of(note.id)
    assert path is not None
    path.with_name("N2.md").write_text(path.read_text().replace("N1", "N2"))
    lines = iter(stream.readline, b"")
    assert next(line for line in lines if line.startswith(b"event")) == b"event: change\n"
    connection.close()
