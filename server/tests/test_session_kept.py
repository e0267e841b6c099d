"""What a note keeps by position and form: a diagnosis before a change, whole lists, choices, follow-ups."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession
from anamnesis.session.rating import names_in, weigh
from anamnesis.session.sentences import Unit
from anamnesis.session.shell import commits_of, is_failed_test, pull_requests_in
from anamnesis.session.talk import Turn
from anamnesis.session.transcript import parse_transcript
from transcript_lines import asked, called, returned, said, write_transcript

FAULTS = (
    "The millstone split because frost had entered `seam_a`; 12 % of Monday's flour went overboard there.",
    "The paddle jammed because driftwood blocks `gate_b`; 40 litres of oil were spilled beneath its axle.",
    "The hoist slips because `clutch_c` is greasy; 3 sacks fell onto the carter's empty wagon below.",
    "The sieve tears because wire `mesh_d` rusts; 7 % husks pass into every baker's finest bags again.",
    "The bell rings late because `spring_e` is soft; 2 minutes pass until anybody upstairs hears any noise.",
    "The dam leaks because clay near `post_f` cracked; 90 buckets seep through during one dry night.",
    "The cat sleeps in `bin_g` because warmth rises there; 5 mice were counted beside chutes after dusk.",
)
WORK = [Turn(f"look at fault {n}", texts=[text], has_changes=True) for n, text in enumerate(FAULTS)]


MORE = [
    Turn(f"now the {text[4:10].rstrip()} and the window", texts=[text], has_changes=True)
    for text in (
        "The roof leaks because `tile_i` slid off; 8 pigeons have nested between both rafters since Easter.",
        "The cellar floods because `drain_k` is clogged; 30 barrels were standing knee-deep until Lent.",
    )
]


def body(*turns: Turn, **fields: object) -> str:
    """The body of the note of a session with these turns."""
    session = ParsedSession(turns=list(turns))
    for name, value in fields.items():
        setattr(session, name, value)
    return HeuristicSummarizer().summarize(session).body


def test_what_is_said_before_the_first_change_is_a_diagnosis(tmp_path: Path) -> None:
    cause = "El molinero abre la compuerta con otra llave nueva, así que el guarda lo toma como ladrón."
    lines = [
        asked("arregla la compuerta"),
        said("Miro la compuerta."),
        said(cause),
        called("1", "Edit", file_path="/w/a.py", old_string="a", new_string="b"),
        returned("1", details={"filePath": "/w/a.py"}),
        said("Corregido, la prueba del guarda pasa."),
    ]
    session = parse_transcript(write_transcript(tmp_path / "s.jsonl", *lines))
    assert session.turns[0].diagnosis == 1
    assert cause in HeuristicSummarizer().summarize(session).body


def test_a_report_of_many_own_words_counts_without_names() -> None:
    text = (
        "After a storm the sluice waits for the warden, whose cabin beyond the orchard has a bell and a rope."
    )
    only_last = 0.5  # points for standing in the last text
    assert weigh(Unit(text), is_last=True).points > weigh(Unit(text)).points + only_last
    assert weigh(Unit("All of it works now."), is_last=True).points < only_last


def test_bold_text_counts_more_than_the_same_without() -> None:
    assert (
        weigh(Unit("**Sacks stay dry** in the loft")).points
        > weigh(Unit("Sacks stay dry in the loft")).points
    )


def test_a_question_of_the_assistant_asserts_nothing() -> None:
    assert weigh(Unit("Was the wheel tried because of the frost?")).reasons.isdisjoint({"cause", "ruled out"})


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("What I did not handle: frost on the axle.", True),
        ("I couldn't test it with a real millstone.", True),
        ("I did not change anything else.", False),
    ],
)
def test_what_the_assistant_did_not_do_is_open(text: str, *, is_open: bool) -> None:
    assert ("open" in weigh(Unit(text)).reasons) == is_open


def test_names_and_figures_are_recognised_beside_a_script_without_spaces() -> None:
    assert names_in("水車は287MBでMILLも動く") == {"287mb", "mill"}
    assert "figure" in weigh(Unit("石臼试了 6 小时")).reasons
    assert names_in("mill01 and stone-7, the average 9.") == {"mill01", "stone-7", "9"}


def test_a_short_list_is_kept_whole() -> None:
    text = "- sacks: 212\n- lamps at `tower_a`, 40 % of `yard_b`, because of `storm_c`: 96\n- wheels: 270"
    found = body(*WORK, Turn("count it all", texts=[text, "Counted."], has_changes=True))
    assert "sacks: 212" in found
    assert "wheels: 270" in found


def test_a_picked_option_is_kept() -> None:
    options = Turn("how?", texts=["1. **Grease** the axle\n2. **Oil** the axle\n\nBoth work."])
    assert "**Ask:** 2 (Oil the axle)" in body(
        *WORK, options, Turn("2", texts=["Done."], has_changes=True), *WORK
    )


def test_a_question_about_the_work_after_the_last_change_is_no_side_question() -> None:
    answer = "Only one, `hoist_z` in the tower."
    assert answer in body(*WORK, Turn("which other hoist has a greasy clutch", texts=[answer]))


def test_a_correction_without_a_subject_is_not_kept_and_a_repeated_one_once() -> None:
    vague = Turn("no, the other file", texts=["Switched."])
    clear = Turn("no, never grease the belts of the tower", texts=["Understood."])
    found = body(*WORK, vague, clear, vague, clear, *WORK)
    assert "the other file" not in found
    assert found.count("**Ask:** no, never grease the belts") == 1


def test_an_instruction_that_was_done_without_a_word_is_kept() -> None:
    ask = "rehearse the emptying of the dam twice a year, march and september"
    assert ask in body(*WORK, Turn(ask, texts=["It's in."], has_changes=True))


def test_a_measurement_outlives_the_proposal_that_the_user_refuses() -> None:
    measured = "The belt is on: 61 min became 58 min, less than I'd hoped."
    assert "58 min" in body(Turn("new belt", texts=[measured]), Turn("no, take it off again", texts=["Off."]))


def test_a_courtesy_before_a_list_is_not_repeated() -> None:
    text = "Great question! There are two causes in `mill.py`, because of the frost:\n\n- `ice_a`\n- `ice_b`"
    found = body(Turn("why does it stop?", texts=[text]))
    assert "Great question" not in found
    assert found.count("There are two causes") == 1


def test_pasted_output_in_an_indented_block_is_not_an_ask() -> None:
    ask = "the sluice test fails:\n\n  1) Sluice\n       opens:\n     AssertionError: timed out, no water"
    found = body(Turn(ask, texts=["The gate sticks."]))
    assert "opens" not in found
    assert "AssertionError: timed out, no water" in found


def test_tests_that_fail_or_hide_their_end_in_a_pipe_did_not_work() -> None:
    assert is_failed_test("pytest -q | tail -1", "3 failed, 40 passed")
    assert is_failed_test("dotnet test", "Passed! - Failed:     2, Passed:   412")
    assert is_failed_test("pytest 2>&1 | grep Error", "NameError")
    assert not is_failed_test("pytest -q | tail -1", "43 passed, 0 failed")
    assert not is_failed_test("make", "3 failed")


def test_an_amended_commit_has_its_last_subject_and_a_merge_names_its_request() -> None:
    command = "git commit -qm 'Oil it' && git commit -q --amend -m 'Oil the axle' && git log -1 --oneline"
    assert [str(commit) for commit in commits_of(command, "9f3c2ab Oil the axle")] == ["9f3c2ab Oil the axle"]
    printed = commits_of(command, "[main 1111111] Oil it\n[main 9f3c2ab] Oil the axle")
    assert [commit.is_amended for commit in printed] == [False, True]
    assert pull_requests_in("✓ Squashed and merged pull request mill/wheel#219 (Oil)") == ["mill/wheel#219"]


def test_a_date_that_the_user_only_states_is_kept() -> None:
    assert "sunday at 2" in body(
        *WORK, Turn("sunday at 2 then, thanks", texts=["Enjoy the day at the mill!"])
    )


def test_a_side_question_after_the_work_is_kept_in_a_short_note_but_is_not_its_outcome() -> None:
    work = Turn("Make it grind", texts=["The gear `g7` slips because of the grease."], has_changes=True)
    oil = (
        "The can says `SAE 30` from the shop, because `SAE 10` froze every winter before the roof was built."
    )
    found = body(
        work, Turn("which oil was that?", texts=[f"{oil} It smells of `tar` but costs 3 shillings."])
    )
    assert "**Outcome:** The gear `g7`" in found
    assert f"**Ask:** which oil was that?\n- {oil}" in found


def test_a_side_question_is_left_out_of_a_long_note() -> None:
    aside = Turn("which oil was that?", texts=["The can says `SAE 30`, I see."])
    assert "SAE 30" in body(*WORK[:5], aside)
    assert "SAE 30" not in body(*WORK, *MORE, aside)


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("{} Whoever repairs the roof should ask them first.", True),
        ("{}\n\nWhoever repairs the roof should ask them first.", False),
        ("{} Sleep well, dear miller!", False),
        ("{} Let me oil the hinges of the gate.", False),
    ],
)
def test_the_rest_of_a_kept_paragraph_fills_a_note_that_has_room(text: str, is_kept: bool) -> None:
    told = "The tiles came off because `nail_z` rusts."
    found = body(*WORK[:5], Turn("and the roof", texts=[text.format(told)], has_changes=True))
    assert told in found
    assert (text.partition("{}")[2].strip() in found) == is_kept


def test_a_list_that_is_kept_in_part_is_completed_with_the_items_that_name_something() -> None:
    items = "- `oak_a` split because of the frost on Monday\n- `elm_b` did not\n- nobody looked at the others"
    found = body(*WORK[:5], Turn("and the beams", texts=[f"The beams:\n\n{items}"], has_changes=True))
    assert "`elm_b` did not" in found
    assert "nobody looked" not in found


def test_an_open_point_of_an_early_turn_counts_like_any_other_sentence() -> None:
    said = Unit("The hinges squeak until somebody buys more tallow in the valley.")
    plain = Unit("The hinges squeak while somebody buys more tallow in the valley.")
    assert weigh(said, is_last=True, is_late=False).points == weigh(plain, is_last=True).points
    assert weigh(said, is_last=True).points > weigh(plain, is_last=True).points


def test_what_is_said_on_the_topic_after_the_work_is_not_a_side_matter() -> None:
    more = Turn("i fetch the ladder on sunday", texts=["The cellar has its window at `post_z`."])
    off = Turn("i fetch the ladder on sunday", texts=["The orchard has its fence at `post_z`."])
    assert more.texts[0] in body(*WORK, *MORE, more)
    assert off.texts[0] not in body(*WORK, *MORE, off)


def test_a_heading_is_kept_with_the_paragraph_that_makes_no_sense_without_it() -> None:
    oil, sluice = "Oil `axle_1` every 40 days.", "The sluice `gate_2` rusts by May."
    told = f"## Recommendation\n\n{oil}\n\n## The sluice\n\n{sluice}"
    found = body(Turn("How do we keep it running?", texts=[told]))
    assert f"- Recommendation: {oil}\n- {sluice}" in found


def test_a_measurement_of_tests_is_kept_although_their_result_is_listed() -> None:
    said = ["The tests took 900 ms, now 40 ms.", "All 43 tests pass."]
    found = body(Turn("make it fast", texts=said, has_changes=True), tests="43 passed (`pytest`)")
    assert "now 40 ms" in found
    assert "All 43 tests pass" not in found


def test_a_report_with_a_long_address_repeats_a_listed_pull_request() -> None:
    address = "https://github.com/mill/wheel-and-axle-and-sluice-gate/pull/219"
    turn = Turn("oil the axle", texts=["The `axle` is oiled.", f"Opened {address} for it."], has_changes=True)
    found = body(turn, pull_requests=[address])
    assert "The `axle` is oiled." in found
    assert "Opened" not in found


def test_a_wide_script_counts_by_characters_where_a_report_names_nothing() -> None:
    told = Unit("水车的闸门在暴雨之后由看守人手动关闭，因为他的小屋就在果园旁边。")
    assert weigh(told, is_last=True).points > weigh(told).points + 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Done, the wheel turns at 40 rpm since `gear_7` was greased.", "The wheel turns at 40 rpm"),
        ("Great question! gear_7 turns at 40 rpm since Monday.", "gear_7 turns at 40 rpm"),
    ],
)
def test_a_sentence_that_lost_its_courtesy_starts_with_a_capital_unless_with_a_name(
    said: str, kept: str
) -> None:
    assert f"**Outcome:** {kept}" in body(Turn("How fast is the wheel now?", texts=[said]))
