"""Who may ask: the checks that stand before every request, and the headers that go with every answer.

A page on another site can make the user's browser send requests here, and can point its own name at this
machine (DNS rebinding). So the Host must be a loopback name with our port, an Origin must be our own, the
browser's own word on where an API request comes from is heeded, and what changes anything needs the token.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-anamnesis-token"  # noqa: S105 - the header's name, not a token
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_READING = ("GET", "HEAD")
_EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in."""

    status: int
    code: str
    error: str


class Guard:
    """ASGI middleware that lets in what comes from our own page or from a program on this machine."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str], token: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check an HTTP request and pass it on, or answer it with the reason why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSocket has business here; the server closes it

        async def _send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message), is_api=_is_api(scope))
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _send_guarded)
        else:
            answer = JSONResponse({"error": refusal.error, "code": refusal.code}, refusal.status)
            await answer(scope, receive, _send_guarded)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refusal(421, "host", "this server answers only to localhost; open the address it printed")
        if any(origin not in self._origins for origin in headers.getlist("origin")):
            return Refusal(403, "origin", "this request comes from another site; nothing was done")
        if not _is_api(scope):
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "origin", "this request comes from another site; nothing was done")
        if scope["method"] in _READING:
            return None
        return self._write_refusal(headers)

    def _write_refusal(self, headers: Headers) -> Refusal | None:
        given = headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return Refusal(403, "token", "the token of this request is not this server's; reload the page")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return Refusal(415, "type", "a change must be sent as application/json")
        return None


def own_hosts(port: int) -> list[str]:
    """The Host headers that mean this server."""
    named = [f"{name}:{port}" for name in LOOPBACK_NAMES]
    return [*named, *LOOPBACK_NAMES] if port == 80 else named


def own_origins(port: int) -> list[str]:
    """The origins of our own pages."""
    return [f"http://{host}" for host in own_hosts(port)]


def _is_api(scope: Scope) -> bool:
    path = str(scope["path"])
    return path == "/api" or path.startswith("/api/")


def _add_headers(headers: MutableHeaders, *, is_api: bool) -> None:
    for name, value in _EVERYWHERE.items():
        headers[name] = value
    headers.setdefault("content-security-policy", _NO_PAGE)
    if is_api:
        headers["cache-control"] = "no-store"
