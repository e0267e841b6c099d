"""A note's versions over HTTP: any two compared, every change undone, nothing restored over an unseen one."""

from __future__ import annotations

import pytest

from dashboard_server import Dashboard
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


def test_any_two_versions_can_be_compared(versioned: Dashboard) -> None:
    history = versioned.get("/api/notes/N1/history")
    assert [version["action"] for version in history["versions"]] == ["edited", "added"]
    assert history["uncommitted"] is True
    _, oldest = commits(versioned)
    diff = versioned.get(f"/api/notes/N1/diff?from={oldest}&to=now")
    assert "ten calls" in diff["from"]
    assert "two calls" in diff["to"]
    assert versioned.get(f"/api/notes/N1/diff?to={oldest}")["from"] == ""


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
