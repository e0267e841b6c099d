"""The doctor's search for credentials: what it reports, and what it need not search again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis import redact
from anamnesis.doctor import Context, Finding, examine, files
from anamnesis.doctor.context import Verdicts
from anamnesis.git import Git
from anamnesis.index.listing import note_files
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from anamnesis.sync.waiting import SecretInFile, find_in_file

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def context(store: MemoryStore) -> Context:
    """A store with one note, in git."""
    store.write(type="semantic", title="Use WAL mode", body="set busy_timeout")
    backend = GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")
    backend.commit()
    return Context(store, backend)


@pytest.fixture
def finding(context: Context) -> Callable[[str], Finding]:
    """The doctor's current finding of one check."""
    return lambda name: next(found for found in examine(context) if found.name == name)


def test_a_note_with_a_credential_is_reported_without_showing_it(
    context: Context, finding: Callable[[str], Finding]
) -> None:
    note = context.store.write(type="semantic", title="key", body=f"one\ntwo {TOKEN}")
    commit_by_hand(context)
    found = finding("secrets")
    assert found.state == "bad"
    assert "purge --secrets" in found.remedy
    path = context.store.memory_dir / "semantic" / f"{note.id}.md"
    line = path.read_text().splitlines().index(f"two {TOKEN}") + 1
    assert f"{note.id} (" in found.evidence
    assert f"line {line})" in found.evidence
    assert TOKEN not in found.evidence


def test_of_many_notes_with_a_credential_ten_are_named_and_the_rest_counted(
    context: Context, finding: Callable[[str], Finding]
) -> None:
    for number in range(11):
        context.store.write(type="semantic", title=f"key {number}", body=TOKEN)
    commit_by_hand(context)
    evidence = finding("secrets").evidence
    assert evidence.startswith("11 notes: ")
    assert evidence.endswith(") and 1 more")
    assert evidence.count(", line ") == 10


def commit_by_hand(context: Context) -> None:
    """Commit everything as it is, like a version from before the rules knew its credential."""
    git = Git(context.store.memory_dir)
    git.run("add", "--all")
    git.run("commit", "--quiet", "--message", "by hand")


def test_a_credential_that_was_never_committed_is_one_finding_without_a_purge(
    context: Context, finding: Callable[[str], Finding]
) -> None:
    context.store.write(type="semantic", title="key", body=f"one\ntwo {TOKEN}")
    assert [finding(name).state for name in ("waiting", "secrets", "old secrets")] == ["bad", "ok", "ok"]


def test_a_credential_in_a_machine_local_note_is_reported_without_a_purge(
    context: Context, finding: Callable[[str], Finding]
) -> None:
    context.store.write(type="semantic", title="key", body=f"two {TOKEN}", scope="machine-local")
    assert finding("secrets").remedy.startswith("remove it from the note")


def test_an_allowed_credential_is_not_reported(context: Context, finding: Callable[[str], Finding]) -> None:
    note = context.store.write(type="semantic", title="key", body=f"one\ntwo {TOKEN}")
    assert finding("history").state == "warn"
    assert "see `waiting`" in finding("history").remedy
    assert f"anamnesis sync --allow-secret {note.id}" in finding("waiting").remedy
    backend = GitSyncBackend(context.store.memory_dir, remote=None, machine_id="desk")
    assert backend.allow_secret(note.id)
    backend.commit()
    assert (finding("secrets").state, finding("waiting").state) == ("ok", "ok")


def test_an_unchanged_text_is_searched_once(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    note = context.store.write(type="semantic", title="Second", body="text")
    assert _secrets(context).state == "ok"
    searched: list[bytes] = []

    def search(data: bytes) -> list[SecretInFile]:
        searched.append(data)
        return find_in_file(data)

    monkeypatch.setattr("anamnesis.doctor.context.find_in_file", search)
    assert _secrets(context).state == "ok"
    assert searched == []
    context.store.update(note.id, body="another text")
    assert _secrets(context).state == "ok"
    assert [b"another text" in data for data in searched] == [True]
    for body in ("an old text", "a new text"):
        context.store.update(note.id, body=body)
        context.backend.commit()
    for _ in range(2):
        assert files.check_old_secrets(context).state == "ok"
    assert sum(b"an old text" in data for data in searched) == 1


def test_a_credential_is_reported_on_every_run(context: Context) -> None:
    path = context.store.memory_dir / "semantic/typed.md"
    path.write_text(f"---\nid: T1\ntype: semantic\ntitle: T\n---\ntoken {TOKEN}\n")
    commit_by_hand(context)
    for _ in range(2):
        assert _secrets(context).state == "bad"


def test_changed_rules_search_every_text_again(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _secrets(context).state == "ok"
    known = context.store.ask(note_files)[0].digest
    assert not Verdicts(context.home).unknown({known})
    rules = shutil.copytree(redact.__path__[0], tmp_path / "redact")
    (rules / "rules.py").write_text("# other rules")
    monkeypatch.setattr(redact, "__path__", [str(rules)])
    assert Verdicts(context.home).unknown({known})


def test_the_list_of_searched_texts_is_rewritten_once_enough_were_added(context: Context) -> None:
    path = context.home / "clean.bin"
    kept = Verdicts(context.home)
    sizes = []
    for number in range(203):
        assert kept.judge(b"text %d" % number)
        if number in (199, 201, 202):
            kept.save()
            sizes.append(path.stat().st_size // 16 - 1)
    assert sizes == [200, 200, 203]


def test_a_damaged_list_of_searched_texts_is_ignored(context: Context) -> None:
    assert _secrets(context).state == "ok"
    known = context.store.ask(note_files)[0].digest
    assert not Verdicts(context.home).unknown({known})
    path = context.home / "clean.bin"
    path.write_bytes(path.read_bytes()[:-1])
    assert Verdicts(context.home).unknown({known})


def _secrets(context: Context) -> Finding:
    """The finding of a doctor in a new process, without anything cached in memory."""
    return files.check_secrets(Context(context.store, context.backend))
