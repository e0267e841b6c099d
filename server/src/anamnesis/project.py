"""Which project a folder belongs to, and whether its marker may choose it.

The key is that of the marker, the git remote, the repository's name or the folder's name, in that order. A
cloned repository contains its marker, so a marker alone must not decide which notes are loaded. It counts if
the folder has no remote, if it names the remote's own key, or if the user trusts this pair of remote and key
on this machine. Hooks, the server and the commands all ask `place_of`.

The common case reads two or three small files and starts no process, because a hook waits for it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from anamnesis import config, state
from anamnesis.address import mask
from anamnesis.errors import ConfigError, UnknownProject
from anamnesis.files import make_folder, read_regular, write_atomic
from anamnesis.layout import GLOBAL

MARKER = os.path.join(".anamnesis", "project")
_OFF = os.path.join(".anamnesis", "off")
_MAX_MARKER = 4096  # bytes
_LONGEST_KEY = 200
_MOST_WORDS = 5
_NOT_IN_KEY = frozenset('"`$<>|;:=*?\\[]^%!,\ufffd')  # characters of sentences, settings and password tables
_LONGEST_PATH = 4096  # no system opens a longer path
_MAX_GIT_FILE = 1 << 20  # bytes
_ADDRESS = re.compile(  # of a repository: with a scheme, or `user@host:path`, or `host.org:path`
    r"[a-z][a-z0-9+.-]*://\S*/\S|(?:[^\s/:@]+@\S+?|[^\s/:@]+\.[^\s/:@]+):[^\s:]", re.IGNORECASE
)
HERE = "."  # means this project, wherever a key is accepted
_MOST_NEAR = 3
_NEEDS_GIT = ("[include", "[url")  # sections that only git can apply


def resolve_project_key(cwd: str | os.PathLike[str] = ".") -> str:
    """The project key for work in `cwd`, the same on every machine."""
    return current_project(cwd) or key_in_use(_folder_name(cwd)) or GLOBAL


def current_project(cwd: str | os.PathLike[str] = ".") -> str | None:
    """The key of the repository or marked folder that contains `cwd`; None elsewhere."""
    try:
        folder = os.path.abspath(os.fspath(cwd))
        return key_in_use(_read_marker(folder) or _git_key(folder)) or None
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        return None


def _folder_name(cwd: str | os.PathLike[str]) -> str:
    try:
        return os.path.basename(os.path.abspath(os.fspath(cwd))).lower()
    except (OSError, ValueError):
        return ""


def key_in_use(key: str) -> str:
    """A key without unprintable characters, or the key that it was renamed to."""
    return current_key(_printable(key))


def current_key(key: str) -> str:
    """The key that this one was renamed to, or the key itself."""
    return config.resolve_aliases().get(key, key)


def keys_of(project: str) -> list[str]:
    """All keys of a project, given by any of them: the current one, then the older ones."""
    current = current_key(project)
    return [current, *(old for old, new in config.resolve_aliases().items() if new == current != old)]


class Place(NamedTuple):
    """A folder's project key, and the key in its marker if that is not trusted here."""

    key: str
    is_known: bool  # in a repository or marked; otherwise the key is only the folder's name
    remote: str = ""
    refused: str = ""

    @property
    def default(self) -> str:
        """The project of a new note if none is given."""
        return self.key if self.is_known else GLOBAL

    @property
    def warning(self) -> str:
        """One line about a marker that was not followed; "" if there is none."""
        if not self.refused:
            return ""
        return (
            f"The marker .anamnesis/project asks for the memory of `{self.refused}`, but this repository is"
            f" `{self.remote}`; its own notes are used. `anamnesis project trust` follows the marker."
        )


def place_of(folder: str, *, home: str) -> Place:
    """Which project's memory `folder` gets on this machine."""
    try:
        marker, remote = find_marker(folder), find_remote(folder)
        is_known = bool(marker or _repository(os.path.abspath(folder))[1])
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        marker, remote, is_known = "", "", False
    if not marker or remote in ("", marker) or state.read(home, state.Trust, remote=remote, key=marker):
        key = key_in_use(marker or remote) if marker or remote else resolve_project_key(folder)
        return Place(key, is_known, remote)
    key = key_in_use(remote)
    return Place(key, is_known=True, remote=remote, refused="" if key_in_use(marker) == key else marker)


def find_marker(cwd: str) -> str:
    """The key in a marker at or above `cwd`; "" if there is none."""
    return _printable(_read_marker(os.path.abspath(cwd)))


def is_plausible_key(text: str) -> bool:
    """Whether a text looks like a project key: one short name, not a line of an arbitrary file."""
    return (
        text.isprintable()
        and 0 < len(text) <= _LONGEST_KEY
        and not _NOT_IN_KEY & set(text)
        and text[0] != "-"
        and len(text.split()) <= _MOST_WORDS
    )


def find_remote(cwd: str) -> str:
    """The key of the `origin` of the repository that contains `cwd`; "" if it has none."""
    folder, git_dir = _repository(os.path.abspath(cwd))
    return _printable(_origin_key(folder, _common_dir(git_dir))) if git_dir else ""


def current_branch(cwd: str | os.PathLike[str] = ".") -> str:
    """The branch that is checked out in `cwd`; "" if there is none, or no repository."""
    try:
        git_dir = _repository(os.path.abspath(os.fspath(cwd)))[1]
    except (OSError, ValueError):
        return ""
    head = _text_of(os.path.join(git_dir, "HEAD")) if git_dir else ""
    return _printable(head.removeprefix("ref: refs/heads/")) if head.startswith("ref: refs/heads/") else ""


def is_silenced(cwd: str | os.PathLike[str]) -> bool:
    """Whether `.anamnesis/off` in this folder or above it turns capture and inject off.

    For a folder reached through a symlink, the folders above the link and above its target count.
    """
    try:
        folders = (folder for start in spellings(cwd) for folder in _upward(start))
        return any(os.path.lexists(os.path.join(folder, _OFF)) for folder in folders)
    except (OSError, ValueError):  # the folder is gone, or its path is invalid
        return False


def spellings(cwd: str | os.PathLike[str]) -> list[str]:
    """A folder's path as given and, if it contains a symlink, its real path; empty for an empty path."""
    named = os.path.abspath(os.fspath(cwd)) if cwd else ""
    return list(dict.fromkeys([named, os.path.realpath(os.fspath(cwd))])) if named else []


def _read_marker(cwd: str | os.PathLike[str]) -> str:
    """The first non-empty line of the nearest `.anamnesis/project` at or above `cwd`, below the home."""
    for folder in _below_home(cwd):
        path = os.path.join(folder, MARKER)
        # A symlink in a cloned repository, if followed, could reveal a file that only the user may read.
        is_linked = os.path.islink(os.path.dirname(path))
        text = "" if is_linked else _text_of(path, follow=False, most=_MAX_MARKER)
        key = text.partition("\n")[0].strip()
        if is_plausible_key(key):
            return key
    return ""


def _below_home(cwd: str | os.PathLike[str]) -> Iterator[str]:
    """A folder and those above it, up to the root or the home folder, which is never a project."""
    home = _identity(os.path.expanduser("~"))
    for folder in _upward(os.path.abspath(os.fspath(cwd))):
        if os.path.dirname(folder) == folder or (home and _identity(folder) == home):
            return
        yield folder


def _git_key(cwd: str) -> str:
    folder, git_dir = _repository(cwd)
    common = _common_dir(git_dir) if git_dir else ""
    return (_origin_key(folder, common) or _repository_name(folder, git_dir, common)) if git_dir else ""


def _repository(cwd: str) -> tuple[str, str]:
    """The nearest work tree at or above a folder, and its git directory; empty if there is none."""
    return next(((folder, found) for folder in _upward(cwd) if (found := _git_dir(folder))), ("", ""))


def _git_dir(folder: str) -> str:
    """The git directory of a work tree at `folder`: `.git` itself, or where a `.git` file points."""
    entry = os.path.join(folder, ".git")
    if os.path.isfile(os.path.join(entry, "HEAD")):
        return entry
    pointer = _text_of(entry)
    if not pointer.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(folder, pointer.removeprefix("gitdir:").strip()))


def _common_dir(git_dir: str) -> str:
    """The directory that all worktrees of a repository share; a submodule has its own."""
    pointer = _text_of(os.path.join(git_dir, "commondir"))
    return os.path.normpath(os.path.join(git_dir, pointer)) if pointer else git_dir


def _origin_key(folder: str, common: str) -> str:
    lines = [line.strip() for line in _text_of(os.path.join(common, "config")).splitlines()]
    url = _origin_url(lines)
    needs_git = any(line.lower().replace(" ", "").startswith(_NEEDS_GIT) for line in lines)
    if needs_git or _is_shorthand(url):
        from anamnesis import git  # loads subprocess code only if the files are not enough

        url = git.origin_url(folder) or url
    return _normalize_remote(url) if url else ""


def _origin_url(lines: list[str]) -> str:
    inside = False
    for line in lines:
        name, _, value = line.partition("=")
        if line.startswith("["):
            inside = "".join(line.lower().split()).startswith('[remote"origin"]')
        elif inside and name.strip().lower() == "url":
            value = value.strip().replace(" ;", " #").partition(" #")[0].strip()
            return value.split('"')[1] if value.startswith('"') else value
    return ""


def _is_shorthand(url: str) -> bool:
    """Whether a URL like `work:repo` may be an abbreviation from the user's git configuration."""
    host, colon, rest = url.partition(":")
    return bool(colon) and not rest.startswith("//") and not set("/@.") & set(host)


def _normalize_remote(url: str) -> str:
    """One key for every URL of a repository: `git@host:a/b.git` and `https://host/a/b` are `host/a/b`."""
    scheme, mark, rest = url.partition("://")
    is_url = bool(mark) and "/" not in scheme and "@" not in scheme
    head, slash, tail = (rest if is_url else url).partition("/")
    head = head.rpartition("@")[2]
    # The port is not part of the repository's identity; without a scheme, a colon starts the path.
    rest = re.sub(r":\d*$", "", head) + slash + tail if is_url else head + slash + tail
    rest = rest if is_url else re.sub(r"^(\[[^/]*\]|[^/:]+):/*", r"\1/", rest)
    return rest.rstrip("/").removesuffix(".git").rstrip("/").lower()


def _repository_name(folder: str, git_dir: str, common: str) -> str:
    """The name of the repository's main folder, which its worktrees share."""
    if common == git_dir:
        return os.path.basename(folder).lower()
    main = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return os.path.basename(main).removesuffix(".git").lower()


def _upward(folder: str) -> Iterator[str]:
    if len(folder) > _LONGEST_PATH:
        folder = folder[:_LONGEST_PATH].rpartition("/")[0]
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _identity(folder: str) -> tuple[int, int] | None:
    """A folder's device and inode, the same for any path to it; None if it does not exist."""
    try:
        info = os.stat(folder)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _text_of(path: str, *, follow: bool = True, most: int = _MAX_GIT_FILE) -> str:
    """The start of a small file as text; "" if it cannot be read."""
    try:
        return read_regular(path, follow=follow, most=most).decode("utf-8-sig", "replace").strip()
    except OSError:
        return ""


def _printable(key: str) -> str:
    """A key without unprintable characters, in Unicode's composed form, so that it is the same everywhere."""
    composed = unicodedata.normalize("NFC", key)
    return "".join(char for char in composed if char.isprintable()).strip()[:_LONGEST_KEY]


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


def trust_marker(folder: Path, *, home: Path) -> None:
    """Let the marker of a repository choose its project's key, on this machine; ConfigError without one."""
    marker, remote = find_marker(str(folder)), find_remote(str(folder))
    if not marker:
        raise ConfigError(f"{folder} has no marker to trust; `anamnesis project set KEY` writes one")
    if remote:
        state.save(home, state.Trust(remote, marker))


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
        state.save(home, state.Trust(remote, key))
