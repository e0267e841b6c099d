"""The settings that hooks and MCP server were set up with, compared with those of this store now.

The variables that `init` writes before a hook's command override config.json, so a setting that changed since
then reaches no session. A password does not belong there at all: config.json has it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from anamnesis.address import mask
from anamnesis.onboard import has_password
from anamnesis.settings import resolve


def split_command(line: str) -> tuple[dict[str, str], str]:
    """The variables before a command line, and the program that it starts."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    variables: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            return variables, word
        variables[name] = value
    return variables, line


def differences(variables: Mapping[str, str], *, home: Path) -> list[str]:
    """Where the variables differ from the settings of the store at `home`; an unset one does not."""
    found = []
    wired = variables.get("ANAMNESIS_HOME", "")
    if wired and os.path.realpath(os.path.expanduser(wired)) != os.path.realpath(home):
        found.append(f"home {wired} instead of {home}")
    for name in ("remote", "machine_id"):
        setting = resolve(name, home=home)
        wired = variables.get(setting.setting.variable, "")
        if wired and wired != setting.value:
            found.append(f"{name} {mask(wired)} instead of {mask(setting.value) or 'none'}")
    if has_password(variables.get("ANAMNESIS_GIT_REMOTE", "")):
        found.append("a remote with its password, for every program to read")
    return found
