"""The client's command line: registering the MCP server with `claude mcp`, and removing it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence

_TIMEOUT = 60.0


def mcp_entry(command: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, object]:
    """The server's entry in a client's configuration."""
    entry: dict[str, object] = {"command": command[0], "args": [*command[1:], "serve"]}
    if env:
        entry["env"] = dict(env)
    # The client then waits for the server and shows its tools in the first request.
    return {**entry, "alwaysLoad": True}


def registration_line(name: str, command: Sequence[str], env: Mapping[str, str]) -> str:
    """The shell command that registers the server."""
    return shlex.join(["claude", *_add(name, command, env)])


def register(name: str, command: Sequence[str], env: Mapping[str, str]) -> bool:
    """Register the server at user scope, replacing an earlier one; whether the client accepted it."""
    entry = json.dumps({"type": "stdio", **mcp_entry(command, env)})
    as_json = ["mcp", "add-json", "--scope", "user", name, entry]
    if _claude(as_json):
        return True
    unregister(name)  # a second registration of the same name is refused
    return _claude(as_json) or _claude(_add(name, command, env))


def unregister(name: str) -> bool:
    """Remove the server from the user scope; whether it was there."""
    return _claude(["mcp", "remove", "--scope", "user", name])


def _add(name: str, command: Sequence[str], env: Mapping[str, str]) -> list[str]:
    # The name must come before -e, which takes every word up to the next option.
    pairs = [word for key, value in env.items() for word in ("-e", f"{key}={value}")]
    return ["mcp", "add", "--scope", "user", "--transport", "stdio", name, *pairs, "--", *command, "serve"]


def _claude(words: list[str]) -> bool:
    client = shutil.which("claude")
    if client is None:
        return False
    try:
        done = subprocess.run(
            [client, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
