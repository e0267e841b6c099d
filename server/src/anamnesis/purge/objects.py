"""Reads a repository's objects in bulk: reachable blobs, raw commits, changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from anamnesis.git import Git

_AT_ONCE = 1000
_WAIT = 3600.0  # seconds; walking a long history prints nothing until the end
_RAW = re.compile(rb":(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\0([^\0]+)\0")
_HEADING = re.compile(rb"([0-9a-f]{40,64})\0")


class RawCommit(NamedTuple):
    """A commit as git stores it."""

    oid: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    message: bytes


class RawChange(NamedTuple):
    """What a commit did to one path, against its first parent; mode 000000 means "no file"."""

    path: str
    old: str
    mode: str
    new: str


def references(git: Git) -> dict[str, tuple[str, str]]:
    """Every reference, with its object and that object's type; a tag counts as the object it tags."""
    form = "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)"
    found: dict[str, tuple[str, str]] = {}
    for line in git.run("for-each-ref", form).decode("utf-8", "surrogateescape").splitlines():
        name, oid, kind, peeled, peeled_kind = line.split("\0")
        found[name] = (peeled, peeled_kind) if peeled else (oid, kind)
    return found


def annotated_tags(git: Git) -> dict[str, str]:
    """The annotated tags, which have a message, by reference."""
    form = "--format=%(objecttype)%00%(objectname)%00%(refname)"
    lines = git.run("for-each-ref", form).decode("utf-8", "surrogateescape").splitlines()
    rows = (line.split("\0") for line in lines)
    return {name: oid for kind, oid, name in rows if kind == "tag"}


def reachable_blobs(git: Git, tips: Iterable[str]) -> list[str]:
    """The blobs that are reachable from the given objects."""
    order = "".join(f"{oid}\n" for oid in dict.fromkeys(tips)).encode()
    if not order:
        return []
    listed = git.run("rev-list", "--objects", "--no-object-names", "--stdin", stdin=order, silence=_WAIT)
    form = "--batch-check=%(objecttype) %(objectname)"
    rows = git.run("cat-file", form, "--buffer", stdin=listed, silence=_WAIT).decode().splitlines()
    return [row.removeprefix("blob ") for row in rows if row.startswith("blob ")]


def all_objects(git: Git) -> list[str]:
    """Every object of the repository, reachable or not."""
    form = "--batch-check=%(objectname)"
    return git.run("cat-file", form, "--batch-all-objects", "--buffer", silence=_WAIT).decode().split()


def contents(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The content of objects of any type; missing ones are skipped."""
    wanted = list(oids)
    for start in range(0, len(wanted), _AT_ONCE):
        order = "".join(f"{oid}\n" for oid in wanted[start : start + _AT_ONCE]).encode()
        yield from _read_batch(git.run("cat-file", "--batch", "--buffer", stdin=order, silence=_WAIT))


def _read_batch(out: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        header = out[at:end].split()
        at = end + 1
        if len(header) == 3:
            size = int(header[2])
            yield header[0].decode(), out[at : at + size]
            at += size + 1


def commits(git: Git, tips: Iterable[str]) -> list[RawCommit]:
    """The commits that are reachable from the given ones, parents first."""
    order = "".join(f"{oid}\n" for oid in dict.fromkeys(tips)).encode()
    if not order:
        return []
    listed = git.run("rev-list", "--topo-order", "--reverse", "--stdin", stdin=order, silence=_WAIT)
    return [_parse(oid, data) for oid, data in contents(git, listed.decode().split())]


def commits_beside(git: Git, tips: Iterable[str], others: Iterable[str]) -> set[str]:
    """The commits reachable from `tips` but not from `others`."""
    order = "".join([*(f"{oid}\n" for oid in tips), *(f"^{oid}\n" for oid in others)]).encode()
    return (
        set(git.run("rev-list", "--stdin", stdin=order, silence=_WAIT).decode().split()) if order else set()
    )


def _parse(oid: str, data: bytes) -> RawCommit:
    head, _, message = data.partition(b"\n\n")
    lines = [line.partition(b" ") for line in head.split(b"\n")]
    parents = tuple(value.decode() for key, _, value in lines if key == b"parent")
    fields = {key: value for key, _, value in lines}
    return RawCommit(oid, parents, fields.get(b"author", b""), fields.get(b"committer", b""), message)


def changes(git: Git, found: Iterable[RawCommit]) -> dict[str, list[RawChange]]:
    """What each commit changed against its first parent; a first commit changed everything."""
    order = "".join(f"{' '.join((each.oid, *each.parents[:1]))}\n" for each in found).encode()
    command = ("diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    out = git.run(*command, stdin=order, silence=_WAIT) if order else b""
    result: dict[str, list[RawChange]] = {}
    rows: list[RawChange] = []
    at = 0
    while at < len(out):
        if heading := _HEADING.match(out, at):
            rows = result.setdefault(heading[1].decode(), [])
            at = heading.end()
        elif row := _RAW.match(out, at):
            path = row[5].decode("utf-8", "surrogateescape")
            rows.append(RawChange(path, row[3].decode(), row[2].decode(), row[4].decode()))
            at = row.end()
        else:
            at += 1
    return result
