"""Git's log: commits with the files that each changed, the versions of notes, and a cache of answers.

In a store with 100,000 notes, git takes some 30 ms to compare a commit with its parent. So a long-running
process caches its answers, and after a commit reads only the new commits, once for all questions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

from anamnesis.errors import GitError, NoteFormatError
from anamnesis.git import AUTHOR, COMMIT_GRAPH, Git, author_machine
from anamnesis.git.objects import Change, parsed_changes, reachable_blobs, references
from anamnesis.history import (
    Action,
    ChangedFile,
    Commit,
    CommitEntry,
    History,
    RemovedNote,
    Row,
    Version,
    checked,
)
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.record import Memory, decode, deserialize
from anamnesis.notes.vocabulary import TYPES, read_id, seconds_of
from anamnesis.undo import UndoTexts

_MAX_MOVES = 20
_MAX_VERSIONS = 10_000
_LAST_COMMITS = 10  # of a machine that are searched for a note that still exists
_NOTES = ["*.md"]
_LOGGED = [".", f":(exclude){MACHINES_FOLDER}"]  # heartbeats are shown by `fleet`
_MOST_NEW = 500  # commits after one that are returned
_MOST_QUESTIONS = 64
_MOST_ADDED = 200  # new commits; with more, the cache starts over
_MARK = b"\x02anamnesis\x02"
_FORM = f"--format={_MARK.decode()}%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00"
Item = TypeVar("Item")
_Read = Callable[[str, Sequence[Commit] | None], Iterable[Item]]


def walk(
    git: Git,
    *,
    limit: int | None = None,
    start: str | None = None,
    places: list[str] | None = None,
    kinds: str = "",
    author: str = "",
    since: int | None = None,
    until: str | None = None,
    after: str | None = None,
    only: list[str] | None = None,
) -> Iterator[Commit]:
    """The commits, newest first. `since` is in seconds, `until` is a day.

    With `after`, only commits that are not reachable from it; with `only`, exactly these, in their order.
    """
    if only == [] or (start is None and not only and git.ref(MAIN) is None):
        return
    bound = [f"--max-count={limit}"] if limit else []
    bound += [f"--diff-filter={kinds}"] if kinds else []
    bound += ["--fixed-strings", f"--author=<{AUTHOR}{author}>"] if author else []
    bound += [f"--since={since}"] if since else []
    bound += [f"--until={until}T23:59:59Z"] if until else []
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    span = ["--no-walk=unsorted", "--stdin"] if only else [start or MAIN, *([f"^{after}"] if after else [])]
    named = "".join(f"{commit}\n" for commit in only or ()).encode()
    out = git.run(*order, *bound, *span, "--", *(places or ()), stdin=named)
    for part in out.split(_MARK)[1:]:
        *fields, rest = part.split(b"\0", 6)
        oid, parents, seconds, name, email, message = (field.decode("utf-8", "replace") for field in fields)
        rows = tuple(_row(change) for _, change in parsed_changes(rest))
        machine = author_machine(name, email)
        yield Commit(oid, tuple(parents.split()), seconds_of(seconds), machine, email, message, rows)


def _row(change: Change) -> Row:
    path = change.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    action: Action = "deleted" if change.new is None else "edited" if change.old else "added"
    return Row(action, path, (change.new or change.old or ("", ""))[1])


def is_by(commit: Commit, machine: str) -> bool:
    """Whether a machine made a commit."""
    return commit.email == f"{AUTHOR}{machine}"


class LogTail:
    """A cache of answers about the log, each with the commit up to which the log was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[str, object]] = OrderedDict()
        self._new: tuple[str, str, Sequence[Commit] | None] = ("", "", None)

    def read(
        self,
        git: Git,
        question: Hashable,
        tip: str,
        read: Callable[[], Item],
        add: Callable[[Sequence[Commit], Item], Item] | None = None,
    ) -> Item:
        """The answer at `tip`; `read` computes it, or `add` from the new commits and the last answer."""
        with self._lock:
            last, known = self._known.get(question, ("", None))
        if last == tip:
            answer = cast("Item", known)  # the same question always has the same type of answer
        elif add and last and (new := self._since(git, last, tip)) is not None:
            answer = add(new, cast("Item", known))
        else:
            answer = read()
        with self._lock:
            self._known[question] = (tip, answer)
            self._known.move_to_end(question)
            while len(self._known) > _MOST_QUESTIONS:
                self._known.popitem(last=False)
        return answer

    def _since(self, git: Git, last: str, tip: str) -> Sequence[Commit] | None:
        """The commits after `last`, newest first; None if there are too many or the history is not linear."""
        with self._lock:
            known_last, known_tip, known = self._new
        if (known_last, known_tip) != (last, tip):
            known = _linear_commits(git, last, tip)
            with self._lock:
                self._new = (last, tip, known)
        return known


def _linear_commits(git: Git, last: str, tip: str) -> Sequence[Commit] | None:
    """The commits after `last` up to `tip`; None if there are too many, or the history is not linear."""
    try:
        new = list(walk(git, start=tip, after=last, limit=_MOST_ADDED + 1))
    except GitError:
        return None  # `last` was purged
    if not 0 < len(new) <= _MOST_ADDED:
        return None
    parents = [*(commit.oid for commit in new[1:]), last]
    is_line = all(commit.parents == (parent,) for commit, parent in zip(new, parents, strict=True))
    return new if is_line else None


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
            moves = (self._moved(note_id, each) for each in (versions[-1:] + versions[:1]))
            moved_to = next((place for place in moves if place and f":(literal){place}" not in places), None)
            if moved_to is None:
                break
            places.append(f":(literal){moved_to}")
        # A deleted note may have been in any folder, so git must search them all, which is slow.
        return versions or self._versions((f":(glob)**/{note_id}.md",))

    def _cached(self, question: Hashable, read: _Read[Item], *, limit: int | None = None) -> list[Item]:
        """The answer at the store's commit, which `read` computes from it and the new commits (None: all)."""
        tip = self._git.ref(MAIN)
        if tip is None:
            return []
        return self._tail.read(
            self._git,
            question,
            tip,
            lambda: [*read(tip, None)],
            lambda new, known: [*read(tip, new), *known][:limit],
        )

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        last: dict[str, Row] = {}
        for commit in walk(self._git, places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in _notes(commit, "deleted"):
                last.setdefault(_stem(row.path), row)
        files = self._changed_files([*last.values()])
        return {name: file.title for name, file in zip(last, files, strict=True)}

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        def _read(tip: str, new: Sequence[Commit] | None) -> Iterable[tuple[str, str, Row]]:
            commits = walk(self._git, start=tip, kinds="D") if new is None else new
            return ((each.at, each.machine, row) for each in commits for row in _notes(each, "deleted"))

        last: dict[str, tuple[str, str, Row]] = {}
        for at, machine, row in self._cached("deletions", _read):
            if _stem(row.path) not in present:
                last.setdefault(_stem(row.path), (at, machine, row))
        contents = dict(self._git.blobs({row.blob for *_, row in last.values()}))
        removed: dict[str, RemovedNote] = {}
        for at, machine, row in last.values():
            note = _note_in(contents.get(row.blob, b""))
            if note is not None and note.id not in present:
                removed.setdefault(note.id, RemovedNote(at, machine, note))
        return removed

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
        shown = [(commit, _notes(commit)) for commit in commits]
        files = iter(self._changed_files([row for _, rows in shown for row in rows[:most]]))
        return [(_entry(commit, len(rows)), [*islice(files, len(rows[:most]))]) for commit, rows in shown]

    def _changed_files(self, rows: Sequence[Row]) -> list[ChangedFile]:
        """The files with the ids and titles of notes, which are read in one batch."""
        contents = dict(self._git.blobs({row.blob for row in rows if _is_note(row.path)}))
        notes = ((row, _note_in(contents.get(row.blob, b""))) for row in rows)
        return [
            ChangedFile(row.path, row.action, note.id if note else "", note.title if note else "")
            for row, note in notes
        ]

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its first characters."""
        walked = next(walk(self._git, limit=1, start=checked(commit)))
        return _entry(walked, len(_without_heartbeats(walked.rows)))

    def changed(self, commit: str) -> list[ChangedFile]:
        """The files that one commit changed, notes with their id and title."""
        walked = next(walk(self._git, limit=1, start=checked(commit)))
        return self._changed_files(_without_heartbeats(walked.rows))

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last and that still `exists`, and when it did so."""

        def _read(tip: str, new: Sequence[Commit] | None) -> list[tuple[str, ChangedFile]]:
            # Filter by machine first, so that only its commits are compared with their parents.
            commits = (
                walk(self._git, start=tip, limit=_LAST_COMMITS, kinds="AM", author=machine, places=_NOTES)
                if new is None
                else (commit for commit in new if is_by(commit, machine))
            )
            notes = ((each.at, row) for each in commits for row in _notes(each, "added", "edited"))
            recent = [*islice(notes, _LAST_COMMITS)]
            files = self._changed_files([row for _, row in recent])
            return [(at, file) for (at, _), file in zip(recent, files, strict=True)]

        recent = self._cached(("last", machine), _read, limit=_LAST_COMMITS)
        return next((each for each in recent if exists(each[1].id)), None)

    def head(self) -> str | None:
        """The name of the store's last commit; None if there is none."""
        return self._git.ref(MAIN)

    def since(self, commit: str) -> Sequence[Commit]:
        """The commits after one, newest first; none if the history no longer contains it."""
        try:
            if self._git.ask("merge-base", "--is-ancestor", commit, MAIN).code:
                return ()
            return [*walk(self._git, after=commit, limit=_MOST_NEW)]
        except GitError:
            return ()

    def texts(self) -> Iterator[bytes]:
        """Every version of every file that is reachable from a reference."""
        if self._git.dir.is_dir():
            tips = [each.oid for each in references(self._git).values()]
            yield from (data for _, data in self._git.contents(reachable_blobs(self._git, tips)))

    def blob(self, name: str) -> bytes:
        """The content of a version's `blob`."""
        return self._git.blob(name)

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

    def _moved(self, note_id: str, version: Version) -> str | None:
        """The note's path before the commit that added it here, or after the one that removed it."""
        kind = {"added": "D", "deleted": "A"}.get(version.action)
        if kind is None:
            return None

        def _read() -> str | None:
            walked = walk(self._git, only=[version.commit], kinds=kind)
            others = {row.blob: row.path for commit in walked for row in _notes(commit)}
            ids = ((oid, read_id(data)) for oid, data in self._git.blobs(others))
            return next((others[oid] for oid, known in ids if known == note_id), None)

        question = ("moved", note_id, version.commit, kind)
        return self._tail.read(self._git, question, version.commit, _read)


def _entry(commit: Commit, files: int) -> CommitEntry:
    return CommitEntry(commit.oid, commit.at, commit.machine, commit.message, files)


def _notes(commit: Commit, *actions: Action) -> list[Row]:
    """The notes that a commit changed, if by one of these actions."""
    return [row for row in commit.rows if _is_note(row.path) and (not actions or row.action in actions)]


def _is_note(path: str) -> bool:
    return path.endswith(".md")


def _is_at(path: str, places: Sequence[str]) -> bool:
    """Whether a file is in one of the places: a whole path, or a name in any folder."""
    return f":(literal){path}" in places or f":(glob)**/{path.rpartition('/')[2]}" in places


def _without_heartbeats(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row.path.startswith(f"{MACHINES_FOLDER}/")]


def _note_in(data: bytes) -> Memory | None:
    try:
        return deserialize(decode(data))
    except NoteFormatError:
        return None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
