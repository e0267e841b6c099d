"""Claude Code on this machine: its settings file, and the MCP servers that it knows."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from anamnesis.config import resolve_claude_dir
from anamnesis.errors import ConfigError
from anamnesis.files import read_object, write_atomic

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


def has_client() -> bool:
    """Whether the client's command is there to be asked."""
    return shutil.which("claude") is not None


def why_not() -> str:
    """Why the client did not take a server, as far as that is known."""
    return "`claude` refused it" if has_client() else "there is no `claude` command on the PATH"


def unregister(name: str) -> bool:
    """Remove the server from the user scope; whether it was there."""
    return _claude(["mcp", "remove", "--scope", "user", name])


def our_servers(path: Path) -> dict[str, dict[str, object]]:
    """The entries that start Anamnesis, by name; none when the file cannot be read."""
    entries = read_object(path).get("mcpServers")
    found = entries.items() if isinstance(entries, dict) else ()
    return {name: entry for name, entry in found if isinstance(entry, dict) and _starts_anamnesis(entry)}


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


def _starts_anamnesis(entry: dict[str, object]) -> bool:
    args = entry.get("args")
    words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    return words[-1] == "serve" and any(os.path.basename(word) == "anamnesis" for word in words)


def settings_path() -> Path:
    """The user's settings.json: in CLAUDE_CONFIG_DIR, else in ~/.claude."""
    return resolve_claude_dir() / "settings.json"


def read_settings(path: Path) -> dict[str, object]:
    """The settings in the file, {} when there is none; ConfigError when it is not a JSON object."""
    try:
        found = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{path} is not valid JSON ({exc}); fix it and run init again") from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read ({exc.strerror}); check its permissions") from exc
    if not isinstance(found, dict):
        raise ConfigError(f"{path} does not hold a JSON object; fix it and run init again")
    return found


def write_settings(path: Path, settings: Mapping[str, object]) -> Path | None:
    """Replace the file if `settings` differ; returns the path of the backup, None when there is none.

    A settings file that is a link stays a link: its target is replaced.
    """
    target = Path(os.path.realpath(path))
    before = target.read_bytes() if target.exists() else None
    if before is not None and read_settings(target) == settings:
        return None
    # Escape non-ASCII letters only when a lone surrogate cannot be encoded.
    text = json.dumps(settings, indent=2, ensure_ascii=not _is_encodable(settings)) + "\n"
    backup = None
    mode = 0o600
    if before is not None:
        mode = target.stat().st_mode & 0o777
        backup = path.with_name(path.name + ".bak")
        write_atomic(backup, before, mode=mode)
    write_atomic(target, text.encode(), mode=mode)
    return backup


def _is_encodable(settings: Mapping[str, object]) -> bool:
    try:
        json.dumps(settings, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
