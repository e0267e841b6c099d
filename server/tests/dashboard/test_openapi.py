"""`contracts/openapi.json` describes every route."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis.dashboard.routes import api_routes

CONTRACTS = Path(__file__).parents[3] / "contracts"


def test_the_description_has_every_route_of_the_application() -> None:
    described = json.loads((CONTRACTS / "openapi.json").read_text())["paths"]
    routed = {
        (method.lower(), route.path.replace(":path", ""))
        for route in api_routes()
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(method, path) for path, methods in described.items() for method in methods} == routed
