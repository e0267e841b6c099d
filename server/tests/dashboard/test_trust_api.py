"""What the dashboard must not lose or hide: a conflict after Undo, and credentials."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import Dashboard, Json
from secret_samples import SAMPLES

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


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


DRAFT = {"type": "semantic", "title": "One", "project": "global", "tags": ["b"]}
SCOPES = ("portable", "machine-local")
KEY, SECRET = SAMPLES["anthropic"]


@pytest.fixture
def versioned(dashboard: Dashboard) -> Dashboard:
    """A note with two committed versions and a third that is only in its file."""
    dashboard.put("N1", "Limits", body="ten calls")
    dashboard.backend.commit()
    dashboard.store.update("N1", body="five calls")
    dashboard.backend.commit()
    dashboard.store.update("N1", body="two calls")
    return dashboard


def commits(dashboard: Dashboard) -> list[str]:
    return [version["commit"] for version in dashboard.get("/api/notes/N1/history")["versions"]]


def edit(dashboard: Dashboard, *, body: str, scope: str) -> None:
    base = dashboard.get("/api/notes/N1")["version"]
    answer = dashboard.send("PUT", "/api/notes/N1", {**DRAFT, "body": body, "scope": scope, "base": base})
    assert answer.status == 200, answer.text


def test_any_two_versions_can_be_compared(versioned: Dashboard) -> None:
    history = versioned.get("/api/notes/N1/history")
    assert [version["action"] for version in history["versions"]] == ["edited", "added"]
    assert history["uncommitted"] is True
    _, oldest = commits(versioned)
    diff = versioned.get(f"/api/notes/N1/diff?from={oldest}&to=now")
    assert "ten calls" in diff["from"]
    assert "two calls" in diff["to"]
    assert versioned.get(f"/api/notes/N1/diff?to={oldest}")["from"] == ""


def test_nothing_is_restored_over_an_unseen_change(versioned: Dashboard) -> None:
    body = {"commit": commits(versioned)[1], "base": "0" * 16}
    assert versioned.send("POST", "/api/notes/N1/restore", body).status == 409
    assert versioned.get("/api/notes/N1")["body"] == "two calls"


def test_a_restored_version_with_a_credential_waits(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Limits", body=f"key: {KEY}")
    dashboard.backend.allow_secret("N1")
    dashboard.backend.commit()
    dashboard.store.update("N1", body="ten calls")
    dashboard.backend.commit()
    body = {"commit": commits(dashboard)[1], "base": dashboard.get("/api/notes/N1")["version"]}
    assert dashboard.send("POST", "/api/notes/N1/restore", body).status == 200
    assert [each["id"] for each in dashboard.get("/api/inbox")["credentials"]] == ["N1"]


@pytest.mark.parametrize("scope", SCOPES)
def test_a_deleted_note_is_listed_and_restored_without_naming_a_version(
    dashboard: Dashboard, scope: str
) -> None:
    dashboard.put("N1", "One", body="first text", scope=scope)
    edit(dashboard, body="second text", scope=scope)
    assert dashboard.send("DELETE", "/api/notes/N1", {"base": None}).status == 200
    assert dashboard.ask("GET", "/api/notes/N1").status == 404
    (gone,) = dashboard.get("/api/activity?kind=deleted")["events"]
    assert (gone["id"], gone["title"], gone["kind"]) == ("N1", "One", "deleted")
    restored = dashboard.send("POST", "/api/notes/N1/restore", {"base": None}).json
    assert (restored["body"], restored["scope"]) == ("second text", scope)
    again = dashboard.send("POST", "/api/notes/N1/restore", {"base": None})
    assert again.status == 400
    assert dashboard.get("/api/activity?kind=deleted")["events"] == []
