"""The doctor's search for credentials: what it reports, and what it need not search again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anamnesis.doctor import Context, Finding, examine
from anamnesis.git import Git
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend

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
    assert f"anamnesis sync --allow-secret {note.id}" in finding("waiting").remedy
    backend = GitSyncBackend(context.store.memory_dir, remote=None, machine_id="desk")
    assert backend.allow_secret(note.id)
    backend.commit()
    assert (finding("secrets").state, finding("waiting").state) == ("ok", "ok")
