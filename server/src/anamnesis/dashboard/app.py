"""The dashboard's application: routes over one workspace, behind the guard."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from anamnesis import __version__
from anamnesis.dashboard import live, pages
from anamnesis.dashboard.api import (
    conflicts,
    history,
    machines,
    notes,
    overview,
    projects,
    sessions,
    upkeep,
)
from anamnesis.dashboard.call import Endpoint, endpoint
from anamnesis.dashboard.guard import Guard, own_hosts, own_origins
from anamnesis.dashboard.login import Login
from anamnesis.dashboard.watcher import Watcher
from anamnesis.dashboard.workspace import CurrentWorkspace, Workspace
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend


def build_app(
    store: MemoryStore,
    backend: HoldingBackend,
    *,
    machine_id: str,
    login: Login,
    origins: Sequence[str] = (),
    static: Path = pages.STATIC,
) -> Starlette:
    """The application behind a login; `origins` are further addresses whose pages may ask it."""
    port = login.port
    guard = Middleware(Guard, hosts=own_hosts(port), origins=[*own_origins(port), *origins], login=login)
    app = Starlette(
        routes=[Mount("/api", routes=_api_routes()), *_page_routes(static)],
        middleware=[guard],
        exception_handlers={HTTPException: _not_routed},
    )
    app.state.ending = threading.Event()  # set when the server stops, so that open streams end
    app.state.desk = CurrentWorkspace(Workspace(store, backend, machine_id, Watcher(store, backend)))
    return app


def _api_routes() -> list[BaseRoute]:
    return [
        Route("/session", _session, methods=["GET"]),
        Route("/events", live.changes, methods=["GET"]),
        Route("/sync", live.sync, methods=["POST"]),
        _get("/overview", overview.overview),
        _get("/status", overview.status),
        _get("/facets", notes.facets),
        _get("/notes", notes.list_notes),
        Route("/notes", endpoint(notes.create_note, created=True), methods=["POST"]),
        _get("/selection", notes.select_notes),
        _post("/selection", notes.change_notes),
        _post("/tags", notes.rename_tags),
        _get("/notes/{id}", notes.read_note),
        Route("/notes/{id}", endpoint(notes.edit_note), methods=["PUT"]),
        Route("/notes/{id}", endpoint(notes.delete_note), methods=["DELETE"]),
        Route("/notes/{id}/supersede", endpoint(notes.supersede_note, created=True), methods=["POST"]),
        _post("/notes/{id}/keep", notes.keep_note),
        _get("/notes/{id}/links", notes.note_links),
        _get("/notes/{id}/history", history.note_history),
        _get("/notes/{id}/diff", history.note_diff),
        _post("/notes/{id}/restore", history.restore_note),
        _get("/removed", history.list_removed),
        _get("/history", history.store_history),
        _get("/history/{commit}", history.one_commit),
        _get("/sessions", sessions.list_sessions),
        _get("/sessions/{session}", sessions.one_session),
        _get("/preview", sessions.preview),
        _get("/project", projects.one_project),
        _get("/machines", machines.machines),
        _post("/machines/forget", machines.forget),
        _get("/conflicts", conflicts.list_held),
        _post("/conflicts/{id:path}", conflicts.resolve),
        _get("/review", notes.list_waiting),
        _get("/health", upkeep.health),
        _get("/doctor", upkeep.doctor),
        _get("/doctor/{name}", upkeep.one_check),
        _post("/doctor/fix", upkeep.fix),
        _get("/settings", upkeep.list_settings),
        Route("/settings/{name}", endpoint(upkeep.set_setting), methods=["PUT"]),
        Route("/settings/{name}", endpoint(upkeep.unset_setting), methods=["DELETE"]),
        _post("/reindex", upkeep.reindex),
        _post("/reflect", upkeep.reflect_store),
    ]


def _get(path: str, act: Endpoint) -> Route:
    return Route(path, endpoint(act), methods=["GET"])


def _post(path: str, act: Endpoint) -> Route:
    return Route(path, endpoint(act), methods=["POST"])


async def _session(request: Request) -> Response:
    """The store and the machine that are served, and the version."""
    workspace: Workspace = request.app.state.desk.workspace()
    return JSONResponse(
        {
            "machine_id": workspace.machine_id,
            "version": __version__,
            "root": str(workspace.store.root),
        }
    )


async def _not_routed(request: Request, exc: Exception) -> Response:
    """The answer for an unknown path or method, in the form of every other error."""
    assert isinstance(exc, HTTPException)  # noqa: S101  # it is registered only for these
    text = (
        f"{request.method} {request.url.path[:80]!r}: {exc.detail.lower()}; docs/dashboard.md lists the API"
    )
    return JSONResponse({"error": text, "code": "call"}, exc.status_code, headers=exc.headers)


def _page_routes(static: Path) -> list[BaseRoute]:
    if pages.is_built(static):
        return [Mount("/", pages.Pages(static))]

    async def _missing(request: Request) -> Response:
        return pages.missing_build(wants_page="text/html" in request.headers.get("accept", ""))

    return [Route("/{rest:path}", _missing)]
