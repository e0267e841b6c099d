"""Text is split into parts that make sense alone, in any language and markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.session.sentences import Unit, sentences_of, units_of


def kinds(text: str) -> list[tuple[str, str]]:
    """The parts of a text with their kinds."""
    return [(unit.kind, unit.text) for unit in units_of(text)]


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        (
            "The mill stops in the dark, too. So the lamp cannot be blamed! Does the belt slip at night?",
            [
                "The mill stops in the dark, too.",
                "So the lamp cannot be blamed!",
                "Does the belt slip at night?",
            ],
        ),
        (
            "It grinds hard grain, e.g. the winter rye. Soft ones z. B. do too, i.e. all of them.",
            ["It grinds hard grain, e.g. the winter rye.", "Soft ones z. B. do too, i.e. all of them."],
        ),
        (
            "Version 4.1 raised it from 1.5 to 3.0 s. The rest of it is the same as before.",
            ["Version 4.1 raised it from 1.5 to 3.0 s.", "The rest of it is the same as before."],
        ),
        (
            "The call is `a.b. c()` and it must not be cut. The next sentence is another one.",
            ["The call is `a.b. c()` and it must not be cut.", "The next sentence is another one."],
        ),
        (
            "原因が分かりました。歯車の数え方が十六ビットです。石臼は九時間のあいだ止まりませんでした。",
            [
                "原因が分かりました。歯車の数え方が十六ビットです。",
                "石臼は九時間のあいだ止まりませんでした。",
            ],
        ),
        (
            "磨坊的灯已经关掉，所以问题不在灯上。找到原因了：计数器只有十六位，一小时后溢出。",
            [
                "磨坊的灯已经关掉，所以问题不在灯上。",
                "找到原因了：计数器只有十六位，一小时后溢出。",
            ],
        ),
        (
            "no. always oil the axle first, never last. and no grease on the belts in this mill please",
            ["no. always oil the axle first, never last.", "and no grease on the belts in this mill please"],
        ),
    ],
)
def test_a_paragraph_is_split_into_its_sentences(paragraph: str, sentences: list[str]) -> None:
    assert sentences_of(paragraph) == sentences


def test_headings_items_rows_and_code_are_separate_parts() -> None:
    text = (
        "## Result\n\nMeasured twice:\n\n| step | time |\n|---|---|\n| old | 61 min |\n"
        "| new | **9 hours** |\n\n"
        "1. first\n   goes on\n2. second\n\n```sh\nmake test\n```\n\n> quoted\n\n---\n**Caveats**\n- one"
    )
    assert kinds(text) == [
        ("heading", "Result"),
        ("prose", "Measured twice:"),
        ("row", "old | 61 min"),
        ("row", "new | **9 hours**"),
        ("item", "first goes on"),
        ("item", "second"),
        ("code", "make test"),
        ("prose", "quoted"),
        ("heading", "Caveats"),
        ("item", "one"),
    ]


@given(st.text(alphabet="ab .!?`*#|-\n>1。", max_size=200))
def test_splitting_any_text_loses_and_adds_nothing(text: str) -> None:
    letters = sorted(char for char in text if char in "ab")
    found = sorted(char for unit in units_of(text) for char in unit.text if char in "ab")
    assert set(found) <= set(letters)
    assert all(isinstance(unit, Unit) and unit.text.strip() for unit in units_of(text))
