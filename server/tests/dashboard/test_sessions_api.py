"""Sessions, the preview of what the next one is told, and the page of a project, over HTTP."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anamnesis.inject.start import Start, start_session
from anamnesis.operations.curation import write_alias
from anamnesis.session.receipts import add_entry
from anamnesis.state import Captured, save
from dashboard_server import DAWN, Dashboard, Json


def told(dashboard: Dashboard, session: str, **fields: object) -> None:
    known: dict[str, object] = {
        "project": "shop",
        "folder": "/nowhere",
        "characters": 900,
        "source": "startup",
    }
    add_entry(str(dashboard.store.root), session, "told", **(known | fields))


def capture(dashboard: Dashboard, note_id: str, session: str, **fields: object) -> None:
    made: dict[str, object] = {"type": "episodic", "prov_source": "session-end", "prov_session": session}
    dashboard.put(note_id, f"About {session}", **(made | fields))


def ids(answer: Json) -> list[str]:
    return [each["id"] for each in answer["sessions"]]


def test_sessions_come_from_receipts_and_notes_of_any_machine_latest_first(dashboard: Dashboard) -> None:
    capture(dashboard, "N1", "old", machine_id="lap", updated_at="2026-01-01T00:00:00+00:00")
    capture(dashboard, "N2", "newer", project="shop", tags=["scripted"])
    told(dashboard, "now", full=[["N1", DAWN]], cut=[["N2", DAWN]])
    answer = dashboard.get("/api/sessions")
    assert (ids(answer), answer["total"]) == (["now", "newer", "old"], 3)
    now, newer, old = answer["sessions"]
    assert (now["state"], now["told"], now["characters"], now["note"]) == ("open", 2, 900, None)
    assert (newer["note"], newer["scripted"], newer["told"]) == (
        {"id": "N2", "title": "About newer"},
        True,
        None,
    )
    assert (old["machine_id"], old["characters"]) == ("lap", None)
    assert ids(dashboard.get("/api/sessions?project=shop")) == ["now", "newer"]


def test_sessions_are_paged(dashboard: Dashboard) -> None:
    for number in range(5):
        capture(dashboard, f"N{number}", f"s{number}", updated_at=f"2026-01-0{number + 1}T00:00:00+00:00")
    first = dashboard.get("/api/sessions?limit=3")
    second = dashboard.get(f"/api/sessions?limit=3&offset={first['next']}")
    assert ids(first) + ids(second) == ["s4", "s3", "s2", "s1", "s0"]
    assert second["next"] is None


def test_a_session_shows_what_it_was_told_searched_for_wrote_and_left(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Known")
    capture(dashboard, "N2", "s-1")
    left_out = {"A": "room", "B": "worth", "C": "worth"}
    told(dashboard, "s-1", full=[["N1", DAWN]], titles=["GONE"], left_out=left_out, milliseconds=4)
    home = str(dashboard.store.root)
    add_entry(home, "s-1", "searched", query="walrus", ids=[["N1", DAWN]])
    add_entry(home, "s-1", "wrote", ids=["N1"])
    answer = dashboard.get("/api/sessions/s-1")
    first, searched, wrote = answer["entries"]
    assert first["full"] == [{"id": "N1", "type": "semantic", "title": "Known"}]
    assert first["titles"] == [{"id": "GONE", "type": None, "title": ""}]
    assert (first["no_room"], first["little_worth"], first["characters"]) == (1, 2, 900)
    assert (searched["query"], searched["ids"][0]["title"], wrote["kind"]) == ("walrus", "Known", "wrote")
    assert [note["id"] for note in answer["left"]] == ["N2"]
    assert (answer["state"], answer["wrote"], answer["searched"]) == ("captured", 1, 1)


def test_a_session_without_a_note_says_so(dashboard: Dashboard) -> None:
    told(dashboard, "s-1")
    save(dashboard.store.root, Captured("s-1", "/t.jsonl", 1, 1, "trivial", "", DAWN))
    assert dashboard.get("/api/sessions/s-1")["state"] == "trivial"


@pytest.mark.parametrize("name", ["nobody", "..%2f..%2fconfig", "a%20b", "'--"])
def test_an_unknown_session_is_a_404(dashboard: Dashboard, name: str) -> None:
    assert dashboard.ask("GET", f"/api/sessions/{name}").status == 404


def test_the_preview_equals_the_injection_and_leaves_no_receipt(
    dashboard: Dashboard,
) -> None:
    dashboard.put("N1", "How to run the tests", type="procedural", project="shop", body="Run `make test`.")
    dashboard.put("N2", "Another project", project="other")
    dashboard.put("N3", "Old session", type="episodic", project="shop")
    answer = dashboard.get("/api/preview?project=shop")
    assert (
        answer["text"]
        == start_session(Start(home=str(dashboard.store.root), folder="/", project="shop")).text
    )
    assert answer["characters"] <= answer["budget"]
    notes = {note["id"]: note for note in answer["notes"]}
    assert notes.keys() == {"N1", "N3"}
    assert notes["N1"]["how"] == "full"
    assert notes["N1"]["parts"]["basic"] > 0
    assert dashboard.get("/api/sessions")["total"] == 0


def test_the_preview_includes_notes_left_out_for_room_or_worth(dashboard: Dashboard) -> None:
    for number in range(60):
        dashboard.put(f"N{number:02}", f"How to build part {number}", project="shop", body="long line\n" * 90)
    hows = [note["how"] for note in dashboard.get("/api/preview?project=shop")["notes"]]
    assert set(hows) == {"full", "cut", "title", "room"} or set(hows) == {"full", "title", "room"}
    assert len(hows) == 60


def test_the_preview_uses_the_branch_of_the_projects_last_folder(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "feat/vouchers", tmp_path / "work"], check=True)
    told(dashboard, "s-1", folder=str(tmp_path / "work"))
    dashboard.put("N1", "feat/vouchers: rules", project="shop")
    dashboard.put("N2", "feat/refunds: rules", project="shop")
    answer = dashboard.get("/api/preview?project=shop")
    assert answer["branch"] == "feat/vouchers"
    assert [note["id"] for note in answer["notes"]] == ["N1", "N2"]
    assert "branch" in answer["notes"][0]["parts"]


def test_a_project_shows_its_fundamentals_sessions_reviews_size_and_use(dashboard: Dashboard) -> None:
    dashboard.put("N1", "How to run the tests", type="procedural", project="shop")
    dashboard.put("N0", "Lunch on Thursday", project="shop")
    dashboard.put("N2", "Lunch on Friday", project="shop", supersedes="N0")
    dashboard.put("N3", "Chosen", project="shop", tags=["pinned"])
    dashboard.put("N4", "Drawn by a model", project="shop", prov_source="reflection")
    dashboard.put("N5", "Elsewhere: how to test", project="global")
    capture(dashboard, "N6", "s-1", project="shop", machine_id="lap")
    told(dashboard, "s-1", characters=700)
    told(dashboard, "s-2", characters=300)
    answer = dashboard.get("/api/project?key=shop")
    assert [note["id"] for note in answer["fundamentals"]] == ["N3", "N1"]
    assert ids(answer) == ["s-2", "s-1"]
    assert ([note["id"] for note in answer["reviews"]], answer["review_count"]) == (["N4"], 1)
    assert (answer["total"], answer["by_machine"], answer["superseded"]) == (5, {"desk": 4, "lap": 1}, 1)
    assert answer["size"] > 100
    assert answer["use"] == {"sessions": 2, "characters": 500, "searches": 0, "written": 0}


def test_a_project_is_shown_with_the_notes_of_its_older_keys(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(dashboard.store.root))
    write_alias(dashboard.store.memory_dir, "shop-old", "shop")
    dashboard.put("N1", "Under the old key", project="shop-old")
    dashboard.put("N2", "Under the new key", project="shop")
    answer = dashboard.get("/api/project?key=shop")
    assert (answer["aliases"], answer["total"]) == (["shop-old"], 2)
    assert dashboard.ask("GET", "/api/project").status == 400
