"""Purges and the remote: its purges are applied here after each fetch, and ours to what was fetched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from anamnesis.layout import TRACKING
from anamnesis.purge import Purge, file_of, load_state, purges_among_files, purges_in, record_settled
from anamnesis.purge.apply import apply, remove_unreachable, restore_records, rewrite_commit, texts_to_drop
from anamnesis.sync.repo import Repo, hash_of
from anamnesis.sync.session import Session
from anamnesis.text import plural

Locked = Callable[[Callable[[Session], None]], None]  # acts in a session


def is_unsettled(repo: Repo) -> bool:
    """Whether the remote may still have the history before a purge, or another one's after it."""
    return load_state(repo.folder.parent).unsettled


def apply_purges(repo: Repo, theirs: str, remarks: list[str], *, locked: Locked) -> str:
    """Apply the purges of the remote's commit here, and ours to it; returns it without purged text."""
    root = repo.folder.parent
    there, known = purges_in(repo.git, theirs), load_state(root).known
    here = {**known, **purges_among_files(repo.folder)}
    if there.keys() == here.keys() == known.keys():
        return theirs
    rewritten = theirs

    def _apply(session: Session) -> None:
        nonlocal rewritten
        fresh = [purge for name, purge in {**here, **there}.items() if name not in known]
        unknown = [purge for name, purge in here.items() if name not in there]
        # A record in its tree does not prove that its history is without purged content.
        session.save()
        rewritten = rewrite_commit(repo.git, theirs, [*fresh, *unknown])
        if rewritten != theirs:
            record_settled(root, False)
            # As long as this reference names the old commit, git would keep all old objects.
            repo.point(TRACKING, rewritten)
        if fresh:
            is_new_machine = not repo.main()  # it never had what was purged before
            apply(repo.git, fresh, unreported=_unpushed_notes(repo, session.state.shared, fresh))
            remarks.extend([] if is_new_machine else map(_purged_text, fresh))
        session.reload()

    locked(_apply)
    return rewritten


def _unpushed_notes(repo: Repo, shared: str, purges: Iterable[Purge]) -> list[str]:
    """The notes that these purges remove although this machine has a text of theirs that it never pushed."""
    texts = texts_to_drop(repo.folder.parent, purges)
    known = repo.changes(None, shared) if texts and repo.has_commit(shared) else ()
    pushed = {change.new[1] for change in known if change.new}
    return sorted({note_id for note_id, data in texts if hash_of(data) not in pushed})


def _purged_text(purge: Purge) -> str:
    what = [plural(len(purge.ids), "note")] if purge.ids else []
    what += ["a text"] if purge.texts else []
    return f"{purge.machine or 'another machine'} purged {' and '.join(what)}; nothing of it is left here"


def unreported_text(ids: Collection[str]) -> str:
    """What to say of notes whose unpushed changes a purge removed; "" if there are none."""
    return f"changes made here to {', '.join(ids)} had not been pushed; they were purged, too" if ids else ""


def finish_purges(repo: Repo, *, locked: Locked) -> None:
    """After a successful sync, remove the pre-purge objects that it fetched."""
    git, root = repo.git, repo.folder.parent
    state = load_state(root)
    if any(not (git.folder / file_of(purge)[0]).exists() for purge in state.known.values()):
        locked(lambda _: restore_records(git))  # someone deleted a record; the next sync sends it again
    elif state.known and state.unsettled:

        def _finish(_: Session) -> None:
            remove_unreachable(git)
            record_settled(root, True)

        locked(_finish)
