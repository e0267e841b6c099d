"""A session's summary keeps the finding, not the farewell, within its length limits."""

from __future__ import annotations

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession, Summary
from anamnesis.session.talk import Turn
from secret_samples import SAMPLES


def summary(*turns: Turn, **fields: object) -> Summary:
    """The summary of a session with these turns."""
    session = ParsedSession(turns=list(turns))
    for name, value in fields.items():
        setattr(session, name, value)
    return HeuristicSummarizer().summarize(session)


def turn(ask: str, *texts: str, changes: bool = False, **more: object) -> Turn:
    """A turn with these answers."""
    return Turn(ask, texts=list(texts), has_changes=changes, **more)  # type: ignore[arg-type]  # fields of a turn


# -- the form ---------------------------------------------------------------------------------------------


def test_the_summary_has_ask_branch_files_and_outcome_in_this_order() -> None:
    session = ParsedSession(
        first_prompt="Fix the parser\nand be quick",
        last_outcome="Fixed.",
        files_touched=["/w/src/a.py", "/etc/hosts"],
        git_branch="main",
        cwd="/w",
    )
    found = HeuristicSummarizer().summarize(session)
    assert found.title == "Fix the parser"
    assert found.body == (
        "**Ask:** Fix the parser; and be quick\n\n**Branch:** main\n\n"
        "**Files touched (2):**\n- src/a.py\n- /etc/hosts\n\n**Outcome:** Fixed."
    )
    assert found.prov_model == ""


def test_an_empty_summary_says_that_it_is_empty() -> None:
    found = HeuristicSummarizer().summarize(ParsedSession())
    assert found.title == "Session summary"
    assert found.body == "**Ask:** (no user prompt captured)\n\n**Outcome:** (no assistant output captured)"


def test_two_repeated_words_do_not_make_an_aside_the_title() -> None:
    ask = "RPM is stuck at 38% all day. wheat flour looks lovely. please dig in"
    found = summary(turn(ask, "The sensor counts each turn twice, so the wheat and the flour are fine."))
    assert found.title == "RPM is stuck at 38% all day"


def test_each_turn_is_summarised_with_its_ask_and_the_last_one_is_the_outcome() -> None:
    found = summary(
        turn("Why does the mill stop?", "The cause is the counter in `timer.py`: 16 bits.", changes=True),
        turn("Now the lamp", "It flickers at `50 Hz` because of the dynamo.", changes=True),
        tests="47 passed (`make test`)",
        commits=["9f3c2ab Count further"],
        pull_requests=["https://h/a/b/pull/2"],
        commands=["make grind HOURS=9"],
        taken_back=["/w/lock"],
        cwd="/w",
    )
    assert found.body == (
        "**Ask:** Why does the mill stop?\n- The cause is the counter in `timer.py`: 16 bits.\n\n"
        "**Ask:** Now the lamp\n\n**Restored or removed again (1):**\n- lock\n\n"
        "**Outcome:** It flickers at `50 Hz` because of the dynamo.\n\n"
        "**Tests:** 47 passed (`make test`)\n\n"
        "**Worked after failing (1):**\n- `make grind HOURS=9`\n\n"
        "**Commits (1):**\n- 9f3c2ab Count further\n\n"
        "**Pull requests (1):**\n- https://h/a/b/pull/2"
    )


def test_lists_tables_and_code_keep_their_form_under_the_line_that_introduces_them() -> None:
    text = (
        "Two belts were measured with `grind`:\n\n| belt | time |\n|---|---|\n| leather | 61 min |\n\n"
        "Still open:\n\n- the `dusk` lamp\n\n```bash\nmake grind\n```\n\n```sql\nselect 1\nfrom t\n```"
    )
    body = summary(turn("Which belt?", text)).body
    assert "- belt | time\n- leather | 61 min" in body
    assert "- Still open:\n  - the `dusk` lamp" in body
    assert "- `make grind`" in body
    assert "```\nselect 1\nfrom t\n```" in body


def test_a_heading_that_only_counts_and_a_drawn_line_are_not_kept() -> None:
    text = "### Step 1: Wheel\n\n`★ Insight ─────────`\n- The axle of `wheel.py` needs oil.\n`──────────`"
    body = summary(turn("Plan the repair of the wheel", text)).body
    assert "needs oil" in body
    assert "Step 1" not in body
    assert "─" not in body


# -- what is kept -----------------------------------------------------------------------------------------


def test_a_finding_in_mid_turn_counts_as_much_as_the_last_text() -> None:
    found = summary(
        turn(
            "the mill stops every hour, find out why",
            "Let me open the gear box.",
            "Found it. `tick()` counts in `uint16`, so it overflows after 65,536 turns.",
            "Done, it ran from 6 to 15 hours without a stop.",
            changes=True,
        )
    )
    assert "counts in `uint16`" in found.body
    assert "6 to 15 hours" in found.body
    assert "Let me open" not in found.body


def test_pleasantries_are_neither_title_nor_ask_nor_outcome() -> None:
    found = summary(
        turn("hi", "Hello! How can I help you today?"),
        turn("perfect. why does `parse` return None?", "Great question! It falls off the end of `loop()`."),
        turn("thanks!", "Any time! Just ask when there is more."),
    )
    assert found.title == "why does `parse` return None?"
    assert found.body == (
        "**Ask:** why does `parse` return None?\n\n**Outcome:** It falls off the end of `loop()`."
    )


def test_the_users_corrections_and_preferences_are_kept_verbatim() -> None:
    told = turn("Grease the belts", "I greased `belt.a` and the axle.", changes=True)
    for said in (
        "no. always oil the axle first, never the belts",
        "Nein, bei uns werden die Riemen nie gefettet",
        "non attention, pas de graisse sur les courroies",
        "以后都要先给轴上油，不要碰皮带",
    ):
        assert f"**Ask:** {said}" in summary(told, turn(said, "Understood.", changes=True)).body


def test_answers_to_questions_and_reasons_for_a_refusal_are_kept() -> None:
    found = summary(turn("Plan the second mill", "Use `oak`.", remarks=["the pine goes next spring"]))
    assert "**Ask:** Plan the second mill\n- User: the pine goes next spring" in found.body


def test_repeated_statements_are_kept_once() -> None:
    said = "The cause was the wear of `axle.left` and `axle.right` in winter."
    assert summary(turn("Why?", said, f"To sum up: {said}")).body.count("axle.right") == 1


def test_a_report_that_the_facts_repeat_is_left_out() -> None:
    found = summary(
        turn("Commit it, please, and the docs", "Committed as 9f3c2ab.", "The page `docs/a.md` says so now."),
        commits=["9f3c2ab Say so"],
    )
    assert "Committed as" not in found.body


def test_an_interrupted_turn_is_marked() -> None:
    found = summary(turn("Delete the old fixtures", "Deleting `tests/old/`.", is_interrupted=True))
    assert "(interrupted by the user)" in found.body


def test_only_the_error_of_pasted_output_is_kept_after_what_was_said_about_it() -> None:
    pasted = 'Traceback (most recent call last):\n  File "/a.py", line 8, in sync\n    f(row)\nValueError: x'
    found = summary(
        turn(f"{pasted}\n\nthis happens every night in the grain sync", "It is the comma in `12,90`.")
    )
    assert found.title == "this happens every night in the grain sync"
    assert "**Ask:** this happens every night in the grain sync; ValueError: x" in found.body
    assert "Traceback" not in found.body


def test_stack_frames_count_as_pasted_output() -> None:
    frames = "Thread 3 Crashed:\n0  libMill.dylib  _grind + 244\n1  Mill  Wheel.turn(at:) + 388"
    found = summary(
        turn(f"The wheel stops on every second start.\n\n{frames}", "`Wheel.turn` reads past the end.")
    )
    assert found.title == "The wheel stops on every second start"
    assert "libMill" not in found.body


def test_a_cause_that_is_denied_in_other_words_is_not_kept() -> None:
    claim = "The cause is the grain conversion from `a91`: it calls `rates.get()` 40 times."
    denial = "That only saved 30 ms, so the conversion isn't what makes it slow."
    cause = "The belt slips, that is the actual reason."
    body = summary(turn("Why does the mill stall?", claim, denial, cause, changes=True)).body
    assert claim not in body
    assert denial in body
    other = "The lamp isn't what stalls the mill."  # shares only the symptom with the cause
    assert claim in summary(turn("Why does the mill stall?", claim, other, changes=True)).body


def test_an_answer_that_the_next_one_takes_back_is_not_kept() -> None:
    body = summary(
        turn("oil the wheel", "The axle of `wheel.py` is oiled.", changes=True),
        turn("what is the timeout of the mill?", "2 seconds, it is `MILL_TIMEOUT` in `mill.py`."),
        turn("I thought 5?", "You're right, I misread it: `MILL_TIMEOUT` is set to 5 in `mill.toml`."),
    ).body
    assert "2 seconds" not in body
    assert "set to 5" in body


def test_a_cause_is_not_kept_once_the_assistant_admits_it_was_wrong_and_gives_another() -> None:
    claim = turn("why does the mill stall?", "The cause is the worn belt of `drive.py`.")
    admission = "Sorry, my mistake. It stalls because the spring of `governor.py` is loose."
    body = summary(claim, turn("look again, nothing is worn there", admission)).body
    assert "worn belt" not in body
    assert "the spring of `governor.py` is loose" in body


def test_what_is_left_to_do_at_the_end_outlasts_a_long_session() -> None:
    cause = "The cause is that `gear_{0}` of `mill_{0}.py` has {0}0 ms of slack."
    findings = [turn(f"why does mill {n} stall?", cause.format(n)) for n in range(60)]
    end = turn("and the belts?", "The belts are tight.\n\nThe doors are not oiled yet.")
    assert "not oiled yet" in summary(*findings, end).body


def test_an_open_item_that_a_later_turn_deals_with_is_not_kept() -> None:
    body = summary(
        turn("oil the wheel", "Oiled in `wheel.py`.\n\nStill open: it has no `Retry` header.", changes=True),
        turn("add the header", "Done, it carries `Retry: 60` now.", changes=True),
    ).body
    assert "Still open" not in body
    assert "`Retry: 60`" in body


def test_a_warning_is_kept_even_if_it_names_nothing() -> None:
    told = "The wheel of `mill.py` turns again.\n\n⚠️ The order matters: first the wheel, then the belts."
    assert "order matters" in summary(turn("Why does the wheel stop?", told, changes=True)).body


@pytest.mark.parametrize(
    "taken_back",
    [
        "I was wrong about GrainCache: the stalls are as many without it.",
        "Mit `GrainCache` lag ich falsch, die Stockungen sind gleich viele.",
        "`GrainCache` n'était pas la cause, il y a autant d'arrêts.",
        "With a larger one nothing changes, so GrainCache isn't what slows it down.",
    ],
)
def test_a_cause_retracted_later_is_not_kept(taken_back: str) -> None:
    claim = "The stalls come from `GrainCache::evict`, which runs 900 times."
    found = summary(
        turn("Why does the mill stall?", claim, "Replaced it, please try.", changes=True),
        turn(
            "still stalls", taken_back, "The cause is the belt: `drive.py` never tightens it.", changes=True
        ),
    )
    assert "come from" not in found.body
    assert taken_back in found.body
    assert "never tightens" in found.body
    assert "come from" in summary(turn("Why does the mill stall?", claim)).body


# -- the title --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "title"),
    [
        ("Can you please redraw the plan of the wheel?", "redraw the plan of the wheel"),
        ("Guten Morgen! Die Mühle läuft nicht mehr.", "Die Mühle läuft nicht mehr"),
        ("お疲れ様です。石臼が一時間ごとに止まってしまいます。", "石臼が一時間ごとに止まってしまいます"),
        (
            "the mill stops every hour of the day after the change to the new version of everything",
            "the mill stops every hour of the day after the change to the new version…",
        ),
        (
            "so we talked about it yesterday and in the end the short version is: order the new gears",
            "order the new gears",
        ),
    ],
)
def test_the_title_is_the_first_real_ask_cut_at_a_word(ask: str, title: str) -> None:
    found = summary(turn("hello"), turn(ask, "The gears are ordered by `shop.py`."))
    assert found.title == title
    assert len(found.title) <= 80


def test_the_title_is_the_first_sentence_unless_a_later_one_is_far_more_relevant() -> None:
    ask = "Visitors can walk behind the wheel while it turns. ISO 12100 + CE. TUV comes on the 18th."
    found = summary(
        turn(ask, "The fence ends at the wheel; TUV and ISO 12100 ask for 1.2 m, now in `fence.py`.")
    )
    assert found.title.startswith("Visitors can walk behind the wheel")


def test_a_title_does_not_start_inside_brackets() -> None:
    answer = "The greeting file is written and the cache warmup note was consulted, so the task is done."
    found = summary(turn(f"what do you remember [[do: say {answer}]]", answer))
    assert found.title.startswith("what do you remember [[do: say The greeting")


def test_an_ask_that_says_nothing_gets_its_title_from_a_commit_or_finding() -> None:
    answer = "The cause is a worn gear on `axle`."
    assert summary(turn("can you help me?", answer)).title == answer
    assert summary(turn("what is wrong here?", answer)).title == f"what is wrong here? – {answer}"
    commits = ["9f3c2ab Widen the counter"]
    assert (
        summary(turn("what is wrong here?", answer), commits=commits).title
        == "what is wrong here? – Widen the counter"
    )


def test_short_arguments_follow_their_command_in_the_title() -> None:
    found = summary(turn("482", "`a.py` drops the last row.", command="/fix-issue"))
    assert found.title == "/fix-issue 482 – `a.py` drops the last row."
    word = turn("login", "`a.py` drops the last row.", command="/fix-issue")
    assert summary(word).title == "/fix-issue login – `a.py` drops the last row."
    long = "the belt in drive.py never gets tight"
    assert summary(turn(long, "It has no bound.", command="/review")).title == long


def test_the_title_says_when_the_work_was_reverted() -> None:
    asked = turn(
        "drive the mill by steam with a boiler of sixty horses, to spare the wheel in summer", "Done."
    )
    found = summary(asked, is_taken_back=True, taken_back=["/w/steam.py"], cwd="/w")
    assert found.title.startswith("Reverted: drive the mill by steam")
    assert len(found.title) <= 80
    assert "**Restored or removed again (1):**\n- steam.py" in found.body


# -- limits and secrets -----------------------------------------------------------------------------------


def test_a_long_session_stays_within_four_thousand_characters() -> None:
    turns = [
        turn(
            f"no, never use module_{n}, always use `other_{n}` in this mill, ever " + "and so on " * 90,
            *(
                f"The cause is `name_{n}_{m}` in src/file_{n}_{m}.py: {n}.{m} s because of x{n}{m}. " * 3
                for m in range(5)
            ),
            changes=True,
        )
        for n in range(100)
    ]
    names = [f"/w/a/rather/long/path/to/file_number_{n}.py" for n in range(300)]
    found = summary(
        *turns, files_touched=names, commits=names, commands=names, pull_requests=names, tests="x" * 500
    )
    assert 2_000 < len(found.title) + len(found.body) <= 4_000
    assert "**Files touched (300):**" in found.body


def test_a_text_without_spaces_is_cut_and_a_long_list_keeps_both_ends() -> None:
    session = ParsedSession(
        first_prompt="p" * 5000, last_outcome="o" * 5000, files_touched=[f"/f{n}" for n in range(100)]
    )
    found = HeuristicSummarizer().summarize(session)
    assert len(found.title) == 80
    assert "p" * 299 + "…" in found.body
    assert "o" * 599 + "…" in found.body
    assert "**Files touched (100):**\n- /f0\n" in found.body
    assert "- … 92 more\n- /f96\n" in found.body


def test_a_cut_does_not_leave_half_a_secret() -> None:
    text, secret = SAMPLES["github classic"]
    found = summary(turn("w" * 70 + " " + text, "x " * 295 + text), commits=[f"abc {text}"], commands=[text])
    for size in range(8, len(secret)):
        assert secret[:size] not in found.title + found.body


def test_a_secret_is_recognised_by_the_line_above_even_if_that_line_is_dropped() -> None:
    answer = "The cause was `pg_hba.conf`, not the password:\nkX9vQ2mTz7Lp4R"
    assert "kX9vQ2mTz7Lp4R" not in summary(turn("Why does nobody get in?", answer)).body


# -- what the user stated, what was refused, what is open --------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "answer"),
    [
        ("die Walze bleibt übrigens bei 240 Umdrehungen, der Motor ist aus dem Jahr 1971", "Alles klar."),
        ("la meule reste à 240 tours, le moteur date de 1971 et le garant le veut ainsi", "C'est noté."),
        ("the roller stays at 240 turns, the motor is from 1971 and its maker is gone", "Noted."),
    ],
)
def test_what_the_user_states_is_kept_even_if_the_assistant_only_acknowledges_it(
    stated: str, answer: str
) -> None:
    parts = "hopper millstone governor spindle sluice".split()
    causes = [f"The cause is the {part}: `{part}_rim`, `{part}_hub` and `{part}_pin` jam." for part in parts]
    found = summary(turn("Why does the mill stop?", *causes, changes=True), turn(stated, answer))
    assert f"**Ask:** {stated}" in found.body


def test_a_proposal_that_the_user_corrects_is_not_kept() -> None:
    found = summary(
        turn(
            "The bell rings twice",
            "`bell.py` and `gong.py` both listen on port 4711. I'd take `gong.py` off port 4711.",
        ),
        turn(
            "no, the gong is for the fire brigade and must stay, only the bell",
            "`bell.py` listens on 4712 now.",
        ),
    )
    assert "both listen on port 4711" in found.body
    assert "I'd take" not in found.body
    assert "fire brigade" in found.body


def test_a_proposal_that_the_user_asks_about_or_accepts_is_kept() -> None:
    told = "`bell.py` and `gong.py` both listen on port 4711. I'd take `gong.py` off port 4711."
    for reply in ("no other way than that?", "yes, and keep the log on"):
        found = summary(turn("The bell rings twice", told), turn(reply, "`gong.py` listens on 4712 now."))
        assert "I'd take `gong.py` off" in found.body


@pytest.mark.parametrize(
    "guess",
    [
        "Das sieht nach dem Dynamo aus: er liefert in `dynamo.c` keine Spannung mehr.",
        "Acho que é o dínamo: ele não dá tensão em `dynamo.c`.",
        "On dirait le dynamo: il ne donne plus rien dans `dynamo.c`.",
    ],
)
def test_a_first_guess_is_dropped_once_the_cause_is_stated(guess: str) -> None:
    cause = "Found it: the cause is the relay in `relay.c`, which drops below 9.5 V."
    found = summary(turn("The lamp in the mill flickers", guess, cause, changes=True))
    assert cause.removeprefix("Found it: ") in found.body
    assert guess not in found.body


@pytest.mark.parametrize(
    ("guess", "retraction"),
    [
        ("Creo que es el MillGear: falta un diente.", "No era el MillGear. El eje está doblado en `axle.c`."),
        ("Looks like the MillGear lost a tooth.", "It wasn't the MillGear: the axle is bent, see `axle.c`."),
    ],
)
def test_a_guess_at_the_end_of_a_turn_is_dropped_when_a_later_turn_retracts_it(
    guess: str, retraction: str
) -> None:
    found = summary(
        turn("The wheel stops", guess, changes=True), turn("still stops", retraction, changes=True)
    )
    assert guess not in found.body
    assert "axle" in found.body


def test_committed_alone_is_not_an_outcome() -> None:
    found = summary(
        turn("Oil it", "The plan removes six pipes; nothing was applied.", "Committed."),
        commits=["Oil the hinge"],
    )
    assert "nothing was applied" in found.body
    assert "Committed." not in found.body


FAULTS = (
    "The millstone split because frost had entered `seam_a`; 12 % of Monday's flour went overboard there.",
    "The paddle jammed since driftwood blocks `gate_b`; 40 litres of oil were spilled beneath its axle.",
    "The hoist slips because `clutch_c` is greasy; 3 sacks fell onto the carter's empty wagon below.",
    "The sieve tears because wire `mesh_d` rusts; 7 % husks pass into every baker's finest bags again.",
    "The bell rings late because `spring_e` is soft; 2 minutes pass until anybody upstairs hears any noise.",
    "The dam leaks because clay near `post_f` cracked; 90 buckets seep through during one dry night.",
    "The cat sleeps in `bin_g` because warmth rises there; 5 mice were counted beside chutes after dusk.",
    "The ledger is wrong because `page_h` was torn; 11 shillings are missing from autumn's rent column.",
)
MILL = [turn(f"now fault {number}", fault, changes=True) for number, fault in enumerate(FAULTS)]


def test_the_users_choice_is_kept_even_if_the_answer_only_repeats_it() -> None:
    choice = turn(
        "take sluice 10.4.16/20, enough for Osk", "Reserved sluice 10.4.16/20 for Osk.", changes=True
    )
    end = turn("and the roof", "The roof leaks because of `tile.c`.", changes=True)
    assert "10.4.16/20" in summary(*MILL, choice, end).body


def test_the_answer_to_a_question_outranks_other_sentences_with_a_figure() -> None:
    answer = "On 29 May the weir was opened by the neighbours."
    parts = "hopper governor spindle sluice waterwheel".split()
    causes = (
        f"The cause was {part}: {part}_rim, {part}_hub, {part}_pin and 7 % {part}oil." for part in parts
    )
    end = turn("and the roof", "The roof leaks because of `tile.c`.", *causes, changes=True)
    asked = summary(*MILL, turn("since when?", answer), end)
    told = summary(*MILL, turn("go on there", answer), end)
    assert answer in asked.body
    assert answer not in told.body
