"""Git's log: commits with the files that each changed, and the versions of notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

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
_MARK = b"\x02anamnesis\x02"
_FORM = f"--format={_MARK.decode()}%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00"


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


class GitHistory(History):
    """The history of the notes in one folder: git's log, and the texts kept on this machine.

    Without a repository, git's part is empty.
    """

    def __init__(self, memory_dir: str | Path, *, kept: UndoTexts | None = None) -> None:
        super().__init__(kept=kept)
        self._git = Git(Path(memory_dir).absolute())

    def _committed(self, note_id: str, path: str | None) -> list[Version]:
        usual = [f"{folder}/{note_id}.md" for folder in TYPES]
        places = [f":(literal){place}" for place in dict.fromkeys([*usual, *([path] if path else [])])]
        versions: list[Version] = []
        for _ in range(_MAX_MOVES):
            versions = [*self._versions(places)]
            moves = (self._moved(note_id, each) for each in (versions[-1:] + versions[:1]))
            moved_to = next((place for place in moves if place and f":(literal){place}" not in places), None)
            if moved_to is None:
                break
            places.append(f":(literal){moved_to}")
        # A deleted note may have been in any folder, so git must search them all, which is slow.
        return versions or [*self._versions([f":(glob)**/{note_id}.md"])]

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        last: dict[str, Row] = {}
        for commit in walk(self._git, places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in _notes(commit, "deleted"):
                last.setdefault(_stem(row.path), row)
        files = self._changed_files([*last.values()])
        return {name: file.title for name, file in zip(last, files, strict=True)}

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[str, str, Row]] = {}
        for each in walk(self._git, kinds="D"):
            for row in _notes(each, "deleted"):
                if _stem(row.path) not in present:
                    last.setdefault(_stem(row.path), (each.at, each.machine, row))
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
        start, more = (checked(before), 1) if before else (None, 0)
        commits = walk(self._git, limit=limit + more, start=start, until=until, places=_LOGGED)
        return self._entries([*commits][more:], most)

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
        # Filter by machine first, so that only its commits are compared with their parents.
        commits = walk(self._git, limit=_LAST_COMMITS, kinds="AM", author=machine, places=_NOTES)
        notes = ((each.at, row) for each in commits for row in _notes(each, "added", "edited"))
        recent = [*islice(notes, _LAST_COMMITS)]
        files = self._changed_files([row for _, row in recent])
        return next(
            ((at, file) for (at, _), file in zip(recent, files, strict=True) if exists(file.id)), None
        )

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
            tips = [oid for _, oid in references(self._git).values()]
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

    def _versions(self, places: list[str]) -> Iterator[Version]:
        if self._git.ref(MAIN) is None:
            return
        for each in walk(self._git, only=self._touching(places)[:_MAX_VERSIONS], places=places):
            rows = [row for row in each.rows if _is_at(row.path, places)]
            if not rows:
                continue
            kept = [row for row in rows if row.action != "deleted"]
            row = (kept or rows)[0]
            action: Action = "moved" if kept and len(rows) > len(kept) else row.action
            yield Version(each.oid, each.at, each.machine, each.message, row.path, action, row.blob)

    def _touching(self, places: list[str]) -> list[str]:
        """The commits that changed a file in one of these places, newest first.

        For a single plain path, git skips most commits with the filters that `Repo.tidy` writes.
        """
        if not (self._git.dir / COMMIT_GRAPH).exists():
            return self._git.line("rev-list", MAIN, "--", *places).split()
        by_place = [self._git.line("rev-list", MAIN, "--", place).split() for place in places]
        nonempty = [commits for commits in by_place if commits]
        if len(nonempty) < 2:
            return nonempty[0] if nonempty else []
        wanted = set().union(*nonempty)
        return [commit for commit in self._git.line("rev-list", MAIN).split() if commit in wanted]

    def _moved(self, note_id: str, version: Version) -> str | None:
        """The note's path before the commit that added it here, or after the one that removed it."""
        kind = {"added": "D", "deleted": "A"}.get(version.action)
        if kind is None:
            return None
        walked = walk(self._git, only=[version.commit], kinds=kind)
        others = {row.blob: row.path for commit in walked for row in _notes(commit)}
        ids = ((oid, read_id(data)) for oid, data in self._git.blobs(others))
        return next((others[oid] for oid, known in ids if known == note_id), None)


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
