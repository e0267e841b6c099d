"""Erases notes and texts from every version: the record of a purge, what it recognises, and applying it.

A record is synced, and does not contain what it removes: it has the ids of notes, and digests that can
recognise a text. What this machine has applied, or is applying, is recorded in `sync.json`.
docs/decisions/0017 has the reasons.

A purge is applied to the history, then the files, then objects that are no longer reachable. The rewritten
history depends on the old one alone, so every machine gets the same commits. Authors, dates, order and
parents stay, and commits before the first changed one keep their names. A commit that had a removed version
gets a neutral subject, because subjects name notes. This runs under the sync lock and the store's write lock,
on a repository whose HEAD is the branch. Every step can be repeated, and an interrupted run starts over.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, islice
from operator import sub
from pathlib import Path
from typing import NamedTuple

from anamnesis import state
from anamnesis.errors import InvalidNote
from anamnesis.files import parse_object, read_object, read_regular, write_atomic, write_object
from anamnesis.git import WAIT, Git, quoted_path
from anamnesis.git.objects import (
    Change,
    RawCommit,
    all_objects,
    changes,
    commits,
    reachable,
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
    PURGES_FOLDER,
    PURGING,
    SYNC_NAME,
)
from anamnesis.notes.record import FIELDS, is_valid_id, read_id
from anamnesis.notes.vocabulary import SCOPES, TYPES
from anamnesis.semantic.installed import FOLDER as SEMANTIC

REMOVED = "[removed]"
_SHORTEST = 6  # characters; a shorter text would also be cut out of unrelated words
_FOLDERS = "memory local undo purges machines aliases anamnesis"
_RESERVED = " ".join((REMOVED, *FIELDS, *TYPES, *SCOPES, _FOLDERS))
_SUBJECT = b"anamnesis: rewritten by a purge\n"
_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")
_SHARED = (MAIN, "refs/remotes/")  # references to commits that other machines may have
_NOT_KEPT = (BUILT, PURGING, "refs/notes/")
# What a repository needs; git's other files may contain a purged text or name an old commit.
_NEEDED = frozenset("HEAD config description hooks info objects packed-refs refs shallow".split())
_STALE = ("*", "objects/pack/*.keep", "objects/info/commit-graph*")
# The settings may contain the very password that is purged; they never leave this machine.
_SKIPPED = frozenset((CONFIG_NAME, SYNC_NAME, ".git"))


class TextMark(NamedTuple):
    """Recognises a text without storing it: its length in bytes, their sum, a salted digest."""

    length: int
    total: int
    digest: str


class Purge(NamedTuple):
    """One purge; `name` is the name of its file."""

    name: str
    ids: tuple[str, ...] = ()
    salt: str = ""
    texts: tuple[TextMark, ...] = ()
    at: str = ""
    machine: str = ""


def new_purge(*, ids: Iterable[str] = (), texts: Iterable[str] = (), machine: str, at: str) -> Purge:
    """A new record that removes these notes and texts."""
    salt = os.urandom(16).hex()
    forms = dict.fromkeys(form for text in texts for form in _spellings(_checked(text)))
    return Purge(
        name=f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(4).hex()}",
        ids=tuple(dict.fromkeys(ids)),
        salt=salt,
        texts=tuple(TextMark(len(form), sum(form), _digest(salt, form)) for form in forms),
        at=at,
        machine=machine,
    )


def _checked(text: str) -> str:
    wanted = text.strip()
    if len(wanted) < _SHORTEST:
        raise InvalidNote(
            f"{wanted!r} is too short to purge: it would be cut out of other words; give {_SHORTEST} or more"
        )
    if wanted in _RESERVED:
        raise InvalidNote(
            f"{wanted!r} is part of the format of notes and cannot be purged; give a longer text"
        )
    return wanted


def _digest(salt: str, data: bytes) -> str:
    return sha256(salt.encode() + data).hexdigest()


def _spellings(text: str) -> list[bytes]:
    """The forms in which a text is searched for: as typed, and as JSON writes it."""
    forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    return list(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in forms))


def parse_purge(name: str, fields: Mapping[str, object] | None) -> Purge | None:
    """A record from its JSON form; None if it is not one."""
    ids, texts = (fields or {}).get("ids"), (fields or {}).get("texts")
    if not fields or fields.get("purge") != 1 or not isinstance(ids, list) or not isinstance(texts, list):
        return None
    return Purge(
        name=name,
        ids=tuple(each for each in ids if isinstance(each, str) and is_valid_id(each)),
        salt=str(fields.get("salt") or ""),
        texts=tuple(mark for each in texts if (mark := _mark(each)) is not None),
        at=str(fields.get("at") or ""),
        machine=str(fields.get("machine") or ""),
    )


def _mark(row: object) -> TextMark | None:
    match row:
        # A record from elsewhere must not cut single letters out of every note.
        case [int(length), int(total), str(digest)] if length >= _SHORTEST:
            return TextMark(length, total, digest)
    return None


def _dump(purge: Purge) -> dict[str, object]:
    """The JSON form of a record."""
    return {"purge": 1} | {key: value for key, value in purge._asdict().items() if key != "name"}


def file_of(purge: Purge) -> tuple[str, bytes]:
    """The path of a record's file in the synced tree, and its content."""
    return f"{PURGES_FOLDER}/{purge.name}.json", json.dumps(_dump(purge), indent=1).encode() + b"\n"


def is_record(path: str) -> bool:
    """Whether a path in the synced tree is a purge record."""
    return path.startswith(f"{PURGES_FOLDER}/")


@dataclass(frozen=True, slots=True)
class PurgeState:
    """The purges known here, by name; those in `applying` were interrupted and must be repeated.

    `unsettled`: the remote may still have the old history, so a fetch may bring it back.
    """

    known: dict[str, Purge] = field(default_factory=dict)
    applying: tuple[str, ...] = ()
    unsettled: bool = False


def load_state(root: Path) -> PurgeState:
    """The state of purges on this machine: a part of `sync.json`, which survives a lost repository."""
    stored = read_object(root / SYNC_NAME).get("purges")
    parts = stored if isinstance(stored, dict) else {}
    known = _readable(parts.get("known") or {})
    applying = tuple(name for name in parts.get("applying") or () if name in known)
    return PurgeState(known=known, applying=applying, unsettled=parts.get("unsettled") is True)


def save_state(root: Path, known: PurgeState) -> None:
    """Save the state durably; the caller holds the store's write lock."""
    known_here = {name: _dump(purge) for name, purge in known.known.items()}
    purges = {"known": known_here, "applying": list(known.applying), "unsettled": known.unsettled}
    write_object(root / SYNC_NAME, read_object(root / SYNC_NAME) | {"purges": purges})


def record_settled(root: Path, settled: bool) -> None:
    """Record whether the remote and this machine have the same purges and no old object is left here."""
    save_state(root, replace(load_state(root), unsettled=not settled))


def purges_in(git: Git, commit: str) -> dict[str, Purge]:
    """The records in a commit's tree, by name."""
    rows = git.line("ls-tree", "-z", commit, f"{PURGES_FOLDER}/").split("\0")
    listed = [row.partition("\t") for row in rows if row.startswith("100") and row.endswith(".json")]
    blobs = git.blobs(info.split()[2] for info, _, _ in listed)
    names = (path[len(PURGES_FOLDER) + 1 : -5] for _, _, path in listed)
    return _readable({name: parse_object(data) for name, (_, data) in zip(names, blobs, strict=True)})


def purges_among_files(memory: Path) -> dict[str, Purge]:
    """The records among the synced files, by name; if the repository was lost, they may be the only copy."""
    paths = sorted((memory / PURGES_FOLDER).glob("[!.]*.json"))
    return _readable({path.stem: read_object(path) for path in paths})


def _readable(records: Mapping[str, Mapping[str, object] | None]) -> dict[str, Purge]:
    parsed = ((name, parse_purge(name, record)) for name, record in records.items())
    return {name: purge for name, purge in parsed if purge is not None}


# The texts of one length in one purge: their length in bytes, its salt, their digests by sum.
_Length = tuple[int, str, dict[int, set[str]]]


class Scrubber:
    """Recognises what the given purges remove."""

    def __init__(self, purges: Iterable[Purge]) -> None:
        ordered = sorted(purges, key=lambda purge: purge.name)
        self.ids = frozenset(note_id for purge in ordered for note_id in purge.ids)
        self._lengths = [length for purge in ordered for length in _by_length(purge)]

    def drops(self, path: str, data: bytes = b"") -> bool:
        """Whether a file belongs to a purged note, by its name or by the id in it."""
        if not self.ids or is_record(path):
            return False
        return path.rpartition("/")[2].partition(".md")[0] in self.ids or self.drops_text(data)

    def drops_text(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note."""
        return bool(self.ids) and read_id(data) in self.ids

    def scrub(self, data: bytes) -> bytes:
        """The bytes with every purged text replaced; the same object if there is none."""
        for length in self._lengths:
            data = _cut(data, length)
        return data

    def holds(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note, or contain a purged text."""
        return self.drops_text(data) or self.scrub(data) is not data

    def lines(self, data: bytes) -> list[int]:
        """The numbers of the lines on which a purged text starts."""
        starts = (start for length in self._lengths for start in _places(data, length))
        return sorted({data.count(b"\n", 0, start) + 1 for start in starts})

    def scrub_text(self, text: str) -> str:
        """A text or path without what is purged."""
        return self.scrub(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def without_purged(memory: Path, text: str) -> str:
    """A text that is about to be stored, without what was purged from this store."""
    return Scrubber(purges_among_files(memory).values()).scrub_text(text)


def _by_length(purge: Purge) -> list[_Length]:
    found: dict[int, dict[int, set[str]]] = {}
    for mark in purge.texts:
        found.setdefault(mark.length, {}).setdefault(mark.total, set()).add(mark.digest)
    # Longest spelling first, because a shorter one may be part of it.
    return [(length, purge.salt, found[length]) for length in sorted(found, reverse=True)]


def _cut(data: bytes, length: _Length) -> bytes:
    parts: list[bytes] = []
    end = 0
    for start in _places(data, length):
        if start >= end:
            parts += [data[end:start], REMOVED.encode()]
            end = start + length[0]
    return b"".join((*parts, data[end:])) if parts else data


def _places(data: bytes, length: _Length) -> Iterator[int]:
    """Where the texts start. The sums of all windows are compared first, because that is cheap."""
    size, salt, digests = length
    if len(data) < size:
        return
    sums = list(accumulate(data, initial=0))
    windows = map(sub, islice(sums, size, None), sums)
    for start, total in enumerate(windows):
        if total in digests and _digest(salt, data[start : start + size]) in digests[total]:
            yield start


def apply(git: Git, purges: Iterable[Purge]) -> None:
    """Remove what these purges name from every version on this machine; recorded first, to be resumed."""
    root, fresh = git.folder.parent, {purge.name: purge for purge in purges}
    before = load_state(root)
    save_state(root, PurgeState({**before.known, **fresh}, (*before.applying, *fresh), unsettled=True))
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
    own = reachable(git, [*refs.values(), *(f"^{oid}" for oid in shared)])
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
        if path.name not in (*_NEEDED, OWN_FOLDER):
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
        write_atomic(root / place, clean)
    if is_dropped or place != path:
        (root / path).unlink()
        with suppress(OSError):  # it is not empty
            os.removedirs((root / path).parent)


def _scrub_row(row: state.Row, history: _History) -> state.Row | None:
    """A row of this machine's memory without what is purged; None if it was about a purged note."""
    ids = history.scrubber.ids
    if isinstance(row, state.News | state.Written) and row[0] in ids:  # the note's id
        return None
    if isinstance(row, state.Proposal) and any(note_id in row.content for note_id in ids):
        return None
    if isinstance(row, state.Mark) and _OID.fullmatch(row.value.encode("utf-8", "replace")):
        return row._replace(value=history.name(row.value) or "")
    if isinstance(row, state.Entry) and any(note_id in row.fields for note_id in ids):
        fields = json.loads(row.fields)
        return row._replace(fields=json.dumps({**fields, "query": REMOVED} if "query" in fields else fields))
    return row
