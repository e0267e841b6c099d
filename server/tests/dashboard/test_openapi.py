"""`contracts/openapi.json` describes every route, and an endpoint gets only values that it describes."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis.dashboard.routes import api_routes
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


def test_a_value_that_the_description_does_not_name_is_not_read(dashboard: Dashboard) -> None:
    dashboard.put("N1", "One")
    assert dashboard.get("/api/review?limit=1&until=no-day")["total"] == 0
    assert dashboard.send("POST", "/api/notes/N1/keep", {"base": 7, "undo": []}).status == 200
