"""The session files of all agents on this machine, and those of others in Claude Code's transcript format.

    transcripts of Claude Code   `~/.claude/projects/FOLDER/ID.jsonl`
    rollouts of the Codex CLI    `~/.codex/sessions/Y/M/D/rollout-*.jsonl`
    chats of the Gemini CLI      `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`

An agent's file is recognised by its first line. From there, every agent's session is treated alike.
"""

from __future__ import annotations

import json
import re
import stat
import time
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from anamnesis.config import resolve_codex_dir
from anamnesis.files import entries_in, parse_object, read_text
from anamnesis.session.receipts import TRIVIAL, Ledger, read_ledger
from anamnesis.state import Captured
from anamnesis.text import utcnow

Entry = dict[str, object]
_LONGEST_HEAD = 1 << 20  # bytes; a longer first line is not from another agent
_ROLLOUT = re.compile(r"rollout-.+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
# Messages that Codex itself sends in the user's role.
_NOT_TYPED = re.compile(r"\s*(?:<permissions|# AGENTS\.md)")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH_TOOLS = {"Add": "Write", "Update": "Edit", "Delete": "Delete"}
_SHELLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (\d+)", re.MULTILINE)
_GEMINI_TOOLS = {"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "edit": "Edit"}


def in_claude_format(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of any agent's session file as Claude Code would have written them."""
    first = next(lines, b"")
    together = chain([first] if first else [], lines)
    head = (parse_object(first) if len(first) < _LONGEST_HEAD else None) or {}
    entries = (entry for line in together if (entry := parse_object(line)))
    if head.get("type") == "session_meta" and isinstance(head.get("payload"), dict):
        return (json.dumps({**entry, "agent": "codex"}).encode() for entry in _codex(entries))
    if _is_chat_head(head):
        return (json.dumps({**entry, "agent": "gemini"}).encode() for entry in _gemini(entries))
    return together


def session_of(path: Path) -> str:
    """The id of the session in a file of any agent; a chat has it only in its first line."""
    if found := _ROLLOUT.fullmatch(path.stem):
        return found[1]
    try:
        with path.open("rb") as lines:
            head = (parse_object(lines.readline(_LONGEST_HEAD)) if _is_chat(path) else None) or {}
    except OSError:
        return path.stem
    return str(head["sessionId"]) if _is_chat_head(head) else path.stem


def folder_of(path: Path) -> str:
    """A session's folder, from the file that Gemini writes next to its chats; "" for other sessions."""
    return read_text(path.parent.parent / ".project_root").strip() if _is_chat(path) else ""


def _is_chat(path: Path) -> bool:
    return path.parent.name == "chats" and path.name.startswith("session-")


def _is_chat_head(entry: Entry) -> bool:
    return isinstance(entry.get("sessionId"), str) and "projectHash" in entry


def _codex(entries: Iterator[Entry]) -> Iterator[Entry]:
    """What was said and done in a rollout."""
    about: Entry = {}
    for number, entry in enumerate(entries):
        item = dict_of(entry.get("payload"))
        if entry.get("type") == "session_meta":
            about = {
                "sessionId": item.get("session_id") or item.get("id") or "",
                "cwd": item.get("cwd") or "",
                "gitBranch": dict_of(item.get("git")).get("branch") or "",
                # Mark a scripted run as Claude Code does.
                "entrypoint": "sdk-cli" if item.get("originator") == "codex_exec" else "cli",
            }
        elif entry.get("type") == "response_item" and (line := _codex_line(item)):
            yield {**about, "uuid": f"{number}", "timestamp": entry.get("timestamp"), **line}


def _codex_line(item: Entry) -> Entry | None:
    kind, role, text = str(item.get("type")), item.get("role"), _text(item.get("content"))
    if kind == "message" and text and role in ("user", "assistant") and not _NOT_TYPED.match(text):
        return _spoken(str(role), text)
    if kind.endswith("_call"):
        return _spoken("assistant", _codex_call(item))
    if kind.endswith("_call_output"):
        text, is_error = _codex_output(item.get("output"))
        return _spoken("user", [_result(item.get("call_id"), text, is_error=is_error)])
    return None


def _codex_call(item: Entry) -> list[Entry]:
    """A tool call: a command line, or the files of a patch."""
    given = item.get("arguments") or item.get("input") or item.get("action")
    # The input of a patch is its text; that of other tools is an object, as JSON.
    arguments = (parse_object(given) or {"command": given}) if isinstance(given, str) else dict_of(given)
    words = arguments.get("command") or arguments.get("cmd") or arguments.get("input") or ""
    if isinstance(words, list):
        words = words[2] if len(words) > 2 and words[1] in ("-c", "-lc") else " ".join(map(str, words))
    name, call, command = str(item.get("name") or "local_shell"), str(item.get("call_id") or ""), str(words)
    if "apply_patch" in name + command and (files := _PATCHED.findall(command)):
        # Several files share one result; a call whose id starts with # counts as done without one.
        ids = [call, *(f"#{call}.{number}" for number in range(1, len(files)))]
        return [
            _use(own, _PATCH_TOOLS[act], {"file_path": path.strip()})
            for own, (act, path) in zip(ids, files, strict=True)
        ]
    return [_use(call, "Bash", {"command": command}) if name in _SHELLS else _use(call, name, {})]


def _codex_output(output: object) -> tuple[str, bool]:
    """What a tool printed, and whether it failed."""
    given = dict_of((parse_object(output) or output) if isinstance(output, str) else output)
    if given:
        code = dict_of(given.get("metadata")).get("exit_code")
        return str(given.get("output") or given.get("content") or ""), code not in (0, None)
    text = str(output or "")
    found = _EXIT.search(text)
    return text, bool(found and int(found[1]))


def _gemini(entries: Iterator[Entry]) -> Iterator[Entry]:
    """What was said and done in a chat; for a rewritten line, its last version."""
    about: Entry = {}
    lines: dict[str, Entry] = {}
    for entry in entries:
        if _is_chat_head(entry):
            about = {"sessionId": entry["sessionId"], "cwd": str(entry.get("cwd") or ""), "entrypoint": "cli"}
        elif isinstance(entry.get("id"), str):
            lines[str(entry["id"])] = entry
    for name, entry in lines.items():
        for line in _gemini_lines(entry):
            yield {**about, "uuid": name, "timestamp": entry.get("timestamp"), **line}


def _gemini_lines(entry: Entry) -> Iterator[Entry]:
    text, calls = _text(entry.get("content")), dicts_of(entry.get("toolCalls"))
    if entry.get("type") == "user" and text:
        yield _spoken("user", text)
    if entry.get("type") != "gemini":
        return
    yield _spoken("assistant", [{"type": "text", "text": text}, *map(_gemini_call, calls)])
    if calls:
        yield _spoken("user", [_gemini_result(call) for call in calls])


def _gemini_call(call: Entry) -> Entry:
    name = str(call.get("name") or "")
    return _use(str(call.get("id") or ""), _GEMINI_TOOLS.get(name, name), dict_of(call.get("args")))


def _gemini_result(call: Entry) -> Entry:
    shown = _text(call.get("resultDisplay")) or _text(call.get("result"))
    return _result(call.get("id"), shown, is_error=call.get("status") in ("error", "cancelled"))


def _spoken(role: str, content: object) -> Entry:
    return {"type": role, "message": {"role": role, "content": content}}


def _use(call: str, tool: str, given: Entry) -> Entry:
    return {"type": "tool_use", "id": call, "name": tool, "input": given}


def _result(call: object, text: str, *, is_error: bool) -> Entry:
    return {"type": "tool_result", "tool_use_id": call or "", "content": text, "is_error": is_error}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in dicts_of(content) if part.get("text"))


def dict_of(value: object) -> Entry:
    """A JSON object; {} for any other value."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[Entry]:
    """The JSON objects in a list; none in any other value."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# -- those on this machine --------------------------------------------------------------------------------


def entry_for(transcript: Path) -> Captured:
    """An entry with the current state of a session file, not captured yet; size 0 if there is none."""
    try:
        found = transcript.stat()
        size, mtime_ns = found.st_size if stat.S_ISREG(found.st_mode) else 0, found.st_mtime_ns
    except (OSError, ValueError):
        size = mtime_ns = 0
    return Captured(transcript.stem, str(transcript), size, mtime_ns, TRIVIAL, utcnow())


def pending(
    ledger: Ledger, claude_dir: Path, *, started: Collection[str], current: str = "", quiet: float = 0.0
) -> list[Path]:
    """The transcripts of sessions with our hooks that have changed since their last capture, newest first.

    These are the sessions in `started`, which have a receipt, and those captured before, but for the session
    `current` and files written in the last `quiet` seconds. Other sessions ran without our hooks.
    """
    # If the time is in the future, the clock was set back since.
    ended = (path for path, at in _unseen(ledger, claude_dir) if abs(time.time_ns() - at) >= quiet * 1e9)
    ours = {*started, *ledger} - {current}
    return [path for path in ended if session_of(path) in ours]


def past_sessions(root: Path, claude_dir: Path, *, since: float = 0.0) -> list[Path]:
    """The transcripts on disk that no capture has seen, newest first; `since` is in seconds since 1970."""
    return [path for path, changed in _unseen(read_ledger(root), claude_dir) if changed >= since * 1e9]


def _unseen(ledger: Ledger, claude_dir: Path) -> list[tuple[Path, int]]:
    """The session files that are not in the ledger or have changed since, newest first, with their times."""
    known = {(entry.transcript, entry.size, entry.mtime_ns) for entry in ledger.values()}
    found = map(entry_for, _session_files(claude_dir))
    new = [entry for entry in found if entry.size and entry[1:4] not in known]
    return [
        (Path(entry.transcript), entry.mtime_ns)
        for entry in sorted(new, key=lambda entry: (entry.mtime_ns, entry.transcript), reverse=True)
    ]


def _session_files(claude_dir: Path) -> Iterator[Path]:
    """The session files of all agents; a subagent's transcript is not a session of its own."""
    for folder in entries_in(claude_dir / "projects"):
        for file in entries_in(folder.path) if folder.is_dir(follow_symlinks=False) else ():
            if file.name.endswith(".jsonl") and not file.name.startswith("agent-") and not file.is_symlink():
                yield Path(file.path)
    yield from (resolve_codex_dir() / "sessions").glob("*/*/*/rollout-*.jsonl")
    yield from Path.home().glob(".gemini/tmp/*/chats/session-*.jsonl")
