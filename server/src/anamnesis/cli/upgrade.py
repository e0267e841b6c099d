"""`upgrade`: how this copy was installed, and the commands to upgrade it. Installs nothing."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import tomllib
from dataclasses import asdict, dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from anamnesis import __version__
from anamnesis.cli.parser import add_json
from anamnesis.cli.terminal import Output

PACKAGE = "anamnesis-memory"
_TOOLS = ("uv tool", "pipx")  # their names are also their commands
_EXTRAS = {"mcp": "fastmcp", "dashboard": "uvicorn", "semantic": "tokenizers", "completion": "shtab"}
_ALL = "all"  # the extra that brings all of these


@dataclass(frozen=True, slots=True)
class Installation:
    """How a copy was installed: the way, its folder, and its source if it was not a package index."""

    way: str  # "editable clone", "uv tool", "pipx", "plugin" or "pip"
    place: str
    source: str = ""
    has_pip: bool = True

    @property
    def pip(self) -> str:
        """The command that installs packages into this interpreter."""
        python = shlex.quote(sys.executable)
        return f"{python} -m pip install" if self.has_pip else f"uv pip install --python {python}"

    @property
    def words(self) -> str:
        """The way, as the end of a sentence."""
        return {"editable clone": "as an editable clone", "plugin": "by the plugin"}.get(
            self.way, f"with {self.way}"
        )


def add_upgrade(parser: argparse.ArgumentParser) -> None:
    """Arguments of `upgrade`."""
    add_json(parser, "{version, way, place, source, commands: [text]}")
    parser.epilog = "Example:\n  anamnesis upgrade"


def cmd_upgrade(args: argparse.Namespace) -> int:
    """Print how this copy was installed, and the commands to upgrade it."""
    out: Output = args.out
    installation = find_installation(Path(sys.prefix), _distribution())
    commands = upgrade_commands(installation, _installed_extras(installation))
    origin = f", from {installation.source}" if installation.source else ""
    lines = [
        f"anamnesis {__version__}, installed {installation.words} in {installation.place}{origin}",
        "to upgrade, run" + (" (NEW-FILE is the new wheel):" if installation.source else ":"),
        *(f"  {command}" for command in commands),
    ]
    shape = {key: value for key, value in asdict(installation).items() if key != "has_pip"}
    out.result({"version": __version__, **shape, "commands": commands}, lines)
    return 0


def find_installation(prefix: Path, package: Distribution | None) -> Installation:
    """How the copy in the environment at `prefix` was installed, from the installers' files there."""
    origin = _origin(package)
    url = str(origin.get("url") or "").removeprefix("file://")
    about = origin.get("dir_info")
    if isinstance(about, dict) and about.get("editable"):
        return Installation("editable clone", url)
    if (prefix / "uv-receipt.toml").is_file():
        return Installation("uv tool", str(prefix), url)
    if (prefix / "pipx_metadata.json").is_file():
        return Installation("pipx", str(prefix), url)
    if (prefix / "complete").is_file() and prefix.name == "engine":
        return Installation("plugin", str(prefix), url)
    return Installation("pip", str(prefix), url, has_pip=find_spec("pip") is not None)


def upgrade_commands(installation: Installation, extras: list[str]) -> list[str]:
    """The commands to run; the installed `extras` are kept."""
    if installation.way == "editable clone":
        place = Path(installation.place)
        root = str(place.parent if place.name == "server" else place)  # of the repository
        return [
            f"git -C {shlex.quote(installation.place)} pull",
            f"cd {shlex.quote(root)} && make check",
        ]
    wanted = f"{PACKAGE}[{','.join(extras)}]" if extras else PACKAGE
    if installation.source:
        # Installed from a file: no package index has a newer one, so a new file must be named.
        wanted = f"NEW-FILE[{','.join(extras)}]" if extras else "NEW-FILE"
    quoted = shlex.quote(wanted)
    if installation.way in _TOOLS:
        return [
            f"{installation.way} install --force {quoted}"
            if installation.source
            else f"{installation.way} upgrade {PACKAGE}"
        ]
    if installation.way == "plugin":
        return ["claude plugin update anamnesis@anamnesis", f"rm -r {shlex.quote(installation.place)}"]
    # A rebuilt wheel has the same version; without force, pip keeps the old one.
    how = "--force-reinstall" if installation.source else "--upgrade"
    return [f"{installation.pip} {how} {quoted}"]


def extra_command(extra: str) -> str:
    """The command that adds one extra to this copy and keeps the others."""
    installation = find_installation(Path(sys.prefix), _distribution())
    installed = _installed_extras(installation)
    extras = f"[{_ALL if _ALL in installed else ','.join(dict.fromkeys([*installed, extra]))}]"
    if installation.way == "editable clone":
        return f"{installation.pip} -e {shlex.quote(installation.place + extras)}"
    source = installation.source if Path(installation.source).exists() else "FILE"
    quoted = shlex.quote((source if installation.source else PACKAGE) + extras)
    installer = f"{installation.way} install --force" if installation.way in _TOOLS else installation.pip
    return f"{installer} {quoted}"


def _installed_extras(installation: Installation) -> list[str]:
    """The extras that the installer recorded, or else those whose packages are installed."""
    recorded = _recorded_extras(installation)
    if recorded is not None:
        return recorded
    present = [name for name, module in _EXTRAS.items() if find_spec(module) is not None]
    if len(present) == len(_EXTRAS):
        return [_ALL]
    # `mcp` brings the packages of `dashboard`, too, so they do not show that it was asked for.
    return [name for name in present if name != "dashboard" or "mcp" not in present]


def _recorded_extras(installation: Installation) -> list[str] | None:
    """The extras that pipx or uv recorded; None if unknown."""
    try:
        if installation.way == "pipx":
            about = json.loads((Path(installation.place) / "pipx_metadata.json").read_text("utf-8"))
            requirement = str(about["main_package"]["package_or_url"])
            listed = re.search(r"\[([^\]]*)\]", requirement.partition(" @ ")[0])
            return [extra.strip() for extra in listed[1].split(",")] if listed else []
        if installation.way == "uv tool":
            about = tomllib.loads((Path(installation.place) / "uv-receipt.toml").read_text("utf-8"))
            ours = [each for each in about["tool"]["requirements"] if each.get("name") == PACKAGE]
            return [str(extra) for extra in ours[0].get("extras", [])]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return None


def _distribution() -> Distribution | None:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        return None


def _origin(package: Distribution | None) -> dict[str, object]:
    """The installer's record of where the package came from; {} if it was an index."""
    text = package.read_text("direct_url.json") if package is not None else None
    try:
        origin = json.loads(text or "{}")
    except ValueError:
        return {}
    return origin if isinstance(origin, dict) else {}
