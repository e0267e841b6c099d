"""Which files are synced, and why others are not: rules for names, and files that are on one side only.

A name is synced if git accepts it on every platform and both Linux and macOS can store it. Any other path is
neither committed nor written to the work tree; what other machines put there stays in the history.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from anamnesis.files import read_regular, read_text, sync_folder
from anamnesis.git import Git
from anamnesis.layout import LOCAL
from anamnesis.notes.vocabulary import read_id
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import LeftOut
from anamnesis.sync.state import load_unwritten

_LEFTOVER = re.compile(
    r"~$|^#.*#$|\.sw[a-p]$|\.(?:tmp|temp|bak|orig|rej|lock)$|^(?:Thumbs\.db|desktop\.ini|Icon\r)$"
)
_MAX_NAME = 255  # bytes of one name, on every common file system
_MAX_PATH = 1000  # characters; macOS allows 1,024 bytes, including the store's own folder
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")  # a tab is harmless
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# Windows treats a backslash as a slash, drops trailing spaces and dots, and has `git~1` for `.git`.
_DOT_GIT = re.compile(r"(?:^|\\)(?:\.git|git~1)[ .]*(?:[:\\]|$)", re.IGNORECASE)
_PARENT_FOLDER = re.compile(r"(?:^|\\)\.\.?(?:\\|$)")
# The usual path of a note, which needs no further checks.
_USUAL = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,99}/){0,4}[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\.md")
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_MOST_NAMED = 5


def is_synced_path(path: str) -> bool:
    """Whether a file at `path` (relative, with slashes) is synced."""
    return refusal(path) is None


def refusal(path: str) -> str | None:
    """Why a file at `path` is not synced; None if it is, "" if that needs no explanation.

    Hidden files and editors' temporary files are never reported; they are not indexed either.
    """
    if _USUAL.fullmatch(path):
        return None
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
        return "its name contains a control character; rename it"
    seen = _IGNORED_BY_HFS.sub("", part)
    if _DOT_GIT.search(seen):
        return "its name means `.git` on some systems; rename it"
    if _PARENT_FOLDER.search(seen):
        return "its name means `..` on some systems; rename it"
    return ""


def shown(path: str) -> str:
    """`path` as one printable line, with invisible characters escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def folded(path: str) -> str:
    """`path` as a file system that ignores case and Unicode form sees it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


class PrivateNotes:
    """The machine-local tree, which sync must know because no id may be in both trees."""

    def __init__(self, memory: Path) -> None:
        self._root = memory.parent
        self._tree = self._root / LOCAL

    def paths(self) -> dict[str, str]:
        """The path of each note, relative to the store, by its id."""
        found: dict[str, str] = {}
        for path in sorted(self._tree.rglob("*.md")):
            # A file named after an id need not be read, and there may be thousands.
            note_id = path.stem if is_ulid(path.stem) else read_id(_bytes(path) or b"")
            if note_id:
                found.setdefault(note_id, path.relative_to(self._root).as_posix())
        return found

    def find(self, note_id: str) -> str:
        """The path of one note; "" if it is not here."""
        found = self.paths().get(note_id, "")
        return found if found and read_id(self.read(found) or b"") == note_id else ""

    def read(self, path: str) -> bytes | None:
        """The content of a file from `paths` or `find`; None if it is gone."""
        return _bytes(self._root / path)

    def remove(self, path: str) -> None:
        """Delete a file; the caller has saved its content."""
        full = self._root / path
        full.unlink(missing_ok=True)
        sync_folder(full.parent)


def is_ulid(name: str) -> bool:
    """Whether a name is a generated id, so that a file of that name is that note."""
    return _ULID.fullmatch(name) is not None


def _bytes(path: Path) -> bytes | None:
    try:
        return read_regular(path, follow=True)
    except OSError:
        return None


def left_out(repo: Repo, staying: Mapping[str, str]) -> tuple[LeftOut, ...]:
    """Every file that is on one side only, sorted by path; `staying` are those found here by a scan."""
    unwritten = {path: _why_unwritten(repo, path) for path in still_unwritten(repo)}
    found = {**unwritten, **staying}
    return tuple(LeftOut(shown(path), found[path]) for path in sorted(found))


def left_out_text(files: tuple[LeftOut, ...]) -> str:
    """The first few of the files, in one line; "" if there are none."""
    named = [f"{each.path} was left out: {each.reason}" for each in files[:_MOST_NAMED]]
    rest = len(files) - _MOST_NAMED
    return "; ".join([*named, f"{rest} more were left out, see `anamnesis status`"] if rest > 0 else named)


def tracked(git: Git, only: Collection[str] = ()) -> list[str]:
    """The paths in git's index, or those of `only` that it has."""
    wanted = [f":(literal){path}" for path in only]
    return [os.fsdecode(path) for path in git.run("ls-files", "-z", "--", *wanted).split(b"\0") if path]


def differing(git: Git, only: Collection[str] = ()) -> Iterator[tuple[str, bool]]:
    """Each file that differs from git's index, and whether the index lacks it; if `only` is given, those.

    Finding the differences needs a stat of every file in the tree, unless files are named. If `only` is a
    mapping, it says for each file whether the index lacks it.
    """
    if isinstance(only, Mapping):
        yield from only.items()
        return
    if only:
        known = set(tracked(git, only))
        yield from ((path, path not in known) for path in only)
        return
    for row in git.run("ls-files", "-z", "-t", "-m", "-d", "-o").split(b"\0"):
        if row:
            yield row[2:].decode("utf-8", "surrogateescape"), row[:1] == b"?"


def same_names(git: Git, paths: Collection[str]) -> frozenset[str]:
    """The paths that differ from another file's only in case or Unicode form, which is the same file here."""
    if not _ignores_case(git):
        return frozenset()
    seen = {folded(path): path for path in tracked(git) if path not in paths}
    return frozenset(path for path in sorted(paths) if seen.setdefault(folded(path), path) != path)


def _ignores_case(git: Git) -> bool:
    """Whether git detected a file system that ignores case."""
    return "ignorecase = true" in read_text(git.dir / "config").lower()


class Spellings:
    """The names of tracked files, to detect a file that git lists again in another Unicode form.

    On macOS a file can be opened by its composed and its decomposed name, and git lists the composed one even
    if the index has the other.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[str, str] | None = None

    def is_tracked(self, path: str) -> bool:
        """Whether `path` is another spelling of a tracked file, not a second file."""
        if path.isascii():
            return False
        if self._known is None:
            self._known = {folded(name): name for name in tracked(self._git) if not name.isascii()}
        known = self._known.get(folded(path), path)
        return known != path and self._is_one_file(known, path)

    def _is_one_file(self, one: str, other: str) -> bool:
        try:
            return os.path.samestat(*(os.lstat(self._git.folder / name) for name in (one, other)))
        except OSError:
            return False


def still_unwritten(repo: Repo) -> list[str]:
    """The files in the store's commit that could not be written here and are still missing."""
    is_same = _ignores_case(repo.git)
    return [path for path in load_unwritten(repo.own) if is_same or not os.path.lexists(repo.folder / path)]


def _why_unwritten(repo: Repo, path: str) -> str:
    if why := refusal(path):
        return why
    try:
        os.lstat(repo.folder / path)
    except FileNotFoundError:
        pass
    except OSError as exc:
        return f"it cannot be written here: {exc.strerror}"
    folders = [repo.folder / folder for folder in PurePosixPath(path).parents][:-1]
    if any(folder.is_symlink() or folder.is_file() for folder in folders):
        return "it cannot be written here: a folder in its path is a symlink or a file"
    if _ignores_case(repo.git) and folded(path) in {
        folded(name) for name in tracked(repo.git) if name != path
    }:
        return "another file's name differs from it only in case or in Unicode form"
    return "it cannot be written here: it is a symlink, or this disk refuses its name"
