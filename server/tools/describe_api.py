"""The dashboard's API as an OpenAPI 3.1 document, from its table of routes.

The shapes of the answers are those that the front end reads: its tests write `contracts/shapes.json`.
"""

from __future__ import annotations

import json
import re

from anamnesis import __version__
from anamnesis.dashboard.routes import ROWS, TEXT, Row, Schema

_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")


def description() -> str:
    """The text of `contracts/openapi.json`."""
    paths: dict[str, dict[str, object]] = {}
    for row in ROWS:
        paths.setdefault(_PARAMETER.sub(r"{\1}", row.path), {})[row.method.lower()] = _operation(row)
    document = {
        "openapi": "3.1.0",
        "info": {"title": "The dashboard of Anamnesis", "version": __version__},
        "servers": [{"url": "/api"}],
        "security": [{"cookie": []}],
        "components": {
            "securitySchemes": {"cookie": {"type": "apiKey", "in": "cookie", "name": "anamnesis-3000"}}
        },
        "paths": paths,
    }
    return json.dumps(document, indent=1) + "\n"


def _operation(row: Row) -> dict[str, object]:
    errors = ["error", "note-stale"] if "base" in row.body else ["error"]
    return {
        "summary": (row.act.__doc__ or "").partition("\n")[0],
        "parameters": [
            *(_parameter(name, "path", TEXT, required=True) for name in _PARAMETER.findall(row.path)),
            *(_parameter(name, "query", kind) for name, kind in row.query.items()),
        ],
        **({} if row.method == "GET" else {"requestBody": _json(_body(row))}),
        "responses": {
            str(row.status): {"description": row.answer, **_json(_shape(row.answer))},
            "4XX": {"description": "refused", **_json({"anyOf": [_shape(name) for name in errors]})},
            "5XX": {"description": "git, the model or the disk failed", **_json(_shape("error"))},
        },
    }


def _parameter(name: str, place: str, kind: object, *, required: bool = False) -> dict[str, object]:
    return {"name": name, "in": place, "required": required, "schema": kind}


def _body(row: Row) -> dict[str, object]:
    required = [
        name for name, kind in row.body.items() if isinstance(kind, dict) and kind["type"] == "string"
    ]
    return {"type": "object", "properties": row.body, "required": required}


def _shape(name: str) -> Schema:
    return {"$ref": f"shapes.json#/{name}"}


def _json(schema: Schema) -> dict[str, object]:
    return {"content": {"application/json": {"schema": schema}}}
