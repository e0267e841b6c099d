"""Applies purges on this machine: the history, then the files, then objects that are no longer reachable.

The rewritten history depends on the old one alone, so every machine gets the same commits. Authors, dates,
order and parents stay, and commits before the first changed one keep their names. A commit that had a removed
version gets a neutral subject, because subjects name notes.

Runs under the sync lock and the store's write lock, on a repository whose HEAD is the branch. Every step can
be repeated, and an interrupted run starts over.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from anamnesis import state
from anamnesis.files import make_folder, parse_object, read_regular, write_atomic, write_object
from anamnesis.git import WAIT, Git, quoted_path
from anamnesis.git.objects import (
    Change,
    RawCommit,
    all_objects,
    changes,
    commits,
    reachable_blobs,
    references,
)
from anamnesis.layout import (
    ASIDE_PREFIX,
    BUILT,
    CONFIG_NAME,
    DB_NAME,
    MACHINE_DB,
    MAIN,
    MEMORY,
    OWN_FOLDER,
    PURGING,
    SYNC_NAME,
)
from anamnesis.purge import REMOVED, Purge, Scrubber, begin, file_of, is_record, load_state, save_state
from anamnesis.semantic.installed import FOLDER as SEMANTIC

_SUBJECT = b"anamnesis: rewritten by a purge\n"
_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")
_SHARED = (MAIN, "refs/remotes/")  # references to commits that other machines may have
_NOT_KEPT = (BUILT, PURGING, "refs/notes/")
# What a repository needs; git's other files may contain a purged text or name an old commit.
_NEEDED = frozenset(
    (
        "HEAD",
        "config",
        "description",
        "hooks",
        "info",
        "objects",
        "packed-refs",
        "refs",
        "shallow",
        OWN_FOLDER,
    )
)
_STALE = ("*", "objects/pack/*.keep", "objects/info/commit-graph*")
# The settings may contain the very password that is purged; they never leave this machine.
_SKIPPED = frozenset((CONFIG_NAME, SYNC_NAME, ".git"))


def apply(git: Git, purges: Iterable[Purge]) -> None:
    """Remove what these purges name from every version on this machine."""
    begin(git.folder.parent, purges)
    resume(git)


def resume(git: Git) -> bool:
    """Finish an interrupted purge; returns False if there is none."""
    root = git.folder.parent
    found = load_state(root)
    if not found.applying:
        return False
    for aside in root.glob(f"{ASIDE_PREFIX}*"):
        shutil.rmtree(aside)
    restore_records(git)  # first: if the repository is lost before the end, they are the only copy
    scrubber = Scrubber(found.known[name] for name in found.applying)
    history = _rewrite_references(git, scrubber)
    _scrub_files(git, history)
    remove_unreachable(git)
    save_state(root, replace(load_state(root), applying=()))
    return True


def restore_records(git: Git) -> None:
    """Write the records that are missing from the synced files."""
    for purge in load_state(git.folder.parent).known.values():
        path, content = file_of(purge)
        if not (git.folder / path).exists():
            write_atomic(git.folder / path, content)


def rewrite_commit(git: Git, commit: str, purges: Iterable[Purge]) -> str:
    """Rewrite another machine's commit and its history without what these purges remove.

    A machine that lost its repository restarts from the commit in `sync.json`, which must not be the old one.
    """
    history = _History(git, Scrubber(purges))
    history.rewrite([commit])
    _rename_objects(git, history)
    return history.name(commit) or commit


def count_left(git: Git, purges: Iterable[Purge]) -> int:
    """How many objects in this repository still contain what these purges remove."""
    scrubber = Scrubber(purges)
    return sum(1 for _, data in git.contents(all_objects(git)) if scrubber.holds(data))


@dataclass(slots=True)
class _History:
    """A history without purged content, as a `git fast-import` stream; does not move references."""

    git: Git
    scrubber: Scrubber
    # Old objects, and digests of old files: what replaces them (":1" is a mark in the stream), or None.
    names: dict[str, str | None] = field(default_factory=dict)
    _parts: list[bytes] = field(default_factory=list)

    def name(self, oid: str) -> str | None:
        """The object that replaces this one: None if it is removed, itself if it stays."""
        return self.names.get(oid, oid)

    def rewrite(self, tips: Collection[str], *, own: Collection[str] = ()) -> None:
        """Rewrite the history of `tips`; the commits in `own` never leave this machine."""
        for oid, data in self.git.contents(reachable_blobs(self.git, tips)):
            self._add_blob(oid, data)
        listed = commits(self.git, tips)
        changed = changes(self.git, ((each.oid, each.parents) for each in listed))
        for commit in listed:
            # A stash repeats the subject of the commit before it.
            is_neutral = bool(self.scrubber.ids) and commit.oid in own
            self._add_commit(commit, changed.get(commit.oid, []), is_neutral)
        if self._parts:
            self._import()

    def _add_blob(self, oid: str, data: bytes) -> None:
        clean = self.scrubber.scrub(data)
        if self.scrubber.drops_text(data):
            self.names[oid] = None
        elif clean is not data:
            self._parts.append(b"blob\nmark %s\ndata %d\n%s\n" % (self._mark(oid), len(clean), clean))
        else:
            return
        self.names[sha256(data).hexdigest()] = None

    def _mark(self, oid: str) -> bytes:
        mark = self.names[oid] = f":{len(self.names) + 1}"
        return mark.encode()

    def _add_commit(self, commit: RawCommit, changed: list[Change], is_neutral: bool) -> None:
        is_neutral |= any(self._is_touched(change) for change in changed)
        message = _SUBJECT if is_neutral else self.scrubber.scrub(commit.message)
        author, committer = self._person(commit.author), self._person(commit.committer)
        is_same = message is commit.message and (author, committer) == (commit.author, commit.committer)
        if is_same and not any(parent in self.names for parent in commit.parents):
            return
        parents = [(self.name(parent) or "").encode() for parent in commit.parents]
        # Without `from`, git would use the previous commit in the stream as the parent.
        self._parts += [] if parents else [b"reset %s\n" % PURGING.encode()]
        self._parts += [
            b"commit %s\nmark %s\n" % (PURGING.encode(), self._mark(commit.oid)),
            b"author %s\ncommitter %s\n" % (author, committer),
            b"data %d\n%s\n" % (len(message), message),
            *(b"%s %s\n" % (b"merge" if at else b"from", name) for at, name in enumerate(parents)),
            *(self._edit(change) for change in changed),
            b"\n",
        ]

    def _person(self, line: bytes) -> bytes:
        """The author of a commit without purged text; as it was if git would not read it otherwise."""
        who, _, when = line.rpartition(b"> ")
        clean = self.scrubber.scrub(who)
        return b"%s> %s" % (clean, when) if b" <" in clean else line

    def _is_touched(self, change: Change) -> bool:
        if is_record(change.path):
            return False
        is_named = self.scrubber.drops(change.path) or self.scrubber.scrub_text(change.path) != change.path
        return is_named or any(entry and entry[1] in self.names for entry in (change.old, change.new))

    def _edit(self, change: Change) -> bytes:
        """One change rewritten: unchanged, with another text, or as a removal."""
        is_kept = is_record(change.path)
        path = quoted_path(change.path if is_kept else self.scrubber.scrub_text(change.path))
        mode, old = change.new or ("", "")
        name = old if is_kept else self.name(old)
        if not name or self.scrubber.drops(change.path):
            return b"D %s\n" % path
        return b"M %s %s %s\n" % (mode.encode(), name.encode(), path)

    def _import(self) -> None:
        marks = self.git.dir / OWN_FOLDER / "purge.marks"
        options = ("--date-format=raw-permissive", f"--export-marks={marks}")
        self.git.fast_import(b"".join(self._parts), *options, silence=WAIT)
        made = dict(line.split() for line in marks.read_text().splitlines())
        self.names = {old: made[name] if name else None for old, name in self.names.items()}
        marks.unlink()
        self.git.ask("update-ref", "-d", PURGING)


def _rewrite_references(git: Git, scrubber: Scrubber) -> _History:
    """Rewrite every reference to a commit, and delete the others; a tag loses its message."""
    found = references(git)
    refs = {name: oid for name, (kind, oid) in found.items() if kind == "commit"}
    shared = [oid for name, oid in refs.items() if name.startswith(_SHARED)]
    order = "".join([*(f"{oid}\n" for oid in refs.values()), *(f"^{oid}\n" for oid in shared)]).encode()
    own = git.line("rev-list", "--stdin", stdin=order).split() if order else []
    history = _History(git, scrubber)
    history.rewrite(list(refs.values()), own=frozenset(own))
    # Files that name objects come first: if interrupted here, the next run creates the same names again.
    _rename_objects(git, history)
    orders = []
    for name in found:
        new = history.name(refs[name]) if name in refs and not name.startswith(_NOT_KEPT) else None
        orders.append(f"update {name} {new}\n" if new else f"delete {name}\n")
    git.run("update-ref", "--no-deref", "--stdin", stdin="".join(orders).encode("utf-8", "surrogateescape"))
    return history


def _rename_objects(git: Git, history: _History) -> None:
    """Clean the files that name commits and versions, `sync.json` and its copy, and give these new names."""
    for path in (git.folder.parent / SYNC_NAME, git.dir / OWN_FOLDER / SYNC_NAME):
        if not path.exists():
            continue
        data = history.scrubber.scrub(path.read_bytes())
        data = _OID.sub(lambda found: (history.name(found[0].decode()) or "").encode(), data)
        stored = parse_object(data) or {}
        held, allowed = stored.get("held"), stored.get("allowed")
        if isinstance(held, dict):
            stored["held"] = {key: held[key] for key in held if key not in history.scrubber.ids}
        if isinstance(allowed, list):
            stored["allowed"] = [digest for digest in allowed if digest]
        write_object(path, stored)


def remove_unreachable(git: Git) -> None:
    """Remove every unreachable object, and everything that could keep one alive."""
    for path in (path for pattern in _STALE for path in git.dir.glob(pattern)):
        if path.name not in _NEEDED:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    git.run("repack", "-a", "-d", "-q", silence=WAIT)
    git.run("prune", "--expire=now", silence=WAIT)
    # Without an index git would report every file as deleted, and so would a commit by the user.
    git.ask("read-tree", "HEAD")
    git.ask("update-index", "-q", "--refresh")


def _scrub_files(git: Git, history: _History) -> None:
    """Scrub every plain file of the store, and forget that a version that changed was allowed to sync."""
    root = git.folder.parent
    for path in list(_files(root)):
        with suppress(FileNotFoundError):
            _scrub(root, path, history)
    _rename_objects(git, history)
    state.rewrite(root, change=lambda row: _scrub_row(row, history), scrub=history.scrubber.scrub_text)
    # Delete what is derived as a whole: a database keeps words in free pages that no row has.
    for derived in (*root.glob(f"{DB_NAME}*"), *(root / SEMANTIC).glob("vectors.bin")):
        derived.unlink(missing_ok=True)


def _files(root: Path) -> Iterator[str]:
    """The regular files under `root`, relative to it, except repositories, settings, locks and databases."""
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in _SKIPPED and (folder, name) != (str(root), SEMANTIC)
        ]
        for name in names:
            is_ours = name in _SKIPPED or name.startswith((DB_NAME, MACHINE_DB)) or name.endswith(".lock")
            path = os.path.join(folder, name)
            if not is_ours and os.path.isfile(path) and not os.path.islink(path):
                yield os.path.relpath(path, root)


def _scrub(root: Path, path: str, history: _History) -> None:
    """Scrub one file and its name, or remove it if it belongs to a purged note."""
    scrubber = history.scrubber
    if is_record(path.removeprefix(f"{MEMORY}/")):
        return
    data = read_regular(root / path)
    place, clean = scrubber.scrub_text(path), scrubber.scrub(data)
    is_dropped = any(map(scrubber.drops, path.split("/"))) or scrubber.drops_text(data)
    if clean is data and place == path and not is_dropped:
        return
    history.names[sha256(data).hexdigest()] = None
    if not is_dropped:
        make_folder((root / place).parent)
        write_atomic(root / place, clean)
    if is_dropped or place != path:
        (root / path).unlink()
        with suppress(OSError):  # it is not empty
            os.removedirs((root / path).parent)


def _scrub_row(row: state.Row, history: _History) -> state.Row | None:
    """A row of this machine's memory without what is purged; None if it was about a purged note."""
    ids = history.scrubber.ids
    if isinstance(row, state.News) and row.id in ids:
        return None
    if isinstance(row, state.Proposal) and any(note_id in row.content for note_id in ids):
        return None
    if isinstance(row, state.Mark) and _OID.fullmatch(row.value.encode("utf-8", "replace")):
        return row._replace(value=history.name(row.value) or "")
    if isinstance(row, state.Entry) and any(note_id in row.fields for note_id in ids):
        fields = json.loads(row.fields)
        return row._replace(fields=json.dumps({**fields, "query": REMOVED} if "query" in fields else fields))
    return row
