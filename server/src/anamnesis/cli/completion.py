"""Shell completion: a static script for bash, zsh or fish, generated from the parsers. Touches no store."""

from __future__ import annotations

import argparse

from anamnesis.cli.shape import Option, Shape, all_shapes
from anamnesis.cli.terminal import say

_BASH = """\
# bash completion for anamnesis; load it with: source <(anamnesis completion bash)
_anamnesis() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local key=${COMP_WORDS[1]} words=
    if (( COMP_CWORD > 2 )); then
        case "$key ${COMP_WORDS[2]}" in
@VERBS@            *) ;;
        esac
    fi
    if (( COMP_CWORD == 1 )); then
        words="@COMMANDS@ --help --version"
    else
        case "$key:$prev" in
@VALUES@            *)
                case "$key" in
@OPTIONS@                esac ;;
        esac
    fi
    COMPREPLY=( $(compgen -W "$words" -- "$cur") )
    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=( $(compgen -f -- "$cur") )
}
complete -F _anamnesis anamnesis
"""

# zsh reads bash completion through its own bridge; one generator less to keep right.
_ZSH = """\
# zsh completion for anamnesis; load it with: source <(anamnesis completion zsh)
(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -u }
autoload -U +X bashcompinit && bashcompinit
"""


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Arguments of `completion`."""
    parser.add_argument("shell", choices=sorted(_SCRIPTS), help="the shell to complete for")
    parser.epilog = "Example:\n  source <(anamnesis completion bash)"


def cmd_completion(args: argparse.Namespace) -> int:
    """Print the completion script."""
    say(_SCRIPTS[args.shell](all_shapes()).rstrip("\n"))
    return 0


def bash_script(shapes: list[Shape]) -> str:
    """The completion script for bash."""
    flat = [each for shape in shapes for each in (shape, *shape.verbs)]
    verbs = "".join(f'            "{s.name}") key="{s.name}" ;;\n' for s in flat if " " in s.name)
    values = "".join(
        f'            "{s.name}:{flag}") words="{" ".join(o.choices)}" ;;\n'
        for s in flat
        for o in s.options
        if o.choices
        for flag in o.flags
    )
    options = "".join(f'                    "{s.name}") words="{" ".join(_words(s))}" ;;\n' for s in flat)
    return (
        _BASH.replace("@VERBS@", verbs)
        .replace("@COMMANDS@", " ".join(shape.name for shape in shapes))
        .replace("@VALUES@", values)
        .replace("@OPTIONS@", options)
    )


def _words(shape: Shape) -> list[str]:
    """What may follow a command: its verbs, the choices of its positional arguments, its flags."""
    words = [verb.name.split()[-1] for verb in shape.verbs]
    for option in shape.options:
        words += option.flags or option.choices
    return words


def zsh_script(shapes: list[Shape]) -> str:
    """The completion script for zsh."""
    return _ZSH + bash_script(shapes)


def fish_script(shapes: list[Shape]) -> str:
    """The completion script for fish."""
    lines = ["# fish completion for anamnesis; load it with: anamnesis completion fish | source"]
    for shape in shapes:
        lines.append(
            f"complete -c anamnesis -n __fish_use_subcommand -f -a {shape.name} -d {_fish(shape.summary)}"
        )
        seen = f"'__fish_seen_subcommand_from {shape.name}'"
        lines += [_fish_option(seen, option) for option in shape.options if option.flags or option.choices]
        for verb in shape.verbs:
            word = verb.name.split()[-1]
            lines.append(f"complete -c anamnesis -n {seen} -f -a {word} -d {_fish(verb.summary)}")
            lines += [_fish_option(seen, option) for option in verb.options if option.flags or option.choices]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def _fish_option(condition: str, option: Option) -> str:
    parts = ["complete -c anamnesis -n", condition]
    for flag in option.flags:
        parts.append(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}")
    if option.choices:
        parts.append(("-x" if option.flags else "-f") + f" -a '{' '.join(option.choices)}'")
    elif option.value and option.flags:
        parts.append("-r")
    return " ".join([*parts, "-d", _fish(option.help)])


def _fish(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
