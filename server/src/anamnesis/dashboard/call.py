"""A request as checked values, and every error as a JSON answer with a matching status.

An endpoint is a plain function from a `Call` to a JSON object; it runs in a worker thread, because the store
and git block. No text of a request becomes part of a file path: ids are validated here and looked up in the
index.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from anamnesis import errors
from anamnesis.dashboard.workspace import Workspace
from anamnesis.notes.record import is_valid_id
from anamnesis.project.names import HERE

MAX_BODY = 20_000_000
_MOST = 500  # rows in one answer
Json = dict[str, object]

_STATUS: tuple[tuple[type[errors.AnamnesisError], int], ...] = (
    (errors.NoteNotFound, 404),
    (errors.SessionNotFound, 404),
    (errors.StaleNote, 409),
    (errors.InvalidNote, 400),
    (errors.NoteFormatError, 400),
    (errors.ConfigError, 400),
    (errors.NotHeld, 404),
    (errors.BadResolution, 400),
    (errors.StoreUnavailable, 503),
    (errors.GitError, 502),
    (errors.SyncError, 502),
    (errors.ModelError, 502),
)


class BadCall(errors.AnamnesisError):
    """The request itself is invalid."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class StaleEdit(errors.AnamnesisError):
    """An edit was based on an older version; has the current note."""

    def __init__(self, text: str, current: Json) -> None:
        super().__init__(text)
        self.current = current


@dataclass(frozen=True, slots=True)
class Call:
    """A request: its path, query and body."""

    workspace: Workspace
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, object]

    def only(self, query: Container[str], body: Container[str]) -> Call:
        """The same request without any value that is not named here."""
        return replace(
            self,
            query={name: value for name, value in self.query.items() if name in query},
            body={name: value for name, value in self.body.items() if name in body},
        )

    @property
    def note_id(self) -> str:
        """The id in the path; NoteNotFound for an invalid one."""
        note_id = self.path["id"]
        if not is_valid_id(note_id):
            raise errors.NoteNotFound(note_id[:80])
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
        value = self.body.get(name, False)
        if not isinstance(value, bool):
            raise BadCall(f"`{name}` must be true or false")
        return value

    def param(self, name: str) -> str | None:
        """A value in the query string; None if it is absent or empty."""
        return self.query.get(name) or None

    def project(self, name: str = "project") -> str | None:
        """A project key in the query string; `.` is the project whose folder the dashboard runs in."""
        key = self.param(name)
        return self.workspace.here if key == HERE else key

    def page(self, size: int) -> tuple[int, int]:
        """The limit, by default `size`, and the offset in the query string."""
        return self._number("limit", size, most=_MOST), self._number("offset", 0, most=10_000_000)

    def _number(self, name: str, default: int, *, most: int) -> int:
        text = self.query.get(name, "")
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise BadCall(f"`{name}` must be a whole number")
        return min(int(text), most)


Endpoint = Callable[[Call], Json]


def endpoint(
    act: Endpoint, *, query: Container[str], body: Container[str], status: int
) -> Callable[[Request], Awaitable[Response]]:
    """The Starlette endpoint for a plain function, which gets only these values of the query and the body."""

    async def _answer(request: Request) -> Response:
        try:
            call = await read_call(request)
            answer = await run_in_threadpool(act, call.only(query, body))
        except errors.AnamnesisError as exc:
            return error_answer(exc)
        return JSONResponse(answer, status)

    return _answer


async def read_call(request: Request) -> Call:
    """Read a request into a `Call`; the body is limited in size and parsed."""
    return Call(
        workspace=request.app.state.current.workspace(),
        path=request.path_params,
        query=request.query_params,
        body=await _read_body(request),
    )


def error_answer(error: errors.AnamnesisError) -> Response:
    """An error as JSON: a message for people, a code for programs."""
    if isinstance(error, StaleEdit):
        return JSONResponse({"error": str(error), "code": "stale", "current": error.current}, 409)
    if isinstance(error, BadCall):
        return JSONResponse({"error": str(error), "code": "call"}, error.status)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return JSONResponse({"error": str(error), "code": type(error).__name__}, status)


async def _read_body(request: Request) -> Mapping[str, object]:
    if request.method in ("GET", "HEAD"):
        return {}
    data = bytearray()
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_BODY:
                raise BadCall(f"the request is longer than {MAX_BODY:,} bytes; send less at once", 413)
    except ClientDisconnect as exc:
        # The client is gone; answering only avoids a traceback on the terminal.
        raise BadCall("the request ended before its body did; send it again") from exc
    try:
        body = json.loads(bytes(data) or b"{}")
    except (ValueError, RecursionError) as exc:
        raise BadCall("the body of the request is not JSON; send a JSON object") from exc
    if not isinstance(body, dict):
        raise BadCall("the body of the request is not a JSON object; send one")
    return body
