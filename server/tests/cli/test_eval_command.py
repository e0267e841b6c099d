"""`eval` through the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fake_model import FakeModel, Request, answer_with

Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., str]


@pytest.fixture
def cases(write: Write, tmp_path: Path) -> Path:
    """Two notes with the same body, and a case for each."""
    ids = [write("Kettle", "boils the water"), write("Kettle", "boils the water")]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps({"query": "boil water", "relevant": [name]}) + "\n" for name in ids))
    return path


def test_run_prints_a_table_or_json_and_leaves_nothing_behind(
    anamnesis: Run, cases: Path, root: Path
) -> None:
    before = sorted(path.name for path in root.iterdir())
    done = anamnesis("eval", "run", str(cases))
    assert done.stdout.splitlines()[0].split()[:4] == ["set", "cases", "R@1", "R@3"]
    assert done.stdout.splitlines()[1].split()[:4] == ["cases", "2", "0.500", "1.000"]
    again = json.loads(anamnesis("eval", "run", str(cases), "--json").stdout)
    assert again["name"] == "cases"
    assert again["recall"]["8"] == 1.0
    assert again["working_set_tokens"] > again["hit_tokens"] > 0
    assert sorted(path.name for path in root.iterdir()) == before


def test_cases_about_deleted_notes_are_reported(anamnesis: Run, write: Write, tmp_path: Path) -> None:
    write()
    (tmp_path / "cases.jsonl").write_text('{"query": "x", "relevant": ["gone"]}\n')
    done = anamnesis("eval", "run", str(tmp_path / "cases.jsonl"))
    assert "1 of 1 case without a note in this store" in done.stderr


def test_experiment_tries_a_change_on_a_copy_only(anamnesis: Run, cases: Path) -> None:
    done = json.loads(anamnesis("eval", "experiment", str(cases), "--with", "dedup", "--json").stdout)
    assert (done["notes_before"], done["notes_after"]) == (2, 1)
    assert (done["before"]["recall"]["1"], done["after"]["recall"]["1"]) == (0.5, 1.0)
    assert len(json.loads(anamnesis("list", "--json").stdout)) == 2


def test_experiment_with_a_merge_counts_the_merged_note_as_right(anamnesis: Run, cases: Path) -> None:
    done = anamnesis("eval", "experiment", str(cases), "--with", "merge")
    assert "current notes: 2 before, 1 after" in done.stdout
    assert done.stdout.splitlines()[2].split()[:5] == ["after", "merge", "2", "1.000", "1.000"]


def test_bench_needs_no_store_and_creates_none(anamnesis: Run, root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"id": "x/1", "body": "boils water"}\n')
    (folder / "queries.jsonl").write_text('{"text": "water", "relevant": ["x/1"]}\n')
    done = anamnesis("eval", "bench", str(folder), "--json")
    assert [(run["name"], run["mrr"]) for run in json.loads(done.stdout)] == [("tiny", 1.0)]
    assert not root.exists()


def test_build_writes_cases_that_run_accepts(
    anamnesis: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write("Kettle", "boils the water")

    def paraphrase(request: Request) -> str:
        notes = json.loads(request.texts[1])["notes"]
        return json.dumps({"queries": [{"id": note["id"], "query": "how to boil water"} for note in notes]})

    path = tmp_path / "built.jsonl"
    with FakeModel([answer_with(paraphrase)]) as server:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "tiny")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", server.url)
        built = json.loads(anamnesis("eval", "build", str(path), "--json").stdout)
        assert (built["cases"], built["usage"]["calls"]) == (1, 1)
        assert anamnesis("eval", "build", str(path)).returncode == 1, "cases are never overwritten"
    assert json.loads(anamnesis("eval", "run", str(path), "--json").stdout)["recall"]["1"] == 1.0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run", "nowhere.jsonl"), 1),
        (("bench", "nowhere"), 1),
        (("build", "x", "--count", "-1"), 2),
        (("experiment", "x", "--with", "wishes"), 2),
        ((), 2),
    ],
)
def test_bad_input_has_the_right_exit_code(
    anamnesis: Run, write: Write, words: tuple[str, ...], code: int
) -> None:
    write()
    done = anamnesis("eval", *words)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
