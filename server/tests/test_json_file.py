"""A small JSON file is an object, or as good as not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.json_file import read_object


@pytest.mark.parametrize("data", [b'{"a": 1}', b'\xef\xbb\xbf{"a": 1}', b' {"a": 1}\r\n'])
def test_an_object_is_given_as_it_is(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    assert read_object(tmp_path / "x.json") == {"a": 1}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b"null", b"\xff\xfe\x00", b"[" * 100_000])
def test_anything_else_counts_as_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    assert read_object(tmp_path / "x.json") == {}


def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path) -> None:
    assert read_object(tmp_path / "missing.json") == {}
    assert read_object(tmp_path) == {}


def test_what_is_too_long_counts_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"a": 1}')
    assert read_object(tmp_path / "x.json", most=8) == {"a": 1}
    assert read_object(tmp_path / "x.json", most=7) == {}
