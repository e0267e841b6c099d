"""A session's summary keeps the names that matter, not the farewell, within its length limits."""

from __future__ import annotations

from uuid import uuid4

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession
from anamnesis.session.summary import Summary
from anamnesis.session.transcript import Turn
from secret_samples import SAMPLES


def summary(*turns: Turn, **fields: object) -> Summary:
    """The summary of a session with these turns."""
    session = ParsedSession(turns=list(turns))
    for name, value in fields.items():
        setattr(session, name, value)
    return HeuristicSummarizer().summarize(session)


def turn(ask: str, *texts: str, **more: object) -> Turn:
    """A turn with these answers."""
    return Turn(ask, texts=list(texts), **more)  # type: ignore[arg-type]  # fields of a turn


def test_the_summary_has_ask_branch_files_and_outcome_in_this_order() -> None:
    found = HeuristicSummarizer().summarize(
        ParsedSession(
            first_prompt="Fix the parser\nand be quick",
            last_outcome="Fixed.",
            files_touched=["/w/src/a.py", "/etc/hosts"],
            git_branch="main",
            cwd="/w",
        )
    )
    assert found == Summary(
        "Fix the parser",
        "**Ask:** Fix the parser; and be quick\n\n**Branch:** main\n\n"
        "**Files touched (2):**\n- src/a.py\n- /etc/hosts\n\n**Outcome:** Fixed.",
    )


def test_each_turn_is_kept_with_its_ask_and_the_last_telling_one_is_the_outcome() -> None:
    found = summary(
        turn("Why does the mill stop?", "Let me look.", "`Timer.tick` counts in 16 bits."),
        turn(
            "Fix it in timer.c please", "Fixed in `timer.c`:\n\n| file | lines |\n|---|---|\n| timer.c | 31 |"
        ),
        turn("thanks", "You're welcome! Have a nice day."),
        commits=["abc1234 Count in 32 bits"],
        tests="12 passed (`make test`)",
    )
    assert "**Ask:** Why does the mill stop?\n- " in found.body
    assert "- `Timer.tick` counts in 16 bits." in found.body
    assert "**Outcome:**\n- Fixed in `timer.c`:\n" in found.body
    assert "- timer.c | 31" in found.body
    assert found.body.endswith(
        "**Tests:** 12 passed (`make test`)\n\n**Commits (1):**\n- abc1234 Count in 32 bits"
    )
    assert "welcome" not in found.body


@pytest.mark.parametrize(
    ("ask", "title"),
    [
        ("hi there, good morning to you", "The mill stops on an empty hopper"),
        ("Implement the following plan:\n\n# The hopper stops the mill", "The hopper stops the mill"),
        ("why is that so", "why is that so – {name}"),
        ("https://example.org/kiln/pull/17#note_3\nlook at it", "kiln/pull/17 look at it – {name}"),
    ],
)
def test_the_title_is_the_first_ask_whose_words_come_back_or_it_gets_a_name(ask: str, title: str) -> None:
    name = "Hopper." + "".join(chr(97 + byte % 26) for byte in uuid4().bytes[:8])
    turns = [turn(ask, "Good morning! What can I do?" if "morning" in ask else f"It was `{name}`.")]
    if "{" not in title:
        turns.append(
            turn("The mill stops on an empty hopper", f"`{name}` stops the mill on an empty hopper.")
        )
    assert summary(*turns).title == title.format(name=name)


def test_thanks_at_the_end_are_neither_an_ask_nor_the_outcome() -> None:
    body = summary(
        turn("Why does the mill stop?", "`Timer.tick` overflows."), turn("thanks, that's it", "Glad!")
    ).body
    assert "**Outcome:** `Timer.tick` overflows." in body
    assert "thanks" not in body


def test_sentences_that_name_different_things_are_not_the_same() -> None:
    names = ["fetch_rates", "load_rules", "render_pdf", "send_mail", "warm_cache"]
    turns = [
        turn(
            f"and why is {name} slow?",
            f"The cause was that it used {name}_pool, not the default; it went from 9 s to 0.{place} s.",
        )
        for place, name in enumerate(names)
    ]
    body = summary(*turns).body
    assert [name for name in names if f"{name}_pool" not in body] == []


def test_repeated_statements_are_kept_once() -> None:
    said = "The cause is `Timer.tick` in `timer.c`, which overflows after 65,536 turns."
    assert summary(turn("Why does it stop?", said, "Still looking.", said)).body.count("65,536") == 1


def test_of_a_long_session_every_turn_leaves_a_line() -> None:
    noise = "\n\n".join(f"`option_{n}` is {n}.5 s in src/part_{n}.py" for n in range(200))
    turns = [turn(f"look at the step number {n}", f"`step_{n}` is done.") for n in range(12)]
    body = summary(turn("list all the options there are", noise), *turns).body
    assert [n for n in range(12) if f"step_{n}" not in body] == []


def test_what_was_said_before_an_interruption_or_refused_is_not_told_as_fact() -> None:
    body = summary(
        turn("move it to `redis`, all of it", "I moved it to `memcached`.", is_interrupted=True),
        turn("now the tests", "They pass.", remarks=["Which store? postgres"]),
    ).body
    assert "memcached" not in body
    assert "- (interrupted by the user)" in body
    assert "- User: Which store? postgres" in body


def test_a_long_session_stays_within_four_thousand_characters_and_lists_the_latest_items() -> None:
    turns = [
        turn(
            f"never use module_{n} in this mill, ever " + "and so on " * 90,
            *(f"The cause is `name_{n}_{m}` in src/file_{n}_{m}.py: {n}.{m} s. " * 3 for m in range(5)),
        )
        for n in range(100)
    ]
    names = [f"/w/a/rather/long/path/to/file_number_{n}.py" for n in range(300)]
    found = summary(*turns, files_touched=names, commits=names, tests="x" * 500)
    assert 2_000 < len(found.title) + len(found.body) <= 4_000
    assert "**Files touched (300):**\n- /w/a/rather/long/path/to/file_number_294.py" in found.body
    assert "file_number_299" in found.body


def test_an_ask_that_is_only_code_and_has_no_answer_gives_a_note() -> None:
    code = "```\nfor part in mill: part.turn()\n```"
    assert "mill" in HeuristicSummarizer().summarize(ParsedSession(turns=[Turn(code)])).body


def test_a_cut_does_not_leave_half_a_secret() -> None:
    text, secret = SAMPLES["github classic"]
    found = summary(turn("w" * 70 + " " + text, "x " * 295 + text), commits=[f"abc {text}"])
    for size in range(8, len(secret)):
        assert secret[:size] not in found.title + found.body


def test_a_secret_is_recognised_by_the_line_above_even_if_that_line_is_dropped() -> None:
    answer = "The cause was `pg_hba.conf`, not the password:\nkX9vQ2mTz7Lp4R"
    assert "kX9vQ2mTz7Lp4R" not in summary(turn("Why does nobody get in?", answer)).body


def test_a_pasted_log_is_no_part_of_the_ask_nor_of_the_title() -> None:
    log = "\n".join(f"2026-05-04 08:1{n}:00,412 ERROR worker-{n} duplicate key {n}" for n in range(8))
    found = summary(turn(f"The import dies, here is the log:\n\n{log}", "`load.py` inserts twice."))
    assert found.title == "The import dies, here is the log – load.py"
    assert "ERROR" not in found.body
