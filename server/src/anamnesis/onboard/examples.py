"""The example files in the repository, made from the same code that `init` runs; `make docs` writes them."""

from __future__ import annotations

import json

from anamnesis.onboard.client import mcp_entry
from anamnesis.onboard.hooks import allow_reading, build_hooks

_PLACEHOLDER = "/ABSOLUTE/PATH/TO/anamnesis/server"


def example_files() -> dict[str, str]:
    """Path below the root of the repository, and text."""
    hooks = build_hooks(["uv", "run", "--project", _PLACEHOLDER, "anamnesis"])
    server = mcp_entry(["uv", "run", "--project", "server", "anamnesis"])
    return {
        "examples/hooks.settings.json": _text(allow_reading({"hooks": hooks}, name="anamnesis")),
        ".mcp.json": _text({"mcpServers": {"anamnesis": server}}),
    }


def _text(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
