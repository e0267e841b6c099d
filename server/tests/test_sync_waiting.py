"""A credential typed into a file is not pushed: the file waits, everything else syncs."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

import pytest

from anamnesis.doctor import Context, Finding, check_up, examine
from anamnesis.errors import SecretFound
from anamnesis.git import Git
from anamnesis.notes.record import Memory, serialize
from anamnesis.operations.notes import edit_note, write_memory
from anamnesis.operations.versions import find_id_ever, restore_note
from anamnesis.store import MemoryStore
from anamnesis.sync.waiting import find_in_file
from anamnesis.undo import UndoTexts
from machines import DAWN, LATER, Machine, make_remote, run_git, run_until, settle
from secret_samples import SAMPLES

KEY, SECRET = SAMPLES["anthropic"]
OTHER_KEY, OTHER_SECRET = SAMPLES["github classic"]


def objects_of(machine: Machine) -> str:
    """Every object of a machine's repository, in the history or not."""
    order = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    done = subprocess.run(order, cwd=machine.memory, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def history_at(remote: Path) -> str:
    """Everything that ever reached the remote's branch."""
    return run_git(remote, "log", "-p", "--format=%s", "main")


def at_remote(remote: Path, path: str) -> str:
    """A file as the remote has it now."""
    return run_git(remote, "show", f"main:{path}")


def test_a_file_with_a_credential_waits_and_everything_else_syncs(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", "first text")
    settle(desk, lap)
    path = desk.write("N1", f"second text\n\nkey: {KEY}")
    desk.write("N2", "other")
    result = desk.sync()
    line = path.read_text().splitlines().index(f"key: {KEY}") + 1
    [waiting] = result.waiting
    assert (waiting.path, waiting.line, waiting.id) == ("semantic/N1.md", line, "N1")
    assert waiting.title == "a title"
    assert (result.pushed, result.reached, result.conflicted) == (True, True, False)
    assert f"semantic/N1.md line {line} ({waiting.kind})" in result.detail
    assert SECRET not in result.detail
    assert "first text" in at_remote(remote, "semantic/N1.md")
    assert "other" in at_remote(remote, "semantic/N2.md")
    assert SECRET not in objects_of(desk)
    state = desk.backend.state()
    assert state.waiting == result.waiting
    assert "semantic/N1.md waits with a credential" in state.detail
    lap.write("N3", "from lap")
    settle(lap, desk)
    assert "from lap" in desk.read("N3").body
    assert SECRET in desk.read("N1").body


def test_a_new_file_waits_before_there_is_any_commit(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    desk.write("N1", f"key: {KEY}")
    assert not desk.backend.commit()
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    desk.write("N2", "other")
    assert desk.backend.commit()
    assert desk.git("ls-tree", "-r", "--name-only", "main").split() == ["semantic/N2.md"]


def test_every_credential_of_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    front = f"---\nid: N1\ntype: semantic\ntitle: 'a {KEY}'\nweblog_token: {OTHER_KEY}\n---\n"
    path = desk.memory / "semantic" / "N1.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(f"\ufeff{front}one\n\npassword: hunter2\n".replace("\n", "\r\n").encode())
    assert [(each.line, each.title) for each in desk.sync().waiting] == [(4, ""), (5, ""), (9, "")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_a_file_that_is_not_a_note_waits_under_its_path(tmp_path: Path, encoding: str) -> None:
    desk = Machine(tmp_path / "desk", None)
    desk.memory.mkdir(parents=True)
    (desk.memory / "READ ME.md").write_bytes(f"caf\xe9\nthe key is {KEY}\n".encode(encoding))
    [waiting] = desk.sync().waiting
    assert (waiting.path, waiting.id, waiting.line) == ("READ ME.md", "READ ME.md", 2)
    assert desk.backend.allow_secret("READ ME.md")
    assert desk.sync().waiting == ()
    assert desk.git("ls-tree", "-z", "--name-only", "main") == "READ ME.md\0"


@pytest.mark.parametrize(
    "content",
    [f"\0{OTHER_KEY}\0\xff".encode("latin-1"), f"the key is {OTHER_KEY}".encode("utf-16-le")],
    ids=["between zeros", "UTF-16 without a mark"],
)
def test_a_credential_in_a_file_that_is_not_text_waits_too(tmp_path: Path, content: bytes) -> None:
    desk = Machine(tmp_path / "desk", None)
    desk.memory.mkdir(parents=True)
    (desk.memory / "picture.md").write_bytes(content)
    assert {each.path for each in desk.sync().waiting} == {"picture.md"}


def test_a_file_with_a_credential_in_its_name_waits_even_after_a_rename(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    path = desk.write("N1", "text")
    desk.sync()
    path.rename(path.with_name(f"{OTHER_KEY}.md"))
    [waiting] = desk.sync().waiting
    assert waiting.kind.endswith("in the file's name")
    assert OTHER_KEY not in desk.git("log", "--format=", "--name-only", "--all")


def test_a_note_that_says_machine_local_does_not_leave_this_machine(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    path = desk.write("N1", "shared text")
    settle(desk, lap)
    path.write_text(path.read_text().replace("scope: portable", "scope: machine-local") + "home address\n")
    new = path.with_name("N2.md")
    new.write_text(path.read_text().replace("id: N1", "id: N2"))
    result = desk.sync()
    assert {each.path for each in result.waiting} == {"semantic/N1.md", "semantic/N2.md"}
    assert "2 files wait marked machine-local" in result.detail
    assert "move it to local/" in result.detail
    assert "home address" not in history_at(remote)
    (desk.memory.parent / "local" / "semantic").mkdir(parents=True)
    new.rename(desk.memory.parent / "local" / "semantic" / "N2.md")
    assert {each.path for each in desk.sync().waiting} == {"semantic/N1.md"}


def test_of_files_that_wait_for_different_reasons_each_is_named_with_its_own_remedy(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    path = desk.write("N1", "text")
    desk.sync()
    path.write_text("garbage")
    desk.write("N2", f"key: {KEY}")
    credential, broken = desk.sync().detail.split("; 1 file waits because it is no longer readable")
    assert credential.startswith("1 file waits with a credential: ")
    assert ("N1" in credential, "--allow-secret N2" in credential) == (False, True)
    assert ("N2" in broken, "history N1 --restore" in broken) == (False, True)


def test_the_text_is_pushed_once_the_credential_is_removed(desk: Machine, remote: Path) -> None:
    desk.write("N1", f"key: {KEY}")
    desk.sync()
    desk.write("N1", "key: in the vault")
    result = desk.sync()
    assert (result.waiting, result.detail, result.pushed) == ((), "synced", True)
    assert desk.backend.state().waiting == ()
    assert SECRET not in history_at(remote)


def test_an_allowed_credential_is_pushed_and_the_next_one_waits_again(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", f"key: {KEY}")
    desk.sync()
    assert not desk.backend.allow_secret("N2")
    assert desk.backend.allow_secret("N1")
    assert (desk.root / "sync.json").stat().st_mode & 0o777 == 0o600
    assert SECRET not in (desk.root / "sync.json").read_text()
    assert desk.sync().waiting == ()
    assert SECRET in at_remote(remote, "semantic/N1.md")
    lap.sync()
    assert lap.sync().waiting == ()
    assert not lap.backend.state().waiting
    desk.write("N1", f"key: {KEY}\nkey: {OTHER_KEY}")
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    assert OTHER_SECRET not in history_at(remote)


def test_a_note_from_another_machine_is_accepted_with_its_credential(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", f"key: {KEY}")
    desk.backend.allow_secret("N1")
    settle(desk, lap)
    assert SECRET in lap.read("N1").body
    lap.git("reset", "-q")
    assert (lap.sync().waiting, lap.backend.state().dirty) == ((), False)


def test_a_credential_that_was_allowed_elsewhere_is_allowed_here_too_and_stays_so_after_an_edit(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    def secrets_of(machine: Machine) -> dict[str, Finding]:
        with MemoryStore(machine.root) as store:
            found = examine(Context(store, machine.backend))
        return {each.name: each for each in found if "secrets" in each.name}

    desk.write("N1", f"key: {KEY}")
    desk.backend.allow_secret("N1")
    settle(desk, lap)
    assert all("sync --allow-secret" in each.remedy for each in secrets_of(lap).values())
    assert lap.backend.allow_secret("N1")
    assert {each.state for each in secrets_of(lap).values()} == {"ok"}
    with MemoryStore(desk.root) as store:
        note = edit_note(store, "N1", backend=desk.backend, body=f"key: {KEY}\nmore")
        with pytest.raises(SecretFound):
            edit_note(store, "N1", backend=desk.backend, body=f"{note.body}\nkey: {OTHER_KEY}")
    settle(desk, lap)
    assert lap.read("N1").body == note.body
    for machine in (desk, lap):
        assert {each.state for each in secrets_of(machine).values()} == {"ok"}


def test_a_renamed_file_of_the_history_does_not_wait(desk: Machine, lap: Machine, remote: Path) -> None:
    path = desk.write("N1", f"key: {KEY}")
    desk.backend.allow_secret("N1")
    settle(desk, lap)
    (desk.root / "sync.json").unlink()
    path.rename(path.with_name("renamed.md"))
    assert desk.sync().waiting == ()
    lap.sync()
    assert list(lap.files()) == ["semantic/renamed.md"]


def test_a_note_that_was_moved_and_waits_is_not_deleted_elsewhere(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "text")
    desk.write("N2", "to go")
    settle(desk, lap)
    desk.save(desk.read("N1"), type="procedural", body=f"key: {KEY}")
    desk.delete("N2")
    settle(desk, lap)
    assert [each.path for each in desk.results[-1].waiting] == ["procedural/N1.md"]
    assert list(lap.files()) == ["semantic/N1.md"]
    desk.save(desk.read("N1"), body="key: in the vault", updated_at=LATER)
    settle(desk, lap)
    assert list(lap.files()) == ["procedural/N1.md"]


def test_a_waiting_note_is_not_held_when_other_notes_arrive(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    lap.write("N2", "from the laptop")
    lap.sync()
    desk.write("N1", f"key: {KEY}")
    result = desk.sync()
    assert (result.held, [each.id for each in result.waiting]) == ((), ["N1"])
    assert desk.read("N2").body == "from the laptop"


@pytest.mark.parametrize("kind", ["semantic", "procedural"])
def test_neither_a_waiting_note_nor_an_edit_from_elsewhere_is_lost(
    desk: Machine, lap: Machine, remote: Path, kind: str
) -> None:
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body=f"one\ntwo\n{KEY}", type=kind)
    lap.save(lap.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
    lap.write("N2", "other")
    settle(lap, desk)
    assert desk.results[-1].held == ("N1",)
    assert [[each.id for each in result.waiting] for result in desk.results[-2:]] == [["N1"], ["N1"]]
    assert [each.id for each in desk.backend.state().waiting] == ["N1"]
    assert desk.read("N2").body == "other"
    assert desk.read("N1").body == f"one\ntwo\n{KEY}"
    assert lap.read("N1").body == "ONE\ntwo\nthree"
    desk.save(desk.read("N1"), body="one\ntwo\nTHREE", updated_at=LATER)
    settle(desk, lap)
    assert desk.read("N1").body == lap.read("N1").body == "ONE\ntwo\nTHREE"
    last = desk.results[-1]
    assert (last.held, last.waiting) == ((), ())
    assert desk.files() == lap.files()
    assert SECRET not in history_at(remote)


def test_a_waiting_note_whose_last_commit_clashes_keeps_both_edits(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree", updated_at=LATER)
    desk.backend.commit()
    lap.save(lap.read("N1"), body="one\nfrom lap\nthree", updated_at=LATER)
    desk.save(desk.read("N1"), body=f"one\nfrom desk\nthree\n{KEY}")
    settle(lap, desk)
    assert desk.results[-1].held == ("N1",)
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree\nfour")
    settle(desk, lap)
    assert desk.results[-1].held == ("N1",)
    desk.backend.resolve("N1", choice="both")
    settle(desk, lap)
    lines = lap.read("N1").body.splitlines()
    assert {"from desk", "from lap", "four"} <= set(lines)
    assert SECRET not in history_at(remote)


def test_a_sync_killed_while_a_note_waits_loses_and_pushes_nothing(tmp_path: Path) -> None:
    for step in range(0, 200, 5):
        remote = make_remote(tmp_path / f"{step}.git")
        desk, lap = (Machine(tmp_path / f"{name}{step}", remote) for name in ("desk", "lap"))
        desk.write("N1", "one\ntwo\nthree")
        settle(desk, lap, rounds=1)
        lap.save(lap.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
        lap.sync()
        desk.write("N1", f"one\ntwo\n{KEY}")
        desk.write("N2", "other")
        killed = run_until(step, desk.backend.sync)
        settle(desk, lap)
        assert desk.read("N1").body == f"one\ntwo\n{KEY}"
        desk.write("N1", "one\ntwo\nTHREE")
        settle(desk, lap)
        assert desk.files() == lap.files()
        assert (lap.read("N1").body, lap.read("N2").body) == ("ONE\ntwo\nTHREE", "other")
        assert SECRET not in history_at(remote)
        if not killed:
            break
    assert 10 < step < 190


def test_a_waiting_note_deleted_elsewhere_comes_back_once_it_may_sync(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "text")
    settle(desk, lap)
    desk.write("N1", f"key: {KEY}")
    lap.delete("N1")
    settle(lap, desk, lap)
    assert (desk.results[-1].held, lap.files()) == (("N1",), {})
    desk.write("N1", "key: in the vault")
    settle(desk, lap)
    assert lap.read("N1").body == "key: in the vault"


def test_another_note_with_the_name_of_a_waiting_file_replaces_nothing(desk: Machine, lap: Machine) -> None:
    settle(desk, lap)
    for machine, note_id, body in ((desk, "D1", f"key: {KEY}"), (lap, "L1", "from lap")):
        path = machine.memory / "semantic" / "todo.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialize(Memory(id=note_id, title="t", type="semantic", body=body)).encode())
    settle(lap, desk, lap)
    assert desk.results[-1].held == ("semantic/todo.md",)
    assert "D1" in (desk.memory / "semantic/todo.md").read_text()
    assert "L1" in (lap.memory / "semantic/todo.md").read_text()
    [held] = desk.backend.held()
    assert "from lap" in (held.theirs or "")


@pytest.fixture
def clashing(desk: Machine, lap: Machine) -> tuple[Machine, Machine]:
    """Two machines that changed the same line of N1; the first one's text now contains a credential."""
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    lap.save(lap.read("N1"), body="one\nfrom lap\nthree", updated_at=LATER)
    desk.save(desk.read("N1"), body=f"one\nkey: {KEY}\nthree", updated_at=LATER)
    settle(lap, desk)
    assert desk.results[-1].held == ("N1",)
    return desk, lap


@pytest.mark.parametrize("choice", ["mine", "both"])
def test_no_choice_resolves_a_clash_with_a_credential(
    clashing: tuple[Machine, Machine], remote: Path, choice: str
) -> None:
    desk, _ = clashing
    before = desk.files()
    with pytest.raises(SecretFound, match=r"N1 contains a credential \(.*, line \d+\).*--allow-secret N1"):
        desk.backend.resolve("N1", choice="mine" if choice == "mine" else "both")
    assert desk.files() == before
    assert desk.sync().held == ("N1",)
    assert SECRET not in history_at(remote)


def test_the_other_version_resolves_a_clash_and_ours_stays_out_of_the_history(
    clashing: tuple[Machine, Machine], remote: Path
) -> None:
    desk, lap = clashing
    desk.backend.resolve("N1", choice="theirs")
    settle(desk, lap)
    assert desk.read("N1").body == lap.read("N1").body == "one\nfrom lap\nthree"
    assert SECRET not in history_at(remote)
    assert SECRET not in objects_of(desk)
    assert any(SECRET in text.note.body for text in UndoTexts(desk.root).of_note("N1"))


def test_a_credential_typed_into_a_held_note_that_changes_its_type_is_named_at_once(
    clashing: tuple[Machine, Machine],
) -> None:
    desk, _ = clashing
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree")
    assert desk.sync().waiting == ()
    desk.save(desk.read("N1"), body=f"one\nkey: {KEY}\nthree", type="procedural")
    assert [each.path for each in desk.sync().waiting] == ["procedural/N1.md"]


def test_an_allowed_version_resolves_a_clash(clashing: tuple[Machine, Machine], remote: Path) -> None:
    desk, lap = clashing
    assert desk.backend.allow_secret("N1")
    desk.backend.resolve("N1", choice="mine")
    settle(desk, lap)
    assert SECRET in lap.read("N1").body


def test_a_credential_that_both_versions_have_is_not_reported(clashing: tuple[Machine, Machine]) -> None:
    desk, lap = clashing
    lap.save(lap.read("N1"), body=f"one\nsince May: {KEY}\nthree", updated_at=LATER)
    lap.backend.allow_secret("N1")
    settle(lap, desk)
    assert desk.results[-1].waiting == ()
    desk.backend.resolve("N1", choice="mine")
    settle(desk, lap)
    assert lap.read("N1").body == f"one\nkey: {KEY}\nthree"


def test_a_file_written_during_a_commit_is_checked_by_the_next(
    desk: Machine, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "text")
    desk.write("N2", "other")
    real = Git.commit

    def commit_while_an_editor_saves(git: Git, *args: Any, **options: Any) -> str:
        desk.write("N1", f"key: {KEY}")
        return real(git, *args, **options)

    monkeypatch.setattr(Git, "commit", commit_while_an_editor_saves)
    desk.sync()
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    assert SECRET not in history_at(remote)


@pytest.mark.parametrize("how", ["detached", "elsewhere"])
def test_a_waiting_file_survives_a_recovery(desk: Machine, lap: Machine, remote: Path, how: str) -> None:
    desk.write("N1", "one")
    desk.sync()
    desk.write("N1", "one\ntwo")
    desk.sync()
    desk.git("checkout", "-q", *(["HEAD~1"] if how == "detached" else ["-b", "trial", "HEAD~1"]))
    desk.write("N1", f"one\nkey: {KEY}")
    desk.write("N2", "other")
    result = desk.sync()
    assert [each.id for each in result.waiting] == ["N1"]
    assert SECRET in desk.read("N1").body
    settle(desk, lap)
    assert lap.read("N1").body == "one\ntwo"
    assert lap.read("N2").body == "other"
    assert SECRET not in history_at(remote)


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit for the size of a file that is read in no time."""
    for module in ("tree", "session"):
        monkeypatch.setattr(f"anamnesis.sync.{module}.MAX_BYTES", 20_000)
    return 20_000


def test_a_note_that_outgrew_the_limit_does_not_block_incoming_changes(
    desk: Machine, lap: Machine, small_limit: int
) -> None:
    desk.write("N1", "one\ntwo")
    settle(desk, lap)
    desk.save(desk.read("N1"), body=desk.read("N1").body + "\n" + "x" * small_limit)
    lap.save(lap.read("N1"), body="ONE\ntwo", updated_at=LATER)
    lap.write("N2", "other")
    settle(lap, desk)
    assert desk.read("N2").body == "other"
    assert desk.results[-1].held == ("N1",)
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    assert lap.read("N1").body == "ONE\ntwo\nthree"


def test_a_note_that_outgrew_the_limit_is_not_pushed_after_a_deletion_elsewhere(
    desk: Machine, lap: Machine, small_limit: int
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.write("N1", "x" * small_limit)
    lap.delete("N1")
    settle(lap, desk, lap)
    assert (desk.results[-1].held, lap.files()) == (("N1",), {})


def test_the_doctor_lists_waiting_files(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    desk.write("N1", "text")
    desk.sync()
    desk.write("N1", f"key: {KEY}")
    desk.sync()
    with MemoryStore(desk.root) as store:
        found = {each.name: each for each in examine(Context(store, desk.backend))}
    assert found["waiting"].state == "bad"
    assert "semantic/N1.md line " in found["waiting"].evidence
    assert "--allow-secret" in found["waiting"].remedy
    assert SECRET not in str(found)


def test_ordinary_notes_do_not_wait(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    text = (Path(__file__).parent / "ordinary_text.txt").read_text()
    desk.write("N1", text, title="The API token", project="a8f5f167f44f4964e6c998dee827110c")
    desk.write("N2", "x", title="password:", machine_id="hunter2", tags=["d41d8cd98f00b204", "token"])
    assert desk.backend.state().waiting == desk.sync().waiting == ()


@pytest.mark.parametrize("how", ["restore", "doctor"])
def test_a_note_file_broken_by_hand_stays_good_elsewhere_and_its_newest_readable_version_comes_back(
    desk: Machine, lap: Machine, how: str
) -> None:
    with MemoryStore(desk.root) as store:
        note = store.write(type="semantic", title="Use WAL mode", body="always")
        store.update(note.id, title="Use the log", body="newer")
        settle(desk, lap)
        path = desk.memory / f"semantic/{note.id}.md"
        path.write_text("---\ntitle: [ no end\n")
        waiting = desk.sync().waiting
        assert [(each.id, each.kind, each.title) for each in waiting] == [
            (note.id, "unreadable", "Use the log")
        ]
        assert f"history {note.id} --restore" in waiting[0].remedy
        lap.sync()
        assert lap.read(note.id).body == "newer"
        for text in (note.id, note.id[:20], "Use the log"):
            assert find_id_ever(store, text, backend=desk.backend) == note.id
        if how == "restore":
            restore_note(store, note.id, backend=desk.backend)
        else:
            assert "restored 'Use the log'" in "".join(check_up(Context(store, desk.backend), fix=True).fixed)
        assert desk.read(note.id).body == "newer"
        kept = [each.read_text() for each in (desk.root / "undo" / note.id).iterdir()]
        assert "---\ntitle: [ no end\n" in kept
    assert desk.sync().waiting == ()


def test_a_new_note_file_broken_by_hand_before_its_first_sync_is_not_sent(
    desk: Machine, lap: Machine
) -> None:
    settle(desk, lap)
    with MemoryStore(desk.root) as store:
        note = store.write(type="semantic", title="Quince", body="q")
    path = desk.memory / f"semantic/{note.id}.md"
    path.write_text("garbage")
    assert [(each.id, each.kind) for each in desk.sync().waiting] == [(note.id, "unreadable")]
    lap.sync()
    assert not (lap.memory / f"semantic/{note.id}.md").exists()


NAMES = ("token", "password", "secret", "api-key")


def random_values(count: int) -> list[tuple[str, str]]:
    """Names of secrets, each with a realistic value."""
    chance = random.Random(15)  # noqa: S311 - the same values in every run
    return [
        (chance.choice(NAMES), "".join(chance.choices(ascii_lowercase + digits, k=chance.randint(8, 32))))
        for _ in range(count)
    ]


def test_tags_and_other_fields_are_not_read_as_name_and_value() -> None:
    note = Memory("N1", "semantic", "a title", "text", created_at=DAWN, updated_at=DAWN)
    for name, value in random_values(300):
        listed = replace(note, title=name, tags=[name, value, name], project=name, machine_id=value)
        assert find_in_file(serialize(listed).encode()) == [], (name, value)


def test_a_tag_with_a_name_and_a_value_is_found_at_its_line() -> None:
    note = Memory("N1", "semantic", "a title", "text", created_at=DAWN, updated_at=DAWN)
    text = serialize(replace(note, tags=["deploy", "password=k8Zq3vTr9Lm2"]))
    (found,) = find_in_file(text.encode())
    assert "password=k8Zq3vTr9Lm2" in text.splitlines()[found.line - 1]


def test_a_note_with_secret_sounding_tags_can_be_written(store: MemoryStore) -> None:
    write = partial(write_memory, store, type="semantic", title="a title", body="text")
    for name, value in random_values(20):
        assert write(tags=[name, value])["tags"] == [name, value]
    with pytest.raises(SecretFound, match="list of tags"):
        write(tags=["deploy", "password=k8Zq3vTr9Lm2"])
