"""The command line: finds the command, loads only its module, and turns the result into an exit code.

    commands     the table of commands, and the parsers built from it
    output       results on stdout, messages on stderr, JSON, questions, progress; the error boundary of hooks
    opening      the store, index and backend that a command works on; text or a payload from standard input
    help         help and shell completion

    notes        search, list, show
    changes      write, edit, delete, undo, supersede
    sync         sync, fleet, news, history, resolve, purge
    setup        init
    status       status, doctor, reindex, config, project
    sessions     capture, why
    inject       inject
    serve        serve, dashboard
    curate       tidy, merge, dedup, migrate, backfill-provenance, reflect, semantic
    export       import, export

Commands raise AnamnesisError for known failures,
which becomes one line on stderr here. Exit codes: 0 done, 1 known error, 2 usage, 130 interrupted. Every hook
loads this module, so it imports nothing that the interpreter has not loaded already.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from types import ModuleType

from anamnesis import __version__
from anamnesis.errors import AnamnesisError

_MODULES = {
    "notes": "search list show",
    "changes": "write edit delete undo supersede",
    "sync": "sync fleet news history resolve purge",
    "setup": "init",
    "status": "status doctor reindex config project",
    "sessions": "capture why",
    "inject": "inject",
    "serve": "serve dashboard",
    "curate": "tidy merge dedup migrate backfill-provenance reflect semantic",
    "export": "import export",
    "help": "completion",
}
# The module of each command.
COMMANDS = {name: module for module, names in _MODULES.items() for name in names.split()}

# The extra that installs a third-party module.
EXTRAS = {
    **dict.fromkeys(("fastmcp", "mcp"), "mcp"),
    **dict.fromkeys(("starlette", "uvicorn"), "dashboard"),
    **dict.fromkeys(("numpy", "safetensors", "tokenizers"), "semantic"),
    "shtab": "completion",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; never raises an error that a user can cause."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None and words[:1] not in (["serve"], ["dashboard"]):
        gc.set_threshold(200_000)  # objects; a command ends long before it has made that much garbage
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
        return int(load("output").abandon_output(0))
    except OSError as exc:
        return int(load("output").abandon_output(_fail(_system_error(exc))))
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
        return getattr(load(COMMANDS[command]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _dispatch(words: list[str]) -> int:
    name, rest = (words[0], words[1:]) if words else ("serve", [])
    if name in ("-V", "--version"):
        load("output").say(__version__)
        return 0
    if name in ("-h", "--help", "help"):
        return int(load("help").give_help(rest))
    if name not in COMMANDS:
        return int(load("help").reject(name))
    module = load(COMMANDS[name])
    if name == "inject" and not {"-h", "--help"}.intersection(rest):
        return int(module.run_inject(rest))  # a session waits: without argparse
    args = load("commands").parser_of(name).parse_args(rest)
    args.out = load("output").Output(as_json=getattr(args, "json", False))
    return int(getattr(module, f"cmd_{name.replace('-', '_')}")(args))


def _tolerate_any_text() -> None:
    # A title in any script must not stop a command on an ASCII-only terminal.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _fail(text: str) -> int:
    load("output").tell(f"anamnesis: {text}")
    return 1


def _missing_module(exc: ModuleNotFoundError) -> str:
    top = (exc.name or "").partition(".")[0]
    if top in EXTRAS:
        return f"this needs the package {top!r}; {load('help').how_to_add(EXTRAS[top])}"
    return f"the installation lacks the module {exc.name!r}; install anamnesis-memory again"


def _system_error(exc: OSError) -> str:
    thing = exc.filename if isinstance(exc.filename, str) else "the system says"
    fix = "; check the path and who owns it" if isinstance(exc, PermissionError | FileNotFoundError) else ""
    return f"{thing}: {exc.strerror or exc}{fix}"
