"""Which files sync: our records and regular `*.md` files under names that all systems allow; others wait."""

from __future__ import annotations

import itertools
import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.doctor import Context, examine
from anamnesis.errors import AnamnesisError
from anamnesis.notes.record import Memory, serialize
from anamnesis.notes.vocabulary import MAX_BYTES
from anamnesis.store import MemoryStore
from anamnesis.sync.paths import refusal, same_names
from machines import Machine, run_git, settle

SYNCED = ("a name.md", "v1./x.md", "unicodé/übergabe.md", "日本語.md", f"{'n' * 197}.md", "README.md")
REFUSED = {
    "semantic/a\nb.md": "a character that not every system allows",
    "semantic/a\u200cb.md": "a character that not every system allows",
    'semantic/say "hi".md': "a character that not every system allows",
    "semantic/C:\\x.md": "a character that not every system allows",
    "semantic/GIT~1/x.md": "a character that not every system allows",
    f"semantic/{'n' * 198}.md": "longer than 200 bytes",
    "semantic/caf\udce9.md": "not UTF-8",
    "semantic/picture.png": "end in .md",
    "other/x.json": "end in .md",
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


def test_notes_sync_under_every_name_that_the_rule_allows(desk: Machine, lap: Machine, remote: Path) -> None:
    for number, path in enumerate(SYNCED):
        put_file(desk, path, note_id=f"N{number}")
    settle(desk, lap)
    assert sorted(files_at(remote)) == sorted(SYNCED)
    assert lap.files() == desk.files()
    assert desk.backend.state().left_out == lap.backend.state().left_out == ()


@pytest.mark.parametrize(("path", "why"), REFUSED.items(), ids=range(len(REFUSED)))
def test_a_file_whose_name_cannot_sync_is_reported_once_with_the_reason(
    desk: Machine, remote: Path, path: str, why: str
) -> None:
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
    assert (found.state, why in found.evidence) == ("warn", True)


@pytest.mark.parametrize("path", [*REFUSED][::2], ids=range(5))  # one rule for both ways
def test_an_arriving_file_that_we_would_not_send_is_not_written_and_stops_nothing(
    desk: Machine, lap: Machine, remote: Path, path: str
) -> None:
    desk.write("N2", "body")
    settle(desk, lap)
    _push_path(remote, path if path.startswith("semantic/") else f"semantic/{path}")
    result = lap.sync()
    assert list(lap.files()) == ["semantic/N2.md"]
    assert len(result.left_out) == 1 or "stays at the remote only: only notes" in result.detail
    lap.write("N3", "body")
    assert lap.sync().pushed
    desk.write("N4", "body")
    settle(desk, lap)
    assert lap.files() == desk.files()
    assert len(lap.files()) == 3


def _push_path(remote: Path, path: str) -> None:
    """Put a file at any path into the remote's branch, past every check."""
    blob = _plumb(remote, "hash-object", "-w", "--stdin", stdin=b"evil").strip()
    folder, name = path.split("/", 1)
    parts = name.split("/")
    row = b"100644 blob %s\t%s\0" % (blob, os.fsencode(parts[-1]))
    for part in reversed(parts[:-1]):
        tree = _plumb(remote, "mktree", "-z", stdin=row).strip()
        row = b"040000 tree %s\t%s\0" % (tree, os.fsencode(part))
    inside = _plumb(remote, "ls-tree", "-z", f"main:{folder}") + row
    tree = _plumb(remote, "mktree", "-z", stdin=inside).strip()
    top = _plumb(remote, "mktree", "-z", stdin=b"040000 tree %s\t%s\0" % (tree, folder.encode())).strip()
    commit = _plumb(remote, "commit-tree", top.decode(), "-p", "main", "-m", "by hand").strip()
    _plumb(remote, "update-ref", "refs/heads/main", commit.decode())


def _plumb(remote: Path, *order: str, stdin: bytes = b"") -> bytes:
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
    assert len(carried) > 20
    run_git(tmp_path, "init", "-q", "repo")
    blob = _plumb(tmp_path / "repo", "hash-object", "-w", "--stdin").strip().decode()
    rows = "".join(f"100644 {blob}\t{path}\0" for path in carried)
    protected = ("-c", "core.protectHFS=true", "-c", "core.protectNTFS=true")
    order = ["git", *protected, "update-index", "--replace", "-z", "--index-info"]
    done = subprocess.run(order, cwd=tmp_path / "repo", input=rows.encode(), capture_output=True, check=True)
    assert done.stderr.decode() == ""  # git would print each path that it ignores


def test_a_note_in_a_file_that_is_left_out_is_not_deleted_elsewhere(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "body")
    desk.write("N2", "body")
    settle(desk, lap)
    (desk.memory / "semantic/N1.md").rename(desk.memory / "semantic/what is this?.md")
    (desk.memory / "semantic/N2.md").rename(desk.memory / "semantic/N2 renamed.md")
    settle(desk, lap)
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2 renamed.md"]


def test_a_file_over_the_size_limit_and_a_repository_in_the_tree_are_reported(
    desk: Machine, remote: Path
) -> None:
    desk.write("N1", "body")
    put_file(desk, "semantic/N2.md", note_id="N2")
    os.truncate(desk.memory / "semantic/N2.md", MAX_BYTES + 1)
    put_file(desk, "semantic/clone/N3.md", note_id="N3")
    run_git(desk.memory / "semantic/clone", "init", "-q", ".")
    told = desk.sync().left_out
    assert [(each.path, each.reason.split(";")[0]) for each in told] == [
        ("semantic/N2.md", "it is larger than 16,000,000 bytes"),
        ("semantic/clone/", "it is a git repository of its own"),
    ]
    assert files_at(remote) == ["semantic/N1.md"]


def test_names_that_differ_only_in_case_or_unicode_form_are_one_file_on_some_systems() -> None:
    composed, decomposed = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
    assert same_names([composed, decomposed], []) == {max(composed, decomposed)}
    assert same_names(["A.md", "b.md"], ["a.md"]) == {"A.md"}


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = {"pipe": _pipe, "folder": _folder, "link": _link}
Make = Callable[[Path], None]


@pytest.mark.timeout(60)  # reading one would never end
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_nothing_blocks_on_a_special_file(desk: Machine, lap: Machine, make: Make) -> None:
    desk.write("N1", "walrus")
    settle(desk, lap)
    make(desk.memory / "semantic" / "odd.md")
    desk.write("N2", "seal")
    assert desk.sync().pushed
    assert not desk.backend.state().dirty
    with MemoryStore(desk.root) as store:
        assert store.reindex(full=True) == 2
        assert [note.id for note in store.search("walrus")] == ["N1"]
        assert len(store.problems()) == (make is not _folder)
        examine(Context(store, desk.backend))
    lap.sync()
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2.md"]


@pytest.mark.timeout(60)  # reading one would never end
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_note_replaced_by_a_special_file_is_not_deleted_elsewhere(
    desk: Machine, lap: Machine, make: Make
) -> None:
    path = desk.write("N1", "walrus")
    settle(desk, lap)
    with MemoryStore(desk.root) as store:
        assert store.get("N1") is not None
        path.unlink()
        make(path)
        assert store.get("N1") is None
        with pytest.raises(AnamnesisError):
            store.update("N1", title="other")
    result = desk.sync()
    assert [(each.path, each.reason) for each in result.left_out] == [
        ("semantic/N1.md", "it is not a regular file")
    ]
    lap.save(lap.read("N1"), body="seal", updated_at="2026-02-01T00:00:00+00:00")
    settle(lap, desk)
    assert lap.read("N1").body == "seal"
    (path.rmdir if path.is_dir() else path.unlink)()
    desk.sync()
    assert desk.read("N1").body == "seal"
