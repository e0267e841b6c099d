"""An MCP server without tools: the plugin's, where the user's own entry starts Anamnesis already.

The client would show the tools of both, each with its schema. So this one only completes the handshake.
"""

from __future__ import annotations

import json
import sys

from anamnesis import __version__
from anamnesis.config import is_our_plugin, resolve_client_config
from anamnesis.onboard.client import our_servers

_NO_SUCH_METHOD = -32601


def is_needless(plugin_root: str) -> bool:
    """Whether our plugin started this server, and the client has an entry of its own for Anamnesis."""
    return is_our_plugin(plugin_root) and bool(our_servers(resolve_client_config()))


def stand_aside() -> None:
    """Answer the handshake, and everything else with "not found", until the client disconnects."""
    for line in sys.stdin:
        answer = _answer(line)
        if answer:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _answer(line: str) -> dict[str, object]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(message, dict) or "id" not in message or "method" not in message:
        return {}
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        params = message.get("params")
        version = params.get("protocolVersion") if isinstance(params, dict) else None
        about = {"name": "anamnesis", "version": __version__}
        return {**head, "result": {"protocolVersion": version, "capabilities": {}, "serverInfo": about}}
    if message["method"] == "ping":
        return {**head, "result": {}}
    return {**head, "error": {"code": _NO_SUCH_METHOD, "message": "served by the user's own entry"}}
