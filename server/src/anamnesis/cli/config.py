"""`config` and `project`: the settings, and a folder's project. Secrets are never printed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.cli.parser import add_json, add_verb
from anamnesis.cli.terminal import Output, one_line, row, tell
from anamnesis.config import resolve_home
from anamnesis.errors import ConfigError
from anamnesis.project import place_of
from anamnesis.project.names import set_marker, trust_marker
from anamnesis.settings import Resolved

# Settings that `init` also wrote to the client's files, which a change here does not update.
_WRITTEN_BY_INIT = {
    "machine_id": "hooks and MCP server keep the name they were set up with",
    "recall_on_prompt": "the hook for prompts is not changed yet",
}
_SHAPE = "{name, value, source, variable, about}"


def add_config(parser: argparse.ArgumentParser) -> None:
    """Arguments of `config`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add_json(add_verb(verbs, "list", "every setting, its value and where it comes from"), f"[{_SHAPE}]")
    one = add_verb(verbs, "get", "print one setting's value")
    _add_name(one)
    add_json(one, _SHAPE)
    change = add_verb(verbs, "set", "store a setting in config.json")
    _add_name(change)
    change.add_argument("value", metavar="VALUE", help='the value; "-" reads it from standard input')
    _add_name(add_verb(verbs, "unset", "remove a setting from config.json"))
    add_json(
        add_verb(verbs, "test", "check the settings, the remote and the model"),
        "[{name, state: ok|warn|bad, evidence, remedy, fixable}]",
    )
    parser.epilog = "Example:\n  anamnesis config set remote you@host:anamnesis-memory.git"


def cmd_config(args: argparse.Namespace) -> int:
    """Run one verb of `config`."""
    return _VERBS[args.verb](args)


def _add_name(parser: argparse.ArgumentParser) -> None:
    names = [setting.name for setting in settings.SETTINGS]  # a shell completes these
    parser.add_argument(
        "name",
        type=_known_name,
        choices=names,
        metavar="NAME",
        help="the setting; `config list` names them all",
    )


def _known_name(text: str) -> str:
    """Parse the name of a setting."""
    try:
        return settings.find_setting(text).name
    except ConfigError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc


def _list(args: argparse.Namespace) -> int:
    out: Output = args.out
    resolved = settings.resolve_all()
    rows = [(item.setting.name, _shown(item), item.variable or item.source) for item in resolved]
    # On a terminal the value comes last, so that a long path is not wrapped.
    table = [(name, origin, value) for name, value, origin in rows]
    out.result(
        [_dict(item) for item in resolved],
        (row(*fields) for fields in rows),
        lambda pretty: pretty.table(("setting", "from", "value"), table),
    )
    return 0


def _get(args: argparse.Namespace) -> int:
    resolved = settings.resolve(args.name)
    args.out.result(_dict(resolved), _shown(resolved))
    return 0


def _set(args: argparse.Namespace) -> int:
    value = sys.stdin.readline().strip() if args.value == "-" else args.value
    settings.save(args.name, value)
    resolved = settings.resolve(args.name)
    if resolved.source == "environment":
        tell(f"{args.name} is stored, but {resolved.variable} in the environment overrides it")
    else:
        tell(f"{args.name} is now {_shown(resolved)}")
    _hint_init(args.name)
    return 0


def _unset(args: argparse.Namespace) -> int:
    settings.save(args.name, None)
    resolved = settings.resolve(args.name)
    tell(f"{args.name} is no longer set here; it is now {_shown(resolved) or 'empty'} ({resolved.source})")
    _hint_init(args.name)
    return 0


def _hint_init(name: str) -> None:
    if name in _WRITTEN_BY_INIT:
        tell(f"{_WRITTEN_BY_INIT[name]}; `anamnesis init` updates that")


def _test(args: argparse.Namespace) -> int:
    # Only this verb needs the model client.
    from anamnesis.cli.status import say_findings
    from anamnesis.doctor.setup import examine_settings

    out: Output = args.out
    findings = examine_settings(resolve_home())
    say_findings(out, findings, value=[finding.as_dict() for finding in findings])
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _shown(resolved: Resolved) -> str:
    return mask(resolved.shown)


def _dict(resolved: Resolved) -> dict[str, object]:
    return {
        "name": resolved.setting.name,
        "value": _shown(resolved),
        "source": resolved.source,
        "variable": resolved.setting.variable,
        "about": resolved.setting.about,
    }


def add_project(parser: argparse.ArgumentParser) -> None:
    """Arguments of `project`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    show = add_verb(verbs, "show", "show which project a folder belongs to")
    choose = add_verb(
        verbs, "set", "write a marker with this folder's key, to be committed with the repository"
    )
    choose.add_argument("key", metavar="KEY", help="the key, such as github.com/you/app")
    accept = add_verb(
        verbs, "trust", "let the marker of a cloned repository choose which project's notes are loaded"
    )
    for verb in (show, choose, accept):
        verb.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="default: this folder")
        add_json(verb, "{folder, project, remote, refused}")
    parser.epilog = "Example:\n  anamnesis project show"


def cmd_project(args: argparse.Namespace) -> int:
    """Show, set or trust the project of a folder."""
    folder, home = Path(args.folder).absolute(), resolve_home()
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
