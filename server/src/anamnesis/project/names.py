"""What people call projects: matches a key that a person typed, and records what a person chose.

A person may trust a repository's marker, or write one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from anamnesis import state
from anamnesis.address import mask
from anamnesis.errors import ConfigError, UnknownProject
from anamnesis.files import make_folder, write_atomic
from anamnesis.project import (
    MARKER,
    _normalize_remote,
    find_marker,
    find_remote,
    is_plausible_key,
)

_ADDRESS = re.compile(  # of a repository: with a scheme, or `user@host:path`, or `host.org:path`
    r"[a-z][a-z0-9+.-]*://\S*/\S|(?:[^\s/:@]+@\S+?|[^\s/:@]+\.[^\s/:@]+):[^\s:]", re.IGNORECASE
)
HERE = "."  # means this project, wherever a key is accepted
_MOST_NEAR = 3


def spelled(wanted: str, *, known: Collection[str], here: str) -> str:
    """The key that `wanted` means: `.`, a known key in any spelling, or the last part of exactly one.

    Any other text may be a new key: an address is that of its repository, other text stays as it is.
    """
    text = unicodedata.normalize("NFC", wanted.strip())
    if text in ("", HERE):
        return here
    if text in known:
        return text
    plain = _normalize_remote(text)
    for key in (plain, text.casefold()):
        if key in known:
            return key
    ending = [key for key in known if key.rpartition("/")[2] == plain or key.endswith(f"/{plain}")]
    if len(ending) == 1:
        return ending[0]
    return plain if _ADDRESS.match(text) else text


def near(wanted: str, known: Collection[str]) -> list[str]:
    """Known keys that look similar to `wanted`, in whole or in their last part, most similar first."""
    from difflib import get_close_matches  # a slow import, needed only for an unknown key

    text = wanted.casefold()
    tails: dict[str, list[str]] = {}
    for key in known:
        tails.setdefault(key.rpartition("/")[2].casefold(), []).append(key)
    close = get_close_matches(text.rpartition("/")[2], tails, n=_MOST_NEAR, cutoff=0.7)
    whole = get_close_matches(text, known, n=_MOST_NEAR, cutoff=0.6)
    return list(dict.fromkeys([*(key for tail in close for key in tails[tail]), *whole]))[:_MOST_NEAR]


def unknown(wanted: str, known: Collection[str]) -> UnknownProject:
    """The error for a key that no note has."""
    found = near(wanted, known)
    hint = f"did you mean {' or '.join(found)}?" if found else "`anamnesis status` lists the keys there are"
    return UnknownProject(f"no note has the project {mask(wanted)!r}; {hint}")


def trust(home: Path, remote: str, key: str) -> None:
    """Let repositories with this remote use the memory of `key`, on this machine."""
    state.save(home, state.Trust(remote, key))


def trust_marker(folder: Path, *, home: Path) -> None:
    """Let the marker of a repository choose its project's key, on this machine; ConfigError without one."""
    marker, remote = find_marker(str(folder)), find_remote(str(folder))
    if not marker:
        raise ConfigError(f"{folder} has no marker to trust; `anamnesis project set KEY` writes one")
    if remote:
        trust(home, remote, marker)


def set_marker(folder: Path, key: str, *, home: Path) -> None:
    """Write a marker with a project key into `folder`, and trust it here."""
    key = unicodedata.normalize("NFC", key.strip())
    is_path = key in (".", "..") or key.startswith(("./", "../", "/", "~"))
    if is_path or len(key.split()) > 1 or not is_plausible_key(key):
        raise ConfigError(
            f"{mask(key)[:80]!r} cannot be a project key;"
            " use one name without spaces, such as host/owner/name"
        )
    path = folder / MARKER
    if path.parent.is_symlink():
        raise ConfigError(f"{path.parent} is a link, which is not followed; put a folder in its place")
    make_folder(path.parent)
    write_atomic(path, f"{key}\n".encode(), mode=0o644)
    remote = find_remote(str(folder))
    if remote and remote != key:
        trust(home, remote, key)
