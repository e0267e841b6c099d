"""Operations: the same functions for every surface, in the documented shapes."""

from __future__ import annotations

import pytest

from anamnesis.errors import InvalidNote, NoteNotFound, SecretFound, StaleNote
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.operations.curation import change_notes
from anamnesis.operations.notes import (
    NewNote,
    create_note,
    delete_note,
    edit_note,
    links_of,
    read_note,
    write_memory,
)
from anamnesis.operations.reading import list_memories, search_memories, search_notes
from anamnesis.operations.versions import note_history, restore_note, sync_memory
from anamnesis.store import MemoryStore
from machines import Machine

SECRET = "sk-ant-" + "api03-" + "Zq8" * 31 + "AA"


def supersede(store: MemoryStore, note_id: str, title: str, body: str, **changes: object) -> Memory:
    """Replace a note."""
    return create_note(store, NewNote(title, body, supersedes=note_id, **changes))  # type: ignore[arg-type]  # a test's fields


def write(store: MemoryStore, title: str = "Title", body: str = "walrus", **fields: object) -> str:
    made = write_memory(store, **{"type": "semantic", "title": title, "body": body, **fields})  # type: ignore[arg-type]
    return str(made["id"])


def test_a_note_is_returned_in_the_documented_shape(store: MemoryStore) -> None:
    made = write_memory(
        store, type="semantic", title=" T ", body="walrus", project="p", tags=["a"], machine_id="desk"
    )
    keys = "id type title project machine_id scope tags created_at updated_at".split()
    assert list(made) == [*keys, "body"]
    assert (made["title"], made["machine_id"], made["scope"]) == ("T", "desk", "portable")
    assert search_memories(store, query="walrus") == [made]
    assert list_memories(store) == [{key: made[key] for key in keys}]
    (hit,) = search_notes(store, "walrus", Filter(), explain=True)
    assert hit.items() > made.items()
    assert hit.keys() - made.keys() == {"score", "matched", "snippet"}


@pytest.mark.parametrize(
    "fields",
    [{"title": ""}, {"title": " \n"}, {"body": ""}, {"body": " \n"}, {"type": "idea"}, {"scope": "cloud"}],
)
def test_an_invalid_note_is_refused(store: MemoryStore, fields: dict[str, str]) -> None:
    with pytest.raises(InvalidNote):
        write(store, **fields)
    assert store.list() == []


def test_a_note_cannot_be_emptied_but_one_without_text_can_be_edited(store: MemoryStore) -> None:
    backend = Machine(store.root, None).backend
    note = write(store)
    with pytest.raises(InvalidNote, match="no text"):
        edit_note(store, note, backend=backend, body=" \n")
    with pytest.raises(InvalidNote, match="no text"):
        edit_note(store, note, backend=backend, body="\u200b\u2060\ufeff")  # invisible
    with pytest.raises(InvalidNote, match="no text"):
        supersede(store, note, "T", "")
    blank = store.write(type="semantic", title="only a title", body="").id  # as a file may be
    assert edit_note(store, blank, backend=backend, tags=["a"], body="").tags == ["a"]
    assert change_notes(store, [blank], "keep", "", backend=backend).done


@pytest.mark.parametrize("place", ["title", "body"])
def test_a_credential_is_refused_in_any_field(store: MemoryStore, place: str) -> None:
    with pytest.raises(SecretFound, match=place) as caught:
        write(store, **{place: f"first line\nthe key is {SECRET}"})
    assert SECRET not in str(caught.value)
    note = write(store)
    with pytest.raises(SecretFound):
        edit_note(store, note, backend=Machine(store.root, None).backend, **{place: SECRET})
    with pytest.raises(SecretFound):
        supersede(store, note, **{"title": "T", "body": "b", place: SECRET})
    assert len(store.list()) == 1


@pytest.mark.parametrize("filters", [{"type": "idea"}, {"scope": "cloud"}])
def test_an_invalid_filter_is_an_error_not_an_empty_answer(
    store: MemoryStore, filters: dict[str, str]
) -> None:
    with pytest.raises(InvalidNote, match="is not one of"):
        search_memories(store, query="x", **filters)  # type: ignore[arg-type]
    with pytest.raises(InvalidNote, match="is not one of"):
        list_memories(store, **filters)


@pytest.mark.parametrize("tag", ["a,b", "bell\x07", "two\nlines", "\u200b"])
def test_a_tag_that_no_filter_could_name_is_refused_unless_the_note_has_it(
    store: MemoryStore, tag: str
) -> None:
    backend = Machine(store.root, None).backend
    with pytest.raises(InvalidNote, match="cannot be a tag"):
        write_memory(store, type="semantic", title="A", body="b", tags=[tag])
    typed = store.write(type="semantic", title="A", body="typed by hand", tags=[tag])
    assert edit_note(store, typed.id, backend=backend, title="B").tags == [tag]


def test_a_sync_makes_the_notes_of_the_other_machine_searchable(desk: Machine, lap: Machine) -> None:
    with MemoryStore(desk.root) as here, MemoryStore(lap.root) as there:
        note = write(here)
        write(here, scope="machine-local")
        sent = sync_memory(here, desk.backend)
        got = sync_memory(there, lap.backend)
        assert (sent["pushed"], sent["indexed"]) == (True, 2)
        assert (got["pulled"], got["conflicted"], got["indexed"]) == (1, False, 1)
        assert {"pushed", "pulled", "conflicted", "head", "indexed", "detail"} <= got.keys()
        assert [hit["id"] for hit in search_memories(there, query="walrus")] == [note]


def test_a_two_line_project_and_a_credential_as_a_tag_are_refused(store: MemoryStore) -> None:
    with pytest.raises(InvalidNote, match="one line"):
        write_memory(store, type="semantic", title="A", body="b", project="app\nglobal")
    with pytest.raises(SecretFound, match="tags"):
        write_memory(store, type="semantic", title="A", body="b", tags=["ghp_" + "a1B2" * 9])
    assert store.list() == []


def test_a_note_that_changed_since_it_was_read_is_neither_deleted_nor_restored(
    store: MemoryStore,
) -> None:
    backend = Machine(store.root, None).backend
    note_id = write(store, body="first")
    backend.commit()
    seen = read_note(store, note_id).version
    edit_note(store, note_id, backend=backend, body="second")
    with pytest.raises(StaleNote, match=note_id):
        delete_note(store, note_id, base=seen, backend=backend)
    first = note_history(store, note_id, backend=backend)[-1].commit
    with pytest.raises(StaleNote, match=note_id):
        restore_note(store, note_id, backend=backend, name=first, base=seen)
    now = read_note(store, note_id)
    assert now.note.body == "second"
    assert restore_note(store, note_id, backend=backend, name=first, base=now.version).body == "first"
    delete_note(store, note_id, base=read_note(store, note_id).version, backend=backend)
    assert store.get(note_id) is None


def test_restoring_a_version_does_not_recreate_a_note_deleted_meanwhile(store: MemoryStore) -> None:
    backend = Machine(store.root, None).backend
    note_id = write(store)
    backend.commit()
    seen = read_note(store, note_id).version
    delete_note(store, note_id, backend=backend)
    last = note_history(store, note_id, backend=backend)[-1].commit
    with pytest.raises(NoteNotFound):
        restore_note(store, note_id, backend=backend, name=last, base=seen)
    assert store.get(note_id) is None


def test_a_kept_note_gets_full_confidence_and_one_tag_and_stays_as_old_as_it_was(store: MemoryStore) -> None:
    made = store.write(
        type="semantic", title="T", body="b", prov_source="reflection", confidence=0.5, tags=["x"]
    )
    made.updated_at = made.created_at = "2026-01-02T03:04:05+00:00"
    store.put(made)
    backend = Machine(store.root, None).backend
    for _ in range(2):
        assert change_notes(store, [made.id], "keep", "", backend=backend).done
    kept = read_note(store, made.id).note
    assert (kept.tags, kept.confidence, kept.prov_source) == (["x", "reviewed"], 1.0, "reflection")
    assert kept.updated_at == made.updated_at


def test_superseding_a_superseded_note_names_its_successor_on_every_road(store: MemoryStore) -> None:
    old = write(store)
    new = supersede(store, old, "Newer", "walrus")
    newest = supersede(store, new.id, "Newest", "walrus")
    backend = Machine(store.root, None).backend
    other = write(store)
    for again in (
        lambda: supersede(store, old, "Other", "walrus"),
        lambda: write(store, supersedes=old),
        lambda: edit_note(store, other, backend=backend, supersedes=old),
    ):
        with pytest.raises(InvalidNote, match=f"'Newest'; supersede that instead: {newest.id}"):
            again()
    assert supersede(store, newest.id, "Last", "walrus").supersedes == newest.id


def test_a_note_lists_its_links_and_its_backlinks(store: MemoryStore) -> None:
    target = write(store, "Restores stream, they never stage", "Straight to the target.")
    by_title = write(store, "Chunks", "See [[restores stream, THEY never stage]].")
    by_id = write(store, "Prune", f"Compare {target}, and [[Nobody]].")
    write(store, "Only the words", "Restores stream, they never stage, says a note.")
    assert {note.id for note in links_of(store, target).backlinks} == {by_title, by_id}
    assert links_of(store, target).mentions == {}
    assert [note.id for note in links_of(store, by_title).mentions.values()] == [target]
    assert {text: note.id for text, note in links_of(store, by_id).mentions.items()} == {target: target}


def test_a_link_by_a_shared_title_means_the_newest_note(store: MemoryStore) -> None:
    write(store, "Deploy", "old")
    newer = write(store, "Deploy", "new")
    asking = write(store, "Asks", "[[Deploy]]")
    assert links_of(store, asking).mentions["Deploy"].id == newer
