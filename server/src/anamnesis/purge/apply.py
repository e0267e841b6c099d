"""Applying purges on this machine: references, then files, then the objects that are no longer reachable.

Runs under the sync lock and the store's write lock, on a repository whose HEAD is the branch. Every step can
be repeated, and an interrupted run is repeated from the start.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from anamnesis.files import read_object, write_atomic, write_object
from anamnesis.git import Git
from anamnesis.layout import (
    BUILT,
    HELD_COPY,
    HELD_NAME,
    MAIN,
    MEMO_NAME,
    OWN_FOLDER,
    OWN_REFS,
    PURGES_FOLDER,
    PURGING,
    SHARED_NAME,
)
from anamnesis.purge.objects import all_objects, annotated_tags, commits_beside, contents, references
from anamnesis.purge.record import Purge, file_of
from anamnesis.purge.rewrite import Rewritten, rewrite
from anamnesis.purge.scrub import Scrubber
from anamnesis.purge.state import begin, load_state, save_state
from anamnesis.purge.store_files import scrub_files

_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")
_GIT_NOTES = "refs/notes/"
_SHARED = (MAIN, "refs/remotes/", OWN_REFS)  # what leads to commits that other machines may have
_NOT_KEPT = (BUILT, PURGING)
# Files that git keeps beside its objects, and that could hold a purged text or reference an old object.
_SCRATCH = (
    "index", "logs", "rr-cache", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
    "AUTO_MERGE", "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "fast_import_crash_*",
    "objects/pack/*.keep", "objects/pack/tmp_*", "objects/*/tmp_*", "objects/tmp_*", "objects/incoming-*",
    "objects/info/commit-graph*",
)  # fmt: skip
_WAIT = 3600.0


def apply(git: Git, purges: Iterable[Purge]) -> None:
    """Remove from this machine what these purges name, from every version."""
    begin(git, purges)
    resume(git)


def resume(git: Git) -> bool:
    """Finish a purge that was started; False when there is none."""
    state = load_state(git)
    if not state.applying:
        return False
    if git.ask("ls-files", "--unmerged").code:
        # A damaged index would stop git here; it is dropped at the end in any case.
        (git.dir / "index").unlink(missing_ok=True)
    scrubber = Scrubber(state.known[name] for name in state.applying)
    rewritten = _rewrite_references(git, scrubber)
    scrub_files(git.folder.parent, scrubber, rewritten.versions)
    restore_records(git)
    clean(git)
    save_state(git, replace(load_state(git), applying=()))
    return True


def restore_records(git: Git) -> None:
    """Write the records that should be among the synced files and are not."""
    for purge in load_state(git).known.values():
        path, content = file_of(purge)
        if not (git.folder / path).exists():
            write_atomic(git.folder / path, content)


def has_records(git: Git) -> bool:
    """Whether every purge known here has its file among the synced ones."""
    return all((git.folder / PURGES_FOLDER / f"{name}.json").exists() for name in load_state(git).known)


def rewrite_commit(git: Git, commit: str, purges: Iterable[Purge]) -> str:
    """A commit of another machine, and its history, without what these purges remove.

    A machine that lost its repository restarts from the commit in `sync.json`, which must not be the old one.
    """
    scrubber = Scrubber(purges)
    rewritten = rewrite(git, [commit], (), scrubber)
    _rename_shared(git, rewritten, scrubber)
    return rewritten.commits.get(commit, commit)


def _rewrite_references(git: Git, scrubber: Scrubber) -> Rewritten:
    found = references(git)
    tips = [oid for oid, kind in found.values() if kind == "commit"]
    blobs = [oid for oid, kind in found.values() if kind == "blob"]
    shared = [oid for name, (oid, kind) in found.items() if kind == "commit" and name.startswith(_SHARED)]
    remarks = [oid for name, (oid, kind) in found.items() if kind == "commit" and name.startswith(_GIT_NOTES)]
    own = commits_beside(git, tips, shared)
    rewritten = rewrite(git, tips, blobs, scrubber, own=own, remarks=remarks)
    # Files that name objects come first: interrupted here, the next run creates the same names again.
    _rename_objects(git, rewritten, scrubber)
    told = _telling_tags(git, rewritten, scrubber)
    orders = [
        f"delete {name}\n" if new is None else f"update {name} {new}\n"
        for name, (oid, kind) in found.items()
        for new in [_target(name, oid, kind, rewritten)]
        if new != oid or name in told
    ]
    if orders:
        git.run("update-ref", "--stdin", stdin="".join(orders).encode())
    if HELD_COPY in found:
        data = git.dir / OWN_FOLDER / HELD_NAME
        copy = git.line("hash-object", "-w", "--stdin", stdin=data.read_bytes()) if data.exists() else ""
        git.run("update-ref", *((HELD_COPY, copy) if copy else ("-d", HELD_COPY)))
    return rewritten


def _telling_tags(git: Git, rewritten: Rewritten, scrubber: Scrubber) -> set[str]:
    """The tags with purged text in their message; they become lightweight tags, without a message."""
    tags = annotated_tags(git)
    texts = dict(contents(git, tags.values()))
    clean = {oid: rewritten.titles.cut(scrubber.scrub(data)) for oid, data in texts.items()}
    return {name for name, oid in tags.items() if oid in texts and clean[oid] is not texts[oid]}


def _target(name: str, oid: str, kind: str, rewritten: Rewritten) -> str | None:
    """The new object of a reference; None to delete it. Trees are not rewritten, so none is kept."""
    if name in _NOT_KEPT or kind == "tree":
        return None
    return rewritten.name(oid)


def _rename_objects(git: Git, rewritten: Rewritten, scrubber: Scrubber) -> None:
    """Use the new names in the small files that name commits and versions of held notes."""
    own = git.dir / OWN_FOLDER
    held = read_object(own / HELD_NAME)
    if _drop_held(held, scrubber):
        write_object(own / HELD_NAME, held)
    for path in (own / HELD_NAME, own / MEMO_NAME):
        _rename_in(path, rewritten, scrubber)
    _rename_shared(git, rewritten, scrubber)


def _rename_shared(git: Git, rewritten: Rewritten, scrubber: Scrubber) -> None:
    """The same in the file beside the repository, which names the last shared commit and the held notes."""
    path = git.folder.parent / SHARED_NAME
    shared = read_object(path)
    if _drop_held(shared.get("held"), scrubber):
        write_object(path, shared)
    _rename_in(path, rewritten, scrubber)


def _drop_held(held: object, scrubber: Scrubber) -> bool:
    """Remove purged notes from the records of held notes; whether there were any."""
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


def clean(git: Git) -> None:
    """Remove every object that no reference leads to, and whatever else could keep one."""
    for pattern in _SCRATCH:
        for path in git.dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    git.run("repack", "-a", "-d", "-q", silence=_WAIT)
    git.run("prune", "--expire=now", silence=_WAIT)


def count_left(git: Git, purges: Iterable[Purge]) -> int:
    """How many objects of this repository still hold what these purges remove."""
    scrubber = Scrubber(purges)
    found = contents(git, all_objects(git))
    return sum(1 for _, data in found if scrubber.drops_text(data) or scrubber.holds(data))
