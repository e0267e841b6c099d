"""Receipts: what a session was told, in ids and numbers, only on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamnesis.session import receipts
from anamnesis.session.receipts import (
    add_entry,
    last_session,
    prune,
    read_entries,
    remember_session,
    sessions,
)


def test_entries_are_read_in_the_order_they_were_added(tmp_path: Path) -> None:
    add_entry(str(tmp_path), "s-1", "told", characters=12)
    add_entry(str(tmp_path), "s-1", "searched", ids=["a"])
    found = read_entries(str(tmp_path), "s-1")
    assert [entry["kind"] for entry in found] == ["told", "searched"]
    assert found[0]["characters"] == 12


def test_receipts_are_private(tmp_path: Path) -> None:
    add_entry(str(tmp_path), "s-1", "told")
    assert (tmp_path / "receipts").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "receipts/s-1.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("session", ["", "../../x", "a/b", "x" * 200, "\0", "é", "."])
def test_an_invalid_session_id_leaves_no_file(tmp_path: Path, session: str) -> None:
    add_entry(str(tmp_path / "home"), session, "told")
    remember_session(str(tmp_path / "home"), "/work", session)
    assert list(tmp_path.rglob("*")) == []
    assert read_entries(str(tmp_path / "home"), session) == []


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    add_entry(str(tmp_path), "s", "told")
    with (tmp_path / "receipts/s.jsonl").open("ab") as handle:
        handle.write(b'{"kind": 7}\n[1]\n{"half\n\xff\n')
    add_entry(str(tmp_path), "s", "used")
    assert [entry["kind"] for entry in read_entries(str(tmp_path), "s")] == ["told", "used"]


def test_the_size_of_a_receipt_is_limited(tmp_path: Path) -> None:
    for _ in range(40):
        add_entry(str(tmp_path), "s", "searched", ids=["x" * 10_000])
    assert (tmp_path / "receipts/s.jsonl").stat().st_size < 300_000


def test_the_oldest_receipts_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "_MAX_SESSIONS", 3)
    for number in range(6):
        add_entry(str(tmp_path), f"s{number}", "told")
        os.utime(tmp_path / f"receipts/s{number}.jsonl", (number, number))
    prune(str(tmp_path))
    assert sessions(str(tmp_path)) == ["s5", "s4", "s3"]


def test_the_folders_of_the_oldest_sessions_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "_MAX_FOLDERS", 2)
    for number in range(4):
        remember_session(str(tmp_path), f"/work/{number}", f"s{number}")
        (newest,) = set((tmp_path / "receipts/last").iterdir()) - {
            path for path in (tmp_path / "receipts/last").iterdir() if path.stat().st_mtime < 100
        }
        os.utime(newest, (number, number))
    prune(str(tmp_path))
    assert [last_session(str(tmp_path), f"/work/{number}") for number in range(4)] == ["", "", "s2", "s3"]


def test_the_last_session_of_a_folder_is_found(tmp_path: Path) -> None:
    remember_session(str(tmp_path), "/work/a", "s1")
    remember_session(str(tmp_path), "/work/b", "s2")
    remember_session(str(tmp_path), "/work/a", "s3")
    assert last_session(str(tmp_path), "/work/a") == "s3"
    assert last_session(str(tmp_path), "/work/b") == "s2"
    assert last_session(str(tmp_path), "/work/c") == ""


@pytest.mark.parametrize(("one", "other"), [("\u65e5\u672c", "\u8a18\u61b6"), ("a-b", "a.b"), ("a/b", "a-b")])
def test_folders_with_similar_names_have_their_own_last_session(tmp_path: Path, one: str, other: str) -> None:
    remember_session(str(tmp_path), f"/work/{one}", "first")
    assert last_session(str(tmp_path), f"/work/{other}") == ""
    assert last_session(str(tmp_path), f"/work/{one}") == "first"


def test_a_read_only_store_is_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    add_entry(str(tmp_path / "home"), "s", "told")
    remember_session(str(tmp_path / "home"), "/work", "s")
    assert sessions(str(tmp_path / "home")) == []
