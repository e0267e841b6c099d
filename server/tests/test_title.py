"""A session's title names its subject: what was typed, not pasted text, filler or a script's role."""

from __future__ import annotations

import pytest

from anamnesis.session.asks import MAX_TITLE, ask_text, pasted_error, title_of, typed_part
from anamnesis.session.talk import Turn
from anamnesis.session.transcript import ParsedSession

PASTED = {
    "log": (
        "2031-01-09 14:20:31,007 INFO  [stone-0] mill.Grinder - [Stone id=0] Take the grain of bin 6\n"
        "2031-01-09 14:20:44,310 ERROR [stone-1] mill.Grinder - grain of bin 7 was lost on the way"
    ),
    "firmware": "[00:07:11.204,000] <wrn> lamp: no wick\n[00:07:19.880,000] <err> main: stone late",
    "report": "Finding:     SACK = 7\nFile:        src/sack.ts   Line: 9\nFinding:     LAMP: off",
    "browser": "Uncaught (in promise) LampError: lamp.on(): wick #12 is wet\n    at mill-Ab1.js:1:482",
    "tests": "tests/test_sack.py::test_kg FAILED\nE   mill.SackError: `Sack(kg=...)` is gone.\nERROR a.py:14",
    "shell": "$ mill ps\nNAME     READY   STATUS    AGE\nstone-0  0/1     Pending   41m",
    "prompt": "C:\\mill> grind.exe --fast\nThe term 'grind.exe' is not recognized\n    at line:1",
    "fenced": "```\nstone + 12\nstone + 14\n```",
    "ci": "##[group]Run make grind\n##[error]Process completed with exit code 2.\nmake: *** [grind] Error 2",
}


def title(*turns: Turn, findings: tuple[str, ...] = (), **fields: object) -> str:
    """The title of a session with these turns."""
    session = ParsedSession(turns=list(turns))
    for name, value in fields.items():
        setattr(session, name, value)
    return title_of(session, list(findings))


@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED.keys())
@pytest.mark.parametrize(
    "form", ["the mill is silent since noon:\n\n{}", "{}\n\nthe mill is silent since noon"]
)
def test_pasted_text_is_not_a_title(pasted: str, form: str) -> None:
    assert title(Turn(form.format(pasted))) == "the mill is silent since noon"


@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED.keys())
def test_text_typed_before_and_after_a_paste_is_kept(pasted: str) -> None:
    typed = typed_part(f"look at this:\n\n{pasted}\n\nwhich of these are real?")
    assert typed.split() == ["look", "at", "this:", "which", "of", "these", "are", "real?"]


@pytest.mark.parametrize(
    "typed",
    [
        "the mill stops at 12:30: every day the same\nand nobody knows why",
        "Fix the parser\nand be quick",
        "- sacks in the yard\n- lamps in the tower",
        "We need:\n\n1. a wheel\n2. a stone\n3. a miller who can read",
        "error handling in the grinder is weak, make it better",
        "I want a class for sacks and a function for lamps",
        "import of the harvest takes an hour (it was ten minutes)",
    ],
)
def test_typed_text_is_not_taken_for_output(typed: str) -> None:
    assert typed_part(typed).replace("\n\n", "\n") == typed.replace("\n\n", "\n")


def test_the_line_of_a_paste_that_explains_the_failure_is_kept() -> None:
    assert pasted_error(PASTED["tests"]) == "mill.SackError: `Sack(kg=...)` is gone."
    assert pasted_error(PASTED["log"]).endswith("grain of bin 7 was lost on the way")
    assert pasted_error("the mill is silent") == ""


def test_a_paste_alone_gives_its_error_as_the_title() -> None:
    assert title(Turn(PASTED["browser"])) == "LampError: lamp.on(): wick #12 is wet"


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("okay so um the wheel of the mill squeaks", "the wheel of the mill squeaks"),
        ("então é o seguinte a roda do moinho range", "a roda do moinho range"),
        ("ähm, das Mühlrad quietscht", "das Mühlrad quietscht"),
        ("euh, la roue du moulin grince", "la roue du moulin grince"),
        ("ну короче колесо мельницы скрипит", "колесо мельницы скрипит"),
        ("えっと、水車がきしみます。", "水車がきしみます"),
    ],
)
def test_filler_at_the_start_is_dropped(ask: str, expected: str) -> None:
    assert title(Turn(ask)) == expected


@pytest.mark.parametrize(
    "role",
    [
        "You are running in a pipeline at night.",
        "You are an expert in water mills.",
        "Act as a senior miller.",
        "Du bist ein erfahrener Müller.",
        "Eres un molinero con mucha experiencia.",
        "あなたは経験豊富な粉屋です。",
    ],
)
def test_a_role_given_by_a_script_is_not_a_title(role: str) -> None:
    assert title(Turn(f"{role} The harvest broke the sieve. Repair it.")) == "The harvest broke the sieve"


def test_the_first_sentence_that_names_the_subject_is_the_title() -> None:
    ask = "we want flour in small bags. must fit into the tower on the river, with sacks and lamps"
    assert title(Turn(ask), findings=("Flour: the tower on the river has room for sacks and lamps.",)) == (
        "we want flour in small bags"
    )


def test_a_first_sentence_that_never_comes_up_again_is_replaced_by_one_that_does() -> None:
    ask = "I was away at a wedding last weekend. The sieve of the upper stone lets husks through."
    findings = ("Husks pass the sieve because the upper stone is worn.",)
    assert title(Turn(ask), findings=findings) == "The sieve of the upper stone lets husks through"


def test_rambling_is_replaced_by_the_best_matching_commit_or_finding() -> None:
    ask = (
        "the thing in the yard it burns well for half the evening and then the lamp goes dark and the"
        " miller shouts and I think it is the wick because that is what my uncle always said so have a look"
    )
    commits = ["1a2b3c4 Tidy the yard", "9f3c2ab Feed the lamp from its own wick"]
    assert title(Turn(ask), commits=commits) == "Feed the lamp from its own wick"
    assert title(Turn(ask), findings=("The lamp starves.",)) == "The lamp starves."
    assert title(Turn(ask)).startswith("the thing in the yard")
    about_else = ("tallow | 9 % | 12 pence", "I would take the first: the second does not fit.")
    assert title(Turn(ask), findings=about_else).startswith("the thing in the yard")


def test_a_clause_of_a_ramble_that_comes_up_again_is_the_title() -> None:
    ask = (
        "what I want to do today is basically the harvest ledger has become far too thick for one shelf"
        " and the whole village waits when somebody writes in it so please look and tell me what you would do"
    )
    found = title(Turn(ask), findings=("**By month**: the ledger of the harvest in twelve books.",))
    assert found == "the harvest ledger has become far too thick for one shelf"


def test_one_word_that_never_recurs_is_not_a_title() -> None:
    ask = "I want your opinion, no code. we have fourteen mills on one river"
    assert (
        title(Turn(ask), findings=("Eleven mills have their own weir.",))
        == "we have fourteen mills on one river"
    )


def test_a_long_title_ends_at_a_pause() -> None:
    ask = (
        "since the flood in March all the stones of the lower mill stand still, here is what the miller wrote"
    )
    assert title(Turn(ask)) == "since the flood in March all the stones of the lower mill stand still"
    for taken_back in (False, True):
        assert len(title(Turn("grain " * 40), is_taken_back=taken_back)) <= MAX_TITLE


def test_a_cut_title_does_not_end_on_an_abbreviation() -> None:
    ask = "rename the wheel to drum everywhere in the module of the mill, incl. the tests and the docs"
    assert title(Turn(ask)) == "rename the wheel to drum everywhere in the module of the mill"


def test_a_title_of_one_word_is_completed_by_what_was_found() -> None:
    found = title(Turn("tests"), findings=("The specs of the wheel hardcode a date.",))
    assert found == "tests – The specs of the wheel hardcode a date."


def test_a_title_shows_the_part_without_a_credential() -> None:
    ask = (
        "log into the mill with admin / [redacted: password] and find out why the lamp in the tower flickers"
    )
    assert title(Turn(ask)) == "find out why the lamp in the tower flickers"


def test_a_long_ask_loses_its_vaguest_sentences_first() -> None:
    vague = "Zip through it as you did the last time with that. Well, it is like this and it is like that. "
    told = [
        "The wheel of `mill.py` squeaks.",
        "Always oil the axle first.",
        "Compare `a.toml` with `b.toml`.",
    ]
    ask = ask_text(Turn(f"{' '.join(told)} {vague * 6}"), 450)
    assert ask.startswith(" ".join(told))
    assert ask.count("Well, it is like this") < 6


def test_a_cut_title_keeps_the_last_word_that_fits() -> None:
    fitting = "the importer of the second mill stopped at noon while every miller slept deeply"
    assert len(fitting) == MAX_TITLE - 1
    assert title(Turn(f"{fitting} beside that river")) == f"{fitting}…"


@pytest.mark.parametrize("word", ["the", "of the", "mit", "von der"])
def test_a_cut_title_does_not_end_on_an_article_or_preposition(word: str) -> None:
    start = "the importer of the second mill stopped and was retried"
    asked = f"{start} {word} watermill-of-the-lower-village-near-the-border before noon"
    assert title(Turn(asked)) == f"{start}…"
