"""`config` and `project`: the settings, and a folder's project. Secrets are never printed."""

from __future__ import annotations

import argparse
import sys

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.cli.output import Output, one_line, tell
from anamnesis.config import resolve_home
from anamnesis.errors import ConfigError
from anamnesis.project import place_of, set_marker, trust_marker
from anamnesis.settings import Resolved


def cmd_config(args: argparse.Namespace) -> int:
    """Run one verb of `config`."""
    return _VERBS[args.verb](args)


def _list(args: argparse.Namespace) -> int:
    resolved = settings.resolve_all()
    rows: list[tuple[object, ...]] = [
        (item.setting.name, item.variable or item.source, _shown(item)) for item in resolved
    ]
    args.out.table([_dict(item) for item in resolved], ("setting", "from", "value"), rows)
    return 0


def _get(args: argparse.Namespace) -> int:
    resolved = settings.resolve(args.setting)
    args.out.result(_dict(resolved), _shown(resolved))
    return 0


def _set(args: argparse.Namespace) -> int:
    value = sys.stdin.readline().strip() if args.value == "-" else args.value
    settings.save(args.setting, value)
    resolved = settings.resolve(args.setting)
    if resolved.source == "environment":
        tell(f"{args.setting} is stored, but {resolved.variable} in the environment overrides it")
    else:
        tell(f"{args.setting} is now {_shown(resolved)}")
    _hint_init(args.setting)
    return _look_at_remote(args.out) if args.setting == "remote" else 0


def _look_at_remote(out: Output) -> int:
    """Say whether the new remote answers; exit code 1 if it never will."""
    from anamnesis.doctor.machine import examine_remote  # only for this setting

    found = examine_remote(resolve_home())
    if found.state == "ok":
        return 0
    out.hint(f"it is stored, but {found.evidence}; {found.remedy}")
    return 1 if found.state == "bad" else 0


def _unset(args: argparse.Namespace) -> int:
    settings.save(args.setting, None)
    resolved = settings.resolve(args.setting)
    now = f"it is now {_shown(resolved) or 'empty'} ({resolved.source})"
    tell(f"{args.setting} is no longer set here; {now}")
    _hint_init(args.setting)
    return 0


def _hint_init(name: str) -> None:
    if name == "machine_id":  # `init` also wrote it to the client's files
        tell("hooks and MCP server keep the name they were set up with; `anamnesis init` updates that")


def _test(args: argparse.Namespace) -> int:
    # Only this verb needs the model client.
    from anamnesis.cli.status import say_findings
    from anamnesis.doctor.machine import examine_settings

    findings = examine_settings(resolve_home())
    say_findings(args.out, findings, value=[finding.as_dict() for finding in findings])
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _shown(resolved: Resolved) -> str:
    return mask(resolved.shown)


def _dict(resolved: Resolved) -> dict[str, object]:
    setting = resolved.setting
    known = {"name": setting.name, "value": _shown(resolved), "source": resolved.source}
    return {**known, "variable": setting.variable, "about": setting.about}


def cmd_project(args: argparse.Namespace) -> int:
    """Show, set or trust the project of a folder."""
    folder, home = args.folder.absolute(), resolve_home()
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder; name one that exists")
    if args.verb == "set":
        set_marker(folder, args.key, home=home)
    elif args.verb == "trust":
        trust_marker(folder, home=home)
    place = place_of(str(folder), home=str(home))
    lines = [place.key, *([place.warning] if place.warning else [])]
    answer = {"folder": str(folder), "project": place.key, "remote": place.remote, "refused": place.refused}
    args.out.result(answer, map(one_line, lines))
    if not place.is_known:
        args.out.hint(
            "this folder is not a project: the key is only its name, and `write` files notes under global;"
            " `anamnesis project set KEY` makes it one"
        )
    return 0


_VERBS = {"list": _list, "get": _get, "set": _set, "unset": _unset, "test": _test}
