"""Every command with its verbs, for docs/cli.md and the tests: names, flags and usage lines."""

from __future__ import annotations

from collections.abc import Iterator

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


def usage(command: Command) -> str:
    """How a command is called, in one line."""
    words = [f"anamnesis {command.name}", *_words(command)]
    if command.verbs:
        named = "|".join(command.verbs) + " ..."
        words.append(f"[{named}]" if any(verb.is_optional for verb in command.verbs.values()) else named)
    return " ".join(words)


def _words(command: Command) -> Iterator[str]:
    positional = [argument for argument in command.arguments if not argument.flags]
    yield from (shown(argument) for argument in positional)
    if len(positional) < len(command.arguments) or command.json:
        yield "[OPTIONS]"


def shown(argument: Argument) -> str:
    """An argument as documentation shows it."""
    dots = "..." if argument.is_text or argument.is_list else ""
    if argument.flags:
        value = f"[{argument.value}]" if argument.optional else argument.value
        return " ".join(filter(None, (", ".join(argument.flags), value)))
    return f"[{argument.value}{dots}]" if argument.optional else f"{argument.value}{dots}"
