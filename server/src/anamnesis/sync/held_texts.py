"""A held note as its reader needs it: the three versions as texts."""

from __future__ import annotations

from anamnesis.errors import NoteFormatError
from anamnesis.notes import decode, parse
from anamnesis.sync.held import Held
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import HeldNote


def describe(repo: Repo, held: Held, mine: bytes | None) -> HeldNote:
    """A held note with its texts; `mine` is the local file's content."""
    base, theirs = (repo.git.blob(oid) if oid else None for oid in (held.base, held.theirs))
    texts = [_text(data) for data in (base, mine, theirs)]
    title = next((_title(text) for text in (texts[1], texts[2]) if text and _title(text)), "")
    is_text = all(
        data is None or text is not None for data, text in zip((base, mine, theirs), texts, strict=True)
    )
    return HeldNote(
        id=held.id,
        path=held.ours_path,
        title=title,
        base=texts[0],
        mine=texts[1],
        theirs=texts[2],
        since=held.since,
        is_text=is_text,
    )


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else decode(data)
    except NoteFormatError:
        return None


def _title(text: str) -> str:
    try:
        return parse(text)[0].title
    except NoteFormatError:
        return ""
