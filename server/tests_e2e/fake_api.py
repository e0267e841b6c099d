"""A fake Messages API on loopback: it answers as scripted by a test and records every request.

A prompt that contains `(turn NAME)` makes the model run the steps scripted under that name, one per request:
a `Say` ends the turn, a `Use` calls a tool. Everything else gets a short polite answer.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Json = dict[str, object]

POLITE = "Understood. There is nothing more to do here, so this turn is finished."
SUMMARY = "<analysis>short</analysis><summary>E2E-SUMMARY: the user and the model talked.</summary>"
_TURN = re.compile(r"\(turn ([a-z0-9-]+)\)")
_SUMMARISE = re.compile(
    r"detailed summary of (?:the|this) (?:RECENT portion of the )?conversation", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Say:
    """The model says something and ends the turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """The model calls a tool; one of ours is named without the server's prefix."""

    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """One request that reached the model: its body, and what it was for."""

    body: Json
    kind: str  # "turn", "compaction" or "aside"

    @property
    def session(self) -> str:
        """The session id that the client names in its metadata."""
        return json.dumps(self.body.get("metadata", {}))

    @property
    def tools(self) -> list[str]:
        """The names of the tools whose schemas the model was shown."""
        return [str(tool.get("name")) for tool in _dicts(self.body.get("tools"))]

    @property
    def context(self) -> str:
        """Everything the model could read, as text."""
        return _readable(self.body.get("system")) + "\n" + _readable(self.body.get("messages"))

    @property
    def results(self) -> list[str]:
        """What the tools answered, in order."""
        blocks = [block for message in _dicts(self.body.get("messages")) for block in _blocks(message)]
        return [_readable(block.get("content")) for block in blocks if block.get("type") == "tool_result"]


@dataclass
class FakeApi:
    """The server: script turns with `teach`, read `requests`."""

    requests: list[Request] = field(default_factory=list)
    _turns: dict[str, list[Say | Use]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()

    def teach(self, turn: str, *steps: Say | Use) -> str:
        """Script the steps of `(turn NAME)`; returns that mark, to put into a prompt."""
        self._turns[turn] = list(steps)
        return f"(turn {turn})"

    def turns(self, since: int = 0) -> list[Request]:
        """The requests of a session's own turns, from the `since`-th request on."""
        return [request for request in self.requests[since:] if request.kind == "turn"]

    def answer(self, body: Json) -> Json:
        """The next block that the model says, for one request."""
        request = Request(body, _kind(body))
        with self._lock:
            self.requests.append(request)
        if request.kind == "compaction":
            return {"type": "text", "text": SUMMARY}
        step = self._next_step(body) if request.kind == "turn" else None
        if isinstance(step, Use):
            tool = next((name for name in request.tools if name.endswith(f"__{step.tool}")), step.tool)
            return {
                "type": "tool_use",
                "id": f"toolu_{time.time_ns()}",
                "name": tool,
                "input": dict(step.input),
            }
        return {"type": "text", "text": step.text if step else POLITE}

    def _next_step(self, body: Json) -> Say | Use | None:
        """The step after those whose results are already in the conversation."""
        steps: list[Say | Use] = []
        done = 0
        for message in _dicts(body.get("messages")):
            if message.get("role") != "user":
                continue
            for block in _blocks(message):
                named = _TURN.findall(str(block.get("text", "")))
                if named and named[-1] in self._turns:
                    steps, done = self._turns[named[-1]], 0
                elif block.get("type") == "tool_result":
                    done += 1
        return steps[done] if done < len(steps) else None


def _kind(body: Json) -> str:
    messages = _dicts(body.get("messages"))
    if messages and _SUMMARISE.search(_readable(messages[-1].get("content"))):
        return "compaction"
    return "turn" if body.get("tools") else "aside"


def _dicts(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)


def _readable(value: object) -> str:
    """Every piece of text inside a JSON value, joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_readable(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_readable(item) for item in value)
    return ""


def _events(block: Json, model: object) -> Iterator[Json]:
    """One assistant message as the stream of events that the client expects."""
    usage = {"input_tokens": 50, "output_tokens": 10}
    message = {"id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": model}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        reason = "end_turn"
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        reason = "tool_use"
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def _whole(block: Json, model: object) -> Json:
    """The same message for a client that does not stream."""
    first, *_ = _events(block, model)
    message = first["message"]
    assert isinstance(message, dict)
    return {
        **message,
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
    }


def _handler(api: FakeApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if path == "/v1/messages/count_tokens":
                self._send("application/json", json.dumps({"input_tokens": 100}).encode())
            elif path == "/v1/messages":
                block = api.answer(body)
                if body.get("stream"):
                    lines = (
                        f"event: {e['type']}\ndata: {json.dumps(e)}\n\n"
                        for e in _events(block, body["model"])
                    )
                    self._send("text/event-stream", "".join(lines).encode())
                else:
                    self._send("application/json", json.dumps(_whole(block, body["model"])).encode())
            else:
                self._send("application/json", b"{}")

        def do_GET(self) -> None:
            self._send("application/json", b'{"data": [], "has_more": false}')

        do_HEAD = do_GET  # noqa: N815

        def _send(self, kind: str, data: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Handler
