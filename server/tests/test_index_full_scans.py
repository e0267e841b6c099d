"""In a large store all files are scanned from time to time, and no hit is older than its file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.index import quick, scan
from anamnesis.index.query import Filter
from anamnesis.index.quick import open_quick
from anamnesis.index.scan import FullScans
from anamnesis.layout import FULL_SCAN_NAME
from anamnesis.store import MemoryStore


class Clock:
    """Seconds since boot; they advance only when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return time.time_ns()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(scan, "time", made)
    return made


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every store count as large."""
    monkeypatch.setattr(scan, "_FREE_FILES", 0)
    monkeypatch.setattr(scan, "_COMMAND_FREE_FILES", 0)
    monkeypatch.setattr(scan, "_FILES_PER_SECOND", 0.1)
    monkeypatch.setattr(scan, "_COMMAND_FILES_PER_SECOND", 0.1)


def edit_in_place(path: Path, old: str, new: str) -> None:
    """Change a text like an editor that writes into the file itself: its folder does not change."""
    folder = path.parent.stat()
    text = path.read_text().replace(old, new)
    path.write_text(text)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))


def two_notes(home: Path) -> tuple[Path, Path]:
    with MemoryStore(home) as store:
        paths = [
            store.path_of(store.write(type="semantic", title=title, body=body).id)
            for title, body in (("Port", "The proxy listens on 8443."), ("Host", "The host is plover."))
        ]
        store.reindex()
        assert paths[0] is not None
        assert paths[1] is not None
        return paths[0], paths[1]


def found(home: Path, text: str) -> list[str]:
    index = open_quick(home)
    assert index is not None
    with index:
        return [hit.note.body for hit in index.find(text, Filter(), k=8, explain=False)]


def test_in_a_small_store_every_answer_includes_every_edit(tmp_path: Path, clock: Clock) -> None:
    port, _ = two_notes(tmp_path)
    with MemoryStore(tmp_path) as store:
        store.search("proxy")
        edit_in_place(port, "8443", "9443")
        assert [note.body for note in store.search("9443")] == ["The proxy listens on 9443."]
    edit_in_place(port, "9443", "7443")
    assert open_quick(tmp_path) is None


@pytest.mark.usefixtures("large")
def test_a_scan_by_one_process_saves_the_others_one(tmp_path: Path, clock: Clock) -> None:
    two_notes(tmp_path)
    assert not FullScans(str(tmp_path)).is_due(2)
    clock.now += 19
    assert not FullScans(str(tmp_path)).is_due(2)
    clock.now += 2
    assert FullScans(str(tmp_path)).is_due(2)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("record", ["", "x", "nan", "999999999.0", "-5"])
def test_a_scan_record_that_is_damaged_or_older_than_the_boot_is_ignored(
    tmp_path: Path, clock: Clock, record: str
) -> None:
    (tmp_path / FULL_SCAN_NAME).write_text(record)
    assert FullScans(str(tmp_path)).is_due(2)


@pytest.mark.usefixtures("large")
def test_a_hit_whose_file_was_edited_has_the_current_text(tmp_path: Path, clock: Clock) -> None:
    port, _ = two_notes(tmp_path)
    edit_in_place(port, "8443", "9443")
    assert found(tmp_path, "proxy") == ["The proxy listens on 9443."]


@pytest.mark.usefixtures("large")
def test_a_search_that_finds_nothing_scans_the_files_unless_that_was_just_done(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_COMMAND_FILES_PER_SECOND", 0.05)  # 40 seconds, so that no command is due
    port, _ = two_notes(tmp_path)
    edit_in_place(port, "proxy", "gateway")
    clock.now += 19
    assert found(tmp_path, "gateway") == []
    clock.now += 2
    assert found(tmp_path, "gateway") == ["The gateway listens on 8443."]


@pytest.mark.usefixtures("large")
def test_of_two_searches_that_find_nothing_only_the_first_scans_the_files(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_COMMAND_FILES_PER_SECOND", 0.05)
    two_notes(tmp_path)
    clock.now += 21
    scans: list[str] = []

    def counted(root: str) -> Iterator[scan.Folder]:
        scans.append(root)
        return scan.scan(root)

    monkeypatch.setattr(quick, "scan", counted)
    assert found(tmp_path, "gateway") == found(tmp_path, "gateway") == []
    assert len(scans) == 1


@pytest.mark.usefixtures("large")
def test_an_edit_outside_the_hits_is_found_after_the_next_scan(tmp_path: Path, clock: Clock) -> None:
    port, _ = two_notes(tmp_path)
    edit_in_place(port, "proxy", "plover")
    with MemoryStore(tmp_path) as store:
        assert len(store.search("plover")) == 1
        clock.now += 21
        assert len(store.search("plover")) == 2


@pytest.mark.usefixtures("large")
def test_an_added_file_is_found_at_once(tmp_path: Path, clock: Clock) -> None:
    port, host = two_notes(tmp_path)
    copy = port.read_text().replace(port.stem, "01J00000000000000000000000").replace("proxy", "mirror")
    (port.parent / "01J00000000000000000000000.md").write_text(copy)
    assert open_quick(tmp_path) is None
    with MemoryStore(tmp_path) as store:
        assert len(store.search("mirror")) == 1
    host.unlink()
    with MemoryStore(tmp_path) as store:
        assert store.search("plover") == []


@pytest.mark.usefixtures("large")
def test_a_reindex_scans_however_recent_the_last_scan_is(tmp_path: Path, clock: Clock) -> None:
    port, _ = two_notes(tmp_path)
    with MemoryStore(tmp_path) as store:
        store.search("proxy")
        edit_in_place(port, "proxy", "plover")
        store.reindex()
        assert len(store.search("plover")) == 2


@pytest.mark.usefixtures("large")
def test_two_notes_whose_texts_were_swapped_can_still_be_edited(tmp_path: Path, clock: Clock) -> None:
    port, host = two_notes(tmp_path)
    texts = port.read_text(), host.read_text()
    for path, text in ((port, texts[1]), (host, texts[0])):
        edit_in_place(path, path.read_text(), text)
    with MemoryStore(tmp_path) as store:
        store.update(port.stem, body="The proxy is gone.")
    assert "The proxy is gone." in host.read_text()
    assert port.read_text() == texts[1]


@pytest.mark.usefixtures("large")
def test_an_id_typed_into_a_file_is_found_after_the_next_scan(tmp_path: Path, clock: Clock) -> None:
    port, _ = two_notes(tmp_path)
    edit_in_place(port, f"id: {port.stem}", "id: typed-in")
    clock.now += 21
    with MemoryStore(tmp_path) as store:
        assert store.get("typed-in", thorough=False) is None
        note = store.get("typed-in")
    assert note is not None
    assert note.body == "The proxy listens on 8443."
