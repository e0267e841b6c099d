"""`config`: show, change and test the settings. Secrets and passwords in addresses are never printed."""

from __future__ import annotations

import argparse
import sys

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.cli.parser import add_json, add_verb
from anamnesis.cli.terminal import on_terminal, pretty, say, say_json, say_row, tell
from anamnesis.config import resolve_home
from anamnesis.settings import Resolved

# What `init` writes into the hooks and the server's registration, where it wins over config.json.
_WIRED = ("machine_id", "remote")
_SHAPE = "{name, value, source, variable, about}"


def add_config(parser: argparse.ArgumentParser) -> None:
    """Arguments of `config`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add_json(add_verb(verbs, "list", "every setting, its value and which source won"), f"[{_SHAPE}]")
    one = add_verb(verbs, "get", "print one setting's value")
    _add_name(one)
    add_json(one, _SHAPE)
    change = add_verb(verbs, "set", "store a setting in config.json")
    _add_name(change)
    change.add_argument("value", metavar="VALUE", help='the value; "-" reads it from standard input')
    _add_name(add_verb(verbs, "unset", "take a setting out of config.json"))
    add_json(
        add_verb(verbs, "test", "try the settings, the remote and the model out"),
        "[{name, state: ok|warn|bad, evidence, cure, fixable}]",
    )
    parser.epilog = "Example:\n  anamnesis config set remote you@host:anamnesis-memory.git"


def cmd_config(args: argparse.Namespace) -> int:
    """Carry out one verb of `config`."""
    return _VERBS[args.verb](args)


def _add_name(parser: argparse.ArgumentParser) -> None:
    names = [setting.name for setting in settings.SETTINGS]
    parser.add_argument(
        "name", choices=names, metavar="NAME", help="the setting; `config list` names them all"
    )


def _list(args: argparse.Namespace) -> int:
    found = settings.resolve_all()
    rows = [_row(each) for each in found]
    if args.json:
        say_json([_dict(each) for each in found])
    elif on_terminal():
        # The value comes last: it may be a long path, which has to stay in one piece.
        pretty().table(("setting", "from", "value"), [(name, origin, value) for name, value, origin in rows])
    else:
        for row in rows:
            say_row(*row)
    return 0


def _get(args: argparse.Namespace) -> int:
    found = settings.resolve(args.name)
    if args.json:
        say_json(_dict(found))
    else:
        say(_shown(found))
    return 0


def _set(args: argparse.Namespace) -> int:
    value = sys.stdin.readline().strip() if args.value == "-" else args.value
    settings.save(args.name, value)
    found = settings.resolve(args.name)
    if found.source == "environment":
        tell(f"{args.name} is stored, but {found.variable} in the environment is still what counts")
    _tell_of_wiring(args.name)
    return 0


def _unset(args: argparse.Namespace) -> int:
    settings.save(args.name, None)
    _tell_of_wiring(args.name)
    return 0


def _tell_of_wiring(name: str) -> None:
    if name in _WIRED:
        tell(f"hooks and MCP server keep the {name} that they were wired with; `anamnesis init` renews them")


def _test(args: argparse.Namespace) -> int:
    # Only this verb needs the model client, which no other one should wait for.
    from anamnesis.cli.findings import say_findings
    from anamnesis.doctor import examine_settings

    findings = examine_settings(resolve_home())
    say_findings(findings, as_json=args.json)
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _shown(found: Resolved) -> str:
    return mask(found.shown)


def _row(found: Resolved) -> tuple[str, str, str]:
    return found.setting.name, _shown(found), found.variable or found.source


def _dict(found: Resolved) -> dict[str, object]:
    return {
        "name": found.setting.name,
        "value": _shown(found),
        "source": found.source,
        "variable": found.setting.variable,
        "about": found.setting.about,
    }


_VERBS = {"list": _list, "get": _get, "set": _set, "unset": _unset, "test": _test}
