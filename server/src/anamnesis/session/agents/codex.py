"""Rollouts of the Codex CLI, `~/.codex/sessions/Y/M/D/rollout-*.jsonl`, as Claude Code would write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from anamnesis.config import resolve_codex_dir

Entry = dict[str, object]
# Messages that Codex itself sends in the user's role: rules files, the environment, notices.
_NOT_TYPED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions)|# AGENTS\.md)"
)
_PATCHED = re.compile(r"^\*\*\* (?P<act>Add|Update|Delete) File: (?P<path>.+)$", re.MULTILINE)
_SHELLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
_SCRIPT = "codex_exec"
_MOST_FILES = 200  # of one patch
_FILE = re.compile(r"rollout-.+-(?P<session>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def session_files() -> Iterator[Path]:
    """The rollouts on this machine."""
    return (resolve_codex_dir() / "sessions").glob("*/*/*/rollout-*.jsonl")


def session_of(path: Path) -> str:
    """The id at the end of a rollout's name; "" for other files."""
    found = _FILE.fullmatch(path.stem)
    return found["session"] if found else ""


def folder_of(_path: Path) -> str:
    """Always "": a rollout names its folder in its lines."""
    return ""


def is_first_line(entry: Entry) -> bool:
    """Whether a file with this first line is a rollout."""
    return entry.get("type") == "session_meta" and isinstance(entry.get("payload"), dict)


def translate(entries: Iterator[Entry]) -> Iterator[Entry]:
    """What was said and done in a rollout."""
    about: Entry = {}
    for number, entry in enumerate(entries):
        payload = _dict(entry.get("payload"))
        if entry.get("type") == "session_meta":
            about = _about(payload)
        elif entry.get("type") == "response_item":
            line = _line(payload)
            if line is not None:
                yield {**about, "uuid": f"{number}", "timestamp": entry.get("timestamp"), **line}


def _about(meta: Entry) -> Entry:
    """The fields that every translated line gets."""
    fields: Entry = {
        "sessionId": meta.get("session_id") or meta.get("id") or "",
        "cwd": meta.get("cwd") or "",
        "gitBranch": _dict(meta.get("git")).get("branch") or "",
    }
    # Mark a scripted run as Claude Code does.
    return {**fields, "entrypoint": "sdk-cli" if meta.get("originator") == _SCRIPT else "cli"}


def _line(item: Entry) -> Entry | None:
    kind = item.get("type")
    if kind == "message":
        return _message(item)
    if kind in ("function_call", "custom_tool_call", "local_shell_call"):
        return _spoken("assistant", _call(item))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return _spoken("user", [_result(item)])
    return None


def _message(item: Entry) -> Entry | None:
    parts = item.get("content")
    text = "\n".join(str(_dict(part).get("text") or "") for part in parts) if isinstance(parts, list) else ""
    if item.get("role") == "assistant" and text:
        return _spoken("assistant", [{"type": "text", "text": text}])
    if item.get("role") == "user" and text and not _NOT_TYPED.match(text):
        return _spoken("user", text)
    return None


def _spoken(role: str, content: object) -> Entry:
    return {"type": role, "message": {"role": role, "content": content}}


def _call(item: Entry) -> list[Entry]:
    """A tool call: a command line, or the files of a patch."""
    arguments = _arguments(item)
    name = str(item.get("name") or "local_shell")
    call = str(item.get("call_id") or item.get("id") or "")
    patch = arguments.get("input") if name == "apply_patch" else _patch_in(arguments)
    if isinstance(patch, str):
        # Several files share one result; a call whose id starts with # counts as done without one.
        ids = [call, *(f"#{call}.{n}" for n in range(1, _MOST_FILES))]
        return [_use(name, *file) for name, file in zip(ids, _files(patch), strict=False)]
    if name in _SHELLS:
        return [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": _command(arguments)}}]
    return [{"type": "tool_use", "id": call, "name": name, "input": {}}]


def _arguments(item: Entry) -> Entry:
    arguments = item.get("arguments") or item.get("input") or item.get("action")
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            return {"input": arguments}
        return _dict(parsed)
    return _dict(arguments)


def _command(arguments: Entry) -> str:
    words = arguments.get("command") or arguments.get("cmd") or ""
    if isinstance(words, list):
        texts = [str(word) for word in words]
        return texts[2] if len(texts) > 2 and texts[1] in ("-c", "-lc") else " ".join(texts)
    return str(words)


def _patch_in(arguments: Entry) -> str | None:
    """The patch of a shell call that runs `apply_patch`."""
    command = _command(arguments)
    return command if "apply_patch" in command and _PATCHED.search(command) else None


def _files(patch: str) -> list[tuple[str, str]]:
    tools = {"Add": "Write", "Update": "Edit", "Delete": "Delete"}
    return [(tools[match["act"]], match["path"].strip()) for match in _PATCHED.finditer(patch)]


def _use(call: str, tool: str, path: str) -> Entry:
    return {"type": "tool_use", "id": call, "name": tool, "input": {"file_path": path}}


def _result(item: Entry) -> Entry:
    output, code = _output(item.get("output"))
    call = str(item.get("call_id") or "")
    return {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": code not in (0, None)}


def _output(output: object) -> tuple[str, object]:
    """What a tool printed, and its exit code if there is one."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return str(output), None
    if isinstance(output, dict):
        return str(output.get("output") or output.get("content") or ""), _dict(output.get("metadata")).get(
            "exit_code"
        )
    text = str(output or "")
    exit_line = re.search(r"^(?:Process exited with code|Exit code:) (\d+)", text, re.MULTILINE)
    return text, int(exit_line[1]) if exit_line else None


def _dict(value: object) -> Entry:
    return value if isinstance(value, dict) else {}
