"""Purging: what is purged disappears from every version on every machine, and nothing else does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from anamnesis import state
from anamnesis.errors import InvalidNote
from anamnesis.files import parse_object
from anamnesis.purge import Scrubber, file_of, new_purge, parse_purge, without_purged
from anamnesis.session.receipts import add_entry, read_entries
from anamnesis.store import MemoryStore
from anamnesis.sync.remote import Remote
from anamnesis.sync.state import Failure, load_state, save_state
from anamnesis.sync.waiting import version
from machines import DAWN, LATER, Machine, assert_gone, run_git, settle, traces

SECRET = "Zx8-kestrel-4471"


def _told(texts: list[str], *ids: str) -> Scrubber:
    return Scrubber([new_purge(ids=ids, texts=texts, machine="desk", at=LATER)])


def test_a_text_is_removed_wherever_it_occurs_and_nothing_else_is() -> None:
    scrubber = _told(['pa\'ss "wörd"'])
    data = 'a pa\'ss "wörd" b\npa\'ss "wörd"pa\'ss "wörd" pa\'ss "word"'.encode()
    assert scrubber.scrub(data).decode() == 'a [removed] b\n[removed][removed] pa\'ss "word"'
    untouched = b"nothing of it"
    assert scrubber.scrub(untouched) is untouched


@pytest.mark.parametrize("form", [json.dumps, lambda text: json.dumps(text, ensure_ascii=False)])
def test_a_text_is_found_in_its_json_escaped_form(form: object) -> None:
    text = 'naïve "quote" \\ and tab\there'
    assert callable(form)
    assert _told([text]).scrub(form(text).encode()) == b'"[removed]"'


@pytest.mark.parametrize("text", ["short", "  abc  ", "removed"])
def test_a_text_that_is_too_short_or_part_of_our_format_is_refused(text: str) -> None:
    with pytest.raises(InvalidNote):
        new_purge(texts=[text], machine="desk", at=LATER)


def test_the_purge_record_does_not_contain_the_text_and_can_be_read_back() -> None:
    purge = new_purge(ids=["N1"], texts=[SECRET], machine="desk", at=LATER)
    path, content = file_of(purge)
    assert SECRET.encode() not in content
    assert parse_purge(purge.name, parse_object(content)) == purge
    assert path == f"purges/{purge.name}.json"


def test_a_file_that_is_not_a_record_and_a_record_of_single_letters_purge_nothing() -> None:
    assert parse_purge("p", None) is None
    assert parse_purge("p", {"purge": 2}) is None
    mark = [1, ord("a"), "0" * 64]
    forged = parse_purge("x", {"purge": 1, "ids": [], "salt": "", "texts": [mark]})
    assert forged is not None
    assert forged.texts == ()


def test_git_reports_nothing_as_deleted_after_a_purge(desk: Machine, lap: Machine) -> None:
    desk.write("N1", f"first {SECRET}")
    desk.write("N2", "stays")
    settle(desk, lap)
    desk.purge("N1")
    assert run_git(desk.memory, "status", "--porcelain", "semantic") == ""
    settle(desk, lap, rounds=1)
    assert run_git(lap.memory, "status", "--porcelain", "semantic") == ""
    assert run_git(lap.memory, "ls-files", "semantic") == "semantic/N2.md\n"


def test_a_new_machine_is_not_told_of_purges_from_before(desk: Machine, lap: Machine, tmp_path: Path) -> None:
    desk.write("N1", f"first {SECRET}")
    settle(desk, lap)
    desk.purge("N1")
    desk.sync()
    assert "nothing of it is left here" in lap.sync().detail
    new = Machine(tmp_path / "new", desk.remote)
    assert "purged" not in new.sync().detail


def test_a_purged_note_is_in_no_version_on_any_machine(desk: Machine, lap: Machine) -> None:
    desk.write("N1", f"first {SECRET}")
    desk.write("N2", "stays")
    settle(desk, lap)
    desk.save(desk.read("N1"), type="procedural", body=f"moved {SECRET}", updated_at=LATER)
    settle(desk, lap)
    desk.purge("N1")
    settle(desk, lap)
    assert sorted(path.stem for path in desk.memory.glob("*/*.md")) == ["N2"]
    assert desk.files() == lap.files()
    assert_gone(SECRET, desk, lap)
    assert_gone("N1.md", desk, lap)


def test_a_note_that_was_deleted_long_ago_can_still_be_purged(desk: Machine, lap: Machine) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    desk.delete("N1")
    settle(desk, lap)
    assert traces(lap.root, SECRET)
    desk.purge("N1")
    settle(desk, lap)
    assert_gone(SECRET, desk, lap)


def test_a_purged_text_is_removed_from_every_version_and_the_rest_of_the_note_stays(
    desk: Machine, lap: Machine
) -> None:
    desk.write("N1", f"one\nthe line says {SECRET}.\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="one\nno key\nthree", updated_at=LATER)
    settle(desk, lap)
    desk.write("N2", f"again {SECRET}", title=f"about {SECRET}")
    settle(desk, lap)
    lap.purge(texts=[SECRET])
    settle(lap, desk)
    assert desk.read("N1").body == lap.read("N1").body == "one\nno key\nthree"
    assert desk.read("N2").body == "again [removed]"
    assert desk.read("N2").title == "about [removed]"
    assert "the line says [removed]." in desk.git("log", "-p", "--format=", "main")
    assert_gone(SECRET, desk, lap)


def test_both_machines_get_the_same_history(desk: Machine, lap: Machine, remote: Path) -> None:
    desk.write("N0", "before")
    settle(desk, lap)
    before = desk.git("rev-parse", "main")
    desk.write("N1", SECRET)
    settle(desk, lap)
    for at in range(3):
        lap.write(f"L{at}", "more")
        settle(lap, desk)
    commits = int(desk.git("rev-list", "--count", "main"))
    desk.purge(texts=[SECRET])
    settle(desk, lap)
    assert (
        desk.git("rev-parse", "main") == lap.git("rev-parse", "main") == run_git(remote, "rev-parse", "main")
    )
    assert int(desk.git("rev-list", "--count", "main")) == commits + 1
    desk.git("merge-base", "--is-ancestor", before.strip(), "main")


def test_unpushed_notes_survive_without_the_text(desk: Machine, lap: Machine) -> None:
    desk.write("N1", f"one\ntwo {SECRET}\nthree\nfour\nfive\nsix")
    settle(desk, lap)
    remote, lap.remote = lap.remote, None
    lap.write("OWN", "of lap")
    lap.write("COPY", f"copied: {SECRET}")
    lap.sync()
    lap.save(lap.read("N1"), body=f"one\ntwo {SECRET}, changed\nthree\nfour\nfive\nSIX", updated_at=LATER)
    lap.sync()
    lap.remote = remote
    desk.purge(texts=[SECRET])
    desk.sync()
    settle(lap, desk)
    assert desk.read("OWN").body == "of lap"
    assert desk.read("COPY").body == "copied: [removed]"
    assert (
        desk.read("N1").body == lap.read("N1").body == "one\ntwo [removed], changed\nthree\nfour\nfive\nSIX"
    )
    assert_gone(SECRET, desk, lap)


def test_a_held_note_loses_the_text_and_stays_held(desk: Machine, lap: Machine) -> None:
    desk.write("N1", f"the {SECRET}\nline")
    settle(desk, lap)
    desk.save(desk.read("N1"), body=f"desk {SECRET}\nline", updated_at=LATER)
    lap.save(lap.read("N1"), body=f"lap {SECRET}\nline", updated_at=LATER)
    settle(desk, lap)
    assert lap.backend.state().held == ("N1",)
    desk.purge(texts=[SECRET])
    settle(desk, lap)
    (held,) = lap.backend.held()
    assert (held.mine or "").endswith("lap [removed]\nline\n")
    assert (held.theirs or "").endswith("desk [removed]\nline\n")
    assert_gone(SECRET, desk, lap)
    lap.backend.resolve("N1", choice="both")
    settle(lap, desk)
    assert desk.files() == lap.files()


def test_a_held_note_stays_held_when_its_record_is_lost_after_a_purge(desk: Machine, lap: Machine) -> None:
    desk.write("N1", f"the {SECRET}\nline")
    settle(desk, lap)
    for machine in (desk, lap):
        machine.save(machine.read("N1"), body=f"{machine.root.name}\nline", updated_at=LATER)
        machine.sync()
    lap.purge(texts=[SECRET])
    (lap.root / "sync.json").unlink()
    assert lap.backend.state().held == ("N1",)


def test_a_held_note_that_is_purged_is_no_longer_held(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "the line", title=SECRET)
    settle(desk, lap)
    desk.save(desk.read("N1"), body="desk", updated_at=LATER)
    lap.save(lap.read("N1"), body="lap", updated_at=LATER)
    settle(desk, lap)
    desk.purge("N1")
    settle(desk, lap)
    assert not lap.sync().held
    assert desk.files() == lap.files()
    assert_gone(SECRET, desk, lap)


def test_a_clone_from_before_the_purge_brings_nothing_back(
    desk: Machine, lap: Machine, tmp_path: Path
) -> None:
    desk.write("N1", f"key {SECRET}")
    desk.write("N2", SECRET)
    settle(desk, lap)
    shutil.copytree(lap.root, tmp_path / "old")
    old = Machine(tmp_path / "old", desk.remote)
    old.write("OLD", "written on the old clone")
    old.save(old.read("N1"), body=f"key {SECRET}\nand more", updated_at=LATER)
    desk.purge("N2", texts=[SECRET])
    settle(desk, lap)
    for at in range(3):
        desk.write(f"D{at}", "later")
        settle(desk, lap)
    assert old.sync().reached
    settle(desk, lap, old)
    assert desk.files() == lap.files() == old.files()
    assert desk.read("N1").body == "key [removed]\nand more"
    assert desk.read("OLD").body == "written on the old clone"
    assert desk.path("N2") is None
    assert_gone(SECRET, desk, lap, old)


def test_an_old_clone_under_another_address_brings_nothing_back(
    desk: Machine, tmp_path: Path, remote: Path
) -> None:
    desk.write("N1", SECRET)
    desk.sync()
    shutil.copytree(desk.root, tmp_path / "old")
    desk.purge(texts=[SECRET])
    desk.sync()
    (tmp_path / "elsewhere.git").symlink_to(remote)
    old = Machine(tmp_path / "old", tmp_path / "elsewhere.git")
    old.write("OLD", "mine")
    settle(old, desk)
    assert desk.files() == old.files()
    assert_gone(SECRET, desk, old)


def test_rejoin_obeys_a_purge(desk: Machine, lap: Machine) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    desk.purge(texts=[SECRET])
    desk.sync()
    lap.write("L1", f"{SECRET} copied")
    assert lap.backend.sync(rejoin=True).reached
    settle(lap, desk)
    assert_gone(SECRET, desk, lap)


def test_two_machines_can_purge_at_the_same_moment(desk: Machine, lap: Machine) -> None:
    other = "Qv9-heron-0032"
    desk.write("N1", f"{SECRET} and {other}")
    desk.write("N2", f"{other} and {SECRET}")
    settle(desk, lap)
    desk.purge(texts=[SECRET])
    lap.purge("N2", texts=[other])
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert desk.read("N1").body == "[removed] and [removed]"
    assert len(list((desk.memory / "purges").iterdir())) == 2
    for text in (SECRET, other):
        assert_gone(text, desk, lap)
    assert desk.git("rev-parse", "main") == lap.git("rev-parse", "main")


def test_two_purges_of_overlapping_texts_converge(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "start\nabcdefghijkl\nend")
    desk.write("N2", "other")
    settle(desk, lap)
    desk.purge(texts=["abcdefgh"])
    lap.purge(texts=["efghijkl"])
    lap.write("L1", "of lap")
    settle(desk, lap, rounds=3)
    for machine in (desk, lap):
        for held in machine.backend.held():
            machine.backend.resolve(held.id, choice="theirs")
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert desk.read("L1").body == "of lap"
    for text in ("abcdefgh", "efghijkl"):
        assert_gone(text, desk, lap)


def test_a_purge_made_offline_reaches_the_remote_with_the_next_sync(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    remote.rename(remote.with_name("away"))
    desk.purge(texts=[SECRET])
    assert not desk.sync().reached
    assert traces(desk.root, SECRET) == []
    remote.with_name("away").rename(remote)
    lap.write("L1", f"meanwhile {SECRET}")
    settle(lap, desk, lap)
    assert desk.files() == lap.files()
    assert desk.read("L1").body == "meanwhile [removed]"
    assert_gone(SECRET, desk, lap)


def test_a_push_between_fetch_and_purge_is_not_overwritten(
    desk: Machine, lap: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    desk.purge(texts=[SECRET])
    lap.write("L1", "in between")
    push = Remote.push
    done: list[str | None] = []

    def race(self: Remote, commit: str, *, replaces: str | None = None) -> tuple[Failure | None, bool]:
        if not done:
            done.append(replaces)
            monkeypatch.setattr(Remote, "push", push)
            lap.sync()
        return push(self, commit, replaces=replaces)

    monkeypatch.setattr(Remote, "push", race)
    assert desk.sync().pushed
    assert done[0]
    assert "L1" in desk.git("ls-tree", "-r", "--name-only", "origin/main")
    settle(lap, desk)
    assert desk.read("L1").body == "in between"
    assert_gone(SECRET, desk, lap)


def test_an_ordinary_sync_never_forces_a_push(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    push = Remote.push
    asked: list[str | None] = []

    def watch(self: Remote, commit: str, *, replaces: str | None = None) -> tuple[Failure | None, bool]:
        asked.append(replaces)
        return push(self, commit, replaces=replaces)

    monkeypatch.setattr(Remote, "push", watch)
    desk.write("N1", SECRET)
    desk.sync()
    desk.purge(texts=[SECRET])
    desk.sync()
    desk.write("N2", "after")
    desk.sync()
    assert [bool(each) for each in asked] == [False, True, False]


def test_every_other_file_of_the_store_is_scrubbed(desk: Machine) -> None:
    root = desk.root
    with MemoryStore(root) as store:
        kept = store.write(type="semantic", title="keep", body=f"uses {SECRET} here")
        gone = store.write(type="semantic", title="goes", body="title of its own: Marlin")
        store.update(gone.id, body="Marlin again")
        store.write(type="semantic", title="private", body=f"local {SECRET}", scope="machine-local")
    note = (root / "memory" / "semantic" / f"{kept.id}.md").read_bytes()
    files = {
        "eval.jsonl": json.dumps({"case": SECRET}),
        "anamnesis.log": f"failed on {SECRET}\n",
        f"undo/{kept.id}/1.old": note.decode(),
        f"undo/{gone.id}/2.old": "Marlin as it was",
        "drafts/draft.md": f"unsaved {SECRET}",
        "memory/semantic/backup.md~": f"an editor's copy {SECRET}",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "config.json").write_text(json.dumps({"machine_id": "desk"}))
    state.save(
        root,
        state.Entry("s1", "searched", "", json.dumps({"query": SECRET})),
        state.Captured("s1", f"/x/{SECRET}.jsonl", 1, 1, gone.id, ""),
        state.Written(gone.id, "about Marlin", "as it was"),
        state.Written("other", SECRET, f"said {SECRET}"),
        state.Proposal("p", json.dumps({"sources": [gone.id], "draft": "about Marlin"})),
    )
    desk.sync()
    desk.purge(gone.id, texts=[SECRET])
    desk.sync()
    for text in (SECRET, "Marlin"):
        assert_gone(text, desk)
    assert state.read(root, state.Proposal) == []
    assert [row.note for row in state.read(root, state.Written)] == ["other"]
    assert [json.loads(row.fields) for row in state.read(root, state.Entry)] == [{"query": "[removed]"}]
    with MemoryStore(root) as store:
        assert sorted(note.title for note in store.list()) == ["keep", "private"]
        assert store.search("kestrel") == []
        assert not store.problems()


def test_a_purge_also_forgets_that_a_version_was_allowed_to_sync(desk: Machine) -> None:
    path = desk.write("N1", f"uses {SECRET} here")
    for text in (b"another text", path.read_bytes()):
        state = load_state(desk.memory)
        state.allow(version(text))
        save_state(desk.memory, state)
    desk.sync()
    desk.purge(texts=[SECRET])
    assert load_state(desk.memory).allowed == [version(b"another text")]


def test_tags_branches_and_gits_scratch_files_are_scrubbed(desk: Machine) -> None:
    desk.write("N1", SECRET)
    desk.sync()
    desk.git("stash", "list")
    desk.git("tag", "-a", "-m", f"tag {SECRET}", "v1")
    desk.git("branch", "mine")
    desk.git("update-ref", "refs/anamnesis/before/000001", "main")
    blob = desk.git("rev-parse", "main:semantic/N1.md").strip()
    desk.git("update-ref", f"refs/anamnesis/recovered/{blob}", blob)
    (desk.memory / ".git/COMMIT_EDITMSG").write_text(SECRET)
    (desk.memory / ".git/objects/pack/pack-x.keep").touch()
    desk.purge(texts=[SECRET])
    desk.sync()
    assert "[removed]" in desk.git("show", "mine:semantic/N1.md")
    assert "[removed]" in desk.git("show", "v1:semantic/N1.md")
    assert "[removed]" in desk.git("show", "refs/anamnesis/before/000001:semantic/N1.md")
    assert desk.git("fsck", "--no-dangling") == ""
    assert_gone(SECRET, desk)


def test_the_text_is_removed_from_commit_subjects_and_file_names(desk: Machine, lap: Machine) -> None:
    desk.memory.mkdir(parents=True)
    (desk.memory / f"{SECRET}.md").write_text("a file named so")
    desk.backend.commit(f"desk: wrote '{SECRET}'")
    desk.write("N2", "harmless")
    desk.backend.commit(f"desk: also {SECRET}")
    settle(desk, lap)
    desk.purge(texts=[SECRET])
    settle(desk, lap)
    assert (lap.memory / "[removed].md").read_text() == "a file named so"
    assert "desk: also [removed]" in lap.git("log", "--format=%s")
    assert_gone(SECRET, desk, lap)


def test_a_deleted_purge_record_comes_back(desk: Machine, lap: Machine) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    purge = desk.purge(texts=[SECRET])
    settle(desk, lap)
    (lap.memory / file_of(purge)[0]).unlink()
    settle(lap, desk, rounds=3)
    assert (lap.memory / file_of(purge)[0]).exists()
    assert desk.files() == lap.files()


def test_a_new_remote_with_an_old_copy_of_the_history_is_rewritten(desk: Machine, tmp_path: Path) -> None:
    desk.write("N1", SECRET)
    desk.sync()
    shutil.copytree(str(desk.remote), tmp_path / "copy.git")
    desk.purge(texts=[SECRET])
    desk.sync()
    desk.remote = tmp_path / "copy.git"
    desk.sync()
    assert_gone(SECRET, desk)


def test_a_file_that_reintroduces_a_purged_text_waits(desk: Machine, lap: Machine) -> None:
    desk.write("N1", SECRET)
    settle(desk, lap)
    desk.purge("N1", texts=[SECRET])
    settle(desk, lap)
    lap.write("SESSION", f"one\nI typed: anamnesis purge --text {SECRET}")
    lap.write("N1", "a note with the id of a purged one")
    result = lap.sync()
    assert sorted({(each.id, each.kind) for each in result.waiting}) == [
        ("N1", "purged note"),
        ("SESSION", "purged text"),
    ]
    assert result.needs_attention
    lines = lap.files()["semantic/SESSION.md"].decode().splitlines()
    assert [SECRET in lines[each.line - 1] for each in result.waiting if each.id == "SESSION"] == [True]
    settle(desk)
    assert desk.path("SESSION") is None
    assert traces(lap.memory / ".git", SECRET) == []
    assert lap.backend.allow_secret("SESSION")
    settle(lap, desk)
    assert SECRET in desk.read("SESSION").body


SAYINGS = [
    ("stash",),
    ("commit", "-qa", "--fixup=HEAD"),
    ("commit", "-qam", "Look at Wombatplan Gruffalo again"),
    ("notes", "add", "-m", "about Wombatplan Gruffalo"),
    ("tag", "-a", "v1", "-m", "before Wombatplan Gruffalo", "HEAD~1"),
]


@pytest.mark.parametrize("saying", SAYINGS)
def test_no_message_on_any_machine_contains_a_purged_notes_title(
    desk: Machine, lap: Machine, saying: tuple[str, ...]
) -> None:
    desk.write("N2", "text", title="other")
    desk.write("N1", "the plan", title="Wombatplan Gruffalo")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="the plan, edited", updated_at=LATER)
    desk.sync()
    assert "Gruffalo" in desk.git("log", "-1", "--format=%s")
    desk.save(desk.read("N2"), body="text and more", updated_at=LATER)
    desk.git(*saying)
    settle(desk, lap)
    desk.purge("N1")
    settle(desk, lap)
    assert_gone("Gruffalo", desk, lap)
    assert desk.git("rev-parse", "main") == lap.git("rev-parse", "main")


def test_a_query_that_found_a_purged_note_is_removed_from_its_receipt_and_others_stay(desk: Machine) -> None:
    add_entry(str(desk.root), "s1", "told", ids=[["N1", DAWN]])
    add_entry(str(desk.root), "s1", "searched", query="marlin contract", ids=[["N1", DAWN], ["N2", DAWN]])
    add_entry(str(desk.root), "s1", "searched", query="harbour", ids=[["N2", DAWN]])
    desk.write("N1", "the marlin contract")
    desk.write("N2", "the harbour")
    desk.sync()
    desk.purge("N1")
    entries = read_entries(str(desk.root), "s1")
    assert [entry.get("query") for entry in entries] == [None, "[removed]", "harbour"]
    assert entries[1]["ids"] == [["N1", DAWN], ["N2", DAWN]]
    assert b"marlin" not in (desk.root / "machine.db").read_bytes()


def test_a_later_search_for_a_purged_text_is_not_recorded(desk: Machine) -> None:
    desk.write("N1", f"uses {SECRET} here")
    desk.sync()
    desk.purge(texts=[SECRET])
    assert without_purged(desk.memory, f"is {SECRET} gone?") == "is [removed] gone?"
    assert without_purged(desk.root / "elsewhere", SECRET) == SECRET
