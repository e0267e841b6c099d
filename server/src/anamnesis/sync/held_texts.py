"""A held note as its reader needs it: the three versions as texts."""

from __future__ import annotations

from anamnesis.errors import NoteFormatError
from anamnesis.notes.record import decode, parse
from anamnesis.sync.held import Held
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import HeldNote


def describe(repo: Repo, held: Held, mine: bytes | None) -> HeldNote:
    """A held note with its texts; `mine` is the local file's content."""
    base, theirs = (repo.git.blob(oid) if oid else None for oid in (held.base, held.theirs))
    texts = [_text(data) for data in (base, mine, theirs)]
    is_text = all(
        data is None or text is not None for data, text in zip((base, mine, theirs), texts, strict=True)
    )
    return HeldNote(
        id=held.id,
        path=held.private or held.ours_path,
        title=title_of(mine, theirs),
        base=texts[0],
        mine=texts[1],
        theirs=texts[2],
        since=held.since,
        is_text=is_text,
        machine=held.machine,
        moment=held.moment,
        private=bool(held.private),
    )


def title_of(*versions: bytes | None) -> str:
    """The title in the first of the versions that has one."""
    return next((title for data in versions if (title := _title(_text(data)))), "")


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else decode(data)
    except NoteFormatError:
        return None


def _title(text: str | None) -> str:
    try:
        return parse(text)[0].title if text else ""
    except NoteFormatError:
        return ""
