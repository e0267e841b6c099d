"""One store has one number of notes: current ones, and superseded ones counted apart, on every surface."""

from __future__ import annotations

import pytest

from anamnesis.cli import main
from anamnesis.operations.reading import count_text
from anamnesis.server import build_server
from dashboard_server import Dashboard
from test_server import call

COUNTED = "3 notes, 2 superseded"


@pytest.fixture
def counted(dashboard: Dashboard) -> Dashboard:
    """Three current notes of one project, one of which replaces two others."""
    for number in range(1, 5):
        dashboard.put(f"N{number}", f"Note {number}", project="shop", tags=["a"])
    dashboard.put("N5", "Newer", project="shop", tags=["a"], supersedes="N1 N2 GONE")
    dashboard.backend.commit()
    return dashboard


def test_every_page_has_the_same_number_of_notes(counted: Dashboard) -> None:
    overview, facets = counted.get("/api/overview"), counted.get("/api/facets")
    project, browse = counted.get("/api/project?key=shop"), counted.get("/api/notes")
    store = counted.get("/api/doctor")["checks"][0]
    assert [overview["total"], project["total"], browse["total"]] == [3, 3, 3]
    assert overview["by_type"] == project["by_type"] == {"semantic": 3}
    assert {each["count"] for values in facets.values() for each in values} == {3}
    assert [overview["superseded"], project["superseded"]] == [2, 2]
    assert store["evidence"].endswith(COUNTED)


def test_every_command_says_it_in_the_same_words(
    counted: Dashboard, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["doctor"], ["reindex", "--full"]):
        main(words)
        assert COUNTED in capsys.readouterr().out, words
    main(["status"])
    assert "3, 2 superseded  semantic 3" in capsys.readouterr().out
    assert count_text(counted.store) == COUNTED


def test_the_model_is_told_the_same(counted: Dashboard) -> None:
    status = call(build_server(counted.store, machine_id="desk"), "memory_status")
    assert isinstance(status, dict)
    assert (status["total"], status["superseded"]) == (5, 2)
    assert (status["current"]["total"], status["current"]["by_project"]) == (3, {"shop": 3})
