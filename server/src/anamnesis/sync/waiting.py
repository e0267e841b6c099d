"""Files that wait: they hold a credential, so their last committed version stays until someone decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from anamnesis.purge.scrub import Scrubber, is_record
from anamnesis.purge.state import load_state
from anamnesis.sync.credentials import Found, find_unallowed, load_allowed, version
from anamnesis.sync.entry import read_id
from anamnesis.sync.held import Held
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import WaitingFile

_MOST_OF_ONE = 20  # credentials that are named of one file
_MOST_NAMED = 3

Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Stuck:
    """A changed file that may not be committed as it is; `place` and `base` say where it was before."""

    path: str
    place: str  # another path when the file was moved
    base: str | None  # None: it is new
    id: str | None  # of the note in it
    found: tuple[Found, ...] = ()


def find_stuck(repo: Repo, read: Read, paths: Iterable[str], *, head: str | None) -> list[Stuck]:
    """Those of the changed files that hold a credential which was not allowed."""
    allowed = load_allowed(repo.folder.parent)
    purged = Scrubber(load_state(repo.git).known.values())
    found: dict[str, tuple[bytes, list[Found]]] = {}
    deleted: list[str] = []
    for path in paths:
        data = read(path)
        if data is None:
            deleted.append(path)
        elif secrets := find_unallowed(data, allowed=allowed) + _purged(path, data, purged, allowed):
            found[path] = data, secrets
    if not found:
        return []
    known = _committed(repo, head, [*found, *deleted])
    moved = _moved(repo, {path: known[path] for path in deleted if path in known})
    return [
        _stuck(path, data, secrets, known, moved)
        for path, (data, secrets) in found.items()
        if repo.hash(data) not in known.values()  # a file that was only renamed is in the history already
    ]


def _purged(path: str, data: bytes, purged: Scrubber, allowed: Collection[str]) -> list[Found]:
    """Where a file brings back what was purged: a session may have been captured that spoke of it."""
    if version(data) in allowed or is_record(path):
        return []
    note = [Found("purged note", 1, "")] if purged.drops(path, data) else []
    return [*note, *(Found("purged text", line, "") for line in purged.lines(data))]


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
    """The places of the notes whose file is gone, by id."""
    contents = dict(repo.git.blobs(set(deleted.values()))) if deleted else {}
    return {note_id: path for path, oid in deleted.items() if (note_id := read_id(contents[oid]))}


def held_waiting(repo: Repo, read: Read, held: Iterable[Held]) -> Iterator[WaitingFile]:
    """The credentials in the local files of held notes that the other version does not hold."""
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
    """Which files wait and what to do about it, in one line; "" when none does."""
    if not files:
        return ""
    count = len({each.path for each in files})
    named = [f"{each.path} line {each.line} ({each.kind})" for each in files[:_MOST_NAMED]]
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    what = f"{count} {'file waits' if count == 1 else 'files wait'} with a credential"
    remedy = f"take it out, or let this version go with `anamnesis sync --allow-secret {files[0].id}`"
    return f"{what}: {', '.join(named)}{more}; {remedy}"
