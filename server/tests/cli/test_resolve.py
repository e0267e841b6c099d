"""resolve: settling a clash between two machines, in each way."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from processes import Run


@pytest.fixture
def clash(root: Path, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a note that both machines changed in the same place; the store is this machine's."""
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    with MemoryStore(root) as mine, MemoryStore(tmp_path / "lap") as theirs:
        desk = GitSyncBackend(mine.memory_dir, remote=str(remote), machine_id="desk")
        lap = GitSyncBackend(theirs.memory_dir, remote=str(remote), machine_id="lap")
        note = mine.write(type="semantic", title="Ports", body="the port is 80", tags=["net"])
        for backend in (desk, lap):
            backend.sync()
        theirs.update(note.id, body="the port is 443")
        lap.sync()
        mine.update(note.id, body="the port is 8080")
        assert desk.sync().conflicted
    return note.id


def body(anamnesis: Run, note: str) -> str:
    """The note's current body."""
    return str(json.loads(anamnesis("show", note, "--json").stdout)["body"])


def test_resolve_without_an_id_prints_the_held_ids_and_diffs(anamnesis: Run, clash: str) -> None:
    done = anamnesis("resolve")
    assert (done.returncode, done.stdout) == (0, f"{clash}\n")
    assert "-the port is 443\n+the port is 8080" in done.stderr
    assert f"'Ports' ({clash}): held since 20" in done.stderr
    assert ", changed on lap at 20" in done.stderr


def test_resolve_as_json_has_both_texts(anamnesis: Run, clash: str) -> None:
    (held,) = json.loads(anamnesis("resolve", "--json").stdout)
    assert (held["id"], held["title"], held["machine"], held["private"]) == (clash, "Ports", "lap", False)
    assert "443" in held["theirs"]
    assert "8080" in held["mine"]


@pytest.mark.parametrize(("keys", "left", "code"), [("t\n", "443", 0), ("\n", "8080", 1)])
def test_resolve_on_a_terminal_shows_each_note_and_asks(
    anamnesis: Run, clash: str, keys: str, left: str, code: int
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, keys.encode())
    command = [sys.executable, "-m", "anamnesis", "resolve"]
    done = subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, check=False)
    screen = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert "[m]ine, [t]heirs, [b]oth" in screen
    assert clash not in screen.splitlines(), "the title says which note it is"
    assert (done.returncode, left in body(anamnesis, clash)) == (code, True)


@pytest.mark.parametrize(
    ("choice", "expected"), [("mine", ["8080"]), ("theirs", ["443"]), ("both", ["8080", "443"])]
)
def test_a_choice_ends_the_clash(anamnesis: Run, clash: str, choice: str, expected: list[str]) -> None:
    done = anamnesis("resolve", clash, f"--{choice}", "--json")
    assert json.loads(done.stdout) == {"id": clash, "title": "Ports", "choice": choice}
    assert all(text in body(anamnesis, clash) for text in expected)
    assert anamnesis("resolve").stdout == ""


def test_the_text_that_a_resolution_replaced_can_be_restored(anamnesis: Run, root: Path, clash: str) -> None:
    anamnesis("resolve", clash, "--theirs")
    saved = [path.read_text() for path in (root / "undo").rglob("*") if path.is_file()]
    assert any("the port is 8080" in text for text in saved)


def test_both_versions_can_be_combined_in_the_editor(
    anamnesis: Run, clash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor"
    script.write_text(
        '#!/bin/sh\ngrep -q 443 "$1" && grep -q 8080 "$1" && sed -i "/443/d; s/8080/9090/" "$1"\n'
    )
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    assert anamnesis("resolve", clash, "--edit").returncode == 0
    assert body(anamnesis, clash) == "the port is 9090"
    assert anamnesis("resolve").stdout == ""


def test_an_edit_that_holds_a_credential_leaves_the_clash(
    anamnesis: Run, clash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i '$a password=Tr0ub4dor-3xyz'")
    done = anamnesis("resolve", clash, "--edit")
    assert done.returncode == 1
    assert "credential" in done.stderr
    assert anamnesis("resolve").stdout == f"{clash}\n"


def test_status_and_doctor_report_a_clash_and_exit_1_until_it_is_resolved(anamnesis: Run, clash: str) -> None:
    for command in ("status", "doctor"):
        done = anamnesis(command)
        assert done.returncode == 1
        assert "conflict" in done.stdout
        assert f"'Ports' ({clash})" in done.stdout
    anamnesis("resolve", clash, "--mine")
    assert anamnesis("status").returncode == 0
    assert "conflict" not in anamnesis("status").stdout


def test_a_note_made_machine_local_here_and_edited_elsewhere_is_settled_either_way(
    anamnesis: Run, clash: str, root: Path
) -> None:
    with MemoryStore(root) as store:
        store.update(clash, scope="machine-local")
    assert "'Ports'" in anamnesis("sync").stderr
    shown = anamnesis("resolve").stderr
    assert "machine-local here: mine removes it elsewhere, theirs shares it again" in shown
    for way in ("--both", "--edit"):
        refused = anamnesis("resolve", clash, way)
        assert refused.returncode == 1
        assert "machine-local here and shared elsewhere" in refused.stderr
    assert f"resolved 'Ports' ({clash})" in anamnesis("resolve", clash, "--theirs").stdout
    assert body(anamnesis, clash) == "the port is 443"


def test_a_session_is_told_that_a_held_note_is_contested(anamnesis: Run, clash: str) -> None:
    assert "contested: two machines changed it in different ways" in anamnesis("inject").stdout
    anamnesis("resolve", clash, "--mine")
    assert "contested" not in anamnesis("inject").stdout
