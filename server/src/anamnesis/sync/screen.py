"""What must not come from the remote or go there: purged content, and credentials in the user's own commits.

After each fetch, the remote's purges are applied here, and ours to what was fetched. Before each push, the
unpushed commits are searched: sync searches each file before it commits it, but a user's own commit, on the
branch or on one that recovery joined to it, was not searched. If it adds a credential, it is recreated
without that version of the file: the rest of the commit is pushed, and the file waits like one that was never
committed. The original commits stay on this machine, saved by `keep_before`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import NamedTuple

from anamnesis.git.objects import Change, Entry, changes
from anamnesis.layout import MAIN, TRACKING
from anamnesis.notes.vocabulary import read_id
from anamnesis.purge import Purge, file_of, load_state, purges_among_files, purges_in, record_settled
from anamnesis.purge.apply import apply, remove_unreachable, restore_records, rewrite_commit, texts_to_drop
from anamnesis.redact import redact
from anamnesis.sync.failure import Failure
from anamnesis.sync.local import LocalSync
from anamnesis.sync.remote import Fetched, Remote
from anamnesis.sync.replay import keep_before
from anamnesis.sync.repo import FILE_MODE, Commit, Repo, Step, seen_ref
from anamnesis.sync.results import WaitingFile
from anamnesis.sync.state import load_memo, load_shared, save_memo
from anamnesis.sync.waiting import Search, SecretInFile, WaitingChange, allow, harmless_title, waiting_files
from anamnesis.text import plural

_FILES = ("100", "120")  # prefixes of the modes of files and symlinks
_Locked = Callable[[], AbstractContextManager[LocalSync]]  # recovers, and holds the write lock for a block


def lost_history(repo: Repo, remote: Remote, theirs: str | None) -> Failure | None:
    """Why the remote's branch cannot be integrated; not because a purge rewrote it."""
    is_expected = theirs is not None and load_state(repo.git).unsettled
    return None if is_expected else remote.history_failure(theirs)


def apply_purges(
    repo: Repo, remote: Remote, fetched: Fetched, remarks: list[str], *, locked: _Locked
) -> tuple[Fetched, str | None]:
    """Apply the remote's purges; returns the fetched commit without purged text, and what it replaces.

    The second value is the remote's commit that the next push must replace; usually None.
    """
    theirs = fetched.commit
    is_known = remote.is_unchanged(theirs) and not load_state(repo.git).unsettled
    if fetched.failure or theirs is None or is_known:
        return fetched, None
    there, known = purges_in(repo.git, theirs), load_state(repo.git).known
    here = {**known, **purges_among_files(repo.folder)}
    if there.keys() == here.keys() == known.keys():
        return fetched, None
    with locked():
        fresh = [purge for name, purge in {**here, **there}.items() if name not in known]
        unknown = [purge for name, purge in here.items() if name not in there]
        # A record in its tree does not prove that its history is without purged content.
        rewritten = rewrite_commit(repo.git, theirs, [*fresh, *unknown])
        if rewritten != theirs:
            record_settled(repo.git, False)
            # As long as this reference names the old commit, git would keep all old objects.
            repo.point(TRACKING, rewritten)
        if fresh:
            is_new_machine = repo.main() is None  # it never had what was purged before
            apply(repo.git, fresh, unreported=_unpushed_notes(repo, fresh))
            remarks += [] if is_new_machine else map(_purged_text, fresh)
    return Fetched(rewritten), theirs if rewritten != theirs else None


def _unpushed_notes(repo: Repo, purges: Iterable[Purge]) -> list[str]:
    """The notes that these purges remove although this machine has a text of theirs that it never pushed."""
    texts = texts_to_drop(repo.folder.parent, purges)
    shared = load_shared(repo) if texts else None
    known = repo.changes(None, shared) if shared and repo.has_commit(shared) else ()
    pushed = {change.new[1] for change in known if change.new}
    return sorted({note_id for note_id, data in texts if repo.hash(data) not in pushed})


def _purged_text(purge: Purge) -> str:
    what = [plural(len(purge.ids), "note")] if purge.ids else []
    what += ["a text"] if purge.texts else []
    return f"{purge.machine or 'another machine'} purged {' and '.join(what)}; nothing of it is left here"


def unreported_text(ids: Collection[str]) -> str:
    """What to say of notes whose unpushed changes a purge removed; "" if there are none."""
    return f"changes made here to {', '.join(ids)} had not been pushed; they were purged, too" if ids else ""


def finish_purges(repo: Repo, *, locked: _Locked) -> None:
    """After a successful sync, remove the pre-purge objects that it fetched."""
    git, state = repo.git, load_state(repo.git)
    if any(not (git.folder / file_of(purge)[0]).exists() for purge in state.known.values()):
        with locked():
            restore_records(git)  # someone deleted a record; the next sync sends it again
    elif state.known and state.unsettled:
        with locked():
            remove_unreachable(git)
            record_settled(git, True)


class Added(NamedTuple):
    """A version of a file that an unsent commit adds, with the credentials in it."""

    commit: str
    path: str
    blob: str
    data: bytes
    found: tuple[SecretInFile, ...]


class Unsent(NamedTuple):
    """The unsearched unpushed commits, oldest first, what each changed, and what must not be pushed."""

    commits: list[Commit]
    changes: dict[str, list[Change]]
    added: list[Added]

    @property
    def first_bad(self) -> int | None:
        """The number of the first commit that must not be pushed as it is; None if all may be."""
        bad = {each.commit for each in self.added}
        commits = enumerate(self.commits)
        return next(
            (at for at, each in commits if each.oid in bad or redact(each.message) != each.message), None
        )


def known_commit(repo: Repo, remote: str) -> str | None:
    """The remote's last known commit; None if it was never reached."""
    return repo.git.ref(TRACKING) if repo.git.ref(seen_ref(remote)) else None


def find_unsent(repo: Repo, theirs: str | None, *, most: int | None = None) -> Unsent:
    """The commits that the remote lacks and that were not searched; searches at most `most` texts."""
    head, searched = repo.main(), load_memo(repo.own).searched
    if head is None or head in (theirs, searched):
        return Unsent([], {}, [])
    commits = repo.commits(head, *_last_known(repo, theirs, searched, head))
    made = changes(repo.git, ((each.oid, each.parents) for each in commits))
    return Unsent(commits, made, _search(repo, theirs, commits, made, most))


def _last_known(
    repo: Repo, theirs: str | None, searched: str | None, head: str
) -> tuple[str | None, str | None]:
    """The last commits of `head` that the remote has or that we searched; a purge may have removed these."""
    shared, known = (
        repo.merge_base(each, head) if each and repo.has_commit(each) else None for each in (theirs, searched)
    )
    return shared, known


def _search(
    repo: Repo,
    theirs: str | None,
    commits: Iterable[Commit],
    made: dict[str, list[Change]],
    most: int | None,
) -> list[Added]:
    rows = [
        (commit.oid, change.path, change.new[1])
        for commit in commits
        for change in made.get(commit.oid, ())
        if change.new and change.new[0].startswith(_FILES)
    ]
    texts = dict(repo.git.contents(list(dict.fromkeys(blob for *_, blob in rows))[:most]))
    search = Search(repo)
    versions = dict.fromkeys((path, blob) for _, path, blob in rows if blob in texts)
    found = {(path, blob): search(path, texts[blob]) for path, blob in versions}
    suspects = {pair for pair, secrets in found.items() if secrets}
    there = _texts_at(repo, theirs, {path.rpartition("/")[2] for path, _ in suspects}) if suspects else {}
    added: list[Added] = []
    for oid, path, blob in rows:
        secrets = found.get((path, blob), [])
        new = _not_there(secrets, there.get(path.rpartition("/")[2], ()), search) if secrets else ()
        if new:
            added.append(Added(oid, path, blob, texts[blob], new))
    return added


def _texts_at(repo: Repo, theirs: str | None, names: Collection[str]) -> dict[str, list[bytes]]:
    """The remote's files with these names, in any folder, because a note moves when its type changes."""
    blobs: dict[str, list[str]] = {}
    for change in repo.changes(None, theirs):
        if change.new and (name := change.path.rpartition("/")[2]) in names:
            blobs.setdefault(name, []).append(change.new[1])
    texts = dict(repo.git.contents(oid for each in blobs.values() for oid in each))
    return {name: [texts[oid] for oid in each if oid in texts] for name, each in blobs.items()}


def _not_there(
    secrets: Sequence[SecretInFile], there: Iterable[bytes], search: Search
) -> tuple[SecretInFile, ...]:
    """The credentials that the remote's own version of the file does not have."""
    known = {each.secret for data in there for each in search("", data) if each.secret}
    return tuple(each for each in secrets if each.secret not in known)


def waiting_unsent(repo: Repo, theirs: str | None, *, most: int | None = None) -> list[WaitingFile]:
    """The credentials that unpushed commits add, by file and line."""
    last = {each.path: each for each in find_unsent(repo, theirs, most=most).added}
    waiting = (
        WaitingChange(
            path, path, None, read_id(each.data), each.found, title=harmless_title(each.data, each.found)
        )
        for path, each in last.items()
    )
    return list(waiting_files(waiting))


def allow_unsent(repo: Repo, theirs: str | None, name: str) -> bool:
    """Allow the versions of a file that unpushed commits add; returns False if no file has that name."""
    found = [each for each in find_unsent(repo, theirs).added if name in (each.path, read_id(each.data))]
    for each in found:
        allow(repo.folder.parent, each.data)
    return bool(found)


def withhold(
    repo: Repo, theirs: str | None, remarks: list[str], *, locked: _Locked
) -> tuple[WaitingFile, ...] | None:
    """Keep credentials out of the next push; returns what waits now, None if there were none."""
    if repo.main() in (None, theirs, load_memo(repo.own).searched):
        return None
    with locked() as local:
        unsent = find_unsent(repo, theirs)
        start = unsent.first_bad
        if start is not None:
            _rewrite_without_credentials(local, unsent, start, theirs)
            remarks.append(_withheld_text(unsent))
        local.memo.searched = repo.main()
        save_memo(repo.own, local.memo)
        if start is None:
            return None
        local.commit()
        return local.waiting()


def _withheld_text(unsent: Unsent) -> str:
    paths = sorted({each.path for each in unsent.added})
    what = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    return (
        f"a manual commit held a credential ({what or 'in its message'}); it was recreated without it,"
        " and this machine keeps the original: `anamnesis purge --secrets` removes it here, too"
    )


def _rewrite_without_credentials(local: LocalSync, unsent: Unsent, start: int, theirs: str | None) -> None:
    """Recreate the commits from `start` without what must not be pushed; does not touch the store's files."""
    repo = local.repo
    head = repo.main() or ""
    parents = unsent.commits[start].parents
    line = unsent.commits[start:]
    if _is_line(line):
        fresh = repo.build(parents[0] if parents else None, _steps(repo, line, unsent))
    else:
        # If the user merged, make one commit of the result, as a sync would.
        base = _base(repo, theirs, local.memo.searched, head)
        last = {each.path: each for each in unsent.added}
        bad = [path for path, each in last.items() if repo.blob_at(head, path) == each.blob]
        before = {path: repo.blob_at(base, path) if base else None for path in bad}
        edits: dict[str, Entry | bytes | None] = {
            path: (FILE_MODE, blob) if blob else None for path, blob in before.items()
        }
        fresh = repo.build(base, [Step(repo.tree_of(head), edits, local.message("merged"))])
    keep_before(repo, head)
    repo.point(MAIN, fresh)


def _base(repo: Repo, theirs: str | None, searched: str | None, head: str) -> str | None:
    """The last commit of `head` that needs no change; it contains what the remote has."""
    shared, known = _last_known(repo, theirs, searched, head)
    return known if known and (not shared or repo.is_ancestor(shared, known)) else shared


def _is_line(commits: Sequence[Commit]) -> bool:
    """Whether each commit has the one before as its only parent."""
    is_joined = (after.parents == (before.oid,) for before, after in pairwise(commits))
    return len(commits[0].parents) < 2 and all(is_joined)


def _steps(repo: Repo, line: Iterable[Commit], unsent: Unsent) -> Iterable[Step]:
    bad = {(each.commit, each.path) for each in unsent.added}
    instead: dict[str, Entry | bytes | None] = {}  # the last version that may be pushed, by path
    for commit in line:
        made = unsent.changes.get(commit.oid, [])
        for change in made:
            if (commit.oid, change.path) not in bad:
                instead.pop(change.path, None)
            elif change.path not in instead:
                instead[change.path] = (FILE_MODE, change.old[1]) if change.old else None
        if not made or any(change.path not in instead for change in made):
            yield Step(repo.tree_of(commit.oid), dict(instead), redact(commit.message), commit.author)
