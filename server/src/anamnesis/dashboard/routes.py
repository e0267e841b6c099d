"""The table of the API: for every route what it accepts, what it answers, and the function behind it.

`contracts/openapi.json` is written from this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from starlette.routing import Route

from anamnesis.dashboard import activity, inbox, notes, upkeep
from anamnesis.dashboard.call import Endpoint, endpoint
from anamnesis.index.listing import ORDERS
from anamnesis.notes.vocabulary import FILTERS, SCOPES, TYPES
from anamnesis.operations.curation import ACTS
from anamnesis.sync import Choice

Schema = Mapping[str, object]


def _one_of(choices: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(choices)}


# The kinds of values, as JSON Schema. Only a plain string in a body is required.
TEXT: Schema = {"type": "string"}
_OR_NULL: Schema = {"type": ["string", "null"]}
_TEXTS: Schema = {"type": "array", "items": TEXT}
_SWITCH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}

_PAGE = {"limit": _NUMBER, "offset": _NUMBER}
_DAYS = {name: {"type": "string", "format": "date"} for name in ("since", "until")}
_FILTER = {**dict.fromkeys(("q", *FILTERS, "source", "superseded"), TEXT), **_DAYS}
_NOTE = {
    **dict.fromkeys(("title", "body", "project"), TEXT),
    "type": _one_of(TYPES),
    "scope": _one_of(SCOPES),
    "tags": _TEXTS,
}
_BASE = {"base": _OR_NULL}


@dataclass(frozen=True, slots=True)
class Row:
    """One route below `/api`; `answer` names the golden response in `contracts/` that has its shape."""

    method: str
    path: str
    act: Endpoint
    answer: str
    query: Schema = field(default_factory=dict)
    body: Schema = field(default_factory=dict)
    status: int = 200


ROWS = [
    Row("GET", "/status", upkeep.status, "status"),
    Row("GET", "/overview", upkeep.overview, "overview"),
    Row("GET", "/facets", notes.facets, "facets"),
    Row("GET", "/notes", notes.list_notes, "notes", {**_FILTER, "sort": _one_of(ORDERS), **_PAGE}),
    Row("POST", "/notes", notes.create_note, "note", body={**_NOTE, "supersedes": _OR_NULL}, status=201),
    Row("GET", "/selection", notes.select_notes, "selection", _FILTER),
    Row(
        "POST",
        "/selection",
        notes.change_notes,
        "changed",
        body={"ids": _TEXTS, "act": _one_of(ACTS), "value": _OR_NULL},
    ),
    Row("POST", "/tags", notes.rename_tags, "changed", body={"names": _TEXTS, "to": TEXT}),
    Row("GET", "/notes/{id}", notes.whole_note, "note"),
    Row("PUT", "/notes/{id}", notes.edit_note, "note", body={**_NOTE, "base": TEXT}),
    Row("DELETE", "/notes/{id}", notes.delete_note, "done", body=_BASE),
    Row("POST", "/notes/{id}/clean", notes.remove_credentials, "note"),
    Row("GET", "/notes/{id}/links", notes.note_links, "note-links"),
    Row("GET", "/notes/{id}/history", notes.note_history, "note-history"),
    Row("DELETE", "/notes/{id}/history", notes.forget_credentials, "note-history"),
    Row("GET", "/notes/{id}/diff", notes.note_diff, "note-diff", {"from": TEXT, "to": TEXT}),
    Row(
        "POST",
        "/notes/{id}/restore",
        notes.restore_note,
        "note",
        body={"commit": _OR_NULL, "text": _OR_NULL, **_BASE},
    ),
    Row("GET", "/inbox", inbox.inbox, "inbox"),
    Row(
        "POST",
        "/conflicts/{id:path}",
        inbox.resolve,
        "settled",
        body={"choice": _one_of(get_args(Choice)), "text": _OR_NULL},
    ),
    Row("DELETE", "/conflicts/{id:path}", inbox.unresolve, "done"),
    Row("POST", "/credentials", inbox.allow_credential, "done", body={"id": TEXT}),
    Row(
        "POST",
        "/rules",
        inbox.settle_rule,
        "rule-settled",
        body={"note_id": TEXT, "line": TEXT, "keep": _SWITCH},
    ),
    Row("GET", "/duplicates", inbox.duplicates, "duplicates"),
    Row("POST", "/duplicates", inbox.merge, "note", body={"ids": _TEXTS}),
    Row("POST", "/reflect", inbox.reflect, "reflection", body={"apply": _SWITCH}),
    Row(
        "GET",
        "/activity",
        activity.activity,
        "activity",
        {"project": TEXT, "machine": TEXT, "kind": _one_of(activity.KINDS), **_DAYS, **_PAGE},
    ),
    Row("GET", "/sessions/{session}", activity.one_session, "session"),
    Row("GET", "/projects", upkeep.list_projects, "projects"),
    Row("GET", "/project", upkeep.one_project, "project", {"key": TEXT}),
    Row("PUT", "/project", upkeep.set_captured, "done", body={"key": TEXT, "captured": _SWITCH}),
    Row("GET", "/machines", upkeep.machines, "machines"),
    Row("POST", "/machines/forget", upkeep.forget, "done", body={"name": TEXT}),
    Row("POST", "/sync", upkeep.sync, "sync-result"),
    Row("GET", "/health", upkeep.health, "health", {"all": TEXT, "slow": TEXT}),
    Row("POST", "/health/fix", upkeep.fix, "fixed", body={"name": TEXT}),
    Row("POST", "/reindex", upkeep.reindex, "reindexed"),
    Row("GET", "/settings", upkeep.list_settings, "settings"),
    Row("PUT", "/settings/{name}", upkeep.set_setting, "settings", body={"value": _OR_NULL}),
]


def api_routes() -> list[Route]:
    """The routes of the table, below `/api`."""
    return [Route(row.path, endpoint(row.act, row.status), methods=[row.method]) for row in ROWS]
