"""The MCP servers of ours that Claude Code knows at user scope."""

from __future__ import annotations

import os
from pathlib import Path

from anamnesis.files import read_object


def our_servers(path: Path) -> dict[str, dict[str, object]]:
    """The entries that start Anamnesis, by name; none when the file cannot be read."""
    entries = read_object(path).get("mcpServers")
    found = entries.items() if isinstance(entries, dict) else ()
    return {name: entry for name, entry in found if isinstance(entry, dict) and _is_ours(entry)}


def _is_ours(entry: dict[str, object]) -> bool:
    args = entry.get("args")
    words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    return words[-1] == "serve" and any(os.path.basename(word) == "anamnesis" for word in words)
