"""Every command as data, for docs/cli.md and the tests: read from the parsers that run the commands."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from anamnesis.cli import COMMANDS
from anamnesis.cli.parser import OneText, build


@dataclass(frozen=True, slots=True)
class Option:
    """One flag, or one positional argument when `flags` is empty."""

    flags: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str
    required: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """One command, or one verb of a command: its options, its example, its own verbs."""

    name: str
    summary: str
    group: str
    usage: str
    example: str
    options: tuple[Option, ...]
    verbs: tuple[Shape, ...]


def all_shapes() -> list[Shape]:
    """Every command in the order of the table; loads every module of commands."""
    return [
        _shape(build(name), name=name, summary=summary, group=group)
        for name, (_, summary, group) in COMMANDS.items()
    ]


def _shape(parser: argparse.ArgumentParser, *, name: str, summary: str, group: str) -> Shape:
    # argparse has no public list of its actions; this attribute has been stable since Python 2.7.
    actions = parser._actions
    options = tuple(_option(a) for a in actions if not isinstance(a, argparse._SubParsersAction))
    verbs: list[Shape] = []
    for action in actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for verb, inner in action.choices.items():
                verbs.append(_shape(inner, name=f"{name} {verb}", summary=helps.get(verb, ""), group=group))
    return Shape(
        name=name,
        summary=summary,
        group=group,
        usage=_usage(name, options, verbs, needs_verb=any(a.required for a in actions if a.dest == "verb")),
        example=_example(parser.epilog or ""),
        options=options,
        verbs=tuple(verbs),
    )


def _example(epilog: str) -> str:
    label, _, rest = epilog.partition(":")
    return rest.strip() if label.strip().lower() == "example" else epilog.strip()


def _option(action: argparse.Action) -> Option:
    return Option(
        flags=tuple(action.option_strings),
        value=_value(action),
        choices=tuple(str(choice) for choice in action.choices or ()),
        help=(action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%"),
        # argparse calls a list of words required although it may be empty.
        required=action.required and action.nargs not in ("*", "?"),
    )


def _value(action: argparse.Action) -> str:
    """How the value of an option is shown; "" for a flag that takes none."""
    if action.nargs == 0:
        return ""
    if action.choices and action.option_strings:
        return "|".join(str(choice) for choice in action.choices)
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if isinstance(action, OneText):
        return f"{name} [WORD ...]"
    if isinstance(action.metavar, tuple):
        name = " ".join(action.metavar)
    return f"{name} ..." if action.nargs in ("*", "+") else name


def _usage(name: str, options: tuple[Option, ...], verbs: list[Shape], *, needs_verb: bool) -> str:
    words = [f"anamnesis {name}"]
    for option in sorted(options, key=lambda option: not option.flags):
        if "--help" in option.flags:
            continue
        word = " ".join(filter(None, (option.flags[-1] if option.flags else "", option.value)))
        words.append(word if option.required else f"[{word}]")
    if verbs:
        named = "|".join(verb.name.split()[-1] for verb in verbs) + " ..."
        words.append(named if needs_verb else f"[{named}]")
    return " ".join(words)
