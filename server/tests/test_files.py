"""Files and locks: a reader sees the old bytes or the new, a lock ends with its holder."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from anamnesis import files
from anamnesis.files import lock, read_object, sync_files, write_atomic
from processes import running

HOLD = (
    "import sys, time\nfrom pathlib import Path\nfrom anamnesis.files import lock\n"
    "with lock(Path(sys.argv[1]), timeout=0) as mine:\n    print(mine, flush=True)\n    time.sleep(600)\n"
)


def test_a_file_is_replaced_atomically_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "file"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["file"]


def test_a_failure_leaves_the_old_bytes_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="Input/output"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_lock_is_exclusive_and_can_be_taken_again_after_release(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.lock"
    with lock(path, timeout=0) as first, lock(path, timeout=0.02) as second:
        assert (first, second) == (True, False)
    with lock(path, timeout=0) as third:
        assert third


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with running([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with lock(path, timeout=0) as mine:
            assert not mine
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with lock(path, timeout=0) as mine:
            assert mine


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b"null", b"\xff\xfe\x00", b"[" * 100_000])
def test_anything_but_an_object_counts_as_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    assert read_object(tmp_path / "x.json") == {}


def _new_files(folder: Path, count: int) -> list[str]:
    for number in range(count):
        (folder / f"{number}").write_text("text")
    return [str(folder / f"{number}") for number in range(count)]


def test_very_many_files_are_flushed_by_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[Sequence[str]] = []
    real = files._flush_disks
    monkeypatch.setattr(files, "_FLUSH_DISK_FROM", 3)

    def flush(paths: Sequence[str]) -> None:
        real(paths)
        flushed.append(paths)

    monkeypatch.setattr(files, "_flush_disks", flush)
    paths = _new_files(tmp_path, 3)
    for some in (paths, paths[:2]):
        sync_files(some)
    assert flushed == [paths]


def test_a_file_that_cannot_be_fsynced_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output"):
        sync_files(_new_files(tmp_path, 2))
