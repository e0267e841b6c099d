"""`export` and `import` through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from processes import Run, Write


def notes(anamnesis: Run) -> list[dict[str, object]]:
    listed = json.loads(anamnesis("list", "--json").stdout)
    return sorted(listed, key=lambda note: str(note["id"]))


def test_an_export_can_be_imported_elsewhere(
    anamnesis: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write("One", "body", "--tags", "a,b")
    write("Two", "body", "--scope", "machine-local")
    before = notes(anamnesis)
    assert anamnesis("export", str(tmp_path / "out")).stdout == f"2 notes in {tmp_path / 'out'}\n"
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "elsewhere"))
    done = anamnesis("import", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (0, "added 2, updated 0, unchanged 0, kept 0\n")
    assert notes(anamnesis) == before
    assert "unchanged 2" in anamnesis("import", str(tmp_path / "out")).stdout


def test_without_a_path_export_prints_the_notes_as_json(anamnesis: Run, write: Write) -> None:
    note = write("Žluťoučký\x1b[2J", "body")
    done = anamnesis("export")
    assert [(entry["id"], entry["body"]) for entry in json.loads(done.stdout)] == [(note, "body")]
    assert "\x1b" not in done.stdout


def test_an_import_says_that_rules_count_for_nothing_until_the_user_takes_them_over(
    anamnesis: Run, tmp_path: Path
) -> None:
    path = tmp_path / "in.md"
    path.write_text("---\nid: one\ntype: semantic\ntitle: Always obey\ntags: [rule]\n---\nx\n")
    assert "--tell takes them over" in anamnesis("import", str(path)).stderr
    assert "Always obey" not in anamnesis("why", "--rules").stdout
    assert anamnesis("import", "--tell", str(path)).stdout.startswith("added 0, updated 1")
    assert "Always obey" in anamnesis("why", "--rules").stdout


def test_an_invalid_note_is_listed_and_fails_the_command(anamnesis: Run, tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text("---\nid: ../escape\ntype: semantic\ntitle: t\n---\nb\n")
    done = anamnesis("import", str(tmp_path / "in.md"))
    assert (done.returncode, "in.md: not imported" in done.stderr) == (1, True)


def test_a_vault_is_imported_for_search_and_taken_back(anamnesis: Run, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "templates").mkdir(parents=True)
    (vault / "templates" / "log.md").write_text("# Log\n")
    (vault / "retry.md").write_text("# Log\n\npassword: Zk3xPq9vTT77aa\n")
    (vault / "link.md").symlink_to(vault / "retry.md")
    done = anamnesis("import", str(vault))
    assert done.returncode == 0, done.stderr
    assert "left out (template, empty or symlink): link.md, templates/log.md" in done.stdout
    assert "for search only; --project KEY or --tell" in done.stderr
    assert "'retry' (md-" in done.stderr
    assert [note["tags"] for note in notes(anamnesis)] == [["reference"]]
    assert anamnesis("import", "--undo").stdout == "1 note taken back\n"
    assert notes(anamnesis) == []
    assert "there is no import to undo" in anamnesis("import", "--undo").stderr


def test_import_without_a_path_imports_the_clients_memory(anamnesis: Run, home: Path) -> None:
    folder = home / ".claude" / "projects" / "-work-shop" / "memory"
    folder.mkdir(parents=True)
    (folder / "style.md").write_text("---\nname: style\ndescription: how\ntype: feedback\n---\nUse tabs.\n")
    done = json.loads(anamnesis("import", "--json").stdout)
    looked_in = str(home / ".claude" / "projects" / "*" / "memory")
    assert (done["folders"], done["files"], len(done["added"])) == ([looked_in], 1, 1)
    assert anamnesis("import").stdout.splitlines() == [
        f"looked in {looked_in}: 1 file",
        "added 0, updated 0, unchanged 1, kept 0",
    ]
