"""How this machine runs Anamnesis: the command of hooks and MCP entry, its environment, its config.json."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from anamnesis import settings
from anamnesis.address import has_password
from anamnesis.errors import ConfigError
from anamnesis.layout import CONFIG_NAME

_SERVER_FOLDER = Path(__file__).resolve().parents[3]


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
        # An installation outside PATH and no checkout to run from: its script is beside the interpreter.
        installed = os.path.join(os.path.dirname(sys.executable), "anamnesis")
    return [os.path.abspath(installed)] if installed else _through_uv(_SERVER_FOLDER)


def is_this_installation(program: str) -> bool:
    """Whether a program runs with this interpreter, so that its packages are known."""
    place = os.path.dirname(os.path.realpath(shutil.which(program) or program))
    return place == os.path.dirname(os.path.abspath(sys.executable))


def build_env(
    *, machine_id: str, remote: str | None = None, home: str | os.PathLike[str] | None = None
) -> dict[str, str]:
    """The ANAMNESIS_* variables of hooks and server; the home only when it is not the default.

    A remote with a password is left out: other programs read the client's files, and config.json has it.
    """
    env = {"ANAMNESIS_MACHINE_ID": machine_id}
    if remote and not has_password(remote):
        env["ANAMNESIS_GIT_REMOTE"] = remote
    if home is not None and _absolute(home) != _absolute(settings.find_setting("home").default):
        env["ANAMNESIS_HOME"] = _absolute(home)
    return env


def write_store_config(home: Path, *, machine_id: str, remote: str | None = None) -> Path:
    """Keep machine id and remote in `<home>/config.json`; other keys stay, None removes the remote."""
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
