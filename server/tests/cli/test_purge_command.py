"""`anamnesis purge`: what it shows, asks and refuses."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.store import MemoryStore
from machines import traces

SECRET = "Zx8-kestrel-4471"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"


@pytest.fixture
def written(store: MemoryStore) -> dict[str, str]:
    """Three notes in the store, committed; their ids by title."""
    for title, body in (("keys", f"the word is {SECRET}"), ("deploy", "make it so"), ("gone", "of old")):
        store.write(type="semantic", title=title, body=body)
    assert main(["sync", "--quiet"]) == 0
    return {note.title: note.id for note in store.list()}


def _body(store: MemoryStore, note_id: str) -> str:
    note = store.get(note_id)
    return note.body if note else ""


def test_purge_shows_what_it_would_do_and_does_nothing_without_confirmation(
    written: dict[str, str], store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["purge", "--text", SECRET]) == 1
    said = capsys.readouterr()
    assert f"cut out of {written['keys']} 'keys'" in said.err
    assert "  1 version in the history" in said.err
    assert "nothing was purged" in said.err
    assert SECRET in _body(store, written["keys"])


def test_a_text_that_only_an_unsaved_edit_has_is_counted_and_removed(
    written: dict[str, str], store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    unsaved = store.root / "undo" / written["deploy"] / "unsaved.md"
    unsaved.parent.mkdir(parents=True)
    unsaved.write_text(f"typed, never saved: {SECRET} and {TOKEN}")
    assert main(["purge", "--text", "typed, never saved", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["versions"] == 1
    assert main(["purge", "--secrets", "--yes"]) == 0
    assert unsaved.read_text() == f"[removed]: {SECRET} and [removed]"
    assert main(["purge", written["deploy"], "--yes"]) == 0
    assert not unsaved.exists()


def test_purge_by_text_removes_it_everywhere(written: dict[str, str], store: MemoryStore) -> None:
    assert main(["purge", "--text", SECRET, "--yes"]) == 0
    assert _body(store, written["keys"]) == "the word is [removed]"
    assert traces(store.root, SECRET) == []


def test_the_text_can_come_from_standard_input(
    written: dict[str, str], store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{SECRET}\n".encode())))
    assert main(["purge", "--text", "-", "--yes"]) == 0
    assert traces(store.root, SECRET) == []


def test_a_deleted_note_can_be_purged_by_the_start_of_its_id(
    written: dict[str, str], store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["delete", written["gone"], "--yes"]) == 0
    assert main(["sync", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["purge", written["gone"][:-1], "--yes", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["ids"], said["left"]) == ([written["gone"]], 0)
    assert traces(store.root, "of old") == []


def test_a_text_whose_removal_would_break_a_note_is_refused(
    written: dict[str, str], store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", "--text", written["keys"], "--yes"]) == 1
    assert "could no longer be read" in capsys.readouterr().err
    assert main(["purge", "--text", "semantic", "--yes"]) == 1
    assert "part of the format of notes" in capsys.readouterr().err
    assert SECRET in _body(store, written["keys"])


def test_purge_secrets_finds_credentials_in_the_history(
    store: MemoryStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = store.write(type="semantic", title="token", body="nothing yet")
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("nothing yet", f"token {TOKEN}"))
    assert main(["sync", "--allow-secret", note.id, "--quiet"]) == 0
    (tmp_path / "store" / "sync.json").unlink()
    path.write_text(path.read_text().replace(TOKEN, "gone"))
    assert main(["sync", "--quiet"]) == 0
    assert traces(store.root, TOKEN)
    capsys.readouterr()
    main(["doctor"])
    assert "anamnesis purge --secrets" in capsys.readouterr().out
    assert main(["purge", "--secrets", "--yes"]) == 0
    assert TOKEN not in capsys.readouterr().err
    assert traces(store.root, TOKEN) == []
    assert main(["purge", "--secrets", "--yes"]) == 0
    assert "nothing found" in capsys.readouterr().out


def test_purge_with_nothing_to_purge_says_so(
    written: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", "--yes"]) == 1
    assert "nothing to purge; name notes, or give --text or --secrets" in capsys.readouterr().err
    assert main(["purge", "nosuchnote", "--yes"]) == 1


def test_a_text_that_is_found_nowhere_is_not_called_purged(
    written: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", "--text", "mistyped", "--yes"]) == 1
    assert "nothing found, nothing purged" in capsys.readouterr().out
