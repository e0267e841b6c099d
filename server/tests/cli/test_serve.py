"""`serve` as a process: raw lines on stdin and stdout, valid and invalid."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore

Json = dict[str, object]


class Wire:
    """A client that talks to the server line by line."""

    def __init__(self, cwd: Path, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
        )
        self._number = 0
        self._early: dict[object, Json] = {}
        self.greeting: Json = {}

    def greet(self) -> None:
        """Open the session, as every client does first."""
        client = {"name": "t", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.greeting = self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: object) -> None:
        """Send one message as a line."""
        self.send_raw(json.dumps(message).encode())

    def send_raw(self, data: bytes) -> None:
        """Send one line unchanged."""
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def begin(self, method: str, params: Mapping[str, object] | None) -> int:
        """Send a request without waiting for the answer."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int | str) -> Json:
        """The answer to a request; every line on stdout must be a message."""
        assert self.process.stdout is not None
        while number not in self._early:
            line = self.process.stdout.readline()
            assert line, "the server closed the connection"
            message = json.loads(line)
            self._early[message.get("id")] = message
        return self._early.pop(number)

    def ask(self, method: str, params: Mapping[str, object] | None) -> Json:
        """Send a request and wait for its answer."""
        return self.answer(self.begin(method, params))

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool and return its result."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert isinstance(result, dict)
        return result

    def close(self) -> tuple[int, bytes]:
        """Close the connection; return the server's exit code and stderr."""
        _, err = self.process.communicate()
        return self.process.returncode, err


@contextmanager
def served(cwd: Path, command: Sequence[str] = ("-m", "anamnesis", "serve")) -> Iterator[Wire]:
    """A session with a server that is stopped when the block ends."""
    opened = Wire(cwd, command)
    try:
        opened.greet()
        yield opened
    finally:
        opened.process.kill()
        opened.process.communicate()


@pytest.fixture
def wire(store: MemoryStore, tmp_path: Path) -> Iterator[Wire]:
    with served(tmp_path) as opened:
        yield opened


def test_a_session_works_from_handshake_to_disconnect(wire: Wire) -> None:
    greeting = wire.greeting["result"]
    assert isinstance(greeting, dict)
    assert greeting["serverInfo"]["name"] == "anamnesis"
    assert "Long-term memory" in greeting["instructions"]
    written = wire.call("memory_write", type="semantic", title="Walnut", body="shelf")
    assert not written.get("isError")
    assert "Walnut" in json.dumps(wire.call("memory_search", query="shelf"))
    code, err = wire.close()
    assert code == 0
    assert b"Traceback" not in err


LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping")


@pytest.mark.parametrize("marker", ["", "github.com/acme/mill"])
def test_the_snapshot_answers_are_those_of_the_engine(
    store: MemoryStore, tmp_path: Path, marker: str
) -> None:
    folder = tmp_path / "work"
    (folder / ".anamnesis").mkdir(parents=True)
    if marker:
        (folder / ".anamnesis/project").write_text(marker)
    said = []
    for command in (["-m", "anamnesis", "serve"], ["-c", "from anamnesis.server import main; main()"]):
        with served(folder, command) as wire:
            said.append([wire.greeting, *(wire.ask(method, {}) for method in LISTS)])
    assert said[0] == said[1]
    assert marker in json.dumps(said[0][0])


def test_a_client_has_the_tools_before_the_engine_is_loaded(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow" / "fastmcp").mkdir(parents=True)
    (tmp_path / "slow" / "fastmcp" / "__init__.py").write_text("import time\ntime.sleep(3600)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "slow"))
    with served(tmp_path) as wire:
        names = json.dumps(wire.ask("tools/list", {}))
    assert all(f"memory_{name}" in names for name in ("search", "list", "status", "write", "sync"))


def test_a_client_that_only_shakes_hands_loads_no_engine(store: MemoryStore, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom anamnesis.cli import main\nmain(['serve'])\n"
        "print(*{'fastmcp', 'mcp', 'pydantic', 'anyio', 'asyncio'} & set(sys.modules), file=sys.stderr)"
    )
    with served(tmp_path, ["-c", program]) as wire:
        assert wire.close() == (0, b"\n")


def test_a_client_that_closes_stdin_after_its_requests_still_gets_the_answers(
    store: MemoryStore, tmp_path: Path
) -> None:
    with served(tmp_path) as wire:
        note = {"type": "semantic", "body": "shelf"}
        calls = [{"name": "memory_write", "arguments": {**note, "title": f"Walnut {n}"}} for n in range(5)]
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": f"r{n}", "method": "tools/call", "params": call})
            for n, call in enumerate(calls)
        ]
        out, err = wire.process.communicate("\n".join(lines).encode())  # the last one without a line end
        assert {json.loads(line)["id"] for line in out.splitlines()} == {f"r{n}" for n in range(5)}
        assert wire.process.returncode == 0
        assert b"Traceback" not in err
    assert len(store.list(bodies=False)) == 5


_HANGING = """
from anamnesis.cli import serve
from anamnesis.store import MemoryStore
def hang(*args, **options):
    print("hanging", flush=True, file=__import__("sys").stderr)
    while True:
        pass
MemoryStore.find = hang
serve._LAST_ANSWER_SECONDS = 0.5
serve.cmd_serve()
"""


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_server_whose_client_is_gone_ends_although_a_call_never_does(
    store: MemoryStore, tmp_path: Path, cancelled: bool
) -> None:
    with served(tmp_path, ("-c", _HANGING)) as wire:
        number = wire.begin("tools/call", {"name": "memory_search", "arguments": {"query": "walnut"}})
        assert wire.process.stderr is not None
        assert wire.process.stderr.readline() == b"hanging\n"
        if cancelled:
            wire.send(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            )
        wire.process.communicate(timeout=50)
        assert wire.process.returncode == -signal.SIGALRM


def test_one_interrupt_stops_the_server_while_its_client_is_connected(wire: Wire) -> None:
    wire.process.send_signal(signal.SIGINT)
    assert wire.process.wait() == -signal.SIGINT
    assert b"Traceback" not in wire.close()[1]


def test_invalid_lines_do_not_stop_the_server(wire: Wire) -> None:
    odd = [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 1}', b"[" * 100_000]
    for line in odd:
        wire.send_raw(line)
        assert not wire.call("memory_status").get("isError"), line[:20]


def test_an_unknown_tool_and_wrong_types_get_an_answer_and_the_server_keeps_running(wire: Wire) -> None:
    assert "nonsense" in json.dumps(wire.ask("tools/call", {"name": "nonsense", "arguments": {}}))
    for arguments in ({}, {"query": 7}, {"query": "a", "k": "many"}):
        assert wire.call("memory_search", **arguments)["isError"] is True
    assert "error" in wire.ask("no/such/method", {})
    assert not wire.call("memory_status").get("isError")


def test_half_of_a_surrogate_pair_is_replaced_and_the_call_answered(wire: Wire, store: MemoryStore) -> None:
    note = {
        "type": "semantic",
        "title": "Cut",
        "body": "an emoji cut in half \ud83d, and one whole \U0001f9ad",
    }
    answer = wire.ask("tools/call", {"name": "memory_write", "arguments": note})
    assert "result" in answer
    assert [each.body for each in store.list()] == ["an emoji cut in half ?, and one whole \U0001f9ad"]
