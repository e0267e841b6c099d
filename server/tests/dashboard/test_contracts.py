"""The golden responses of the API under `contracts/`; its description and the pages' types are made of them.

    ANAMNESIS_WRITE_CONTRACTS=1 pytest tests/dashboard/test_contracts.py      rewrites them

Values that differ from run to run (folders, commits, times) are replaced before comparing.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from anamnesis.dashboard import upkeep
from anamnesis.dashboard.routes import ROWS, api_routes
from anamnesis.inject import start
from anamnesis.session.receipts import add_entry, count_use
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import DAWN, Dashboard, Json
from fake_model import FakeModel, answer

CONTRACTS = Path(__file__).parents[3] / "contracts"
WRITING = os.environ.get("ANAMNESIS_WRITE_CONTRACTS") == "1"  # read before the fixtures clear the environment

READ = {
    "overview": "/api/overview",
    "status": "/api/status",
    "facets": "/api/facets",
    "notes": "/api/notes?limit=2",
    "notes-found": "/api/notes?q=rebase+rwa",
    "selection": "/api/selection?project=shop",
    "note": "/api/notes/N2",
    "note-waiting": "/api/notes/N8",
    "note-links": "/api/notes/D1/links",
    "note-history": "/api/notes/N1/history",
    "inbox": "/api/inbox",
    "duplicates": "/api/duplicates",
    "activity": "/api/activity",
    "session": "/api/sessions/s-1",
    "session-open": "/api/sessions/s-2",
    "projects": "/api/projects",
    "project": "/api/project?key=shop",
    "machines": "/api/machines",
    "health": "/api/health",
    "settings": "/api/settings",
    "error": "/api/notes/nobody",
}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def filled(
    dashboard: Dashboard, tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch, in_utc: None
) -> Dashboard:
    """A dashboard with superseded, held, unreviewed and unreadable notes."""
    monkeypatch.setattr(upkeep, "_now", lambda: datetime(2026, 1, 14, tzinfo=UTC))
    dashboard.put(
        "N1", "Webhooks", body="The signature covers the raw body.", tags=["security"], project="shop"
    )
    dashboard.put("N2", "Webhooks, again", body="See [[Clash]].", supersedes="N1", project="shop")
    dashboard.put("N3", "Reflected", prov_source="reflection", prov_model="local/small", confidence=0.6)
    dashboard.put("N4", "Clash", type="procedural", body="one line")
    dashboard.put("N6", "Gone", body="deleted later")
    dashboard.backend.commit()
    dashboard.store.delete("N6")
    monkeypatch.setattr(start, "latest_moment", lambda: "2026-01-14T00:00:00+00:00")
    dashboard.put(
        "N5",
        "Fixed the webhooks",
        type="episodic",
        prov_source="session-end",
        prov_session="s-1",
        project="shop",
        body="It was the raw body.\n\n**Rules:**\n- Never push to main.\n",
    )
    dashboard.put("N7", "Deploy by hand", body="Ask the operator.", tags=["deploy"])
    dashboard.put("N8", "Registry", body="The mirror is slow.")
    dashboard.put("N0", "Registry, again", body="See [[Rebase before a push]].", supersedes="N8")
    dashboard.put("N9", "Broken by hand")
    long = "Rebase a branch on main before you push it, never merge main into the branch, so it stays linear"
    dashboard.put("D1", "Rebase before a push", body=f"{long}: [[Registry, again]].")
    dashboard.put("D2", "Rebase before a push", body=f"{long}: [[Registry, again]]!")
    home = str(dashboard.store.root)
    told = {
        "source": "startup",
        "project": "shop",
        "folder": "/nowhere",
        "characters": 1200,
        "milliseconds": 7,
    }
    shown = {"full": [["N2", DAWN]], "cut": [["N1", DAWN]], "titles": ["GONE", "N3"]}
    shown |= {"left_out": {"N4": "room"}, "why": {"N2": ["basic"]}}
    add_entry(home, "s-1", "told", rules=2, **told, **shown)
    add_entry(home, "s-1", "searched", query="raw body", ids=[["N1", DAWN]])
    add_entry(home, "s-1", "wrote", ids=["N2"])
    add_entry(home, "s-2", "told", **told, **shown)
    dashboard.backend.sync()
    with MemoryStore(tmp_path / "laptop") as store:
        backend = GitSyncBackend(
            store.memory_dir, remote=str(remote), machine_id="lap", timeout=600, heartbeat=True
        )
        backend.sync()
        store.reindex()
        later = "2026-01-06T10:00:00+00:00"
        store.update("N4", body="their line", updated_at=later)
        store.update("N1", body="The signature covers the raw body, not the JSON.", updated_at=later)
        backend.sync()
    dashboard.store.update("N4", body="my line", updated_at="2026-01-06T11:00:00+00:00")
    dashboard.backend.sync()
    dashboard.store.reindex()
    (dashboard.store.memory_dir / "semantic" / "bad.md").write_text("no front matter")
    (dashboard.store.memory_dir / "semantic" / "N9.md").write_text("no front matter either")
    waiting = dashboard.store.memory_dir / "semantic" / "N8.md"
    waiting.write_text(waiting.read_text() + f"the token is {TOKEN}\n")
    for _ in range(10):
        count_use(home, "desk", told=["N7"], used=[])
    return dashboard


def test_every_get_response_matches_its_contract(filled: Dashboard) -> None:
    answers = {name: filled.ask("GET", path).json for name, path in READ.items()}
    # The other checks depend on this machine: its git, its home, its client.
    answers["health"]["checks"] = [one for one in answers["health"]["checks"] if one["name"] == "files"]
    # What happens within a second has no order.
    answers["activity"]["events"].sort(key=lambda one: (one["kind"], one["id"], str(one["session"])))
    answers["project"]["sessions"].sort(key=lambda one: one["id"])
    versions = answers["note-history"]["versions"]
    span = f"from={versions[-1]['commit']}&to={versions[0]['commit']}"
    answers["note-diff"] = filled.get(f"/api/notes/N1/diff?{span}")
    compare(filled, answers)


def test_every_write_response_matches_its_contract(
    filled: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled_note = filled.send("POST", "/api/conflicts/N4", {"choice": "mine", "text": None})
    rule = filled.send("POST", "/api/rules", {"note_id": "N5", "line": "Never push to main.", "keep": True})
    indexed = filled.send("POST", "/api/reindex", {})
    sync = filled.send("POST", "/api/sync", {})
    answers = {
        "done": filled.send("DELETE", "/api/notes/N3", {"base": None}).json,
        "settled": settled_note.json,
        "reindexed": indexed.json,
        "sync-result": sync.json,
        "rule-settled": {**rule.json, "written": "R1"},
        "fixed": filled.send("POST", "/api/health/fix", {"name": "history"}).json,
        "changed": filled.send(
            "POST", "/api/selection", {"ids": ["N1", "gone"], "act": "tag", "value": "kept"}
        ).json,
        "reflection": _reflect(filled, monkeypatch),
    }
    compare(filled, answers)


def test_every_response_of_the_api_has_its_contract_and_no_contract_is_unused() -> None:
    # What is not the first answer of a route: other states, errors, and the events of a sync.
    further = {
        "notes-found",
        "note-waiting",
        "session-open",
        "error",
    }
    golden = {path.stem for path in CONTRACTS.glob("*.json")} - {"openapi"}
    assert golden == {row.answer for row in ROWS} | further


def _reflect(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> Json:
    for number in range(5):
        dashboard.put(f"S{number}", "Session", type="episodic", prov_source="session-end", project="shop")
    lesson = {"type": "semantic", "title": "Clocks drift", "body": "Freeze.", "tags": [], "supersedes": []}
    with FakeModel([answer(json.dumps({"notes": [lesson]}))]) as model:
        model.configure(monkeypatch)
        return dashboard.send("POST", "/api/reflect", {"apply": False}).json


def compare(dashboard: Dashboard, answers: dict[str, Json]) -> None:
    """Compare the responses with the golden ones, or write those if asked to."""
    for name, found in answers.items():
        text = settled(json.dumps(found, indent=2, ensure_ascii=False) + "\n", dashboard)
        path = CONTRACTS / f"{name}.json"
        if WRITING:
            CONTRACTS.mkdir(exist_ok=True)
            path.write_text(text)
        assert text == path.read_text(), f"{name}: the API no longer answers as contracts/{name}.json says"


def settled(text: str, dashboard: Dashboard) -> str:
    """A response without the values that differ from run to run."""
    text = text.replace(str(dashboard.store.root), "/home/you/.anamnesis")
    text = text.replace(str(dashboard.backend.remote), "you@host:anamnesis-memory.git")
    text = re.sub(r"/[^\s\"]*/(?:home|pytest-)[^\s\"]*", "/home/you", text)
    text = re.sub(r"(?!2026-01-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "2026-02-01T12:00:00+00:00", text)
    text = re.sub(r"(?!2026-01-)\d{4}-\d\d-\d\d \d\d:\d\d", "2026-02-01 12:00", text)
    commits = dict.fromkeys(re.findall(r"\"([0-9a-f]{40})\"", text))
    for number, commit in enumerate(commits, start=1):
        text = text.replace(commit, f"{number:040x}")
    return re.sub(r"(\"head\": )\"[0-9a-f]{7}\"", r'\1"0000001"', text)


def test_the_description_has_every_route_of_the_application() -> None:
    described = json.loads((CONTRACTS / "openapi.json").read_text())["paths"]
    routed = {
        (method.lower(), route.path.replace(":path", ""))
        for route in api_routes()
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(method, path) for path, methods in described.items() for method in methods} == routed
