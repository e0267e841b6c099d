"""Which files of the tree travel, and which paths may be written. Pure rules over names.

A path that fails here is neither committed nor written to the work tree; what other machines put there stays
in the history and leads nowhere.
"""

from __future__ import annotations

import re
import unicodedata

_LEFTOVER = re.compile(
    r"~$|^#.*#$|\.sw[a-p]$|\.(?:tmp|temp|bak|orig|rej|lock)$|^(?:Thumbs\.db|desktop\.ini|Icon\r)$"
)
_MAX_NAME, _MAX_PATH = 255, 1000
REGULAR_MODES = frozenset(("100644", "100755"))


def is_synced_path(path: str) -> bool:
    """Whether a file at `path` (relative, with slashes) travels between machines."""
    if not path or len(path) > _MAX_PATH or path.startswith("/") or not _is_plain(path):
        return False
    parts = path.split("/")
    return all(_is_safe_part(part) for part in parts) and not _LEFTOVER.search(parts[-1])


def _is_plain(path: str) -> bool:
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return False  # a name that is no UTF-8 means something else on every machine
    return b"\\" not in encoded and not any(
        unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") for char in path
    )


def _is_safe_part(part: str) -> bool:
    # A leading dot covers `.`, `..` and `.git`; the other two are their spellings on other systems.
    return bool(part) and part[0] != "." and part[-1] not in ". " and part.lower() != "git~1" and _fits(part)


def _fits(part: str) -> bool:
    return len(part.encode()) <= _MAX_NAME - 40  # room for the temporary name beside it


def folded(path: str) -> str:
    """`path` as a file system that ignores case and Unicode form sees it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
