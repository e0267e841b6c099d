"""Recall at a prompt from what the start of a session leaves out: other branches, older sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.index import reader
from anamnesis.inject.prompt import remind
from anamnesis.inject.start import Start, start_session
from anamnesis.store import MemoryStore
from index_state import settle

TOPICS = "billing search login export import cache queue mail report theme upload audit quota webhook".split()
SESSION = (
    "**Ask:** the scanner freezes\n\n**Branch:** fix/scanner\n\n"
    "**Outcome:** A slow frame blocked the camera; only the latest frame is kept."
)
LAST = (
    "**Ask:** pallets are counted twice\n\n**Branch:** feat/pallets\n\n"
    "**Outcome:** The conveyor reports each pallet twice; the debounce of the light barrier is too short."
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a session and a note of other branches among two dozen notes."""
    monkeypatch.delenv("ANAMNESIS_RECALL_ON_PROMPT", raising=False)
    with MemoryStore(tmp_path / "store") as store:
        for topic in TOPICS:
            for part in ("page", "job"):
                body = f"The {part} of the {topic} reads its limits from `conf/{topic}.toml`."
                store.write(type="semantic", title=f"The {topic} {part}", body=body, project="app")
        store.write(type="episodic", title="Scanner freezes", body=SESSION, project="app")
        body = "On branch feat/crane: above nine knots the crane is locked for a quarter of an hour."
        store.write(type="semantic", title="feat/crane: wind", body=body, project="app")
        body = "Decided in spring: `barrier/` filters short pulses with a debounce of 40 ms, by light."
        store.write(type="semantic", title="Why the light barrier has a debounce", body=body, project="app")
        store.write(type="episodic", title="Pallets counted twice", body=LAST, project="app")
    return rest(tmp_path / "store")


def rest(root: Path) -> str:
    settle()
    with MemoryStore(root) as store:
        store.reindex()
    return str(root)


def on_branch(tmp_path: Path, name: str) -> str:
    (tmp_path / "work/.git").mkdir(parents=True)
    (tmp_path / "work/.git/HEAD").write_text(f"ref: refs/heads/{name}\n")
    return str(tmp_path / "work")


def told(home: str, prompt: str, *, folder: str = ".", session: str = "") -> str:
    return remind(Start(home=home, project="app", folder=folder, session=session), prompt)


def test_a_prompt_about_most_of_another_branchs_session_gets_it(home: str, tmp_path: Path) -> None:
    here = on_branch(tmp_path, "feat/pallets")
    assert "### Scanner freezes\n" in told(home, "the scanner freezes after a slow frame", folder=here)
    assert told(home, "the scanner needs a holster, a strap and a longer cable", folder=here) == ""


def test_a_prompt_about_most_of_another_branchs_note_gets_it(home: str, tmp_path: Path) -> None:
    here = on_branch(tmp_path, "feat/pallets")
    assert "### feat/crane: wind\n" in told(home, "is the crane locked at twelve knots?", folder=here)
    assert told(home, "paint the crane above the gate in yellow and grease the hook", folder=here) == ""


def test_one_word_is_enough_if_only_this_notes_title_has_it(home: str) -> None:
    with MemoryStore(home) as store:
        body = "It had no GPU and cost more under our load."
        store.write(type="semantic", title="Decision against Fargate", body=body, project="app")
    rest(Path(home))
    assert "### Decision against Fargate\n" in told(home, "why are we not using Fargate here?")
    assert told(home, "how does Fargate work") == "", "a question of general knowledge"
    assert told(home, "Fargate") == "", "too short"
    assert told(home, "compare Fargate with Lambda, Nomad and Borg") == "", "about other things, too"


def test_two_forms_of_one_word_count_once(home: str) -> None:
    with MemoryStore(home) as store:
        body = "We open the gate by hand."
        store.write(type="semantic", title="Gatehouse", body=body, project="app")
    rest(Path(home))
    assert told(home, "the shop opens at eight, change the opening hours") == ""


def test_a_note_of_the_branch_is_shown_even_if_it_reads_like_an_event(home: str, tmp_path: Path) -> None:
    with MemoryStore(home) as store:
        body = "On branch feat/waf: since Monday it was in count mode; somebody saw two mistakes on Friday."
        store.write(type="semantic", title="feat/waf: week", body=body, project="app")
    rest(Path(home))
    prompt = "is the count mode still on, and what about the two mistakes"
    assert "### feat/waf: week\n" in told(home, prompt, folder=on_branch(tmp_path, "feat/waf"))


def test_a_prompt_that_continues_the_work_gets_the_note_nearest_to_it(home: str, tmp_path: Path) -> None:
    here = on_branch(tmp_path, "feat/pallets")
    prompt = "the conveyor still counts pallets twice"
    assert "### Why the light barrier has a debounce\n" in told(home, prompt, folder=here)
    start_session(Start(home=home, project="app", folder=here, session="s"))
    assert told(home, prompt, folder=here, session="s") == "", "the start of the session showed it"


def test_a_pasted_error_does_not_ask_to_ship(home: str) -> None:
    with MemoryStore(home) as store:
        store.write(type="procedural", title="Release", body="1. `make tag`. 2. Push it.", project="app")
    rest(Path(home))
    assert "### Release\n" in told(home, "release the parcel")
    assert told(home, "ParcelError: cannot open the lid, only with the release flavour") == ""


def test_a_word_of_too_many_notes_does_not_count_as_a_rare_one(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = "is the crane locked: limits conf toml page job reads"
    assert "### feat/crane: wind\n" in told(home, prompt)
    monkeypatch.setattr(reader, "_COMMON", 10)
    assert "### feat/crane: wind\n" in told(home, prompt)
