"""`serve`: the MCP server for the client. What it serves is heavy and loaded only here."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from anamnesis.cli.reception import hand_over, receive
from anamnesis.cli.terminal import tell


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `serve`: none."""
    parser.epilog = "Example:\n  claude mcp add --scope user anamnesis -- anamnesis serve"


def cmd_serve(args: argparse.Namespace | None = None) -> int:
    """Run the MCP server on stdin and stdout until the client hangs up."""
    # FastMCP reads settings from a .env file in the working directory, which here is the user's project.
    os.environ["FASTMCP_ENV_FILE"] = os.devnull
    # Python's own answer to Ctrl-C waits for the thread that reads stdin, and that waits for a line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin is not None and sys.stdin.isatty():
        tell("serving MCP on standard input; Ctrl-C ends it, `anamnesis --help` lists the commands")
    replayed = receive() if sys.stdin is not None else b""
    if replayed is None:
        return 0
    from anamnesis import server

    hand_over(replayed, server.main)
    return 0
