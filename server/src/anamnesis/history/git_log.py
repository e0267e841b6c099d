"""The versions of notes in git's log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from anamnesis.errors import GitError, NoteFormatError
from anamnesis.git import AUTHOR, COMMIT_GRAPH, Git
from anamnesis.history import (
    Action,
    ChangedFile,
    CommitEntry,
    History,
    RemovedNote,
    Version,
    checked,
)
from anamnesis.history.walk import Commit, Item, LogTail, Row, walk
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.record import Memory, decode, deserialize
from anamnesis.notes.vocabulary import TYPES, read_id
from anamnesis.undo import UndoTexts

_MAX_MOVES = 20
_MAX_VERSIONS = 10_000
_LAST_COMMITS = 10  # of a machine that are searched for a note that still exists
_NOTES = ["*.md"]
_LOGGED = [".", f":(exclude){MACHINES_FOLDER}"]  # heartbeats are shown by `fleet`
_Read = Callable[[str, Sequence[Commit] | None], Iterable[Item]]


class GitHistory(History):
    """The history of the notes in one folder: git's log, and the texts kept on this machine.

    Without a repository, git's part is empty.
    """

    def __init__(
        self, memory_dir: str | Path, *, kept: UndoTexts | None = None, tail: LogTail | None = None
    ) -> None:
        super().__init__(kept=kept)
        self._git = Git(Path(memory_dir).absolute())
        self._tail = tail or LogTail()

    def _committed(self, note_id: str, path: str | None) -> list[Version]:
        usual = [f"{folder}/{note_id}.md" for folder in TYPES]
        places = [f":(literal){place}" for place in dict.fromkeys([*usual, *([path] if path else [])])]
        versions: list[Version] = []
        for _ in range(_MAX_MOVES):
            versions = self._versions(tuple(places))
            moves = (self._known_move(note_id, each) for each in (versions[-1:] + versions[:1]))
            moved_to = next((place for place in moves if place and f":(literal){place}" not in places), None)
            if moved_to is None:
                break
            places.append(f":(literal){moved_to}")
        # A deleted note may have been in any folder, so git must search them all, which is slow.
        return versions or self._versions((f":(glob)**/{note_id}.md",))

    def _cached(self, question: Hashable, read: _Read[Item], *, limit: int | None = None) -> list[Item]:
        """The answer at the store's commit, which `read` computes from it and the new commits (None: all)."""
        tip = self._git.ref(MAIN)
        return self._tail.read(self._git, question, tip, partial(read, tip), limit=limit) if tip else []

    def _blob(self, name: str) -> bytes:
        return self._git.blob(name)

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        last: dict[str, Row] = {}
        for commit in walk(self._git, places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in commit.rows:
                if row.action == "deleted":
                    last.setdefault(_stem(row.path), row)
        contents = dict(self._git.blobs({row.blob for row in last.values()}))
        return {name: _changed_file(row, contents.get(row.blob, b"")).title for name, row in last.items()}

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[str, str, Row]] = {}
        for at, machine, row in self._deletions():
            if _stem(row.path) not in present:
                last.setdefault(_stem(row.path), (at, machine, row))
        contents = dict(self._git.blobs({row.blob for *_, row in last.values()}))
        removed: dict[str, RemovedNote] = {}
        for at, machine, row in last.values():
            note = _note_in(contents.get(row.blob, b""))
            if note is not None and note.id not in present:
                removed.setdefault(note.id, RemovedNote(at, machine, note))
        return removed

    def _deletions(self) -> list[tuple[str, str, Row]]:
        """Every deletion of a note in the log: time, machine and file."""

        def _read(tip: str, new: Sequence[Commit] | None) -> Iterable[tuple[str, str, Row]]:
            commits = walk(self._git, start=tip, kinds="D") if new is None else new
            return (
                (commit.at, commit.machine, row)
                for commit in commits
                for row in _rows(commit, "deleted")
                if _is_note(row.path)
            )

        return self._cached("deletions", _read)

    def log(
        self, *, limit: int, before: str | None = None, until: str | None = None, most: int
    ) -> list[tuple[CommitEntry, list[ChangedFile]]]:
        """The commits, newest first, each with the first `most` notes it changed; `until` is a day."""
        if before:
            older = walk(self._git, limit=limit + 1, start=checked(before), until=until, places=_LOGGED)
            return self._entries([*older][1:], most)

        def _read(tip: str, new: Sequence[Commit] | None) -> list[tuple[CommitEntry, list[ChangedFile]]]:
            if new is None:
                return self._entries(
                    walk(self._git, limit=limit, start=tip, until=until, places=_LOGGED), most
                )
            last = f"{until}T23:59:59"
            fresh = (each for each in new if _without_heartbeats(each.rows))
            return self._entries((each for each in fresh if not until or each.at <= last), most)

        return self._cached(("log", limit, until, most), _read, limit=limit)

    def _entries(self, commits: Iterable[Commit], most: int) -> list[tuple[CommitEntry, list[ChangedFile]]]:
        shown = [(commit, [row for row in commit.rows if _is_note(row.path)]) for commit in commits]
        contents = dict(self._git.blobs({row.blob for _, rows in shown for row in rows[:most]}))
        return [
            (
                _entry(commit, len(rows)),
                [_changed_file(row, contents.get(row.blob, b"")) for row in rows[:most]],
            )
            for commit, rows in shown
        ]

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its first characters."""
        walked = next(walk(self._git, limit=1, start=checked(commit)))
        return _entry(walked, len(_without_heartbeats(walked.rows)))

    def changed(self, commit: str) -> list[ChangedFile]:
        """The files that one commit changed, notes with their id and title."""
        rows = _without_heartbeats(next(walk(self._git, limit=1, start=checked(commit))).rows)
        contents = dict(self._git.blobs({row.blob for row in rows if row.path.endswith(".md")}))
        return [_changed_file(row, contents.get(row.blob, b"")) for row in rows]

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last and that still `exists`, and when it did so."""

        def _read(tip: str, new: Sequence[Commit] | None) -> list[tuple[str, ChangedFile]]:
            # Filter by machine first, so that only its commits are compared with their parents.
            commits = (
                walk(self._git, start=tip, limit=_LAST_COMMITS, kinds="AM", author=machine, places=_NOTES)
                if new is None
                else (commit for commit in new if commit.is_by(machine))
            )
            notes = (
                (each.at, [row for row in _rows(each, "added", "edited") if _is_note(row.path)])
                for each in commits
            )
            recent = [(at, row) for at, rows in notes for row in rows][:_LAST_COMMITS]
            contents = dict(self._git.blobs({row.blob for _, row in recent}))
            return [(at, _changed_file(row, contents.get(row.blob, b""))) for at, row in recent]

        recent = self._cached(("last", machine), _read, limit=_LAST_COMMITS)
        return next((each for each in recent if exists(each[1].id)), None)

    def since(self, commit: str) -> Sequence[Commit] | None:
        """The commits after one, newest first; None if there are too many, or the history is not linear."""
        tip = self._git.ref(MAIN)
        return self._tail.since(self._git, commit, tip) if tip else None

    def first_writers(self) -> Mapping[str, str]:
        """For each path in the synced tree, the machine that first committed the file."""
        try:
            commits = [*walk(self._git, kinds="A")]
        except GitError:
            return {}
        # Newest first, so that the first writer is the last one here.
        return {
            row.path: commit.email.removeprefix(AUTHOR) if commit.email.startswith(AUTHOR) else ""
            for commit in commits
            for row in commit.rows
        }

    def _versions(self, places: tuple[str, ...]) -> list[Version]:
        return self._cached(
            ("versions", places), partial(self._read_versions, [*places]), limit=_MAX_VERSIONS
        )

    def _read_versions(self, places: list[str], tip: str, new: Sequence[Commit] | None) -> Iterator[Version]:
        commits = (
            walk(self._git, only=self._touching(places, tip)[:_MAX_VERSIONS], places=places)
            if new is None
            else new
        )
        for each in commits:
            rows = [row for row in each.rows if _is_at(row.path, places)]
            if not rows:
                continue
            kept = [row for row in rows if row.action != "deleted"]
            row = (kept or rows)[0]
            action: Action = "moved" if kept and len(rows) > len(kept) else row.action
            yield Version(each.oid, each.at, each.machine, each.message, row.path, action, row.blob)

    def _touching(self, places: list[str], tip: str) -> list[str]:
        """The commits that changed a file in one of these places, newest first.

        For a single plain path, git skips most commits with the filters that `Repo.tidy` writes.
        """
        if not (self._git.dir / COMMIT_GRAPH).exists():
            return self._git.line("rev-list", tip, "--", *places).split()
        by_place = [self._git.line("rev-list", tip, "--", place).split() for place in places]
        nonempty = [commits for commits in by_place if commits]
        if len(nonempty) < 2:
            return nonempty[0] if nonempty else []
        wanted = set().union(*nonempty)
        return [commit for commit in self._git.line("rev-list", tip).split() if commit in wanted]

    def _known_move(self, note_id: str, first: Version) -> str | None:
        """Like `_moved`, but cached: a commit does not change."""
        question, commit = ("moved", note_id, first.commit, first.action), first.commit
        return self._tail.read(self._git, question, commit, lambda _: [self._moved(note_id, first)])[0]

    def _moved(self, note_id: str, version: Version) -> str | None:
        """The note's path before the commit that added it here, or after the one that removed it."""
        kind = {"added": "D", "deleted": "A"}.get(version.action)
        if kind is None:
            return None
        walked = walk(self._git, only=[version.commit], kinds=kind)
        others = {row.blob: row.path for commit in walked for row in commit.rows if _is_note(row.path)}
        return next((others[oid] for oid, data in self._git.blobs(others) if read_id(data) == note_id), None)


def _entry(commit: Commit, files: int) -> CommitEntry:
    return CommitEntry(commit.oid, commit.at, commit.machine, commit.message, files)


def _rows(commit: Commit, *actions: Action) -> list[Row]:
    return [row for row in commit.rows if row.action in actions]


def _is_note(path: str) -> bool:
    return path.endswith(".md")


def _is_at(path: str, places: Sequence[str]) -> bool:
    """Whether a file is in one of the places: a whole path, or a name in any folder."""
    return f":(literal){path}" in places or f":(glob)**/{path.rpartition('/')[2]}" in places


def _without_heartbeats(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row.path.startswith(f"{MACHINES_FOLDER}/")]


def _changed_file(row: Row, data: bytes) -> ChangedFile:
    note = _note_in(data)
    return ChangedFile(row.path, row.action, note.id if note else "", note.title if note else "")


def _note_in(data: bytes) -> Memory | None:
    try:
        return deserialize(decode(data))
    except NoteFormatError:
        return None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
