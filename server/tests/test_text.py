"""Numbers agree with what they count."""

from __future__ import annotations

import pytest

from anamnesis.text import plural


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 branches"), (1, "1 branch"), (2, "2 branches"), (12, "12 branches")]
)
def test_only_the_number_one_is_singular(number: int, said: str) -> None:
    assert plural(number, "branch", "branches") == said


def test_most_nouns_take_an_s() -> None:
    assert [plural(number, "note") for number in (0, 1, 2)] == ["0 notes", "1 note", "2 notes"]
