"""Activity and projects over HTTP: what happened, what sessions were told and why, what the next is told."""

from __future__ import annotations

import http.client
import subprocess
import time
from datetime import date
from pathlib import Path

import pytest

from anamnesis.dashboard import app
from anamnesis.dashboard.app import change_mark
from anamnesis.inject.start import Start, start_session
from anamnesis.session.receipts import add_entry
from anamnesis.state import Captured, save
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, backend_for
from dashboard_server import DAWN, Dashboard


def told(dashboard: Dashboard, session: str, **fields: object) -> None:
    known: dict[str, object] = {"project": "shop", "folder": "/nowhere", "source": "startup"}
    add_entry(str(dashboard.store.root), session, "told", **(known | fields))


def capture(dashboard: Dashboard, note_id: str, session: str, **fields: object) -> None:
    made: dict[str, object] = {"type": "episodic", "prov_source": "session-end", "prov_session": session}
    dashboard.put(note_id, f"About {session}", **(made | fields))


def seen(dashboard: Dashboard, asked: str = "") -> list[tuple[str, str]]:
    events = dashboard.get(f"/api/activity?{asked}")["events"]
    return [(each["kind"], each["session"]["id"] if each["session"] else each["id"]) for each in events]


@pytest.fixture
def lived_in(dashboard: Dashboard) -> Dashboard:
    """Two sessions, and notes that were written, edited and deleted."""
    capture(dashboard, "N1", "old", machine_id="lap", updated_at="2026-01-01T00:00:00+00:00")
    dashboard.put("N2", "Shop", project="shop")
    dashboard.put("N3", "Gone soon")
    dashboard.backend.commit()
    dashboard.store.update("N2", body="changed")
    dashboard.store.delete("N3")
    dashboard.backend.commit()
    told(dashboard, "now", full=[["N2", DAWN]])
    return dashboard


def test_activity_is_one_list_of_sessions_and_changes_latest_first(lived_in: Dashboard) -> None:
    events = seen(lived_in)
    assert events[-1] == ("session", "old")
    assert sorted(events) == [
        ("added", "N2"),
        ("added", "N3"),
        ("deleted", "N3"),
        ("edited", "N2"),
        ("session", "now"),
        ("session", "old"),
    ]
    first = lived_in.get("/api/activity?limit=4")
    rest = lived_in.get(f"/api/activity?limit=4&offset={first['next']}")
    assert (len(first["events"]), len(rest["events"]), rest["next"]) == (4, 2, None)


def test_a_change_of_many_notes_says_how_many_more_it_made(dashboard: Dashboard) -> None:
    for number in range(23):
        dashboard.put(f"N{number}", "Arrived")
    dashboard.backend.commit()
    added = dashboard.get("/api/activity?kind=added")["events"]
    assert [each["title"] for each in added] == ["Arrived"] * 20 + ["3 more notes in the same change"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("kind=session", [("session", "now"), ("session", "old")]),
        ("kind=edited", [("edited", "N2")]),
        ("kind=deleted", [("deleted", "N3")]),
        ("project=shop&kind=added", [("added", "N2")]),
        ("machine=lap", [("session", "old")]),
        ("until=2026-01-02", [("session", "old")]),
        (f"since={date.today().isoformat()}&kind=session", [("session", "now")]),
    ],
)
def test_activity_is_narrowed_by_kind_machine_project_and_day(
    lived_in: Dashboard, asked: str, expected: list[tuple[str, str]]
) -> None:
    assert seen(lived_in, asked) == expected


def test_a_session_shows_what_it_was_told_and_why_searched_for_wrote_and_its_note(
    dashboard: Dashboard,
) -> None:
    dashboard.put("N1", "Known")
    dashboard.put("N3", "No room for it")
    capture(dashboard, "N2", "s-1", body="What it found.")
    told(
        dashboard, "s-1", full=[["N1", DAWN]], titles=["GONE"], left_out={"N3": "room"}, why={"N1": ["basic"]}
    )
    home = str(dashboard.store.root)
    add_entry(home, "s-1", "searched", query="walrus", ids=[["N1", DAWN]])
    add_entry(home, "s-1", "wrote", ids=["N1"])
    answer = dashboard.get("/api/sessions/s-1")
    first, searched, wrote = answer["entries"]
    assert first["full"] == [{"id": "N1", "type": "semantic", "title": "Known", "why": ["basic"]}]
    assert first["titles"] == [{"id": "GONE", "type": None, "title": "", "why": []}]
    assert [(each["title"], each["how"]) for each in first["left_out"]] == [("No room for it", "room")]
    assert (searched["query"], searched["ids"][0]["title"], wrote["kind"]) == ("walrus", "Known", "wrote")
    assert (answer["body"], [note["id"] for note in answer["left"]]) == ("What it found.", ["N2"])
    assert (answer["state"], answer["wrote"], answer["searched"], answer["given"]) == ("captured", 1, 1, 1)


def test_a_session_without_a_note_says_so_and_an_unknown_one_is_a_404(dashboard: Dashboard) -> None:
    told(dashboard, "s-1")
    save(dashboard.store.root, Captured("s-1", "/t.jsonl", 1, 1, "trivial", DAWN))
    assert dashboard.get("/api/sessions/s-1")["state"] == "trivial"
    for name in ("nobody", "..%2f..%2fconfig", "'--"):
        assert dashboard.ask("GET", f"/api/sessions/{name}").status == 404


def test_a_project_shows_exactly_what_the_next_session_is_told_and_leaves_no_receipt(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "feat/vouchers", tmp_path / "work"], check=True)
    folder = str(tmp_path / "work")
    told(dashboard, "s-0", folder=folder)
    dashboard.put("N1", "How to run the tests", type="procedural", project="shop", body="Run `make test`.")
    dashboard.put("N2", "Another project", project="other")
    dashboard.put("N3", "feat/vouchers: decided", project="shop")
    project = dashboard.get("/api/project?key=shop")
    briefing = project["briefing"]
    start = Start(home=str(dashboard.store.root), folder=folder, project="shop")
    assert briefing["text"] == start_session(start).text
    assert briefing["characters"] <= briefing["budget"]
    notes = {note["id"]: note for note in briefing["notes"]}
    assert notes.keys() == {"N1", "N3"}
    assert (notes["N1"]["how"], notes["N1"]["parts"]["basic"] > 0) == ("full", True)
    assert (briefing["branch"], "branch" in notes["N3"]["parts"]) == ("feat/vouchers", True)
    assert project["session_count"] == 1


def test_capturing_a_project_is_a_switch_that_other_exclusions_survive(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One", project="shop")
    dashboard.send("PUT", "/api/settings/capture_exclude", {"value": "~/private/*"})

    def is_captured() -> object:
        return dashboard.get("/api/projects")["projects"][0]["captured"]

    def switch(captured: bool) -> tuple[object, str]:
        assert dashboard.send("PUT", "/api/project", {"key": "shop", "captured": captured}).status == 200
        found = dashboard.get("/api/settings")["settings"]
        value = next(str(each["value"]) for each in found if each["name"] == "capture_exclude")
        return is_captured(), value

    assert switch(False) == (False, "~/private/*,shop")
    assert switch(True) == (True, "~/private/*")
    dashboard.send("PUT", "/api/settings/capture_exclude", {"value": "sho*"})
    assert is_captured() is False
    assert dashboard.send("PUT", "/api/project", {"key": "a,b", "captured": False}).status == 400


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
