"""Reading transcripts, as the client writes them and in any other form."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from anamnesis.capture import HeuristicSummarizer, is_trivial_session
from anamnesis.session.transcript import ParsedSession, parse_transcript
from transcript_lines import SESSION, Line, asked, called, common, returned, said, write_transcript

CORPUS = Path(__file__).parent / "transcripts"


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_each_transcript_of_the_corpus_gives_its_recorded_note(path: Path) -> None:
    session = parse_transcript(path)
    if is_trivial_session(session):
        note = "(no note)\n"
    else:
        summary = HeuristicSummarizer().summarize(session)
        note = f"# {summary.title}\n\n{summary.body}\n"
    assert note == path.with_suffix(".md").read_text(encoding="utf-8")


def parsed(folder: Path, *lines: Line | str) -> ParsedSession:
    """The session of a transcript with these lines."""
    return parse_transcript(write_transcript(folder / "t.jsonl", *lines))


def asks(session: ParsedSession) -> list[str]:
    """The asks, turn by turn."""
    return [turn.ask for turn in session.turns]


def test_the_fields_of_a_session_are_those_first_seen(tmp_path: Path) -> None:
    path = write_transcript(
        tmp_path / "t.jsonl",
        {"type": "mode", "sessionId": SESSION},
        asked("Fix it"),
        asked("Now that", cwd="/elsewhere", gitBranch="other", timestamp="2026-03-04T10:00:00.000Z"),
        said("Fixed."),
    )
    session = parse_transcript(path)
    assert (session.first_prompt, asks(session)) == ("Fix it", ["Fix it", "Now that"])
    assert (session.cwd, session.git_branch) == ("/home/ada/work/parser", "main")
    assert session.session_id == SESSION
    assert (session.started_at, session.last_outcome) == ("2026-03-04T09:00:00.000Z", "Fixed.")


def test_raw_is_the_whole_text_of_the_transcript(tmp_path: Path) -> None:
    path = write_transcript(tmp_path / "t.jsonl", asked("Fix it"))
    assert parse_transcript(path).raw == path.read_text()
    assert ParsedSession().raw == ""


def test_a_file_counts_as_touched_only_when_its_edit_worked(tmp_path: Path) -> None:
    path = write_transcript(
        tmp_path / "t.jsonl",
        called("1", "Edit", file_path="/a"),
        returned("1"),
        called("2", "Write", file_path="/refused"),
        returned("2", "no", error=True, details="User rejected tool use"),
        called("3", "NotebookEdit", notebook_path="/n.ipynb"),
        returned("3"),
        called("4", "Read", file_path="/read"),
        returned("4"),
        called("5", "MultiEdit", file_path="/unanswered"),
        called("6", "Edit", file_path="/a"),
        returned("6", "no", error=True),
        called("7", "Edit", file_path="/warned"),
        returned("7", "a hook complained", error=True, details={"filePath": "/warned"}),
    )
    assert parse_transcript(path).files_touched == ["/a", "/n.ipynb", "/warned"]


@pytest.mark.parametrize(
    "line",
    [
        asked("meta", isMeta=True),
        asked("summary", isCompactSummary=True),
        asked("This session is being continued from a previous conversation"),
        asked("subagent", isSidechain=True),
        asked("<system-reminder>x</system-reminder>"),
        asked("<task-notification>x</task-notification>\nRead the output file to retrieve the result: /x"),
        asked("notified", origin={"kind": "task-notification"}),
        asked([{"type": "tool_result", "tool_use_id": "1", "content": "text"}]),
        {"type": "api-request-blob", "message": {"role": "user", "content": "injected"}},
        {"type": "last-prompt", "lastPrompt": "repeated"},
        {"type": "attachment", "attachment": {"type": "hook_success", "stdout": "injected"}, **common()},
        {"type": "queue-operation", "operation": "enqueue", "content": "queued"},
    ],
)
def test_a_line_that_no_one_typed_is_not_an_ask(tmp_path: Path, line: dict[str, object]) -> None:
    ask = "Read the output file of the benchmark; this session is being continued"
    session = parsed(tmp_path, line, asked(ask), line)
    assert (session.first_prompt, asks(session)) == (ask, [ask])


@pytest.mark.parametrize(
    "line",
    [
        asked("<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        asked("<command-name>/clear</command-name>"),
        asked("/effort high"),
    ],
)
def test_arguments_of_a_client_command_are_not_an_ask(tmp_path: Path, line: Line) -> None:
    assert asks(parsed(tmp_path, line, asked("The real ask"))) == ["The real ask"]


def test_a_prompt_to_a_custom_command_is_an_ask_with_the_name_of_the_command(tmp_path: Path) -> None:
    command = asked("<command-name>/fix-issue</command-name>\n<command-args>482</command-args>")
    [turn] = parsed(tmp_path, command, asked("Fix it by our rules.", isMeta=True), said("Done.")).turns
    assert (turn.command, turn.ask, turn.texts) == ("/fix-issue", "482", ["Done."])


def test_an_interruption_belongs_to_the_turn_it_ended(tmp_path: Path) -> None:
    session = parsed(
        tmp_path, asked("First"), said("On it."), asked("[Request interrupted by user]"), asked("Second")
    )
    assert [(turn.ask, turn.is_interrupted) for turn in session.turns] == [("First", True), ("Second", False)]


def test_the_reason_for_refusing_a_tool_and_answers_to_questions_are_what_the_user_said(
    tmp_path: Path,
) -> None:
    refusal = "The user doesn't want to proceed with this tool use. [...] the user said:\nuse bun instead"
    session = parsed(
        tmp_path,
        asked("Set up the tests"),
        called("1", "Write", file_path="/jest.config.js"),
        returned("1", refusal, error=True),
        called("2", "AskUserQuestion"),
        returned("2", details={"answers": {"Which runtime?": "the new one", "Since?": 3}}),
        called("3", "ExitPlanMode", plan="1. bun test"),
        returned("3"),
    )
    [turn] = session.turns
    assert turn.remarks == ["use bun instead", "Which runtime? the new one"]
    assert turn.texts == ["1. bun test"]
    assert session.files_touched == []


def test_a_session_is_scripted_until_a_person_continues_it(tmp_path: Path) -> None:
    script = asked("Run", entrypoint="sdk-cli")
    assert parsed(tmp_path, script).entrypoint == "sdk-cli"
    assert parsed(tmp_path, script, asked("Go on", entrypoint="cli")).entrypoint == "cli"


def test_a_long_session_keeps_its_start_and_its_latest_texts(tmp_path: Path) -> None:
    lines = [line for n in range(300) for line in (asked(f"Ask {n}"), *(said(f"{n} " + "x" * 3_000),) * 3)]
    session = parsed(tmp_path, *lines)
    assert (asks(session)[0], asks(session)[-1]) == ("Ask 0", "Ask 299")
    assert session.turns[-1].texts[-1].startswith("299 ")
    assert sum(len(text) for turn in session.turns for text in turn.texts) < 1_300_000


def test_a_forked_session_goes_by_the_name_of_its_own_file(tmp_path: Path) -> None:
    path = write_transcript(
        tmp_path / "own-id.jsonl", asked("Copied", sessionId="parent"), asked("Own", sessionId="own-id")
    )
    assert parse_transcript(path).session_id == "own-id"


def test_answers_to_a_wholly_private_prompt_are_left_out(tmp_path: Path) -> None:
    path = write_transcript(
        tmp_path / "t.jsonl",
        asked("Open question"),
        said("Open answer"),
        asked("<private>hidden question</private>"),
        said("hidden answer"),
    )
    session = parse_transcript(path)
    assert (session.first_prompt, asks(session)) == ("Open question", ["Open question"])
    assert (session.last_outcome, session.turns[0].texts) == ("Open answer", ["Open answer"])


def test_bad_lines_do_not_hide_the_good_ones(tmp_path: Path) -> None:
    nested = '{"type":"user","message":' + "[" * 200_000
    path = write_transcript(tmp_path / "t.jsonl", "", "{", "[]", "7", nested, '{"type": ["user"]}')
    with path.open("ab") as handle:
        handle.write(b'{"type":"user","message":{"role":"user","content":"caf\xe9 \xff"}}\n')
        handle.write(b'{"type":"assistant","message":{"role":"assistant","content":"cut')
    assert parse_transcript(path).first_prompt == "caf� �"


def test_a_large_transcript_is_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    result = json.dumps(returned("1", "x" * 100_000)) + "\n"
    blob = (
        json.dumps({"type": "api-request-blob", "message": {"role": "user", "content": "y" * 500_000}}) + "\n"
    )
    with path.open("w") as handle:
        handle.write(json.dumps(asked("The ask")) + "\n")
        for _ in range(30):
            handle.write(blob + result * 10)
        handle.write(json.dumps(said("The outcome")) + "\n")
    assert path.stat().st_size > 40_000_000
    tracemalloc.start()
    session = parse_transcript(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (session.first_prompt, session.last_outcome) == ("The ask", "The outcome")
    assert peak < 10_000_000


def queued(prompt: object, **more: object) -> dict[str, object]:
    """The line of a prompt typed while the assistant works."""
    return {
        "type": "attachment",
        "attachment": {"type": "queued_command", "prompt": prompt, **more},
        **common(),
    }


def test_a_prompt_typed_while_the_assistant_works_is_a_remark(tmp_path: Path) -> None:
    session = parsed(
        tmp_path,
        asked("Oil the hinge"),
        said("I take the red can."),
        queued("the blue can, red is for food", commandMode="prompt"),
        queued([{"type": "text", "text": "and wipe it after"}]),
        said("Taking the blue one."),
    )
    assert [turn.remarks for turn in session.turns] == [
        ["the blue can, red is for food", "and wipe it after"]
    ]


@pytest.mark.parametrize(
    "line",
    [
        queued("<task-notification>done</task-notification>", commandMode="task-notification"),
        queued("build finished", commandMode="task-notification"),
        queued("from a peer", origin={"kind": "peer"}),
        queued("/compact"),
        queued("hidden", isMeta=True),
        queued(None),
    ],
)
def test_a_queued_line_that_no_one_typed_is_not_a_remark(tmp_path: Path, line: dict[str, object]) -> None:
    session = parsed(tmp_path, asked("Oil the hinge"), said("Oiled."), line)
    assert session.turns[0].remarks == []


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


def test_a_commit_whose_line_a_resumed_client_repeats_is_listed_once(steps: Steps) -> None:
    for _ in range(2):
        steps.edit("a.py").run("git commit -am A", "[main aaaaaaa] A")
    assert steps.session().commits == ["aaaaaaa A"]


def test_a_commit_that_was_reverted_or_reset_away_leaves_nothing(steps: Steps, tmp_path: Path) -> None:
    steps.edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    steps.run("git revert --no-edit aaaaaaa", '[main bbbbbbb] Revert "Steam"')
    session = steps.session()
    assert (session.files_touched, session.commits, session.is_taken_back) == ([], [], True)
    other = Steps(tmp_path / "other").edit("a.go").run("git commit -am Steam", "[main aaaaaaa] Steam")
    assert other.run("git reset --hard HEAD~1").session().is_taken_back
