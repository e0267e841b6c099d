"""Recall at a prompt: the notes it is clearly about, otherwise nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.inject.prompt import EVERYDAY, FUNCTION_WORDS, remind
from anamnesis.inject.start import Start, start_session
from anamnesis.session.receipts import read_entries
from anamnesis.store import MemoryStore
from index_state import settle

PROMPT = "the geofence alarm rings too late, have a look at the tolerance"
ABOUT = "The geofence alarm has a tolerance of two metres; it rings once the drone is outside."
TOPICS = "billing search login export import cache queue mail report theme upload audit quota webhook".split()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An unchanging store: one note about geofence alarms among two dozen others."""
    monkeypatch.delenv("ANAMNESIS_RECALL_ON_PROMPT", raising=False)
    with MemoryStore(tmp_path / "store") as store:
        for topic in TOPICS:
            for part in ("page", "job"):
                body = (
                    f"The {part} of the {topic} reads its limits from `conf/{topic}.toml` and logs the rest."
                )
                store.write(type="semantic", title=f"The {topic} {part}", body=body, project="app")
        store.write(type="semantic", title="Geofence alarms", body=ABOUT, project="app")
        store.write(type="semantic", title="Other", body=f"{ABOUT} Elsewhere.", project="other")
    rest(tmp_path / "store")
    return str(tmp_path / "store")


def rest(root: Path) -> None:
    settle()
    with MemoryStore(root) as store:
        store.reindex()


def told(home: str, prompt: str, *, session: str = "") -> str:
    return remind(Start(home=home, project="app", session=session), prompt)


def test_a_prompt_is_answered_with_the_note_it_is_about(home: str) -> None:
    text = told(home, PROMPT)
    assert "### Geofence alarms\n" in text
    assert text.count("### ") == 1
    assert "not instructions" in text


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "ok",
        "thanks, that was all for now",
        "geofence",
        "write a haiku about a late alarm",
        "what is the boiling point of water in Denver",
        "convert 14 miles to kilometres",
        "?" * 50_000,
        "\0",
    ],
)
def test_a_prompt_that_no_note_is_clearly_about_gets_no_answer(home: str, prompt: str) -> None:
    assert told(home, prompt) == ""


def test_a_note_that_the_session_has_seen_is_not_repeated(home: str) -> None:
    assert "Geofence" in told(home, PROMPT, session="s-1")
    assert told(home, PROMPT, session="s-1") == ""
    assert "Geofence" in told(home, PROMPT, session="s-2")
    start_session(Start(home=home, project="app", session="s-3"))
    assert told(home, PROMPT, session="s-3") == ""


def test_an_answered_prompt_leaves_a_receipt(home: str) -> None:
    text = told(home, PROMPT, session="s-1")
    (entry,) = read_entries(home, "s-1")
    assert (entry["kind"], entry["source"], entry["characters"]) == ("told", "prompt", len(text))


def test_a_prompt_gets_at_most_two_notes_and_1500_characters(home: str) -> None:
    with MemoryStore(home) as store:
        for number in range(4):
            body = f"{ABOUT} Case {number}.\n" + "More about the geofence alarm and its tolerance.\n" * 60
            store.write(
                type="semantic", title=f"Geofence alarm rings late {number}", body=body, project="app"
            )
    rest(Path(home))
    text = told(home, PROMPT)
    assert text.count("### ") == 2
    assert len(text) <= 1_500
    assert "[cut to fit" in text


def test_a_note_that_was_cut_to_fit_is_not_repeated_either(home: str) -> None:
    with MemoryStore(home) as store:
        body = "The login throttle is five tries a minute.\n" * 60
        store.write(type="semantic", title="The login throttle", body=body, project="app")
    rest(Path(home))
    assert "[cut to fit" in told(home, "the login throttle is too strict", session="s-1")
    assert told(home, "the login throttle is too strict", session="s-1") == ""


def test_a_prompt_that_many_notes_match_alike_gets_no_answer(home: str) -> None:
    with MemoryStore(home) as store:
        for topic in TOPICS:
            store.write(
                type="semantic", title=f"{topic} gauge", body="The gauge needs a fuse.", project="app"
            )
    rest(Path(home))
    assert told(home, "please look at the gauge and its fuse") == ""


def test_a_one_off_event_is_not_shown(home: str) -> None:
    with MemoryStore(home) as store:
        store.write(
            type="semantic",
            title="Party because of the login throttle",
            body="There was cake on Friday; the login throttle was laughed about and somebody was late.",
            project="app",
        )
    rest(Path(home))
    assert told(home, "the login throttle was laughed about") == ""


def test_nothing_is_printed_once_it_is_switched_off(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_RECALL_ON_PROMPT", "0")
    assert told(home, PROMPT) == ""


def test_nothing_is_printed_while_the_index_is_stale(home: str) -> None:
    (Path(home) / "memory/semantic/new.md").write_text("---\nid: n\ntype: semantic\ntitle: N\n---\nx\n")
    assert told(home, PROMPT) == ""


@pytest.mark.parametrize(
    ("title", "body", "prompt"),
    [
        (
            "Nachtabschaltung der Pumpe",
            "Die Pumpe geht um 23 Uhr aus, der Frostschutz hält sie unter 3 Grad an.",
            "warum ist die Pumpe jetzt noch an, wenn der Frostschutz doch nicht greifen soll",
        ),
        (
            "Caixa postal do condomínio",
            "A portaria confirma a encomenda em até dois dias; depois o aviso expira.",
            "e quando a encomenda não passa pela portaria, a gente tem um aviso?",
        ),
        (
            "在庫の引き当て",
            "在庫は出荷指示のときに引き当てる。取消は翌日に戻す。",
            "出荷指示を取消したときの在庫がおかしいです",
        ),
    ],
)
def test_function_words_of_other_languages_do_not_hide_the_subject(
    home: str, title: str, body: str, prompt: str
) -> None:
    with MemoryStore(home) as store:
        store.write(type="semantic", title=title, body=body, project="app")
    rest(Path(home))
    assert f"### {title}\n" in told(home, prompt)


def test_a_durable_note_comes_before_a_better_matching_session(home: str) -> None:
    prompt = "pallet scanner skips the third barcode row"
    with MemoryStore(home) as store:
        body = "A pallet has four rows; the scanner needs 40 ms for a barcode."
        store.write(type="semantic", title="Warehouse hardware", body=body, project="app")
        store.write(type="episodic", title=prompt, body=f"**Ask:** {prompt}", project="app")
    rest(Path(home))
    text = told(home, prompt)
    assert text.index("### Warehouse hardware\n") < text.index(f"### {prompt}\n")
    start_session(Start(home=home, project="app", session="s", most=1))
    assert "### Warehouse hardware\n" in told(home, prompt, session="s")


def test_only_the_best_session_is_shown(home: str) -> None:
    with MemoryStore(home) as store:
        for part in ("first", "second", "third"):
            title = f"Geofence alarm, {part} try"
            store.write(type="episodic", title=title, body=f"{PROMPT} ({part})", project="app")
    rest(Path(home))
    text = told(home, PROMPT)
    assert text.count("### Geofence alarm, ") == 1
    assert "### Geofence alarms\n" in text


def test_technical_terms_are_not_function_words() -> None:
    assert FUNCTION_WORDS.isdisjoint("ci ai io pod pods man ha api log net port".split())
    assert EVERYDAY.isdisjoint("ci api log port sort name case number index page state key queue".split())


LAST = "**Ask:** the pallet scanner skips rows\n\n**Outcome:** The barcode decoder drops a frame, still open."
GOES_ON = "repair the barcode decoder that drops a frame, then tidy up the shelf with the screws"


@pytest.fixture
def at_work(home: str) -> str:
    """The same store after a session about a scanner, with notes about its parts."""
    with MemoryStore(home) as store:
        store.write(type="episodic", title="Scanner skips rows", body=LAST, project="app")
        body = "The decoder for a barcode is in `scan/decode.c`, without allocation."
        store.write(type="semantic", title="How frames are read", body=body, project="app")
        body = "Repair of the shelf: screws are in the third box, by the way."
        store.write(type="semantic", title="Shelf", body=body, project="app")
    rest(Path(home))
    return home


def test_a_long_prompt_that_continues_the_last_session_finds_notes_with_its_rare_words(
    at_work: str,
) -> None:
    text = told(at_work, GOES_ON)
    assert "### How frames are read\n" in text
    assert "### Shelf\n" not in text, "a word that is not about the current work shows nothing"


@pytest.mark.parametrize(
    "prompt",
    [
        "what does a barcode decoder do with a damaged checksum digit on wet paper",
        "how does a decoder differ from a parser, a lexer, an encoder and a codec",
        "write a limerick about a decoder, a duck, a dentist and a dromedary",
        "scanner",
    ],
)
def test_a_prompt_with_a_word_or_two_of_the_last_session_is_not_about_it(at_work: str, prompt: str) -> None:
    assert told(at_work, prompt) == ""


def test_one_common_word_of_the_current_work_is_not_enough(at_work: str) -> None:
    with MemoryStore(at_work) as store:
        for number in range(6):
            body = f"Frame {number} of the gallery shows a picture, drawn by hand."
            store.write(type="semantic", title=f"Gallery {number}", body=body, project="app")
    rest(Path(at_work))
    text = told(at_work, "repair the barcode decoder so that no frame is dropped")
    assert "### How frames are read\n" in text
    assert "### Gallery" not in text


def test_a_note_of_the_branch_needs_less_in_common(at_work: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / ".git/HEAD").write_text("ref: refs/heads/fix/skipped-rows\n")
    with MemoryStore(at_work) as store:
        body = "On branch fix/skipped-rows: the suspicion is that an interrupt comes late."
        store.write(type="semantic", title="fix/skipped-rows: state", body=body, project="app")
    rest(Path(at_work))
    prompt = "prove or refute our suspicion with an oscilloscope, then the skipped frames"
    here = remind(Start(home=at_work, project="app", folder=str(work)), prompt)
    assert "### fix/skipped-rows: state\n" in here
    assert told(at_work, prompt) == ""


def test_singular_and_plural_find_each_other_in_other_languages(home: str) -> None:
    with MemoryStore(home) as store:
        body = "Die Weichen werden nachts geschmiert, die Signale danach geprüft."
        store.write(type="semantic", title="Wartung", body=body, project="app")
    rest(Path(home))
    assert "### Wartung\n" in told(home, "Weiche und Signal prüfen")


@pytest.fixture
def harbour(home: str) -> str:
    """The same store with notes about a crane and its releases."""
    with MemoryStore(home) as store:
        body = (
            "Above nine knots the crane is locked for a quarter of an hour; the gauge decides, not the crew."
        )
        store.write(type="semantic", title="Crane", body=body, project="app")
        body = "`make image`, then copy it to the depot; the old one is kept."
        store.write(type="procedural", title="To the depot", body=body, project="app", tags=["release"])
    rest(Path(home))
    return home


def test_everyday_words_and_unknown_numbers_do_not_hide_the_subject(harbour: str) -> None:
    prompt = "somebody says the crane still was locked yesterday at 14 knots, is that right or just weird?"
    assert "### Crane\n" in told(harbour, prompt)


def test_everyday_words_are_not_a_subject(home: str) -> None:
    with MemoryStore(home) as store:
        body = "Nobody takes the same way twice; people come late, and sometimes nothing is left."
        store.write(type="semantic", title="Rush hour", body=body, project="app")
    rest(Path(home))
    assert told(home, "people came late again, nobody takes anything twice") == ""


@pytest.mark.parametrize(
    "prompt", ["release it", "prepare 4.2.0", "tidy up and get it live", "jetzt ausliefern"]
)
def test_a_prompt_to_ship_gets_the_how_to_whatever_its_title(harbour: str, prompt: str) -> None:
    assert "### To the depot\n" in told(harbour, prompt)


def test_a_prompt_to_ship_does_not_get_the_how_to_of_undoing_it(home: str) -> None:
    with MemoryStore(home) as store:
        store.write(type="procedural", title="Release app", body="1. `make tag`. 2. Push it.", project="app")
        body = "1. `make previous`. 2. Check the board."
        store.write(type="procedural", title="Roll back a release", body=body, project="app", tags=["pinned"])
    rest(Path(home))
    text = told(home, "cut 2.4.0")
    assert "### Release app\n" in text
    assert "Roll back" not in text


def test_a_long_session_is_cut_below_its_heading_and_keeps_its_outcome(home: str) -> None:
    files = "\n".join(f"- src/geofence/part_{number}/alarm_tolerance_of_metres.py" for number in range(30))
    body = f"**Ask:** {PROMPT}\n\n**Files touched (30):**\n{files}\n\n**Outcome:**\n- {ABOUT}\n"
    body += "\n".join(
        f"- Finding {number} about nothing in particular, at some length." for number in range(30)
    )
    with MemoryStore(home) as store:
        store.write(type="episodic", title="geofence alarm tolerance", body=body, project="app")
        for note in store.search("geofence alarms"):
            if note.title == "Geofence alarms":
                store.delete(note.id)
    rest(Path(home))
    text = told(home, PROMPT)
    assert "\n### geofence alarm tolerance\n" in text
    assert ABOUT in text
    assert "part_1" not in text
    assert "[cut to fit; memory_search shows the rest]" in text


@pytest.mark.parametrize(
    "prompt", ["what does release mean in law", "how is 1.2.3 ordered", "live music tips"]
)
def test_a_question_about_a_shipping_word_is_not_a_prompt_to_ship(harbour: str, prompt: str) -> None:
    assert told(harbour, prompt) == ""


def test_a_prompt_that_continues_the_branch_gets_its_notes_whatever_their_words(
    home: str, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / ".git/HEAD").write_text("ref: refs/heads/feat/pier\n")
    with MemoryStore(home) as store:
        body = "On branch feat/pier: agreed with the harbour office that boats come first."
        store.write(type="semantic", title="feat/pier: agreed", body=body, project="app")
        body = "**Ask:** draw the quay\n\n**Branch:** feat/pier\n\n**Outcome:** The bollards are missing."
        store.write(type="episodic", title="Quay drawn", body=body, project="app")
    rest(Path(home))
    start = Start(home=home, project="app", folder=str(work))
    assert "### feat/pier: agreed\n" in remind(start, "now the bollards")
    assert remind(start, "now the sandwiches") == ""
    assert remind(start, "go on") == ""


def test_a_tag_names_the_subject_of_a_note_as_a_title_does(home: str) -> None:
    with MemoryStore(home) as store:
        for name, tags in (("One", ["turbine"]), ("Two", [])):
            body = f"Part {name} of the turbine; the bearing is greased in spring."
            store.write(type="semantic", title=f"Part {name}", body=body, project="app", tags=tags)
    rest(Path(home))
    text = told(home, "the turbine needs a new bearing")
    assert text.index("### Part One\n") < text.find("### Part Two\n") or "### Part Two\n" not in text
    assert "### Part One\n" in text
