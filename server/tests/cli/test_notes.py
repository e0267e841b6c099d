"""search, list, show: what scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from processes import Run, Write

FIELDS = ["id", "type", "title", "project", "machine_id", "scope", "tags", "created_at", "updated_at"]


def test_search_as_json_is_an_array_of_notes_with_bodies_best_first(anamnesis: Run, write: Write) -> None:
    other = write("Dashboard colours", "prefer the calm ones")
    best = write("Use WAL mode", "sqlite wants busy_timeout")
    found = json.loads(anamnesis("search", "--json", "--", "sqlite colours busy_timeout").stdout)
    assert [note["id"] for note in found] == [best, other]
    assert list(found[0]) == [*FIELDS, "body"]


def test_search_explains_itself_on_request(anamnesis: Run, write: Write) -> None:
    write("Use WAL mode", "sqlite wants busy_timeout")
    (found,) = json.loads(anamnesis("search", "--json", "--explain", "sqlite").stdout)
    assert found["matched"] == ["sqlite"]
    assert "sqlite" in found["snippet"]
    assert found["score"] > 0  # far below 1 if there is only one note


def test_search_accepts_a_query_that_starts_with_a_dash(anamnesis: Run, write: Write) -> None:
    note = write("Flag", "use --force with care")
    assert json.loads(anamnesis("search", "--json", "--", "--force").stdout)[0]["id"] == note


def test_search_in_a_project_prefers_its_notes_and_says_when_the_best_is_elsewhere(
    anamnesis: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work" / ".anamnesis").mkdir(parents=True)
    (tmp_path / "work" / ".anamnesis" / "project").write_text("shop\n")
    own = write("Deploys on Friday", "at noon", "--project", "shop")
    other = write("Deploys on Friday", "at noon", "--project", "blog")
    for number in range(6):
        write(f"filler {number}")
    elsewhere = write("Walrus", "at sea", "--project", "blog")

    def ids(*words: str) -> list[str]:
        return [note["id"] for note in json.loads(anamnesis("search", "--json", *words).stdout)]

    monkeypatch.chdir(tmp_path)
    assert ids("deploys") == [other, own]
    assert anamnesis("search", "walrus").stderr == ""
    monkeypatch.chdir(tmp_path / "work")
    assert ids("deploys") == [own, other]
    assert anamnesis("search", "deploys").stderr == ""
    assert ids("walrus") == [elsewhere]
    assert "another project; --project shop" in anamnesis("search", "walrus").stderr
    assert anamnesis("search", "--json", "walrus").stderr == ""
    assert anamnesis("search", "--project", "blog", "walrus").stderr == ""


def test_a_broken_file_is_named_where_its_note_is_missing(anamnesis: Run, write: Write, root: Path) -> None:
    note = write("Walrus", "at sea")
    (root / "memory" / "semantic" / f"{note}.md").write_text("broken")
    for words in (("search", "walrus"), ("show", note)):
        assert (
            "1 file cannot be read as a note and may hold it; `anamnesis status`" in anamnesis(*words).stderr
        )


def test_no_match_is_reported_on_stderr_and_is_not_an_error(anamnesis: Run, write: Write) -> None:
    write()
    done = anamnesis("search", "nothingofthekind")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no note matches" in done.stderr
    assert anamnesis("search", "--json", "nothingofthekind").stdout == "[]\n"


def test_list_as_json_is_an_array_without_bodies_superseded_notes_included(
    anamnesis: Run, write: Write
) -> None:
    old = write("old")
    new = write("new", "body", "--supersedes", old)
    listed = json.loads(anamnesis("list", "--json").stdout)
    assert {note["id"]: note["superseded_by"] for note in listed} == {old: [new], new: []}
    assert list(listed[0]) == [*FIELDS, "superseded_by"]


def test_show_names_what_replaced_a_note(anamnesis: Run, write: Write, root: Path) -> None:
    old = write("old")
    new = write("new\x07 one", "body", "--supersedes", old)
    done = anamnesis("show", old)
    assert done.stdout == (root / "memory" / "semantic" / f"{old}.md").read_text()
    assert done.stderr == f"superseded by {new}  new\ufffd one\n"
    assert json.loads(anamnesis("show", old, "--json").stdout)["superseded_by"] == [new]
    assert json.loads(anamnesis("show", new, "--json").stdout)["superseded_by"] == []


def test_show_as_json_has_provenance_path_and_version(anamnesis: Run, write: Write, root: Path) -> None:
    note = write()
    shown = json.loads(anamnesis("show", note, "--json").stdout)
    assert shown["path"] == str(root / "memory" / "semantic" / f"{note}.md")
    assert shown["prov_source"] == "human"
    assert shown["version"]


@pytest.mark.parametrize("words", [("search", "marker"), ("list",), ("show", "ID"), ("show", "ID", "--json")])
def test_no_control_character_of_a_note_reaches_the_output(
    anamnesis: Run, write: Write, root: Path, words: tuple[str, ...]
) -> None:
    note = write("marker", "marker body")
    path = root / "memory" / "semantic" / f"{note}.md"
    text = path.read_text().replace("title: marker", 'title: "marker \\e[31m\\a\\u202e\\x9b"')
    path.write_text(text.replace("marker body", "marker \x1b]0;pwned\x07 \u202e \x9b \x7f body"))
    done = anamnesis(*(note if word == "ID" else word for word in words))
    assert done.returncode == 0
    assert "marker" in done.stdout
    assert all(char.isprintable() or char in "\n\t" for char in done.stdout)
