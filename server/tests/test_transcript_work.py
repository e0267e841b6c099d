"""What a session changed: commands parsed, results read, and reverted work not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.session.shell import (
    Undo,
    commits_of,
    is_test_run,
    kinds_of,
    pull_requests_in,
    simple_commands,
    undone_by,
)
from anamnesis.session.shell import (
    test_result as result_of,
)
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

    def use(self, tool: str, output: str, **given: str) -> Steps:
        """A tool with its answer."""
        call = str(len(self._lines))
        self._lines += [called(call, tool, **given), returned(call, output)]
        return self

    def ask(self, prompt: str) -> Steps:
        """The next turn."""
        self._lines.append(asked(prompt))
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


# -- commands ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cd app && FOO=1 sudo make  test; ls", [["cd", "app"], ["make", "test"], ["ls"]]),
        ("git commit -m 'a && b' | cat", [["git", "commit", "-m", "a && b"], ["cat"]]),
        ("ssh -p 22 box 'rm x && systemctl start y'", [["rm", "x"], ["systemctl", "start", "y"]]),
        ("bash -c 'npm ci'", [["npm", "ci"]]),
        ("uv run python -m pytest -q 2>&1", [["pytest", "-q"]]),
        ("cat > f <<'EOF'\nrm -rf x\nEOF\nls", [["cat", "f"], ["ls"]]),
        ("echo 'unbalanced", [["echo", "unbalanced"]]),
        ("", []),
    ],
)
def test_a_command_line_is_split_into_simple_commands(command: str, words: list[list[str]]) -> None:
    assert simple_commands(command) == words


def test_read_only_commands_are_not_work() -> None:
    assert kinds_of("cd x && grep -rn test src | head && git status") == set()
    assert kinds_of("sudo apt-get install jq && cargo build -- -q") == {"apt-get install", "cargo build"}


def test_endlessly_nested_commands_are_not_followed() -> None:
    assert simple_commands("ssh a " * 600)
    assert simple_commands("bash -c " * 500)


# -- tests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        *("pytest -q", "cargo test", "go test ./... | tail", "npm run test:unit", "pnpm --filter @a/ui test"),
        *("./gradlew :app:testDebugUnitTest", "make check", "bin/rspec spec/a.rb", "python manage.py test"),
        *("npx playwright test", "poetry run pytest", "xcodebuild test -scheme A", "mix test", "ctest"),
    ],
)
def test_a_test_run_is_recognised(command: str) -> None:
    assert is_test_run(command)


@pytest.mark.parametrize(
    "command",
    [
        *("ls tests", "cat test.py", "npm publish --tag latest", "cargo check", "git add tests", "test -f x"),
        *("npx playwright show-trace t.zip", "npx cypress open"),
    ],
)
def test_a_command_that_only_mentions_tests_is_not_a_test_run(command: str) -> None:
    assert not is_test_run(command)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("....\n47 passed in 3.10s", "47 passed in 3.10s"),
        ("=== 2 failed, 7 passed in 0.9s ===", "2 failed, 7 passed in 0.9s"),
        ("test result: ok. 31 passed; 0 failed", "test result: ok. 31 passed; 0 failed"),
        (
            "Test Files  3 passed (3)\n     Tests  21 passed (21)",
            "Test Files 3 passed (3); Tests 21 passed (21)",
        ),
        (" 14 pass\n 0 fail\n 28 expect() calls", "14 pass; 0 fail"),
        ("Tests run: 5, Failures: 0", "Tests run: 5, Failures: 0"),
        ("OK (18 tests, 52 assertions)", "OK (18 tests, 52 assertions)"),
        ("61 examples, 0 failures", "61 examples, 0 failures"),
        ("50% tests passed, 4 tests failed out of 8", "50% tests passed, 4 tests failed out of 8"),
        ("BUILD SUCCESSFUL in 3s", "passed"),
    ],
)
def test_a_test_result_is_quoted(output: str, told: str) -> None:
    assert result_of("make test", output, is_error=False) == f"{told} (`make test`)"


def test_a_run_without_counts_still_says_what_failed() -> None:
    output = "--- FAIL: TestGrind (2.0s)\nFAIL\tmill/gear"
    assert result_of("go test ./...", output, is_error=True) == "failed: TestGrind (`go test ./...`)"
    assert result_of("go test ./...", "", is_error=True) == "failed (`go test ./...`)"


def test_only_the_test_part_of_a_command_line_is_shown() -> None:
    command = "cd mill && pytest -q 2>&1 | tail -2 && git commit -qam 'Oil the axle'"
    assert result_of(command, "3 passed", is_error=False) == "3 passed (`pytest -q`)"


def test_the_last_test_result_counts(steps: Steps) -> None:
    steps.run("pytest", "3 failed", error=True).run("ls").run("pytest", "3 passed")
    assert steps.session().tests == "3 passed (`pytest`)"


# -- commands that worked after failing -------------------------------------------------------------------


def test_a_command_that_worked_after_others_of_its_kind_failed_is_kept(steps: Steps) -> None:
    steps.run("make grind", "no belt", error=True)
    steps.run("make grind BELT=old", "it slips", error=True)
    steps.run("apt-get install belts && make grind BELT=new", "ok")
    steps.run("make grind", "ok")
    assert steps.session().commands == ["apt-get install belts && make grind BELT=new"]


def test_the_same_command_working_after_a_fix_is_not_kept(steps: Steps) -> None:
    steps.run("go test ./...", "FAIL", error=True).edit("a.go").run("go test ./...", "ok")
    steps.run("grep x a.go", error=True).run("grep y a.go", "y")
    assert steps.session().commands == []


# -- commits and pull requests ----------------------------------------------------------------------------


def test_commits_are_recognised_by_gits_output_or_their_message() -> None:
    printed = commits_of("git commit -am 'x'", "[main 9f3c2ab] Oil the axle\n 1 file changed")
    assert [str(commit) for commit in printed] == ["9f3c2ab Oil the axle"]
    quiet = commits_of(
        'git add -A && git commit -qm "Add a plan" && git log -1 --oneline', "1a2b3c4 Add a plan\n"
    )
    assert [str(commit) for commit in quiet] == ["1a2b3c4 Add a plan"]
    document = "git commit -m \"$(cat <<'EOF'\nWiden the counter\n\nThe why.\nEOF\n)\""
    assert [str(commit) for commit in commits_of(document, "")] == ["Widen the counter"]
    assert commits_of("git log --oneline", "1a2b3c4 Add a plan") == []


def test_an_amended_commit_replaces_the_one_before(steps: Steps) -> None:
    steps.run("git commit -m One", "[main aaaaaaa] One").run(
        "git commit --amend -m Two", "[main bbbbbbb] Two"
    )
    assert steps.session().commits == ["bbbbbbb Two"]


def test_a_filed_ticket_is_recognised_by_key_or_url(steps: Steps) -> None:
    steps.run("gh issue view 4", "https://github.com/ada/mill/issues/4")
    steps.run("gh issue create --title 'Oil the axle' --body x", "https://github.com/ada/mill/issues/5")
    steps.use(
        "mcp__jira__create_issue", '{"key":"MILL-12"}', project="MILL", summary="Load the sacks at start"
    )
    steps.use("mcp__jira__get_issue", '{"key":"MILL-3"}', id="MILL-3")
    assert steps.session().tickets == [
        "https://github.com/ada/mill/issues/5 Oil the axle",
        "MILL-12 Load the sacks at start",
    ]


def test_pull_requests_are_recognised_by_their_url(steps: Steps) -> None:
    address = "https://github.com/ada/parser/pull/17"
    assert pull_requests_in(f"See {address}, and https://github.com/ada/parser/issues/3.") == [address]
    steps.run("gh pr create --fill", address).run("curl https://h/a/b/pull/9", "https://h/a/b/pull/9")
    assert steps.session().pull_requests == [address]


def test_two_repositories_may_have_a_pull_request_of_the_same_number(steps: Steps) -> None:
    addresses = [f"https://github.com/ada/{name}/pull/1" for name in ("parser", "lexer")]
    for address in addresses:
        steps.run("gh pr create --fill", address)
    steps.run("gh pr merge", "✓ Merged pull request ada/lexer#1 (Oil)")
    assert steps.session().pull_requests == addresses


# -- reverted work ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "undone"),
    [
        ("git checkout -- a.py b.py", [Undo("restore", ("a.py", "b.py"))]),
        ("git checkout HEAD~1 -- a.py", [Undo("restore", ("a.py",))]),
        ("git checkout package.json", [Undo("restore", ("package.json",))]),
        ("git -C app restore .", [Undo("restore", (".",))]),
        ("git stash -u && git stash pop", [Undo("stash", (".",)), Undo("unstash")]),
        ("git reset --hard HEAD~2", [Undo("reset", (".",), 2)]),
        ("git reset HEAD^", [Undo("uncommit", (), 1)]),
        ("git clean -fd", [Undo("clean")]),
        ("rm -f a.py", [Undo("remove", ("a.py",))]),
    ],
)
def test_commands_that_revert_work_are_recognised(command: str, undone: list[Undo]) -> None:
    assert undone_by(command) == undone


@pytest.mark.parametrize(
    "command",
    [
        "git checkout main",
        "git checkout -b fix/a.py",
        "git restore --staged a.py",
        "git stash list",
        "git clean -n",
    ],
)
def test_similar_commands_revert_nothing(command: str) -> None:
    assert undone_by(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- src/a.py",
        "git restore .",
        "git stash",
        "git reset --hard",
        "cd src && git checkout a.py",
    ],
)
def test_a_restored_file_counts_as_unchanged(steps: Steps, command: str) -> None:
    steps.edit("src/a.py").run(command)
    session = steps.session()
    assert (session.files_touched, session.taken_back) == ([], [f"{ROOT}/src/a.py"])
    assert session.is_taken_back


def test_an_edit_undone_by_its_inverse_leaves_the_file_unchanged(steps: Steps) -> None:
    steps.edit("a.py", "old", "new").edit("b.py", "x", "y").ask("Undo a.py").edit("a.py", "new", "old")
    assert steps.left() == ["b.py"]
    assert steps.session().taken_back == [f"{ROOT}/a.py"]
    assert not steps.session().is_taken_back
    assert steps.edit("b.py", "y", "x").session().is_taken_back


def test_a_removed_new_file_is_unchanged_but_a_removed_old_one_is_not(steps: Steps) -> None:
    steps.write("new.py").edit("old.py").write("known.py", "update").ask("Away with it")
    steps.run("rm new.py old.py known.py")
    assert steps.left() == ["old.py", "known.py"]
    assert steps.session().taken_back == [f"{ROOT}/new.py"]


def test_a_file_created_and_removed_within_one_turn_is_ignored(steps: Steps) -> None:
    steps.write("try.py").run("python try.py").run("rm try.py")
    session = steps.edit("a.py", "x", "print(x)").edit("a.py", "print(x)", "x").session()
    assert (session.files_touched, session.taken_back, session.is_taken_back) == ([], [], False)


def test_git_does_not_revert_untracked_files(steps: Steps) -> None:
    steps.write("new.py").edit("old.py").run("git checkout -- .")
    assert steps.left() == ["new.py"]
    assert steps.run("git clean -fd").left() == []


def test_a_restored_file_that_is_edited_again_counts_as_changed(steps: Steps) -> None:
    assert steps.edit("a.py").run("git checkout a.py").edit("a.py", "c", "d").left() == ["a.py"]


def test_a_popped_stash_reverts_nothing(steps: Steps) -> None:
    steps.edit("a.py").run("git stash && make test && git stash pop")
    assert steps.left() == ["a.py"]
    assert not steps.session().is_taken_back


def test_committed_changes_survive_a_restore(steps: Steps) -> None:
    steps.edit("a.py").run("git commit -am A", "[main aaaaaaa] A").edit("a.py", "b", "c").run(
        "git restore a.py"
    )
    assert steps.left() == ["a.py"]


def test_a_failed_restore_reverts_nothing(steps: Steps) -> None:
    assert steps.edit("a.py").run("git checkout -- a.py", "error", error=True).left() == ["a.py"]


def test_a_commit_that_was_reverted_or_reset_away_leaves_nothing(steps: Steps, tmp_path: Path) -> None:
    steps.edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    steps.run("git revert --no-edit aaaaaaa", '[main bbbbbbb] Revert "Steam"')
    session = steps.session()
    assert (session.files_touched, session.commits, session.is_taken_back) == ([], [], True)
    other = Steps(tmp_path / "other").edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    assert other.run("git reset --hard HEAD~1").session().is_taken_back


def test_reverting_a_commit_of_an_earlier_session_is_a_commit_of_this_one(steps: Steps) -> None:
    steps.run("git revert --no-edit aaaaaaa", '[main bbbbbbb] Revert "Steam"')
    assert steps.session().commits == ['bbbbbbb Revert "Steam"']


def test_discarding_everything_counts_even_where_shell_commands_made_the_changes(steps: Steps) -> None:
    assert steps.run("make steam").run("git checkout -- . && git clean -fd").session().is_taken_back
