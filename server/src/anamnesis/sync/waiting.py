"""Files that wait: they hold a credential, so their last committed version stays until a person decides.

A text that `write` or a tool accepts is accepted here, too: the text of a note is searched in the same pieces
(title, tags, body, each unknown key), not as one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from anamnesis.errors import NoteFormatError
from anamnesis.files import read_object, write_object
from anamnesis.layout import ALLOWED_NAME
from anamnesis.notes.frontmatter import Value, read_fields
from anamnesis.notes.record import FIELDS, decode, split_text
from anamnesis.notes.vocabulary import read_id
from anamnesis.purge.record import load_state
from anamnesis.purge.scrub import Scrubber, is_record
from anamnesis.redact import find_secrets, under_title
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import PRIVATE, WaitingFile
from anamnesis.sync.state import Held

_MOST_ALLOWED = 1000
_BINARY_SAMPLE = 8000  # bytes, as many as git examines
_APART = "\n" * 4  # too far for a name in one tag or field to be given the value of the next
_ASCII = bytes(code if 0 < code < 128 else 32 for code in range(256))
_MACHINE_LOCAL = b"machine-local"
_IN_NAME = "in the file's name"
# A path that the store generated holds no credential.
_OWN_NAME = re.compile(r"(?:procedural|semantic|episodic)/[0-9A-HJKMNP-TV-Z]{26}\.md")
_MOST_OF_ONE = 20  # credentials that are named per file
_MOST_NAMED = 3
Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A credential in a file: its kind, its line, and the text itself, which is never shown or stored."""

    kind: str
    line: int
    secret: str = field(repr=False)


def find_in_file(data: bytes) -> list[Found]:
    """Every credential in a file, in the order of its lines."""
    text = _text(data)
    found = [
        Found(secret.kind, _line(text, place, secret.start, value), value)
        for place, piece in _pieces(text)
        for secret in find_secrets(piece)
        if (value := piece[secret.start : secret.end])
    ]
    return sorted(dict.fromkeys(found), key=lambda each: each.line)


def find_unallowed(data: bytes, *, allowed: Collection[str], known: bytes = b"") -> list[Found]:
    """The credentials in a file that were not allowed and are not in `known`, another version."""
    if not data or version(data) in allowed:
        return []
    found = find_in_file(data)
    before = {each.secret for each in find_in_file(known)} if found and known else set()
    return [each for each in found if each.secret not in before]


def version(data: bytes) -> str:
    """The digest of exactly this content."""
    return sha256(data).hexdigest()


def load_allowed(root: Path) -> frozenset[str]:
    """The versions that were allowed to travel with a credential, on this machine."""
    return frozenset(_listed(root))


def allow(root: Path, data: bytes) -> None:
    """Allow exactly this content to sync, whatever it holds."""
    listed = [*(each for each in _listed(root) if each != version(data)), version(data)]
    write_object(root / ALLOWED_NAME, {"versions": listed[-_MOST_ALLOWED:]})


def _listed(root: Path) -> list[str]:
    found = read_object(root / ALLOWED_NAME).get("versions")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _text(data: bytes) -> str:
    """A file as text; a file that is not a note may have any encoding, or none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:_BINARY_SAMPLE]:
        # The ASCII in a binary file, and the same without the zero bytes that UTF-16 puts between letters.
        return "\n".join(each.translate(_ASCII).decode("ascii") for each in (data, data.replace(b"\0", b"")))
    try:
        return decode(data)
    except NoteFormatError:
        return data.decode("utf-8", "replace")


def _pieces(text: str) -> Iterator[tuple[int | None, str]]:
    """The pieces of a file's text, each with its offset, or None for a value of the front matter."""
    try:
        front, body = split_text(text)
        values, raw = read_fields(front)
    except NoteFormatError:
        yield 0, text
        return
    yield None, _APART.join(each for name in FIELDS for each in _texts(values.get(name)))
    yield from ((None, block) for key, block in raw.items() if key not in FIELDS)
    title = values.get("title")
    if isinstance(title, str) and (first := under_title(title, body)):
        yield None, first
    yield len(text) - len(body) - text.endswith("\n"), body


def _texts(value: Value) -> list[str]:
    return value if isinstance(value, list) else [value or ""]


def _line(text: str, place: int | None, start: int, secret: str) -> int:
    """The line of a credential; in the front matter, where values are quoted and folded, the first match."""
    position = max(text.find(secret), 0) if place is None else place + start
    return text.count("\n", 0, position) + 1


class Stuck(NamedTuple):
    """A changed file that may not be committed as it is; `place` and `base` say where it was before."""

    path: str
    place: str  # another path when the file was moved
    base: str | None  # None: it is new
    id: str | None  # of the note in it
    found: tuple[Found, ...] = ()


class Search:
    """Finds what keeps a version of a file on this machine: a credential, purged text, its own scope."""

    def __init__(self, repo: Repo) -> None:
        self._allowed = load_allowed(repo.folder.parent)
        self._purged = Scrubber(load_state(repo.git).known.values())

    def __call__(self, path: str, data: bytes) -> list[Found]:
        """Everything that was not allowed."""
        return [
            *find_unallowed(data, allowed=self._allowed),
            *_purged(path, data, self._purged, self._allowed),
            *_private(data, self._allowed),
            *_in_name(path, data, self._allowed),
        ]


def find_stuck(repo: Repo, read: Read, paths: Iterable[str], *, head: str | None) -> list[Stuck]:
    """The changed files that hold a credential which was not allowed."""
    search = Search(repo)
    found: dict[str, tuple[bytes, list[Found]]] = {}
    deleted: list[str] = []
    for path in paths:
        data = read(path)
        if data is None:
            deleted.append(path)
        elif secrets := search(path, data):
            found[path] = data, secrets
    if not found:
        return []
    known = _committed(repo, head, [*found, *deleted])
    moved = _moved(repo, {path: known[path] for path in deleted if path in known})
    return [
        _stuck(path, data, secrets, known, moved)
        for path, (data, secrets) in found.items()
        # The text of a renamed file is in the history already.
        if repo.hash(data) not in known.values() or any(_IN_NAME in each.kind for each in secrets)
    ]


def _purged(path: str, data: bytes, purged: Scrubber, allowed: Collection[str]) -> list[Found]:
    """The places where a file brings back purged text: a captured session may have quoted it."""
    if version(data) in allowed or is_record(path):
        return []
    note = [Found("purged note", 1, "")] if purged.drops(path, data) else []
    return [*note, *(Found("purged text", line, "") for line in purged.lines(data))]


def _private(data: bytes, allowed: Collection[str]) -> list[Found]:
    """Whether a note of the shared tree says that it is machine-local, because someone edited the file."""
    if _MACHINE_LOCAL not in data or version(data) in allowed:
        return []
    try:
        text = decode(data)
        scope = read_fields(split_text(text)[0])[0].get("scope")
    except NoteFormatError:
        return []
    return [Found(PRIVATE, _line(text, None, 0, "machine-local"), "")] if scope == "machine-local" else []


def _in_name(path: str, data: bytes, allowed: Collection[str]) -> list[Found]:
    """The credentials in the path of a file."""
    if _OWN_NAME.fullmatch(path) or version(data) in allowed:
        return []
    return [Found(f"{each.kind} {_IN_NAME}", 1, path[each.start : each.end]) for each in find_secrets(path)]


def _stuck(
    path: str, data: bytes, secrets: list[Found], known: dict[str, str], moved: dict[str, str]
) -> Stuck:
    note_id = read_id(data)
    place = path if path in known else moved.get(note_id or "", path)
    return Stuck(path, place, known.get(place), note_id, tuple(secrets))


def _committed(repo: Repo, head: str | None, paths: Collection[str]) -> dict[str, str]:
    """The blobs that `head` has at these paths."""
    if head is None:
        return {}
    asked = "".join(f"{head}:{path}\n" for path in paths).encode()
    rows = repo.git.run("cat-file", "--batch-check", stdin=asked).split(b"\n")
    pairs = zip(paths, rows, strict=False)
    return {path: row.split()[0].decode() for path, row in pairs if not row.endswith(b" missing")}


def _moved(repo: Repo, deleted: dict[str, str]) -> dict[str, str]:
    """The old places of the notes whose file is gone, by id."""
    contents = dict(repo.git.blobs(set(deleted.values()))) if deleted else {}
    return {note_id: path for path, oid in deleted.items() if (note_id := read_id(contents[oid]))}


def held_waiting(repo: Repo, read: Read, held: Iterable[Held]) -> Iterator[WaitingFile]:
    """The credentials in the local files of held notes that the other version does not have."""
    allowed = load_allowed(repo.folder.parent)
    for record in held:
        data = read(record.ours_path)
        if data and find_unallowed(data, allowed=allowed):
            theirs = repo.git.blob(record.theirs) if record.theirs else b""
            found = find_unallowed(data, allowed=allowed, known=theirs)
            yield from _named(record.ours_path, record.id, found)


def waiting_files(stuck: Iterable[Stuck]) -> Iterator[WaitingFile]:
    """Every credential that keeps a file from being committed."""
    for each in stuck:
        yield from _named(each.path, each.id or each.path, each.found)


def _named(path: str, name: str, found: Iterable[Found]) -> list[WaitingFile]:
    return [WaitingFile(path, each.line, each.kind, name) for each in found][:_MOST_OF_ONE]


def waiting_text(files: tuple[WaitingFile, ...]) -> str:
    """Which files wait and what to do, in one line; "" when none does."""
    if not files:
        return ""
    count = len({each.path for each in files})
    named = [f"{each.path} line {each.line} ({each.kind})" for each in files[:_MOST_NAMED]]
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    is_private = all(each.kind == PRIVATE for each in files)
    first = next(each for each in files if is_private or each.kind != PRIVATE)
    what = f"{count} {'file waits' if count == 1 else 'files wait'} {first.why}"
    return f"{what}: {', '.join(named)}{more}; {first.remedy}"
