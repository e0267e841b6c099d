"""What a store's folder contains after every kind of use: what the table in docs/data-model.md names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from processes import Run, Write
from transcript_lines import asked, said, write_transcript

_BESIDE = re.compile(r".*\.lock|.*-(journal|wal|shm)|.*\.damaged|anamnesis\.log\.1")


def test_the_root_holds_only_what_the_data_model_names(
    anamnesis: Run,
    script: Run,
    write: Write,
    root: Path,
    home: Path,
    remote: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    memory = home / ".claude" / "projects" / "-work" / "memory"
    memory.mkdir(parents=True)
    (memory / "style.md").write_text("Use tabs.\n")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "pump.md").write_text("Oil the pump.\n")
    transcript = write_transcript(
        tmp_path / "s1.jsonl", asked("Why does it leak?", sessionId="s1"), said("The seal.", sessionId="s1")
    )
    one, two, gone = write("Kettle", "boils water"), write("Kettle", "boils water"), write("Old", "text")
    write("Here", "stays", "--scope", "machine-local")
    waiting = root / "memory" / "semantic" / f"{write('Token', 'text')}.md"
    waiting.write_text(waiting.read_text() + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n")
    (tmp_path / "repository").mkdir()
    start = {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(tmp_path), "source": "startup"}
    lines = [
        *(f"capture --transcript {transcript}", "search water", "list", f"show {one}", f"related {one}"),
        *(f"delete {gone} --yes", f"undo {gone}", f"history {one}", "dedup --apply", "merge --apply"),
        *("migrate work shop --apply", "backfill-provenance --apply", "config set machine_id desk"),
        *(f"project set shop {tmp_path}/repository", "import", f"import {tmp_path}/vault", "import --undo"),
        *(
            f"export {tmp_path}/out",
            "sync",
            "sync --rejoin --yes",
            "status",
            "fleet",
            "news",
            "why",
            "sessions",
        ),
        *("doctor", "reindex --full", f"purge {two} --yes", "sync", "no-such-command"),
    ]
    edit = ["edit", one, "--title", "Kettle two"]
    assert script("inject", stdin=json.dumps(start)).returncode == 0
    for words in (edit, *(line.split() for line in lines)):
        assert "Traceback" not in anamnesis(*words).stderr, words
    found = {entry.name for entry in root.iterdir() if not _BESIDE.fullmatch(entry.name)}
    page = (Path(__file__).parents[3] / "docs" / "data-model.md").read_text()
    named = {name.rstrip("/") for name in re.findall(r"^\| `([^`]+)`", page, re.MULTILINE)}
    assert found <= named, found - named
    assert len(found) <= 10
