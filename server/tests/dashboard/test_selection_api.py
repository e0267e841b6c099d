"""Many notes at once: selected, changed, deleted; tags renamed and merged; lists sorted and dated."""

from __future__ import annotations

import pytest

from dashboard_server import DAWN, Dashboard, Json


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
