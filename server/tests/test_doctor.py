"""The doctor: every check reports its state, the evidence and the remedy."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis import doctor
from anamnesis.cli import main
from anamnesis.doctor import CHECKS, Context, Finding, check_up, examine
from anamnesis.git import Git
from anamnesis.onboard import client
from anamnesis.onboard.files import Setup
from anamnesis.session.receipts import log_line
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from machines import make_clone

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


def wire_up(command: str, **variables: str) -> None:
    """Install the hooks and the server as `init` would, running `command` with these variables."""
    path = client.settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = client.merge_hooks({}, client.build_hooks([command], variables))
    client.write_settings(path, client.allow_reading(settings))
    servers = {"anamnesis": client.server_entry(Setup([command], variables))}
    (path.parent / ".claude.json").write_text(json.dumps({"mcpServers": servers}))


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """An executable called anamnesis, in a folder with a space."""
    path = tmp_path / "bin folder" / "anamnesis"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m anamnesis\n")
    path.chmod(0o700)
    return path


def test_a_healthy_store_with_hooks_has_only_ok_findings(context: Context, command: Path) -> None:
    wire_up(str(command))
    assert [found for found in examine(context) if found.state != "ok"] == []


def test_a_new_store_has_nothing_to_commit(store: MemoryStore) -> None:
    context = Context(store, GitSyncBackend(store.memory_dir, remote=None, machine_id="desk"))
    assert [found.state for found in examine(context, ["history"])] == ["ok"]
    store.write(type="semantic", title="Use WAL mode", body="set busy_timeout")
    assert [found.state for found in examine(context, ["history"])] == ["warn"]


def test_every_finding_offers_a_page_a_repair_or_something_to_copy() -> None:
    """Read from the calls that make them, so that one that no test brings about has something, too."""
    without = []
    for path in Path(doctor.__file__).parents[1].rglob("*.py"):
        module = ast.parse(path.read_text())
        for function in (each for each in ast.walk(module) if isinstance(each, ast.FunctionDef)):
            given = [each for each in (*module.body, *ast.walk(function)) if isinstance(each, ast.Assign)]
            known = {ast.unparse(each.targets[0]): ast.unparse(each.value) for each in given}
            for call in (each for each in ast.walk(function) if isinstance(each, ast.Call)):
                name, state, *words = [*map(ast.unparse, call.args), "", ""][:4]
                said = " ".join([*words, *(known.get(each, "") for each in re.findall(r"\w+", f"{words}"))])
                copied = [it for it in re.findall(r"`(.+?)`", said) if {*it} & {*" /{"} or it in CHECKS]
                is_settled = copied or len(call.args) > 4 or CHECKS.get(name.strip("'"), [""])[-1]
                if ast.unparse(call.func) == "Finding" and state != "'ok'" and not is_settled:
                    without.append(f"{path.name} line {call.lineno}: {name}")
    assert without == []


def test_every_check_is_documented(context: Context) -> None:
    page = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text()
    rows = [row.split("|")[1].strip() for row in page.splitlines() if row.startswith("| ")]
    assert rows[1:] == [found.name for found in examine(context)]


def test_a_file_that_never_was_a_note_is_to_be_corrected_or_removed(
    context: Context, finding: Callable[[str], Finding]
) -> None:
    (context.store.memory_dir / "semantic" / "odd.md").write_text("never a note")
    assert finding("files").remedy == f"correct or remove these files in {context.home}"


def test_fix_touches_no_note(context: Context) -> None:
    (context.store.memory_dir / "semantic" / "broken.md").write_text("no note")
    context.store.write(type="semantic", title="key", body=TOKEN)
    (context.home / "config.json").write_text("[]")
    context.home.chmod(0o755)
    log_line(context.home, "inject: trouble")
    notes = {path: path.read_bytes() for path in context.home.rglob("*.md")}
    check_up(context, fix=True)
    assert {path: path.read_bytes() for path in context.home.rglob("*.md")} == notes


def test_a_missing_remote_is_bad_and_its_password_hidden(
    context: Context, finding: Callable[[str], Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", f"file://me:hunter2@localhost{tmp_path}/gone.git")
    found = finding("remote")
    assert found.state == "bad"
    assert "hunter2" not in found.evidence


def test_hooks_and_server_with_a_missing_command_are_bad(
    finding: Callable[[str], Finding], command: Path
) -> None:
    wire_up(str(command))
    command.unlink()
    for name in ("hooks", "mcp"):
        assert finding(name).state == "bad"
        assert str(command) in finding(name).evidence


@pytest.mark.parametrize(
    ("variable", "name", "wired", "kept"),
    [
        ("ANAMNESIS_GIT_REMOTE", "remote", "https://me:hush@old.invalid/x", "https://you:hush@new.invalid/x"),
        ("ANAMNESIS_GIT_REMOTE", "remote", "/srv/old.git", ""),
        ("ANAMNESIS_MACHINE_ID", "machine_id", "old-name", "new-name"),
    ],
)
def test_hooks_and_server_with_other_settings_than_the_store_are_bad(
    context: Context,
    finding: Callable[[str], Finding],
    command: Path,
    variable: str,
    name: str,
    wired: str,
    kept: str,
) -> None:
    config = {name: kept} if kept else {}
    (context.home / "config.json").write_text(json.dumps(config))
    wire_up(str(command), **{variable: wired})
    for found in (finding("hooks"), finding("mcp")):
        assert found.state == "bad"
        assert f"{name} {wired.replace(':hush', ':***')} instead of" in found.evidence
        assert "hush" not in found.evidence
        assert "`anamnesis init`" in found.remedy


def test_a_registered_server_without_its_package_is_bad_and_the_extra_is_named(
    finding: Callable[[str], Finding], command: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    wire_up(str(Path(sys.executable).with_name("anamnesis")))
    found = finding("mcp")
    assert (found.state, "fastmcp" in found.evidence) == ("bad", True)
    assert "anamnesis-memory[mcp]" in found.remedy
    # Nothing is known about a command that another interpreter runs.
    wire_up(str(command))
    assert finding("mcp").state == "ok"


@pytest.mark.parametrize("text", ["{broken", "[]", '{"hooks": 3}', '{"hooks": {"SessionEnd": "x"}}'])
def test_unreadable_client_settings_are_a_finding_not_a_crash(
    finding: Callable[[str], Finding], text: str
) -> None:
    path = client.settings_path()
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (path.parent / ".claude.json").write_text(text)
    assert finding("hooks").state in ("bad", "warn")
    assert finding("mcp").state == "warn"


def test_a_renamed_project_and_a_marker_that_is_not_trusted_are_findings(
    context: Context, finding: Callable[[str], Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_clone(tmp_path / "clone", "https://h.org/new/app")
    monkeypatch.chdir(folder)
    assert finding("project").state == "ok"
    context.store.write(type="semantic", title="t", body="b", project="h.org/old/app")
    assert "anamnesis migrate h.org/old/app h.org/new/app --apply" in finding("project").evidence
    (folder / ".anamnesis").mkdir()
    (folder / ".anamnesis" / "project").write_text("h.org/other/app")
    assert "anamnesis project trust" in finding("project").evidence


def test_an_invalid_setting_is_reported_with_its_source(
    finding: Callable[[str], Finding], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_TIMEOUT", "soon")
    found = finding("settings")
    assert found.state == "bad"
    assert "ANAMNESIS_REFLECTION_TIMEOUT" in found.evidence


def test_hooks_of_the_plugin_and_of_init_at_once_are_bad_and_the_remedy_removes_one_set(
    context: Context, finding: Callable[[str], Finding], command: Path
) -> None:
    wire_up(str(command))
    path = client.settings_path()
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "enabledPlugins": {"anamnesis@market": True}})
    )
    found = finding("hooks")
    assert found.state == "bad"
    assert "the plugin anamnesis@market" in found.evidence
    assert main(found.remedy.split("`")[1].split()[1:]) == 0
    assert finding("hooks").state == "ok"


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
    assert finding("secrets").remedy.startswith("`anamnesis edit ID` removes it")


def test_an_allowed_credential_is_not_reported(context: Context, finding: Callable[[str], Finding]) -> None:
    note = context.store.write(type="semantic", title="key", body=f"one\ntwo {TOKEN}")
    assert f"anamnesis sync --allow-secret {note.id}" in finding("waiting").remedy
    backend = GitSyncBackend(context.store.memory_dir, remote=None, machine_id="desk")
    assert backend.allow_secret(note.id)
    backend.commit()
    assert (finding("secrets").state, finding("waiting").state) == ("ok", "ok")


Damage = Callable[[Path], object]


@pytest.fixture
def synced(store: MemoryStore, remote: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A store that was synced twice with the remote that is set."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    backend = GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="desk")
    for title in ("Use WAL mode", "Ports begin at 8000"):
        store.write(type="semantic", title=title, body=f"{title}, always")
        backend.sync()
    return Context(store, backend)


def repository(context: Context) -> Finding:
    """The doctor's finding about the repository."""
    return next(found for found in examine(context) if found.name == "repository")


def loose(folder: Path, name: str) -> Path:
    """The file of the object that `name` stands for."""
    oid = Git(folder).line("rev-parse", name)
    path = folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o600)
    return path


def blob(folder: Path) -> Path:
    """The file of the text of a note in the history."""
    (name, *_) = Git(folder).line("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return loose(folder, f"HEAD:{name}")


def unpack(folder: Path) -> None:
    """Unpack every object into its own file, as in a new store."""
    git = Git(folder)
    for pack in (folder / ".git" / "objects" / "pack").glob("*.pack"):
        data = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        git.run("unpack-objects", "-q", stdin=data)


DAMAGES: dict[str, Damage] = {
    "the commit is empty": lambda folder: loose(folder, "HEAD").write_bytes(b""),
    "the branch names nothing": lambda folder: (folder / ".git/refs/heads/main").write_text("1" * 40 + "\n"),
    "the objects are gone": lambda folder: shutil.rmtree(folder / ".git" / "objects"),
    "a text is gone": lambda folder: blob(folder).unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_repository_is_bad_and_repair_brings_everything_back_from_the_remote(
    synced: Context, remote: Path, damage: Damage
) -> None:
    context = synced
    folder, notes = context.store.memory_dir, context.store.list()
    before = Git(remote).line("--git-dir=.", "rev-parse", "main")
    unpack(folder)
    assert repository(context).state == "ok"
    damage(folder)
    found = repository(context)
    assert (found.state, "\n" in found.evidence) == ("bad", False)
    assert found.evidence.startswith("damaged: ")
    assert "comes back from the remote" in found.remedy

    repaired = check_up(context, fix=True)
    assert repaired.failed == []
    (aside,) = context.home.glob("git.damaged-*")
    assert str(aside) in repaired.fixed[0]
    assert (aside / "HEAD").is_file()

    fresh = GitSyncBackend(folder, remote=str(remote), machine_id="desk")
    assert fresh.sync().detail == "synced"
    assert Git(folder).line("rev-parse", "main") == before
    assert context.store.list() == notes
    assert repository(context).state == "ok"


def test_a_damaged_repository_without_a_remote_gets_a_new_history_with_every_note(
    store: MemoryStore,
) -> None:
    store.write(type="semantic", title="Use WAL mode", body="always")
    context = Context(store, GitSyncBackend(store.memory_dir, remote=None, machine_id="desk"))
    context.backend.commit()
    unpack(store.memory_dir)
    loose(store.memory_dir, "HEAD").write_bytes(b"")
    assert "the notes are untouched" in repository(context).remedy
    check_up(context, fix=True)
    context.backend.sync()
    assert repository(context).state == "ok"
    assert len(Git(store.memory_dir).line("ls-tree", "-r", "--name-only", "main").splitlines()) == 1


def test_without_git_every_check_that_needs_it_refers_to_the_git_check(
    synced: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {each.name: each for each in examine(synced)}
    assert found["git"].evidence == "git was not found on the PATH"
    assert [found[name].remedy for name in ("repository", "remote")] == ["see `git`", "see `git`"]
