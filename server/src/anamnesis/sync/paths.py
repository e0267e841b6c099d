"""Which files travel, and why the others do not. Pure rules over names, the same for sending and receiving.

A name travels when git takes it on every platform and Linux and macOS can both hold it. A path that fails
here is neither committed nor written to the work tree; what other machines put there stays in the history.
"""

from __future__ import annotations

import re
import unicodedata

_LEFTOVER = re.compile(
    r"~$|^#.*#$|\.sw[a-p]$|\.(?:tmp|temp|bak|orig|rej|lock)$|^(?:Thumbs\.db|desktop\.ini|Icon\r)$"
)
_MAX_NAME = 255  # bytes of one name, on every file system in use
_MAX_PATH = 1000  # characters; macOS takes 1,024 bytes, the store's own folder included
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")  # a tab is harmless
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# Windows reads a backslash as a slash, cuts blanks and dots at the end, and calls `.git` also `git~1`.
_DOT_GIT = re.compile(r"(?:^|\\)(?:\.git|git~1)[ .]*(?:[:\\]|$)", re.IGNORECASE)
_WAY_UP = re.compile(r"(?:^|\\)\.\.?(?:\\|$)")
REGULAR_MODES = frozenset(("100644", "100755"))


def is_synced_path(path: str) -> bool:
    """Whether a file at `path` (relative, with slashes) travels between machines."""
    return refusal(path) is None


def refusal(path: str) -> str | None:
    """Why a file at `path` does not travel; None when it does, "" when nobody expects it to.

    Nobody expects hidden files and the leftovers of editors to travel; they are not indexed either.
    """
    parts = path.split("/")
    if any(part[:1] == "." for part in parts) or _LEFTOVER.search(parts[-1]):
        return ""
    if path.endswith("/"):
        return "it is a git repository of its own; move its notes out of it"
    if len(path) > _MAX_PATH:
        return f"its path is longer than {_MAX_PATH:,} characters; move it up"
    return next((why for part in parts if (why := _refused_part(part))), None)


def _refused_part(part: str) -> str:
    try:
        size = len(part.encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8; rename it"
    if not part:
        return "its path has an empty part"
    if size > _MAX_NAME:
        return f"its name is longer than {_MAX_NAME} bytes; shorten it"
    if _CONTROL.search(part):
        return "its name holds a control character; rename it"
    seen = _IGNORED_BY_HFS.sub("", part)
    if _DOT_GIT.search(seen):
        return "its name means `.git` on some systems; rename it"
    if _WAY_UP.search(seen):
        return "its name means `..` on some systems; rename it"
    return ""


def shown(path: str) -> str:
    """`path` in one printable line: what is not to be seen stands there as an escape."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def folded(path: str) -> str:
    """`path` as a file system that ignores case and Unicode form sees it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
