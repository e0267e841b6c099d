"""Git's log: the subjects of our commits, so that it reads like a diary, and the versions of notes in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from posixpath import basename

from anamnesis.errors import GitError
from anamnesis.git import AUTHOR, Edits, Git, author_machine
from anamnesis.git.objects import Change, parsed_changes, reachable_blobs, references
from anamnesis.history import Action, ChangedFile, Commit, History, RemovedNote, Version, checked
from anamnesis.layout import MACHINES_FOLDER, MAIN, RECORD_FOLDERS
from anamnesis.notes.vocabulary import TYPES, seconds_of, timestamp
from anamnesis.sync.merge import title_of
from anamnesis.sync.waiting import note_in
from anamnesis.undo import UndoTexts

_MOST_NAMED = 4
_MAX_TITLE = 60
_LAST_COMMITS = 10  # of a machine that are searched for a note that still exists
_MOST_NEW = 500  # commits after one that are returned
_LOGGED = (".", f":(exclude){MACHINES_FOLDER}")  # heartbeats are shown by `fleet`
_MARK = b"\x02anamnesis\x02"
_FORM = f"--format={_MARK.decode()}%H%x00%ct%x00%an%x00%ae%x00%s%x00"


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
    if start == MAIN and git.ref(MAIN) is None:
        return
    span = ("--no-walk=unsorted", "--stdin") if only else (start,)
    named = "".join(f"{commit}\n" for commit in only).encode()
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    out = git.run(*order, *options, *span, "--", *places, stdin=named)
    for part in out.split(_MARK)[1:]:
        *fields, rest = part.split(b"\0", 5)
        oid, seconds, name, email, message = (field.decode("utf-8", "replace") for field in fields)
        files = tuple(_file(change) for _, change in parsed_changes(rest))
        is_ours, at = email.startswith(AUTHOR), timestamp(seconds_of(seconds))
        yield Commit(oid, at, author_machine(name, email), is_ours, message, files)


def _file(change: Change) -> ChangedFile:
    path = change.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    action: Action = "deleted" if change.new is None else "edited" if change.old else "added"
    return ChangedFile(action, path, (change.new or change.old or ("", ""))[1])


class GitHistory(History):
    """The history of the notes in one folder: git's log, and the texts kept on this machine.

    Without a repository, git's part is empty.
    """

    def __init__(self, memory_dir: str | Path, *, kept: UndoTexts | None = None) -> None:
        super().__init__(kept=kept)
        self._git = Git(Path(memory_dir).absolute())

    def _committed(self, note_id: str, path: str | None) -> list[Version]:
        names = {f"{note_id}.md", basename(path or f"{note_id}.md")}
        places = {*(f"{folder}/{name}" for name in names for folder in TYPES), *filter(None, [path])}
        specs = [f":(literal){place}" for place in sorted(places)]
        commits = self._touching(specs)
        if not commits:  # in a folder that the user made
            specs = [f":(glob)**/{note_id}.md"]
            commits = self._touching(specs)
        return [_version(each) for each in walk(self._git, only=commits, places=specs)] if commits else []

    def _touching(self, specs: Sequence[str]) -> list[str]:
        """The commits that changed a file in one of these places, newest first.

        For a single plain path, git skips most commits with the filters that `Repo.tidy` writes.
        """
        if self._git.ref(MAIN) is None:
            return []
        wanted = {each for spec in specs for each in self._git.line("rev-list", MAIN, "--", spec).split()}
        return [each for each in self._git.line("rev-list", MAIN).split() if each in wanted] if wanted else []

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[Commit, str]] = {}
        for commit in walk(self._git, "--diff-filter=D"):
            for file in commit.notes:
                if basename(file.path).removesuffix(".md") not in present:
                    last.setdefault(file.path, (commit, file.blob))
        contents = dict(self._git.blobs({blob for _, blob in last.values()}))
        removed: dict[str, RemovedNote] = {}
        for commit, blob in last.values():
            note = note_in(contents[blob])
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
        files = iter(self._named([file for commit in commits for file in commit.notes[:most]]))
        return [(commit, [*islice(files, len(commit.notes[:most]))]) for commit in commits]

    def _named(self, files: Sequence[ChangedFile]) -> Iterator[ChangedFile]:
        """The files with the ids and titles of notes, which are read in one batch."""
        contents = dict(self._git.blobs({file.blob for file in files}))
        for file in files:
            note = note_in(contents[file.blob])
            yield replace(file, id=note.id, title=note.title) if note else file

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last and that still `exists`, and when it did so."""
        # Filter by machine first, so that only its commits are compared with their parents.
        mine = ("--fixed-strings", f"--author=<{AUTHOR}{machine}>")
        for commit in walk(self._git, f"-{_LAST_COMMITS}", "--diff-filter=AM", *mine, places=["*.md"]):
            for file in self._named(commit.notes):
                if exists(file.id):
                    return commit.at, file
        return None

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
            file.path: commit.machine if commit.is_ours else "" for commit in commits for file in commit.files
        }


def _version(commit: Commit) -> Version:
    kept = [file for file in commit.files if file.action != "deleted"]
    file = (kept or commit.files)[0]
    action: Action = "moved" if kept and len(commit.files) > len(kept) else file.action
    return Version(commit.oid, commit.at, commit.machine, commit.message, file.path, action, file.blob)
