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


def test_run_prints_one_line_or_json(anamnesis: Run, cases: Path) -> None:
    assert anamnesis("eval", "run", str(cases)).stdout.startswith("2 cases: R@1 0.500, R@3 1.000, ")
    again = json.loads(anamnesis("eval", "run", str(cases), "--json").stdout)
    assert (again["name"], again["recall"]["8"]) == ("cases", 1.0)


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
