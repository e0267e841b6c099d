"""Previews a purge: which notes, how many versions, and reasons to refuse it. Reads only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.files import read_regular
from anamnesis.history import History
from anamnesis.layout import SCOPE_OF
from anamnesis.notes.record import decode, parse
from anamnesis.notes.vocabulary import read_id
from anamnesis.purge import Purge, Scrubber
from anamnesis.sync.merge import title_of
from anamnesis.sync.waiting import find_in_file, load_allowed, version
from anamnesis.text import plural

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Survey:
    """What a purge would affect: notes removed or changed (id and title), and versions in the history."""

    removed: tuple[tuple[str, str], ...]
    changed: tuple[tuple[str, str], ...]
    versions: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do on this machine."""
        return not (self.removed or self.changed or self.versions)


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential in a version of a note; its text is never shown."""

    kind: str
    note: str  # id of the note, "" for a file that is not one
    text: str = field(repr=False)


def known_notes(root: Path, history: History) -> dict[str, str]:
    """Id and title of every note that is or was in this store; the current title wins."""
    versions = (*history.texts(), *_present(root).values())
    return {note_id: title_of(data) for data in versions if (note_id := read_id(data))}


def survey(root: Path, history: History, purge: Purge) -> Survey:
    """What a purge would do here; InvalidNote if it would make a note unreadable."""
    scrubber = Scrubber([purge])
    removed, changed = [], []
    for path, data in _present(root).items():
        if scrubber.drops(path, data):
            removed.append((read_id(data) or path, title_of(data)))
        elif (clean := scrubber.scrub(data)) is not data:
            _refuse_damage(path, data, clean)
            changed.append((read_id(data) or path, title_of(data)))
    touched = sum(1 for data in history.texts() if scrubber.drops_text(data) or scrubber.holds(data))
    return Survey(tuple(removed), tuple(changed), touched)


def find_credentials(
    root: Path, history: History, *, most: int | None = None, is_clean: Callable[[bytes], bool] | None = None
) -> list[Credential]:
    """Every credential in any version that was not allowed, each once; searches the newest `most` versions.

    `is_clean` tells which texts are known to contain none.
    """
    allowed = load_allowed(root)
    found: dict[str, Credential] = {}
    tolerated: set[str] = set()
    past = islice(history.texts(), most)
    for data in chain(past, () if most else _present(root).values()):
        if is_clean and is_clean(data):
            continue
        for match in find_in_file(data):
            if version(data) in allowed:
                tolerated.add(match.secret)
            found.setdefault(match.secret, Credential(match.kind, read_id(data) or "", match.secret))
    return [credential for text, credential in found.items() if text not in tolerated]


def described(plan: Survey, credentials: Sequence[Credential] = (), *, has_remote: bool = True) -> list[str]:
    """A survey as lines for people; they contain no purged text, except in the titles of removed notes."""
    lines = [f"  {found.kind} in {found.note or 'a file that is not a note'}" for found in credentials]
    for verb, notes in (("remove", plan.removed), ("cut out of", plan.changed)):
        lines += [f"  {verb} {note_id} {title!r}" for note_id, title in notes[:_MOST_NAMED]]
        rest = len(notes) - _MOST_NAMED
        lines += [f"  and {rest} more notes"] if rest > 0 else []
    versions = plural(plan.versions, "version")
    there = " and at the remote" if has_remote else ""
    return [*lines, f"  {versions} in the history, which is rewritten here{there}"]


def _present(root: Path) -> dict[str, bytes]:
    """The readable files of both trees, by path."""
    files: dict[str, bytes] = {}
    for tree in SCOPE_OF:
        for path in sorted((root / tree).glob("[!.]*/**/[!.]*.md")):
            try:
                files[path.relative_to(root).as_posix()] = read_regular(path)
            except OSError:
                continue
    return files


def _refuse_damage(path: str, before: bytes, after: bytes) -> None:
    """Refuse a purge that would make a note unreadable or change its id."""
    if read_id(before) is None:
        return
    try:
        is_same = parse(decode(after))[0].id == read_id(before)
    except NoteFormatError:
        is_same = False
    if not is_same:
        raise InvalidNote(
            f"{path} could no longer be read without that text: it is part of the note's front matter;"
            " give a longer text, or purge the note by its id"
        )
