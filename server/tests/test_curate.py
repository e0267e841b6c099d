"""Curation: what each plan proposes, what applying it does, and what it never touches."""

from __future__ import annotations

import subprocess

import pytest

from anamnesis.curate import Plan, apply_plan, plan_backfill, plan_dedup, plan_merge
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend


def merge_plan(store: MemoryStore) -> Plan:
    return plan_merge(store, machine_id="desk")


def fact(store: MemoryStore, body: str, *, title: str = "Deploys", **fields: object) -> Memory:
    values = {"type": "semantic", "title": title, "body": body, "project": "shop", **fields}
    return store.write(**values)  # type: ignore[arg-type]  # the tests name fields of a note


def test_notes_with_the_same_words_are_merged_into_one(store: MemoryStore, backend: GitSyncBackend) -> None:
    old = fact(store, "Migrations run before the workers start.", tags=["a"])
    new = fact(store, "The migrations run before the worker starts up.", tags=["b"])
    apply_plan(store, backend, merge_plan(store))
    found = store.search("migrations workers")
    assert len(found) == 1
    assert set(found[0].supersedes.split()) == {old.id, new.id}
    assert set(found[0].tags) == {"a", "b"}
    assert len(store.list()) == 3


def test_a_merged_note_keeps_what_only_one_note_says(store: MemoryStore, backend: GitSyncBackend) -> None:
    common = "Deploys go through the queue, and every migration has to be finished by then.\n"
    fact(store, common + "Run `make deploy --fast`.")
    fact(store, common + "Run `make deploy fast`.")
    apply_plan(store, backend, merge_plan(store))
    body = store.search("deploys queue")[0].body
    assert "`make deploy --fast`" in body
    assert "`make deploy fast`" in body
    assert body.count("through the queue") == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The service listens on port 8080 behind the proxy.",
            "The service listens on port 8081 behind the proxy.",
        ),
        ("Run the migrations before the deploy.", "Run the migrations after the deploy."),
        ("Caching is enabled for the product pages.", "Caching is disabled for the product pages."),
    ],
)
def test_notes_that_differ_in_one_deciding_word_stay_apart(store: MemoryStore, one: str, other: str) -> None:
    fact(store, one)
    fact(store, other)
    assert merge_plan(store).steps == ()


def test_only_current_durable_notes_of_one_project_and_scope_are_merged(store: MemoryStore) -> None:
    body = "Migrations run before the workers start."
    first = fact(store, body)
    fact(store, body, project="other")
    fact(store, body, scope="machine-local")
    fact(store, body, type="procedural")
    fact(store, body, type="episodic")
    fact(store, body, type="episodic")
    replaced = fact(store, body)
    fact(store, "Something else altogether.", supersedes=replaced.id)
    assert merge_plan(store).steps == ()
    fact(store, body)
    assert merge_plan(store).steps[0].replaces[0].id == first.id


def test_identical_notes_are_deduplicated_into_the_earliest_with_all_tags(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    first = fact(store, "The same.", tags=["a"])
    second = fact(store, "The same.\n", tags=["b", "a"], title="Another title")
    apply_plan(store, backend, plan_dedup(store))
    assert [note.id for note in store.list()] == [first.id]
    assert set(store.list()[0].tags) == {"a", "b"}
    log = subprocess.run(
        ["git", "-C", str(store.memory_dir), "log", "--all", "--name-only", "--format="],
        capture_output=True,
        text=True,
    ).stdout
    assert f"semantic/{second.id}.md" in log, "what was deleted can be restored from history"


def test_notes_that_differ_in_project_scope_or_type_are_not_duplicates(store: MemoryStore) -> None:
    fact(store, "Same.")
    fact(store, "Same.", project="other")
    fact(store, "Same.", scope="machine-local")
    fact(store, "Same.", type="procedural")
    assert plan_dedup(store).steps == ()


def test_a_current_note_is_not_deduplicated_into_a_superseded_one(store: MemoryStore) -> None:
    old = fact(store, "Same.")
    fact(store, "Changed.", supersedes=old.id)
    fact(store, "Same.")
    assert plan_dedup(store).steps == ()


def test_what_a_duplicate_superseded_stays_superseded(store: MemoryStore, backend: GitSyncBackend) -> None:
    stale = fact(store, "Stale.")
    keeper = fact(store, "Same.")
    fact(store, "Same.", supersedes=stale.id)
    apply_plan(store, backend, plan_dedup(store))
    kept = store.get(keeper.id)
    assert kept is not None
    assert kept.supersedes == stale.id
    assert store.search("stale") == []


def hand_written(store: MemoryStore, name: str, front: str) -> None:
    folder = store.memory_dir / "episodic"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\nid: {name}\ntype: episodic\ntitle: t\n{front}---\nbody\n")


def test_a_missing_source_is_filled_in_from_captures_tags(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    hand_written(store, "one", "tags: [session, session-end]\nmood: kept\n")
    hand_written(store, "two", "tags: [mine]\n")
    done, _ = apply_plan(store, backend, plan_backfill(store, backend))
    assert [(step.note.id, dict(step.changes)["prov_source"]) for step in done] == [("one", "session-end")]
    assert "mood: kept" in (store.memory_dir / "episodic" / "one.md").read_text()


def test_an_unknown_machine_becomes_the_one_that_first_committed_the_note(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    note = fact(store, "x")
    known = fact(store, "y", machine_id="laptop")
    assert plan_backfill(store, backend).steps == (), "without a commit there is no evidence"
    backend.commit("first")
    apply_plan(store, backend, plan_backfill(store, backend))
    machines = {found.id: found.machine_id for found in store.list()}
    assert machines == {note.id: "desk", known.id: "laptop"}


def test_a_note_changed_since_the_plan_is_left_alone(store: MemoryStore, backend: GitSyncBackend) -> None:
    fact(store, "Same.")
    second = fact(store, "Same.")
    plan = plan_dedup(store)
    store.update(second.id, body="Edited in the meantime.")
    _, left = apply_plan(store, backend, plan)
    assert [step.note.id for step in left] == [second.id]
    assert store.get(second.id) is not None
