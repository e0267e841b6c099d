"""Reads a repository in bulk: references, reachable blobs, raw commits, changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from anamnesis.git import WAIT, Git

# A change in the output of `--raw -z`, after the name of its commit if it is the first one of it.
_RAW = re.compile(rb"(?:([0-9a-f]{40,64})\0)?:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\0([^\0]+)\0")
Entry = tuple[str, str]  # mode, object


class RawCommit(NamedTuple):
    """A commit as git stores it."""

    oid: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    message: bytes


class Change(NamedTuple):
    """How one path changed between two trees; None for "no file"."""

    path: str
    old: Entry | None
    new: Entry | None


def references(git: Git) -> dict[str, Entry]:
    """Every reference, by name: kind and name of its object; for an annotated tag, of what it tags."""
    form = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"
    rows = git.run("for-each-ref", form).decode("utf-8", "surrogateescape").splitlines()
    parts = (row.split("\0") for row in rows)
    return {name: (peeled_kind or kind, peeled or oid) for name, kind, oid, peeled_kind, peeled in parts}


def reachable(git: Git, tips: Iterable[str], *options: str) -> list[str]:
    """What `git rev-list` names for these objects: the commits that are reachable from them."""
    order = "".join(f"{oid}\n" for oid in dict.fromkeys(tips)).encode()
    listed = git.run("rev-list", *options, "--stdin", stdin=order, silence=WAIT) if order else b""
    return listed.decode().split()


def reachable_blobs(git: Git, tips: Iterable[str]) -> list[str]:
    """The blobs that are reachable from the given objects."""
    listed = "\n".join(reachable(git, tips, "--objects", "--no-object-names")).encode()
    form = "--batch-check=%(objecttype) %(objectname)"
    rows = git.run("cat-file", form, "--buffer", stdin=listed, silence=WAIT).decode().splitlines()
    return [row.removeprefix("blob ") for row in rows if row.startswith("blob ")]


def all_objects(git: Git) -> list[str]:
    """Every object of the repository, reachable or not."""
    form = "--batch-check=%(objectname)"
    return git.run("cat-file", form, "--batch-all-objects", "--buffer", silence=WAIT).decode().split()


def commits(git: Git, tips: Iterable[str]) -> list[RawCommit]:
    """The commits that are reachable from the given ones, parents first."""
    listed = reachable(git, tips, "--topo-order", "--reverse")
    return [_parse(oid, data) for oid, data in git.contents(listed)]


def _parse(oid: str, data: bytes) -> RawCommit:
    head, _, message = data.partition(b"\n\n")
    lines = [line.partition(b" ") for line in head.split(b"\n")]
    parents = tuple(value.decode() for key, _, value in lines if key == b"parent")
    fields = {key: value for key, _, value in lines}
    return RawCommit(oid, parents, fields.get(b"author", b""), fields.get(b"committer", b""), message)


def changes(git: Git, history: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, list[Change]]:
    """What commits (name and parents) changed against their first parents; a first commit, everything."""
    order = "".join(f"{' '.join((oid, *parents[:1]))}\n" for oid, parents in history).encode()
    command = ("diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    changed: dict[str, list[Change]] = {}
    for oid, change in parsed_changes(git.run(*command, stdin=order, silence=WAIT) if order else b""):
        changed.setdefault(oid, []).append(change)
    return changed


def parsed_changes(raw: bytes) -> Iterator[tuple[str, Change]]:
    """The changes in the output of `--raw -z`, each with the commit named before it ("" if none is)."""
    commit = ""
    for heading, mode, new_mode, oid, new_oid, path in _RAW.findall(raw):
        commit = heading.decode() or commit
        name = path.decode("utf-8", "surrogateescape")
        yield commit, Change(name, _entry(mode, oid), _entry(new_mode, new_oid))


def _entry(mode: bytes, oid: bytes) -> Entry | None:
    return None if mode == b"000000" else (mode.decode(), oid.decode())
