"""What the dashboard must not lose or hide: a conflict after Undo, and credentials."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import Dashboard, Json

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def clashing(dashboard: Dashboard, tmp_path: Path, remote: Path) -> Dashboard:
    """A dashboard that holds the note N1: `mine` here, `theirs` on the machine lap."""
    dashboard.put("N1", "Clash", body="base")
    dashboard.backend.sync()
    with MemoryStore(tmp_path / "laptop") as store:
        lap = GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="lap", timeout=600)
        lap.sync()
        store.reindex()
        store.update("N1", body="theirs")
        lap.sync()
    dashboard.store.update("N1", body="mine")
    dashboard.backend.sync()
    dashboard.store.reindex()
    return dashboard


def held(dashboard: Dashboard) -> Json:
    (note,) = dashboard.get("/api/inbox")["held"]
    return {side: note[side].rstrip().splitlines()[-1] for side in ("base", "mine", "theirs")}


@pytest.mark.parametrize("choice", ["mine", "theirs", "both", "text"])
@pytest.mark.parametrize("is_sent", [False, True])
def test_undo_of_a_resolved_conflict_brings_the_conflict_back(
    clashing: Dashboard, tmp_path: Path, remote: Path, choice: str, is_sent: bool
) -> None:
    before = held(clashing)
    text = clashing.store.text_of("N1")
    body = (
        {"choice": choice, "text": None} if choice != "text" else {"choice": "mine", "text": f"{text}\nx\n"}
    )
    answer = clashing.send("POST", "/api/conflicts/N1", body)
    assert answer.json == {"done": True, "undo": True}
    if is_sent:
        clashing.backend.sync()
    undone = clashing.send("DELETE", "/api/conflicts/N1", {})
    assert undone.status == 200, undone.text
    assert held(clashing) == before == {"base": "base", "mine": "mine", "theirs": "theirs"}
    clashing.backend.sync()  # sends neither text
    assert held(clashing) == before
    assert [note["title"] for note in clashing.get("/api/notes")["notes"]] == ["Clash"]
    with MemoryStore(tmp_path / "third") as store:
        GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="third", timeout=600).sync()
        store.reindex()
        assert [note.body for note in store.list()] == ["theirs"]


def test_a_resolution_is_not_undone_over_a_later_edit(clashing: Dashboard) -> None:
    clashing.send("POST", "/api/conflicts/N1", {"choice": "theirs", "text": None})
    clashing.store.update("N1", body="later")
    refused = clashing.send("DELETE", "/api/conflicts/N1", {})
    assert refused.status == 400
    assert clashing.get("/api/notes/N1")["body"] == "later"
    assert clashing.send("DELETE", "/api/conflicts/N1", {}).status == 400


def waiting(dashboard: Dashboard) -> Path:
    """Type a credential into the file of the note N1."""
    path = dashboard.store.path_of("N1")
    assert path is not None
    path.write_text(path.read_text() + f"the token is {TOKEN}\n")
    dashboard.backend.sync()
    dashboard.store.reindex()
    return path


def test_a_note_with_a_waiting_credential_says_so_and_it_can_be_removed(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Deploy", body="text")
    path = waiting(dashboard)
    (found,) = dashboard.get("/api/notes/N1")["waiting"]
    assert found["line"] == len(path.read_text().splitlines())
    clean = dashboard.send("POST", "/api/notes/N1/clean", {}).json
    assert clean["waiting"] == []
    assert clean["body"].endswith("the token is [removed]")
    kept = [file.read_text() for file in (dashboard.store.root / "undo").rglob("*.old")]
    assert not any(TOKEN in text for text in kept)


def test_a_credential_that_an_edit_removed_is_named_in_the_history_and_can_be_forgotten(
    dashboard: Dashboard,
) -> None:
    dashboard.put("N1", "Deploy", body="text")
    waiting(dashboard)
    dashboard.store.update("N1", body="without it")
    dashboard.backend.sync()
    versions = dashboard.get("/api/notes/N1/history")["versions"]
    assert [each["action"] for each in versions if each["credential"]] == ["replaced"]
    after = dashboard.send("DELETE", "/api/notes/N1/history", {}).json["versions"]
    assert after == [each for each in versions if not each["credential"]]
