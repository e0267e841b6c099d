"""Chats of the Gemini CLI, `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, as Claude Code would write them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

Entry = dict[str, object]
_TOOLS = {"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "edit": "Edit"}
_FAILED = ("error", "cancelled")
_HOOKED = re.compile(r"<hook_context>.*?</hook_context>\s*", re.DOTALL)  # output of hooks, in the user's role
_ROOT = ".project_root"  # file next to the chats that names their folder
_MAX_ROOT = 4096


def session_files() -> Iterator[Path]:
    """The chats on this machine."""
    return Path(os.path.expanduser("~"), ".gemini", "tmp").glob("*/chats/session-*.jsonl")


def session_of(path: Path) -> str:
    """The id in a chat's first line (its file name has only the start of it); "" for other files."""
    if not _is_chat(path):
        return ""
    try:
        with path.open("rb") as lines:
            head = json.loads(lines.readline(1 << 16))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(head["sessionId"]) if isinstance(head, dict) and is_first_line(head) else ""


def folder_of(path: Path) -> str:
    """A chat's folder, from the file that Gemini writes next to its chats."""
    try:
        text = (path.parent.parent / _ROOT).read_text("utf-8")[:_MAX_ROOT] if _is_chat(path) else ""
    except (OSError, UnicodeDecodeError):
        return ""
    return text.strip()


def _is_chat(path: Path) -> bool:
    return path.parent.name == "chats" and path.name.startswith("session-")


def is_first_line(entry: Entry) -> bool:
    """Whether a file with this first line is a chat."""
    return isinstance(entry.get("sessionId"), str) and "projectHash" in entry


def translate(entries: Iterator[Entry]) -> Iterator[Entry]:
    """What was said and done in a chat; for a rewritten line, its last version."""
    about: Entry = {}
    lines: dict[str, Entry] = {}
    for entry in entries:
        if is_first_line(entry):
            about = {
                "sessionId": entry["sessionId"],
                "cwd": _folder(entry),
                "gitBranch": "",
                "entrypoint": "cli",
            }
        elif isinstance(entry.get("id"), str):
            lines[str(entry["id"])] = entry
    for entry in lines.values():
        for line in _spoken(entry):
            yield {**about, "uuid": entry["id"], "timestamp": entry.get("timestamp"), **line}


def _folder(head: Entry) -> str:
    folders = head.get("directories")
    return str(folders[0]) if isinstance(folders, list) and folders else str(head.get("cwd") or "")


def _spoken(entry: Entry) -> Iterator[Entry]:
    text = _HOOKED.sub("", _text(entry.get("content")))
    if entry.get("type") == "user" and text:
        yield {"type": "user", "message": {"role": "user", "content": text}}
    if entry.get("type") != "gemini":
        return
    found = entry.get("toolCalls")
    calls = [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []
    said = [{"type": "text", "text": text}] if text else []
    message = {"role": "assistant", "content": [*said, *map(_use, calls)]}
    yield {"type": "assistant", "message": message}
    if calls:
        yield {"type": "user", "message": {"role": "user", "content": [*map(_result, calls)]}}


def _use(call: Entry) -> Entry:
    given = call.get("args")
    name = str(call.get("name") or "")
    arguments = given if isinstance(given, dict) else {}
    return {"type": "tool_use", "id": call.get("id"), "name": _TOOLS.get(name, name), "input": arguments}


def _result(call: Entry) -> Entry:
    shown = _text(call.get("resultDisplay")) or _text(call.get("result"))
    failed = call.get("status") in _FAILED
    return {"type": "tool_result", "tool_use_id": call.get("id"), "content": shown, "is_error": failed}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text"))
