"""The command line: finds the command, loads only its module, and turns the result into an exit code.

    terminal     output: results on stdout, messages on stderr, JSON
    pretty       output on a terminal: tables, colours, progress bars
    parser       what a command works on: arguments, shared options, the store, standard input
    help         help and shell completion
    editor       edits a text in the user's editor
    hooks        what all hooks share: the payload, and the error boundary
    inject       inject, as a hook and as a command
    sync         sync, as a hook and as a command; fleet, news
    sessions     capture, as a hook and as a command; why
    notes        search, list, show, similar
    changes      write, supersede, edit, delete
    versions     history, resolve, purge
    setup        init
    agents       what init sets up in Claude Code and other agents
    status       status, doctor, reindex
    config       config, project
    upgrade      upgrade
    curate       reflect, merge, dedup, migrate, backfill-provenance
    export       export, import
    semantic     semantic
    eval         eval
    serve        serve, dashboard

To add a command: one row in COMMANDS, and in its module two functions named after it ("-" as "_"):

    add_search(parser)       declares the arguments and sets `parser.epilog` to one example; nothing else
    cmd_search(args) -> int  parses, calls one operation, answers through `args.out`; about 25 lines at most

A command that must not load argparse has `run_inject(argv) -> int` instead of `cmd_inject`; its `add_inject`
is then used only for `--help`, shell completion and docs/cli.md. A command with verbs of its own (`config
set`) adds subparsers in its `add_`. A test checks every row of the table.

Commands raise AnamnesisError for known failures, which becomes one line on stderr here. Exit codes: 0 done, 1
known error, 2 usage, 130 interrupted. Results go to stdout and everything else to stderr, both through
`anamnesis.cli.terminal`.

Every hook loads this module, so it imports nothing that the interpreter has not loaded already.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from anamnesis import __version__
from anamnesis.errors import AnamnesisError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# name -> (module in this package, one line of help, group in the full help)
COMMANDS = {
    "search": ("notes", "find notes by their words, best first", "Notes"),
    "list": ("notes", "list notes, newest first", "Notes"),
    "show": ("notes", "print one note", "Notes"),
    "similar": ("notes", "list notes similar to one, most similar first", "Notes"),
    "write": ("changes", "write a new note and print its id", "Notes"),
    "edit": ("changes", "open a note in your editor", "Notes"),
    "delete": ("changes", "delete a note (history --restore brings it back)", "Notes"),
    "supersede": ("changes", "write a newer note in place of an old one", "Notes"),
    "history": ("versions", "show, compare and restore a note's versions", "Notes"),
    "init": ("setup", "set this machine up: store, hooks, MCP server, sync", "Setup and health"),
    "status": ("status", "show counts, sync state and what needs attention", "Setup and health"),
    "doctor": ("status", "check everything; --fix repairs what is safe to repair", "Setup and health"),
    "config": ("config", "show, change and test the settings", "Setup and health"),
    "project": ("config", "show, set or trust the project of a folder", "Setup and health"),
    "upgrade": ("upgrade", "show how this was installed and how to upgrade it", "Setup and health"),
    "reindex": ("status", "bring the index up to date with the files", "Setup and health"),
    "semantic": ("semantic", "install a model that finds notes by their meaning", "Setup and health"),
    "sync": ("sync", "exchange notes with your other machines", "Sync"),
    "resolve": ("versions", "list held notes, or resolve one", "Sync"),
    "fleet": ("sync", "show which of your machines are in sync, behind or silent", "Sync"),
    "news": ("sync", "list what other machines wrote and edited", "Sync"),
    "purge": ("versions", "erase notes or texts from every version, on every machine", "Sync"),
    "inject": ("inject", "print the notes for this project (SessionStart hook)", "Claude Code"),
    "why": ("sessions", "show what a session was told, searched for and used", "Claude Code"),
    "capture": ("sessions", "turn a transcript into one note (SessionEnd hook)", "Claude Code"),
    "serve": ("serve", "run the MCP server on stdin and stdout (the default)", "Claude Code"),
    "dashboard": ("serve", "serve the dashboard to a browser on this machine", "Claude Code"),
    "reflect": ("curate", "distil session notes into durable ones with a model", "Curation"),
    "merge": ("curate", "merge notes that say the same", "Curation"),
    "dedup": ("curate", "collapse notes with identical bodies", "Curation"),
    "migrate": ("curate", "move notes from one project key to another", "Curation"),
    "backfill-provenance": ("curate", "fill in where notes came from", "Curation"),
    "eval": ("eval", "measure recall and what sessions are told", "Curation"),
    "import": ("export", "import markdown, an export, or Claude Code's own memory", "Moving"),
    "export": ("export", "write all notes to a JSON file or a markdown folder", "Moving"),
    "completion": ("help", "print the completion script for your shell", "Moving"),
}

# The extra that installs a third-party module.
_EXTRAS = {
    "fastmcp": "mcp",
    "mcp": "mcp",
    "numpy": "semantic",
    "safetensors": "semantic",
    "shtab": "completion",
    "starlette": "dashboard",
    "tokenizers": "semantic",
    "uvicorn": "dashboard",
}

_COLLECT_EVERY = 20_000  # objects; a command ends long before it has made that much garbage


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; never raises an error that a user can cause."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        gc.set_threshold(_COLLECT_EVERY)
    _tolerate_any_text()
    try:
        code = _dispatch(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        if argv is None:
            gc.freeze()  # the process ends now: spare a hook the collections at its exit
    except AnamnesisError as exc:
        return _fail(str(exc))
    except ModuleNotFoundError as exc:
        return _fail(_missing_module(exc))
    except BrokenPipeError:
        # `anamnesis list | head` is not an error.
        return int(load("terminal").abandon_output(0))
    except OSError as exc:
        return int(load("terminal").abandon_output(_fail(_system_error(exc))))
    except KeyboardInterrupt:
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\n")  # after the terminal's ^C; a shell does that only for a killed program
        return 130
    except SystemExit as exc:
        # argparse raises this after --help and usage errors; a caller in this process wants the code.
        return exc.code if isinstance(exc.code, int) else 0
    return code


def load(name: str) -> ModuleType:
    """The module `name` of this package, imported only when needed."""
    return import_module(f"anamnesis.cli.{name}")


def __getattr__(name: str) -> object:
    """Names that the specification puts in this module (`cmd_inject`, `_run_sync`), loaded on demand."""
    if name == "_run_sync":
        return load("sync").sync_now
    command = name.removeprefix("cmd_").replace("_", "-")
    if command in COMMANDS and name.startswith("cmd_"):
        return getattr(load(COMMANDS[command][0]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _dispatch(words: list[str]) -> int:
    name, rest = (words[0], words[1:]) if words else ("serve", [])
    if name in ("-V", "--version"):
        load("terminal").say(__version__)
        return 0
    if name in ("-h", "--help", "help"):
        return int(load("help").give_help(rest))
    if name not in COMMANDS:
        return int(load("help").reject(name))
    module = load(COMMANDS[name][0])
    function = name.replace("-", "_")
    run = getattr(module, f"run_{function}", None)
    if run is not None and not _asks_for_help(rest):
        return int(run(rest))
    args = load("parser").build(name, module).parse_args(rest)
    args.out = load("terminal").Output(as_json=getattr(args, "json", False))
    return int(getattr(module, f"cmd_{function}")(args))


def _asks_for_help(words: list[str]) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    return "-h" in options or "--help" in options


def _tolerate_any_text() -> None:
    # A title in any script must not stop a command on an ASCII-only terminal.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _fail(text: str) -> int:
    load("terminal").tell(f"anamnesis: {text}")
    return 1


def _missing_module(exc: ModuleNotFoundError) -> str:
    top = (exc.name or "").partition(".")[0]
    if top in _EXTRAS:
        return f"this needs the package {top!r}; to add it: {load('upgrade').extra_command(_EXTRAS[top])}"
    return f"the installation lacks the module {exc.name!r}; install anamnesis-memory again"


def _system_error(exc: OSError) -> str:
    thing = exc.filename if isinstance(exc.filename, str) else "the system says"
    fix = "; check the path and who owns it" if isinstance(exc, PermissionError | FileNotFoundError) else ""
    return f"{thing}: {exc.strerror or exc}{fix}"
