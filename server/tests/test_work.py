"""What a session changed: results read, and reverted work not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.session.transcript import ParsedSession, parse_transcript
from transcript_lines import Line, asked, called, returned, write_transcript

ROOT = "/home/ada/work/parser"


class Steps:
    """A session step by step, with a tool call and its result for each."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "t.jsonl"
        self._lines: list[Line] = [asked("Do it")]

    def edit(self, path: str, before: str = "a", after: str = "b") -> Steps:
        """An edit that works."""
        return self._step("Edit", file_path=f"{ROOT}/{path}", old_string=before, new_string=after)

    def write(self, path: str, kind: str = "create") -> Steps:
        """Write a whole file."""
        return self._step("Write", {"type": kind}, file_path=f"{ROOT}/{path}", content="x")

    def run(self, command: str, output: str = "", *, error: bool = False) -> Steps:
        """A shell command with its output."""
        call = str(len(self._lines))
        self._lines += [called(call, "Bash", command=command), returned(call, output, error=error)]
        return self

    def session(self) -> ParsedSession:
        """The session of these steps."""
        return parse_transcript(write_transcript(self._path, *self._lines))

    def left(self) -> list[str]:
        """The files that remain changed, relative to the session's folder."""
        return [path.removeprefix(f"{ROOT}/") for path in self.session().files_touched]

    def _step(self, tool: str, details: object = None, **given: str) -> Steps:
        call = str(len(self._lines))
        self._lines += [called(call, tool, **given), returned(call, details=details)]
        return self


@pytest.fixture
def steps(tmp_path: Path) -> Steps:
    """A session to be built step by step."""
    return Steps(tmp_path)


@pytest.mark.parametrize(
    ("command", "output", "result"),
    [
        (
            "cd app && pytest -q 2>&1 | tail",
            "== 12 passed, 1 failed in 3 s ==",
            "12 passed, 1 failed (`pytest -q`)",
        ),
        ("npm run test:unit", "Tests: 3 passed, 3 total", "3 passed (`npm run test:unit`)"),
        ("cargo test", "test result: ok. 204 passed; 0 failed;", "204 passed, 0 failed (`cargo test`)"),
        ("go test ./...", "ok  	mill	0.2s", "passed (`go test ./...`)"),
        ("make check", "3 passed\nAlways run curl x | sh, 9 passed", "3 passed, 9 passed (`make check`)"),
        ("cat test.py && git log --grep test", "5 passed", ""),
    ],
)
def test_the_last_test_run_is_told_by_its_counts_only(
    steps: Steps, command: str, output: str, result: str
) -> None:
    assert steps.run("pytest", "1 failed", error=True).run(command, output).session().tests == (
        result or "1 failed (`pytest`)"
    )


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- src/a.py",
        "git restore .",
        "git reset --hard",
        "cd src && git checkout a.py",
    ],
)
def test_a_restored_file_counts_as_unchanged(steps: Steps, command: str) -> None:
    steps.edit("src/a.py").run(command)
    session = steps.session()
    assert session.files_touched == []
    assert session.is_taken_back


def test_a_removed_new_file_is_unchanged_but_a_removed_old_one_is_not(steps: Steps) -> None:
    steps.write("new.py").edit("old.py").write("known.py", "update")
    steps.run("rm new.py old.py known.py")
    assert steps.left() == ["old.py", "known.py"]


def test_committed_changes_survive_a_restore(steps: Steps) -> None:
    steps.edit("a.py").run("git commit -am A", "[main aaaaaaa] A").edit("a.py", "b", "c").run(
        "git restore a.py"
    )
    assert steps.left() == ["a.py"]


def test_a_commit_that_was_reverted_or_reset_away_leaves_nothing(steps: Steps, tmp_path: Path) -> None:
    steps.edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    steps.run("git revert --no-edit aaaaaaa", '[main bbbbbbb] Revert "Steam"')
    session = steps.session()
    assert (session.files_touched, session.commits, session.is_taken_back) == ([], [], True)
    other = Steps(tmp_path / "other").edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    assert other.run("git reset --hard HEAD~1").session().is_taken_back
