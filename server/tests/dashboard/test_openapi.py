"""`contracts/openapi.json` describes every route, and an endpoint gets only values that it describes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.dashboard.routes import TEXT, Row, api_routes
from dashboard_server import Dashboard

CONTRACTS = Path(__file__).parents[3] / "contracts"
STREAMS = {("get", "/events"), ("post", "/sync")}


def test_the_description_has_every_route_of_the_application_except_the_streams() -> None:
    described = json.loads((CONTRACTS / "openapi.json").read_text())["paths"]
    routed = {
        (method.lower(), route.path.replace(":path", ""))
        for route in api_routes()
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(method, path) for path, methods in described.items() for method in methods} == routed - STREAMS


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """An API of one route, which answers what its endpoint gets."""
    row = Row("POST /echo", lambda call: {**call.query, **call.body}, "done", {"a": TEXT}, {"b": TEXT})
    monkeypatch.setattr("anamnesis.dashboard.routes.ROWS", [row])


@pytest.mark.usefixtures("echo")
def test_an_endpoint_gets_only_the_values_that_its_row_names(dashboard: Dashboard) -> None:
    answer = dashboard.send("POST", "/api/echo?a=1&b=2&c=3", {"a": 4, "b": 5, "d": 6})
    assert answer.json == {"a": "1", "b": 5}


def test_a_value_that_the_description_does_not_name_is_not_read(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    assert dashboard.get("/api/facets?since=no-day")["types"] == [{"name": "semantic", "count": 1}]
    assert dashboard.send("POST", "/api/notes/N1/keep", {"base": 7, "undo": []}).status == 200
