"""`dashboard`: serves the dashboard to a browser on this machine."""

from __future__ import annotations

import argparse
import webbrowser

from anamnesis.cli.output import tell
from anamnesis.dashboard import app, pages
from anamnesis.dashboard.guard import Login


def cmd_dashboard(args: argparse.Namespace) -> int:
    """Serve the dashboard until interrupted."""

    def _ready(login: Login) -> None:
        if not (args.origin or pages.is_built(pages.STATIC)):
            tell("the dashboard's page has not been built, so only the API is served; run `make dashboard`")
        # Printed last, so that a script that waits for the address has seen everything else.
        tell(f"the dashboard is at {login.address} (Ctrl-C ends it)")
        if args.open:
            webbrowser.open(login.one_time_address)

    app.serve(port=args.port, origins=args.origin, ready=_ready)
    return 0
