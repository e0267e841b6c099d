"""The versions of the notes in git's log."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import NoteFormatError
from anamnesis.git import AUTHOR, COMMIT_GRAPH, Git, author_machine
from anamnesis.history import (
    Action,
    ChangedFile,
    CommitEntry,
    History,
    KeptTexts,
    RemovedNote,
    Version,
    checked,
)
from anamnesis.history.log_tail import LogTail
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.record import Memory, decode, deserialize
from anamnesis.notes.vocabulary import TYPES, read_id, timestamp

_ACTIONS: dict[str, Action] = {"A": "added", "D": "deleted"}
_MARK = "\x02anamnesis\x02"
_FORM = f"--format={_MARK}%H%x00%ct%x00%an%x00%ae%x00%s%x00"
_RAW = re.compile(r":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0")
_MAX_MOVES = 20
_NOTES = ["*.md"]
_DIARY = [".", f":(exclude){MACHINES_FOLDER}"]  # heartbeats are shown by `fleet`


@dataclass(frozen=True, slots=True)
class _Row:
    action: Action
    path: str
    blob: str  # of a deleted file: the last one


class GitHistory(History):
    """The history of the notes under one folder in git's log, and of the texts kept beside it.

    Without a repository the history is empty.
    """

    def __init__(
        self, memory_dir: str | Path, *, kept: KeptTexts | None = None, tail: LogTail | None = None
    ) -> None:
        super().__init__(kept=kept)
        self._git = Git(Path(memory_dir).absolute())
        self._tail = tail or LogTail()

    def _committed(self, note_id: str, path: str | None, limit: int) -> list[Version]:
        usual = [f"{folder}/{note_id}.md" for folder in TYPES]
        places = [f":(literal){place}" for place in dict.fromkeys([*usual, *([path] if path else [])])]
        versions: list[Version] = []
        for _ in range(_MAX_MOVES):
            versions = self._known_versions(tuple(places), limit)
            moves = (self._known_move(note_id, each) for each in (versions[-1:] + versions[:1]))
            found = next((place for place in moves if place and f":(literal){place}" not in places), None)
            if found is None:
                break
            places.append(f":(literal){found}")
        # A deleted note may have been in any folder: git must search them all, which is slow.
        return versions or self._known_versions((f":(glob)**/{note_id}.md",), limit)

    def _known_versions(self, places: tuple[str, ...], limit: int) -> list[Version]:
        if (tip := self._git.ref(MAIN)) is None:
            return []
        return self._tail.read(
            self._git,
            ("versions", places, limit),
            tip,
            lambda after: list(self._versions([*places], limit, tip, after)),
            limit=limit,
        )

    def _blob(self, name: str) -> bytes:
        return self._git.blob(name)

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        last: dict[str, _Row] = {}
        for *_, rows in self._walk(places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in rows:
                if row.action == "deleted":
                    last.setdefault(_stem(row.path), row)
        contents = dict(self._git.blobs({row.blob for row in last.values()}))
        return {name: _changed_file(row, contents.get(row.blob, b"")).title for name, row in last.items()}

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[str, str, _Row]] = {}
        for at, machine, row in self._deletions():
            if _stem(row.path) not in present:
                last.setdefault(_stem(row.path), (at, machine, row))
        contents = dict(self._git.blobs({row.blob for *_, row in last.values()}))
        found: dict[str, RemovedNote] = {}
        for at, machine, row in last.values():
            note = _note_in(contents.get(row.blob, b""))
            if note is not None and note.id not in present:
                found.setdefault(note.id, RemovedNote(at, machine, note))
        return found

    def _deletions(self) -> list[tuple[str, str, _Row]]:
        """Every deletion of a note in the log: when, on which machine, which file."""

        def _read(after: str | None) -> list[tuple[str, str, _Row]]:
            walked = self._walk(start=tip, kinds="D", after=after)
            return [
                (at, machine, row) for _, at, machine, _, rows in walked for row in rows if _is_note(row.path)
            ]

        tip = self._git.ref(MAIN)
        return self._tail.read(self._git, "deletions", tip, _read) if tip else []

    def diary(
        self, *, limit: int, before: str | None = None, until: str | None = None, most: int
    ) -> list[tuple[CommitEntry, list[ChangedFile]]]:
        """The commits, newest first, each with the first `most` notes it changed; `until` is a day."""
        if before:
            return self._entries(limit + 1, most, start=checked(before), until=until)[1:]
        if (tip := self._git.ref(MAIN)) is None:
            return []
        return self._tail.read(
            self._git,
            ("diary", limit, until, most),
            tip,
            lambda after: self._entries(limit, most, start=tip, until=until, after=after),
            limit=limit,
        )

    def _entries(
        self, limit: int, most: int, *, start: str, until: str | None, after: str | None = None
    ) -> list[tuple[CommitEntry, list[ChangedFile]]]:
        walked = list(self._walk(limit=limit, start=start, until=until, places=_DIARY, after=after))
        shown = [[row for row in rows if _is_note(row.path)] for *_, rows in walked]
        contents = dict(self._git.blobs({row.blob for rows in shown for row in rows[:most]}))
        return [
            (
                CommitEntry(oid, at, machine, message, len(rows)),
                [_changed_file(row, contents.get(row.blob, b"")) for row in rows[:most]],
            )
            for (oid, at, machine, message, _), rows in zip(walked, shown, strict=True)
        ]

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its first characters."""
        oid, at, machine, message, rows = next(self._walk(limit=1, start=checked(commit)))
        return CommitEntry(oid, at, machine, message, len(_without_heartbeats(rows)))

    def changed(self, commit: str) -> list[ChangedFile]:
        """The files that one commit changed, notes with their id and title."""
        rows = _without_heartbeats(next(self._walk(limit=1, start=checked(commit)))[4])
        contents = dict(self._git.blobs({row.blob for row in rows if row.path.endswith(".md")}))
        return [_changed_file(row, contents.get(row.blob, b"")) for row in rows]

    def last_note_of(self, machine: str) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last, and when that was committed."""

        def _read(after: str | None) -> list[tuple[str, ChangedFile]]:
            # Filter by machine first: then only its commits are compared with their parents.
            places, limit = (None, None) if after else (_NOTES, 1)
            walked = self._walk(
                start=tip, limit=limit, kinds="AM", author=machine, places=places, after=after
            )
            notes = ((at, [row for row in rows if _is_note(row.path)]) for _, at, _, _, rows in walked)
            found = [(at, rows[0]) for at, rows in notes if rows][:1]
            contents = dict(self._git.blobs({row.blob for _, row in found}))
            return [(at, _changed_file(row, contents.get(row.blob, b""))) for at, row in found]

        if (tip := self._git.ref(MAIN)) is None:
            return None
        return next(iter(self._tail.read(self._git, ("last", machine), tip, _read, limit=1)), None)

    def first_writers(self) -> Mapping[str, str]:
        """By path in the tree that travels, the machine that first committed the file."""
        if not self._git.dir.exists():
            return {}
        order = ("log", "--reverse", "--no-renames", "--diff-filter=A", "--name-only", "-z")
        log = self._git.ask(*order, "--format=%x01%ae")
        return {} if log.code else _writers(log.out.decode("utf-8", "replace"))

    def _versions(self, places: list[str], limit: int, tip: str, after: str | None) -> Iterator[Version]:
        commits = self._touching(places, tip, after)[:limit]
        for oid, at, machine, message, rows in self._walk(only=commits, places=places):
            kept = [row for row in rows if row.action != "deleted"]
            row = (kept or rows)[0]
            action: Action = "moved" if kept and len(rows) > len(kept) else row.action
            yield Version(oid, at, machine, message, row.path, action, row.blob)

    def _touching(self, places: list[str], tip: str, after: str | None) -> list[str]:
        """The commits that changed a file in one of these places, newest first.

        Asked for one plain path at a time, git skips most commits by the filters that `Repo.tidy` writes.
        """
        span = [tip, *([f"^{after}"] if after else [])]
        if not (self._git.dir / COMMIT_GRAPH).exists():
            return self._git.line("rev-list", *span, "--", *places).split()
        asked = [self._git.line("rev-list", *span, "--", place).split() for place in places]
        found = [commits for commits in asked if commits]
        if len(found) < 2:
            return found[0] if found else []
        wanted = set().union(*found)
        return [commit for commit in self._git.line("rev-list", *span).split() if commit in wanted]

    def _known_move(self, note_id: str, first: Version) -> str | None:
        """Like `_moved`, asked of git once: a commit does not change."""
        question, commit = ("moved", note_id, first.commit, first.action), first.commit
        return self._tail.read(self._git, question, commit, lambda _: [self._moved(note_id, first)])[0]

    def _moved(self, note_id: str, version: Version) -> str | None:
        """The note's path before the commit that added it here, or after the one that removed it."""
        kind = {"added": "D", "deleted": "A"}.get(version.action)
        if kind is None:
            return None
        walked = self._walk(only=[version.commit], kinds=kind)
        others = {row.blob: row.path for *_, rows in walked for row in rows if _is_note(row.path)}
        return next((others[oid] for oid, data in self._git.blobs(others) if read_id(data) == note_id), None)

    def _walk(
        self,
        *,
        limit: int | None = None,
        start: str | None = None,
        places: list[str] | None = None,
        kinds: str = "",
        author: str = "",
        until: str | None = None,
        after: str | None = None,
        only: list[str] | None = None,
    ) -> Iterator[tuple[str, str, str, str, list[_Row]]]:
        """The commits as (commit, time, machine, message, changed files), newest first.

        With `after`, those that this commit does not lead to; with `only`, these in their order.
        """
        if only == [] or (start is None and not only and self._git.ref(MAIN) is None):
            return
        bound = [f"--max-count={limit}"] if limit else []
        bound += [f"--diff-filter={kinds}"] if kinds else []
        bound += ["--fixed-strings", f"--author=<{AUTHOR}{author}>"] if author else []
        bound += [f"--until={until}T23:59:59Z"] if until else []
        order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
        span = (
            ["--no-walk=unsorted", "--stdin"] if only else [start or MAIN, *([f"^{after}"] if after else [])]
        )
        named = "".join(f"{commit}\n" for commit in only or ()).encode()
        out = self._git.run(*order, *bound, *span, "--", *(places or ()), stdin=named).decode(
            "utf-8", "replace"
        )
        for part in out.split(_MARK)[1:]:
            oid, seconds, name, email, message, rest = part.split("\0", 5)
            at = timestamp(int(seconds))
            machine = author_machine(name, email)
            yield oid, at, machine, message, [_row(*fields) for fields in _RAW.findall(rest)]


def _row(old: str, new: str, kind: str, path: str) -> _Row:
    action = _ACTIONS.get(kind, "edited")
    return _Row(action, path, old if action == "deleted" else new)


def _is_note(path: str) -> bool:
    return path.endswith(".md")


def _without_heartbeats(rows: list[_Row]) -> list[_Row]:
    return [row for row in rows if not row.path.startswith(f"{MACHINES_FOLDER}/")]


def _changed_file(row: _Row, data: bytes) -> ChangedFile:
    note = _note_in(data)
    return ChangedFile(row.path, row.action, note.id if note else "", note.title if note else "")


def _note_in(data: bytes) -> Memory | None:
    try:
        return deserialize(decode(data))
    except NoteFormatError:
        return None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _writers(log: str) -> dict[str, str]:
    writers: dict[str, str] = {}
    for entry in log.split("\x01")[1:]:
        author, *paths = entry.replace("\n", "\0").split("\0")
        machine = author.removeprefix(AUTHOR) if author.startswith(AUTHOR) else ""
        for path in filter(None, paths):
            writers.setdefault(path, machine)
    return writers
