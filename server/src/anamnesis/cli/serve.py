"""The commands that keep running: `serve` for the client, `dashboard` for a browser. Both import a lot."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from anamnesis.cli.handshake import answer_first_requests, is_redundant, run_engine, serve_without_tools
from anamnesis.cli.terminal import tell
from anamnesis.config import resolve_plugin_root


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `serve`: none."""
    parser.epilog = "Example:\n  claude mcp add --scope user anamnesis -- anamnesis serve"


def cmd_serve(args: argparse.Namespace | None = None) -> int:
    """Run the MCP server on stdin and stdout until the client disconnects."""
    # FastMCP reads settings from a .env file in the working directory, which here is the user's project.
    os.environ["FASTMCP_ENV_FILE"] = os.devnull
    # Python's default Ctrl-C handling waits for the thread that reads stdin, and that waits for a line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin is not None and sys.stdin.isatty():
        tell("serving MCP on standard input; Ctrl-C ends it, `anamnesis --help` lists the commands")
    if (plugin_root := resolve_plugin_root()) and sys.stdin is not None and is_redundant(plugin_root):
        serve_without_tools()
        return 0
    replayed = answer_first_requests() if sys.stdin is not None else b""
    if replayed is None:
        return 0
    from anamnesis import server

    run_engine(replayed, server.main)
    return 0


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Arguments of `dashboard`."""
    parser.add_argument(
        "--port",
        type=_port,
        default=3000,
        metavar="N",
        help="port on localhost; 0: any free one (default %(default)s)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument(
        "--origin",
        type=_origin,
        action="append",
        default=[],
        metavar="URL",
        help="also accept pages from this address, and point there; for the front end's dev server",
    )
    parser.epilog = "Example:\n  anamnesis dashboard --open"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65_536):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port; use a number up to 65535")
    return int(text)


def _origin(text: str) -> str:
    """What a browser calls the place of a page: scheme, host and port, without a path."""
    origin = text.removesuffix("/")
    scheme, between, host = origin.partition("://")
    if scheme not in ("http", "https") or not between or not host or "/" in host:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not an address such as http://localhost:3000")
    return origin


def cmd_dashboard(args: argparse.Namespace) -> int:
    """Serve the dashboard until interrupted."""
    # Starlette and uvicorn are an extra; nothing else on the command line loads them.
    import webbrowser

    from anamnesis.dashboard import app, pages
    from anamnesis.dashboard.guard import Login

    def _ready(login: Login) -> None:
        remark = "" if args.origin else pages.remark(pages.STATIC)
        if remark:
            tell(remark)
        # Printed last, so that a script which waits for the address has seen everything else.
        tell(f"the dashboard is at {login.address} (Ctrl-C ends it)")
        if args.open:
            webbrowser.open(login.one_time_address)

    app.serve(port=args.port, origins=args.origin, ready=_ready)
    return 0
