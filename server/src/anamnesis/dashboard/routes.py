"""The table of the API: for every route what it accepts, what it answers, and the function behind it.

An endpoint gets only the values that its row names. `contracts/openapi.json` is written from this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from starlette.routing import Route

from anamnesis.dashboard import live
from anamnesis.dashboard.api import history, notes, overview, sessions, upkeep
from anamnesis.dashboard.call import Endpoint, cached, endpoint
from anamnesis.index.listing import ORDERS
from anamnesis.notes.record import SCOPES, TYPES
from anamnesis.operations.curation import ACTS
from anamnesis.operations.versions import Settlement

Schema = Mapping[str, object]


def _one_of(choices: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(choices)}


# The kinds of values, as JSON Schema. Only a plain string in a body is required.
TEXT: Schema = {"type": "string"}
_OR_NULL: Schema = {"type": ["string", "null"]}
_TEXTS: Schema = {"type": "array", "items": TEXT}
_SWITCH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
_DAY: Schema = {"type": "string", "format": "date"}

_PROJECT = {"project": TEXT}
_PAGE = {"limit": _NUMBER, "offset": _NUMBER}
_FILTER = {
    **_PROJECT,
    **dict.fromkeys(("q", "type", "machine", "tag", "source", "scope", "superseded"), TEXT),
    **dict.fromkeys(("since", "until"), _DAY),
}
_NOTE = {
    **dict.fromkeys(("title", "body", "project"), TEXT),
    "type": _one_of(TYPES),
    "scope": _one_of(SCOPES),
    "tags": _TEXTS,
}
_BASE = {"base": _OR_NULL}


@dataclass(frozen=True, slots=True)
class Row:
    """One route; `answer` names the golden response in `contracts/` that has its shape."""

    method: str
    path: str
    act: Endpoint
    answer: str
    query: Schema = field(default_factory=dict)
    body: Schema = field(default_factory=dict)
    status: int = 200


ROWS = [
    Row("GET", "/session", overview.session, "session"),
    Row("GET", "/overview", overview.overview, "overview"),
    Row("GET", "/status", overview.status, "status"),
    Row("GET", "/facets", cached(notes.facets), "facets"),
    Row("GET", "/notes", notes.list_notes, "notes", {**_FILTER, "sort": _one_of(ORDERS), **_PAGE}),
    Row("POST", "/notes", notes.create_note, "note", body=_NOTE, status=201),
    Row("GET", "/selection", notes.select_notes, "selection", _FILTER),
    Row(
        "POST",
        "/selection",
        notes.change_notes,
        "changed",
        body={"ids": _TEXTS, "act": _one_of(ACTS), "value": _OR_NULL},
    ),
    Row("POST", "/tags", notes.rename_tags, "changed", body={"names": _TEXTS, "to": TEXT}),
    Row("GET", "/notes/{id}", notes.read_note, "note"),
    Row("PUT", "/notes/{id}", notes.edit_note, "note", body={**_NOTE, "base": TEXT}),
    Row("DELETE", "/notes/{id}", notes.delete_note, "done", body=_BASE),
    Row("POST", "/notes/{id}/supersede", notes.supersede_note, "note", body=_NOTE, status=201),
    Row("POST", "/notes/{id}/keep", notes.keep_note, "kept"),
    Row("POST", "/notes/{id}/clean", notes.remove_credentials, "note"),
    Row("DELETE", "/notes/{id}/history", history.forget_credentials, "note-history"),
    Row("GET", "/notes/{id}/links", notes.note_links, "note-links"),
    Row("GET", "/notes/{id}/history", cached(history.note_history), "note-history"),
    Row("GET", "/notes/{id}/diff", history.note_diff, "note-diff", {"from": TEXT, "to": TEXT}),
    Row(
        "POST",
        "/notes/{id}/restore",
        history.restore_note,
        "note",
        body={"commit": _OR_NULL, "text": _OR_NULL, **_BASE},
    ),
    Row("GET", "/removed", cached(history.list_removed), "removed"),
    Row("GET", "/history", cached(history.store_history), "history", {"before": TEXT, "until": _DAY}),
    Row("GET", "/history/{commit}", history.one_commit, "commit"),
    Row("GET", "/sessions", sessions.list_sessions, "sessions", {**_PROJECT, **_PAGE}),
    Row("GET", "/sessions/{session}", sessions.one_session, "session-told"),
    Row("GET", "/preview", sessions.preview, "preview", _PROJECT),
    Row("GET", "/project", overview.one_project, "project", {"key": TEXT}),
    Row("GET", "/machines", upkeep.machines, "machines"),
    Row("POST", "/machines/forget", upkeep.forget, "done", body={"name": TEXT}),
    Row("GET", "/conflicts", upkeep.list_held, "conflicts"),
    Row("DELETE", "/conflicts/{id:path}", upkeep.unresolve, "conflicts"),
    Row(
        "POST",
        "/conflicts/{id:path}",
        upkeep.resolve,
        "settled",
        body={"choice": _one_of(get_args(Settlement)), "text": _OR_NULL},
    ),
    Row("GET", "/review", notes.list_unreviewed, "review", {**_PROJECT, **_PAGE}),
    Row("GET", "/health", upkeep.health, "health"),
    Row("GET", "/doctor", upkeep.doctor, "doctor"),
    Row("GET", "/doctor/{name}", upkeep.one_check, "doctor-check"),
    Row("POST", "/doctor/fix", upkeep.fix, "doctor-fixed"),
    Row("GET", "/settings", upkeep.list_settings, "settings"),
    Row("PUT", "/settings/{name}", upkeep.set_setting, "settings", body={"value": TEXT}),
    Row("DELETE", "/settings/{name}", upkeep.unset_setting, "settings"),
    Row("POST", "/reindex", upkeep.reindex, "reindexed"),
    Row("POST", "/reflect", upkeep.reflect, "reflection", body={"apply": _SWITCH}),
]


def api_routes() -> list[Route]:
    """The routes below `/api`: the two streams, then the table."""
    return [
        Route("/events", live.changes, methods=["GET"]),
        Route("/sync", live.sync, methods=["POST"]),
        *(
            Route(
                row.path,
                endpoint(row.act, query=row.query, body=row.body, status=row.status),
                methods=[row.method],
            )
            for row in ROWS
        ),
    ]
