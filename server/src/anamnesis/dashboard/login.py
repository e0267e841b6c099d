"""Login: the token in the printed address, and the cookie that a browser gets in exchange for it.

Every user of this machine can reach a loopback port, so reading needs proof as well as writing. All secrets
are random per start and live in memory only: a restarted server accepts none of the old ones.
"""

from __future__ import annotations

import hmac
import secrets

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response

PARAMETER = "token"


class Login:
    """The secrets of one run of the server on `port`; `home` is the page that a login leads to."""

    def __init__(self, port: int, *, home: str = "/") -> None:
        self.port = port
        self.home = home
        self._token = secrets.token_urlsafe(32)
        self._one_time_token = secrets.token_urlsafe(32)
        # Browsers send a cookie to every port of a host: the name keeps two dashboards apart.
        self._cookie = (f"anamnesis-{port}", secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """The address for the person who started the server; it works as often as it is opened."""
        return self._address(self._token)

    @property
    def one_time_address(self) -> str:
        """The address to start a browser with: its arguments are visible to other users, so it works once."""
        return self._address(self._one_time_token)

    def has_cookie(self, headers: Headers) -> bool:
        """Whether a request carries the cookie of this run."""
        wanted = "=".join(self._cookie).encode()
        pairs = (pair.strip() for header in headers.getlist("cookie") for pair in header.split(";"))
        return any(hmac.compare_digest(pair.encode("latin-1"), wanted) for pair in pairs)

    def accepts(self, token: str) -> bool:
        """Whether this is a token of this run; the one-time token is used up by this call."""
        given = token.encode("utf-8", "replace")
        is_once = hmac.compare_digest(given, self._one_time_token.encode())
        if is_once:
            self._one_time_token = secrets.token_urlsafe(32)
        return is_once or hmac.compare_digest(given, self._token.encode())

    def answer(self) -> Response:
        """Send the browser on to the address without the token, with the cookie."""
        sent_on = RedirectResponse(self.home, 303, headers={"cache-control": "no-store"})
        name, value = self._cookie
        sent_on.set_cookie(name, value, path="/", httponly=True, samesite="strict")
        return sent_on

    def _address(self, token: str) -> str:
        return f"http://localhost:{self.port}/?{PARAMETER}={token}"
