"""The code that all hooks share, and `inject`, the hook that a session waits for.

A hook never fails a session: whatever happens it exits with 0, one line on stderr and the details in the log.
The payload on stdin is the client's; anything else on stdin counts as no payload.
Every hook loads this module, so imports that only a slow path needs are inside that path.
"""

from __future__ import annotations

import json
import os
import select
import sys
from types import SimpleNamespace

from anamnesis.cli import load
from anamnesis.cli.terminal import abandon_output, clean, tell
from anamnesis.config import home_folder, is_our_plugin, resolve_home, resolve_plugin_root
from anamnesis.inject.start import Start, start_session
from anamnesis.inject.working_set import DEFAULT_BUDGET, client_length
from anamnesis.layout import LAST_INJECT
from anamnesis.project import is_silenced
from anamnesis.session.starts import is_first

TYPE_CHECKING = False  # `typing` and `argparse` would cost the session more than the hook itself
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_START_EVENT, _PROMPT_EVENT = "SessionStart", "UserPromptSubmit"
_MAX_PAYLOAD = 16_000_000
_PATIENCE = 0.5  # seconds that a session waits for a payload to end


def add_inject(parser: argparse.ArgumentParser) -> None:
    """The arguments of `inject`."""
    parser.add_argument(
        "--project", metavar="KEY", help="the project (default: that of the session's folder)"
    )
    parser.add_argument(
        "--k",
        type=int,
        metavar="N",
        help="at most this many notes in full (default: as many as fit the budget)",
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=DEFAULT_BUDGET,
        metavar="N",
        help="at most this many characters (default %(default)s)",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="print what each note is worth here and why, instead of the notes",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json: as a hook response, for agents that accept no plain text (default %(default)s)",
    )
    parser.description = (
        "As the SessionStart hook, print the most useful notes for the session.\n"
        "As the UserPromptSubmit hook (setting recall_on_prompt), print at most two\n"
        "notes that the prompt is clearly about, usually none."
    )
    parser.epilog = "Example:\n  anamnesis inject --project github.com/you/app --k 12"


def run_inject(argv: list[str]) -> int:
    """Print the working set; loads a parser only for arguments that hooks do not use."""
    args = SimpleNamespace(project=None, k=None, budget=DEFAULT_BUDGET, explain=False, format="text")
    if argv == ["--format", "json"]:
        args.format = "json"
    elif argv:
        _take_arguments(argv, args)
    return cmd_inject(args)


def _take_arguments(argv: list[str], args: SimpleNamespace) -> None:
    """Parse the arguments into `args`; those before the first invalid one are kept."""
    try:
        load("parser").build("inject", sys.modules[__name__]).parse_args(argv, args)
    except SystemExit as exc:
        if not exc.code:
            raise  # it was --help
        from anamnesis.session.hooklog import log_line  # the parser has printed what is wrong

        log_line(resolve_home(), f"inject: invalid arguments, not all of them were used: {' '.join(argv)}")


def cmd_inject(args: argparse.Namespace | SimpleNamespace) -> int:
    """Print the working set of the session that starts."""
    return as_hook("inject", lambda: _inject(args, read_payload()))


def as_hook(name: str, work: Callable[[], object]) -> int:
    """Run a hook; any error is printed and logged, and the session continues."""
    try:
        work()
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a full disk fails here, not at exit
    except BrokenPipeError:
        raise  # the reader closed the pipe, which is not a failure; the command line handles it
    except Exception as exc:  # noqa: BLE001  # a hook must exit with 0 whatever happens; this is the only such place
        report(f"{name}: {type(exc).__name__}: {exc}")
        if sys.stdout is not None:
            abandon_output(0)
    return 0


def report(trouble: str) -> None:
    """Print what went wrong in one line on stderr, and log it."""
    # Redaction loads a large table of patterns; only an error is worth that.
    from anamnesis.redact import redact
    from anamnesis.session.hooklog import log_line

    tell(f"anamnesis: {' '.join(redact(trouble).split())[:500]}")
    log_line(resolve_home(), trouble)


def read_payload() -> dict[str, object]:
    """What the client wrote to stdin; {} when that is not a JSON object, or stdin is a terminal."""
    try:
        found = json.loads(_read_stdin())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text_of(payload: dict[str, object], key: str) -> str:
    """A text field of the payload; "" when it is missing or not a text."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _read_stdin() -> bytes:
    chunks: list[bytes] = []
    try:
        if sys.stdin is None or os.isatty(0):
            return b""
        # A pipe that stays open without input must not keep the session waiting.
        while sum(map(len, chunks)) < _MAX_PAYLOAD and select.select([0], [], [], _PATIENCE)[0]:
            chunk = os.read(0, 1 << 20)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError:  # stdin is closed, or a folder
        return b""
    return b"".join(chunks)


def _inject(args: argparse.Namespace | SimpleNamespace, payload: dict[str, object]) -> None:
    home = home_folder()
    if not os.path.isdir(home):
        return  # there is no store, and a hook that only reads does not create one
    if not args.project and is_silenced(text_of(payload, "cwd") or "."):
        if not payload:
            tell("inject: nothing is injected here: `.anamnesis/off` in this folder or above it turns it off")
        return
    start = Start(
        home=home,
        folder=text_of(payload, "cwd") or ".",
        project=args.project or "",
        session=text_of(payload, "session_id"),
        source=text_of(payload, "source"),
        idle_seconds=_idle_seconds(payload),
        most=args.k,
        budget=args.budget,
        measure=_printed_length,
    )
    if args.explain:
        load("told").explain(start)
        return
    event = text_of(payload, "hook_event_name") or _START_EVENT
    by = "plugin" if is_our_plugin(resolve_plugin_root()) else "init"
    if event == _START_EVENT and not is_first(home, start.session, start.source, by=by):
        return  # hooks of `init` and of the plugin are both installed, and the other one answers this event
    text = clean(_answer(start, payload))
    if text and sys.stdout is not None:
        sys.stdout.write(_as_json(event, text) if args.format == "json" else text)
    _touch(os.path.join(home, LAST_INJECT))


def _answer(start: Start, payload: dict[str, object]) -> str:
    """The reply to the event: a briefing when a session starts, a reminder at a prompt."""
    if text_of(payload, "hook_event_name") != _PROMPT_EVENT:
        return start_session(start).text
    from anamnesis.inject.prompt import remind  # only where recall_on_prompt is set

    return remind(start, text_of(payload, "prompt"))


def _as_json(event: str, text: str) -> str:
    """A text as a hook's JSON reply, for clients that ignore plain output."""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(answer) + "\n"


def _idle_seconds(payload: dict[str, object]) -> float | None:
    """How long ago the last answer of a resumed session was; None when that is unknown."""
    seconds = payload.get("seconds_since_last_response")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e10:
        return None
    return float(seconds)


def _printed_length(text: str) -> int:
    """The length of `text` once stdout has escaped what its encoding lacks."""
    encoding = sys.stdout.encoding if sys.stdout is not None else "utf-8"
    if encoding.lower().replace("-", "") == "utf8":
        return client_length(text)
    return len(clean(text).encode(encoding, "backslashreplace"))


def _touch(path: str) -> None:
    """Record that the hook ran; a store that cannot be written to does not make it fail."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.utime(path)
    except OSError:
        return
