"""Where the store is, which machine this is, what the user set: the only reader of the environment.

A setting comes from the environment, else from `<home>/config.json`, else from its default.
A missing or broken config.json counts as empty: a hook must never fail on it. The table of all settings,
and which source won, is `anamnesis.settings`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from anamnesis.files import entries_in, read_object
from anamnesis.layout import ALIASES_FOLDER, CONFIG_NAME, GLOBAL, MEMORY

_MOST_ALIASES, _MAX_ALIAS = 500, 10_000


def home_folder() -> str:
    """The store root as a string: ANAMNESIS_HOME, else ~/.anamnesis."""
    return os.path.expanduser(os.environ.get("ANAMNESIS_HOME") or os.path.join("~", ".anamnesis"))


def resolve_home() -> Path:
    """The store root: ANAMNESIS_HOME, else ~/.anamnesis."""
    return Path(home_folder())


def resolve_machine_id() -> str:
    """This machine's name: ANAMNESIS_MACHINE_ID, else config.json, else the host name, else "unknown"."""
    named = os.environ.get("ANAMNESIS_MACHINE_ID") or _text(_store_config().get("machine_id"))
    return named or host_name()


def host_name() -> str:
    """The machine's name when none is configured: its host name."""
    return os.uname().nodename or "unknown"


def has_program(name: str) -> bool:
    """Whether a program is on the PATH."""
    folders = environment("PATH").split(os.pathsep)
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in folders if folder)


def resolve_remote() -> str | None:
    """The git remote: ANAMNESIS_GIT_REMOTE, else config.json, else None."""
    return os.environ.get("ANAMNESIS_GIT_REMOTE") or _text(_store_config().get("remote")) or None


def resolve_claude_dir() -> Path:
    """The client's own folder: CLAUDE_CONFIG_DIR, else ~/.claude."""
    return Path(os.path.expanduser(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")))


def resolve_codex_dir() -> Path:
    """The Codex CLI's own folder: CODEX_HOME, else ~/.codex."""
    return Path(os.path.expanduser(os.environ.get("CODEX_HOME") or os.path.join("~", ".codex")))


def resolve_entrypoint() -> str:
    """How the client says it was started: `cli` by a person, `sdk-...` by a program."""
    return environment("CLAUDE_CODE_ENTRYPOINT")


def resolve_client_config() -> Path:
    """The client's file of MCP servers, which is next to ~/.claude, not inside it."""
    return Path(os.path.expanduser(os.environ.get("CLAUDE_CONFIG_DIR") or "~")) / ".claude.json"


def resolve_aliases() -> dict[str, str]:
    """Renamed project keys: old key to current key.

    They come from `project_aliases` in config.json and from the synced files under memory/aliases.
    """
    found = _store_config().get("project_aliases")
    pairs = dict(found) if isinstance(found, dict) else {}
    for entry in _synced_aliases():
        if isinstance(old := entry.get("old"), str):  # anyone who can push writes these files
            pairs.setdefault(old, entry.get("new"))
    pairs.pop(GLOBAL, None)  # notes without a project belong to none, whatever was migrated
    texts = {old: new for old, new in pairs.items() if isinstance(old, str) and isinstance(new, str) and new}
    return {old: _end_of(old, texts) for old in texts}


def _synced_aliases() -> Iterator[dict[str, object]]:
    folder = os.path.join(home_folder(), MEMORY, ALIASES_FOLDER)
    for name in sorted(entry.name for entry in entries_in(folder))[:_MOST_ALIASES]:
        if name.endswith(".json"):
            yield read_object(os.path.join(folder, name), most=_MAX_ALIAS)


def _end_of(key: str, pairs: dict[str, str]) -> str:
    """The last key in a chain of renames; for a cycle, the key it started from."""
    seen = [key]
    while (following := pairs.get(seen[-1])) is not None and following not in seen:
        seen.append(following)
    return key if following in seen else seen[-1]


def environment(variable: str) -> str:
    """The value of `variable` in the environment, stripped; "" when it is not set."""
    return os.environ.get(variable, "").strip()


def set_default(variable: str, value: str) -> None:
    """Set a variable that a library reads at import, unless the user has set it."""
    os.environ.setdefault(variable, value)


def set_variable(variable: str, value: str) -> None:
    """Set a variable that a library reads at import, whatever the user has set."""
    os.environ[variable] = value


def whole_environment() -> dict[str, str]:
    """A copy of the environment, for a child process that may need any of it."""
    return dict(os.environ)


def read_config(home: str | Path) -> dict[str, object]:
    """The content of `<home>/config.json`; {} if it is missing or not a JSON object."""
    return read_object(os.path.join(home, CONFIG_NAME))


def _store_config() -> dict[str, object]:
    return read_config(home_folder())


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
