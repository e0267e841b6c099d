"""Which project's memory a folder gets: a cloned repository does not choose it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis import state
from anamnesis.config import resolve_aliases
from anamnesis.errors import ConfigError
from anamnesis.operations.curation import write_alias
from anamnesis.project import place_of, set_marker
from machines import make_clone

REMOTE, OTHER = "github.com/ada/engine", "github.com/bob/secrets"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the remote."""
    return make_clone(tmp_path / "engine", f"https://{REMOTE}.git")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of a store."""
    folder = tmp_path / "store"
    (folder / "memory").mkdir(parents=True)
    monkeypatch.setenv("ANAMNESIS_HOME", str(folder))
    return folder


def mark(folder: Path, key: str) -> None:
    (folder / ".anamnesis").mkdir()
    (folder / ".anamnesis/project").write_text(f"{key}\n")


def test_a_marker_from_a_clone_is_not_followed(clone: Path, home: Path) -> None:
    mark(clone, OTHER)
    place = place_of(str(clone), home=str(home))
    assert (place.key, place.refused) == (REMOTE, OTHER)
    assert "anamnesis project trust" in place.warning
    assert place_of(str(clone / ".anamnesis"), home=str(home)).key == REMOTE


def test_a_marker_that_is_a_symlink_reveals_nothing_of_its_target(
    clone: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "passwords").write_text("Zk3xPq9vT7w2\n")
    (clone / ".anamnesis").mkdir()
    (clone / ".anamnesis/project").symlink_to(tmp_path / "passwords")
    place = place_of(str(clone), home=str(home))
    assert (place.key, place.refused) == (REMOTE, "")
    set_marker(clone, OTHER, home=home)
    assert (tmp_path / "passwords").read_text() == "Zk3xPq9vT7w2\n"
    assert place_of(str(clone), home=str(home)).key == OTHER


def test_a_marker_is_not_written_through_a_symlinked_folder(clone: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (clone / ".anamnesis").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="is a link"):
        set_marker(clone, OTHER, home=home)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_marker_counts_once_the_user_trusts_this_pair(clone: Path, home: Path) -> None:
    mark(clone, OTHER)
    state.save(home, state.Trust("github.com/else/where", OTHER))
    assert place_of(str(clone), home=str(home)).key == REMOTE
    state.save(home, state.Trust(REMOTE, OTHER))
    place = place_of(str(clone), home=str(home))
    assert (place.key, place.warning) == (OTHER, "")
    (clone / ".anamnesis/project").write_text("github.com/third/one\n")
    assert place_of(str(clone), home=str(home)).key == REMOTE


def test_a_marker_with_the_remotes_own_key_counts(clone: Path, home: Path) -> None:
    mark(clone, REMOTE)
    assert place_of(str(clone), home=str(home)).warning == ""


def test_a_marker_in_a_folder_without_a_remote_counts(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    mark(folder, OTHER)
    place = place_of(str(folder), home=str(home))
    assert (place.key, place.default, place.warning) == (OTHER, OTHER, "")


def test_a_note_without_a_project_belongs_to_the_repository_or_to_everything(
    clone: Path, tmp_path: Path, home: Path
) -> None:
    assert place_of(str(clone), home=str(home)).default == REMOTE
    (tmp_path / "loose").mkdir()
    assert place_of(str(tmp_path / "loose"), home=str(home)).default == "global"
    assert place_of("/nowhere/at/all", home=str(home)).default == "global"


def test_an_alias_syncs_with_the_notes_and_chains_are_followed_to_the_end(clone: Path, home: Path) -> None:
    write_alias(home / "memory", REMOTE, "github.com/ada/motor")
    write_alias(home / "memory", "github.com/ada/motor", "github.com/ada/drive")
    assert place_of(str(clone), home=str(home)).key == "github.com/ada/drive"
    assert set(resolve_aliases()) == {REMOTE, "github.com/ada/motor"}


def test_circular_renames_change_nothing(home: Path) -> None:
    there = write_alias(home / "memory", "a", "b")
    text = there.read_bytes()
    write_alias(home / "memory", "b", "a")
    there.write_bytes(text)  # as if another machine had renamed the other way round
    assert resolve_aliases() == {"a": "a", "b": "b"}


def test_the_same_rename_on_two_machines_is_the_same_file(home: Path, tmp_path: Path) -> None:
    here, there = (write_alias(place, "a/b", "c/d") for place in (home / "memory", tmp_path / "other"))
    assert here.name == there.name
    assert here.read_bytes() == there.read_bytes()
    assert json.loads(here.read_text()) == {"old": "a/b", "new": "c/d"}
