"""Overview, review, doctor, settings, index and reflection over HTTP."""

from __future__ import annotations

import json
import time
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest

from anamnesis.dashboard.api.overview import growth
from anamnesis.dashboard.workspace import CHECK_SECONDS
from anamnesis.index.figures import Created
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from dashboard_server import Dashboard, Json
from fake_model import FakeModel, answer


def test_an_empty_store_has_an_overview(dashboard: Dashboard) -> None:
    known = dashboard.get("/api/overview")
    assert (known["total"], known["recent"], known["problems"]) == (0, [], [])


def test_the_overview_lists_unreadable_files(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Good")
    (dashboard.store.memory_dir / "semantic" / "bad.md").write_text("no front matter")
    (problem,) = dashboard.get("/api/overview")["problems"]
    assert problem["path"] == "memory/semantic/bad.md"


def test_growth_counts_by_week_and_type_and_ends_with_this_week() -> None:
    days = [
        Created(date(2026, 1, 5), "semantic", 1, 0),
        Created(date(2026, 1, 11), "episodic", 2, 0),
        Created(date(2026, 1, 12), "episodic", 1, 0),
        Created(date(2031, 1, 1), "episodic", 1, 0),
    ]
    *_, before, now = growth(days, today=date(2026, 1, 14))
    assert before == {"week": "2026-01-05", "procedural": 0, "semantic": 1, "episodic": 2}
    assert now == {"week": "2026-01-12", "procedural": 0, "semantic": 0, "episodic": 1}


def test_the_status_of_every_page_counts_waiting_items(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Written by me")
    dashboard.put("N2", "Reflected", prov_source="reflection")
    status = dashboard.get("/api/status")
    assert (status["review"], status["held"]) == (1, 0)
    assert status["sync"] == dashboard.get("/api/overview")["sync"]


def test_a_long_review_queue_is_paged(dashboard: Dashboard) -> None:
    for number in range(5):
        dashboard.put(f"N{number}", "Reflected", prov_source="reflection", project="ab"[number % 2])
    first = dashboard.get("/api/review?limit=3")
    second = dashboard.get(f"/api/review?limit=3&offset={first['next']}")
    assert [note["id"] for page in (first, second) for note in page["notes"]] == [
        "N4",
        "N3",
        "N2",
        "N1",
        "N0",
    ]
    assert (first["total"], second["next"]) == (5, None)
    assert dashboard.get("/api/review?project=b")["total"] == 2


def test_the_slow_checks_are_requested_one_by_one(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Deploy", body="key AKIA" + "IOSFODNN7EXAMPLQ", scope="machine-local")
    answer = dashboard.get("/api/doctor")
    names = {one["name"] for one in answer["checks"]}
    assert "hooks" in names
    assert not names & set(answer["slow"])
    checks = {name: dashboard.get(f"/api/doctor/{quote(name)}")["check"] for name in answer["slow"]}
    assert {name: check["name"] for name, check in checks.items()} == {name: name for name in answer["slow"]}
    assert checks["secrets"]["state"] == "bad"
    dashboard.store.update("N1", body="the key is in the vault")
    assert dashboard.get("/api/doctor/secrets")["check"]["state"] == "ok"
    assert dashboard.ask("GET", "/api/doctor/nothing").status == 404


def test_review_lists_unreviewed_notes(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Written by me")
    dashboard.put("N2", "Reflected", prov_source="reflection", confidence=0.6)
    dashboard.put("N3", "Imported", prov_source="import", tags=["reviewed"])
    dashboard.put("N4", "Replaced", prov_source="import")
    dashboard.put("N5", "Newer", supersedes="N4")
    assert [note["id"] for note in dashboard.get("/api/review")["notes"]] == ["N2"]


def test_a_kept_note_leaves_the_queue_and_gets_full_confidence(dashboard: Dashboard) -> None:
    dashboard.put("N2", "Reflected", prov_source="reflection", confidence=0.6, tags=["a"])
    assert dashboard.send("POST", "/api/notes/N2/keep", {}).status == 200
    kept = dashboard.get("/api/notes/N2")
    assert (kept["confidence"], kept["tags"]) == (1.0, ["a", "reviewed"])
    assert dashboard.get("/api/review")["notes"] == []


def test_the_doctor_finds_and_repairs(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    dashboard.store.root.chmod(0o755)
    before = states(dashboard.get("/api/doctor"))
    assert before["permissions"] != "ok"
    answer = dashboard.send("POST", "/api/doctor/fix", {})
    assert states(answer.json)["permissions"] == "ok"
    assert answer.json["fixed"]


def states(answer: Json) -> dict[str, str]:
    return {check["name"]: check["state"] for check in answer["checks"]}


def test_the_index_is_rebuilt_on_request(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    assert dashboard.send("POST", "/api/reindex", {}).json == {"indexed": 1, "problems": []}


def test_a_setting_is_saved_shown_and_unset(dashboard: Dashboard) -> None:
    assert dashboard.send("PUT", "/api/settings/sync_timeout", {"value": "25"}).status == 200
    assert setting(dashboard, "sync_timeout") == ("25", "config.json")
    assert dashboard.send("DELETE", "/api/settings/sync_timeout", {}).status == 200
    assert setting(dashboard, "sync_timeout") == ("10", "default")


def setting(dashboard: Dashboard, name: str) -> tuple[str, str]:
    found = dashboard.get("/api/settings")["settings"]
    return next((one["value"], one["source"]) for one in found if one["name"] == name)


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
        ("home", "/"),
        ("remote", "a\nb"),
        ("remote", "ext::sh -c id"),
        ("remote", "--upload-pack=x"),
        ("remote", "gopher://ada:hunter2@host/x"),
    ],
)
def test_an_invalid_setting_is_refused(dashboard: Dashboard, name: str, value: str) -> None:
    answer = dashboard.send("PUT", f"/api/settings/{name}", {"value": value})
    assert answer.status == 400
    assert "hunter2" not in answer.text
    assert not (dashboard.store.root / "config.json").exists()


def test_reflection_without_a_model_says_what_to_set(dashboard: Dashboard) -> None:
    answer = dashboard.send("POST", "/api/reflect", {"apply": False})
    assert answer.status in (400, 502)
    assert "reflection" in str(answer.json["error"])


def test_reflection_proposes_first_and_writes_only_when_applied(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        dashboard.put(
            f"S{number}", f"Session {number}", type="episodic", prov_source="session-end", project="shop"
        )
    lesson = {
        "type": "semantic",
        "title": "Clocks drift",
        "body": "Freeze them first.",
        "tags": [],
        "supersedes": [],
    }
    with FakeModel([answer(json.dumps({"notes": [lesson]}))]) as model:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", model.url)
        proposed = dashboard.send("POST", "/api/reflect", {"apply": False})
        assert proposed.status == 200, proposed.text
        assert proposed.json["projects"][0]["notes"] == [{"type": "semantic", "title": "Clocks drift"}]
        assert dashboard.get("/api/review")["notes"] == []
        assert dashboard.send("POST", "/api/reflect", {"apply": True}).json["applied"] is True
        assert len(model.requests) == 1
    assert [note["title"] for note in dashboard.get("/api/review")["notes"]] == ["Clocks drift"]


def test_an_unknown_request_is_answered_in_json(dashboard: Dashboard) -> None:
    assert dashboard.ask("GET", "/api/nothing").json["code"] == "call"


def test_health_reports_a_credential_and_its_removal_without_a_doctor_run(dashboard: Dashboard) -> None:
    def _secrets() -> str:
        checks = dashboard.get("/api/health")["checks"]
        return next(str(check["state"]) for check in checks if check["name"] == "secrets")

    dashboard.put("N1", "Clean", body="nothing to see")
    assert _secrets() == "ok"
    dashboard.put("N2", "Leak", body="password=Tr0ub4dor-3xyz")
    time.sleep(CHECK_SECONDS)
    assert _secrets() == "bad"
    dashboard.store.delete("N2")
    time.sleep(CHECK_SECONDS)
    assert _secrets() == "ok"


def test_health_and_doctor_agree_on_shared_checks(dashboard: Dashboard) -> None:
    (dashboard.store.memory_dir / "semantic").mkdir(parents=True, exist_ok=True)
    (dashboard.store.memory_dir / "semantic" / "bad.md").write_text("no front matter")
    known = {check["name"]: check for check in dashboard.get("/api/doctor")["checks"]}
    known["secrets"] = dashboard.get("/api/doctor/secrets")["check"]
    for check in dashboard.get("/api/health")["checks"]:
        assert check == known[check["name"]]


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
    assert dashboard.get("/api/session")["machine_id"] == "attic"
    dashboard.put("N1", "One")
    dashboard.send("POST", "/api/sync", {})
    assert [card["machine_id"] for card in dashboard.get("/api/machines")["machines"]] == ["attic"]
    dashboard.send("DELETE", "/api/settings/remote", {})
    assert dashboard.get("/api/machines")["sync"]["remote"] is None


def test_every_page_counts_the_same_notes(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Old", project="shop", tags=["a"])
    dashboard.put("N2", "New", project="shop", supersedes="N1", tags=["a"])
    dashboard.put("N3", "Other")
    overview, facets = dashboard.get("/api/overview"), dashboard.get("/api/facets")
    listed = dashboard.get("/api/notes")["total"]
    assert (overview["total"], overview["superseded"], listed) == (2, 1, 2)
    assert overview["by_project"]["shop"] == dashboard.get("/api/notes?project=shop")["total"] == 1
    assert {"name": "shop", "count": 1} in facets["projects"]
    assert facets["tags"] == [{"name": "a", "count": dashboard.get("/api/notes?tag=a")["total"]}]
    assert sum(week[kind] for week in overview["growth"] for kind in overview["by_type"]) <= listed


def test_no_answer_is_stale_after_a_change(dashboard: Dashboard) -> None:
    def seen() -> tuple[object, ...]:
        tags = {each["name"]: each["count"] for each in dashboard.get("/api/facets")["tags"]}
        project = dashboard.get("/api/project?key=shop")
        return (
            dashboard.get("/api/status")["review"],
            dashboard.get("/api/overview")["total"],
            tags.get("sea", 0),
            project["total"],
            len(dashboard.get("/api/removed")["notes"]),
        )

    def write(store: MemoryStore, note_id: str) -> None:
        fields = {"tags": ["sea"], "project": "shop", "prov_source": "reflection"}
        store.put(Memory(id=note_id, type="semantic", title=note_id, body="x", machine_id="desk", **fields))  # type: ignore[arg-type]

    assert seen() == (0, 0, 0, 0, 0)
    for number in range(1, 4):
        write(dashboard.store, f"N{number}")
        assert seen() == (number, number, number, number, 0)
    with MemoryStore(dashboard.store.root) as other:  # as another process would
        write(other, "N4")
        assert seen() == (4, 4, 4, 4, 0)
    path = dashboard.store.path_of("N4")
    assert path is not None
    path.unlink()
    assert seen()[:4] == (3, 3, 3, 3)
    dashboard.send("DELETE", "/api/notes/N3", {"base": None})
    assert seen() == (2, 2, 2, 2, 1)
    dashboard.send("POST", "/api/notes/N2/keep", {})
    assert seen() == (1, 2, 2, 2, 1)
    assert dashboard.get("/api/status")["sync"]["ahead"] > 0
    dashboard.backend.sync()
    assert dashboard.get("/api/status")["sync"]["ahead"] == 0
