"""A request as checked values, and its answer or error as JSON.

An endpoint is a plain function from a `Call` to a JSON object; it runs in a worker thread, because the store
and git block. No text of a request becomes part of a file path: ids are validated here and looked up in the
index.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from anamnesis.config import resolve_machine_id
from anamnesis.errors import AnamnesisError, NoteNotFound, StaleNote
from anamnesis.notes.record import is_valid_id
from anamnesis.project import HERE, place_of
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, open_backend

_MOST_ROWS = 500  # in one answer
_LAST_ROW = 10_000_000  # more than any store has
Json = dict[str, object]


class BadCall(AnamnesisError):
    """The request itself is invalid."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request: its path, query and body; the store, and the backend for the current settings."""

    store: MemoryStore
    backend: SyncBackend
    machine_id: str
    undo_of: dict[str, Callable[[], None]]  # what holds a resolved note again, by its id
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def here(self) -> str:
        """The key of the project whose folder the dashboard runs in."""
        return place_of(".", home=str(self.store.root)).key

    @property
    def note_id(self) -> str:
        """The id in the path; NoteNotFound for an invalid one."""
        note_id = self.path["id"]
        if not is_valid_id(note_id):
            raise NoteNotFound(note_id[:80])
        return note_id

    def text(self, name: str) -> str:
        """A required string in the body."""
        value = self.body.get(name)
        if not isinstance(value, str):
            raise BadCall(f"`{name}` must be a string")
        return value

    def optional_text(self, name: str) -> str | None:
        """A string in the body; None if it is absent or null."""
        return None if self.body.get(name) is None else self.text(name)

    def texts(self, name: str) -> list[str]:
        """A list of strings in the body; empty if absent."""
        value = self.body.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadCall(f"`{name}` must be a list of strings")
        return value

    def switch(self, name: str) -> bool:
        """A boolean in the body; false if absent."""
        return self.body.get(name) is True

    def param(self, name: str) -> str | None:
        """A value in the query string; None if it is absent or empty."""
        return self.query.get(name) or None

    def project(self, name: str = "project") -> str | None:
        """A project key in the query string; `.` is the project whose folder the dashboard runs in."""
        key = self.param(name)
        return self.here if key == HERE else key

    def page(self, size: int) -> tuple[int, int]:
        """The limit, by default `size`, and the offset in the query string."""
        try:
            limit, offset = int(self.param("limit") or size), int(self.param("offset") or 0)
        except ValueError as exc:
            raise BadCall("`limit` and `offset` must be whole numbers") from exc
        return min(max(limit, 0), _MOST_ROWS), min(max(offset, 0), _LAST_ROW)


Endpoint = Callable[[Call], Json]


def endpoint(act: Endpoint, status: int) -> Callable[[Request], Awaitable[Response]]:
    """The Starlette endpoint for a plain function."""

    async def _answer(request: Request) -> Response:
        try:
            answer = await run_in_threadpool(act, await _read_call(request))
        except AnamnesisError as exc:
            failed = 404 if isinstance(exc, LookupError) else 400
            return JSONResponse({"error": str(exc)}, 409 if isinstance(exc, StaleNote) else failed)
        return JSONResponse(answer, status)

    return _answer


async def _read_call(request: Request) -> Call:
    try:
        body = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as exc:
        raise BadCall("the body of the request is not JSON; send a JSON object") from exc
    if not isinstance(body, dict):
        raise BadCall("the body of the request is not a JSON object; send one")
    app = request.app.state
    backend = open_backend(app.store.memory_dir)
    return Call(
        app.store, backend, resolve_machine_id(), app.undo_of, request.path_params, request.query_params, body
    )
