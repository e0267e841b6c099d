"""Access control: the login, the checks before every request, and the headers on every answer.

Other users of this machine can reach the port, so every request, even a read, needs the cookie that a browser
gets in exchange for the token in the printed address. A page on another site can make the user's browser send
requests here, and can point its own host name at this machine (DNS rebinding). So the Host must be a loopback
name with our port, an Origin must be our own, the `Sec-Fetch-Site` of an API request is checked, and a change
must be JSON, which no form can send.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis.dashboard import pages

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Login:
    """The secrets of one run of the server on `port`; `home` is the page shown after a login.

    They are random for each start and only in memory, so a restarted server does not accept old ones.
    """

    def __init__(self, port: int, *, home: str = "/") -> None:
        self.port = port
        # Browsers send a cookie to every port of a host; the name separates two dashboards.
        self.cookie = f"anamnesis-{port}"
        self._home = home
        self._token, self._one_time_token, self._value = (secrets.token_urlsafe(32) for _ in range(3))

    @property
    def address(self) -> str:
        """The address for the person who started the server; it can be opened many times."""
        return f"http://localhost:{self.port}/?token={self._token}"

    @property
    def one_time_address(self) -> str:
        """The address to start a browser with; it works once, because other users can see its arguments."""
        return f"http://localhost:{self.port}/?token={self._one_time_token}"

    def has_cookie(self, request: Request) -> bool:
        """Whether a request carries the cookie of this run."""
        return _is_same(request.cookies.get(self.cookie, ""), self._value)

    def accepts(self, token: str) -> bool:
        """Whether this is a token of this run; the one-time token is used up by this call."""
        if _is_same(token, self._one_time_token):
            self._one_time_token = secrets.token_urlsafe(32)
            return True
        return _is_same(token, self._token)

    def answer(self) -> Response:
        """Set the cookie, and redirect to the address without the token."""
        redirect = RedirectResponse(self._home, 303)
        # Lax, so that a link from another site opens the page; what changes something is checked below.
        redirect.set_cookie(self.cookie, self._value, path="/", httponly=True, samesite="lax")
        return redirect


def _is_same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


class Guard:
    """ASGI middleware that accepts only our own pages, in the browser of the user who started the server."""

    def __init__(self, app: ASGIApp, *, login: Login, origins: Collection[str], policy: str) -> None:
        self._app = app
        self._login = login
        self._hosts = [f"{name}:{login.port}" for name in LOOPBACK_NAMES]
        self._origins = [*(f"http://{host}" for host in self._hosts), *origins]
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check an HTTP request, then pass it on or answer with the reason for the refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def _send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(
                    {
                        "x-content-type-options": "nosniff",
                        "referrer-policy": "no-referrer",
                        "cross-origin-resource-policy": "same-origin",
                        "content-security-policy": self._policy,
                        "cache-control": _caching(str(scope["path"]), int(message["status"])),
                    }
                )
            await send(message)

        answer = self._refusal(Request(scope)) or self._app
        await answer(scope, receive, _send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request that is refused or logs in; None if it is allowed."""
        headers, is_api = request.headers, _is_api(request.url.path)
        if headers.get("host", "").lower() not in self._hosts:
            return _refused(421, "this server answers only to localhost; open the address it printed")
        is_foreign = headers.get("origin", self._origins[0]) not in self._origins
        if is_foreign or (is_api and headers.get("sec-fetch-site") in ("cross-site", "same-site")):
            return _refused(403, "this request comes from another site; nothing was done")
        token = request.query_params.get("token", "") if request.url.path == "/" else ""
        if token and self._login.accepts(token):
            return self._login.answer()
        if not self._login.has_cookie(request):
            return _refused(401, pages.LOCKED) if is_api else pages.locked()
        kind = headers.get("content-type", "").partition(";")[0]
        if is_api and request.method not in ("GET", "HEAD") and kind != "application/json":
            return _refused(415, "a change must be sent as application/json")
        return None


def _caching(path: str, status: int) -> str:
    """Files named by their hash never change; pages are checked each time; answers are not stored."""
    if status == 200 and path.startswith("/_next/static/"):
        return "max-age=31536000, immutable"
    return "no-store" if _is_api(path) or status in (303, 401) else "no-cache"


def _is_api(path: str) -> bool:
    return path == "/api" or path.startswith("/api/")


def _refused(status: int, error: str) -> Response:
    return JSONResponse({"error": error}, status)
