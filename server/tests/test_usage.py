"""The record of model calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.model import Usage, add_usage, read_usage


def test_a_store_that_never_called_a_model_has_no_usage_record(tmp_path: Path) -> None:
    assert read_usage(tmp_path) is None


def test_counts_add_up_and_record_their_start(tmp_path: Path) -> None:
    add_usage(tmp_path, "local/tiny", Usage(calls=1, characters_sent=10, seconds=0.5), now=lambda: "monday")
    add_usage(tmp_path, "openai/big", Usage(calls=2, characters_received=7), now=lambda: "tuesday")
    record = read_usage(tmp_path)
    assert record is not None
    assert (record.since, record.last) == ("monday", "tuesday")
    assert record.total == Usage(calls=3, characters_sent=10, characters_received=7, seconds=0.5)


def test_concurrent_calls_are_all_counted(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: add_usage(tmp_path, "local/tiny", Usage(calls=1)), range(24)))
    record = read_usage(tmp_path)
    assert record is not None
    assert record.total.calls == 24


@pytest.mark.parametrize(
    "text", ["", "[]", '{"by_model": 3}', '{"since":"","last":"","by_model":{"a":{"calls":"x"}}}']
)
def test_a_broken_record_starts_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "usage.json").write_text(text)
    assert read_usage(tmp_path) is None
    add_usage(tmp_path, "local/tiny", Usage(calls=1))
    assert (tmp_path / "usage.json").read_text().count('"calls": 1') == 2
