"""history: versions, diffs and restoring."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., str]


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
