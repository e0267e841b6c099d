"""The store: a note is one file, found at once, changed and removed without leftovers."""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from anamnesis import files
from anamnesis.errors import InvalidNote, NoteNotFound, StaleNote, StoreUnavailable
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import MAX_BODY
from anamnesis.store import MemoryStore, version_of
from conftest import Clock
from records import memories


def all_files(store: MemoryStore) -> list[str]:
    """Every file in the two trees."""
    found = [
        path for tree in (store.memory_dir, store.local_dir) for path in tree.rglob("*") if path.is_file()
    ]
    return sorted(path.relative_to(store.root).as_posix() for path in found)


def write(store: MemoryStore, title: str = "Title", body: str = "body", **fields: object) -> Memory:
    return store.write(**{"type": "semantic", "title": title, "body": body, **fields})  # type: ignore[arg-type]


def test_a_written_note_is_one_private_file_named_after_its_type_and_id(store: MemoryStore) -> None:
    note = write(store)
    assert all_files(store) == [f"memory/semantic/{note.id}.md"]
    assert store.get(note.id) == note
    path = store.path_of(note.id)
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.db_path.stat().st_mode) == 0o600


def test_a_machine_local_note_is_stored_outside_the_synced_tree(store: MemoryStore) -> None:
    note = write(store, scope="machine-local")
    assert all_files(store) == [f"local/semantic/{note.id}.md"]
    assert store._dir_for_scope("machine-local") == store.local_dir
    assert store._dir_for_scope("portable") == store.memory_dir


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(memories(), min_size=1, max_size=3, unique_by=lambda mem: mem.id.lower()))
@example([Memory(id="0", type="semantic", title="", body="", tags=["a\0b"])])
def test_every_reader_returns_any_record_as_it_was_put(notes: list[Memory]) -> None:
    with tempfile.TemporaryDirectory() as folder, MemoryStore(folder) as store:
        written = [store.put(note) for note in notes]
        by_id = {note.id: note for note in written}
        assert {note.id: note for note in store.list()} == by_id
        assert {note.id: store.get(note.id) for note in written} == by_id
        store.reindex(full=True)
        assert {note.id: note for note in store.list()} == by_id


@pytest.mark.parametrize(
    "change",
    [{"type": "procedural"}, {"scope": "machine-local"}, {"type": "episodic", "scope": "machine-local"}],
)
def test_changing_type_or_scope_moves_the_one_file(store: MemoryStore, change: dict[str, str]) -> None:
    note = write(store, body="walrus")
    moved = store.update(note.id, **change)
    tree = "local" if moved.scope == "machine-local" else "memory"
    assert all_files(store) == [f"{tree}/{moved.type}/{note.id}.md"]
    assert [found.id for found in store.search("walrus", type=moved.type, scope=moved.scope)] == [note.id]
    assert store.search("walrus", type=note.type, scope=note.scope) == []
    assert store.health().ok


@pytest.mark.parametrize("door", ["put", "update"])
def test_unknown_keys_survive_a_rewrite(store: MemoryStore, door: str) -> None:
    note = write(store)
    path = store.path_of(note.id)
    assert path is not None
    path.write_text(path.read_text().replace("tags: []", "tags: []\nmood: calm\nlinks:\n- one\n- two"))
    if door == "put":
        store.put(replace(note, title="Changed", type="episodic"))
    else:
        store.update(note.id, title="Changed", type="episodic")
    text = store.text_of(note.id)
    assert text is not None
    assert "title: Changed\n" in text
    assert "mood: calm\nlinks:\n- one\n- two\n---\n" in text


@pytest.mark.parametrize("place", ["memory/semantic/my-note.md", "memory/inbox/deep/my-note.md"])
def test_a_file_that_is_not_named_after_its_id_is_written_back_where_it_is(
    store: MemoryStore, place: str
) -> None:
    path = store.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\nid: mine\ntype: semantic\ntitle: T\n---\nwalrus\n")
    store.update("mine", body="narwhal")
    assert all_files(store) == [place]
    assert [note.id for note in store.search("narwhal")] == ["mine"]
    store.update("mine", type="procedural")
    assert all_files(store) == ["memory/procedural/mine.md"]


def test_an_update_stamps_the_change_and_only_a_change(store: MemoryStore, clock: Clock) -> None:
    note = write(store)
    clock.set("2026-02-01T00:00:00+00:00")
    assert store.update(note.id, title=note.title).updated_at == note.updated_at
    changed = store.update(note.id, title="Other")
    assert (changed.updated_at, changed.created_at) == ("2026-02-01T00:00:00+00:00", note.created_at)
    clock.set("2025-01-01T00:00:00+00:00")
    assert store.update(note.id, title="Again").updated_at == changed.updated_at


def test_an_edit_of_an_older_version_is_refused(store: MemoryStore) -> None:
    note = write(store)
    seen = version_of(store.text_of(note.id) or "")
    store.update(note.id, base=seen, body="first")
    with pytest.raises(StaleNote, match=note.id):
        store.update(note.id, base=seen, body="second")
    assert store.get(note.id) == store.update(note.id, body="first")


@pytest.mark.parametrize("unknown", ["nothing", "../../etc/passwd", "", "\ud800", "a\0b"])
def test_an_unknown_id_is_an_error(store: MemoryStore, unknown: str) -> None:
    assert store.get(unknown) is None
    assert store.path_of(unknown) is None
    with pytest.raises(NoteNotFound):
        store.update(unknown, title="x")
    with pytest.raises(LookupError):
        store.delete(unknown)


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "../../outside"},
        {"nickname": "x"},
        {"id": "other"},
        {"body": "\udfff"},
    ],
)
def test_a_refused_change_leaves_the_file_unchanged(store: MemoryStore, changes: dict[str, object]) -> None:
    note = write(store)
    path = store.path_of(note.id)
    assert path is not None
    before = path.read_bytes()
    with pytest.raises(InvalidNote):
        store.update(note.id, base=None, **changes)
    assert path.read_bytes() == before
    assert all_files(store) == [f"memory/semantic/{note.id}.md"]


def test_a_file_that_is_not_a_note_is_never_overwritten(store: MemoryStore) -> None:
    path = store.memory_dir / "semantic" / "mine.md"
    path.parent.mkdir()
    path.write_text("my half-finished thought")
    with pytest.raises(InvalidNote, match=r"mine\.md"):
        store.put(Memory("mine", "semantic", "T", "b"))
    assert path.read_text() == "my half-finished thought"


def test_a_note_whose_id_was_changed_by_hand_is_not_overwritten(store: MemoryStore) -> None:
    note = write(store, body="walrus")
    path = store.path_of(note.id)
    assert path is not None
    store.search("walrus")
    path.write_text(path.read_text().replace(note.id, note.id[::-1]))
    with pytest.raises(InvalidNote, match="already exists"):
        store.put(replace(note, body="narwhal"))
    found = store.get(note.id[::-1])
    assert found is not None
    assert found.body == "walrus"


def test_nothing_is_written_through_a_type_folder_that_links_outside_the_store(
    store: MemoryStore, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (store.memory_dir / "semantic").symlink_to(outside)
    with pytest.raises(InvalidNote, match="link"):
        write(store)
    assert os.listdir(outside) == []


def test_a_failed_write_leaves_the_previous_file_in_place(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = write(store, body="walrus")
    path = store.path_of(note.id)
    assert path is not None
    before = path.read_bytes()

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        for change in ({"body": "narwhal"}, {"type": "episodic"}, {"scope": "machine-local"}):
            with pytest.raises(StoreUnavailable, match=f"{store.root}: No space left"):
                store.update(note.id, **change)
    assert path.read_bytes() == before
    assert all_files(store) == [f"memory/semantic/{note.id}.md"]
    assert store.undo.of_note(note.id) == []
    assert [found.id for found in store.search("walrus", type="semantic")] == [note.id]
    assert store.health().ok


def test_search_hides_a_superseded_note_and_list_shows_it(store: MemoryStore) -> None:
    old = write(store, "Use tabs", "indent")
    older = write(store, "Use two tabs", "indent")
    new = write(store, "Use spaces", "indent", supersedes=f"{old.id} {older.id}")
    assert [note.id for note in store.search("indent")] == [new.id]
    assert store.superseded_ids() == {old.id, older.id}
    assert {note.id for note in store.list()} == {old.id, older.id, new.id}
    store.delete(new.id)
    assert {note.id for note in store.search("indent")} == {old.id, older.id}


def test_one_store_can_serve_eight_threads(store: MemoryStore) -> None:
    failures: list[Exception] = []

    def work(name: int) -> None:
        try:
            for turn in range(12):
                word = f"{'abcdefgh'[name] * 5}{'ijklmnopqrst'[turn] * 5}"
                note = write(store, f"thread {name}", f"walrus {word}")
                assert [found.id for found in store.search(word)] == [note.id]
                store.update(note.id, tags=[f"t{turn}"])
        except Exception as exc:  # noqa: BLE001 - the test reports any exception
            failures.append(exc)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.stats()["total"] == 96
    assert len(store.search("walrus", k=200)) == 96
    assert store.health().ok


def test_a_hit_has_the_current_text_of_its_file(store: MemoryStore) -> None:
    plain = store.write(type="semantic", title="walrus: 'one'", body="first", tags=["b", "a"])
    assert store.search("walrus") == [plain] == [store.get(plain.id)]
    path = store.path_of(plain.id)
    assert path is not None
    path.write_text(path.read_text().replace("first", "third"))
    assert [hit.note.body for hit in store.find("walrus", Filter(), k=8)] == ["third"]
    path.unlink()
    assert store.search("walrus") == []


def test_a_body_of_more_than_a_megabyte_is_refused_at_every_door(store: MemoryStore) -> None:
    note = store.write(type="semantic", title="t", body="x" * MAX_BODY)
    longer = replace(note, id="NEW", body=note.body + "x")
    doors: list[Callable[[], object]] = [
        lambda: store.write(type="semantic", title="t", body=longer.body),
        lambda: store.put(longer),
        lambda: store.update(note.id, body=longer.body),
    ]
    for write in doors:
        with pytest.raises(InvalidNote, match=r"1,000,001 bytes long; the limit is 1,000,000; split it"):
            write()
    assert "split it" in store.add_many([(longer, {})])["NEW"]
    assert store.list() == [note]


def test_nothing_is_written_or_deleted_while_another_process_keeps_writing(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.store._WRITE_LOCK_SECONDS", 0)
    note = store.write(type="semantic", title="a title", body="before")
    with files.lock(store.root / "write.lock", timeout=0) as mine:
        assert mine
        changes: list[Callable[[], object]] = [
            lambda: store.write(type="semantic", title="another", body="text"),
            lambda: store.put(note),
            lambda: store.update(note.id, body="after"),
            lambda: store.delete(note.id),
        ]
        for change in changes:
            with pytest.raises(StoreUnavailable, match="another process keeps writing"):
                change()
    assert [each.body for each in store.list()] == ["before"]


def numbered(store: MemoryStore, number: int, **fields: object) -> None:
    moment = f"2026-01-{number:02}T00:00:00+00:00"
    made = {"id": f"N{number}", "type": "semantic", "title": f"Note {number}", "body": "walrus"}
    made |= {"project": "global", "machine_id": "desk", "created_at": moment, "updated_at": moment}
    store.put(Memory(**{**made, **fields}))  # type: ignore[arg-type]  # fields of a test


def ids(notes: list[Memory]) -> list[str]:
    return [note.id for note in notes]


def test_pages_contain_every_note_once_in_list_order(store: MemoryStore) -> None:
    for number in range(1, 8):
        numbered(store, number, tags=[f"tag-{number}", "all"])
    pages = [store.page(Filter(), limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [note for page in pages for note in page.notes] == store.list(bodies=False)
    assert {page.total for page in pages} == {7}
    assert pages[0].notes[0].tags == ["tag-7", "all"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(type="procedural"), ["N2"]),
        (Filter(project=["shop", "other"]), ["N3"]),
        (Filter(scope="machine-local"), ["N1"]),
        (Filter(tags=["red", "blue"]), ["N1"]),
        (Filter(machine_id="lap"), ["N4", "N2"]),
        (Filter(prov_source="import"), ["N4", "N3"]),
        (Filter(machine_id="lap", prov_source="import"), ["N4"]),
        (Filter(superseded=True), ["N3"]),
        (Filter(superseded=False), ["N4", "N2", "N1"]),
        (Filter(since="2026-01-03"), ["N4", "N3"]),
        (Filter(machine_id="nobody' OR 1=1 --"), []),
    ],
)
def test_matching_notes_are_found_and_counted(
    store: MemoryStore, wanted: Filter, expected: list[str]
) -> None:
    numbered(store, 1, tags=["red", "blue"], scope="machine-local")
    numbered(store, 2, type="procedural", machine_id="lap", tags=["red"])
    numbered(store, 3, project="shop", prov_source="import")
    numbered(store, 4, machine_id="lap", prov_source="import", supersedes="N3")
    page = store.page(wanted, limit=10)
    assert (ids(page.notes), page.total) == (expected, len(expected))
    current = [note_id for note_id in expected if note_id != "N3"]  # a search finds no superseded note
    found = [] if wanted.superseded else current
    assert sorted(hit.note.id for hit in store.find("walrus", wanted, k=10)) == sorted(found)


def test_a_page_is_ordered_by_time_not_by_its_text(store: MemoryStore) -> None:
    moments = (
        "2026-03-01T23:00:00-11:00",  # the newest, on the 2nd in UTC
        "2026-03-02T09:00:00+00:00",
        "2026-03-02T12:00:00+14:00",  # the 1st in UTC
        "2999-01-01T00:00:00+00:00",  # in the future: counts as no date
        "not a time",
    )
    for number, moment in enumerate(moments):
        numbered(store, number, updated_at=moment)
    assert ids(store.page(Filter(), limit=4).notes) == ["N0", "N1", "N2", "N4"]
