"""The commands that keep running: `serve` for the client, `dashboard` for a browser.

A client delays the session's first request until it has the tools, and gives up on a server that does not
answer within a few seconds; importing the engine takes one or more. So the handshake and the lists, which are
the same for every session except for the project's key, are answered from `snapshot.json`, which `make docs`
records from the engine. At the first other request, the engine takes over: it gets the client's handshake
replayed, its reply to that is dropped, and from then on it talks to the client directly. If both the plugin
and the user's own entry start a server, the plugin's serves no tools.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from anamnesis import __version__
from anamnesis.cli.terminal import tell
from anamnesis.config import (
    home_folder,
    is_our_plugin,
    resolve_client_config,
    resolve_plugin_root,
    set_variable,
)
from anamnesis.files import parse_object, read_object
from anamnesis.layout import GLOBAL
from anamnesis.project import place_of
from anamnesis.text import defang_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Message = dict[str, object]

SNAPSHOT = os.path.join(os.path.dirname(__file__), "snapshot.json")
PROJECT = "{project}"  # placeholder in the snapshot for this project's key
_ENGINE = "anamnesis.server"
_REPLAYED = "anamnesis-replayed-greeting"
_CHUNK = 1 << 16
_LAST_ANSWER_SECONDS = 60.0  # after the client has gone; enough for a sync over a slow network
_GREETING, _TOOLS = "initialize", "tools/list"
_NO_SUCH_METHOD = -32601
_MALFORMED = "malformed-request"  # no such method, so the engine answers with an error


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `serve`: none."""
    parser.epilog = "Example:\n  claude mcp add --scope user anamnesis -- anamnesis serve"


def cmd_serve(args: argparse.Namespace | None = None) -> int:
    """Run the MCP server on stdin and stdout until the client disconnects."""
    # FastMCP would read settings from a .env file in the working directory, which is the user's project.
    set_variable("FASTMCP_ENV_FILE", os.devnull)
    # Python's default Ctrl-C handling waits for the thread that reads stdin, which waits for a line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if sys.stdin is not None and sys.stdin.isatty():
        tell("serving MCP on standard input; Ctrl-C ends it, `anamnesis --help` lists the commands")
    if (plugin_root := resolve_plugin_root()) and sys.stdin is not None and is_redundant(plugin_root):
        serve_without_tools()
        return 0
    replayed = answer_first_requests() if sys.stdin is not None else b""
    if replayed is None:
        return 0
    from anamnesis import server

    run_engine(replayed, server.main)
    return 0


class SnapshotServer:
    """Answers requests from the snapshot, and keeps the messages to replay to the engine."""

    def __init__(self, snapshot: Message, *, project: str) -> None:
        self._answers = _object(snapshot.get("answers"))
        self._instructions = _object(snapshot.get("instructions"))
        self._protocols = snapshot.get("protocols")
        self._project = project
        self.to_replay: list[Message] = []  # the handshake and notifications, as the client sent them

    def answer(self, message: Message) -> Message | None:
        """The reply to a request; None if only the engine can answer it."""
        method, params = message.get("method"), _object(message.get("params"))
        known = self._answers.get(method) if isinstance(method, str) else None
        if "id" not in message or not isinstance(known, dict) or params.get("cursor"):
            return None
        if method == _GREETING:
            if not isinstance(self._protocols, list) or params.get("protocolVersion") not in self._protocols:
                return None
            self.to_replay.append(message)
            result = {**_object(known.get("result")), "protocolVersion": params["protocolVersion"]}
            text = str(self._instructions.get("nowhere" if self._project == GLOBAL else "here", ""))
            known = {"result": {**result, "instructions": text.replace(PROJECT, self._project)}}
        return {"jsonrpc": "2.0", "id": message["id"], **known}

    def keep_notification(self, message: Message) -> bool:
        """Keep a notification for the engine; returns whether the message is one."""
        is_notification = "id" not in message and isinstance(message.get("method"), str)
        if is_notification:
            self.to_replay.append(message)
        return is_notification


def answer_first_requests() -> bytes | None:
    """Answer the client's first requests; returns the input for the engine, None if the client left."""
    snapshot = read_object(SNAPSHOT)
    if snapshot.get("version") != __version__ or find_spec("fastmcp") is None:
        return b""  # the engine will report the problem
    snapshot_server = SnapshotServer(snapshot, project=defang_key(place_of(".", home=home_folder()).default))
    unread = b""
    while chunk := os.read(0, _CHUNK):
        *lines, unread = (unread + chunk).split(b"\n")
        while lines:
            if not _answer_line(snapshot_server, lines[0]):
                return _replay(snapshot_server.to_replay) + b"\n".join([*lines, unread])
            del lines[0]
    return None


def _answer_line(snapshot_server: SnapshotServer, line: bytes) -> bool:
    """Answer a line from the snapshot; returns False if only the engine can."""
    message = _message(line)
    answer = snapshot_server.answer(message)
    if answer is None:
        return snapshot_server.keep_notification(message)
    _write_all(1, json.dumps(answer).encode() + b"\n")
    if message.get("method") == _TOOLS:
        # The client has what it waits for; load the engine before it needs more.
        threading.Thread(target=_load_engine, daemon=True).start()
    return True


def run_engine(first: bytes, run: Callable[[], None]) -> None:
    """Run the engine on the client's stdin and stdout; it reads `first` before anything else."""
    if first:
        source, sink = os.dup(0), os.dup(1)
        # What a tool prints, or a child process reads, must not get between the client and the engine.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        open_requests = _OpenRequests()
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Source(first, source, open_requests)))
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Sink(sink, open_requests)))
    run()


def is_redundant(plugin_root: str) -> bool:
    """Whether our plugin started this server although the client's settings start one too."""
    from anamnesis.onboard.client import our_servers  # the usual case: not started by the plugin

    return is_our_plugin(plugin_root) and bool(our_servers(resolve_client_config()))


def serve_without_tools() -> None:
    """Answer only the handshake, and serve no tools, until the client disconnects.

    Otherwise the client would show the tools of both servers, each with its schema.
    """
    for line in sys.stdin:
        answer = _answer_without_tools(_message(line))
        if answer:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _answer_without_tools(message: Message) -> Message:
    if "id" not in message or "method" not in message:
        return {}
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == _GREETING:
        version = _object(message.get("params")).get("protocolVersion")
        about = {"name": "anamnesis", "version": __version__}
        return {**head, "result": {"protocolVersion": version, "capabilities": {}, "serverInfo": about}}
    if message["method"] == "ping":
        return {**head, "result": {}}
    return {**head, "error": {"code": _NO_SUCH_METHOD, "message": "served by the user's own entry"}}


class _OpenRequests:
    """The requests that the engine has not answered yet, even if the client has closed its end."""

    def __init__(self) -> None:
        self._ids: set[object] = set()
        self._changed = threading.Condition()

    def ask(self, line: bytes) -> None:
        """Record a request, or that the client cancelled one."""
        message = _message(line)
        with self._changed:
            if "id" in message and _is_call(message):
                self._ids.add(_key(message["id"]))
            elif message.get("method") == "notifications/cancelled":
                self._ids.discard(_key(_object(message.get("params")).get("requestId")))

    def answer(self, message: Message) -> None:
        """Record a message from the engine to the client, usually an answer."""
        with self._changed:
            if "method" not in message:
                self._ids.discard(_key(message.get("id")))
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until every request is answered."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ids - {None})


def _is_call(message: Message) -> bool:
    """Whether a message is one that the engine answers or obeys."""
    is_sound = isinstance(message.get("method"), str) and isinstance(message.get("params"), dict | None)
    return is_sound and message.get("jsonrpc") == "2.0"


def _key(value: object) -> object:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


class _Source(io.RawIOBase):
    """The bytes already read, then those of a descriptor, line by line.

    It ends only once every request is answered, because the engine drops open requests at the end of its
    input.
    """

    def __init__(self, first: bytes, descriptor: int, requests: _OpenRequests) -> None:
        self._first = first
        self._descriptor = descriptor
        self._requests = requests
        self._unread = b""  # an incomplete line
        self._ready = b""

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer with what is available; 0 at the end."""
        room = memoryview(buffer)
        while not self._ready and (chunk := self._first or os.read(self._descriptor, _CHUNK)):
            self._first = b""
            *lines, self._unread = (self._unread + chunk).split(b"\n")
            self._ready = b"".join(self._record_and_clean(line) + b"\n" for line in lines)
        if not self._ready and self._unread:
            # The engine reads whole lines: it would get this one only at the end, which waits for its answer.
            self._ready, self._unread = self._record_and_clean(self._unread) + b"\n", b""
        if not self._ready:
            # The client is gone. The signal ends this process even if a thread never does.
            signal.setitimer(signal.ITIMER_REAL, _LAST_ANSWER_SECONDS)
            self._requests.wait()
        taken, self._ready = self._ready[: len(room)], self._ready[len(room) :]
        room[: len(taken)] = taken
        return len(taken)

    def _record_and_clean(self, line: bytes) -> bytes:
        line = _answerable(line)
        self._requests.ask(line)
        return line


def _answerable(line: bytes) -> bytes:
    """A line that the engine answers: it would ignore a malformed request, and one with a lone surrogate."""
    message = _message(line)
    if "method" in message and _key(message.get("id")) is not None and not _is_call(message):
        line = json.dumps({"jsonrpc": "2.0", "id": message["id"], "method": _MALFORMED}).encode()
    if b"\\ud" not in line.lower():
        return line
    try:
        return json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return line


class _Sink(io.RawIOBase):
    """Writes to a descriptor, line by line, everything except the reply to the replayed handshake."""

    def __init__(self, descriptor: int, requests: _OpenRequests) -> None:
        self._descriptor = descriptor
        self._requests = requests
        self._unfinished = b""

    def writable(self) -> bool:
        """Always true."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """Pass the bytes on, all of them."""
        *lines, self._unfinished = (self._unfinished + bytes(data)).split(b"\n")
        for line in lines:
            message = _message(line)
            if message.get("id") != _REPLAYED:
                _write_all(self._descriptor, line + b"\n")
            self._requests.answer(message)
        return len(memoryview(data))


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _replay(to_replay: list[Message]) -> bytes:
    again = [{**each, "id": _REPLAYED} if each.get("method") == _GREETING else each for each in to_replay]
    return b"".join(json.dumps(each).encode() + b"\n" for each in again)


def _load_engine() -> None:
    try:
        import_module(_ENGINE)
    except ImportError:
        return  # importing it again later reports what is missing


def _message(line: bytes | str) -> Message:
    return parse_object(line) or {}


def _object(value: object) -> Message:
    return value if isinstance(value, dict) else {}


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Arguments of `dashboard`."""
    parser.add_argument(
        "--port",
        type=_port,
        default=3000,
        metavar="N",
        help="port on localhost; 0: any free one (default %(default)s)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument(
        "--origin",
        type=_origin,
        action="append",
        default=[],
        metavar="URL",
        help="also accept pages from this address, and point there; for the front end's dev server",
    )
    parser.epilog = "Example:\n  anamnesis dashboard --open"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65_536):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port; use a number up to 65535")
    return int(text)


def _origin(text: str) -> str:
    """Parse an origin: scheme, host and port, without a path."""
    origin = text.removesuffix("/")
    scheme, between, host = origin.partition("://")
    if scheme not in ("http", "https") or not between or not host or "/" in host:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not an address such as http://localhost:3000")
    return origin


def cmd_dashboard(args: argparse.Namespace) -> int:
    """Serve the dashboard until interrupted."""
    # Starlette and uvicorn are an extra, and only this command loads them.
    import webbrowser

    from anamnesis.dashboard import app, pages
    from anamnesis.dashboard.guard import Login

    def _ready(login: Login) -> None:
        remark = "" if args.origin else pages.remark(pages.STATIC)
        if remark:
            tell(remark)
        # Printed last, so that a script that waits for the address has seen everything else.
        tell(f"the dashboard is at {login.address} (Ctrl-C ends it)")
        if args.open:
            webbrowser.open(login.one_time_address)

    app.serve(port=args.port, origins=args.origin, ready=_ready)
    return 0
