"""The dashboard's API as an OpenAPI 3.1 document, from its table of routes.

The shape of each answer is that of its golden response in `contracts/`, which pytest writes: the types of the
front end are generated from this document, so the pages are compiled against what the server really sends. A
response shows one value of each field; what else a field may hold is said in the tables below.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from anamnesis import __version__
from anamnesis.dashboard.activity import KINDS
from anamnesis.dashboard.routes import ROWS, TEXT, Row, Schema
from anamnesis.notes.vocabulary import SCOPES, TYPES

_CONTRACTS = Path(__file__).parents[2] / "contracts"
_ALSO = {
    "notes": ("notes-found",),
    "note": ("note-waiting",),
    "session": ("session-open",),
}  # further golden responses of an answer
# Objects with any keys, each with the same kind of value.
_MAPS = ("by_type", "by_project", "by_machine", "parts", "undo")
# Fields that can be null, although no golden response shows it, or of which they show nothing else.
_NULLABLE = {
    "next": "integer", "remote": "string", "last_sync": "string", "unpushed_since": "string",
    "last_capture": "string", "meaning": "number", "head": "string", "last_note": "",
    "written": "string", "base": "string", "mine": "string", "theirs": "string", "given": "integer",
}  # fmt: skip
_TEXT_LISTS = (
    "fixed",
    "rules",
    "remarks",
    "aliases",
    "supersedes",
    "tags",
    "choices",
    "slow",
    "why",
    "taken_for",
)
_ENUMS = (
    ("type", TYPES),
    ("scope", SCOPES),
    ("kind", KINDS),
    ("kind", ("told", "searched", "wrote", "used", "synced")),
    ("state", ("ok", "warn", "bad")),
    ("state", ("captured", "trivial", "open")),
    ("action", ("added", "edited", "moved", "deleted", "replaced")),
    ("how", ("full", "cut", "title", "room", "worth")),
    ("source", ("environment", "config.json", "default")),
)
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
            "schemas": {name: _inferred(name) for name in sorted({row.answer for row in ROWS} | {"error"})},
            "securitySchemes": {"cookie": {"type": "apiKey", "in": "cookie", "name": "anamnesis-3000"}},
        },
        "paths": paths,
    }
    return json.dumps(document, indent=1) + "\n"


def _operation(row: Row) -> dict[str, object]:
    return {
        "summary": (row.act.__doc__ or "").partition("\n")[0],
        "parameters": [
            *(_parameter(name, "path", TEXT, required=True) for name in _PARAMETER.findall(row.path)),
            *(_parameter(name, "query", kind) for name, kind in row.query.items()),
        ],
        **({} if row.method == "GET" else {"requestBody": _json(_body(row))}),
        "responses": {
            str(row.status): {"description": row.answer, **_json(_shape(row.answer))},
            "4XX": {"description": "refused, or failed, with the reason", **_json(_shape("error"))},
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
    return {"$ref": f"#/components/schemas/{name}"}


def _inferred(name: str) -> Schema:
    """The shape of an answer, from its golden responses."""
    names = (name, *_ALSO.get(name, ()))
    return _kind_of([json.loads((_CONTRACTS / f"{each}.json").read_text()) for each in names], "", name)


def _kind_of(values: list[object], name: str, place: str) -> Schema:
    """The schema of a field, from every value that the golden responses show of it."""
    known = [each for each in values if each is not None]
    has_null = len(known) < len(values) or name in _NULLABLE
    if not known:
        if not _NULLABLE.get(name):
            raise SystemExit(f"{place}: every golden response has null here; show a value, or name its type")
        return {"type": [_NULLABLE[name], "null"]}
    found = _known_kind(known, name, place)
    return {"anyOf": [found, {"type": "null"}]} if has_null else found


def _known_kind(values: list[object], name: str, place: str) -> Schema:
    first = values[0]
    if isinstance(first, dict):
        objects = [each for each in values if isinstance(each, dict)]
        fields = {key: [each[key] for each in objects if key in each] for each in objects for key in each}
        if name in _MAPS:
            inner = [value for found in fields.values() for value in found]
            return {"type": "object", "additionalProperties": _kind_of(inner or [0], "", place)}
        shapes = {key: _kind_of(found, key, f"{place}.{key}") for key, found in fields.items()}
        required = [key for key, found in fields.items() if len(found) == len(objects)]
        return {"type": "object", "properties": shapes, "required": required}
    if isinstance(first, list):
        items = [item for each in values if isinstance(each, list) for item in each]
        if not items and name not in _TEXT_LISTS:
            raise SystemExit(f"{place}: every golden response has an empty list here; show an item")
        return {"type": "array", "items": _kind_of(items, "", place) if items else TEXT}
    if isinstance(first, bool):
        return {"type": "boolean"}
    if isinstance(first, int | float):
        return {"type": "number"}
    for field, choices in _ENUMS:
        if field == name and all(each in choices for each in values):
            return {"type": "string", "enum": list(choices)}
    return TEXT


def _json(schema: Schema) -> dict[str, object]:
    return {"content": {"application/json": {"schema": schema}}}
