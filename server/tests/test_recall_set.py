"""Recall on the generated store: the answer comes first, and superseded notes never appear."""

from __future__ import annotations

import pytest

import recall_set
from anamnesis.store import MemoryStore
from recall_set import Measured

# As measured, minus a margin for another SQLite's tokenizer or BM25.
_FIRST = {
    "everywhere": 0.97,
    "in the project": 0.97,
    "project preferred": 0.97,
    "long prompt, question last": 0.93,
    "long prompt, question first": 0.9,
    "typo: wrong": 0.93,
    "typo: missing": 0.95,
    "typo: doubled": 0.95,
    "typo: swapped": 0.91,
    "mixed scripts: own script": 0.95,
    "mixed scripts: Latin": 0.95,
    "equal notes": 1.0,
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """The results of all questions, by form."""
    made = recall_set.make()
    home = tmp_path_factory.mktemp("recall")
    made.write(home)
    with MemoryStore(home) as store:
        assert store.reindex() == 4 * recall_set.FACTS + recall_set.FILLERS + 2 * (
            len(recall_set.TOOLS) + recall_set.PAIRS
        )
        return recall_set.measure(store, made.questions)


def test_the_answer_is_the_first_note_however_it_is_asked_for(measured: dict[str, Measured]) -> None:
    rates = {form: result.first / result.asked for form, result in measured.items()}
    assert rates.keys() == _FIRST.keys()
    assert {form: rate for form, rate in rates.items() if rate < _FIRST[form]} == {}


def test_the_answer_is_among_the_first_eight(measured: dict[str, Measured]) -> None:
    assert {form: result for form, result in measured.items() if result.shown < result.asked * 0.96} == {}


def test_no_superseded_note_is_shown(measured: dict[str, Measured]) -> None:
    assert sum(result.superseded for result in measured.values()) == 0


def test_a_session_that_repeats_a_fact_does_not_outrank_it(measured: dict[str, Measured]) -> None:
    assert sum(result.beaten for result in measured.values()) <= 0.02 * sum(
        result.asked for result in measured.values()
    )
    assert all(result.near_copies <= result.asked for result in measured.values())
