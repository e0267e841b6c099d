"""A fake of the other agents' APIs on loopback: one answer in each dialect, every request recorded.

/v1/responses                     OpenAI responses, for Codex
/v1/chat/completions              OpenAI chat, for Qwen Code and OpenCode
/v1beta/models/M:generateContent  Gemini
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Json = dict[str, object]
ANSWER = (
    "The cellar door was oiled and the hinge replaced, so it closes without a sound now. "
    "The cause was a screw that had come loose in the upper hinge."
)


class Dialects:
    """The server; `requests` are the bodies that reached a model."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()


def _responses() -> Iterator[Json]:
    message: Json = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    usage: Json = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": message}
    yield {"type": "response.completed", "response": {"id": "resp_1", "output": [message], "usage": usage}}


def _chat(*, stream: bool) -> Iterator[Json]:
    kind = "delta" if stream else "message"
    head: Json = {
        "id": "c1",
        "object": "chat.completion" + (".chunk" if stream else ""),
        "created": 1,
        "model": "m",
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    said = {"role": "assistant", "content": ANSWER}
    if stream:
        yield {**head, "choices": [{"index": 0, kind: said, "finish_reason": None}]}
        said = {}
    yield {**head, "choices": [{"index": 0, kind: said, "finish_reason": "stop"}], "usage": usage}


def _gemini() -> Json:
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    content = {"role": "model", "parts": [{"text": ANSWER}]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}


def _answer(path: str, body: Json) -> tuple[str, str]:
    """Content type and text of an answer."""
    if path.endswith("/responses"):
        return "text/event-stream", _stream(_responses(), named=True)
    if path.endswith("/chat/completions"):
        if not body.get("stream"):
            return "application/json", json.dumps(next(_chat(stream=False)))
        return "text/event-stream", _stream(_chat(stream=True)) + "data: [DONE]\n\n"
    if path.endswith(":streamGenerateContent"):
        return "text/event-stream", _stream(iter([_gemini()]))
    if path.endswith(":generateContent"):
        return "application/json", json.dumps(_gemini())
    if path.endswith(":countTokens"):
        return "application/json", '{"totalTokens": 10}'
    return "application/json", "{}"


def _stream(events: Iterator[Json], *, named: bool = False) -> str:
    return "".join(
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events
    )


def _handler(dialects: Dialects) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
            path = self.path.partition("?")[0]
            if not path.endswith(":countTokens"):
                dialects.requests.append(text)
            body = json.loads(text) if text.startswith("{") else {}
            self._send(*_answer(path, body))

        def do_GET(self) -> None:
            self._send("application/json", '{"data": [], "models": []}')

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
