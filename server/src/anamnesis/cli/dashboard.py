"""`dashboard`: serve the pages for a browser on this machine until interrupted."""

from __future__ import annotations

import argparse
import webbrowser

from anamnesis.cli.terminal import tell


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Arguments of `dashboard`."""
    parser.add_argument(
        "--port",
        type=_port,
        default=3000,
        metavar="N",
        help="port on localhost; 0: any that is free (default %(default)s)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="let pages from this address in too, and lead there; for the front end's development server",
    )
    parser.epilog = "Example:\n  anamnesis dashboard --open"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65_536):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port; it is a number up to 65535")
    return int(text)


def cmd_dashboard(args: argparse.Namespace) -> int:
    """Serve the dashboard until interrupted."""
    # Starlette and uvicorn are an extra; nothing else on the command line loads them.
    from anamnesis.dashboard import listen
    from anamnesis.dashboard.login import Login

    def _ready(login: Login) -> None:
        tell(f"the dashboard is at {login.address} (Ctrl-C ends it)")
        if args.open:
            webbrowser.open(login.one_time_address)

    listen.serve(port=args.port, origins=args.origin, ready=_ready)
    return 0
