"""status and reindex."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from anamnesis.session.receipts import add_entry
from processes import Run, Write


def test_status_as_json_has_the_documented_shape(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    report = json.loads(anamnesis("status", "--json").stdout)
    assert (report["root"], report["total"], report["by_type"]) == (str(root), 1, {"semantic": 1})
    assert set(report["sync"]) == {"initialized", "remote", "head", "dirty", "detail"}
    assert report["held"] == report["problems"] == []
    assert report["usage"] is None


def test_status_and_reindex_list_files_that_are_not_notes(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    (root / "memory" / "semantic" / "broken.md").write_text("no front matter")
    status, reindex = anamnesis("status"), anamnesis("reindex")
    assert "memory/semantic/broken.md: memory file missing YAML front-matter" in status.stdout
    assert reindex.stdout == "indexed 1 note\n"
    assert "memory/semantic/broken.md" in reindex.stderr


def test_status_warns_when_sessions_with_our_hooks_ended_without_a_note(
    anamnesis: Run, write: Write, home: Path, root: Path
) -> None:
    write()
    folder = home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    transcript = folder / "session.jsonl"
    transcript.write_text("{}\n")
    long_ago = time.time() - 7200
    os.utime(transcript, (long_ago, long_ago))
    assert "ended sessions without a note" not in anamnesis("status").stdout
    add_entry(str(root), "session", "told")
    assert "ended sessions without a note: 1" in anamnesis("status").stdout


def test_reindex_finds_hand_edits_and_full_rebuilds_the_index(
    anamnesis: Run, write: Write, root: Path
) -> None:
    note = write()
    path = root / "memory" / "semantic" / f"{note}.md"
    path.write_text(path.read_text().replace(note, "by-hand"))
    path.rename(path.with_name("by-hand.md"))
    assert json.loads(anamnesis("reindex", "--json").stdout) == {"indexed": 1, "problems": []}
    (root / "index.db").write_bytes(b"not a database")
    assert anamnesis("reindex", "--full").stdout == "indexed 1 note\n"
    assert anamnesis("show", "by-hand").returncode == 0


def test_status_lists_files_that_do_not_sync(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    anamnesis("sync")
    (root / "memory" / "semantic" / "a:b.md").write_text("x")
    shown = anamnesis("status")
    assert shown.returncode == 0
    assert "left out    semantic/a:b.md: its name has a character" in shown.stdout
    report = json.loads(anamnesis("status", "--json").stdout)
    assert [row["path"] for row in report["left_out"]] == ["semantic/a:b.md"]
    assert "a:b.md was left out" in anamnesis("sync").stdout
