"""A note keeps what still holds at the end: no retracted guesses or repetitions, but open points."""

from __future__ import annotations

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession
from anamnesis.session.rating import weigh
from anamnesis.session.sentences import Unit
from anamnesis.session.talk import Turn


def body(*turns: Turn, **fields: object) -> str:
    """The body of the note for a session with these turns."""
    session = ParsedSession(turns=list(turns))
    for name, value in fields.items():
        setattr(session, name, value)
    return HeuristicSummarizer().summarize(session).body


def turn(ask: str, *texts: str, changes: bool = False, **more: object) -> Turn:
    """A turn with these answers."""
    return Turn(ask, texts=list(texts), has_changes=changes, **more)  # type: ignore[arg-type]  # fields of a turn


# -- retracted --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guess", "retraction"),
    [
        ("My working theory is that `sieve.py` clogs at 40 rpm.", "Scratch that theory: the sieve is clean."),
        (
            "My first guess is that the wick burns out after 30 s.",
            "The wick is not involved: it burns for hours.",
        ),
        ("The probable cause is the belt of the lower stone.", "That was not it."),
        ("Ich vermute, dass der Riemen rutscht.", "Der Riemen war es nicht."),
        ("Sospetto che la cinghia scivoli sulla ruota.", "Mi sbagliavo: la cinghia tiene."),
        ("Vermoedelijk slipt de riem op het wiel.", "De riem was het niet."),
        ("Подозреваю, что ремень скользит по колесу.", "Дело не в ремне: он держит."),
        ("怀疑是皮带在轮子上打滑，我先换一根。", "我之前说错了，皮带没有问题。"),
    ],
)
def test_a_retracted_guess_is_dropped_and_its_retraction_kept(guess: str, retraction: str) -> None:
    told = body(
        turn("why does the mill stand still?", guess, "The stone turns at 12 rpm, see `stone.log`."),
        turn("no, it stopped again", retraction, "The cause is `gear.py`: it counts the teeth twice."),
    )
    assert guess not in told
    assert retraction in told


def test_the_paragraph_of_a_retracted_guess_is_dropped_with_it() -> None:
    guess = "I suspect the lamp `tower.1`. It draws 40 W, so `fuse.conf` gives up after 9 s."
    told = body(
        turn("why is it dark?", guess, "That was wrong: `tower.1` is fine.", "The cause is the fuse box.")
    )
    assert "40 W" not in told
    assert "is fine" in told


@pytest.mark.parametrize(
    ("cause", "objection", "answer"),
    [
        (
            "The real cause is that `GearBox` lowered `brake_delay` to 5 s. It turns back after that.",
            "no, the delay was always 5 s",
            "You are right, I was wrong about the delay. The actual cause: `wheel.py` has two springs.",
        ),
        (
            "The cause is the belt of `GearBox`.",
            "but the belt is new",
            "You're absolutely right. The actual cause is the rope in `crane.py`.",
        ),
        (
            "La vraie cause : `Wheel.turn` appelle `grain()` (N+1).",
            "grain() est en cache",
            "Tu as raison, je me suis trompé : ce n'est pas le N+1. La lenteur vient de `sack.sku`.",
        ),
        (
            "Die Ursache ist der Riemen in `belt.py`.",
            "der ist neu",
            "Da lag ich falsch. Die Ursache ist das Seil in `crane.py`.",
        ),
        ("La causa es la correa de `belt.py`.", "es nueva", "Me equivoqué: la causa es `crane.py`."),
        ("原因は `belt.py` のベルトです。", "新品です", "間違っていました。原因は `crane.py` のロープです。"),
        ("原因是 `belt.py` 的皮带。", "皮带是新的", "我错了，原因是 `crane.py` 的绳子。"),
    ],
)
def test_an_answer_that_opens_with_an_admission_takes_back_the_causes_of_the_one_before(
    cause: str, objection: str, answer: str
) -> None:
    told = body(turn("the mill shakes", cause), turn(objection, "Let me look again.", answer, changes=True))
    assert not any(sentence in told for sentence in cause.split(". "))
    assert answer[-20:] in told


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (
            "but line 40 is empty",
            "You are right, I was wrong about the line: it is line 48. The delay is still the cause.",
        ),
        ("and is the lamp part of it?", "The lamp is not involved. It flickers because of `dynamo.py`."),
        ("and add a test", "You're right, it needs one, because `wheel.py` changes often."),
    ],
)
def test_a_cause_that_the_next_answer_confirms_or_leaves_alone_is_kept(ask: str, answer: str) -> None:
    cause = "The cause is that `GearBox` lowered `brake_delay` to 5 s."
    assert cause in body(turn("the mill shakes", cause), turn(ask, answer, changes=True))


def test_a_sentence_that_only_sounds_like_a_retraction_gains_nothing() -> None:
    aside = "It has no callers, so it could go, but that has nothing to do with what we are doing here today."
    told = body(
        *(
            turn(f"fix axle {n}", f"The cause is `axle_{n}.py`: the pin of `hub_{n}` is loose.")
            for n in range(16)
        ),
        turn("do it", "All pins are fixed in `hub.py`.", changes=True),
        turn("what is wheel_old?", aside),
    )
    assert aside not in told


# -- kept once --------------------------------------------------------------------------------------------


def test_the_later_of_two_equal_findings_is_kept() -> None:
    early = (
        "The counter of the sacks in `scale.py` overflows after 65,536 sacks, so the scale starts at zero."
    )
    late = "**Cause:** the counter of the sacks overflowed after 65,536, and the scale started at zero again."
    told = body(turn("the scale is wrong", early, f"Fixed.\n\n{late}", changes=True))
    assert late in told
    assert early not in told


def test_an_answer_that_only_repeats_the_ask_is_left_out() -> None:
    told = body(
        turn("build the fence", "The fence stands, 40 posts in `fence.scad`.", changes=True),
        turn(
            "and remember: never paint the fence on windy days", "Noted: never paint the fence on windy days."
        ),
    )
    assert "Noted" not in told


def test_a_test_count_is_kept_once() -> None:
    told = body(
        turn("oil the gate", "The gate in `gate.py` is oiled.\n\n47 tests pass.", changes=True),
        tests="47 passed (`make test`)",
    )
    assert "47 tests pass" not in told


def test_lists_of_ideas_are_left_out() -> None:
    text = (
        "The banner of `tower.svg` is up.\n\nSome ideas for later:\n\n- a second `lamp.svg`\n- a `bell.ogg`"
    )
    assert "bell.ogg" not in body(turn("put up a banner", text, changes=True))


# -- references, and open points --------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["It", "This", "They"])
def test_a_sentence_that_refers_to_the_one_before_is_kept_with_it(word: str) -> None:
    reason = "The sacks are stored under the owner of the yard."
    consequence = f"{word} must be moved with `sack --force` and `yard.lock` in `/srv/yard`."
    assert f"{reason} {consequence}" in body(turn("the yard is empty", f"{reason} {consequence}"))


@pytest.mark.parametrize(
    "start", ["That is why", "This means that", "Das heißt,", "C'est-à-dire que", "Es decir,", "つまり、"]
)
def test_a_sentence_that_refers_to_the_paragraph_before_is_kept_with_it(start: str) -> None:
    reason = "The sacks are stored by owner and then by year."
    consequence = f"{start} `sack --force` and `yard.lock` in `/srv/yard` go first, after 40 minutes."
    parts = "hopper stone governor spindle sluice wheel belt lamp gear axle rope sack roof door".split()
    causes = [f"The cause is the {part}: `{part}_rim`, `{part}_hub` and `{part}_pin` jam." for part in parts]
    told = body(turn("the yard is empty", *causes, f"{reason}\n\n{consequence}", "Done.", changes=True))
    assert f"- {reason}\n- {consequence}" in told


@pytest.mark.parametrize(
    "start", ["There it is:", "This is it.", "Gefunden:", "Encontrado:", "Trovato:", "Нашёл:"]
)
def test_a_text_that_introduces_the_finding_is_kept(start: str) -> None:
    finding = f"{start} the miller has the only key, and the gate never asks him."
    many = [f"`part_{n}` of `wheel_{n}` turns now." for n in range(30)]
    assert finding in body(turn("why is the gate open?", finding, *many, "Done."))


@pytest.mark.parametrize(
    "left",
    [
        "Left: the lamps, the bell and the stairs.",
        "**Still red:** the door of the tower.",
        "Not done: the drawing of the yard.",
        "Offen ist noch die Zeichnung vom Hof.",
        "Restent trois lampes à changer.",
        "Falta pintar la puerta de la torre.",
        "Осталось покрасить дверь башни.",
        "The big wheel hasn't been greased yet.",
        "Die Tür ist noch nicht gestrichen.",
        "塔楼的门还没有上漆",
        "塔のドアはまだ塗っていません。",
    ],
)
def test_what_remains_at_the_end_outranks_earlier_statements(left: str) -> None:
    earlier = [
        turn(
            f"turn wheel {n}",
            f"`wheel_{n}` turns at {n}0 rpm because of `axle_{n}` and `hub_{n}`.",
            changes=True,
        )
        for n in range(30)
    ]
    last = turn("stop for today", f"The wheels turn.\n\n{left}")
    assert left in body(*earlier, last)


@pytest.mark.parametrize(
    ("ask", "left"),
    [("has CI run?", "CI has not run yet."), ("提交", "已提交 `9f3c2ab`。还没有部署到生产环境")],
)
def test_what_remains_is_kept_even_if_the_ask_or_a_commit_names_the_same(ask: str, left: str) -> None:
    told = body(turn("mend it", "`gate.py` opens.", changes=True), turn(ask, left), commits=["9f3c2ab Mend"])
    assert left in told


def test_a_cause_in_which_something_is_not_done_yet_does_not_remain() -> None:
    assert "left" not in weigh(Unit("It fails because the row is not stored yet.")).reasons
    assert "left" not in weigh(Unit("A row that is not stored yet when it is read is empty.")).reasons


def test_early_open_points_are_not_listed_once_the_work_continued() -> None:
    first = turn("raise the sluice", "The sluice is up.\n\nNot done: the lower gate.", changes=True)
    rest = [
        turn(f"now gate {n}", f"`gate_{n}` opens at {n}0 cm now, see `gate.log`.", changes=True)
        for n in range(5)
    ]
    assert "Not done" not in body(first, *rest)


# -- the outcome ------------------------------------------------------------------------------------------


def test_a_short_side_answer_after_the_work_is_not_the_outcome() -> None:
    told = body(
        turn("mend the roof", "The roof of `barn.py` is tight: 40 new tiles.", changes=True),
        turn("and what day is it?", "Today is the 4th, `date` says."),
    )
    assert "**Outcome:** The roof of `barn.py` is tight: 40 new tiles." in told


def test_many_turns_after_the_last_change_are_not_side_questions() -> None:
    side = "The can says SAE 30, like the one before it."
    greased = [f"`axle{n}.py` sets `GREASE_{n} = {n}` now, because {n} kg wear it." for n in range(20)]
    work = [turn("grease the axle", "\n\n".join(greased), changes=True)]
    assert side not in body(*work, turn("which oil is in the can?", side))
    later = [turn(f"and {part}?", f"The {part} turns.") for part in ("the belt", "the wheel", "the stone")]
    assert side in body(*work, turn("which oil is in the can?", side), *later)


def test_the_answers_to_a_bare_continue_join_the_previous_turn() -> None:
    told = body(
        turn("paint the doors", "`door_1` is red now, 3 coats.", changes=True),
        turn("continue", "`door_2` is blue now, 2 coats.", changes=True),
        turn("and the gate", "`gate_1` is green now, 4 coats.", changes=True),
    )
    assert "3 coats.\n- `door_2`" in told


@pytest.mark.parametrize(
    ("ask", "options", "expected"),
    [
        ("b", "a) sell the mill\nb) rent out the tower\nc) wait", "b (rent out the tower)"),
        ("2", "1. sell the mill\n2. **rent out** the tower", "2 (rent out the tower)"),
        ("option B please", "| A. sell | at once |\n| B. rent out | slow |", "option B (rent out) please"),
        (
            "2 is out, the tower stays ours",
            "1. sell it\n2. rent it out. Slow.",
            "2 (rent it out) is out, the tower stays ours",
        ),
        (
            "A. but not the bell",
            "Option A: sell it / Option B: rent it out",
            "A (sell it). but not the bell",
        ),
        (
            "let's go with option b",
            "(A) sell the mill, or (B) rent it out?",
            "let's go with option b (rent it out)",
        ),
        (
            "A but not the bell",
            "- **Option A** – sell it\n- **Option B** – wait",
            "A (sell it) but not the bell",
        ),
        ("B - not the bell", "### Option A: sell it\n### Option B: wait", "B (wait) - not the bell"),
        ("1", "1) sell it (2 weeks), see mill(1) there\n2) wait", "1 (sell it (2 weeks), see mill(1) there)"),
        ("a new door please", "a) sell it\nb) wait", "a new door please"),
        ("2 of the doors still squeak", "1. oil\n2. wax", "2 of the doors still squeak"),
        ("b", "no options here", "b"),
    ],
)
def test_a_choice_is_shown_with_the_text_of_its_option(ask: str, options: str, expected: str) -> None:
    told = body(
        turn("what can we do with the tower?", options),
        turn(ask, "The tower is on the market, see `tower.md`.", changes=True),
    )
    assert f"**Ask:** {expected}\n" in told


# -- paths ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cwd", "path", "shown"),
    [
        ("/home/ada/mill", "/home/ada/mill/src/stone.py", "src/stone.py"),
        ("C:\\Users\\ada\\mill", "C:\\Users\\ada\\mill\\src\\stone.cs", "src\\stone.cs"),
        ("/home/ada/mill", "/home/ada/mill2/stone.py", "/home/ada/mill2/stone.py"),
        ("/", "/etc/mill.conf", "/etc/mill.conf"),
    ],
)
def test_paths_are_relative_to_the_sessions_folder(cwd: str, path: str, shown: str) -> None:
    told = body(
        turn("mend the stone", f"The cause is in `{path}`, line 9.", changes=True),
        files_touched=[path],
        cwd=cwd,
    )
    assert f"- {shown}\n" in told
    assert f"`{shown}`, line 9" in told
