"""The commands that stay running: `serve` for the client. What they serve is heavy and loaded only here."""

from __future__ import annotations

import argparse
import os


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `serve`: none."""
    parser.epilog = "Example:\n  claude mcp add --scope user anamnesis -- anamnesis serve"


def cmd_serve(args: argparse.Namespace | None = None) -> int:
    """Run the MCP server on stdin and stdout until the client hangs up."""
    # FastMCP reads settings from a .env file in the working directory, which here is the user's project.
    os.environ["FASTMCP_ENV_FILE"] = os.devnull
    from anamnesis import server

    server.main()
    return 0
