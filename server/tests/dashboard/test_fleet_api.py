"""Machines, sync and conflicts over HTTP, with a second machine and a real remote between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.state import Entry, save
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import Dashboard


@pytest.fixture
def laptop(tmp_path: Path, remote: Path) -> Iterator[tuple[MemoryStore, GitSyncBackend]]:
    """Another machine of the same user."""
    with MemoryStore(tmp_path / "laptop") as store:
        yield store, GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="lap", timeout=600)


def speaking(store: MemoryStore, backend: GitSyncBackend, name: str) -> GitSyncBackend:
    """The same machine with a heartbeat, as in every command and the dashboard."""
    return GitSyncBackend(
        store.memory_dir, remote=backend.remote, machine_id=name, timeout=600, heartbeat=True
    )


def test_machines_are_listed_with_heartbeat_and_last_note_this_one_first(
    dashboard: Dashboard, laptop: tuple[MemoryStore, GitSyncBackend]
) -> None:
    store, lap = laptop[0], speaking(*laptop, "lap")
    desk = speaking(dashboard.store, dashboard.backend, "desk")
    dashboard.put("N1", "Mine")
    dashboard.put("N2", "Also mine", type="episodic")
    desk.sync()
    lap.sync()
    store.reindex()
    # Its machine_id does not matter: the laptop committed it.
    store.update("N1", title="Corrected on the laptop")
    lap.sync()
    desk.sync()
    here, there = dashboard.get("/api/machines")["machines"]
    assert (here["name"], here["here"], here["agrees"]) == ("desk", True, True)
    assert (there["name"], there["here"], there["agrees"], there["behind"]) == ("lap", False, True, 0)
    assert there["last_note"]["title"] == "Corrected on the laptop"
    assert here["last_note"]["title"] in ("Mine", "Also mine")
    dashboard.put("N3", "The laptop lacks this")
    desk.sync()
    here, there = dashboard.get("/api/machines")["machines"]
    assert (there["agrees"], there["behind"]) == (False, 1)
    assert here["last_note"]["title"] == "The laptop lacks this"
    dashboard.store.delete("N3")
    desk.sync()
    here, _ = dashboard.get("/api/machines")["machines"]
    assert here["last_note"]["title"] in ("Mine", "Also mine")


def test_a_machine_with_silent_hooks_is_marked_and_can_be_forgotten(
    dashboard: Dashboard, laptop: tuple[MemoryStore, GitSyncBackend]
) -> None:
    lap, desk = speaking(*laptop, "lap"), speaking(dashboard.store, dashboard.backend, "desk")
    save(laptop[0].root, Entry("s1", "told", "2025-01-01T00:00:00+00:00", "{}"))
    lap.sync()
    desk.sync()
    (_, there) = dashboard.get("/api/machines")["machines"]
    assert any("hooks have not run since 2025-01-01" in remark for remark in there["remarks"])
    assert dashboard.send("POST", "/api/machines/forget", {"name": "lap"}).json == {"done": True}
    assert [card["name"] for card in dashboard.get("/api/machines")["machines"]] == ["desk"]
    again = dashboard.send("POST", "/api/machines/forget", {"name": "lap"})
    assert (again.status, again.json["error"].startswith("no machine is called 'lap'")) == (400, True)


def test_a_held_note_shows_both_versions_everywhere(clashing: Dashboard) -> None:
    dashboard = clashing
    (held,) = dashboard.get("/api/inbox")["held"]
    assert "mine" in held["mine"]
    assert "theirs" in held["theirs"]
    path = dashboard.store.path_of("N1")
    assert path is not None
    os.utime(path, (1_770_000_000, 1_770_000_000))  # like an editor, which leaves the front matter alone
    (held,) = dashboard.get("/api/inbox")["held"]
    assert held["written"] == "2026-02-02T02:40:00+00:00"
    assert dashboard.get("/api/notes/N1")["held"] is True
    assert dashboard.get("/api/status")["waiting"] == 1


def test_an_edited_text_resolves_a_held_note(clashing: Dashboard) -> None:
    dashboard = clashing
    text = (dashboard.store.text_of("N1") or "").replace("mine", "the better line")
    secret = {"choice": "mine", "text": f"{text}password=Tr0ub4dor-3xyz\n"}
    assert dashboard.send("POST", "/api/conflicts/N1", secret).status == 400
    for wrong in ("no front matter", text.replace("id: N1", "id: N2"), f"{text}\ud800"):
        answer = dashboard.send("POST", "/api/conflicts/N1", {"choice": "mine", "text": wrong})
        assert answer.status == 400
    assert dashboard.send("POST", "/api/conflicts/N1", {"choice": "mine", "text": text}).status == 200
    assert dashboard.get("/api/notes/N1")["body"] == "the better line"
    broken = dashboard.send("POST", "/api/conflicts/N1", {"choice": "mine", "text": None})
    assert broken.status == 404


def test_a_password_in_the_remote_is_never_shown(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://me:hunter22@host.example/notes.git"
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", url)
    for path in ("overview", "machines", "settings"):
        assert "hunter22" not in dashboard.ask("GET", f"/api/{path}").text
