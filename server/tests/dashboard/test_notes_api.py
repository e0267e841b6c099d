"""Notes over HTTP: find, read, write, edit a known version, supersede, delete."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.notes.record import deserialize
from dashboard_server import DAWN, Dashboard, Json

DRAFT = {
    "type": "procedural",
    "title": "Deploy",
    "body": "Push the button.",
    "project": "shop",
    "scope": "portable",
    "tags": ["deploy"],
}


def titles(answer: Json) -> list[str]:
    return [note["title"] for note in answer["notes"]]


@pytest.fixture
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of the project whose folder the dashboard runs in."""
    marker = tmp_path / "work" / ".anamnesis" / "project"
    marker.parent.mkdir(parents=True)
    marker.write_text("example.org/me/shop\n")
    monkeypatch.chdir(tmp_path / "work")
    return "example.org/me/shop"


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/notes"), ("PUT", "/api/notes/N1")],
)
def test_a_dot_writes_a_note_for_the_project_of_the_folder(
    dashboard: Dashboard, in_project: str, method: str, path: str
) -> None:
    dashboard.put("N1", "One")
    base = dashboard.get("/api/notes/N1")["version"]
    answer = dashboard.send(method, path, {**DRAFT, "project": ".", "base": base})
    assert answer.json["project"] == in_project


def test_a_list_is_paged_newest_first(dashboard: Dashboard) -> None:
    for day in range(1, 6):
        dashboard.put(f"N{day}", f"Day {day}", updated_at=f"2026-01-0{day}T00:00:00+00:00")
    first = dashboard.get("/api/notes?limit=3")
    assert (titles(first), first["total"], first["next"]) == (["Day 5", "Day 4", "Day 3"], 5, 3)
    last = dashboard.get("/api/notes?limit=3&offset=3")
    assert (titles(last), last["next"]) == (["Day 2", "Day 1"], None)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("type=procedural", ["Two"]),
        ("project=shop", ["Two"]),
        ("machine=lap", ["Three"]),
        ("tags=red", ["One"]),
        ("source=import", ["Three"]),
        ("scope=machine-local", ["One"]),
        ("q=about&machine=lap", ["Three"]),
        ("q=about&source=import&type=semantic", ["Three"]),
    ],
)
def test_every_filter_limits_the_list(dashboard: Dashboard, asked: str, expected: list[str]) -> None:
    dashboard.put("N1", "One", tags=["red"], scope="machine-local")
    dashboard.put("N2", "Two", type="procedural", project="shop")
    dashboard.put("N3", "Three", machine_id="lap", prov_source="import")
    assert titles(dashboard.get(f"/api/notes?{asked}")) == expected


def test_only_a_word_that_begins_no_word_of_a_note_is_unknown(dashboard: Dashboard) -> None:
    dashboard.put("N1", "The heating controller", body="It runs on Mondays.")
    assert dashboard.get("/api/notes?q=heat%20mon")["unknown"] == []
    unknown = dashboard.get("/api/notes?q=heating%20zebra%20giraffe")["unknown"]
    assert [each["word"] for each in unknown] == ["zebra", "giraffe"]


def test_a_written_note_is_a_file_stamped_with_this_machine(dashboard: Dashboard) -> None:
    answer = dashboard.send("POST", "/api/notes", {**DRAFT, "machine_id": "spoofed"})
    assert answer.status == 201
    text = (dashboard.store.root / str(answer.json["path"])).read_text()
    note = deserialize(text)
    assert (note.title, note.machine_id, note.prov_source) == ("Deploy", "desk", "human")


def test_a_stale_edit_is_refused(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Before")
    base = dashboard.get("/api/notes/N1")["version"]
    path = dashboard.store.path_of("N1")
    assert path is not None
    path.write_text(path.read_text().replace("About Before.", "Changed by hand."))
    answer = dashboard.send("PUT", "/api/notes/N1", {**DRAFT, "base": base})
    assert answer.status == 409
    assert "Changed by hand." in path.read_text()


def test_an_edit_without_a_base_is_refused(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Before")
    assert dashboard.send("PUT", "/api/notes/N1", DRAFT).status == 400
    assert dashboard.get("/api/notes/N1")["title"] == "Before"


def test_a_deleted_note_is_gone_and_a_changed_one_is_not_deleted(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    assert dashboard.send("DELETE", "/api/notes/N1", {"base": "0" * 16}).status == 409
    base = dashboard.get("/api/notes/N1")["version"]
    assert dashboard.send("DELETE", "/api/notes/N1", {"base": base}).status == 200
    assert dashboard.ask("GET", "/api/notes/N1").status == 404


@pytest.mark.parametrize(
    "note_id", ["..", "../../etc/passwd", "..%2F..%2Fetc%2Fpasswd", "a%00b", "%2e%2e", "x" * 400]
)
@pytest.mark.parametrize("rest", ["", "/history"])
def test_an_id_that_could_be_a_path_is_refused(dashboard: Dashboard, note_id: str, rest: str) -> None:
    answer = dashboard.ask("GET", f"/api/notes/{note_id}{rest}")
    assert answer.status == 404
    assert "root:" not in answer.text


def change(dashboard: Dashboard, ids: list[str], act: str, value: str | None = None) -> Json:
    answer = dashboard.send("POST", "/api/selection", {"ids": ids, "act": act, "value": value})
    assert answer.status == 200, answer.text
    return answer.json


def listed(dashboard: Dashboard, asked: str) -> list[str]:
    return [note["id"] for note in dashboard.get(f"/api/notes?{asked}")["notes"]]


def fill(dashboard: Dashboard) -> None:
    for number, title in enumerate(("beta", "Alpha", "gamma"), start=1):
        moment = f"2026-01-0{number}T12:00:00+00:00"
        dashboard.put(f"N{number}", title, body="walrus", updated_at=moment, created_at=DAWN, tags=["old"])


@pytest.mark.parametrize(
    ("act", "value", "field", "expected"),
    [
        ("tag", " new ", "tags", ["old", "new"]),
        ("untag", "old", "tags", []),
        ("type", "procedural", "type", "procedural"),
        ("project", "shop", "project", "shop"),
        ("keep", None, "tags", ["old", "reviewed"]),
    ],
)
def test_many_notes_are_changed_at_once_and_keep_their_dates(
    dashboard: Dashboard, act: str, value: str | None, field: str, expected: object
) -> None:
    fill(dashboard)
    answer = change(dashboard, ["N1", "N2", "N2", "gone"], act, value)
    assert (answer["done"], [each["id"] for each in answer["failed"]]) == (2, ["gone"])
    for note_id in ("N1", "N2"):
        note = dashboard.get(f"/api/notes/{note_id}")
        assert (note[field], note["updated_at"][:7]) == (expected, "2026-01")
    assert dashboard.get("/api/notes/N3")["tags"] == ["old"]


@pytest.mark.parametrize(
    ("act", "value"),
    [("tag", ""), ("tag", "a,b"), ("tag", "a\nb"), ("project", ""), ("burn", "x")],
)
def test_an_invalid_change_is_refused_before_any_note_is_touched(
    dashboard: Dashboard, act: str, value: str
) -> None:
    fill(dashboard)
    before = dashboard.store.list()
    answer = dashboard.send("POST", "/api/selection", {"ids": ["N1"], "act": act, "value": value})
    assert answer.status == 400
    assert dashboard.store.list() == before


def test_tags_are_renamed_and_merged_in_every_note(dashboard: Dashboard) -> None:
    fill(dashboard)
    dashboard.put("N4", "Both", tags=["ancient", "kept", "old"])
    answer = dashboard.send("POST", "/api/tags", {"names": ["old", "ancient"], "to": "kept"}).json
    assert answer["done"] == 4
    assert dashboard.get("/api/notes/N4")["tags"] == ["kept"]
    assert dashboard.get("/api/facets")["tags"] == [{"name": "kept", "count": 4}]
    assert dashboard.send("POST", "/api/tags", {"names": ["kept"], "to": "kept"}).status == 400


@pytest.mark.parametrize(
    ("act", "value"),
    [("tag", "chosen"), ("type", "procedural"), ("project", "shop"), ("keep", ""), ("delete", "")],
)
def test_a_bulk_change_can_be_undone_note_by_note(dashboard: Dashboard, act: str, value: str) -> None:
    for name in ("R1", "R2"):
        dashboard.put(name, f"Lesson {name}", prov_source="reflection", confidence=0.6)
    before = {name: dashboard.get(f"/api/notes/{name}") for name in ("R1", "R2")}
    answer = dashboard.send("POST", "/api/selection", {"ids": ["R1", "R2"], "act": act, "value": value}).json
    assert answer["done"] == 2
    for name, text in answer["undo"].items():
        call = {"base": None} if act == "delete" else {"text": text, "base": None}
        assert dashboard.send("POST", f"/api/notes/{name}/restore", call).status == 200
    for name, known in before.items():
        found = dashboard.get(f"/api/notes/{name}")
        for field in ("type", "title", "body", "project", "tags", "confidence"):
            assert found[field] == known[field]
