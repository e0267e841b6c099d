"""Writing to stdout and stderr."""

from __future__ import annotations

import json

import pytest

from anamnesis.cli.output import clean, confirmed, row, say, say_json

ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202edrawkcab\u2066\x00\x7f"


def test_clean_text_contains_no_control_sequences() -> None:
    assert all(char.isprintable() for char in clean(ESCAPES))


def test_json_is_ascii_without_raw_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"title": ESCAPES})
    printed = capsys.readouterr().out
    assert all(char == "\n" or " " <= char <= "~" for char in printed)
    assert json.loads(printed) == {"title": ESCAPES}


def test_a_field_cannot_forge_a_second_field_or_record(capsys: pytest.CaptureFixture[str]) -> None:
    say(row("id", "a\tb\nc"))
    assert capsys.readouterr().out == "id\ta b c\n"


def test_without_a_terminal_a_question_is_answered_no() -> None:
    assert confirmed("delete everything?") is False
