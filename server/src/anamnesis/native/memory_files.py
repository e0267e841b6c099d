"""The client's own memory files: where they are, which project a folder belongs to, parsing a file.

There is one folder per project, or the folder that `autoMemoryDirectory` in the user's settings names; the
client requires it to be absolute or below `~/`. That folder has memories of every project, so they belong to
none. A folder that overlaps the store is refused, or an import would import its own notes. The name of a
folder under `projects/` is the working directory with everything but letters and digits replaced by `-`,
which cannot be reversed; the transcripts in it name the real directory. Front matter is read line by line,
not as YAML: a model writes it, and an unquoted colon in a description must not lose the memory.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis.files import entries_in, read_object
from anamnesis.layout import GLOBAL, LOCAL, MEMORY
from anamnesis.project import resolve_project_key
from anamnesis.redact import redact, strip_private

INDEX_NAME = "MEMORY.md"
_MAX_DEPTH = 4
_OTHER = re.compile(r"[^A-Za-z0-9]")
_MAX_TRANSCRIPTS = 5
_MAX_FOLDERS = 20
_FENCE = re.compile(r"---[ \t]*\n(?P<front>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w-]*):(?:[ \t]+(?P<value>.*))?")
_BLOCK_MARKS = frozenset((">", "|", ">-", "|-", ">+", "|+"))
_WANTED = ("name", "description", "type")
_MAX_TITLE = 120
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def places(claude_dir: Path, root: Path) -> list[str]:
    """The folders that are searched for the store at `root`, for messages."""
    named = named_folder(claude_dir, root)
    return [str(claude_dir / "projects" / "*" / "memory"), *([named] if named else [])]


def memory_files(claude_dir: Path, root: Path) -> dict[str, os.stat_result]:
    """Every memory file by its path, each once even if two paths lead to it."""
    found: dict[str, os.stat_result] = {}
    for folder in folders(str(claude_dir / "projects")):
        if os.path.join(folder, "memory") in folders(folder):
            found.update(_files_below(os.path.join(folder, "memory"), _MAX_DEPTH))
    if named := named_folder(claude_dir, root):
        known = {(state.st_dev, state.st_ino) for state in found.values()}
        others = _files_below(named, _MAX_DEPTH)
        found.update((path, state) for path, state in others if (state.st_dev, state.st_ino) not in known)
    return found


def named_folder(claude_dir: Path, root: Path) -> str:
    """The folder in `autoMemoryDirectory`; "" if it is not set or not usable."""
    value = read_object(claude_dir / "settings.json").get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value:
        return ""
    home = os.path.expanduser("~")
    path = os.path.normpath(os.path.join(home, value[2:]) if value.startswith("~/") else value)
    if not os.path.isabs(path):
        return ""
    # A setting that is or contains the home folder must be a mistake.
    if _is_within(home, path) or _is_of_store(path, root):
        return ""
    return path


def _is_of_store(path: str, root: Path) -> bool:
    """Whether a folder overlaps the store, so that notes would be imported again."""
    parts = [str(root), str(root / MEMORY), str(root / LOCAL)]
    return any(_is_within(path, part) or _is_within(part, path) for part in parts)


def _is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or inside it, after resolving symlinks."""
    real = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), real]) == real


def _files_below(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    for path, state in regular_files(folder):
        if path.endswith(".md") and os.path.basename(path) != INDEX_NAME:
            yield path, state
    for below in folders(folder) if depth > 1 else ():
        yield from _files_below(below, depth - 1)


def project_of(folder: Path) -> str:
    """The project key for one of the client's folders; without a transcript, from the folder's name."""
    cwd = _working_directory(folder)
    return resolve_project_key(cwd) if cwd else folder.name.strip("-").lower() or GLOBAL


def folder_name(cwd: str) -> str:
    """The client's name for a working directory."""
    return _OTHER.sub(lambda found: "-" if ord(found[0]) < 0x10000 else "--", cwd)


def _working_directory(folder: Path) -> str:
    from anamnesis.session.transcript import first_cwd  # called only once for each folder

    cwds = [cwd for path in _transcripts(folder) if (cwd := first_cwd(path))]
    for cwd in cwds:
        if folder_name(cwd) == folder.name:
            return cwd
    # The client stores a repository's memory under its root, but sessions may have started below it.
    for below in _folders_below(folder):
        for cwd in map(first_cwd, _transcripts(below)):
            above = next((str(up) for up in Path(cwd).parents if folder_name(str(up)) == folder.name), "")
            if above:
                return above
    return cwds[0] if cwds else ""


def _transcripts(folder: Path) -> list[Path]:
    """The newest transcripts of a folder."""
    found = [(state.st_mtime, path) for path, state in regular_files(str(folder)) if path.endswith(".jsonl")]
    return [Path(path) for _, path in sorted(found, reverse=True)[:_MAX_TRANSCRIPTS]]


def _folders_below(folder: Path) -> list[Path]:
    below = [path for path in folders(str(folder.parent)) if path.startswith(f"{folder}-")]
    return [Path(path) for path in below[:_MAX_FOLDERS]]


def folders(folder: str) -> list[str]:
    """The folders in a folder by name, without symlinks; none when it cannot be read."""
    return [entry.path for entry in _scan(folder) if entry.is_dir(follow_symlinks=False)]


def regular_files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The regular files in a folder by name, with their state; none when it cannot be read."""
    for entry in _scan(folder):
        try:
            if entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False)
        except OSError:
            continue  # removed meanwhile


def _scan(folder: str) -> list[os.DirEntry[str]]:
    return sorted(entries_in(folder), key=lambda entry: entry.name)


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """The content of a memory file, without secrets and private spans."""

    name: str
    title: str
    body: str
    kind: str

    @property
    def note_type(self) -> str:
        """The type of its note: feedback is procedural, everything else a fact."""
        return "procedural" if self.kind == "feedback" else "semantic"


def read_memory(text: str, *, stem: str) -> MemoryFile | None:
    """Parse a memory file; None if it is empty. `stem` is used if it has no name."""
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
