"""An MCP server without tools: the plugin's, where the user's own entry starts Anamnesis already.

The client would show the tools of both, each with its schema. So this one only completes the handshake.
"""

from __future__ import annotations

import json
import os
import sys

from anamnesis import __version__
from anamnesis.config import resolve_client_config
from anamnesis.onboard.registered import our_servers

_NO_SUCH_METHOD = -32601


def is_needless(plugin_root: str) -> bool:
    """Whether our plugin started this server, and the client already has the user's entry for Anamnesis."""
    # A client that another plugin started passes that plugin's folder on to all of its servers.
    is_ours = os.path.isfile(os.path.join(plugin_root, "bin", "anamnesis-plugin"))
    return is_ours and bool(our_servers(resolve_client_config()))


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
