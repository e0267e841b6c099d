"""Rules that a user states in a session: kept in its note, and told to later sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anamnesis.capture import write_episodic
from anamnesis.inject.start import Start, prepare
from anamnesis.session.transcript import parse_transcript
from anamnesis.store import MemoryStore
from transcript_lines import asked, said, write_transcript

RULE = "Never push to main directly."


def capture(store: MemoryStore, folder: Path, number: int, ask: str, **more: object) -> None:
    """A session that was captured on the given day."""
    day = f"2026-03-{number:02}T10:00:00.000Z"
    shared: dict[str, Any] = {"sessionId": f"session-{number}", "timestamp": day, **more}
    transcript = write_transcript(
        folder / f"{number}.jsonl",
        asked(ask, **shared),
        said(
            f"The cause was the cache of part {number}: it kept stale prices, so I cleared it in `cache.py`.",
            **shared,
        ),
    )
    assert write_episodic(store, parse_transcript(transcript), project="app", machine_id="desk") is not None


def told(store: MemoryStore) -> str:
    return prepare(Start(home=str(store.root), folder="/", project="app"))[0].text


def test_a_rule_is_listed_in_the_note_and_told_long_after_its_session(
    store: MemoryStore, tmp_path: Path
) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong, have a look. {RULE}")
    for number in range(2, 6):
        capture(store, tmp_path, number, f"the price of part {number} is wrong, have a look")
    [note] = store.list(tags=["rule"])
    assert f"**Rules:**\n- {RULE}" in note.body
    heading, line = (
        "\n## Rules that the user stated in earlier sessions\n",
        f"- {RULE} ({note.id[:10]}, 2026-03-01",
    )
    assert f"{heading}{line}" in told(store)


def test_a_rule_of_the_last_session_is_told_once_within_its_note(store: MemoryStore, tmp_path: Path) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong, have a look. {RULE}")
    text = told(store)
    assert f"**Rules:**\n- {RULE}" in text
    assert "## Rules that" not in text


def test_a_rule_stated_twice_is_told_once_with_its_latest_session(store: MemoryStore, tmp_path: Path) -> None:
    for number in (1, 2):
        capture(store, tmp_path, number, f"the price of part {number} is wrong. {RULE}")
    for number in (3, 4):
        capture(store, tmp_path, number, f"the price of part {number} is wrong, have a look")
    assert told(store).count(RULE) == 1
    assert f"- {RULE} ({store.list(tags=['rule'])[0].id[:10]}, 2026-03-02" in told(store)


def test_a_scripted_run_states_no_rules(store: MemoryStore, tmp_path: Path) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong. {RULE}", entrypoint="sdk-cli")
    assert store.list(tags=["rule"]) == []


def test_rules_take_a_small_part_of_the_budget_and_every_note_is_counted(
    store: MemoryStore, tmp_path: Path
) -> None:
    for number in range(1, 25):
        rules = " ".join(
            f"Never change file {number} of part {part} by hand, ask first." for part in range(8)
        )
        capture(store, tmp_path, number, f"the price of part {number} is wrong. {rules}")
    briefing, _, found = prepare(Start(home=str(store.root), folder="/", project="app"))
    section = briefing.text.partition("## Rules that")[2].partition("\n\n")[0]
    assert 200 < len(section) < 1_300
    shown = len(briefing.full) + len(briefing.cut) + len(briefing.titles)
    assert f"_{found.own - shown} notes more not listed here" in briefing.text
    assert len(briefing.text) <= 9_500
