"""A session becomes one note: judged, summarised, redacted, written once."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.capture import (
    CaptureOutcome,
    HeuristicSummarizer,
    ParsedSession,
    capture_session,
    catch_up,
    is_trivial_session,
    resolve_summarizer,
    write_episodic,
)
from anamnesis.notes.record import Memory, is_valid_id
from anamnesis.session.summary import Summary
from anamnesis.store import MemoryStore
from fake_model import FakeModel, answer, status
from processes import running
from secret_samples import SAMPLES
from transcript_lines import SESSION, Line, asked, called, returned, said, write_transcript

_KEYS = (
    "type message content text id name input file_path tool_use_id is_error model toolUseResult answers"
    " filePath sessionId cwd gitBranch timestamp isMeta origin"
).split()
LINES = (
    asked("Fix the parser"),
    called("1", "Edit", file_path="/home/ada/work/parser/a.py"),
    returned("1"),
    said("The parser is fixed and all of its tests pass now."),
)


@pytest.fixture
def projects(home: Path) -> Path:
    """The client's folder of transcripts for one project."""
    return home / ".claude" / "projects" / "-home-ada-work-parser"


def capture(store: MemoryStore, path: Path, **more: str) -> CaptureOutcome:
    """Capture as the hook does."""
    return capture_session(store, transcript=path, machine_id=more.pop("machine_id", "desk"), **more)  # type: ignore[arg-type]  # texts only


def only_note(store: MemoryStore) -> Memory:
    """The one note of the store, from the one file of its trees."""
    [path] = [*store.memory_dir.rglob("*.md"), *store.local_dir.rglob("*.md")]
    note = store.get(path.stem)
    assert note is not None
    return note


@pytest.mark.parametrize(
    ("prompt", "outcome", "files", "trivial"),
    [
        ("", "", [], True),
        ("", "x" * 39, [], True),
        ("", "x" * 40, [], False),
        ("/clear", "x" * 39, [], True),
        ("/clear", "x" * 40, [], False),
        ("/review this file", "", [], False),
        ("A real question", "", [], False),
        ("", "", ["/a"], False),
        ("/clear", "", ["/a"], False),
        ("hi", "Hello! How can I help you today?", [], True),
        ("danke", "Gern geschehen! Sag gern Bescheid, wenn ich noch etwas tun soll.", [], True),
        ("hi", "Hello.", [], True),
    ],
)
def test_a_session_is_trivial_when_nothing_was_asked_said_or_changed(
    prompt: str, outcome: str, files: list[str], trivial: bool
) -> None:
    session = ParsedSession(first_prompt=prompt, last_outcome=outcome, files_touched=files)
    assert is_trivial_session(session) is trivial


def test_a_session_becomes_an_episodic_note_with_its_provenance(store: MemoryStore, projects: Path) -> None:
    outcome = capture(store, write_transcript(projects / f"{SESSION}.jsonl", *LINES))
    note = only_note(store)
    assert (outcome.status, outcome.note_id) == ("written", note.id)
    assert (note.type, note.title, note.project) == ("episodic", "Fix the parser", "parser")
    assert (note.machine_id, note.scope, note.tags) == ("desk", "portable", ["session", "session-end"])
    assert (note.prov_source, note.prov_session, note.prov_model) == ("session-end", SESSION, "")
    assert (note.created_at, note.updated_at) == ("2026-03-04T09:00:00+00:00",) * 2
    assert "- a.py" in note.body


def test_one_session_is_one_note_whichever_hook_runs_however_often(
    store: MemoryStore, projects: Path
) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    assert capture(store, path, source="precompact").status == "written"
    assert only_note(store).tags == ["session", "precompact"]
    assert capture(store, path).status == "written"
    assert only_note(store).tags == ["session", "precompact", "session-end"]
    before = store.text_of(only_note(store).id)
    assert capture(store, path).status == "unchanged"
    assert store.text_of(only_note(store).id) == before


def test_a_resumed_session_updates_its_note(store: MemoryStore, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    capture(store, path)
    later = "2026-03-05T09:00:00.000Z"
    write_transcript(
        path, *LINES, asked("One more thing", timestamp=later), said("The docs say so, too.", timestamp=later)
    )
    assert capture(store, path).status == "written"
    note = only_note(store)
    assert "**Ask:** One more thing\n" in note.body
    assert "**Outcome:** The docs say so, too." in note.body
    assert (note.created_at, note.updated_at) == ("2026-03-04T09:00:00+00:00", "2026-03-05T09:00:00+00:00")


def test_two_machines_capture_one_session_under_one_id(tmp_path: Path, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    texts = set()
    for name in ("desk", "lap"):
        with MemoryStore(tmp_path / name) as store:
            capture(store, path, machine_id="desk")
            note = only_note(store)
            assert is_valid_id(note.id)
            assert len(note.id) == 26
            texts.add(store.text_of(note.id))
    assert len(texts) == 1


def test_four_concurrent_captures_of_one_session_leave_one_note(store: MemoryStore, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    program = (
        "import sys; from anamnesis.capture import capture_session\n"
        "from anamnesis.store import MemoryStore\n"
        "with MemoryStore(sys.argv[1]) as store:\n"
        "    capture_session(store, transcript=sys.argv[2], machine_id='desk')"
    )
    command = [sys.executable, "-c", program, str(store.root), str(path)]
    with ExitStack() as stack:
        started = [stack.enter_context(running(command, stderr=subprocess.PIPE)) for _ in range(4)]
        assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 4
    assert only_note(store).title == "Fix the parser"


def test_capture_preserves_fields_that_it_does_not_own(store: MemoryStore, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    capture(store, path)
    note = only_note(store)
    store.update(
        note.id,
        project="github.com/ada/parser",
        tags=[*note.tags, "mine", "reflected"],
        confidence=0.5,
        scope="machine-local",
    )
    write_transcript(path, *LINES, asked("One more thing"))
    capture(store, path, machine_id="lap")
    note = only_note(store)
    assert (note.project, note.confidence, note.scope) == ("github.com/ada/parser", 0.5, "machine-local")
    assert note.machine_id == "desk"
    assert "mine" in note.tags
    assert "**Ask:** One more thing" in note.body
    assert "reflected" not in note.tags  # the new text is not reflected yet


def test_a_text_corrected_by_a_person_is_not_overwritten(store: MemoryStore, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    capture(store, path)
    store.update(only_note(store).id, title="My title", body="My words")
    for more in ("One more thing", "And another"):
        write_transcript(path, *LINES, asked(more))
        capture(store, path, source="precompact")
    note = only_note(store)
    assert (note.title, note.body) == ("My title", "My words")
    assert "precompact" in note.tags


def test_a_note_deleted_by_a_person_does_not_come_back(store: MemoryStore, projects: Path) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    store.delete(capture(store, path).note_id)
    write_transcript(path, *LINES, asked("One more thing"))
    assert capture(store, path).status == "deleted"
    catch_up(store, claude_dir=projects.parent.parent, machine_id="desk")
    assert store.list() == []


def test_the_payload_fills_in_what_the_transcript_lacks(
    store: MemoryStore, projects: Path, home: Path
) -> None:
    (home / "work" / "shop").mkdir(parents=True)
    line: Line = {"type": "user", "message": {"role": "user", "content": "A question"}}
    path = write_transcript(projects / "t.jsonl", line)
    capture(store, path, session_id="from-payload", cwd=str(home / "work" / "shop"))
    note = only_note(store)
    assert (note.prov_session, note.project) == ("from-payload", "shop")


def test_no_secret_reaches_the_disk(store: MemoryStore, projects: Path) -> None:
    for number, (text, _) in enumerate(SAMPLES.values()):
        session = f"secret-{number}"
        capture(
            store,
            write_transcript(
                projects / f"{session}.jsonl",
                asked(f"Use this: {text}", sessionId=session),
                asked(f"Or this: {text}", sessionId=session),
                called("1", "Bash", command=text),
                returned("1", f"[main 1234567] {text}\n{text}"),
                said(f"I used {text} as you asked me to do.", sessionId=session),
            ),
        )
    assert len(store.list()) == len(SAMPLES)
    written = b"".join(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    assert [kind for kind, (_, secret) in SAMPLES.items() if secret.encode() in written] == []


def test_a_summarizers_text_is_redacted_before_it_is_written(store: MemoryStore) -> None:
    text, secret = SAMPLES["anthropic"]

    class Leaky:
        def summarize(self, session: ParsedSession) -> Summary | None:
            return Summary(f"Key {text}", f"<private>x</private>{text}", prov_model="m")

    session = ParsedSession(first_prompt="Use the key", session_id="s")
    note = write_episodic(store, session, project="p", machine_id="m", summarizer=Leaky())
    assert note is not None
    assert note.prov_model == "m"
    assert secret not in note.title + note.body
    assert note.body == "[redacted: anthropic-key]"


@pytest.mark.parametrize("provider", ["", "heuristic", "something-else"])
def test_no_model_is_called_unless_one_is_configured(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", provider)
    assert isinstance(resolve_summarizer(), HeuristicSummarizer)


def test_a_configured_model_writes_the_summary(
    store: MemoryStore, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_transcript(
        projects / f"{SESSION}.jsonl", *LINES, asked("<private>hush</private>"), said("hush hush")
    )
    with FakeModel([answer(json.dumps({"title": "Parser fixed", "body": "It was the quotes."}))]) as server:
        server.configure(monkeypatch)
        capture(store, path)
    note = only_note(store)
    assert (note.title, note.body, note.prov_model) == ("Parser fixed", "It was the quotes.", "local/tiny")
    sent = server.requests[0].texts[1]
    assert "User: Fix the parser" in sent
    assert "**Files touched (1):**\n- a.py" in sent
    assert "hush" not in sent


@pytest.mark.parametrize(
    "act",
    [status(400), answer("no JSON"), answer("[]"), answer('{"title": "x"}')],
    ids=["400", "prose", "list", "half"],
)
def test_the_heuristic_summary_is_used_when_the_model_fails(
    store: MemoryStore, projects: Path, monkeypatch: pytest.MonkeyPatch, act: object
) -> None:
    path = write_transcript(projects / f"{SESSION}.jsonl", *LINES)
    with FakeModel([act]) as server:  # type: ignore[list-item]  # an act, whatever its table says
        server.configure(monkeypatch)
        capture(store, path)
    note = only_note(store)
    assert (note.title, note.prov_model) == ("Fix the parser", "")
    assert "no summary by a model" in (store.root / "anamnesis.log").read_text()


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["user", "text", "Edit"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=8), max_size=6))
def test_no_transcript_makes_capture_fail(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Line]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    with MemoryStore(folder / "store") as store:
        path = write_transcript(folder / "t.jsonl", *lines, asked("A question \ud800", cwd="/\ud800\0"))
        assert capture(store, path).status == "written"
