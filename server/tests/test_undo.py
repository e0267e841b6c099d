"""Every change can be undone: by any writer, with or without git, in both trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from anamnesis.curate import apply_plan, plan_dedup, plan_migrate
from anamnesis.errors import InvalidNote, SyncError
from anamnesis.export import export_folder, import_notes, read_export
from anamnesis.fleet import collect_news
from anamnesis.git import Git
from anamnesis.notes.record import Memory, parse
from anamnesis.operations import notes
from anamnesis.operations.curation import change_notes
from anamnesis.operations.notes import edit_note
from anamnesis.operations.versions import find_id_ever, last_change, note_history, restore_note
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from machines import Machine, settle
from secret_samples import SAMPLES

SCOPES = ("portable", "machine-local")
Door = Callable[[MemoryStore, GitSyncBackend, str], object]


def first_note(store: MemoryStore, scope: str = "portable") -> Memory:
    return store.write(
        type="semantic",
        title="First",
        body="first text",
        project="old",
        tags=["a"],
        scope=scope,
        confidence=0.5,
    )


def said(note: Memory) -> tuple[object, ...]:
    """A note's content, without its update time and scope, which restoring may change."""
    return (note.id, note.type, note.title, note.body, note.project, note.tags, note.confidence)


def bring_back(store: MemoryStore, backend: GitSyncBackend, wanted: Memory) -> Memory:
    """Restore the version of a note with the content of `wanted`."""
    history = backend.history(store.undo)
    versions = note_history(store, wanted.id, backend=backend)
    found = [each for each in versions if said(parse(history.text(each))[0]) == said(wanted)]
    assert found, [history.text(each) for each in versions]
    return restore_note(store, wanted.id, backend=backend, name=found[0].commit)


def _revise(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    text = (store.text_of(note_id) or "").replace("first text", "second text")
    base = notes.read_note(store, note_id).version
    notes.revise_note(store, note_id, text, base=base, backend=backend)


def _keep(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    assert change_notes(store, [note_id], "keep", "", backend=backend).done


def _delete(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    notes.delete_note(store, note_id, backend=backend)


def _migrate(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    assert apply_plan(store, backend, plan_migrate(store, "old", "new"))[0]


def _dedup(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    known = store.get(note_id)
    assert known is not None
    store.put(replace(known, id="0-the-older-twin", created_at="2020-01-01T00:00:00+00:00"))
    assert apply_plan(store, backend, plan_dedup(store))[0]
    assert store.get(note_id) is None


def _import(store: MemoryStore, backend: GitSyncBackend, note_id: str) -> None:
    with MemoryStore(store.root.parent / "other") as other:
        known = store.get(note_id)
        assert known is not None
        other.put(replace(known, body="second text", updated_at="2999-01-01T00:00:00+00:00"))
        folder = store.root.parent / "export"
        export_folder(other, folder)
    assert import_notes(store, backend, read_export(folder)).updated == (note_id,)


DOORS: dict[str, Door] = {
    "edit": lambda store, backend, note_id: edit_note(store, note_id, backend=backend, body="second text"),
    "tags": lambda store, backend, note_id: edit_note(store, note_id, backend=backend, tags=["b"]),
    "type": lambda store, backend, note_id: edit_note(
        store, note_id, backend=backend, type="procedural", body="second text"
    ),
    "to this machine": lambda store, backend, note_id: edit_note(
        store, note_id, backend=backend, scope="machine-local", body="second text"
    ),
    "to all machines": lambda store, backend, note_id: edit_note(
        store, note_id, backend=backend, scope="portable", body="second text"
    ),
    "edit the whole text": _revise,
    "keep": _keep,
    "delete": _delete,
    "migrate": _migrate,
    "dedup": _dedup,
    "import": _import,
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("door", DOORS)
def test_a_text_that_was_never_committed_can_be_restored_after_a_change(
    store: MemoryStore, backend: GitSyncBackend, door: str, scope: str
) -> None:
    first = first_note(store, scope)
    DOORS[door](store, backend, first.id)
    changed = store.get(first.id)
    restored = bring_back(store, backend, first)
    assert said(restored) == said(first)
    assert restored.scope == (changed.scope if changed else scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_restoring_a_text_keeps_the_one_it_replaces(
    store: MemoryStore, backend: GitSyncBackend, scope: str
) -> None:
    first = first_note(store, scope)
    second = store.update(first.id, body="second text")
    bring_back(store, backend, first)
    assert said(bring_back(store, backend, second)) == said(second)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_deleted_note_is_restored_to_its_tree_with_its_last_text(
    store: MemoryStore, backend: GitSyncBackend, scope: str
) -> None:
    first = first_note(store, scope)
    last = store.update(first.id, body="last text")
    notes.delete_note(store, first.id, backend=backend)
    assert find_id_ever(store, first.id[:12].lower(), backend=backend) == first.id
    restored = restore_note(store, first.id, backend=backend)
    assert (said(restored), restored.scope) == (said(last), scope)


def test_a_kept_text_stays_as_it_is_when_an_editor_writes_into_the_file(store: MemoryStore) -> None:
    note = first_note(store)
    path = store.path_of(note.id)
    assert path is not None
    kept = store.undo.keep(note.id, path, scope="portable")
    with path.open("ab") as file:
        file.write(b"more")
    assert store.undo.of_note(note.id)[0].path == kept
    assert store.undo.of_note(note.id)[0].note.body == note.body


def test_a_deleted_text_that_git_never_got_comes_back(store: MemoryStore, backend: GitSyncBackend) -> None:
    note = first_note(store)
    backend.commit()
    path = store.path_of(note.id)
    assert path is not None
    typed = path.read_text().replace("first text", SAMPLES["anthropic"][0])  # it waits
    path.write_text(typed)
    notes.delete_note(store, note.id, backend=backend)
    [kept] = (store.root / "undo" / note.id).iterdir()
    kept.rename(kept.with_name(f"{4 * 10**18:020}{kept.name[20:]}"))  # not within the second of the commit
    assert SAMPLES["anthropic"][0] in restore_note(store, note.id, backend=backend).body


def test_deleted_notes_are_listed_latest_first(store: MemoryStore, backend: GitSyncBackend) -> None:
    gone = [store.write(type="semantic", title=title, body=title).id for title in ("one", "two", "three")]
    for note_id, at in zip(gone, (2, 3, 1), strict=True):
        store.delete(note_id)
        [kept] = (store.root / "undo" / note_id).iterdir()
        kept.rename(kept.with_name(f"{at * 10**18:020}{kept.name[20:]}"))
    removed = backend.history(store.undo).removed(present=())
    assert [each.note.title for each in removed] == ["two", "one", "three"]


def test_a_note_that_left_git_is_restored_on_this_machine_only(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    note = first_note(store)
    backend.commit()
    store.update(note.id, scope="machine-local", body="private text", updated_at="2999-01-01T00:00:00+00:00")
    store.delete(note.id)
    backend.commit()  # only now is the removal committed
    restored = restore_note(store, note.id, backend=backend)
    assert (restored.body, restored.scope) == ("private text", "machine-local")


def test_a_machine_local_text_does_not_enter_the_synced_history(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    note = first_note(store)
    edit_note(store, note.id, backend=backend, scope="machine-local")
    edit_note(store, note.id, backend=backend, body="private text")
    objects = Git(store.memory_dir).run("cat-file", "--batch-all-objects", "--batch")
    assert b"first text" not in objects
    assert b"private text" not in objects


@pytest.mark.parametrize("scope", SCOPES)
def test_an_edit_without_git_is_saved_and_can_be_undone_when_git_is_back(
    store: MemoryStore, backend: GitSyncBackend, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = first_note(store, scope)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        with pytest.raises(SyncError, match="git was not found"):
            backend.commit()
        edit_note(store, first.id, backend=backend, body="second text")
        notes.delete_note(store, first.id, backend=backend)
    assert said(bring_back(store, backend, first)) == said(first)


def test_an_edit_of_a_held_note_can_be_undone(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "common")
    desk.sync()
    lap.sync()
    lap.save(lap.read("N1"), body="theirs")
    lap.sync()
    desk.save(desk.read("N1"), body="mine")
    assert desk.sync().held == ("N1",)
    with MemoryStore(desk.root) as store:
        mine = store.get("N1")
        assert mine is not None
        edit_note(store, "N1", backend=desk.backend, body="mine, edited")
        assert bring_back(store, desk.backend, mine).body == "mine"
        desk.backend.resolve("N1", choice="theirs")
        store.reindex()
        assert bring_back(store, desk.backend, mine).body == "mine"


def test_undo_without_a_name_leaves_alone_what_another_machine_changed(desk: Machine, lap: Machine) -> None:
    def changed_last() -> str:
        collect_news(desk.root, desk.backend.history(), machine="desk")
        return last_change(store, "", backend=desk.backend).note.id

    with MemoryStore(desk.root) as store:
        one, two = (store.write(type="semantic", title=name, body=name, machine_id="desk") for name in "ab")
        settle(desk, lap)
        assert changed_last() in (one.id, two.id)
        lap.save(lap.read(two.id), body="edited")
        notes.delete_note(store, one.id, backend=desk.backend)
        settle(lap, desk)
        assert changed_last() == one.id
        restore_note(store, one.id, backend=desk.backend)
        edit_note(store, one.id, backend=desk.backend, body="mine")
        settle(desk, lap)
        assert changed_last() == one.id
        lap.save(lap.read(one.id), body="theirs")
        settle(lap, desk)
        with pytest.raises(InvalidNote, match="on lap since"):
            changed_last()


def test_replaced_texts_are_listed_among_the_versions_in_git(
    store: MemoryStore, backend: GitSyncBackend
) -> None:
    note = first_note(store, "machine-local")
    for body in ("second text", "third text"):
        store.update(note.id, body=body)
    versions = note_history(store, note.id, backend=backend)
    assert [(each.action, each.scope) for each in versions] == [("replaced", "machine-local")] * 2
    texts = [backend.history(store.undo).text(each) for each in versions]
    assert ["second text" in texts[0], "first text" in texts[1]] == [True, True]
    edit_note(store, note.id, backend=backend, scope="portable")
    assert note_history(store, note.id, backend=backend)[-1] == versions[-1]


def test_only_the_owner_can_read_saved_texts(store: MemoryStore) -> None:
    note = first_note(store)
    store.update(note.id, body="second text")
    (text,) = store.undo.of_note(note.id)
    modes = [path.stat().st_mode & 0o777 for path in (text.path, text.path.parent, text.path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
