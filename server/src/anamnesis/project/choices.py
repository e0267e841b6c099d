"""Records the user's choices about projects: trust a marker, write one, rename a key on all machines."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.files import make_folder, write_atomic, write_object
from anamnesis.layout import ALIASES_FOLDER
from anamnesis.project.identity import MARKER, find_remote, is_plausible_key
from anamnesis.project.place import TRUST_NAME, read_trusted


def trust(home: Path, remote: str, key: str) -> None:
    """Let repositories with this remote use the memory of `key`, on this machine."""
    known = read_trusted(str(home))
    keys = known.get(remote)
    known[remote] = sorted({key, *(keys if isinstance(keys, list) else ())})
    write_object(home / TRUST_NAME, known, indent=1)


def set_marker(folder: Path, key: str, *, home: Path) -> None:
    """Write a marker with a project key into `folder`, and trust it here."""
    is_path = key.strip() in (".", "..") or key.strip().startswith(("./", "../", "/", "~"))
    if is_path or not is_plausible_key(key.strip()):
        raise ConfigError(f"{key[:80]!r} cannot be a project key; use one short name such as host/owner/name")
    path = folder / MARKER
    if path.parent.is_symlink():
        raise ConfigError(f"{path.parent} is a link, which is not followed; put a folder in its place")
    make_folder(path.parent)
    write_atomic(path, f"{key.strip()}\n".encode(), mode=0o644)
    remote = find_remote(str(folder))
    if remote and remote != key:
        trust(home, remote, key)


def write_alias(memory_dir: Path, old: str, new: str) -> Path:
    """Record for all machines that `old` is now called `new`, in a small synced file."""
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in old)[:60]
    digest = hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()[:8]
    path = memory_dir / ALIASES_FOLDER / f"{name}-{digest}.json"
    write_atomic(path, json.dumps({"old": old, "new": new}, ensure_ascii=False, indent=1).encode() + b"\n")
    return path
