"""What a resolution of a held note leads to, and what a person is told about clashes."""

from __future__ import annotations

from collections.abc import Iterable

from anamnesis.errors import BadResolution, NoteFormatError
from anamnesis.notes.record import decode, parse
from anamnesis.sync.clashes import choose_private
from anamnesis.sync.held import Held
from anamnesis.sync.local import LocalHalf
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import CONFLICT, CURE
from anamnesis.sync.tree import keep_both_data, merged_path
from anamnesis.text import plural


def chosen_version(half: LocalHalf, held: Held, choice: str, text: str | None) -> tuple[str, bytes | None]:
    """The path and content that a resolution leads to."""
    if held.private:
        return choose_private(half.repo, held, choice, text)
    git = half.repo.git
    mine = git.blob(held.mine) if held.mine else None
    theirs = git.blob(held.theirs) if held.theirs else None
    if text is not None:
        return _edited(held, text)
    if choice == "mine" and mine is not None:
        return held.ours_path, mine
    if choice == "theirs" or mine is None:
        return held.theirs_path, theirs
    if choice != "both":
        raise BadResolution(f"{choice!r} is no way to resolve a clash; choose mine, theirs or both")
    if theirs is None:
        return held.ours_path, mine
    both = keep_both_data(git.blob(held.base) if held.base else None, mine, theirs)
    if both is None:
        raise BadResolution(
            f"{held.name} is not text, so both versions cannot be put into one; choose mine or theirs"
        )
    return merged_path("", held.ours_path, held.theirs_path, both), both


def _edited(held: Held, text: str) -> tuple[str, bytes]:
    try:
        data = text.encode()
        if held.key.startswith("/"):
            return held.ours_path, data
        note = parse(decode(data))[0]
    except (NoteFormatError, UnicodeEncodeError) as exc:
        raise BadResolution(
            f"the edited text of {held.name} is not a note: {exc}; the clash stays as it was"
        ) from exc
    if note.id != held.key:
        raise BadResolution(f"the edited text of {held.name} has another id; keep the `id:` line as it is")
    return merged_path("", held.ours_path, held.theirs_path, data), data


def removed_text(repo: Repo, before: str, after: str | None) -> list[str]:
    """What to say about the notes that went because a rewritten remote no longer has them."""
    gone = [change for change in repo.changes(before, after) if change.new is None]
    if not gone:
        return []
    notes = plural(len(gone), "note")
    return [
        f"{notes} that the remote no longer has {'was' if len(gone) == 1 else 'were'} removed here; "
        f"the commit before is kept as refs/anamnesis/recovered/{before}"
    ]


def conflict_text(held: Iterable[Held]) -> str:
    """What a person is told while notes are held."""
    stories = "; ".join(record.story for record in sorted(held, key=lambda record: record.id))
    return f"{CONFLICT} - {CURE}; held: {stories} (`anamnesis resolve` shows both versions)"
