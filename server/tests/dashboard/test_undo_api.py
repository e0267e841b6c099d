"""Undo over HTTP: the dashboard's changes to an uncommitted note can be undone."""

from __future__ import annotations

import pytest

from anamnesis.git import Git
from dashboard_server import Dashboard, Json

DRAFT = {"type": "semantic", "title": "One", "project": "global", "tags": ["b"]}
SCOPES = ("portable", "machine-local")


def edit(dashboard: Dashboard, *, body: str, scope: str) -> None:
    base = dashboard.get("/api/notes/N1")["version"]
    answer = dashboard.send("PUT", "/api/notes/N1", {**DRAFT, "body": body, "scope": scope, "base": base})
    assert answer.status == 200, answer.text


def bring_back(dashboard: Dashboard, text: str, *, base: str | None) -> Json:
    """Restore the version with this text, found as the history page finds it."""
    versions = [each["commit"] for each in dashboard.get("/api/notes/N1/history")["versions"]]
    texts = {name: dashboard.get(f"/api/notes/N1/diff?to={name}")["to"]["text"] for name in versions}
    name = next(name for name, found in texts.items() if text in found)
    answer = dashboard.send("POST", "/api/notes/N1/restore", {"commit": name, "base": base})
    assert answer.status == 200, answer.text
    return answer.json


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
def test_a_deleted_uncommitted_note_can_be_restored(dashboard: Dashboard, scope: str) -> None:
    dashboard.put("N1", "One", body="first text", scope=scope)
    edit(dashboard, body="second text", scope=scope)
    assert dashboard.send("DELETE", "/api/notes/N1", {"base": None}).status == 200
    assert dashboard.ask("GET", "/api/notes/N1").status == 404
    assert dashboard.get("/api/notes/N1/history")["uncommitted"] is False
    restored = bring_back(dashboard, "second text", base=None)
    assert (restored["body"], restored["scope"]) == ("second text", scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_review_can_be_undone(dashboard: Dashboard, scope: str) -> None:
    dashboard.put("N1", "One", body="text", prov_source="reflection", confidence=0.5, scope=scope)
    undo = dashboard.send("POST", "/api/notes/N1/keep", {}).json["undo"]
    kept = dashboard.get("/api/notes/N1")
    assert (kept["tags"], kept["confidence"]) == (["reviewed"], 1.0)
    restored = dashboard.send("POST", "/api/notes/N1/restore", {"text": undo, "base": kept["version"]}).json
    assert (restored["tags"], restored["confidence"]) == ([], 0.5)
    unknown = dashboard.send("POST", "/api/notes/N1/restore", {"text": "0" * 16, "base": None})
    assert (unknown.status, unknown.json["code"]) == (404, "call")


@pytest.mark.parametrize("scope", SCOPES)
def test_a_deleted_note_is_restored_without_naming_a_version(dashboard: Dashboard, scope: str) -> None:
    dashboard.put("N1", "One", body="first text", scope=scope)
    edit(dashboard, body="second text", scope=scope)
    dashboard.send("DELETE", "/api/notes/N1", {"base": None})
    restored = dashboard.send("POST", "/api/notes/N1/restore", {"base": None}).json
    assert (restored["body"], restored["scope"]) == ("second text", scope)
    again = dashboard.send("POST", "/api/notes/N1/restore", {"base": None})
    assert (again.status, again.json["code"]) == (400, "InvalidNote")


@pytest.mark.parametrize("scope", SCOPES)
def test_deleted_notes_are_listed_with_their_last_text(dashboard: Dashboard, scope: str) -> None:
    dashboard.put("N1", "One", body="first text", scope=scope)
    dashboard.put("N2", "Two", body="stays", scope=scope)
    edit(dashboard, body="second text", scope=scope)
    dashboard.send("DELETE", "/api/notes/N1", {"base": None})
    (gone,) = dashboard.get("/api/removed")["notes"]
    assert (gone["id"], gone["title"], gone["body"], gone["scope"]) == ("N1", "One", "second text", scope)
    dashboard.send("POST", "/api/notes/N1/restore", {"base": None})
    assert dashboard.get("/api/removed") == {"notes": [], "left_out": 0}


def test_a_note_that_only_moved_is_not_listed_as_deleted(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One", body="text")
    dashboard.backend.commit()
    dashboard.store.update("N1", type="procedural")
    dashboard.backend.commit()
    assert dashboard.get("/api/removed")["notes"] == []


def test_a_save_is_committed_like_on_the_command_line(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One", body="first text")
    edit(dashboard, body="second text", scope="portable")
    history = dashboard.get("/api/notes/N1/history")
    assert [version["action"] for version in history["versions"]] == ["edited", "added"]
    assert history["uncommitted"] is False


def test_a_machine_local_text_is_in_no_commit(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One", body="first text", scope="machine-local")
    edit(dashboard, body="second text", scope="machine-local")
    history = dashboard.get("/api/notes/N1/history")
    assert [(each["action"], each["machine_id"]) for each in history["versions"]] == [
        ("replaced", "this machine")
    ]
    objects = Git(dashboard.store.memory_dir).run("cat-file", "--batch-all-objects", "--batch")
    assert b"first text" not in objects


def test_a_commit_is_compared_with_the_commit_before_it(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One", body="first text")
    dashboard.backend.commit()
    dashboard.store.update("N1", body="never committed")
    dashboard.store.update("N1", body="third text")
    dashboard.backend.commit()
    versions = dashboard.get("/api/notes/N1/history")["versions"]
    # Commit times are whole seconds, so the position of the saved text among them is not checked.
    assert sorted(each["action"] for each in versions) == ["added", "edited", "replaced"]
    newest = next(each["commit"] for each in versions if each["action"] == "edited")
    kept = next(each["commit"] for each in versions if each["action"] == "replaced")
    assert "first text" in dashboard.get(f"/api/notes/N1/diff?to={newest}")["from"]["text"]
    assert "never committed" in dashboard.get(f"/api/notes/N1/diff?from={kept}&to={newest}")["from"]["text"]
