"""Live updates: open pages are notified of every change, and a store's change mark moves with it."""

from __future__ import annotations

import http.client
import time

import pytest

from anamnesis.dashboard import app
from anamnesis.dashboard.app import change_mark
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, backend_for
from dashboard_server import Dashboard


def moved(store: MemoryStore, backend: SyncBackend, before: str) -> str:
    """The next different mark; the index checks for hand edits every second or two."""
    while (mark := change_mark(store, backend)) == before:
        time.sleep(0.02)
    return mark


def test_the_change_mark_moves_with_every_kind_of_change(store: MemoryStore) -> None:
    backend = backend_for(store.memory_dir, remote=None, machine_id="desk")
    seen = [change_mark(store, backend)]
    note = store.write(type="semantic", title="One", body="b")
    seen.append(moved(store, backend, seen[-1]))
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("title: One", "title: One more"))
    seen.append(moved(store, backend, seen[-1]))
    path.unlink()
    seen.append(moved(store, backend, seen[-1]))
    with MemoryStore(store.root) as other:  # as another process would
        other.write(type="semantic", title="From elsewhere", body="b")
    seen.append(moved(store, backend, seen[-1]))
    backend.commit()
    seen.append(moved(store, backend, seen[-1]))
    assert len(set(seen)) == 6


def test_an_open_page_is_notified_of_a_note_written_by_hand(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "_CHECK_SECONDS", 0.02)
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
