"""write, supersede, delete, edit, undo, history."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from processes import Run, Write

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize("body", [(), ("--body", "-")])
def test_write_prints_only_the_id_and_reads_the_body_from_stdin(
    script: Run, root: Path, body: tuple[str, ...]
) -> None:
    words = ("--type", "procedural", "--title", "From a pipe", "--tags", "a, b,a", *body)
    done = script("write", *words, stdin="line 1\nline 2\n")
    assert done.returncode == 0
    with MemoryStore(root) as store:
        note = store.get(done.stdout.strip())
    assert note is not None
    assert (note.body, note.tags) == ("line 1\nline 2", ["a", "b"])
    assert (note.machine_id, note.project) == ("desk", "global")


def test_write_says_that_a_note_is_global_because_its_folder_is_not_a_project(anamnesis: Run) -> None:
    words = ("write", "--type", "semantic", "--title", "Use WAL mode", "--body", "set busy_timeout")
    done = anamnesis(*words)
    assert "it is in global, because this folder is not a project" in done.stderr
    assert len(done.stdout.split()) == 1
    assert "not a project" not in anamnesis(*words, "--project", "global").stderr
    anamnesis("project", "set", "github.com/acme/shop")
    assert "not a project" not in anamnesis(*words).stderr


def test_write_refuses_bytes_that_are_not_text(root: Path) -> None:
    command = [sys.executable, "-m", "anamnesis", "write", "--type", "semantic", "--title", "t"]
    done = subprocess.run(command, input=b"\xff\xfe", capture_output=True, check=False)
    assert done.returncode == 1
    assert b"not UTF-8" in done.stderr
    assert not root.exists()


def test_superseding_hides_the_old_note_from_search(anamnesis: Run, write: Write) -> None:
    old = write("Use tabs", "indent with tabs", "--project", "p", "--tags", "style")
    new = anamnesis("supersede", old, "--body", "indent with spaces").stdout.strip()
    (found,) = json.loads(anamnesis("search", "--json", "indent").stdout)
    assert [found[key] for key in ("id", "title", "project", "tags")] == [new, "Use tabs", "p", ["style"]]


def test_undo_takes_back_the_last_change_whatever_it_was(
    anamnesis: Run, write: Write, editor: Callable[[str], None]
) -> None:
    note_id = write()
    assert anamnesis("undo").stdout.startswith("deleted 'Use WAL mode'")
    assert anamnesis("undo").stdout.startswith("restored 'Use WAL mode'")
    editor('sed -i "s/busy_timeout/other/" "$2"')
    anamnesis("edit", note_id)
    anamnesis("undo", note_id)
    assert "busy_timeout" in anamnesis("show", note_id).stdout
    anamnesis("delete", note_id)
    anamnesis("undo")
    assert anamnesis("show", note_id).returncode == 0
    anamnesis("edit", note_id)
    write("Use a server", "no file to lock")  # mostly within the same second
    assert anamnesis("undo").stdout.startswith("deleted 'Use a server'")


def test_undo_of_a_note_edited_by_hand_brings_its_earlier_text_back(
    anamnesis: Run, write: Write, root: Path
) -> None:
    note_id = write()
    path = root / "memory" / "semantic" / f"{note_id}.md"
    anamnesis("sync")
    path.write_text(path.read_text().replace("busy_timeout", "other"))
    assert anamnesis("undo").stdout.startswith("brought back the earlier text of 'Use WAL mode'")
    assert "busy_timeout" in path.read_text()
    anamnesis("undo")
    assert "other" in path.read_text()


def test_undo_does_not_delete_a_note_that_was_just_repaired(anamnesis: Run, write: Write, root: Path) -> None:
    note_id = write()
    path = root / "memory" / "semantic" / f"{note_id}.md"
    path.write_text(re.sub("updated_at: .*", "updated_at: '2026-01-02T03:04:05+00:00'", path.read_text()))
    anamnesis("sync")
    path.write_text(path.read_text().replace("title: ", 'title: "a: '))
    anamnesis("history", note_id, "--restore")
    done = anamnesis("undo")
    assert (done.returncode, "left its text" in done.stderr) == (1, True)
    assert anamnesis("show", note_id).returncode == 0


def test_undo_deletes_a_note_that_was_just_restored(anamnesis: Run, write: Write) -> None:
    note_id, other = write(), write("Use a server", "no file to lock")
    anamnesis("delete", note_id)
    anamnesis("history", note_id, "--restore")
    assert anamnesis("undo").stdout.startswith("deleted 'Use WAL mode'")
    assert anamnesis("undo").stdout.startswith("restored 'Use WAL mode'")
    anamnesis("delete", other)
    anamnesis("undo", note_id)
    assert [note["id"] for note in json.loads(anamnesis("list", "--json").stdout)] == []


def test_a_script_deletes_a_committed_note_without_a_question(anamnesis: Run, write: Write) -> None:
    note = write("to stay", "text")
    assert anamnesis("delete", note).returncode == 0
    assert anamnesis("show", note).returncode == 1
    assert anamnesis("history", note, "--restore").returncode == 0
    assert "text" in anamnesis("show", note).stdout


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Use a script as the editor: shell lines that change the file "$1"."""

    def use(lines: str) -> None:
        path = tmp_path / "editor with blank"
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o700)
        monkeypatch.setenv("EDITOR", f"'{path}' --wait")
        monkeypatch.setenv("TMPDIR", str(tmp_path))

    return use


def test_edit_saves_the_edited_text(anamnesis: Run, write: Write, editor: Callable[[str], None]) -> None:
    note = write("Title", "old text")
    editor('sed -i -e "s/old text/new text/" -e "s/type: semantic/type: procedural/" "$2"')
    done = anamnesis("edit", note)
    assert (done.returncode, done.stdout) == (0, f"saved 'Title' ({note})\n")
    shown = json.loads(anamnesis("show", note, "--json").stdout)
    assert (shown["body"], shown["type"]) == ("new text", "procedural")
    assert Path(shown["path"]).parent.name == "procedural"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("s/^id: .*/id: other/", "cannot be changed"),
        ("s/^type: .*/type: nonsense/", "nonsense"),
        ("s/^---$//", "front-matter"),
        (f"s/busy_timeout/{TOKEN}/", "credential"),
        ("s/^tags: .*/extra: key/", "another tool"),
    ],
)
def test_edit_refuses_a_broken_note_and_keeps_the_text_for_another_try(
    anamnesis: Run, write: Write, editor: Callable[[str], None], root: Path, change: str, complaint: str
) -> None:
    path = root / "memory" / "semantic" / f"{write()}.md"
    before = path.read_bytes()
    editor(f'sed -i "{change}" "$2"')
    done = anamnesis("edit", path.stem)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert path.read_bytes() == before
    kept = Path(done.stderr.split("your text is kept in ")[1].split("; ")[0])
    assert kept.read_bytes() != before
    assert kept.is_relative_to(root / "undo")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_edit_refuses_to_overwrite_a_newer_version(
    anamnesis: Run, write: Write, editor: Callable[[str], None], root: Path
) -> None:
    path = root / "memory" / "semantic" / f"{write()}.md"
    editor(f'sed -i "s/busy_timeout/mine/" "$2"; sed -i "s/busy_timeout/theirs/" "{path}"')
    done = anamnesis("edit", path.stem)
    assert done.returncode == 1
    assert "changed since" in done.stderr
    assert "theirs" in path.read_text()


@pytest.mark.parametrize("editor_name", ["", "nano", "/usr/bin/vim"])
def test_a_full_screen_editor_is_not_started_without_a_terminal(
    script: Run, write: Write, root: Path, monkeypatch: pytest.MonkeyPatch, editor_name: str
) -> None:
    note_id = write()
    monkeypatch.setenv("EDITOR", editor_name)
    done = script("edit", note_id)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "needs a terminal" in done.stderr
    assert not (root / "undo").exists()


@pytest.fixture
def edited(anamnesis: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> str:
    """A note that said "first" and now says "second"."""
    note = write("Title", "first")
    monkeypatch.setenv("EDITOR", "sed -i s/first/second/")
    anamnesis("edit", note)
    return note


def versions(anamnesis: Run, note: str) -> list[dict[str, str]]:
    """The note's versions, newest first."""
    found: list[dict[str, str]] = json.loads(anamnesis("history", note, "--json").stdout)["versions"]
    return found


def body(anamnesis: Run, note: str) -> str:
    """The note's current body."""
    return str(json.loads(anamnesis("show", note, "--json").stdout)["body"])


def test_every_edit_is_a_version_newest_first(anamnesis: Run, edited: str) -> None:
    found = versions(anamnesis, edited)
    assert [(each["action"], each["machine_id"]) for each in found] == [("edited", "desk"), ("added", "desk")]
    lines = anamnesis("history", edited).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == [each["version"][:12] for each in found]


def test_an_earlier_version_can_be_restored_and_the_later_one_stays_in_history(
    anamnesis: Run, edited: str
) -> None:
    first = versions(anamnesis, edited)[-1]["version"]
    done = anamnesis("history", edited, "--restore", first[:10])
    title = json.loads(anamnesis("show", edited, "--json").stdout)["title"]
    sends = "`anamnesis sync` sends it to your other machines"
    assert done.stdout == f"restored {title!r} ({edited}); {sends}\n"
    assert body(anamnesis, edited) == "first"
    assert len(versions(anamnesis, edited)) == 3


def test_a_deleted_note_is_found_by_the_words_of_its_title(anamnesis: Run, write: Write) -> None:
    kept, gone = write("Use WAL mode"), write("Walrus on the shelf", "tusk")
    anamnesis("delete", gone, "--yes")
    assert "deleted 'Walrus on the shelf'" in anamnesis("history", "walrus").stdout
    assert anamnesis("history", "walrus", "--restore").stdout.startswith("restored ")
    assert anamnesis("history", "lynx").returncode == 1
    assert anamnesis("show", kept).returncode == 0
