"""Overview, review, doctor, settings, index and reflection over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from dashboard_server import Dashboard, Json
from fake_model import FakeModel, answer


def test_the_slow_checks_are_requested_one_by_one(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Deploy", body="key AKIA" + "IOSFODNN7EXAMPLQ", scope="machine-local")
    answer = dashboard.get("/api/health?all=1")
    names = {one["name"] for one in answer["checks"]}
    assert "hooks" in names
    assert not names & set(answer["slow"])
    checks = {name: dashboard.get(f"/api/health?slow={quote(name)}")["checks"][0] for name in answer["slow"]}
    assert {name: check["name"] for name, check in checks.items()} == {name: name for name in answer["slow"]}
    assert checks["secrets"]["state"] == "bad"
    dashboard.store.update("N1", body="the key is in the vault")
    assert dashboard.get("/api/health?slow=secrets")["checks"][0]["state"] == "ok"
    assert dashboard.get("/api/health?slow=nothing")["checks"] == []


def test_the_doctor_finds_and_repairs_only_what_is_named(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    config = dashboard.store.root / "config.json"
    config.write_text("{}")
    config.chmod(0o644)
    dashboard.store.root.chmod(0o755)
    assert states(dashboard.get("/api/health?all=1"))["permissions"] != "ok"
    assert dashboard.send("POST", "/api/health/fix", {"name": "history"}).json["fixed"]
    assert states(dashboard.get("/api/health?all=1"))["permissions"] != "ok"
    assert dashboard.send("POST", "/api/health/fix", {"name": "permissions"}).json["fixed"]
    assert states(dashboard.get("/api/health?all=1"))["permissions"] == "ok"
    assert [path.stat().st_mode & 0o777 for path in (dashboard.store.root, config)] == [0o700, 0o600]


def states(answer: Json) -> dict[str, str]:
    return {check["name"]: check["state"] for check in answer["checks"]}


def test_a_secret_can_be_set_and_is_never_returned(dashboard: Dashboard) -> None:
    answer = dashboard.send("PUT", "/api/settings/reflection.api_key", {"value": "very-secret-key"})
    assert answer.status == 200
    assert "very-secret-key" not in answer.text + dashboard.ask("GET", "/api/settings").text
    assert (dashboard.store.root / "config.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sync_timeout", "soon"),
        ("no_such", "1"),
        ("remote", "a\nb"),
        ("remote", "ext::sh -c id"),
        ("remote", "gopher://ada:hunter2@host/x"),
    ],
)
def test_an_invalid_setting_is_refused(dashboard: Dashboard, name: str, value: str) -> None:
    answer = dashboard.send("PUT", f"/api/settings/{name}", {"value": value})
    assert answer.status == 400
    assert "hunter2" not in answer.text
    assert not (dashboard.store.root / "config.json").exists()


def test_reflection_proposes_first_and_writes_only_when_applied(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        dashboard.put(
            f"S{number}", f"Session {number}", type="episodic", prov_source="session-end", project="shop"
        )
    lesson = {"type": "semantic", "title": "Clocks drift", "body": "Freeze.", "tags": [], "supersedes": []}
    with FakeModel([answer(json.dumps({"notes": [lesson]}))]) as model:
        model.configure(monkeypatch)
        proposed = dashboard.send("POST", "/api/reflect", {"apply": False})
        assert proposed.status == 200, proposed.text
        assert proposed.json["projects"][0]["notes"] == [{"type": "semantic", "title": "Clocks drift"}]
        assert dashboard.get("/api/inbox")["review"] == []
        assert dashboard.send("POST", "/api/reflect", {"apply": True}).json["applied"] is True
        assert len(model.requests) == 1
    assert [note["title"] for note in dashboard.get("/api/inbox")["review"]] == ["Clocks drift"]


def test_a_remote_and_a_machine_name_take_effect_without_a_restart(
    dashboard: Dashboard, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(dashboard.store.root))
    monkeypatch.delenv("ANAMNESIS_GIT_REMOTE")
    monkeypatch.delenv("ANAMNESIS_MACHINE_ID")
    assert dashboard.get("/api/machines")["sync"]["remote"] is None
    assert dashboard.send("PUT", "/api/settings/remote", {"value": str(remote)}).status == 200
    assert dashboard.get("/api/machines")["sync"]["remote"] == str(remote)
    dashboard.send("PUT", "/api/settings/machine_id", {"value": "attic"})
    dashboard.put("N1", "One")
    dashboard.send("POST", "/api/sync", {})
    assert [card["name"] for card in dashboard.get("/api/machines")["machines"]] == ["attic"]
    dashboard.send("PUT", "/api/settings/remote", {"value": None})
    assert dashboard.get("/api/machines")["sync"]["remote"] is None
