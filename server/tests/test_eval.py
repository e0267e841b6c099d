"""Measuring recall: the numbers, and cases that a model writes."""

from __future__ import annotations

import json

import pytest

from anamnesis.eval import EvalCase, build_eval_candidates, recall_at_k
from anamnesis.model import ModelClient, resolve_endpoint
from anamnesis.store import MemoryStore
from fake_model import Act, FakeModel, Request, answer, answer_with


def write(store: MemoryStore, title: str, body: str, **fields: str) -> str:
    return store.write(type="semantic", title=title, body=body, **fields).id  # type: ignore[arg-type]


def test_recall_counts_queries_with_a_right_note_among_the_first_k(store: MemoryStore) -> None:
    first = write(store, "Kettle", "kettle kettle kettle water")
    second = write(store, "Pot", "kettle among many other things that are kept in the kitchen for later use")
    cases = [
        EvalCase("kettle", (first,)),
        EvalCase("kettle", (second,)),
        EvalCase("zebra", (first,)),
        EvalCase("kettle", (first, second)),
    ]
    report = recall_at_k(store, cases)
    assert report.cases == 4
    assert report.recall == {1: 0.5, 3: 0.75, 5: 0.75, 8: 0.75}
    assert report.mrr == pytest.approx((1 + 0.5 + 0 + 1) / 4)


def test_a_note_that_supersedes_a_relevant_one_is_relevant(store: MemoryStore) -> None:
    old = write(store, "Kettle", "boils water")
    middle = write(store, "Kettle", "boils water slowly", supersedes=old)
    write(store, "Kettle", "boils water quickly", supersedes=middle)
    assert recall_at_k(store, [EvalCase("kettle", (old,))]).recall[1] == 1.0


def test_a_case_can_be_a_mapping_and_limited_to_a_project(store: MemoryStore) -> None:
    note = write(store, "Kettle", "boils", project="kitchen")
    case = {"query": "kettle", "relevant": [note], "project": "garage"}
    assert recall_at_k(store, [case]).recall[8] == 0.0
    assert recall_at_k(store, [{**case, "project": "kitchen"}]).recall[8] == 1.0


def paraphrase(request: Request) -> str:
    notes = json.loads(request.texts[1])["notes"]
    return json.dumps({"queries": [{"id": note["id"], "query": f"about {note['title']}?"} for note in notes]})


def candidates(
    store: MemoryStore, acts: list[Act], *, count: int = 50
) -> tuple[list[EvalCase], list[str], FakeModel]:
    with FakeModel(acts) as server, pytest.MonkeyPatch.context() as patch:
        server.configure(patch)
        client = ModelClient(resolve_endpoint(), root=store.root)
        cases, problems = build_eval_candidates(store, client, count=count)
    return cases, problems, server


def test_every_sampled_note_gets_one_query(store: MemoryStore) -> None:
    ids = {write(store, f"Note {number}", "text", project="p") for number in range(12)}
    old = write(store, "Old", "text")
    write(store, "Empty", "")
    ids.add(write(store, "New", "text", supersedes=old))
    cases, problems, server = candidates(store, [answer_with(paraphrase)])
    assert {case.relevant[0] for case in cases} == ids
    assert problems == []
    assert len(server.requests) == 2


def test_copied_titles_unknown_ids_and_malformed_entries_are_skipped(store: MemoryStore) -> None:
    note = write(store, "Kettle", "text")
    entries: list[object] = [
        {"id": note, "query": "kettle"},
        {"id": "other", "query": "x"},
        "x",
        {"id": note, "query": "a\x1b[2Jb"},
        {"id": note, "query": "what boils water"},
    ]
    cases, _, _ = candidates(store, [answer(json.dumps({"queries": entries}))])
    assert [case.query for case in cases] == ["what boils water"]
