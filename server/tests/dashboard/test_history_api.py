"""History over HTTP: versions, any two compared, restoring; the store's commits."""

from __future__ import annotations

import pytest

from dashboard_server import Dashboard
from secret_samples import SAMPLES

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


def test_a_note_has_a_version_per_commit_and_marks_uncommitted_text(versioned: Dashboard) -> None:
    history = versioned.get("/api/notes/N1/history")
    assert [version["action"] for version in history["versions"]] == ["edited", "added"]
    assert history["uncommitted"] is True
    versioned.backend.commit()
    assert versioned.get("/api/notes/N1/history")["uncommitted"] is False


@pytest.mark.parametrize(
    ("older", "newer", "texts"),
    [
        (1, 0, ("ten calls", "five calls")),
        (0, 1, ("five calls", "ten calls")),
        (0, None, ("five calls", "two calls")),
        (1, None, ("ten calls", "two calls")),
    ],
)
def test_any_two_versions_can_be_compared(
    versioned: Dashboard, older: int, newer: int | None, texts: tuple[str, str]
) -> None:
    names = commits(versioned)
    to = "now" if newer is None else names[newer]
    diff = versioned.get(f"/api/notes/N1/diff?from={names[older]}&to={to}")
    assert texts[0] in diff["from"]["text"]
    assert texts[1] in diff["to"]["text"]


def test_a_version_alone_is_compared_with_the_one_before_it(versioned: Dashboard) -> None:
    newest, oldest = commits(versioned)
    assert "ten calls" in versioned.get(f"/api/notes/N1/diff?to={newest}")["from"]["text"]
    assert versioned.get(f"/api/notes/N1/diff?to={oldest}")["from"] == {"version": "", "text": ""}


def test_an_old_version_is_restored_as_an_edit(versioned: Dashboard) -> None:
    body = {"commit": commits(versioned)[1], "base": versioned.get("/api/notes/N1")["version"]}
    answer = versioned.send("POST", "/api/notes/N1/restore", body)
    assert (answer.status, answer.json["body"]) == (200, "ten calls")
    assert answer.json["updated_at"] > "2026-01-05T09:00:00+00:00"


def test_nothing_is_restored_over_an_unseen_change(versioned: Dashboard) -> None:
    answer = versioned.send(
        "POST", "/api/notes/N1/restore", {"commit": commits(versioned)[1], "base": "0" * 16}
    )
    assert (answer.status, answer.json["code"]) == (409, "stale")
    assert versioned.get("/api/notes/N1")["body"] == "two calls"


def test_a_version_with_a_credential_is_not_restored(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Limits", body=f"key: {KEY}")
    dashboard.backend.allow_secret("N1")
    dashboard.backend.commit()
    dashboard.store.update("N1", body="ten calls")
    dashboard.backend.commit()
    body = {"commit": commits(dashboard)[1], "base": dashboard.get("/api/notes/N1")["version"]}
    answer = dashboard.send("POST", "/api/notes/N1/restore", body)
    assert (answer.status, answer.json["code"]) == (400, "SecretFound")
    assert SECRET not in str(answer.json)
    assert dashboard.get("/api/notes/N1")["body"] == "ten calls"


def test_the_overview_lists_waiting_files(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Limits", body=f"key: {KEY}")
    dashboard.backend.commit()
    sync = dashboard.get("/api/overview")["sync"]
    assert [each["id"] for each in sync["waiting"]] == ["N1"]
    assert "semantic/N1.md waits with a credential" in sync["detail"]
    assert SECRET not in str(sync)


def test_a_deleted_note_keeps_its_history_and_its_last_text_can_be_restored(versioned: Dashboard) -> None:
    assert versioned.send("DELETE", "/api/notes/N1", {"base": None}).status == 200
    last = next(v for v in versioned.get("/api/notes/N1/history")["versions"] if v["action"] != "deleted")
    answer = versioned.send("POST", "/api/notes/N1/restore", {"commit": last["commit"], "base": None})
    assert (answer.status, answer.json["body"]) == (200, "two calls")


@pytest.mark.parametrize("name", ["main", "HEAD", "--output=x", "0" * 40, "..", "%2Fetc%2Fpasswd", "abcd;ls"])
def test_an_unknown_version_is_a_404(versioned: Dashboard, name: str) -> None:
    assert versioned.ask("GET", f"/api/notes/N1/diff?to={name}").status == 404
    assert versioned.ask("GET", f"/api/history/{name}").status == 404
    assert versioned.send("POST", "/api/notes/N1/restore", {"commit": name, "base": None}).status == 404


def test_a_note_that_never_existed_has_no_history(dashboard: Dashboard) -> None:
    assert dashboard.ask("GET", "/api/notes/NOBODY/history").status == 404


def test_a_machine_local_note_has_no_versions(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Here", scope="machine-local")
    assert dashboard.get("/api/notes/N1/history")["versions"] == []


def test_the_stores_commits_are_paged(dashboard: Dashboard) -> None:
    assert dashboard.get("/api/history") == {"commits": [], "next": None}
    for number in range(63):
        dashboard.put("N1", f"Round {number}")
        dashboard.backend.commit(f"round {number}")
    first = dashboard.get("/api/history")
    assert [first["commits"][0]["message"], len(first["commits"])] == ["round 62", 60]
    rest = dashboard.get(f"/api/history?before={first['next']}")
    assert [commit["message"] for commit in rest["commits"]] == ["round 2", "round 1", "round 0"]
    assert rest["next"] is None


def test_a_commit_page_lists_the_notes_it_changed(versioned: Dashboard) -> None:
    versioned.put("N2", "Another", type="procedural")
    versioned.backend.commit("both")
    detail = versioned.get(f"/api/history/{versioned.get('/api/history')['commits'][0]['commit']}")
    assert (detail["message"], detail["machine_id"], detail["files"]) == ("both", "desk", 2)
    changed = {
        change["id"]: (change["action"], change["title"], change["type"]) for change in detail["changes"]
    }
    assert changed == {"N1": ("edited", "Limits", "semantic"), "N2": ("added", "Another", "procedural")}


def test_the_history_can_be_limited_to_a_day(versioned: Dashboard) -> None:
    assert versioned.get("/api/history?until=2001-01-01")["commits"] == []
    assert len(versioned.get("/api/history?until=2099-01-01")["commits"]) == 2
    assert versioned.ask("GET", "/api/history?until=--all").status == 400


@pytest.mark.parametrize("before", ["--all", "HEAD", "main", "0000000", "..", "%00"])
def test_an_invalid_commit_is_a_404(versioned: Dashboard, before: str) -> None:
    assert versioned.ask("GET", f"/api/history?before={before}").status == 404
