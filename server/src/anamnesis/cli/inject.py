"""`inject`: the hook that a session waits for, and the same as a command.

A session waits for this module, so imports that only a slow path needs are inside that path.
"""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from anamnesis.cli import load
from anamnesis.cli.output import as_hook, clean, one_line, read_payload, say, tell, text_of
from anamnesis.config import home_folder, resolve_home
from anamnesis.inject.briefing import DEFAULT_BUDGET, short_ids
from anamnesis.inject.start import Start, prepare, project_meant, start_session
from anamnesis.project import is_silenced

if TYPE_CHECKING:
    import argparse

_START_EVENT = "SessionStart"
_LEFT_OUT = {"room": "left out: did not fit", "worth": "left out: not useful enough"}
_HOW = {"full": "in full", "cut": "cut short", "title": "by title", **_LEFT_OUT}


def run_inject(argv: list[str]) -> int:
    """Print the briefing; loads a parser only for arguments that hooks do not use."""
    args = SimpleNamespace(project=None, k=None, budget=DEFAULT_BUDGET, explain=False, format="text")
    if argv == ["--format", "json"]:
        args.format = "json"
    elif argv:
        _take_arguments(argv, args)
    return cmd_inject(args)


def _take_arguments(argv: list[str], args: SimpleNamespace) -> None:
    """Parse the arguments into `args`; those before the first invalid one count."""
    try:
        load("commands").parser_of("inject").parse_args(argv, args)
    except SystemExit as exc:
        if not exc.code:
            raise  # --help was given
        from anamnesis.session.receipts import log_line  # the parser has printed the error

        log_line(resolve_home(), f"inject: invalid arguments, not all of them were used: {' '.join(argv)}")


def cmd_inject(args: argparse.Namespace | SimpleNamespace) -> int:
    """Print the briefing for the session that starts."""
    return as_hook("inject", lambda: _inject(args, read_payload()))


def _inject(args: argparse.Namespace | SimpleNamespace, payload: dict[str, object]) -> None:
    home = home_folder()
    if not os.path.isdir(home):
        return  # no store, and a hook that only reads must not create one
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
    )
    if args.project:
        start.project = project_meant(start)
    if args.explain:
        _explain(start)
        return
    if text_of(payload, "hook_event_name") not in ("", _START_EVENT):
        return  # another event gets no notes
    text = clean(start_session(start).text)
    if text and sys.stdout is not None:
        answer = {"hookSpecificOutput": {"hookEventName": _START_EVENT, "additionalContext": text}}
        sys.stdout.write(json.dumps(answer) + "\n" if args.format == "json" else text)


def _explain(start: Start) -> None:
    """Print every candidate note for a session that starts now, with the parts of its worth."""
    briefing, ranked, _ = prepare(start)  # without a receipt
    names = short_ids([each.note.id for each in ranked])
    say(f"Project {start.project}: {len(briefing.text)} of {start.budget} characters used")
    for each in ranked:
        parts = ", ".join(f"{name} {amount:+.1f}" for name, amount in each.parts.items())
        how = _HOW[briefing.how(each)]
        worth = round(each.worth, 1) + 0.0  # no sign for zero
        say(f"{worth:+6.1f}  {names[each.note.id]}  {how:<22}  {one_line(each.note.title)}")
        say(f"        {parts or 'no reason counts for or against it'}")


def _idle_seconds(payload: dict[str, object]) -> float | None:
    """Seconds since the last answer of a resumed session; None if unknown."""
    seconds = payload.get("seconds_since_last_response")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e10:
        return None
    return float(seconds)
