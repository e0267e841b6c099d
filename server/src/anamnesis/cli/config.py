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
    """List, print, change or test the settings."""
    out: Output = args.out
    if args.verb == "list":
        found = settings.resolve_all()
        rows = [(each.setting.name, each.variable or each.source, _shown(each)) for each in found]
        out.table([_dict(each) for each in found], ("setting", "from", "value"), rows)
        return 0
    if args.verb == "test":
        return _test(out)
    if args.verb == "get":
        resolved = settings.resolve(args.setting)
        out.result(_dict(resolved), _shown(resolved))
        return 0
    return _change(args.setting, args.value if args.verb == "set" else None)


def _change(name: str, value: str | None) -> int:
    """Store or remove a setting, and say what is in effect now; 1 if it is a remote that never answers."""
    settings.save(name, sys.stdin.readline().strip() if value == "-" else value)
    resolved = settings.resolve(name)
    tell(f"{name} is now {_shown(resolved) or 'empty'} (from {resolved.variable or resolved.source})")
    if name == "machine_id":  # `init` also wrote it to the client's files
        tell("hooks and MCP server keep the name they were set up with; `anamnesis init` updates that")
    if name != "remote" or value is None:
        return 0
    from anamnesis.doctor.machine import examine_remote  # only for this setting

    found = examine_remote(resolve_home())
    if found.state != "ok":
        tell(f"it is stored, but {found.evidence}; {found.remedy}")
    return 1 if found.state == "bad" else 0


def _test(out: Output) -> int:
    # Only this verb needs the model client.
    from anamnesis.cli.status import say_findings
    from anamnesis.doctor.machine import examine_settings

    findings = examine_settings(resolve_home())
    say_findings(out, findings, value=[finding.as_dict() for finding in findings])
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
    answer = {"folder": str(folder), "project": place.key, "remote": place.remote, "refused": place.refused}
    args.out.result(answer, map(one_line, filter(None, (place.key, place.warning))))
    if not place.is_known:
        args.out.hint(
            "this folder is not a project: the key is only its name, and `write` files notes under global;"
            " `anamnesis project set KEY` makes it one"
        )
    return 0
