"""What a purge would remove here: notes, versions, credentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from anamnesis.errors import InvalidNote
from anamnesis.history import History
from anamnesis.layout import MEMORY, SCOPE_OF, UNDO_FOLDER
from anamnesis.notes.record import note_in, read_id
from anamnesis.purge import Purge, Scrubber
from anamnesis.sync.merge import title_of
from anamnesis.sync.paths import bytes_of
from anamnesis.sync.state import load_state
from anamnesis.sync.waiting import find_in_file, version
from anamnesis.text import plural

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Survey:
    """What a purge would affect: notes removed or changed (id and title), and earlier versions."""

    removed: tuple[tuple[str, str], ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    versions: int = 0


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential in a version of a note; its text is never shown."""

    kind: str
    note: str  # id of the note, "" for a file that is not one
    text: str = field(repr=False)


def known_notes(root: Path, history: History) -> dict[str, str]:
    """Id and title of every note that is or was in this store; the current title wins."""
    versions = chain(_earlier(root, history), _present(root).values())
    return {note_id: title_of(data) for data in versions if (note_id := read_id(data))}


def survey(root: Path, history: History, purge: Purge) -> Survey:
    """What a purge would do here; InvalidNote if it would make a note unreadable."""
    scrubber = Scrubber([purge])
    removed, changed = [], []
    for path, data in _present(root).items():
        name = (read_id(data) or path, title_of(data))
        if scrubber.drops(path, data):
            removed.append(name)
        elif (clean := scrubber.scrub(data)) is not data:
            before, after = note_in(data), note_in(clean)
            if before and (after is None or after.id != before.id):
                raise InvalidNote(
                    f"{path} could no longer be read without that text: it is in the note's front matter;"
                    " give a longer text, or purge the note by its id"
                )
            changed.append(name)
    return Survey(tuple(removed), tuple(changed), sum(map(scrubber.holds, _earlier(root, history))))


def find_credentials(root: Path, history: History, *, most: int | None = None) -> list[Credential]:
    """Every credential in any version that was not allowed, each once; with `most`, in that many old ones."""
    texts = islice(history.texts(), most) if most else chain(_earlier(root, history), _present(root).values())
    allowed = load_state(root / MEMORY).allowed
    found: dict[str, Credential] = {}
    tolerated: set[str] = set()
    for data in texts:
        for match in find_in_file(data):
            if version(data) in allowed:
                tolerated.add(match.secret)
            found.setdefault(match.secret, Credential(match.kind, read_id(data) or "", match.secret))
    return [credential for text, credential in found.items() if text not in tolerated]


def described(plan: Survey, credentials: Sequence[Credential] = ()) -> list[str]:
    """A survey as lines for people; they contain no purged text, except in the titles of removed notes."""
    lines = [f"  {found.kind} in {found.note or 'a file that is not a note'}" for found in credentials]
    for verb, notes in (("remove", plan.removed), ("cut out of", plan.changed)):
        lines += [f"  {verb} {note_id} {title!r}" for note_id, title in notes[:_MOST_NAMED]]
        rest = len(notes) - _MOST_NAMED
        lines += [f"  and {rest} more notes"] if rest > 0 else []
    versions = plural(plan.versions, "version")
    return [*lines, f"  {versions} in the history, which is rewritten, and among the undo texts"]


def _present(root: Path) -> dict[str, bytes]:
    """The readable files of both trees, by path."""
    paths = sorted(path for tree in SCOPE_OF for path in (root / tree).glob("[!.]*/**/[!.]*.md"))
    return {path.relative_to(root).as_posix(): data for path in paths if (data := bytes_of(path)) is not None}


def _earlier(root: Path, history: History) -> Iterator[bytes]:
    """Every version in the history, and the texts kept on this machine for undo."""
    kept = (bytes_of(path) for path in sorted((root / UNDO_FOLDER).glob("*/*")))
    return chain(history.texts(), (data for data in kept if data is not None))
