"""Git's log: the subjects of our commits, so that it reads like a diary, and the versions of notes in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from posixpath import basename

from anamnesis.errors import GitError, NoteFormatError
from anamnesis.git import AUTHOR, Edits, Git, author_machine
from anamnesis.git.objects import Change, parsed_changes, reachable_blobs, references
from anamnesis.history import Action, ChangedFile, Commit, History, RemovedNote, Row, Version, checked
from anamnesis.layout import MACHINES_FOLDER, MAIN, RECORD_FOLDERS
from anamnesis.notes.record import Memory, decode, deserialize
from anamnesis.notes.vocabulary import TYPES, read_id, seconds_of
from anamnesis.sync.merge import title_of
from anamnesis.undo import UndoTexts

_MOST_NAMED = 4
_MAX_TITLE = 60
_LAST_COMMITS = 10  # of a machine that are searched for a note that still exists
_MOST_NEW = 500  # commits after one that are returned
_LOGGED = (".", f":(exclude){MACHINES_FOLDER}")  # heartbeats are shown by `fleet`
_MARK = b"\x02anamnesis\x02"
_FORM = f"--format={_MARK.decode()}%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00"


def subject(edits: Edits, known: Mapping[str, str], *, read: Callable[[str | None], bytes | None]) -> str:
    """What a commit changes; `known` are the blobs of the files that existed before, `read` reads one."""
    if all(path.startswith(f"{MACHINES_FOLDER}/") for path in edits):
        return "heartbeat"
    paths = [path for path in edits if path.partition("/")[0] not in RECORD_FOLDERS] or list(edits)
    new = {path for path in paths if path not in known}
    changes = _verbs(paths, new=new, gone={path for path in paths if edits[path] is None})
    groups: dict[str, list[str]] = {}
    for verb, path in changes[:_MOST_NAMED]:
        value = edits[path]
        data = value if isinstance(value, bytes) else read(value[1] if value else known.get(path))
        groups.setdefault(verb, []).append(quoted(title_of(data)) or _line(path))
    rest = len(changes) - _MOST_NAMED
    parts = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items())
    return f"{parts}{f' and {rest} more' if rest > 0 else ''}"


def _verbs(paths: Collection[str], *, new: Collection[str], gone: Collection[str]) -> list[tuple[str, str]]:
    """What happened to each file, added ones first, deleted ones last; a moved file counts as edited."""
    came, left = {basename(path) for path in new}, {basename(path) for path in gone}
    added = [path for path in paths if path in new and basename(path) not in left]
    edited = [path for path in paths if path not in gone and (path not in new or basename(path) in left)]
    deleted = [path for path in paths if path in gone and basename(path) not in came]
    return [
        *(("session" if path.startswith("episodic/") else "added", path) for path in added),
        *(("edited", path) for path in edited),
        *(("deleted", path) for path in deleted),
    ]


def quoted(title: str) -> str:
    """A title quoted for a subject; "" if there is none."""
    line = _line(title)
    shortened = f"{line[: _MAX_TITLE - 3]}..." if len(line) > _MAX_TITLE else line
    return f"'{shortened}'" if shortened else ""


def _line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def walk(
    git: Git, *options: str, start: str = MAIN, places: Iterable[str] = (), only: Sequence[str] = ()
) -> Iterator[Commit]:
    """The commits that `git log` lists with these options, newest first; with `only`, exactly these."""
    if git.ref(MAIN) is None:
        return
    span = ("--no-walk=unsorted", "--stdin") if only else (start,)
    named = "".join(f"{commit}\n" for commit in only).encode()
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    out = git.run(*order, *options, *span, "--", *places, stdin=named)
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
        places = [*(f"{folder}/{note_id}.md" for folder in TYPES), *([path] if path else [])]
        versions = [*self._versions(places)]
        # The note may have been in other places before the first of these versions, or after the last.
        while moved_to := next(self._moves(note_id, versions, places), None):
            places.append(moved_to)
            versions = [*self._versions(places)]
        return versions or [*self._versions([f"**/{note_id}.md"])]

    def _versions(self, places: Sequence[str]) -> Iterator[Version]:
        specs = [f":({'glob' if '*' in place else 'literal'}){place}" for place in dict.fromkeys(places)]
        commits = self._touching(specs)
        for each in walk(self._git, only=commits, places=specs) if commits else ():
            kept = [row for row in each.rows if row.action != "deleted"]
            row = (kept or each.rows)[0]
            action: Action = "moved" if kept and len(each.rows) > len(kept) else row.action
            yield Version(each.oid, each.at, each.machine, each.message, row.path, action, row.blob)

    def _touching(self, specs: Sequence[str]) -> list[str]:
        """The commits that changed a file in one of these places, newest first.

        For a single plain path, git skips most commits with the filters that `Repo.tidy` writes.
        """
        if self._git.ref(MAIN) is None:
            return []
        by_place = [self._git.line("rev-list", MAIN, "--", spec).split() for spec in specs]
        nonempty = [commits for commits in by_place if commits]
        if len(nonempty) < 2:
            return nonempty[0] if nonempty else []
        wanted = set().union(*nonempty)
        return [commit for commit in self._git.line("rev-list", MAIN).split() if commit in wanted]

    def _moves(self, note_id: str, versions: Sequence[Version], places: Sequence[str]) -> Iterator[str]:
        """Where else the note was: before the commit that added it here, or after the one that removed it."""
        for version in (*versions[-1:], *versions[:1]):
            kind = {"added": "D", "deleted": "A"}.get(version.action)
            walked = walk(self._git, f"--diff-filter={kind}", only=[version.commit]) if kind else ()
            others = {row.blob: row.path for commit in walked for row in commit.notes}
            ids = ((others[oid], read_id(data)) for oid, data in self._git.blobs(others))
            yield from (path for path, known in ids if known == note_id and path not in places)

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[Commit, Row]] = {}
        for commit in walk(self._git, "--diff-filter=D"):
            for row in commit.notes:
                if basename(row.path).removesuffix(".md") not in present:
                    last.setdefault(row.path, (commit, row))
        contents = dict(self._git.blobs({row.blob for _, row in last.values()}))
        removed: dict[str, RemovedNote] = {}
        for commit, row in last.values():
            note = _note_in(contents[row.blob])
            if note is not None and note.id not in present:
                removed.setdefault(note.id, RemovedNote(commit.at, commit.machine, note))
        return removed

    def log(
        self, *, limit: int, before: str | None = None, most: int
    ) -> list[tuple[Commit, list[ChangedFile]]]:
        """The commits, newest first, each with the first `most` notes it changed."""
        more = 1 if before else 0
        walked = walk(
            self._git, f"-{limit + more}", start=checked(before) if before else MAIN, places=_LOGGED
        )
        commits = [*walked][more:]
        files = iter(self._changed_files([row for commit in commits for row in commit.notes[:most]]))
        return [(commit, [*islice(files, len(commit.notes[:most]))]) for commit in commits]

    def _changed_files(self, rows: Sequence[Row]) -> list[ChangedFile]:
        """The files with the ids and titles of notes, which are read in one batch."""
        contents = dict(self._git.blobs({row.blob for row in rows}))
        notes = ((row, _note_in(contents[row.blob])) for row in rows)
        return [
            ChangedFile(row.path, row.action, note.id if note else "", note.title if note else "")
            for row, note in notes
        ]

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last and that still `exists`, and when it did so."""
        # Filter by machine first, so that only its commits are compared with their parents.
        mine = ("--fixed-strings", f"--author=<{AUTHOR}{machine}>")
        commits = walk(self._git, f"-{_LAST_COMMITS}", "--diff-filter=AM", *mine, places=["*.md"])
        recent = [*islice(((each.at, row) for each in commits for row in each.notes), _LAST_COMMITS)]
        files = self._changed_files([row for _, row in recent])
        known = ((at, file) for (at, _), file in zip(recent, files, strict=True) if exists(file.id))
        return next(known, None)

    def head(self) -> str | None:
        """The name of the store's last commit; None if there is none."""
        return self._git.ref(MAIN)

    def since(self, commit: str) -> Sequence[Commit]:
        """The commits after one, newest first; none if the history no longer contains it."""
        try:
            if self._git.ask("merge-base", "--is-ancestor", commit, MAIN).code:
                return ()
            return [*walk(self._git, f"-{_MOST_NEW}", f"^{commit}")]
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
            commits = [*walk(self._git, "--diff-filter=A")]
        except GitError:
            return {}
        # Newest first, so that the first writer is the last one here.
        return {
            row.path: commit.email.removeprefix(AUTHOR) if commit.email.startswith(AUTHOR) else ""
            for commit in commits
            for row in commit.rows
        }


def _note_in(data: bytes) -> Memory | None:
    try:
        return deserialize(decode(data))
    except NoteFormatError:
        return None
