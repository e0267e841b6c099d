"""`serve`: the MCP server for a client; `dashboard`: the pages for a browser.

A client delays the session's first request until it has the tools; importing the engine takes a second or
more. So the handshake and the lists are answered from `snapshot.json`, which `make docs` records from the
engine. At the first other request the engine takes over: the handshake is replayed to it, its reply dropped.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anamnesis import __version__
from anamnesis.cli.output import tell
from anamnesis.config import home_folder, set_variable
from anamnesis.files import parse_object, read_object
from anamnesis.layout import GLOBAL
from anamnesis.project import place_of
from anamnesis.text import defang_key

Message = dict[str, Any]
SNAPSHOT = os.path.join(os.path.dirname(__file__), "snapshot.json")
PROJECT = "{project}"  # placeholder in the snapshot for this project's key
_REPLAYED = "anamnesis-replayed-greeting"
_READ_BYTES = 1 << 16
_LAST_ANSWER_SECONDS = 60.0  # after the client has gone; enough for a sync over a slow network


def cmd_serve(args: object = None) -> int:
    """Run the MCP server on stdin and stdout until the client disconnects."""
    # FastMCP would read settings from a .env file in the working directory, which is the user's project.
    set_variable("FASTMCP_ENV_FILE", os.devnull)
    # Python's default Ctrl-C handling waits for the thread that reads stdin, which waits for a line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin is not None and sys.stdin.isatty():
        tell("serving MCP on standard input; Ctrl-C ends it, `anamnesis --help` lists the commands")
    replayed = answer_first_requests()
    if replayed is None:
        return 0
    engine = import_module("anamnesis.server")
    pipe = _Pipe(replayed)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(pipe))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(pipe))
    engine.main()
    return 0


def cmd_dashboard(args: argparse.Namespace) -> int:
    """Serve the dashboard to a browser on this machine until interrupted."""
    import webbrowser

    from anamnesis.dashboard import app, pages
    from anamnesis.dashboard.guard import Login

    def _ready(login: Login) -> None:
        if not (args.origin or pages.is_built(pages.STATIC)):
            tell("the dashboard's page has not been built, so only the API is served; run `make dashboard`")
        # Printed last, so that a script that waits for the address has seen everything else.
        tell(f"the dashboard is at {login.address} (Ctrl-C ends it)")
        if args.open:
            webbrowser.open(login.one_time_address)

    app.serve(port=args.port, origins=args.origin, ready=_ready)
    return 0


def answer_first_requests() -> bytes | None:
    """Answer the client's first requests; returns the input for the engine, None if the client left."""
    snapshot: Message = dict(read_object(SNAPSHOT))
    if snapshot.get("version") != __version__ or find_spec("fastmcp") is None:
        return b""  # the engine will report the problem
    project = place_of(".", home=home_folder()).default
    text = snapshot["instructions"]["nowhere" if project == GLOBAL else "here"]
    snapshot["answers"]["initialize"]["result"]["instructions"] = text.replace(PROJECT, defang_key(project))
    to_replay: list[bytes] = []  # the handshake and notifications
    unread = b""
    while chunk := os.read(0, _READ_BYTES):
        *lines, unread = (unread + chunk).split(b"\n")
        while lines:
            message = parse_object(lines[0]) or {}
            method, is_request = message.get("method"), "id" in message
            answer = _answer_from(snapshot, message) if is_request else None
            if answer is None and (is_request or not isinstance(method, str)):
                return b"\n".join([*to_replay, *lines, unread])
            if answer is not None:
                _write_all(1, json.dumps(answer).encode() + b"\n")
            if method == "initialize":
                message["id"] = _REPLAYED
            if answer is None or method == "initialize":
                to_replay.append(json.dumps(message).encode())
            if method == "tools/list":
                # The client has what it waits for; load the engine before it needs more.
                threading.Thread(target=import_module, args=("anamnesis.server",), daemon=True).start()
            del lines[0]
    return None


def _answer_from(snapshot: Message, message: Message) -> Message | None:
    """The reply to a request; None if only the engine can answer it."""
    method, params = message.get("method"), _params_of(message)
    known = snapshot["answers"].get(method) if isinstance(method, str) else None
    if known is None or params.get("cursor"):
        return None
    if method == "initialize":
        if (protocol := params.get("protocolVersion")) not in snapshot["protocols"]:
            return None
        known = {"result": {**known["result"], "protocolVersion": protocol}}
    return {"jsonrpc": "2.0", "id": message["id"], **known}


class _Pipe(io.RawIOBase):
    """Stdin and stdout for the engine, line by line: both in one, to know what is unanswered.

    Reading gives the bytes already read, then those of the client. It ends only once every request is
    answered, because the engine drops open requests at the end of its input. Writing passes everything on
    except the reply to the replayed handshake.
    """

    def __init__(self, first: bytes) -> None:
        self._source, self._sink = os.dup(0), os.dup(1)
        # What a tool prints, or a child process reads, must not get between the client and the engine.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self._unread = self._ready = self._unsent = b""
        self._open: set[str] = set()  # the ids of requests without an answer
        self._changed = threading.Condition()
        self._feed(first)

    def readable(self) -> bool:
        """Always true."""
        return True

    def writable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what is available; 0 at the end."""
        room = memoryview(buffer)
        while not self._ready and (chunk := os.read(self._source, _READ_BYTES)):
            self._feed(chunk)
        if not self._ready and self._unread:
            self._feed(b"\n")  # the engine reads whole lines
        if not self._ready:
            # The client is gone. The signal ends this process even if a thread never does.
            signal.setitimer(signal.ITIMER_REAL, _LAST_ANSWER_SECONDS)
            with self._changed:
                self._changed.wait_for(lambda: not self._open)
        taken, self._ready = self._ready[: len(room)], self._ready[len(room) :]
        room[: len(taken)] = taken
        return len(taken)

    def _feed(self, chunk: bytes) -> None:
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        self._ready += b"".join(map(self._take, lines))

    def _take(self, line: bytes) -> bytes:
        message = parse_object(line) or {}
        is_request = "method" in message and isinstance(message.get("id"), str | int)
        cancelled = _params_of(message).get("requestId")
        self._note(message.get("id") if is_request else cancelled, is_open=is_request)
        if b"\\ud" in line.lower() and message:
            # The engine would not answer a request with half an emoji in it.
            line = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        return line + b"\n"

    def write(self, data: Any) -> int:
        """Pass the bytes on, all of them."""
        *lines, self._unsent = (self._unsent + bytes(data)).split(b"\n")
        for line in lines:
            message = parse_object(line) or {}
            if message.get("id") != _REPLAYED:
                _write_all(self._sink, line + b"\n")
            if "method" not in message:
                self._note(message.get("id"), is_open=False)
        return len(memoryview(data))

    def _note(self, number: object, *, is_open: bool) -> None:
        with self._changed:
            (self._open.add if is_open else self._open.discard)(json.dumps(number))
            self._changed.notify_all()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _params_of(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}
