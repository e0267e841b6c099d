"""The git repository of a store: references, trees, commits, and building new commits.

Never reads or writes a file of the work tree; `worktree` does that.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from anamnesis.address import split_login
from anamnesis.errors import GitError
from anamnesis.files import make_folder, read_regular, read_text, write_atomic
from anamnesis.git import AUTHOR, COMMIT_GRAPH, OUR_NAME, Git, is_oid, machine_name, quoted_path
from anamnesis.git.objects import Change, Entry, parsed_changes
from anamnesis.layout import BRANCH, BUILT, MAIN, OWN_FOLDER, OWN_REFS, TRACKING

FILE_MODE = "100644"
REGULAR_MODES = frozenset((FILE_MODE, "100755"))
_HEAD = f"ref: {MAIN}\n"
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_OLD_SECONDS = 3600.0
_GRAPH_EVERY = 16  # syncs
_GRAPH_COMPARED = 20_000_000  # tree entries, about six seconds of work
_ENTRY_BYTES = 100  # of git's index per note
_LOOSE_LIMIT = 20  # loose objects in one of 256 folders: about 5,000 in all
_PACK_BYTES = 32_000_000  # of input for one `fast-import`
_FORM = ("--date=raw", "--format=%H%x00%P%x00%an <%ae> %ad%x00%B")  # the fields of a Commit
PACKED_REF = re.compile(
    rb"(?:# pack-refs [^\n\0]*|\^[0-9a-f]{40,64}|[0-9a-f]{40,64} refs/[^\s\0~^:?*\[\\]+)\n"
)
_ORIGIN = re.compile(r'^\s*\[\s*remote\s+"origin"\s*\](.*(?:\n(?!\s*\[).*)*)', re.IGNORECASE | re.MULTILINE)
# For the user's own `git status` and `git add` in the folder; sync itself does not use them.
_ATTRIBUTES = b"* -text -filter -ident -working-tree-encoding -eol -merge\n"
_EXCLUDE = b"# Files that anamnesis does not sync.\n.*\n*~\n\\#*\\#\n*.sw[a-p]\n*.tmp\n*.lock\nThumbs.db\n"


class Commit(NamedTuple):
    """One commit, with what is needed to recreate it on another parent."""

    oid: str
    parents: tuple[str, ...]
    author: str  # in git's format: name, address, seconds, zone
    message: str


class Step(NamedTuple):
    """One commit to build: `edits` are applied to `tree`; None removes a file."""

    tree: str
    edits: dict[str, Entry | bytes | None]
    message: str
    author: str = ""


class Repo:
    """The repository of a store, and the machine that writes to it."""

    def __init__(self, folder: Path, *, machine_id: str) -> None:
        self.machine = machine_name(machine_id)
        self.git = Git(folder, email=f"{AUTHOR}{self.machine}")
        self.folder = folder
        self._bases: dict[frozenset[str], str | None] = {}  # never stale, because commits do not change

    @property
    def own(self) -> Path:
        """The folder for sync's own small files, inside the repository."""
        return self.git.dir / OWN_FOLDER

    def exists(self) -> bool:
        """Whether there is a repository."""
        has_folders = all((self.git.dir / name).is_dir() for name in ("objects", "refs"))
        return has_folders and (self.git.dir / "config").is_file()

    def has_readable_refs(self) -> bool:
        """Whether git can read every line of `packed-refs`."""
        return all(map(PACKED_REF.fullmatch, self.packed_refs()))

    def packed_refs(self) -> list[bytes]:
        """The lines of `packed-refs`; none if it cannot be read."""
        try:
            return read_regular(self.git.dir / "packed-refs", follow=True).splitlines(keepends=True)
        except OSError:
            return []

    def create(self) -> None:
        """Create the repository; missing parts of an existing one are added, and nothing is removed."""
        make_folder(self.folder)
        self.git.run("init", "--quiet", "--template=", "--object-format=sha1", f"--initial-branch={BRANCH}")
        self._fill("exclude", _EXCLUDE)
        self.forbid_filters()

    def forbid_filters(self) -> None:
        """Override attributes in the repository that would change a note's bytes or run a program."""
        self._fill("attributes", _ATTRIBUTES)

    def _fill(self, name: str, content: bytes) -> None:
        path = self.git.dir / "info" / name
        if not path.is_dir() and (not path.is_file() or path.read_bytes() != content):
            write_atomic(path, content)

    def set_remote(self, url: str) -> None:
        """Make `origin` mean only `url`: no other push address, no helper program.

        A password in `url` is not stored; callers pass it to git with each command.
        """
        url = split_login(url)[0]
        wanted = f"url = {url}\n\tfetch = +{MAIN}:{TRACKING}"
        present = [each.strip() for each in _ORIGIN.findall(read_text(self.git.dir / "config"))]
        if present == [wanted]:
            return
        if present or self.git.ask("remote", "add", "-t", BRANCH, "--", "origin", url).code:
            # Value by value: `--remove-section` does not find `[REMOTE "origin"]`.
            known = self.git.ask("config", "--local", "--name-only", "--get-regexp", r"^remote\.origin\.")
            for name in set(known.out.decode("utf-8", "replace").split()):
                self.git.run("config", "--unset-all", name)
            self.git.run("config", "remote.origin.url", url)
            self.git.run("config", "remote.origin.fetch", f"+{MAIN}:{TRACKING}")

    def has_commit(self, oid: str | None) -> bool:
        """Whether `oid` is a commit of this repository."""
        return oid is not None and is_oid(oid) and self.git.has(f"{oid}^{{commit}}")

    def main(self) -> str | None:
        """The store's current commit."""
        return self.git.ref(MAIN)

    def short_main(self) -> str | None:
        """The abbreviated name of that commit."""
        return (self.main() or "")[:7] or None

    def point(self, ref: str, oid: str | None) -> None:
        """Point a reference to `oid`; None removes it."""
        if oid is None:
            self.git.run("update-ref", "-d", ref)
        else:
            self.git.run("update-ref", "-m", "anamnesis", ref, oid)

    def point_head(self) -> None:
        """Point HEAD to the store's branch."""
        head = self.git.dir / "HEAD"
        if not head.is_file() or head.read_text("utf-8", "replace") != _HEAD:
            write_atomic(head, _HEAD.encode())

    def keep(self, oid: str) -> None:
        """Protect an object from garbage collection, so that a person can find it later."""
        self.point(f"{OWN_REFS}recovered/{oid}", oid)

    def protected(self, *, under: str) -> dict[str, str]:
        """The references under `under`: name -> object."""
        prefix = f"{OWN_REFS}{under}/"
        words = self.git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode().split()
        return {ref.removeprefix(prefix): oid for ref, oid in zip(words[::2], words[1::2], strict=True)}

    def protect(self, kept: dict[str, str], *, under: str) -> None:
        """Make the references under `under` exactly `kept`, so that git never collects these objects."""
        prefix, known = f"{OWN_REFS}{under}/", self.protected(under=under)
        orders = [f"delete {prefix}{name}\n" for name in known if name not in kept]
        orders += [f"update {prefix}{name} {oid}\n" for name, oid in kept.items() if known.get(name) != oid]
        if orders:
            self.git.run("update-ref", "--stdin", stdin="".join(orders).encode())

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        return self.git.line("rev-parse", "--verify", f"{commit}^{{tree}}")

    def merge_base(self, one: str, other: str) -> str | None:
        """The last common ancestor of both."""
        pair = frozenset((one, other))
        if pair not in self._bases:
            answer = self.git.ask("merge-base", one, other)
            if answer.code > 1:
                why = f"git cannot compare two commits in {self.folder} ({answer.err.strip()})"
                raise GitError(f"{why}; run `anamnesis doctor --fix`")
            self._bases[pair] = answer.out.decode().split("\n")[0] or None
        return self._bases[pair]

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is in the history of `newer`."""
        return older == newer or self.git.ask("merge-base", "--is-ancestor", older, newer).code == 0

    def changes(self, old: str | None, new: str | None) -> list[Change]:
        """The changes between two commits or trees; None means an empty tree."""
        if old == new:
            return []
        trees = (old or _EMPTY_TREE, new or _EMPTY_TREE)
        out = self.git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", *trees, "--")
        return [change for _, change in parsed_changes(out)]

    def versions(self, base: str | None, tip: str) -> frozenset[str]:
        """The blobs of all files in the commits of `tip` that `base` lacks."""
        order = ("log", "-z", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m")
        out = self.git.run(*order, *([tip, f"^{base}"] if base else [tip]), "--")
        return frozenset(change.new[1] for _, change in parsed_changes(out) if change.new)

    def commits(self, tip: str, *bases: str | None) -> list[Commit]:
        """The commits of `tip` that none of `bases` has, oldest first."""
        return self._log("--reverse", "--topo-order", tip, *(f"^{base}" for base in bases if base), "--")

    def last_change(self, commit: str, path: str, *, deleted: bool = False) -> Commit | None:
        """The last commit up to `commit` that changed a file, or that deleted it."""
        kind = ("--diff-filter=D",) if deleted else ()
        return next(iter(self._log("-1", *kind, commit, "--", f":(literal){path}")), None)

    def _log(self, *args: str) -> list[Commit]:
        fields = self.git.run("log", "-z", *_FORM, *args).decode("utf-8", "replace").split("\0")
        return [
            Commit(oid, tuple(parents.split()), author, message)
            for oid, parents, author, message in zip(*(fields[at::4] for at in range(4)), strict=False)
            if is_oid(oid)
        ]

    def blob_at(self, commit: str, path: str) -> str | None:
        """The blob that a commit has at a path."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", f"{commit}:{path}")
        return answer.out.decode().strip() or None

    def count(self, base: str | None, tip: str) -> int:
        """How many commits `tip` has that `base` lacks."""
        span = self.span(base, tip)
        return 0 if span[1:] == [f"^{tip}"] else int(self.git.line("rev-list", "--count", *span, "--"))

    def span(self, base: str | None, tip: str) -> list[str]:
        """The commits of `tip` that `base` lacks, as revisions for git.

        Git uses dates to decide when to stop walking back: with wrong dates it counts far too many commits,
        unless it gets the commit where the two lines meet.
        """
        common = self.merge_base(base, tip) if base else None
        return [tip, f"^{common}"] if common else [tip]

    def commit(self, tree: str, parent: str | None, message: str) -> str:
        """A commit of an existing tree."""
        return self.git.line("commit-tree", tree, *(("-p", parent) if parent else ()), stdin=message.encode())

    def store(self, data: bytes) -> str:
        """Store `data` as a blob."""
        return self.git.line("hash-object", "-w", "-t", "blob", "--no-filters", "--stdin", stdin=data)

    def store_many(self, contents: Iterable[bytes]) -> None:
        """Store all of these as blobs, many of them in one pack."""
        orders = bytearray()
        for data in contents:
            orders += b"blob\ndata %d\n%s\n" % (len(data), data)
            if len(orders) > _PACK_BYTES:
                self.git.fast_import(orders)
                orders.clear()
        if orders:
            self.git.fast_import(orders)

    def build(self, parent: str | None, steps: Iterable[Step]) -> str | None:
        """Commit the steps one after the other, starting at `parent`; returns the last commit."""
        me = f"{OUR_NAME} <{self.git.email}> {int(time.time())} +0000"
        parts: list[bytes] = []
        mark = 0
        for mark, step in enumerate(steps, 1):
            origin = f":{mark - 1}" if mark > 1 else parent
            parts.append(_commit_order(step, mark, me, origin))
        if not mark:
            return parent
        self.git.fast_import(b"".join(parts))
        return self.git.ref(BUILT)

    def tidy(self, run: int) -> None:
        """Pack git's objects now and then, in the background; `run` is the number of this sync."""
        # Not in the first sync of a new machine, for which a person waits.
        if run % _GRAPH_EVERY == 2 and self._has_new_commits():
            self.write_graph()
        sample = self.git.dir / "objects" / "17"
        if sample.is_dir() and sum(1 for _ in sample.iterdir()) > _LOOSE_LIMIT:
            detach = ("-c", "gc.autoDetach=true", "-c", "maintenance.autoDetach=true")
            self.git.ask("-c", "gc.auto=4000", *detach, "gc", "--auto", "--quiet")

    def write_graph(self) -> None:
        """Make git record which paths each commit changed, so that reading a note's history skips the others.

        Only for a limited number of commits at a time, because comparing each with the one before takes
        longer the more notes there are.
        """
        # A lock file that a killed git left behind: no process needs one for this long.
        lock = self.git.dir / f"{COMMIT_GRAPH}.lock"
        with suppress(OSError):
            if abs(time.time() - lock.stat().st_mtime) > _OLD_SECONDS:
                lock.unlink()
        index = self.git.dir / "index"
        entries = max(index.stat().st_size // _ENTRY_BYTES if index.exists() else 0, 1)
        most = f"--max-new-filters={max(_GRAPH_COMPARED // entries, 1)}"
        self.git.ask("commit-graph", "write", "--reachable", "--changed-paths", most)

    def _has_new_commits(self) -> bool:
        try:
            graph = (self.git.dir / COMMIT_GRAPH).stat()
            return (self.git.dir / MAIN).stat().st_mtime_ns > graph.st_mtime_ns
        except OSError:
            return True

    def hash(self, data: bytes) -> str:
        """The blob name of this content."""
        # `create` refuses a repository with another kind of names.
        return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def seen_ref(remote: str) -> str:
    """The reference that records a remote's last known commit; the same for any password."""
    address = split_login(remote)[0]
    return f"{OWN_REFS}seen/{hashlib.sha256(address.encode('utf-8', 'replace')).hexdigest()[:20]}"


def blob_of(entry: Entry | None) -> str | None:
    """The blob of an entry that is a regular file."""
    return entry[1] if entry and entry[0] in REGULAR_MODES else None


def _commit_order(step: Step, mark: int, me: str, origin: str | None) -> bytes:
    message = step.message.encode("utf-8", "replace")
    parts = [
        f"commit {BUILT}\nmark :{mark}\nauthor {step.author or me}\ncommitter {me}\n".encode(
            "utf-8", "replace"
        ),
        b"data %d\n%s\n" % (len(message), message),
        f"from {origin}\n".encode() if origin else b"",
        f'M 040000 {step.tree} ""\n'.encode(),
    ]
    parts += [b"D %s\n" % quoted_path(path) for path, value in step.edits.items() if value is None]
    for path, value in step.edits.items():
        if isinstance(value, bytes):
            parts.append(
                b"M %s inline %s\ndata %d\n%s\n" % (FILE_MODE.encode(), quoted_path(path), len(value), value)
            )
        elif value is not None:
            parts.append(b"M %s %s %s\n" % (value[0].encode(), value[1].encode(), quoted_path(path)))
    return b"".join(parts) + b"\n"
