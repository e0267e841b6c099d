"""The hook path stays light: the modules that a command loads in a new interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.semantic.installed import Installed, save_installed
from anamnesis.store import MemoryStore
from index_state import put, settle
from machines import make_clone
from transcript_lines import asked, said, write_transcript

HEAVY = {"fastmcp", "mcp", "pydantic", "starlette", "uvicorn", "httpx", "anyio", "asyncio", "numpy"}
# Each of these costs the hook more than all its own work.
NOT_FOR_INJECT = {"yaml", "subprocess", "argparse", "anamnesis.git"}
PROGRAM = (
    "import sys\nfrom anamnesis.cli import main\ncode = main(sys.argv[1:])\n"
    "print('\\n'.join(['', 'LOADED', *sorted(sys.modules)]))\nsys.exit(code)"
)


def loaded_by(*words: str, payload: object = None, cwd: Path) -> tuple[set[str], str]:
    """The modules that a command loads, and what it printed."""
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        input=json.dumps(payload) if payload is not None else "",
        capture_output=True,
        text=True,
        cwd=cwd,
        env=dict(os.environ),
        check=True,
    )
    printed, _, modules = answer.stdout.partition("\nLOADED\n")
    return set(modules.split()), printed


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with a few notes, unchanged for a while."""
    with MemoryStore(tmp_path / "store") as store:
        for number in range(20):
            put(store, f"n{number}", "walrus", project="global" if number % 2 else "work")
    settle()
    with MemoryStore(tmp_path / "store") as store:
        store.reindex()
    return tmp_path / "store"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder that is a clone of something."""
    return make_clone(tmp_path / "work", "https://h/a/b")


@pytest.fixture
def transcript(tmp_path: Path, work: Path) -> Path:
    """A short session, as the client writes it."""
    question, answer = (
        asked("Please find the walrus", cwd=str(work)),
        said("It is at sea. " * 10, cwd=str(work)),
    )
    return write_transcript(tmp_path / "session.jsonl", question, answer)


@pytest.mark.parametrize("words", [(), ("--format", "json")])
def test_inject_loads_nothing_heavy_in_the_common_case(
    root: Path, work: Path, words: tuple[str, ...]
) -> None:
    payload = {"cwd": str(work), "session_id": "s1", "source": "startup", "hook_event_name": "SessionStart"}
    modules, printed = loaded_by("inject", *words, payload=payload, cwd=work)
    assert "Title n1" in printed
    assert modules & (HEAVY | NOT_FOR_INJECT) == set()


@pytest.mark.parametrize("state", ["an edit by hand", "no index", "no store"])
def test_inject_loads_no_server_when_it_opens_the_store(root: Path, work: Path, state: str) -> None:
    if state == "an edit by hand":
        (root / "memory/semantic/new.md").write_text("---\nid: new\ntype: semantic\ntitle: N\n---\nx\n")
    elif state == "no index":
        (root / "index.db").unlink()
    else:
        root.rename(root.parent / "aside")
    modules, printed = loaded_by("inject", payload={"cwd": str(work)}, cwd=work)
    assert ("Title n1\n" in printed) == (state != "no store")
    assert modules & HEAVY == set()


@pytest.mark.parametrize(
    "command",
    [("status",), ("search", "--words", "walrus"), ("sync", "--quiet"), ("--version",)],
)
def test_a_command_on_the_hook_path_loads_no_server_and_no_model(
    root: Path, work: Path, command: tuple[str, ...]
) -> None:
    save_installed(root, Installed(name="m", fingerprint="f"))
    modules, _ = loaded_by(*command, cwd=work)
    assert modules & (HEAVY | {"tokenizers", "safetensors", "anamnesis.semantic.encoder"}) == set()


@pytest.mark.usefixtures("root")
def test_capture_without_sync_loads_no_server_and_no_code_that_chooses_notes(
    work: Path, transcript: Path
) -> None:
    modules, printed = loaded_by("capture", "--no-sync", "--transcript", str(transcript), cwd=work)
    assert "capture: wrote episodic note" in printed
    assert modules & (HEAVY | {"yaml", "anamnesis.inject"}) == set()


def test_a_sync_with_nothing_new_loads_no_redaction_rules_and_no_transcript_readers(
    root: Path, work: Path
) -> None:
    loaded_by("sync", cwd=work)
    modules, printed = loaded_by("sync", cwd=work)
    assert "sync: " in printed
    assert {"anamnesis.redact.keyed", "anamnesis.session.transcript", "anamnesis.capture"} & modules == set()
