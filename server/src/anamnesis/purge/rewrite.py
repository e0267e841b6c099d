"""Rewrites the history without purged content: every machine gets the same commits from the same ones.

Authors, dates, order and parents stay. A commit that had a removed version gets a neutral subject, because
subjects name notes. Other messages may name a removed note too: `git stash` and `git commit --fixup` repeat
the subject of the commit before, and people write what they like. So the titles of removed notes are cut out
of all messages, tags and git's own notes. Commits before the first changed one keep their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from anamnesis.errors import NoteFormatError
from anamnesis.git import Git, quoted_path
from anamnesis.git.objects import Change, RawCommit, changes, commits, reachable_blobs
from anamnesis.layout import OWN_FOLDER, PURGING
from anamnesis.notes.record import decode, parse
from anamnesis.purge import REMOVED, SHORTEST, Scrubber, is_record

_SUBJECT = b"anamnesis: rewritten by a purge\n"
_PERSON = re.compile(rb"[^<>\n\0]*<[^<>\n\0]*> \d+ [+-]\d+")
_MARKS = "purge.marks"
_WAIT = 3600.0
_PARENT_WORDS = (b"from", *[b"merge"] * 15)  # for the first parent, and for the others
_SHOWN = 57  # characters of a long title that a subject includes
_QUOTES = "'\"`‘’“”«»「」"
_LETTER = "[A-Za-z0-9]"  # other scripts do not separate words


@dataclass(slots=True)
class Rewritten:
    """Old objects and their new names (None if removed); digests of the files that changed."""

    commits: dict[str, str] = field(default_factory=dict)
    blobs: dict[str, str | None] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    dropped: dict[str, bytes] = field(default_factory=dict)  # versions of removed notes
    titles: Titles = field(default_factory=lambda: Titles(()))  # of all of them

    def name(self, oid: str) -> str | None:
        """The object that replaces this one; the object itself if it stays."""
        if oid in self.blobs:
            return self.blobs[oid]
        return self.commits.get(oid, oid)


@dataclass(slots=True)
class _Orders:
    """A `git fast-import` stream; marks number the objects that it creates."""

    parts: list[bytes] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)  # old object -> mark

    def mark(self, oid: str) -> int:
        """The mark of the object that replaces this one."""
        return self.marks.setdefault(oid, len(self.marks) + 1)

    def add_blob(self, oid: str, data: bytes) -> None:
        """Create a blob of `data` that replaces another."""
        self.parts.append(b"blob\nmark :%d\ndata %d\n%s\n" % (self.mark(oid), len(data), data))

    def name(self, oid: str) -> str:
        """The name in the stream for the object that replaces this one."""
        return f":{self.marks[oid]}" if oid in self.marks else oid


class _Past:
    """Which titles to cut out of a commit's message: those that removed notes have in its own history.

    Other commits and this machine's knowledge must not matter, so that every machine rewrites a commit
    identically.
    """

    def __init__(self, result: Rewritten) -> None:
        self._dropped = result.dropped
        self._versions: dict[str, frozenset[str]] = {}  # titles of removed notes, up to each commit
        self._titles: dict[frozenset[str], Titles] = {}

    def titles(self, commit: RawCommit, changed: Iterable[Change]) -> Titles:
        """The titles up to this commit; must be called for its parents first."""
        found = frozenset().union(*(self._versions.get(parent, frozenset()) for parent in commit.parents))
        added = {change.new[1] for change in changed if change.new and change.new[1] in self._dropped} - found
        if len(commit.parents) == 1 and not added:
            found = self._versions.get(commit.parents[0], found)  # one object for a line of commits
        versions = self._versions[commit.oid] = found | added if added else found
        if versions not in self._titles:
            self._titles[versions] = Titles(self._dropped[each] for each in versions)
        return self._titles[versions]


def rewrite(
    git: Git,
    tips: Collection[str],
    blobs: Iterable[str],
    scrubber: Scrubber,
    *,
    own: Collection[str] = (),
    git_notes: Collection[str] = (),
) -> Rewritten:
    """Rewrite the history of `tips`, and unreachable `blobs`; does not move references.

    The commits in `own` never leave this machine. `git_notes` are the tips of git's own notes (remarks on
    commits).
    """
    orders, result = _Orders(), Rewritten()
    for oid, data in git.contents(dict.fromkeys([*reachable_blobs(git, tips), *blobs])):
        _rewrite_blob(orders, result, oid, data, scrubber)
    result.titles = Titles(result.dropped.values())
    for oid, data in git.contents(reachable_blobs(git, git_notes)):
        if oid not in result.blobs and (clean := result.titles.cut(data)) is not data:
            result.blobs[oid] = oid
            orders.add_blob(oid, clean)
    history = commits(git, tips)
    changed = changes(git, ((each.oid, each.parents) for each in history))
    past = _Past(result)
    for commit in history:
        titles = past.titles(commit, changed.get(commit.oid, []))
        titles = result.titles if commit.oid in own else titles
        _rewrite_commit(orders, result, commit, changed.get(commit.oid, []), scrubber, titles)
    if orders.parts:
        names = _import(git, orders)
        for oid, mark in orders.marks.items():
            target: dict[str, str | None] | dict[str, str] = (
                result.blobs if oid in result.blobs else result.commits
            )
            target[oid] = names[mark]
    return result


def _rewrite_blob(orders: _Orders, result: Rewritten, oid: str, data: bytes, scrubber: Scrubber) -> None:
    if scrubber.drops_text(data):
        result.blobs[oid] = None
        result.dropped[oid] = data
    elif (clean := scrubber.scrub(data)) is not data:
        result.blobs[oid] = oid
        orders.add_blob(oid, clean)
    else:
        return
    result.versions.add(sha256(data).hexdigest())


def _rewrite_commit(
    orders: _Orders,
    result: Rewritten,
    commit: RawCommit,
    changed: list[Change],
    scrubber: Scrubber,
    titles: Titles,
) -> None:
    touched = any(_is_touched(change, result.blobs, scrubber) for change in changed)
    message = _SUBJECT if touched else titles.cut(scrubber.scrub(commit.message))
    people = [_scrub_person(person, scrubber) for person in (commit.author, commit.committer)]
    is_same = message is commit.message and people == [commit.author, commit.committer]
    if is_same and not any(parent in orders.marks for parent in commit.parents):
        return
    parents = [orders.name(parent) for parent in commit.parents]
    parts = [
        b"commit %s\nmark :%d\n" % (PURGING.encode(), orders.mark(commit.oid)),
        b"author %s\ncommitter %s\n" % (people[0], people[1]),
        b"data %d\n%s\n" % (len(message), message),
        *(b"%s %s\n" % (word, name.encode()) for word, name in zip(_PARENT_WORDS, parents, strict=False)),
        b"".join(_edit(change, orders, result.blobs, scrubber) for change in changed),
        b"\n",
    ]
    # Without `from`, git would use the previous commit in the stream as the parent.
    if not parents:
        parts.insert(0, b"reset %s\n" % PURGING.encode())
    orders.parts += parts


def _is_touched(change: Change, blobs: Mapping[str, str | None], scrubber: Scrubber) -> bool:
    if is_record(change.path):
        return False
    is_named = scrubber.drops(change.path) or scrubber.scrub_path(change.path) != change.path
    return is_named or any(entry and entry[1] in blobs for entry in (change.old, change.new))


def _edit(change: Change, orders: _Orders, blobs: Mapping[str, str | None], scrubber: Scrubber) -> bytes:
    """One change rewritten: unchanged, with another text, or as a removal."""
    if not _is_importable(change.path):
        return b""
    path = quoted_path(scrubber.scrub_path(change.path))
    is_kept = is_record(change.path)
    if change.new is None or (
        not is_kept and (scrubber.drops(change.path) or blobs.get(change.new[1], "") is None)
    ):
        return b"D %s\n" % path
    mode, oid = change.new
    name = oid if is_kept else orders.name(oid)
    return b"M %s %s %s\n" % (mode.encode(), name.encode(), path)


def _scrub_person(person: bytes, scrubber: Scrubber) -> bytes:
    clean = scrubber.scrub(person)
    return clean if _PERSON.fullmatch(clean) else person


def _is_importable(path: str) -> bool:
    """Whether git accepts the path in a commit; paths it refuses are never written to files either."""
    return not any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/"))


def _import(git: Git, orders: _Orders) -> dict[int, str]:
    marks = git.dir / OWN_FOLDER / _MARKS
    options = ("--date-format=raw-permissive", f"--export-marks={marks}")
    git.fast_import(b"".join(orders.parts), *options, silence=_WAIT)
    rows = (line.split() for line in marks.read_text().splitlines())
    names = {int(mark.removeprefix(":")): oid for mark, oid in rows}
    marks.unlink()
    git.ask("update-ref", "-d", PURGING)
    return names


class Titles:
    """Cuts the titles of these versions of notes out of messages, in upper or lower case, wrapped or not."""

    def __init__(self, versions: Iterable[bytes]) -> None:
        lines = {" ".join(title.split()) for data in versions if (title := _title(data))}
        shown = {line[:_SHOWN].rstrip() for line in lines if len(line) > _SHOWN}
        forms = sorted(lines | shown, key=lambda line: (-len(line), line))
        self._pattern = re.compile("|".join(map(_form, forms)), re.IGNORECASE) if forms else None

    def cut(self, data: bytes) -> bytes:
        """The bytes with every title replaced; the same object when there is none."""
        if self._pattern is None:
            return data
        text, count = self._pattern.subn(REMOVED, data.decode("utf-8", "surrogateescape"))
        return text.encode("utf-8", "surrogateescape") if count else data


def _form(line: str) -> str:
    words = r"\s+".join(map(re.escape, line.split()))
    if len(line) < SHORTEST and line.isascii():
        # A short word is recognised as a title only in quotes, as in our subjects.
        return f"(?<=[{_QUOTES}]){words}(?=[{_QUOTES}])"
    before = f"(?<!{_LETTER})" if re.match(_LETTER, line) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, line[-1]) and len(line) != _SHOWN else ""
    return f"{before}{words}{after}"


def _title(data: bytes) -> str:
    try:
        return parse(decode(data))[0].title.strip()
    except NoteFormatError:
        return ""
