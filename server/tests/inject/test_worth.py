"""What a note is worth to a session that starts now."""

from __future__ import annotations

import pytest

from anamnesis.inject.worth import phrases_for
from inject.telling import briefing, note, order, ranked, session

TRIVIA = "The cake was eaten on the 16th and somebody booked the room for next week; it was nice."


def test_an_old_fundamental_note_beats_new_trivia() -> None:
    old = note("old", "`make test` starts the database first.", title="Run the tests", day="2024-01-01")
    new = note("new", TRIVIA, title="Party in the small room", day="2026-06-23")
    assert order([new, old]) == ["old", "new"]


@pytest.mark.parametrize(
    "title",
    [
        "How to deploy",
        "Naming conventions",
        "Why we use SQLite",
        "Tests ausführen",
        "Lancer les tests",
        "テストの実行",
    ],
)
def test_a_title_about_how_the_project_is_worked_on_raises_a_note(title: str) -> None:
    assert order([note("plain", title="The invoice page"), note("basic", title=title)])[0] == "basic"


def test_a_rule_beats_a_description() -> None:
    rule = note("rule", "Prices are integers in cents. Never use floats; always round per line.")
    assert order([note("plain", "The page has a list and a button at the top."), rule])[0] == "rule"


def test_what_the_user_pinned_comes_first() -> None:
    basic = note("basic", "`make test` must pass. Never skip it.", title="Run the tests")
    assert order([basic, note("mine", TRIVIA, tags=["pinned"])])[0] == "mine"


def test_notes_of_the_branch_gain_and_those_of_other_branches_lose() -> None:
    here = note("here", "Half done.", title="feat/vouchers: combination rules")
    there = note("there", "On branch fix/timeouts: the pool has eight connections, never more.")
    other = note("other", "Run `task replay`; always.", title="docs/guide: how to build")
    plain = note("plain")
    assert order([plain, there, other, here], branch="feat/vouchers")[0] == "here"
    assert order([there, other, plain], branch="feat/vouchers")[0] == "plain"
    assert set(order([plain, here, there, other], branch="main")[1:]) == {"here", "there", "other"}


def test_a_note_about_how_branches_are_used_belongs_to_no_branch() -> None:
    text = "Each minor version is a branch `docs/1.2`; main is the next version."
    assert "other branch" not in ranked([note("n", text)], branch="main")[0].parts


@pytest.mark.parametrize(
    "text",
    ["On harbour/lamps, the pool has eight.", "Für harbour/lamps: `make sim`", "harbour/lamps: half done."],
)
def test_a_branch_is_recognised_by_the_sessions_on_it(text: str) -> None:
    there = session("s", "dim the lamps", day="2026-06-20", branch="harbour/lamps")
    found = {each.note.id: each.parts for each in ranked([there, note("n", text)], branch="main")}
    assert "other branch" in found["n"]
    alone = ranked([note("n", text)], branch="main")[0].parts
    assert "other branch" not in alone, "without a session it may be a folder"


def test_a_text_that_starts_with_a_branch_is_about_it() -> None:
    assert "other branch" in ranked([note("n", "Pour feat/balance : simuler")], branch="main")[0].parts


def test_office_notes_lose_unless_the_project_is_about_such_things() -> None:
    office = note("office", "The printer is in the kitchen, next to the coffee.", title="Printer")
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    assert order([*crowd, office])[-1] == "office"
    drivers = [note(f"d{number}", f"Printer driver {number} speaks IPP.") for number in range(8)]
    assert "passing" not in ranked(drivers)[0].parts


def test_a_subject_with_its_own_tag_or_branch_is_not_office_trivia() -> None:
    rule = note("rule", "The radio sends once a minute. Insurance wants a log.", title="Radio and insurance")
    assert "passing" in ranked([rule])[0].parts
    tagged = note("tagged", "Frames have 51 bytes.", tags=["radio"])
    worked = session("worked", "send less often", day="2026-06-20", branch="feat/insurance-log")
    parts = {each.note.id: each.parts for each in ranked([rule, tagged, worked])}
    assert "passing" not in parts["rule"]


def test_a_longer_name_is_another_branch() -> None:
    longer = note("longer", "On branch feat/vouchers-v2: everything is new.")
    assert "branch" not in ranked([longer], branch="feat/vouchers")[0].parts


def test_notes_about_the_last_sessions_subject_gain() -> None:
    last = session("s", "the geofence alarm comes late, see fence/alarm.go", day="2026-06-23")
    about = note("about", "The geofence alarm has a tolerance of two metres.")
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    assert order([*crowd, about, last])[:2] == ["s", "about"]


def test_a_word_in_a_quarter_of_the_notes_does_not_count_for_the_moment() -> None:
    last = session("s", "the page is slow", day="2026-06-23")
    crowd = [note(f"n{number}", f"Part {number} has a page of its own.") for number in range(8)]
    assert "moment" not in ranked([*crowd, last])[-1].parts


def test_the_end_of_a_long_session_counts_too() -> None:
    last = session("s", "look around. " * 80 + "Left: the zebra table.", day="2026-06-23")
    about = note("about", "The zebra table has two columns.")
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    assert order([*crowd, about, last])[:2] == ["s", "about"]


@pytest.mark.parametrize(
    ("said", "written"), [("zebras", "zebra"), ("Tabelle", "Tabellen"), ("Tour", "Touren")]
)
def test_singular_and_plural_are_one_word(said: str, written: str) -> None:
    last = session("s", f"look at {said}", day="2026-06-23")
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    assert order([*crowd, note("about", f"{written}: 12"), last])[:2] == ["s", "about"]


def test_a_branch_prefix_counts_as_a_word_if_it_says_something() -> None:
    crowd = [note(f"n{number}", f"Part {number} of the shop has a page of its own.") for number in range(8)]
    about = note("about", "Cycles per byte, on a quiet machine.", title="How performance is measured")
    found = {each.note.id: each.parts for each in ranked([*crowd, about], branch="perf/copy")}
    assert found["about"]["moment"] > 0
    assert "moment" not in ranked([*crowd, about], branch="fix/copy")[0].parts


def test_the_latest_sessions_rank_above_older_ones() -> None:
    sessions = [session(f"s{day}", f"thing {day}", day=f"2026-06-{day}") for day in (10, 12, 20, 22)]
    assert order([*sessions, note("n")]) == ["s22", "s20", "n", "s12", "s10"]


@pytest.mark.parametrize(("branch", "counts"), [("", False), ("main", False), ("feat/pier", True)])
def test_a_session_long_before_the_last_gains_only_on_the_same_branch(branch: str, *, counts: bool) -> None:
    notes = [
        session("old", "draw the quay", day="2026-04-02", branch=branch or "main"),
        session("last", "draw the pier", day="2026-06-20", branch=branch or "main"),
    ]
    parts = {each.note.id: each.parts for each in ranked(notes, branch=branch)}
    assert "last session" in parts["last"]
    assert ("last session" in parts["old"]) == counts


def test_the_last_session_on_this_branch_comes_before_a_newer_one_on_another() -> None:
    notes = [
        session("elsewhere", "rename a label", day="2026-06-23", branch="chore/label"),
        session("here", "voucher rules", day="2026-06-20", branch="feat/vouchers"),
    ]
    assert order(notes, branch="feat/vouchers") == ["here", "elsewhere"]
    assert order([*notes, note("n")], branch="feat/vouchers")[:2] == ["here", "elsewhere"]


LONG_ASK = (
    "make the pager keep its place. " + "The list is long, and every row has a sentence of its own. " * 40
)


def test_the_branch_of_a_session_is_found_below_any_number_of_asks() -> None:
    here = session("here", LONG_ASK, day="2026-06-20", branch="feat/pager")
    elsewhere = session("elsewhere", "rename a label", day="2026-06-23", branch="chore/label")
    found = {each.note.id: each.parts for each in ranked([here, elsewhere], branch="feat/pager")}
    assert found["here"]["branch"] > 0
    assert found["here"]["last session"] > found["elsewhere"]["last session"]
    assert "other branch" in {each.note.id: each.parts for each in ranked([here], branch="fix/x")}["here"]


def test_the_branch_that_a_session_names_in_passing_is_not_its_own() -> None:
    other = session("s", "compare with feat/pager", day="2026-06-20", branch="chore/label")
    (found,) = ranked([other], branch="feat/pager")
    assert "branch" not in found.parts
    on_main = session("s", "compare with feat/pager", day="2026-06-20", branch="main")
    assert {"branch", "other branch"}.isdisjoint(ranked([on_main], branch="feat/pager")[0].parts)


def test_use_raises_a_note_among_equals_but_never_above_a_fundamental_one() -> None:
    used, unused = note("used", "The list has a page."), note("unused", "The form has a page.")
    basic = note("basic", "`make test` starts the database first; never skip it.", title="Run the tests")
    assert order([unused, used], uses={"used": 3})[0] == "used"
    assert order([used, basic], uses={"used": 20})[0] == "basic"


def test_a_note_from_a_person_counts_more_than_one_from_a_model() -> None:
    told = [note("model", source="reflection"), note("person")]
    told[0].confidence = 0.6
    assert order(told) == ["person", "model"]


def test_age_only_breaks_ties() -> None:
    assert order([note("old", day="2025-06-01"), note("new", day="2026-06-01")]) == ["new", "old"]
    assert order([note("old", day="2025-09-30"), note("new", day="2025-10-01")]) == ["new", "old"]


def test_a_date_in_the_future_gains_nothing() -> None:
    assert order([note("wrong", day="2999-01-01"), note("old", day="2025-01-01")]) == ["old", "wrong"]
    sessions = [session("wrong", "x", day="2999-01-01"), session("s1", "x", day="2026-06-22")]
    assert order([*sessions, session("s2", "y", day="2026-06-20")])[:2] == ["s1", "s2"]


def test_worth_is_the_sum_of_its_named_parts() -> None:
    found = ranked([note("n", "`make test`; never skip it.", title="Run the tests", kind="procedural")])[0]
    assert found.worth == pytest.approx(sum(found.parts.values()))
    assert {"basic", "how-to", "rules", "code"} <= set(found.parts)


def test_an_invalid_date_is_not_an_error() -> None:
    broken = note("n")
    broken.updated_at = "soon"
    assert order([broken, note("m")]) == ["m", "n"]


def test_a_short_name_in_the_branch_counts_as_a_word_of_it() -> None:
    notes = [
        note("about", "The jwt has a lifetime."),
        *(note(f"n{n}", f"Thing {n} is so.") for n in range(9)),
    ]
    assert order(notes, branch="feat/jwt")[0] == "about"


def test_a_branch_is_matched_by_its_words_and_the_trunk_is_not() -> None:
    assert phrases_for("feat/vouchers-2")[-1] == '"feat vouchers 2"'
    assert len(phrases_for("main")) == 1


def test_a_used_note_ranks_above_a_similar_unused_one() -> None:
    plain = [note("a", "The page has a list."), note("b", "The page has a button.")]
    assert order(plain, uses={"b": 2})[0] == "b"
    assert order(plain, uses={"a": 2})[0] == "a"


def test_use_never_buries_a_fundamental_note() -> None:
    basic = note("basic", "`make test` starts the database first.", title="Run the tests", day="2024-01-01")
    crowd = [note(f"n{number}", "The page has a list and a button.") for number in range(30)]
    trivia = [note(f"t{number}", TRIVIA) for number in range(30)]
    uses = {each.id: 100_000 for each in (*crowd, *trivia)}
    assert order([*crowd, *trivia, basic], uses=uses)[0] == "basic"


def test_use_of_another_branchs_note_does_not_count() -> None:
    there = note("there", "On branch fix/timeouts: the pool has eight connections.")
    assert "used" not in ranked([there], branch="feat/vouchers", uses={"there": 9})[0].parts


def test_a_scripted_run_does_not_displace_a_persons_session() -> None:
    mine = [session(f"m{day}", f"thing {day}", day=f"2026-06-{day}") for day in (10, 12)]
    runs = [session(f"r{number}", "thing 12, again", day="2026-06-23") for number in range(9)]
    for run in runs:
        run.tags = ["session", "scripted"]
    found = order([*runs, *mine, note("n")])
    assert found[:2] == ["m12", "m10"]
    assert "r0" not in briefing([*runs, *mine]).titles
    assert "9 notes more not listed" in briefing([*runs, *mine]).text


@pytest.mark.parametrize(
    "text",
    [
        "Branch names are short and start with the number of the ticket. Commits in English.",
        "Branches live for three days at most.",
        "Branch protection is on for main.",
    ],
)
def test_a_rule_about_branches_is_not_about_a_branch(text: str) -> None:
    assert "other branch" not in ranked([note("n", text)], branch="main")[0].parts


@pytest.mark.parametrize(
    "text", ["Branch spike/nats: half done.", "Branch: nats. Half done.", "Branch `nats` is done."]
)
def test_a_note_that_starts_with_another_branchs_name_is_about_it(text: str) -> None:
    assert "other branch" in ranked([note("n", text)], branch="main")[0].parts


@pytest.mark.parametrize(
    ("rule", "event"),
    [
        ("金額は必ず整数で持つ。小数は禁止。", "昨日、給湯室の写真を撮った。楽しかったです。"),
        ("金额必须用整数,绝不用浮点数。", "昨天大家去聚餐,拍了照片。"),
        ("금액은 반드시 정수로 둔다. 소수는 금지.", "어제 회식에서 사진을 찍었다."),
        (
            "Valores sempre em centavos, nunca em ponto flutuante.",
            "O bolo chegou na terça e todo mundo gostou.",
        ),
        ("Los importes siempre en céntimos, nunca en coma flotante.", "Ayer llegó la silla y la cambió Ana."),
    ],
)
def test_a_rule_beats_an_event_in_other_languages(rule: str, event: str) -> None:
    found = ranked([note("event", event), note("rule", rule)])
    assert [each.note.id for each in found] == ["rule", "event"]
    assert found[0].parts["rules"] > 0 > found[1].parts["passing"]


def test_imported_instructions_count_like_a_persons_because_they_are_feedback() -> None:
    notes = [note(kind, "Plain variants.", kind=kind, source="import") for kind in ("procedural", "semantic")]
    found = {each.note.id: each.parts for each in ranked(notes)}
    assert "source" not in found["procedural"]
    assert found["semantic"]["source"] < 0


def test_a_persons_old_note_comes_before_an_import_of_today_until_that_is_reviewed() -> None:
    mine = note("mine", "Indent with tabs.", title="Tabs", day="2025-06-01")
    imported = note("imported", "Indent with tabs.", title="Tabs", day="2026-06-23", source="import")
    assert order([imported, mine])[0] == "mine"
    imported.tags.append("reviewed")
    assert order([imported, mine])[0] == "imported"
