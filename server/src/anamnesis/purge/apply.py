"""Applies purges on this machine: references, then files, then objects that are no longer reachable.

Runs under the sync lock and the store's write lock, on a repository whose HEAD is the branch. Every step can
be repeated, and an interrupted run starts over.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from anamnesis import state
from anamnesis.files import (
    TEMP_PREFIX,
    make_folder,
    read_object,
    read_regular,
    write_atomic,
    write_object,
)
from anamnesis.git import Git
from anamnesis.git.objects import Reference, all_objects, commits_beside, references
from anamnesis.layout import (
    ASIDE_PREFIX,
    BUILT,
    CONFIG_NAME,
    DB_NAME,
    LOCAL,
    MACHINE_DB,
    MAIN,
    MEMORY,
    OWN_FOLDER,
    OWN_REFS,
    PURGING,
    SCOPE_OF,
    SYNC_NAME,
    UNDO_FOLDER,
)
from anamnesis.notes.vocabulary import read_id
from anamnesis.purge import REMOVED, Purge, Scrubber, begin, file_of, is_record, load_state, save_state
from anamnesis.purge.rewrite import Rewritten, rewrite

_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")
_GIT_NOTES = "refs/notes/"
_SHARED = (MAIN, "refs/remotes/", OWN_REFS)  # references to commits that other machines may have
_NOT_KEPT = (BUILT, PURGING)
# Git's other files that could contain a purged text or reference an old object.
_SCRATCH = (
    "index", "logs", "rr-cache", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
    "AUTO_MERGE", "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "fast_import_crash_*",
    "objects/pack/*.keep", "objects/pack/tmp_*", "objects/*/tmp_*", "objects/tmp_*", "objects/incoming-*",
    "objects/info/commit-graph*",
)  # fmt: skip
_WAIT = 3600.0
# The settings may contain the very password that is purged; they never leave this machine.
_SKIPPED = frozenset((CONFIG_NAME, SYNC_NAME, ".git"))
_TREE = f"{MEMORY}/"
_TREES = (_TREE, f"{LOCAL}/")
_GUARDED = (*_TREES, f"{UNDO_FOLDER}/")  # written only under the store's write lock


def apply(git: Git, purges: Iterable[Purge], *, unreported: Iterable[str] = ()) -> None:
    """Remove what these purges name from every version here; a sync will report the `unreported` notes."""
    begin(git.folder.parent, purges, unreported=unreported)
    resume(git)


def resume(git: Git) -> bool:
    """Finish an interrupted purge; returns False if there is none."""
    root = git.folder.parent
    found = load_state(root)
    if not found.applying:
        return False
    if git.ask("ls-files", "--unmerged").code:
        # A damaged index would stop git here, and it is deleted at the end anyway.
        (git.dir / "index").unlink(missing_ok=True)
    for aside in root.glob(f"{ASIDE_PREFIX}*"):
        shutil.rmtree(aside)
    restore_records(git)  # first: if the repository is lost before the end, they are the only copy
    scrubber = Scrubber(found.known[name] for name in found.applying)
    rewritten = _rewrite_references(git, scrubber)
    _scrub_files(root, scrubber, rewritten)
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
    scrubber = Scrubber(purges)
    rewritten = rewrite(git, [commit], (), scrubber)
    _rename_objects(git, rewritten, scrubber)
    return rewritten.commits.get(commit, commit)


def _rewrite_references(git: Git, scrubber: Scrubber) -> Rewritten:
    refs = references(git)
    blobs = [each.oid for each in refs.values() if each.kind == "blob"]
    commits = {name: each.oid for name, each in refs.items() if each.kind == "commit"}
    tips = list(commits.values())
    shared = [oid for name, oid in commits.items() if name.startswith(_SHARED)]
    git_notes = [oid for name, oid in commits.items() if name.startswith(_GIT_NOTES)]
    own = commits_beside(git, tips, shared)
    rewritten = rewrite(git, tips, blobs, scrubber, own=own, git_notes=git_notes)
    # Files that name objects come first: if interrupted here, the next run creates the same names again.
    _rename_objects(git, rewritten, scrubber)
    tagged = _tags_with_purged_text(git, refs, rewritten, scrubber)
    orders: list[str] = []
    for name, reference in refs.items():
        # Trees are not rewritten, so references to them are deleted.
        is_dropped = name in _NOT_KEPT or reference.kind == "tree"
        new = None if is_dropped else rewritten.name(reference.oid)
        if new is None:
            orders.append(f"delete {name}\n")
        elif new != reference.oid or name in tagged:
            orders.append(f"update {name} {new}\n")
    if orders:
        git.run("update-ref", "--stdin", stdin="".join(orders).encode())
    return rewritten


def _tags_with_purged_text(
    git: Git, refs: dict[str, Reference], rewritten: Rewritten, scrubber: Scrubber
) -> set[str]:
    """The tags with purged text in their message; they become lightweight tags without one."""
    texts = git.contents({each.tag for each in refs.values() if each.tag})
    dirty = {oid for oid, data in texts if rewritten.titles.cut(scrubber.scrub(data)) is not data}
    return {name for name, each in refs.items() if each.tag in dirty}


def _rename_objects(git: Git, rewritten: Rewritten, scrubber: Scrubber) -> None:
    """Give the files that name commits and versions their new names: `sync.json` and its copy."""
    root = git.folder.parent
    for path in (root / SYNC_NAME, git.dir / OWN_FOLDER / SYNC_NAME):
        stored = read_object(path)
        if _drop_held(stored.get("held"), scrubber):
            write_object(path, stored)
        _rename_in(path, rewritten, scrubber)


def _drop_held(held: object, scrubber: Scrubber) -> bool:
    """Remove purged notes from the records of held notes; returns whether there were any."""
    if not isinstance(held, dict):
        return False
    gone = scrubber.ids & held.keys()
    for key in gone:
        del held[key]
    return bool(gone)


def _rename_in(path: Path, rewritten: Rewritten, scrubber: Scrubber) -> None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    renamed = _OID.sub(lambda found: (rewritten.name(found[0].decode()) or "").encode(), data)
    fresh = scrubber.scrub(renamed)
    if fresh != data:
        write_atomic(path, fresh)


def remove_unreachable(git: Git) -> None:
    """Remove every unreachable object, and everything that could keep one alive."""
    for pattern in _SCRATCH:
        for path in git.dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    git.run("repack", "-a", "-d", "-q", silence=_WAIT)
    git.run("prune", "--expire=now", silence=_WAIT)
    # Without an index git would report every file as deleted, and so would a commit by the user.
    git.ask("read-tree", "HEAD")
    git.ask("update-index", "-q", "--refresh")


def count_left(git: Git, purges: Iterable[Purge]) -> int:
    """How many objects in this repository still contain what these purges remove."""
    scrubber = Scrubber(purges)
    contents = git.contents(all_objects(git))
    return sum(1 for _, data in contents if scrubber.drops_text(data) or scrubber.holds(data))


def _scrub_files(root: Path, scrubber: Scrubber, rewritten: Rewritten) -> None:
    """Scrub every plain file of the store, and revoke the permission of versions that changed."""
    changed = {digest for path in list(_files(root)) if (digest := _scrub(root, path, scrubber))}
    _forget_allowed(root, {*changed, *rewritten.versions})
    state.rewrite(
        root,
        change=lambda row: _scrub_row(row, scrubber, rewritten),
        scrub=lambda text: scrubber.scrub(text.encode()).decode(),
    )
    # Delete the whole index: its free pages, shadow tables and log keep words that no row has.
    for suffix in ("", "-wal", "-shm", "-journal"):
        (root / f"{DB_NAME}{suffix}").unlink(missing_ok=True)


def _files(root: Path) -> Iterator[str]:
    """The regular files under `root`, relative to it, except repositories, settings, locks and the index."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        for name in names:
            if (
                name not in _SKIPPED
                and not name.startswith((DB_NAME, MACHINE_DB))
                and not name.endswith(".lock")
            ):
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    yield os.path.relpath(path, root)


def texts_to_drop(root: Path, purges: Iterable[Purge]) -> list[tuple[str, bytes]]:
    """The notes in both trees that these purges remove: the id and text of each file."""
    ids = Scrubber(purges).ids
    paths = (path for path in _files(root) if ids and path.startswith(_TREES))
    texts = (data for path in paths if (data := _read(root / path)) is not None)
    return [(note_id, data) for data in texts if (note_id := read_id(data)) in ids]


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except OSError:
        return None  # it is gone, or not readable anyway


def _scrub(root: Path, path: str, scrubber: Scrubber) -> str:
    """Scrub one file; returns the digest of its old content if it changed, else ""."""
    data = _read(root / path)
    if data is None:
        return ""
    is_kept = is_record(path.removeprefix(_TREE))
    place = path if is_kept else scrubber.scrub_path(path)
    is_dropped = _is_dropped(path, data, scrubber)
    clean = data if is_kept else scrubber.scrub(data)
    if clean is data and place == path and not is_dropped:
        return ""
    if not is_dropped:
        make_folder((root / place).parent)
        write_atomic(root / place, clean)
    if is_dropped or place != path:
        (root / path).unlink(missing_ok=True)
        _remove_empty(root, (root / path).parent)
    return sha256(data).hexdigest()


def _scrub_row(row: state.Row, scrubber: Scrubber, rewritten: Rewritten) -> state.Row | None:
    """A row of this machine's memory without what is purged; None if it was about a purged note."""
    if isinstance(row, state.News) and row.id in scrubber.ids:
        return None
    if isinstance(row, state.Proposal) and any(note_id in row.content for note_id in scrubber.ids):
        return None
    if isinstance(row, state.Mark):
        is_commit = _OID.fullmatch(row.value.encode()) is not None
        row = row._replace(value=rewritten.name(row.value) or "" if is_commit else row.value)
    if isinstance(row, state.Entry) and any(note_id in row.fields for note_id in scrubber.ids):
        fields = json.loads(row.fields)
        row = row._replace(fields=json.dumps({**fields, "query": REMOVED} if "query" in fields else fields))
    return row


def _is_dropped(path: str, data: bytes, scrubber: Scrubber) -> bool:
    if path.rpartition("/")[2].startswith(TEMP_PREFIX) and path.startswith(_GUARDED):
        return True  # left by a killed process: no other one writes here now
    return any(scrubber.drops(part) for part in path.split("/")) or scrubber.drops_text(data)


def _remove_empty(root: Path, folder: Path) -> None:
    """Remove a folder that has become empty, except the folder of a type."""
    while len(folder.relative_to(root).parts) > 1 and folder.parent.name not in SCOPE_OF:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _forget_allowed(root: Path, versions: Collection[str]) -> None:
    stored = read_object(root / SYNC_NAME)
    listed = stored.get("allowed")
    if isinstance(listed, list) and any(each in versions for each in listed):
        write_object(
            root / SYNC_NAME, {**stored, "allowed": [each for each in listed if each not in versions]}
        )
