"""Every command with its verbs, for docs/cli.md and the tests: names and flags."""

from __future__ import annotations

from anamnesis.cli.commands import Argument, Command, all_commands


def all_shapes() -> list[Command]:
    """Every command in the order of the table."""
    return list(all_commands().values())


def every_shape() -> dict[str, Command]:
    """Every command and verb by its full name."""
    return {each.name: each for command in all_shapes() for each in (command, *command.verbs.values())}


def flags_of(command: Command) -> set[str]:
    """The flags that a command accepts."""
    flags = {flag for argument in command.arguments for flag in argument.flags}
    return flags | {"--help"} | ({"--json"} if command.json else set())


def shown(argument: Argument) -> str:
    """An argument as documentation shows it."""
    dots = "..." if argument.is_text or (argument.repeats and not argument.flags) else ""
    if argument.flags:
        value = f"[{argument.value}]" if argument.optional else argument.value
        return " ".join(filter(None, (", ".join(argument.flags), value)))
    return f"[{argument.value}{dots}]" if argument.optional else f"{argument.value}{dots}"
