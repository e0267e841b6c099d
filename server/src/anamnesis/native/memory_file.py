"""One file of the client's own memory as a value: its name, its kind, its text. Pure.

The front matter is read line by line, not as YAML: a model writes it, and an unquoted colon in a description
must not lose the memory.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from anamnesis.redact import redact, strip_private

_FENCE = re.compile(r"---[ \t]*\n(?P<front>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w-]*):(?:[ \t]+(?P<value>.*))?")
_BLOCK_MARKS = frozenset((">", "|", ">-", "|-", ">+", "|+"))
_WANTED = ("name", "description", "type")
_MAX_TITLE = 120
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """What a memory file says, without secrets and private spans."""

    name: str
    title: str
    body: str
    kind: str

    @property
    def note_type(self) -> str:
        """The type of its note: feedback says how to work, the rest states facts."""
        return "procedural" if self.kind == "feedback" else "semantic"


def read_memory(text: str, *, stem: str) -> MemoryFile | None:
    """A memory file from its text; None when it is empty. `stem` is its name when it has none."""
    text = _UNPRINTABLE.sub("", redact(strip_private(text.removeprefix("\ufeff").replace("\r\n", "\n"))))
    fence = _FENCE.match(text)
    fields = _fields(fence["front"]) if fence else {}
    body = (text[fence.end() :] if fence else text).strip()
    description = " ".join(fields.get("description", "").split())
    name = fields.get("name") or stem
    title = description or name.replace("-", " ").replace("_", " ").strip()
    if len(title) > _MAX_TITLE:
        body = f"{title}\n\n{body}".strip()
        title = title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"
    if not body and not description:
        return None
    return MemoryFile(name=name, title=title, body=body or description, kind=fields.get("type", "").lower())


def _fields(front: str) -> dict[str, str]:
    """The wanted keys, at the top level or under `metadata`, with their continuation lines."""
    found: dict[str, str] = {}
    current, depth = "", 0
    for line in front.split("\n"):
        key = _KEY.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        if current and line.strip() and indent > depth:
            found[current] = f"{found[current]} {line.strip()}".strip()
        elif key and key["key"] in _WANTED and (key["value"] or "").strip() and not found.get(key["key"]):
            current, depth = key["key"], indent
            value = (key["value"] or "").strip()
            found[current] = "" if value in _BLOCK_MARKS else value
        else:
            current = ""
    return {name: _unquoted(value) for name, value in found.items()}


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value
