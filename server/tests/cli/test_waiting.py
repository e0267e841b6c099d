"""A credential typed into a file: what the commands say, and every way it could leave the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.sync import GitSyncBackend
from machines import make_remote, run_git
from processes import Run, Write
from secret_samples import SAMPLES
from transcript_lines import SESSION, asked, said, write_transcript

KEY, SECRET = SAMPLES["anthropic"]
OTHER_KEY, _ = SAMPLES["github classic"]


@pytest.fixture(autouse=True)
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bare repository that the store syncs with."""
    made = make_remote(tmp_path / "between.git")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(made))
    return made


@pytest.fixture
def typed(anamnesis: Run, write: Write, root: Path) -> str:
    """A synced note into whose file someone then typed a key."""
    note = write("Deploy", "the key is in the vault")
    assert anamnesis("sync").returncode == 0
    type_key(root, note, "in the vault")
    return note


def type_key(root: Path, note: str, instead_of: str) -> Path:
    """Put a key into a note's file with an editor."""
    [path] = root.glob(f"memory/*/{note}.md")
    path.write_text(path.read_text().replace(instead_of, KEY))
    return path


def is_out(remote: Path) -> bool:
    """Whether the key has reached the remote, in any version of any file."""
    return SECRET in run_git(remote, "log", "--all", "-p", "--format=%B")


def test_sync_and_status_name_file_line_and_kind_and_exit_1(
    anamnesis: Run, typed: str, root: Path, remote: Path
) -> None:
    path = root / "memory" / "semantic" / f"{typed}.md"
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if KEY in text)
    for _ in range(2):
        status, sync = anamnesis("status"), anamnesis("sync")
        assert (status.returncode, sync.returncode, sync.stdout) == (1, 1, "")
        assert f"waiting     'Deploy' in semantic/{typed}.md line {line}: " in status.stdout
        assert f"'Deploy' in semantic/{typed}.md line {line} (" in sync.stderr
        for said_ in (status.stdout, sync.stderr):
            assert f"anamnesis sync --allow-secret {typed}" in said_
            assert SECRET not in said_
    assert not is_out(remote)


def test_sync_and_status_json_list_waiting_files(anamnesis: Run, typed: str) -> None:
    status, sync = (json.loads(anamnesis(name, "--json").stdout) for name in ("status", "sync"))
    assert status["waiting"] == sync["waiting"]
    assert [(each["id"], each["path"]) for each in sync["waiting"]] == [(typed, f"semantic/{typed}.md")]
    assert (sync["conflicted"], sync["held"]) == (False, [])


def test_allow_secret_allows_no_other_credential_later(
    anamnesis: Run, typed: str, root: Path, remote: Path
) -> None:
    done = anamnesis("sync", "--allow-secret", typed[:12])
    assert (done.returncode, done.stderr) == (0, "")
    assert is_out(remote)
    path = type_key(root, typed, "Deploy")
    path.write_text(path.read_text().replace(KEY, OTHER_KEY, 1))
    assert anamnesis("sync").returncode == 1
    assert anamnesis("status").returncode == 1


def test_a_session_is_captured_and_committed_while_a_note_waits(
    script: Run, typed: str, root: Path, remote: Path, home: Path
) -> None:
    transcript = write_transcript(
        home / ".claude" / "projects" / "-work" / f"{SESSION}.jsonl",
        asked("Make the crank turn left"),
        said("The crank turns left now, and every test of the engine passes on both machines."),
    )
    done = script("capture", "--transcript", str(transcript), "--no-sync")
    assert "capture: wrote episodic note" in done.stdout, done.stderr
    assert "episodic/" in run_git(root / "memory", "ls-tree", "-r", "--name-only", "main")
    hook = script("sync", stdin=json.dumps({"hook_event_name": "SessionStart", "session_id": "other"}))
    assert (hook.returncode, hook.stderr) == (0, "")
    assert f"semantic/{typed}.md line" in json.loads(hook.stdout)["systemMessage"]
    assert "episodic/" in run_git(remote, "ls-tree", "-r", "--name-only", "main")
    assert not is_out(remote)


def test_a_session_is_not_told_a_note_that_waits_with_a_credential(
    script: Run, typed: str, root: Path, home: Path
) -> None:
    def told(session: str) -> str:
        payload = {"hook_event_name": "SessionStart", "session_id": session, "cwd": str(home)}
        return script("inject", stdin=json.dumps({**payload, "source": "startup"})).stdout

    assert SECRET in told("before")
    assert script("sync").returncode == 1
    assert SECRET not in told("now")
    [path] = root.glob(f"memory/*/{typed}.md")
    path.write_text(path.read_text().replace(KEY, "in the safe"))
    assert script("sync").returncode == 0
    assert "in the safe" in told("later")


def test_a_note_marked_machine_local_by_hand_is_not_said_to_hold_a_credential(
    anamnesis: Run, write: Write, root: Path
) -> None:
    note = write("Home", "the address")
    anamnesis("sync")
    [path] = root.glob(f"memory/*/{note}.md")
    path.write_text(path.read_text().replace("scope: portable", "scope: machine-local"))
    for name in ("status", "doctor", "sync"):
        done = anamnesis(name)
        [said_] = [
            line for line in (done.stdout + done.stderr).splitlines() if "(scope" in line or ": scope" in line
        ]
        assert "move it to local/, or set its scope back to portable" in said_
        assert "credential" not in said_
        assert "--allow-secret" not in said_
    moved = root / "local" / "semantic" / path.name
    moved.parent.mkdir(parents=True, exist_ok=True)
    path.rename(moved)
    assert anamnesis("sync").returncode == 0


@pytest.fixture
def leaked(anamnesis: Run, typed: str, root: Path) -> tuple[str, str]:
    """A note whose first version contained the key, and the name of that version."""
    anamnesis("sync", "--allow-secret", typed)
    [path] = root.glob(f"memory/*/{typed}.md")
    path.write_text(path.read_text().replace(KEY, "elsewhere"))
    anamnesis("sync")
    (root / "sync.json").unlink()
    versions = json.loads(anamnesis("history", typed, "--json").stdout)["versions"]
    return typed, versions[1]["version"]


def test_a_restored_version_with_a_credential_waits_until_it_is_allowed(
    anamnesis: Run, leaked: tuple[str, str], root: Path
) -> None:
    note, version = leaked
    assert anamnesis("history", note, "--restore", version).returncode == 0
    assert KEY in (root / "memory" / "semantic" / f"{note}.md").read_text()
    done = anamnesis("sync")
    assert (done.returncode, f"--allow-secret {note}" in done.stderr) == (1, True)
    assert SECRET not in done.stderr
    assert anamnesis("sync", "--allow-secret", note).returncode == 0


def test_a_deleted_note_with_a_credential_comes_back_and_can_be_allowed_again(
    anamnesis: Run, typed: str, root: Path
) -> None:
    anamnesis("sync", "--allow-secret", typed)
    anamnesis("delete", typed, "--yes")
    assert anamnesis("undo", typed).returncode == 0
    [path] = root.glob(f"memory/*/{typed}.md")
    assert KEY in path.read_text()
    assert anamnesis("sync", "--allow-secret", typed).returncode == 0


def test_a_credential_in_any_part_of_an_import_is_not_pushed(
    anamnesis: Run, write: Write, root: Path, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "source"))
    note = write("Title", "body", "--tags", "first")
    [path] = (tmp_path / "source").glob("memory/semantic/*.md")
    path.write_text(path.read_text().replace("- first", f"- {KEY}").replace("title: Title", f"title: {KEY}"))
    path.write_text(
        path.read_text().replace("\n---\n", f"\nother_tool: {KEY}\n---\n", 1).replace("body", KEY)
    )
    assert anamnesis("export", str(tmp_path / "out")).returncode == 0
    monkeypatch.setenv("ANAMNESIS_HOME", str(root))
    assert anamnesis("import", str(tmp_path / "out")).returncode == 0
    assert anamnesis("sync").returncode == 0
    [brought] = root.glob(f"memory/*/{note}.md")
    assert KEY not in brought.read_text()
    assert not is_out(remote)


def test_merging_and_deduplicating_pushes_no_credential(
    anamnesis: Run, write: Write, root: Path, remote: Path
) -> None:
    same = (
        "Restart every worker when a deploy is done, wait until the queue drains, read the newest log lines,"
        " compare memory and latency with yesterday, then tell the team in the channel what changed."
    )
    one, two = (write("Restart the worker when deployed", same) for _ in range(2))
    anamnesis("sync")
    path = root / "memory" / "semantic" / f"{one}.md"
    path.write_text(path.read_text() + "DB_PASSWORD=correct-horse-battery\n")
    merged = anamnesis("merge", "--apply")
    assert (merged.returncode, "merged-" in merged.stdout) == (0, True)
    assert anamnesis("migrate", "global", "elsewhere", "--apply").returncode == 0
    done = anamnesis("sync", "--json")
    assert done.returncode == 1
    waiting = {each["id"] for each in json.loads(done.stdout)["waiting"]}
    assert waiting >= {one}
    assert any(name.startswith("merged-") for name in waiting)
    assert "correct-horse" not in run_git(remote, "log", "--all", "-p", "--format=%B")
    assert "project: elsewhere" in run_git(remote, "show", f"main:semantic/{two}.md")


@pytest.mark.parametrize("choice", ["--mine", "--both"])
def test_resolving_a_clash_pushes_no_credential(
    anamnesis: Run, write: Write, root: Path, remote: Path, tmp_path: Path, choice: str
) -> None:
    note = write("Deploy", "line")
    anamnesis("sync")
    lap = GitSyncBackend(tmp_path / "lap" / "memory", remote=str(remote), machine_id="lap")
    lap.sync()
    theirs = tmp_path / "lap" / "memory" / "semantic" / f"{note}.md"
    theirs.write_text(theirs.read_text().replace("\nline", "\nfrom lap"))
    lap.sync()
    type_key(root, note, "\nline")
    path = root / "memory" / "semantic" / f"{note}.md"
    path.write_text(path.read_text().replace("---" + KEY, f"---\n{KEY}"))
    anamnesis("sync")
    done = anamnesis("resolve", note, choice)
    assert done.returncode == 1
    assert "credential" in done.stderr
    assert anamnesis("resolve", note, "--theirs").returncode == 0
    assert anamnesis("sync").returncode == 0
    assert not is_out(remote)
    assert "from lap" in path.read_text()
