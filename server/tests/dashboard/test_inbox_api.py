"""The inbox over HTTP: what waits for a person, and every choice that settles it."""

from __future__ import annotations

import pytest

from anamnesis.session.receipts import count_use
from dashboard_server import Dashboard, Json

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = {"type": "episodic", "prov_source": "session-end", "prov_session": "s-1", "project": "shop"}


def counts(dashboard: Dashboard) -> Json:
    inbox = dashboard.get("/api/inbox")
    found = {kind: number for kind, number in inbox["counts"].items() if number}
    assert all(len(inbox[kind]) == number for kind, number in found.items())
    cheap = sum(number for kind, number in found.items() if kind != "unused")
    assert dashboard.get("/api/status")["waiting"] == cheap
    return found


def test_unreviewed_notes_wait_until_they_are_kept(dashboard: Dashboard) -> None:
    dashboard.put("N2", "Reflected", prov_source="reflection", confidence=0.6)
    dashboard.put("N3", "Imported", prov_source="import", tags=["reviewed"])
    dashboard.put("N4", "Replaced", prov_source="import")
    dashboard.put("N5", "Newer", supersedes="N4")
    dashboard.put("N6", "Only found", prov_source="import", tags=["reference"])
    assert counts(dashboard) == {"review": 1}
    dashboard.send("POST", "/api/selection", {"ids": ["N2"], "act": "keep", "value": None})
    assert counts(dashboard) == {}


def test_a_waiting_credential_is_named_and_can_be_allowed(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Registry")
    path = dashboard.store.path_of("N1")
    assert path is not None
    path.write_text(f"{path.read_text()}the token is {TOKEN}\n")
    dashboard.backend.commit()
    (found,) = dashboard.get("/api/inbox")["credentials"]
    assert (found["id"], found["is_note"], found["kind"]) == ("N1", True, "github-token")
    assert TOKEN not in str(dashboard.get("/api/inbox"))
    assert counts(dashboard) == {"credentials": 1}
    assert dashboard.send("POST", "/api/credentials", {"id": "N1"}).json == {"done": True}
    assert counts(dashboard) == {}


def test_an_unreadable_file_says_whether_an_earlier_version_can_be_read(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Fine once", body="fine")
    path = dashboard.store.path_of("N1")
    assert path is not None
    path.with_name("odd.md").write_text("never a note")
    dashboard.backend.commit()
    path.write_text("oops")
    files = {each["path"]: (each["id"], each["title"]) for each in dashboard.get("/api/inbox")["unreadable"]}
    assert files == {"memory/semantic/N1.md": ("N1", "Fine once"), "memory/semantic/odd.md": ("", "")}
    assert counts(dashboard) == {"unreadable": 2}
    restored = dashboard.send("POST", "/api/notes/N1/restore", {"base": None})
    assert restored.json.get("body") == "fine", restored.text
    assert counts(dashboard) == {"unreadable": 1}
    kept = [file.read_text() for file in (dashboard.store.root / "undo").rglob("*") if file.is_file()]
    assert "oops" in kept


@pytest.mark.parametrize("keep", [True, False])
def test_a_rule_that_a_session_stated_is_kept_or_dropped_and_that_can_be_undone(
    dashboard: Dashboard, keep: bool
) -> None:
    body = "It was the cache.\n\n**Rules:**\n- Never push to main.\n- Use pnpm.\n\nThe end."
    dashboard.put("N1", "A session", body=body, **SESSION)
    assert [each["line"] for each in dashboard.get("/api/inbox")["rules"]] == [
        "Never push to main.",
        "Use pnpm.",
    ]
    call = {"note_id": "N1", "line": "Never push to main.", "keep": keep}
    done = dashboard.send("POST", "/api/rules", call).json
    assert [each["line"] for each in dashboard.get("/api/inbox")["rules"]] == ["Use pnpm."]
    if keep:
        rule = dashboard.get(f"/api/notes/{done['written']}")
        assert (rule["body"], rule["tags"], rule["project"]) == ("Never push to main.", ["rule"], "shop")
    assert dashboard.send("POST", "/api/rules", call).status == 400
    dashboard.send("POST", "/api/rules", {**call, "line": "Use pnpm.", "keep": False})
    assert "- ~~Use pnpm.~~ (dropped)\n\nThe end." in dashboard.get("/api/notes/N1")["body"]
    back = dashboard.send("POST", "/api/notes/N1/restore", {"text": done["undo"], "base": None})
    assert back.json["body"] == body


@pytest.mark.parametrize("keep", [True, False])
def test_a_rule_that_a_model_noted_is_kept_or_is_a_rule_no_longer(dashboard: Dashboard, keep: bool) -> None:
    dashboard.put("N1", "Use pnpm", project="shop", tags=["rule"], prov_model="claude")
    assert counts(dashboard) == {"rules": 1}
    done = dashboard.send("POST", "/api/rules", {"note_id": "N1", "line": "x", "keep": keep}).json
    assert counts(dashboard) == {}
    assert dashboard.get("/api/notes/N1")["tags"] == (["rule", "reviewed"] if keep else [])
    dashboard.send("POST", "/api/notes/N1/restore", {"text": done["undo"], "base": None})
    assert counts(dashboard) == {"rules": 1}


def test_duplicates_are_merged_and_deleting_the_merged_note_brings_them_back(dashboard: Dashboard) -> None:
    same = "Rebase a branch on main before you push it, never merge main into the branch, so it stays linear"
    dashboard.put("N1", "Rebase before a push", body=f"{same}.")
    dashboard.put("N2", "Rebase before a push", body=f"{same}!")
    dashboard.put("N4", "Titled one way", body="One text.")
    dashboard.put("N5", "Or in 2 ways", body="One text.")
    group, twins = dashboard.get("/api/duplicates")["groups"]
    assert sorted(note["id"] for note in twins["notes"]) == ["N4", "N5"]
    assert sorted(note["id"] for note in group["notes"]) == ["N1", "N2"]
    assert dashboard.send("POST", "/api/duplicates", {"ids": ["N1", "N4"]}).status == 400
    merged = dashboard.send("POST", "/api/duplicates", {"ids": ["N1", "N2"]}).json
    assert sorted(note["id"] for note in merged["replaces"]) == ["N1", "N2"]
    dashboard.send("POST", "/api/duplicates", {"ids": ["N4", "N5"]})
    assert dashboard.get("/api/notes")["total"] == 2
    assert dashboard.get("/api/duplicates")["groups"] == []
    dashboard.send("DELETE", f"/api/notes/{merged['id']}", {"base": None})
    assert dashboard.get("/api/notes")["total"] == 3


def test_a_note_told_often_and_never_used_waits_for_a_decision(dashboard: Dashboard) -> None:
    dashboard.put("N1", "Told in vain")
    for _ in range(10):
        count_use(str(dashboard.store.root), "desk", told=["N1"], used=[])
    assert counts(dashboard) == {"unused": 1}
    (note,) = dashboard.get("/api/inbox")["unused"]
    assert (note["title"], note["told"]) == ("Told in vain", 10)
    dashboard.send("POST", "/api/selection", {"ids": ["N1"], "act": "tag", "value": "reference"})
    assert counts(dashboard) == {}
