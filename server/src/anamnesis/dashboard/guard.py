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

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis.dashboard import pages

_PARAMETER = "token"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_READING = ("GET", "HEAD")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"


class Login:
    """The secrets of one run of the server on `port`; `home` is the page shown after a login.

    They are random for each start and only in memory, so a restarted server does not accept old ones.
    """

    def __init__(self, port: int, *, home: str = "/") -> None:
        self.port = port
        self.home = home
        self._token = secrets.token_urlsafe(32)
        self._one_time_token = secrets.token_urlsafe(32)
        # Browsers send a cookie to every port of a host; the name separates two dashboards.
        self._cookie = (f"anamnesis-{port}", secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """The address for the person who started the server; it can be opened many times."""
        return self._address(self._token)

    @property
    def one_time_address(self) -> str:
        """The address to start a browser with; it works once, because other users can see its arguments."""
        return self._address(self._one_time_token)

    def has_cookie(self, headers: Headers) -> bool:
        """Whether a request carries the cookie of this run."""
        wanted = "=".join(self._cookie).encode()
        pairs = (pair.strip() for header in headers.getlist("cookie") for pair in header.split(";"))
        return any(hmac.compare_digest(pair.encode("latin-1"), wanted) for pair in pairs)

    def accepts(self, token: str) -> bool:
        """Whether this is a token of this run; the one-time token is used up by this call."""
        given = token.encode("utf-8", "replace")
        is_one_time = hmac.compare_digest(given, self._one_time_token.encode())
        if is_one_time:
            self._one_time_token = secrets.token_urlsafe(32)
        return is_one_time or hmac.compare_digest(given, self._token.encode())

    def answer(self) -> Response:
        """Set the cookie, and redirect to the address without the token."""
        redirect = RedirectResponse(self.home, 303, headers={"cache-control": "no-store"})
        name, value = self._cookie
        redirect.set_cookie(name, value, path="/", httponly=True, samesite="strict")
        return redirect

    def _address(self, token: str) -> str:
        return f"http://localhost:{self.port}/?{_PARAMETER}={token}"


class Guard:
    """ASGI middleware that accepts only our own pages, in the browser of the user who started the server."""

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str], login: Login
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._login = login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check an HTTP request, then pass it on or answer with the reason for the refusal."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # WebSockets are not supported; the server closes them

        async def _send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("content-security-policy", _NO_PAGE)
                if _is_api(scope):
                    headers["cache-control"] = "no-store"
            await send(message)

        answer = self._answer(scope) or self._app
        await answer(scope, receive, _send_guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to a refused request; None if it is allowed."""
        headers = Headers(scope=scope)
        if refusal := self._refuse_foreign(scope, headers):
            return refusal
        token = _token_in(scope)
        is_known = self._login.accepts(token) or self._login.has_cookie(headers)
        if not is_known:
            return _locked(scope, headers)
        if token:
            return self._login.answer()
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if _is_api(scope) and scope["method"] not in _READING and kind != "application/json":
            return _refused(415, "type", "a change must be sent as application/json")
        return None

    def _refuse_foreign(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer if a request is not for this server or not from its own pages; None if it is."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _refused(421, "host", "this server answers only to localhost; open the address it printed")
        from_elsewhere = _refused(403, "origin", "this request comes from another site; nothing was done")
        if any(origin not in self._origins for origin in headers.getlist("origin")):
            return from_elsewhere
        site = headers.get("sec-fetch-site", "same-origin")
        return from_elsewhere if _is_api(scope) and site not in ("same-origin", "none") else None


def _token_in(scope: Scope) -> str:
    """The token in the query string, which only the first page accepts; "" if there is none."""
    is_first_page = scope["method"] == "GET" and scope["path"] == "/"
    return QueryParams(scope["query_string"]).get(_PARAMETER, "") if is_first_page else ""


def _refused(status: int, code: str, error: str) -> Response:
    return JSONResponse({"error": error, "code": code}, status)


def _locked(scope: Scope, headers: Headers) -> Response:
    if _is_api(scope):
        return _refused(401, "login", pages.LOCKED)
    answer = pages.locked()
    if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        # A browser that follows a link from another site does not send our cookie; a reload from our own page
        # does.
        answer.headers["refresh"] = "0"
    return answer


def own_hosts(port: int) -> list[str]:
    """The Host headers that name this server."""
    named = [f"{name}:{port}" for name in LOOPBACK_NAMES]
    return [*named, *LOOPBACK_NAMES] if port == 80 else named


def own_origins(port: int) -> list[str]:
    """The origins of our own pages."""
    return [f"http://{host}" for host in own_hosts(port)]


def _is_api(scope: Scope) -> bool:
    path = str(scope["path"])
    return path == "/api" or path.startswith("/api/")
