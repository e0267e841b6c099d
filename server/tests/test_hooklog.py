"""The log accepts a line under any conditions, stays small, and contains no secret."""

from __future__ import annotations

import os
from pathlib import Path

from anamnesis.session.hooklog import MAX_BYTES, log_line
from secret_samples import SAMPLES


def test_a_line_is_added_with_its_time(tmp_path: Path) -> None:
    log_line(tmp_path, "first")
    log_line(tmp_path, "second\nand its second line")
    one, two = (tmp_path / "anamnesis.log").read_text().splitlines()
    assert one.endswith("+00:00 first")
    assert two.endswith("+00:00 second | and its second line")
    assert (tmp_path / "anamnesis.log").stat().st_mode & 0o777 == 0o600


def test_no_secret_is_logged(tmp_path: Path) -> None:
    for text, _ in SAMPLES.values():
        log_line(tmp_path, f"capture: ValueError: {text}")
    written = (tmp_path / "anamnesis.log").read_text()
    assert [kind for kind, (_, secret) in SAMPLES.items() if secret in written] == []


def test_a_full_log_is_rotated(tmp_path: Path) -> None:
    for number in range(400):
        log_line(tmp_path, f"{number} " + "x" * 5000)
    sizes = {path.name: path.stat().st_size for path in tmp_path.glob("anamnesis*")}
    assert sizes.keys() == {"anamnesis.log", "anamnesis.log.1"}
    assert max(sizes.values()) <= MAX_BYTES + 4096


def test_an_unwritable_log_is_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder" / "anamnesis.log").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "anamnesis.log")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "anamnesis.log").symlink_to(tmp_path / "elsewhere")
    for home in ("missing", "folder", "pipe", "link", "nul\0"):
        log_line(tmp_path / home, "half a character \ud800")
    assert not (tmp_path / "elsewhere").exists()


def test_surrogates_and_control_characters_do_not_break_the_line(tmp_path: Path) -> None:
    log_line(tmp_path, "\ud800 \0 \r\n end")
    assert len((tmp_path / "anamnesis.log").read_text().splitlines()) == 1
