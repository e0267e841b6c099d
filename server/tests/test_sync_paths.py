"""Which files sync: odd names that git and the file systems support; every other file is reported."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from anamnesis.doctor import Context, examine
from anamnesis.notes.record import Memory, serialize
from anamnesis.notes.vocabulary import MAX_BYTES
from anamnesis.store import MemoryStore
from anamnesis.sync.log import GitHistory
from anamnesis.sync.paths import refusal
from machines import Machine, make_remote, run_git, settle

COMPOSED, DECOMPOSED = (
    f"semantic/{name}.md" for name in (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é"))
)
CARRIED = {
    "a zero-width joiner": "semantic/\U0001f469\u200d\U0001f680.md",
    "a tab": "semantic/a\tb.md",
    "a backslash": "semantic/C:\\notes.md",
    "a quote": 'semantic/say "hi".md',
    "a bidirectional mark": "semantic/\u200fעברית.md",
    "a line separator": "semantic/a\u2028b.md",
    "255 bytes": f"semantic/{'n' * 252}.md",
    "a folder that ends in a dot": "semantic/v1./x.md",
    "a name that ends in a blank": "semantic/plans /x.md",
    "a decomposed letter": DECOMPOSED,
    "the beginning of a short name": "semantic/git~1.md",
}
REFUSED = {
    "a line break": ("semantic/a\nb.md", "control character"),
    "an escape": ("semantic/a\x1bb.md", "control character"),
    "no UTF-8": ("semantic/caf\udce9.md", "not UTF-8"),
    "what HFS+ takes for .git": ("semantic/.g\u200cit/x.md".replace(".g", "\u200c.g"), "`.git`"),
    "the short name of .git": ("semantic/GIT~1/x.md", "`.git`"),
    "the short name with a blank": ("semantic/git~1 ./x.md", "`.git`"),
    "a short name behind a backslash": ("semantic/a\\git~1", "`.git`"),
    "a way up behind a backslash": ("semantic/a\\..\\b.md", "`..`"),
}


def put_file(machine: Machine, path: str, *, note_id: str = "N1") -> None:
    """A note in a file of this name."""
    note = Memory(id=note_id, title="odd", type="semantic", body="one\nwalrus\nthree")
    full = machine.memory / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(serialize(note).encode())


def files_at(remote: Path) -> list[str]:
    """What the remote's branch holds."""
    return run_git(remote, "ls-tree", "-r", "-z", "--name-only", "main").rstrip("\0").split("\0")


@pytest.mark.parametrize("path", CARRIED.values(), ids=CARRIED)
def test_a_note_syncs_under_every_name_that_git_and_the_file_systems_support(
    two_machines: tuple[Machine, Machine], remote: Path, path: str
) -> None:
    desk, lap = two_machines
    put_file(desk, path)
    settle(desk, lap)
    assert files_at(remote) == [path]
    assert lap.files() == desk.files()
    assert desk.backend.state().left_out == lap.backend.state().left_out == ()
    for machine, old, new in ((desk, b"\none\n", b"\nONE\n"), (lap, b"\nthree\n", b"\nTHREE\n")):
        full = machine.memory / path
        full.write_bytes(full.read_bytes().replace(old, new))
    settle(desk, lap)
    assert b"\nONE\nwalrus\nTHREE\n" in desk.files()[path]
    assert lap.files() == desk.files()
    assert len(GitHistory(lap.memory).of_note("N1", path=path)) > 1
    (lap.memory / path).unlink()
    settle(lap, desk)
    assert desk.files() == {}


@pytest.mark.parametrize(("path", "why"), REFUSED.values(), ids=REFUSED)
def test_a_note_whose_name_cannot_sync_is_reported_with_the_reason(
    two_machines: tuple[Machine, Machine], remote: Path, path: str, why: str
) -> None:
    desk, _ = two_machines
    desk.write("N2", "body")
    put_file(desk, path)
    result = desk.sync()
    assert files_at(remote) == ["semantic/N2.md"]
    assert why in result.detail
    told = desk.backend.state().left_out
    assert [why in each.reason for each in told] == [True]
    assert result.left_out == told
    assert told[0].path.isprintable()
    with MemoryStore(desk.root) as store:
        found = {each.name: each for each in examine(Context(store, desk.backend))}["left out"]
    assert found.state == "warn"
    assert why in found.evidence


@pytest.mark.parametrize(("path", "why"), REFUSED.values(), ids=REFUSED)
def test_an_arriving_file_that_we_would_not_send_is_reported_and_not_written(
    two_machines: tuple[Machine, Machine], remote: Path, path: str, why: str
) -> None:
    desk, lap = two_machines
    desk.write("N2", "body")
    settle(desk, lap)
    before = _plumb(remote, "rev-parse", "main").strip()
    _push_path(remote, path)
    result = lap.sync()
    assert list(lap.files()) == ["semantic/N2.md"]
    assert [why in each.reason for each in result.left_out] == [True]
    assert lap.backend.state().left_out == result.left_out
    lap.write("N3", "body")
    assert lap.sync().pushed
    tree = _plumb(remote, "rev-parse", f"{before}^{{tree}}").strip()
    commit = _plumb(remote, "commit-tree", tree, "-p", "main", "-m", "taken away").strip()
    _plumb(remote, "update-ref", "refs/heads/main", commit)
    assert lap.sync().left_out == ()


def test_names_that_cannot_sync_do_not_stop_a_merge(
    two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    desk, lap = two_machines
    desk.write("N1", "body")
    settle(desk, lap)
    for path in ("semantic/a\nb.md", 'semantic/"a\n', "semantic/git~1/x.md"):
        _push_path(remote, path)
    lap.sync()
    lap.write("N2", "new")
    lap.backend.commit()
    _push_path(remote, "semantic/N3.md")
    settle(lap, desk)
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2.md", "semantic/N3.md"]
    assert desk.files() == lap.files()


def _push_path(remote: Path, path: str) -> None:
    """Put a file at any path into the remote's branch, past every check."""
    blob = _plumb(remote, "hash-object", "-w", "--stdin", stdin=b"evil").strip()
    folder, name = path.split("/", 1)
    parts = name.split("/")
    row = b"100644 blob %s\t%s\0" % (blob.encode(), os.fsencode(parts[-1]))
    for part in reversed(parts[:-1]):
        tree = _plumb(remote, "mktree", "-z", stdin=row).strip()
        row = b"040000 tree %s\t%s\0" % (tree.encode(), os.fsencode(part))
    inside = _plumb_bytes(remote, "ls-tree", "-z", f"main:{folder}") + row
    tree = _plumb(remote, "mktree", "-z", stdin=inside).strip()
    top = _plumb(remote, "mktree", "-z", stdin=f"040000 tree {tree}\t{folder}\0".encode()).strip()
    commit = _plumb(remote, "commit-tree", top, "-p", "main", "-m", "by hand").strip()
    _plumb(remote, "update-ref", "refs/heads/main", commit)


def _plumb(remote: Path, *order: str, stdin: bytes = b"") -> str:
    return _plumb_bytes(remote, *order, stdin=stdin).decode("utf-8", "surrogateescape")


def _plumb_bytes(remote: Path, *order: str, stdin: bytes = b"") -> bytes:
    identity = ["-c", "user.name=user", "-c", "user.email=user@example.org"]
    done = subprocess.run(
        ["git", *identity, *order], cwd=remote, input=stdin, capture_output=True, check=True
    )
    return done.stdout


def test_git_accepts_every_path_we_sync_with_all_its_protections_on(tmp_path: Path) -> None:
    before = ("", " ", "x", "\u200c", "\ufeff", "a\\", "\\")
    middle = (".git", ".GiT", ".g\u200dit", "git~1", "GIT~1", "git~2", "..", ".", "...", "git", "gitmodules")
    after = ("", " ", ".", " . ", "\u200c", ":x", "\\x", "\\..", ".md", "\t", "::$INDEX_ALLOCATION")
    parts = {"".join(each) for each in itertools.product(before, middle, after)}
    paths = [path for part in sorted(parts) for path in (f"{part}/x.md", f"semantic/{part}")]
    carried = [path for path in paths if refusal(path) is None]
    assert len(carried) > 100
    run_git(tmp_path, "init", "-q", "repo")
    blob = _plumb(tmp_path / "repo", "hash-object", "-w", "--stdin").strip()
    rows = "".join(f"100644 {blob}\t{path}\0" for path in carried)
    protected = ("-c", "core.protectHFS=true", "-c", "core.protectNTFS=true")
    done = subprocess.run(
        ["git", *protected, "update-index", "--replace", "-z", "--index-info"],
        cwd=tmp_path / "repo",
        input=rows.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr.decode() == ""  # git would print each path that it ignores


def test_hidden_files_and_editor_leftovers_stay_here_without_a_message(
    two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    desk, _ = two_machines
    desk.write("N1", "body")
    for path in (".obsidian/x.md", "semantic/.N1.md.swp", "semantic/N1.md~", "semantic/x.tmp"):
        put_file(desk, path)
    result = desk.sync()
    assert files_at(remote) == ["semantic/N1.md"]
    assert (result.left_out, result.detail) == ((), "synced")


def test_a_file_over_the_size_limit_is_reported(two_machines: tuple[Machine, Machine], remote: Path) -> None:
    desk, _ = two_machines
    desk.write("N1", "body")
    put_file(desk, "semantic/N2.md", note_id="N2")
    os.truncate(desk.memory / "semantic/N2.md", MAX_BYTES + 1)
    result = desk.sync()
    assert files_at(remote) == ["semantic/N1.md"]
    for told in (result.left_out, desk.backend.state().left_out):
        assert [(each.path, "larger than 16,000,000 bytes" in each.reason) for each in told] == [
            ("semantic/N2.md", True)
        ]


def test_a_file_that_git_cannot_store_is_reported_and_the_others_are_synced(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Machine(tmp_path / "desk", remote)
    desk.write("N1", "body")
    desk.write("N2", "on a bad block of the disk")
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    git.write_text(
        f"""#!/bin/sh
case " $* " in *" update-index "*" --stdin "*)
    names=$(mktemp -p {tmp_path}); cat > "$names"
    grep -q N2 "$names" && {{ echo "fatal: read error while indexing semantic/N2.md" >&2; exit 128; }}
    exec {shutil.which("git")} "$@" < "$names";;
esac
exec {shutil.which("git")} "$@"
"""
    )
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    for _ in range(2):  # the second time it is the only changed file
        result = desk.sync()
        assert result.reached
        assert files_at(remote) == ["semantic/N1.md"]
        told = [(each.path, "read error" in each.reason) for each in result.left_out]
        assert told == [("semantic/N2.md", True)]


def test_a_repository_inside_the_tree_is_reported(
    two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    desk, _ = two_machines
    desk.write("N1", "body")
    put_file(desk, "semantic/clone/N2.md", note_id="N2")
    run_git(desk.memory / "semantic/clone", "init", "-q", ".")
    told = desk.sync().left_out
    assert [(each.path, "repository of its own" in each.reason) for each in told] == [
        ("semantic/clone/", True)
    ]
    assert files_at(remote) == ["semantic/N1.md"]


def test_a_path_too_long_for_one_machine_is_reported_there_and_stops_nothing(
    tmp_path: Path, remote: Path
) -> None:
    desk = Machine(tmp_path / "desk", remote)
    deep = tmp_path
    while len(str(deep)) < 3500:
        deep = deep / ("d" * 100)
    lap = Machine(deep / "lap", remote)
    folder = "/".join("f" * 130 for _ in range(3))
    room = 4095 - len(f"{lap.memory}/{folder}//x.md")  # just enough for the file, not for another one
    long = (
        f"{folder}/{'f' * 250}/x.md",
        f"{folder}/{'n' * 240}.md",
        f"{folder}/{'e' * room}/x.md",
    )
    for number, path in enumerate(long):
        put_file(desk, path, note_id=f"L{number}")
    desk.write("N2", "body")
    settle(desk, lap)
    assert list(lap.files()) == ["semantic/N2.md"]
    for told in (lap.results[-1].left_out, lap.backend.state().left_out):
        assert [each.path for each in told] == sorted(long)
        assert ["File name too long" in each.reason for each in told] == [False, True, True]
        assert all("cannot be written here" in each.reason for each in told)
    settle(lap, desk)
    assert len(desk.files()) == 4
    for path in long:
        (desk.memory / path).unlink()
    settle(desk, lap)
    assert lap.results[-1].left_out == ()


def test_a_name_that_collides_on_one_machine_is_reported_there(
    two_machines: tuple[Machine, Machine],
) -> None:
    desk, lap = two_machines
    lap.backend.init()
    lap.git("config", "core.ignorecase", "true")
    for number, path in enumerate((COMPOSED, DECOMPOSED)):
        put_file(desk, path, note_id=f"N{number}")
    settle(desk, lap)
    assert len(desk.files()) == 2
    assert len(lap.files()) == 1
    told = lap.backend.state().left_out
    assert ["only in case or in Unicode form" in each.reason for each in told] == [True]


def test_a_file_listed_under_its_composed_name_is_not_sent_twice(
    two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    """A link simulates a file system that opens one file by both names while git lists the other."""
    desk, lap = two_machines
    put_file(desk, DECOMPOSED)
    settle(desk, lap)
    os.link(lap.memory / DECOMPOSED, lap.memory / COMPOSED)
    lap.sync()
    assert files_at(remote) == [DECOMPOSED]


def test_a_note_with_a_decomposed_name_is_found_once_on_both_machines(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "between.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    put_file(desk, f"semantic/{unicodedata.normalize('NFD', 'Übergabe')}.md")
    settle(desk, lap)
    for machine in (desk, lap):
        with MemoryStore(machine.root) as store:
            assert [note.id for note in store.search("walrus")] == ["N1"]
            assert store.problems() == []
