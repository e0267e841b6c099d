"""Transcripts for tests, line by line, as the client writes them."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = "5d1f7c1e-8a52-4c43-9f0e-1c2f6b3a7d99"
Line = dict[str, object]


def common(**more: object) -> Line:
    """The fields of every message line."""
    return {
        "cwd": "/home/ada/work/parser",
        "gitBranch": "main",
        "sessionId": SESSION,
        "timestamp": "2026-03-04T09:00:00.000Z",
        "isSidechain": False,
        **more,
    }


def asked(content: object, **more: object) -> Line:
    """A user line."""
    return {"type": "user", "message": {"role": "user", "content": content}, **common(**more)}


def said(*content: object, message_id: str = "", **more: object) -> Line:
    """An assistant line; text becomes a text block."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    message = {"id": message_id, "role": "assistant", "model": "claude-x", "content": blocks}
    return {"type": "assistant", "message": message, **common(**more)}


def called(call: str, tool: str, **given: object) -> Line:
    """An assistant line that uses a tool."""
    return said({"type": "tool_use", "id": call, "name": tool, "input": given})


def returned(call: str, content: object = "ok", *, error: bool = False, details: object = None) -> Line:
    """The user line with a tool's result."""
    block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": error}
    return asked([block], toolUseResult=details)


def write_transcript(path: Path, *lines: Line | str) -> Path:
    """Write a transcript file with these lines; text is written unchanged."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path
