"""A dashboard on loopback, used over real HTTP like a browser or a stranger would."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

from anamnesis.dashboard.login import Login
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend

Json = dict[str, Any]  # a response may have any depth; the tests say what they expect

DAWN = "2026-01-05T09:00:00+00:00"


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Json:
        """The answer as a JSON object."""
        found = json.loads(self.text)
        assert isinstance(found, dict)
        return found


@dataclass
class Dashboard:
    """A running dashboard, and requests to it by a browser or a stranger."""

    store: MemoryStore
    backend: GitSyncBackend
    login: Login

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.login.port

    @property
    def cookie(self) -> str:
        """The Cookie header of a browser that has logged in."""
        return self.login.answer().headers["set-cookie"].partition(";")[0]

    def ask_as_stranger(
        self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """One request without the cookie."""
        return self.ask(method, path, body, headers={"Cookie": "", **(headers or {})})

    def ask(
        self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """One request with only these headers besides Host and the cookie; a body is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        sent = {"Host": f"localhost:{self.port}", "Cookie": self.cookie, **(headers or {})}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        for name, value in {**sent, "Content-Length": str(len(data))}.items():
            connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        answer = Answer(
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read().decode(),
        )
        connection.close()
        return answer

    def get(self, path: str) -> Json:
        """The response to a GET that must succeed."""
        answer = self.ask("GET", path)
        assert answer.status == 200, answer.text
        return answer.json

    def send(self, method: str, path: str, body: object) -> Answer:
        """A change, as our own page sends it."""
        own = {"Content-Type": "application/json", "Origin": self.origin}
        return self.ask(method, path, body, headers={**own, "Sec-Fetch-Site": "same-origin"})

    @property
    def origin(self) -> str:
        """The origin of our own page."""
        return f"http://localhost:{self.port}"

    def put(self, note_id: str, title: str, **fields: object) -> Memory:
        """Put a note into the store, with fixed times for comparisons."""
        known: dict[str, object] = {
            "type": "semantic",
            "body": f"About {title}.",
            "machine_id": "desk",
            "created_at": DAWN,
            "updated_at": DAWN,
        }
        return self.store.put(Memory(id=note_id, title=title, **(known | fields)))  # type: ignore[arg-type]  # a test's fields
