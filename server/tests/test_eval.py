"""Measuring recall: the numbers, the files, the experiments."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from anamnesis.errors import AnamnesisError
from anamnesis.eval import RecallReport, build_eval_candidates, compare, find_sets, recall_at_k, run_bench
from anamnesis.eval.cases import EvalCase, read_cases, write_cases
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.store import MemoryStore
from fake_model import Act, FakeModel, Request, answer, answer_with, status


def write(store: MemoryStore, title: str, body: str, **fields: str) -> str:
    return store.write(type="semantic", title=title, body=body, **fields).id  # type: ignore[arg-type]


# -- the numbers ----------------------------------------------------------------------------------------


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
    assert report.ndcg == pytest.approx((1 + 1 / math.log2(3) + 0 + 1) / 4, abs=1e-4)
    assert 0 < report.p50_ms <= report.p95_ms


def test_hits_and_working_sets_are_measured_in_tokens(store: MemoryStore) -> None:
    note = write(store, "Kettle", "water " * 100)
    cases = [EvalCase("kettle", (note,)), EvalCase("kettle", (note,), "p"), EvalCase("water", (note,), "p")]
    report = recall_at_k(
        store, cases[:1], render=lambda _, project: {"global": "x" * 40, "p": "x" * 80}[project]
    )
    assert report.hit_tokens == round((len("Kettle") + 600) / 4)
    assert report.working_set_tokens == 10
    sized = recall_at_k(store, cases, render=lambda _, project: {"global": "x" * 40, "p": "x" * 80}[project])
    assert sized.working_set_tokens == 15
    assert recall_at_k(store, cases).working_set_tokens is None


def test_a_note_that_supersedes_a_relevant_one_is_relevant(store: MemoryStore) -> None:
    old = write(store, "Kettle", "boils water")
    middle = write(store, "Kettle", "boils water slowly", supersedes=old)
    write(store, "Kettle", "boils water quickly", supersedes=middle)
    assert recall_at_k(store, [EvalCase("kettle", (old,))]).recall[1] == 1.0


def test_notes_that_supersede_each_other_do_not_loop_forever(store: MemoryStore) -> None:
    old = write(store, "Kettle", "one")
    new = write(store, "Kettle", "two", supersedes=old)
    store.update(old, supersedes=new)
    assert recall_at_k(store, [EvalCase("kettle", (old,))]).recall[8] == 0.0


def test_a_case_can_be_a_mapping_and_limited_to_a_project(store: MemoryStore) -> None:
    note = write(store, "Kettle", "boils", project="kitchen")
    case = {"text": "kettle", "relevant": note, "project": "garage"}
    assert recall_at_k(store, [case]).recall[8] == 0.0
    assert recall_at_k(store, [{**case, "project": "kitchen"}]).recall[8] == 1.0


def test_without_cases_nothing_is_measured(store: MemoryStore) -> None:
    assert recall_at_k(store, []) == RecallReport(0, {1: 0.0, 3: 0.0, 5: 0.0, 8: 0.0}, 0.0, 0.0, 0.0, 0.0, 0)


# -- files of cases -------------------------------------------------------------------------------------


def test_cases_survive_the_round_trip_through_a_file(tmp_path: Path) -> None:
    cases = [EvalCase("où est la clé ?", ("a", "b"), "p"), EvalCase("x", ("c",))]
    write_cases(tmp_path / "cases.jsonl", cases)
    assert read_cases(tmp_path / "cases.jsonl") == cases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{half", "line 1: not JSON"),
        ("[]", "line 1: not a JSON object"),
        ('\n{"query": ""}', "line 2: it has no `query`"),
        ('{"query": "x", "relevant": []}', "`relevant` is not a list"),
        ('{"query": "x", "relevant": ["a"], "project": 3}', "`project` is not a string"),
        ("", "has no cases"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_an_invalid_line_is_reported(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "cases.jsonl").write_text(text)
    with pytest.raises(AnamnesisError, match=words):
        read_cases(tmp_path / "cases.jsonl")


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AnamnesisError, match=r"nowhere.jsonl: No such file"):
        read_cases(tmp_path / "nowhere.jsonl")


# -- bench ----------------------------------------------------------------------------------------------


def make_set(folder: Path) -> Path:
    folder.mkdir(parents=True)
    docs = [
        {"id": "conv/1:1", "title": "Kettle", "body": "boils water", "project": "kitchen"},
        {"id": "b2", "body": "mends the fence\nwith wire", "tags": ["garden"]},
    ]
    queries: list[dict[str, object]] = [
        {"id": "q1", "text": "boiling water", "relevant": ["conv/1:1"], "project": "kitchen"},
        {"id": "q2", "text": "garden fence", "relevant": ["b2"]},
        {"id": "q3", "text": "boiling water", "relevant": ["b2"], "project": "kitchen"},
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    return folder


def test_a_bench_accepts_ids_that_are_not_file_names(tmp_path: Path) -> None:
    report = run_bench(find_sets([make_set(tmp_path / "tiny")])[0])
    assert report.cases == 3
    assert report.recall[1] == pytest.approx(2 / 3, abs=1e-4)


def test_benchmark_sets_are_found_as_two_files_or_in_subfolders(tmp_path: Path) -> None:
    make_set(tmp_path / "sets" / "b")
    folder = make_set(tmp_path / "sets" / "a")
    assert [found.name for found in find_sets([tmp_path / "sets"])] == ["a", "b"]
    assert [found.name for found in find_sets([folder / "corpus.jsonl", folder / "queries.jsonl"])] == ["a"]
    with pytest.raises(AnamnesisError, match="name a folder with both"):
        find_sets([tmp_path])


def test_a_corpus_line_without_a_body_is_reported(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "tiny")
    (folder / "corpus.jsonl").write_text('{"id": "x"}\n')
    with pytest.raises(AnamnesisError, match=r"corpus.jsonl, line 1"):
        run_bench(find_sets([folder])[0])


# -- experiments ----------------------------------------------------------------------------------------


def test_an_experiment_changes_a_copy_not_the_store(store: MemoryStore) -> None:
    kept = write(store, "Kettle", "boils water")
    gone = write(store, "Kettle", "boils water")
    cases = [EvalCase("kettle", (gone,))]

    def collapse(copy: MemoryStore) -> dict[str, str]:
        copy.delete(gone)
        return {gone: kept}

    found = compare(store, cases, collapse)
    assert (found.notes_before, found.notes_after) == (2, 1)
    assert found.before.recall[8] == found.after.recall[8] == 1.0
    assert found.after.recall[1] == 1.0
    assert len(store.list()) == 2


def test_an_experiment_that_loses_a_note_shows_it(store: MemoryStore) -> None:
    note = write(store, "Kettle", "boils water")

    def lose(copy: MemoryStore) -> dict[str, str]:
        copy.delete(note)
        return {}

    assert compare(store, [EvalCase("kettle", (note,))], lose).after.recall[8] == 0.0


# -- candidates -----------------------------------------------------------------------------------------


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "tiny")


def paraphrase(request: Request) -> str:
    notes = json.loads(request.texts[1])["notes"]
    return json.dumps({"queries": [{"id": note["id"], "query": f"about {note['title']}?"} for note in notes]})


def candidates(
    store: MemoryStore, acts: list[Act], *, count: int = 50
) -> tuple[list[EvalCase], list[str], FakeModel]:
    with FakeModel(acts) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_REFLECTION_BASE_URL", server.url)
        client = ModelClient(resolve_endpoint(), root=store.root, sleep=lambda _: None)
        found = build_eval_candidates(store, client, count=count)
    return list(found.cases), list(found.problems), server


@pytest.mark.usefixtures("configured")
def test_every_sampled_note_gets_one_query(store: MemoryStore) -> None:
    ids = {write(store, f"Note {number}", "text", project="p") for number in range(12)}
    old = write(store, "Old", "text")
    write(store, "Empty", "")
    ids.add(write(store, "New", "text", supersedes=old))
    cases, problems, server = candidates(store, [answer_with(paraphrase)])
    assert {case.relevant[0] for case in cases} == ids
    assert problems == []
    assert len(server.requests) == 2


@pytest.mark.usefixtures("configured")
def test_the_sample_is_the_same_every_time(store: MemoryStore) -> None:
    for number in range(12):
        write(store, f"Note {number}", "text")
    samples = [candidates(store, [answer_with(paraphrase)], count=4)[0] for _ in range(2)]
    assert samples[0] == samples[1]
    assert len(samples[0]) == 4


@pytest.mark.usefixtures("configured")
def test_an_invalid_answer_costs_only_its_batch_and_is_reported(store: MemoryStore) -> None:
    for number in range(12):
        write(store, f"Note {number}", "text")
    cases, problems, _ = candidates(store, [status(400), answer_with(paraphrase)])
    assert (len(cases), len(problems)) == (2, 1)


@pytest.mark.usefixtures("configured")
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
