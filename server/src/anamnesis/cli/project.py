"""`project`: which project a folder is, and what the user says about it."""

from __future__ import annotations

import argparse
from pathlib import Path

from anamnesis.cli.parser import add_json, add_verb
from anamnesis.cli.terminal import one_line, say, say_json
from anamnesis.config import resolve_home
from anamnesis.errors import ConfigError
from anamnesis.project.choose import set_marker, trust
from anamnesis.project.identity import find_marker
from anamnesis.project.place import Place, place_of


def add_project(parser: argparse.ArgumentParser) -> None:
    """Arguments of `project`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    show = add_verb(verbs, "show", "say which project a folder is")
    choose = add_verb(verbs, "set", "give this folder a key, in a marker that travels with the repository")
    choose.add_argument("key", metavar="KEY", help="the key, such as github.com/you/app")
    accept = add_verb(verbs, "trust", "let the marker of a cloned repository choose whose memory is loaded")
    for verb in (show, choose, accept):
        verb.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="default: this folder")
        add_json(verb, "{folder, project, remote, refused}")
    parser.epilog = "Example:\n  anamnesis project show"


def cmd_project(args: argparse.Namespace) -> int:
    """Show, set or trust the project of a folder."""
    folder, home = Path(args.folder).absolute(), resolve_home()
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder")
    if args.verb == "set":
        set_marker(folder, args.key, home=home)
    elif args.verb == "trust":
        _trust(folder, home)
    _say(folder, place_of(str(folder), home=str(home)), as_json=args.json)
    return 0


def _trust(folder: Path, home: Path) -> None:
    place, marker = place_of(str(folder), home=str(home)), find_marker(str(folder))
    if not marker:
        raise ConfigError(f"{folder} has no marker to trust; `anamnesis project set KEY` writes one")
    if place.remote:
        trust(home, place.remote, marker)


def _say(folder: Path, place: Place, *, as_json: bool) -> None:
    if as_json:
        say_json(
            {"folder": str(folder), "project": place.key, "remote": place.remote, "refused": place.refused}
        )
        return
    say(one_line(place.key))
    if place.warning:
        say(one_line(place.warning))
