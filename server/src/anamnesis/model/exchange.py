"""One HTTP request with a JSON body, and its answer, within a deadline for the whole.

Why the standard library: the base install has no HTTP package, and one POST is all it takes. `http.client`
follows no redirect and reads no proxy setting, so the key reaches the configured host and no other. Its
timeouts hold for one read of the socket only, and a server that sends a byte now and then would never trip
them; so the exchange runs in its own thread, which the caller stops waiting for at the deadline.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from dataclasses import dataclass

from anamnesis.errors import ModelError
from anamnesis.model.endpoint import Endpoint

_MAX_ANSWER = 4_000_000
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sent back, whatever its status."""

    status: int
    retry_after: str
    body: bytes


def post(endpoint: Endpoint, message: dict[str, object], *, seconds: float) -> Reply:
    """Send `message` to the endpoint; ModelError when no whole reply has come after `seconds`."""
    exchange = _Exchange(endpoint, json.dumps(message).encode(), seconds)
    exchange.start()
    exchange.join(seconds)
    if exchange.is_alive():
        exchange.abandon()
        raise ModelError(
            f"{endpoint.host} did not answer in full within {endpoint.timeout:g} s; {endpoint.when_slow}"
        )
    if exchange.reply is None:
        raise ModelError(f"{endpoint.host}: {exchange.problem}; check {endpoint.address_from} and the server")
    return exchange.reply


class _Exchange(threading.Thread):
    """The request in flight; ends with `reply` set, or with `problem` saying why not."""

    def __init__(self, endpoint: Endpoint, data: bytes, seconds: float) -> None:
        super().__init__(daemon=True, name="anamnesis-model")
        kind = http.client.HTTPSConnection if endpoint.encrypted else http.client.HTTPConnection
        self.reply: Reply | None = None
        self.problem = "the exchange was given up"
        self._endpoint = endpoint
        self._data = data
        self._is_abandoned = False
        # A second longer than the caller waits: it is the caller who says that time is up.
        self._connection = kind(endpoint.host, endpoint.port, timeout=seconds + 1)

    def run(self) -> None:
        """Run the exchange; every failure becomes a message, which never contains the key."""
        try:
            self._connection.connect()
            if not self._is_abandoned:
                self._connection.request("POST", self._endpoint.path, self._data, self._headers())
                self.reply = _read(self._connection.getresponse())
        except ssl.SSLCertVerificationError as exc:
            self.problem = f"its certificate is not trusted ({exc.verify_message})"
        except OSError as exc:
            self.problem = f"the connection failed ({exc.strerror or type(exc).__name__})"
        except (http.client.HTTPException, ValueError) as exc:
            # The text of these can quote what was sent, so only their kind is told.
            self.problem = f"the answer was cut off or is not HTTP ({type(exc).__name__})"
        finally:
            self._connection.close()

    def abandon(self) -> None:
        """Wake the thread from whatever it waits for; it then ends by itself, and asks nothing any more."""
        self._is_abandoned = True
        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # already closed by the other side

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._endpoint.api_key:
            headers["Authorization"] = f"Bearer {self._endpoint.api_key}"
        return headers


def _read(response: http.client.HTTPResponse) -> Reply:
    parts: list[bytes] = []
    size = 0
    while chunk := response.read(_CHUNK):
        parts.append(chunk)
        size += len(chunk)
        if size > _MAX_ANSWER:
            raise http.client.HTTPException
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return Reply(response.status, response.getheader("Retry-After") or "", b"".join(parts))
