"""Claude Code on this machine: the command it uses to run us, its settings file, its MCP servers."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from anamnesis import settings
from anamnesis.address import has_password
from anamnesis.config import resolve_claude_dir
from anamnesis.errors import ConfigError
from anamnesis.files import read_object
from anamnesis.layout import CONFIG_NAME
from anamnesis.onboard.files import Change, Setup, apply_change, json_text, parsed, read_text, server_entry
from anamnesis.programs import succeeds

_CLIENT_SECONDS = 60.0  # that `claude mcp` may take
_SERVER_FOLDER = Path(__file__).resolve().parents[3]


def mcp_entry(command: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, object]:
    """The server's entry in a client's configuration."""
    # Makes the client wait for the server and show its tools in the first request.
    return {**server_entry(Setup(command, env or {})), "alwaysLoad": True}


def registration_line(name: str, command: Sequence[str], env: Mapping[str, str]) -> str:
    """The shell command that registers the server."""
    return shlex.join(["claude", *_add(name, command, env)])


def register(name: str, command: Sequence[str], env: Mapping[str, str]) -> bool:
    """Register the server at user scope, replacing an earlier one; returns whether the client accepted it."""
    entry = json.dumps({"type": "stdio", **mcp_entry(command, env)})
    as_json = ["mcp", "add-json", "--scope", "user", name, entry]
    if _claude(as_json):
        return True
    unregister(name)  # the client refuses to register a name twice
    return _claude(as_json) or _claude(_add(name, command, env))


def has_client() -> bool:
    """Whether the client's command is installed."""
    return shutil.which("claude") is not None


def why_not() -> str:
    """Why the client did not register a server, as far as we know."""
    return "`claude` refused it" if has_client() else "there is no `claude` command on the PATH"


def unregister(name: str) -> bool:
    """Remove the server from the user scope; returns whether it was there."""
    return _claude(["mcp", "remove", "--scope", "user", name])


def our_servers(path: Path) -> dict[str, dict[str, object]]:
    """The entries that start Anamnesis, by name; none if the file cannot be read."""
    entries = read_object(path).get("mcpServers")
    pairs = entries.items() if isinstance(entries, dict) else ()
    return {name: entry for name, entry in pairs if isinstance(entry, dict) and _starts_anamnesis(entry)}


def _add(name: str, command: Sequence[str], env: Mapping[str, str]) -> list[str]:
    # The name must come before -e, which consumes every word up to the next option.
    pairs = [word for key, value in env.items() for word in ("-e", f"{key}={value}")]
    return ["mcp", "add", "--scope", "user", "--transport", "stdio", name, *pairs, "--", *command, "serve"]


def _claude(words: list[str]) -> bool:
    client = shutil.which("claude")
    return client is not None and succeeds([client, *words], seconds=_CLIENT_SECONDS)


def _starts_anamnesis(entry: dict[str, object]) -> bool:
    args = entry.get("args")
    words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    return words[-1] == "serve" and any(os.path.basename(word) == "anamnesis" for word in words)


def settings_path() -> Path:
    """The user's settings.json: in CLAUDE_CONFIG_DIR, else in ~/.claude."""
    return resolve_claude_dir() / "settings.json"


def read_settings(path: Path) -> dict[str, object]:
    """The settings in the file, {} if there is none; ConfigError if it is not a JSON object."""
    return parsed(read_text(path), path)


def settings_in(text: str | None) -> dict[str, object]:
    """The settings in the text of the file."""
    return parsed(text, settings_path())


def write_settings(path: Path, settings: Mapping[str, object]) -> Path | None:
    """Replace the file if `settings` differ; returns the path of the backup, None if there is none."""
    before = read_text(path)
    if before is not None and parsed(before, path) == settings:
        return None
    return apply_change(Change(path, before, json_text(settings)))


def detect_command(
    *, command: str | None = None, uv_project: str | os.PathLike[str] | None = None
) -> list[str]:
    """The words that start Anamnesis: as given, through uv, as installed, or from the checkout."""
    if command:
        return _split(command)
    if uv_project:
        return _through_uv(Path(uv_project))
    installed = shutil.which("anamnesis")
    if installed is None and not (_SERVER_FOLDER / "pyproject.toml").is_file():
        # Installed outside PATH and not from a checkout: the script is next to the interpreter.
        installed = os.path.join(os.path.dirname(sys.executable), "anamnesis")
    return [os.path.abspath(installed)] if installed else _through_uv(_SERVER_FOLDER)


def is_this_installation(program: str) -> bool:
    """Whether a program uses this interpreter, so that we know its packages."""
    place = os.path.dirname(os.path.realpath(shutil.which(program) or program))
    return place == os.path.dirname(os.path.abspath(sys.executable))


def build_env(
    *, machine_id: str, remote: str | None = None, home: str | os.PathLike[str] | None = None
) -> dict[str, str]:
    """The ANAMNESIS_* variables for hooks and server; the home only if it is not the default.

    A remote with a password is left out: other programs read the client's files, and it is in config.json.
    """
    env = {"ANAMNESIS_MACHINE_ID": machine_id}
    if remote and not has_password(remote):
        env["ANAMNESIS_GIT_REMOTE"] = remote
    if home is not None and _absolute(home) != _absolute(settings.find_setting("home").default):
        env["ANAMNESIS_HOME"] = _absolute(home)
    return env


def write_store_config(home: Path, *, machine_id: str, remote: str | None = None) -> Path:
    """Save machine id and remote in `<home>/config.json`; other keys stay, None removes the remote."""
    settings.save("machine_id", machine_id, home=home)
    settings.save("remote", remote, home=home)
    return home / CONFIG_NAME


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as exc:
        raise ConfigError(
            f"--command {command!r} has an unclosed quote ({exc}); quote it for a shell"
        ) from exc
    if not words:
        raise ConfigError("--command is empty; give the command that starts anamnesis")
    return words


def _through_uv(project: Path) -> list[str]:
    return ["uv", "run", "--project", _absolute(project), "anamnesis"]


def _absolute(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(os.path.expanduser(path))
