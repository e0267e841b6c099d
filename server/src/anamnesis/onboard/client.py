"""Claude Code on this machine: our command, our hooks and permissions in its settings, its MCP servers.

Everything in its settings that is not ours stays: other keys, other hooks even inside our groups, the order.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from anamnesis import settings as store_settings
from anamnesis.address import split_login
from anamnesis.config import resolve_claude_dir
from anamnesis.errors import ConfigError
from anamnesis.files import read_object
from anamnesis.layout import CONFIG_NAME
from anamnesis.onboard.files import Change, Json, Setup, apply_change, checked, json_text, parsed, read_text
from anamnesis.programs import succeeds

Groups = list[dict[str, object]]

SERVER = "anamnesis"  # the name of our MCP server in every client
READ_TOOLS = ("memory_search", "memory_list", "memory_status")
_ALLOWED = [f"mcp__{SERVER}__{tool}" for tool in READ_TOOLS]
_COMMANDS = ("inject", "sync", "capture", "serve")
_PLUGIN = "anamnesis"
_SERVER_FOLDER = Path(__file__).resolve().parents[3]


# Our command


def detect_command(
    *, command: str | None = None, uv_project: str | os.PathLike[str] | None = None
) -> list[str]:
    """The words that start Anamnesis: as given, through uv, as installed, or from the checkout."""
    if command is not None:
        try:
            words = shlex.split(command)
        except ValueError as exc:
            raise ConfigError(f"--command {command!r} has an unclosed quote ({exc}); quote it") from exc
        if not words:
            raise ConfigError("--command is empty; give the command that starts anamnesis")
        return words
    if uv_project:
        return _through_uv(Path(uv_project))
    installed = shutil.which("anamnesis")
    if installed is None and not (_SERVER_FOLDER / "pyproject.toml").is_file():
        # Installed outside PATH and not from a checkout: the script is next to the interpreter.
        installed = os.path.join(os.path.dirname(sys.executable), "anamnesis")
    return [os.path.abspath(installed)] if installed else _through_uv(_SERVER_FOLDER)


def _through_uv(project: Path) -> list[str]:
    return ["uv", "run", "--project", _absolute(project), "anamnesis"]


def _absolute(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(os.path.expanduser(path))


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
    if remote and split_login(remote)[0] == remote:
        env["ANAMNESIS_GIT_REMOTE"] = remote
    if home is not None and _absolute(home) != _absolute(store_settings.find_setting("home").default):
        env["ANAMNESIS_HOME"] = _absolute(home)
    return env


def write_store_config(home: Path, *, machine_id: str, remote: str | None = None) -> Path:
    """Save machine id and remote in `<home>/config.json`; other keys stay, None removes the remote."""
    store_settings.save("machine_id", machine_id, home=home)
    store_settings.save("remote", remote, home=home)
    return home / CONFIG_NAME


# Its settings file


def settings_path() -> Path:
    """The user's settings.json: in CLAUDE_CONFIG_DIR, else in ~/.claude."""
    return resolve_claude_dir() / "settings.json"


def read_settings(path: Path) -> Json:
    """The settings in the file, {} if there is none; ConfigError if it is not a JSON object."""
    try:
        return parsed(read_text(path))
    except ConfigError as exc:
        raise ConfigError(f"{path}: {exc}") from exc


def write_settings(path: Path, settings: Mapping[str, object]) -> Path | None:
    """Replace the file if `settings` differ; returns the path of the backup, None if there is none."""
    before = read_text(path)
    if before is not None and read_settings(path) == settings:
        return None
    return apply_change(Change("claude", path, before, json_text(settings)))


def enabled_plugin(settings: Mapping[str, object]) -> str:
    """The name under which our plugin is enabled in the client; "" if it is not."""
    plugins = settings.get("enabledPlugins")
    names = plugins.items() if isinstance(plugins, dict) else ()
    return next((name for name, on in names if on is True and name.partition("@")[0] == _PLUGIN), "")


# Hooks


def build_hooks(command: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, Groups]:
    """The hook groups that run `command`, by event."""

    def _hook(words: str, **more: object) -> dict[str, object]:
        return {"type": "command", "command": f"{base} {words}", **more}

    base = command_line(command, env or {})
    inject = [_hook("inject", timeout=15)]
    return {
        "SessionStart": [
            {"matcher": "startup|resume|clear", "hooks": inject},
            {"matcher": "startup|resume", "hooks": [_hook("sync", **{"async": True})]},
            # Compaction drops the injected notes; without this, the rest of the session has no memory.
            {"matcher": "compact", "hooks": inject},
            # A fork continues another session; like a resumed one, it gets only what is new.
            {"matcher": "fork", "hooks": inject},
        ],
        "SessionEnd": [{"hooks": [_hook("capture", timeout=120)]}],
        "PreCompact": [{"hooks": [_hook("capture --source precompact --no-sync", timeout=60)]}],
    }


def command_line(command: Sequence[str], env: Mapping[str, str]) -> str:
    """A command line for a shell, with its variables in front."""
    return " ".join([*(f"{key}={shlex.quote(value)}" for key, value in env.items()), shlex.join(command)])


def split_command(line: str) -> tuple[dict[str, str], str]:
    """The variables in front of a command line, and the program it runs."""
    variables: dict[str, str] = {}
    for word in _words(line):
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            return variables, word
        variables[name] = value
    return variables, line


def merge_hooks(settings: Mapping[str, object], hooks: Mapping[str, Groups]) -> Json:
    """`settings` with our earlier groups replaced by `hooks`; everything else stays."""
    events = _foreign_events(settings)
    for event, groups in hooks.items():
        events[event] = [*_groups(events, event), *groups]
    return {**settings, "hooks": events}


def strip_hooks(settings: Mapping[str, object]) -> Json:
    """`settings` without our hooks; an event or block with only ours is removed too."""
    return without_empty(settings, "hooks", _foreign_events(settings))


def our_hooks(settings: Mapping[str, object]) -> list[tuple[str, str]]:
    """Event and command line of each of our hooks."""
    return [(event, line) for event, value in _events(settings).items() for line in our_commands(value)]


def our_commands(value: object) -> list[str]:
    """The command lines that start Anamnesis, from anywhere in a settings file, with their variables."""
    if isinstance(value, list):
        return [line for each in value for line in our_commands(each)]
    if not isinstance(value, dict):
        return []
    line = _line_of(value)
    nested = [line for each in value.values() for line in our_commands(each)]
    return [line, *nested] if _starts_anamnesis(line) else nested


def _line_of(entry: dict[str, object]) -> str:
    """The command line of a hook or an MCP server's entry; "" if it has none."""
    command, args, env = entry.get("command"), entry.get("args"), entry.get("env") or entry.get("environment")
    if isinstance(command, str) and not isinstance(args, list):
        return command
    words = [
        *(command if isinstance(command, list) else [command]),
        *(args if isinstance(args, list) else []),
    ]
    pairs = [f"{key}={value}" for key, value in env.items()] if isinstance(env, dict) else []
    return shlex.join([*pairs, *map(str, words)]) if command else ""


def _starts_anamnesis(line: str) -> bool:
    if "ANAMNESIS_" in line:
        return True
    pairs = pairwise(_words(line))
    return any(word.rpartition("/")[2] == "anamnesis" and after in _COMMANDS for word, after in pairs)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # an unclosed quote
        return line.split()


def _foreign_events(settings: Mapping[str, object]) -> Json:
    """The hooks that are not ours, by event; an event with only our hooks is dropped, an empty one stays."""
    events = _events(settings)
    kept = {event: list(_foreign_groups(_groups(events, event))) for event in events}
    return {event: groups for event, groups in kept.items() if groups or not events[event]}


def _foreign_groups(groups: list[object]) -> Iterator[object]:
    """The matcher groups without our hooks, and without groups that have no others."""
    for group in groups:
        entries = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(group, dict) or not isinstance(entries, list):
            yield group
            continue
        kept = [entry for entry in entries if not our_commands(entry)]
        if kept or not entries:
            yield {**group, "hooks": kept}


def _events(settings: Mapping[str, object]) -> Json:
    return checked(settings.get("hooks", {}), dict, "hooks")


def _groups(events: Mapping[str, object], event: str) -> list[object]:
    return checked(events.get(event, []), list, f"hooks.{event}")


def without_empty(settings: Mapping[str, object], key: str, value: object) -> Json:
    """`settings` with a new value under a key; without the key if it became empty."""
    is_kept = bool(value) or value == settings.get(key)
    return {name: each for name, each in {**settings, key: value}.items() if name != key or is_kept}


# Permissions


def allow_reading(settings: Mapping[str, object]) -> Json:
    """`settings` with our read-only tools allowed, so that the client does not ask."""
    permissions, allow = _permissions(settings)
    missing = [rule for rule in _ALLOWED if rule not in allow]
    if not missing or f"mcp__{SERVER}" in allow or f"mcp__{SERVER}__*" in allow:
        return dict(settings)
    return {**settings, "permissions": {**permissions, "allow": [*allow, *missing]}}


def strip_permissions(settings: Mapping[str, object]) -> Json:
    """`settings` without the permissions that `allow_reading` adds."""
    permissions, allow = _permissions(settings)
    kept = [rule for rule in allow if rule not in _ALLOWED]
    return without_empty(settings, "permissions", without_empty(permissions, "allow", kept))


def _permissions(settings: Mapping[str, object]) -> tuple[Json, list[object]]:
    permissions = checked(settings.get("permissions", {}), dict, "permissions")
    return permissions, checked(permissions.get("allow", []), list, "permissions.allow")


# Its MCP servers


def server_entry(setup: Setup) -> Json:
    """The MCP server's entry in the form that most agents use."""
    entry: Json = {"command": setup.command[0], "args": [*setup.command[1:], "serve"]}
    return {**entry, "env": dict(setup.env)} if setup.env else entry


def registration(setup: Setup) -> list[str]:
    """The command that registers the server; the client waits for it, and shows its tools at once."""
    entry = {"type": "stdio", **server_entry(setup), "alwaysLoad": True}
    return ["claude", "mcp", "add-json", "--scope", "user", SERVER, json.dumps(entry)]


def register(setup: Setup) -> bool:
    """Register the server at user scope, replacing an earlier one; returns whether the client accepted it."""
    words = registration(setup)
    # The client refuses to register a name twice.
    return _claude(words) or (unregister() and _claude(words))


def unregister() -> bool:
    """Remove the server from the user scope; returns whether it was there."""
    return _claude(["claude", "mcp", "remove", "--scope", "user", SERVER])


def why_not() -> str:
    """Why the client did not do what we asked, as far as we know."""
    return "`claude` refused it" if shutil.which("claude") else "there is no `claude` command on the PATH"


def our_servers(path: Path) -> dict[str, str]:
    """The command lines of the servers that start Anamnesis, by name; none if the file cannot be read."""
    entries = read_object(path).get("mcpServers")
    pairs = entries.items() if isinstance(entries, dict) else ()
    return {name: lines[0] for name, entry in pairs if (lines := our_commands(entry))}


def _claude(words: list[str]) -> bool:
    client = shutil.which("claude")
    return client is not None and succeeds([client, *words[1:]], seconds=60)
