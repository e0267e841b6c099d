"""What the MCP engine answers to a client that just connected: the snapshot of `serve`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from anamnesis import __version__
from anamnesis.cli.handshake import PROJECT

PLACE = "server/src/anamnesis/cli/snapshot.json"
ASKED = (
    "initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/list",
    "resources/templates/list",
)  # fmt: skip
PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # the answers are the same in each
_ENGINE = "from anamnesis.server import main; main()"

Message = dict[str, object]


def snapshot_files() -> dict[str, str]:
    """Path below the root of the repository, and text."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-snapshot-") as folder:
        marked = Path(folder) / "marked"
        (marked / ".anamnesis").mkdir(parents=True)
        (marked / ".anamnesis" / "project").write_text(PROJECT, encoding="utf-8")
        here = ask_engine(ASKED, marked)
        nowhere = ask_engine(ASKED[:1], Path(folder))
    instructions = {"here": _take_instructions(here), "nowhere": _take_instructions(nowhere)}
    found = {
        "version": __version__,
        "protocols": PROTOCOLS,
        "instructions": instructions,
        "answers": here,
    }
    return {PLACE: json.dumps(found, indent=1, sort_keys=True) + "\n"}


def ask_engine(methods: Sequence[str], folder: Path, *, protocol: str = PROTOCOLS[-1]) -> dict[str, Message]:
    """The engine's answer to each request of one session in `folder`: a result or an error."""
    env = {**os.environ, "ANAMNESIS_HOME": str(folder / "store"), "FASTMCP_ENV_FILE": os.devnull}
    client = {"name": "snapshot", "version": "0"}
    hello = {"protocolVersion": protocol, "capabilities": {}, "clientInfo": client}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": hello if not place else {}})
        for place, method in enumerate(methods)
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", _ENGINE],
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=env,
    ) as engine:
        if engine.stdin is None or engine.stdout is None:
            raise BrokenPipeError("the engine was started without pipes")
        said: dict[str, Message] = {}
        for line in lines:
            engine.stdin.write(line.encode() + b"\n")
            engine.stdin.flush()
            answer = json.loads(engine.stdout.readline())
            said[answer["id"]] = {key: answer[key] for key in ("result", "error") if key in answer}
            if len(said) == 1:
                engine.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        engine.stdin.close()
    return said


def _take_instructions(said: dict[str, Message]) -> str:
    """Remove the instructions from the greeting and return them; they differ between sessions."""
    result = said[ASKED[0]]["result"]
    if not isinstance(result, dict):
        return ""
    del result["protocolVersion"]
    return str(result.pop("instructions"))
