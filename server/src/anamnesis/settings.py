"""The table of all settings: name, variable, default, what a value must look like, and which source won.

`config` reads the environment and config.json; this module knows the settings. The environment beats the
file, the file beats the default; an empty value counts as not set. A dotted name (`reflection.model`) is a
key inside an object in config.json. Values are strings here: `resolve_number` returns a number, and
`model.resolve_endpoint` returns the model settings as one object.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis.config import environment, host_name, read_config, resolve_home
from anamnesis.errors import ConfigError, GitError
from anamnesis.files import lock, read_regular, write_object
from anamnesis.layout import CONFIG_NAME, WRITE_LOCK

Kind = Literal["text", "folder", "number", "count", "switch", "url", "choice", "remote", "name", "secret"]
Source = Literal["environment", "config.json", "default"]

PROVIDERS = ("heuristic", "deepseek", "openai", "local")
CAPTURE_MODES = ("all", "interactive", "none")
_LONGEST_NAME = 100  # more than any host name has in practice
_NAME_SIGNS = " ._-'’()"
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Setting(NamedTuple):
    """One thing a user can set."""

    name: str
    variable: str
    default: str
    about: str
    kind: Kind = "text"
    fallbacks: tuple[str, ...] = ()  # more variables, read after config.json
    choices: tuple[str, ...] = ()  # all valid values

    @property
    def secret(self) -> bool:
        """Whether its value is never shown."""
        return self.kind == "secret"


class Resolved(NamedTuple):
    """A setting with its current value, its source, and the variable if that is the source."""

    setting: Setting
    value: str
    source: Source
    variable: str = ""

    @property
    def shown(self) -> str:
        """The value to print; for a secret, only that it is set."""
        return "********" if self.setting.secret and self.value else self.value


def _setting(
    name: str, default: str, about: str, kind: Kind = "text", *, variable: str = "", **more: tuple[str, ...]
) -> Setting:
    variable = variable or f"ANAMNESIS_{name.upper().replace('.', '_')}"
    return Setting(name, variable, default, about, kind, **more)


_SECONDS = "seconds a command waits for a silent remote (the background waits ten minutes)"
_WHICH = "which sessions become notes: all, interactive (scripted ones only when they changed a file), none"
_EXCLUDED = "projects or folders that are not captured: keys or paths as globs, separated by commas"
_URL = "address that /chat/completions is added to; local: http://127.0.0.1:11434/v1"
_KEYS = ("DEEPSEEK_API_KEY", "OPENAI_API_KEY")

SETTINGS = (
    _setting("home", "~/.anamnesis", "where the store is", "folder"),
    _setting("machine_id", "", "this machine's name; the host name when not set", "name"),
    _setting("remote", "", "the git remote to sync with", "remote", variable="ANAMNESIS_GIT_REMOTE"),
    _setting("sync_timeout", "10", _SECONDS, "number"),
    _setting("import_native", "1", "whether sync imports Claude Code's own memory files", "switch"),
    _setting("capture", "interactive", _WHICH, "choice", choices=CAPTURE_MODES),
    _setting("capture_exclude", "", _EXCLUDED),
    _setting(
        "reflection.provider",
        "heuristic",
        "heuristic (no model), deepseek, openai, or local",
        "choice",
        choices=PROVIDERS,
    ),
    _setting("reflection.model", "", "the model's name on its server"),
    _setting("reflection.base_url", "", _URL, "url"),
    _setting("reflection.api_key", "", "key for the model's server", "secret", fallbacks=_KEYS),
    _setting("reflection.timeout", "30", "seconds one call may take", "number"),
    _setting(
        "reflection.max_tokens", "120000", "input tokens one run may send (four characters each)", "count"
    ),
    _setting("reflect_min_episodics", "5", "session notes a project needs before it is reflected", "count"),
)


def find_setting(name: str) -> Setting:
    """The setting with this name; ConfigError if there is none."""
    for setting in SETTINGS:
        if setting.name == name:
            return setting
    known = ", ".join(setting.name for setting in SETTINGS)
    raise ConfigError(f"there is no setting {name[:80]!r}; the settings are: {known}")


def resolve(name: str, *, home: Path | None = None) -> Resolved:
    """The current value of a setting, as found: not checked yet."""
    setting = find_setting(name)
    if value := environment(setting.variable):
        return Resolved(setting, value, "environment", setting.variable)
    # config.json is in the home folder, so it cannot set that folder.
    stored = "" if setting.kind == "folder" else _stored(read_config(home or resolve_home()), name)
    if stored:
        return Resolved(setting, stored, "config.json")
    for variable in setting.fallbacks:
        if value := environment(variable):
            return Resolved(setting, value, "environment", variable)
    return Resolved(setting, _default(setting), "default")


def resolve_all(*, home: Path | None = None) -> list[Resolved]:
    """Every setting with its current value, in the order of the table."""
    return [resolve(setting.name, home=home) for setting in SETTINGS]


def is_model_provider(provider: str) -> bool:
    """Whether this provider uses a model."""
    return provider in PROVIDERS and provider != "heuristic"


def resolve_number(name: str, *, home: Path | None = None) -> float:
    """A setting as a positive number; ConfigError says where an invalid one is set."""
    resolved = resolve(name, home=home)
    try:
        return float(checked(resolved.setting, resolved.value))
    except ConfigError as exc:
        where = resolved.variable or CONFIG_NAME
        raise ConfigError(f"{where}: {exc}") from exc


def resolve_switch(name: str, *, home: Path | None = None) -> bool:
    """A setting as a boolean; anything that is not a clear no is a yes."""
    return resolve(name, home=home).value.lower() not in _FALSE


def checked(setting: Setting, text: str) -> str:
    """`text` as a normalised value of `setting`; ConfigError if it is invalid."""
    value = text.strip()
    if not value or any(not char.isprintable() for char in value):
        raise ConfigError(f"{setting.name} needs a value of one printable line; to clear it, unset it")
    problem = _problem(setting, value)
    if problem:
        shown = "the value given" if setting.secret else repr(value[:80])
        raise ConfigError(f"{setting.name}: {shown} {problem}")
    return _full_remote(value) if setting.kind == "remote" else value


def save(name: str, text: str | None, *, home: Path | None = None) -> None:
    """Set `name` in config.json, or remove it if `text` is None; all other keys stay unchanged."""
    setting = find_setting(name)
    if setting.kind == "folder":
        raise ConfigError(f"{name} cannot be stored in the store itself; export {setting.variable} instead")
    value = None if text is None else checked(setting, text)
    folder = home or resolve_home()
    with lock(folder / WRITE_LOCK, timeout=5) as held:
        if not held:
            raise ConfigError(f"{folder / CONFIG_NAME} is being changed by another process; try again")
        config = _read_whole(folder / CONFIG_NAME)
        _place(config, name, value)
        write_object(folder / CONFIG_NAME, config, indent=2)


def _default(setting: Setting) -> str:
    if setting.name == "machine_id":
        return host_name()
    return os.path.expanduser(setting.default) if setting.kind == "folder" else setting.default


def _stored(config: dict[str, object], name: str) -> str:
    group, _, key = name.rpartition(".")
    holder = config.get(group) if group else config
    value = holder.get(key) if isinstance(holder, dict) else None
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _problem(setting: Setting, value: str) -> str:
    """What is wrong with `value`; "" if it is valid."""
    kind = setting.kind
    if kind == "choice" and value not in setting.choices:
        return f"is not one of: {', '.join(setting.choices)}"
    is_named = value[0].isalnum() and all(char.isalnum() or char in _NAME_SIGNS for char in value)
    if kind == "name" and not (is_named and len(value) <= _LONGEST_NAME):
        return "is not a name; use letters, digits and '-', and start with a letter or digit, like `laptop`"
    if kind == "switch" and value.lower() not in _TRUE + _FALSE:
        return "is neither yes nor no; use 1 or 0"
    if kind == "url" and not value.startswith(("http://", "https://")):
        return "is not an address; give one that starts with http:// or https://"
    if kind == "count" and not (value.isascii() and value.isdigit() and 0 < int(value) <= 10**9):
        return f"is not a whole number above 0; use one such as {setting.default}"
    is_decimal = value.isascii() and value.replace(".", "", 1).isdigit()
    if kind == "number" and not (is_decimal and 0 < float(value) <= 86_400):
        return f"is not a number of seconds above 0; use one such as {setting.default}"
    return ""


def _full_remote(value: str) -> str:
    """A valid remote, with the absolute path of a folder."""
    # capture reads settings and should not wait for this import
    from anamnesis.address import check_remote, full_remote

    try:
        check_remote(value)
        return full_remote(value)
    except GitError as exc:
        raise ConfigError(str(exc)) from exc


def _read_whole(path: Path) -> dict[str, object]:
    """The file's settings; ConfigError if it cannot be read, so that a change never discards the others."""
    try:
        config = json.loads(read_regular(path, follow=True))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{path} is not valid JSON; fix or remove it first") from exc
    if not isinstance(config, dict):
        raise ConfigError(f"{path} is not a JSON object; fix or remove it first")
    return config


def _place(config: dict[str, object], name: str, value: str | None) -> None:
    group, _, key = name.rpartition(".")
    holder = config.get(group) if group else config
    if not isinstance(holder, dict):
        holder = config[group] = {}
    if value is None:
        holder.pop(key, None)
        if group and not holder:
            config.pop(group)
    else:
        holder[key] = value
