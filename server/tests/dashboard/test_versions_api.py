"""A note's versions over HTTP: any two compared, every change undone, nothing restored over an unseen one."""

from __future__ import annotations

import pytest

from dashboard_server import Dashboard, Json
from secret_samples import SAMPLES

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


def bring_back(dashboard: Dashboard, text: str, *, base: str | None) -> Json:
    """Restore the version with this text, found as the page finds it."""
    texts = {name: dashboard.get(f"/api/notes/N1/diff?to={name}")["to"] for name in commits(dashboard)}
    name = next(name for name, found in texts.items() if text in found)
    answer = dashboard.send("POST", "/api/notes/N1/restore", {"commit": name, "base": base})
    assert answer.status == 200, answer.text
    return answer.json


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
    answer = versioned.send("POST", "/api/notes/N1/restore", body)
    assert answer.status == 409
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


@pytest.mark.parametrize("after", SCOPES)
@pytest.mark.parametrize("before", SCOPES)
def test_an_edit_of_an_uncommitted_note_can_be_undone(dashboard: Dashboard, before: str, after: str) -> None:
    dashboard.put("N1", "One", body="first text", tags=["a"], scope=before)
    edit(dashboard, body="second text", scope=after)
    restored = bring_back(dashboard, "first text", base=dashboard.get("/api/notes/N1")["version"])
    assert (restored["body"], restored["tags"], restored["scope"]) == ("first text", ["a"], after)
    again = bring_back(dashboard, "second text", base=restored["version"])
    assert (again["body"], again["tags"]) == ("second text", ["b"])


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


@pytest.mark.parametrize("scope", SCOPES)
def test_a_review_can_be_undone(dashboard: Dashboard, scope: str) -> None:
    dashboard.put("N1", "One", body="text", prov_source="reflection", confidence=0.5, scope=scope)
    before = dashboard.get("/api/notes/N1")["updated_at"]
    answer = dashboard.send("POST", "/api/selection", {"ids": ["N1"], "act": "keep", "value": None})
    undo = answer.json["undo"]["N1"]
    kept = dashboard.get("/api/notes/N1")
    assert (kept["tags"], kept["confidence"], kept["updated_at"]) == (["reviewed"], 1.0, before)
    restored = dashboard.send("POST", "/api/notes/N1/restore", {"text": undo, "base": kept["version"]}).json
    assert (restored["tags"], restored["confidence"]) == ([], 0.5)
    unknown = dashboard.send("POST", "/api/notes/N1/restore", {"text": "0" * 16, "base": None})
    assert unknown.status == 400
