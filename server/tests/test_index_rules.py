"""Rules are read from the index as lines, without reading notes."""

from __future__ import annotations

from anamnesis.index.candidates import Rule, read_rules
from anamnesis.store import MemoryStore

SESSION = {"type": "episodic", "prov_source": "session-end", "title": "Work on the shop"}
BODY = (
    "Did things.\n\n**Rules:**\n- Always run `make lint`\n- Never   push on Friday\n\n"
    "**Outcome:** done\n- no rule"
)


def lines(store: MemoryStore, *projects: str, limit: int = 50) -> list[str]:
    return [rule.line for rule in store.ask(lambda db: read_rules(db, projects, limit=limit))]


def test_the_rules_of_every_session_and_of_tagged_notes_are_stored_as_lines(store: MemoryStore) -> None:
    session = store.write(**SESSION, body=BODY, project="shop")  # type: ignore[arg-type]
    store.write(type="semantic", title="Tabs", body="Indent with tabs.", tags=["rule"], project="global")
    store.write(
        type="semantic", title="Spaces", body="x", tags=["rule"], prov_source="import", project="shop"
    )
    store.write(type="semantic", title="No session", body=BODY, project="shop")
    expected = ["Always run `make lint`", "Never push on Friday"]
    for _ in range(2):
        assert lines(store, "shop") == expected
        assert lines(store, "shop", limit=1) == expected[:1]
        assert lines(store, "global") == ["Indent with tabs."]
        store.reindex(full=True)
    (rule, _) = store.ask(lambda db: read_rules(db, ["shop"], limit=9))
    assert rule == Rule(
        session.id, expected[0], session.updated_at, "shop", "session-end", "", "Work on the shop"
    )


def test_the_rules_follow_their_note(store: MemoryStore) -> None:
    session = store.write(**SESSION, body=BODY, project="shop")  # type: ignore[arg-type]
    store.update(session.id, body="**Rules (as stated):**\n- Only this")
    assert lines(store, "shop") == ["Only this"]
    newer = store.write(type="semantic", title="New", body="", supersedes=session.id, project="shop")
    assert lines(store, "shop") == []
    store.delete(newer.id)
    store.update(session.id, project="depot")
    assert (lines(store, "shop"), lines(store, "depot")) == ([], ["Only this"])
    store.delete(session.id)
    assert lines(store, "depot") == []
