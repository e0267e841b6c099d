"""Notes as values: any record survives the round trip, any bytes are read or refused with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.notes.record import Memory, decode, deserialize, new_id, note_dict, parse, serialize, tidied
from anamnesis.notes.vocabulary import MAX_BODY, MAX_BYTES
from records import memories

MINIMAL = Memory("note", "semantic", "Title", "Body")
HEAD = "---\nid: a\ntype: semantic\ntitle: T\n"


@given(memories())
@example(replace(MINIMAL, created_at="2026-01-01T10:00:00,5"))
@example(replace(MINIMAL, created_at="2026-01-01T10:00:00+0530"))
@example(replace(MINIMAL, title="[" * 300))
@example(replace(MINIMAL, title="wide" + " " * 300 + "gap"))
@example(replace(MINIMAL, title="\x85" + "[{" * 300 + " " * 300 + "gap"))
@example(replace(MINIMAL, project="", machine_id=""))
@example(replace(MINIMAL, body="---\nid: other\n---\n\r\n\x00\ufeff"))
@example(replace(MINIMAL, title="a\x85b\u2028c\u2029d"))
def test_every_valid_record_survives_the_round_trip(mem: Memory) -> None:
    tidied(mem)
    assert parse(decode(serialize(mem).encode())) == (mem, {})


@given(st.one_of(st.binary(), st.binary().map(lambda tail: HEAD.encode() + tail + b"\n---\n")))
@example(b"")
@example(b"---\n")
@example(b"---\n---\n")
@example(b"---\n---")
@example(b"\xef\xbb\xbf---\r\n---\r\n")
@example(b"---\n" + b"[" * 400 + b"\n---\n")
@example(b"---\n" + b"".join(b" " * i + b"a:\n" for i in range(500)) + b"---\n")
@example(b"---\na: &a [*a]\n---\n")
@example(b"---\n!!python/object/apply:os.system ['true']\n---\n")
@example(b"---\n? [a]\n: b\n---\n")
@example(b"---\nid: {a: b}\ntype: semantic\ntitle: t\n---\n")
def test_any_bytes_are_read_or_refused_with_a_reason(data: bytes) -> None:
    note, reason = read_or_refuse(data)
    if note is not None:
        tidied(note)
    else:
        assert reason


def read_or_refuse(data: bytes) -> tuple[Memory | None, str]:
    try:
        return deserialize(decode(data)), ""
    except NoteFormatError as exc:
        return None, str(exc)


@given(memories(), st.binary(min_size=1, max_size=8), st.integers(0, 400))
def test_a_damaged_note_is_read_or_refused_with_a_reason(mem: Memory, junk: bytes, at: int) -> None:
    data = serialize(mem).encode()
    note, reason = read_or_refuse(data[:at] + junk + data[at + 3 :])
    assert (note is None) == bool(reason)


def test_a_minimal_note_gets_the_documented_defaults() -> None:
    note = deserialize("---\nid: a\ntype: episodic\ntitle: T\n---\nBody\n")
    assert note == Memory("a", "episodic", "T", "Body")


def test_windows_line_ends_and_a_byte_order_mark_are_tolerated() -> None:
    data = b"\xef\xbb\xbf---\r\nid: a\r\ntype: semantic\r\ntitle: T\r\n---\r\none\r\ntwo\r\n"
    assert deserialize(decode(data)).body == "one\ntwo"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-06-24T18:33:07Z", "2026-06-24T18:33:07+00:00"),
        ("2026-06-24T20:33:07+02:00", "2026-06-24T18:33:07+00:00"),
        ("2026-06-24", "2026-06-24T00:00:00+00:00"),
        ("'2026-06-24'", "2026-06-24"),
        ("yesterday", "yesterday"),
    ],
)
def test_an_unquoted_timestamp_becomes_the_iso_string(written: str, read: str) -> None:
    assert deserialize(f"{HEAD}created_at: {written}\n---\n").created_at == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("old", "old"),
        ("[old, older]", "old older"),
        ("\n- old\n- older", "old older"),
        ("old  older", "old older"),
    ],
)
def test_supersedes_is_read_as_a_string_or_a_list(written: str, read: str) -> None:
    assert deserialize(f"{HEAD}supersedes: {written}\n---\n").supersedes == read


@pytest.mark.parametrize(
    "block",
    [
        "mood: calm\n",
        "links:\n- a\n- b\n",
        "nested:\n  deep: [1, 2]\n",
        "text: |\n  line one\n  line two\n",
        "aliases: &x [a]\nmore: *x\n",
        f"long: |\n  {'word ' * 1_000}\n",
        "empty:\n",
        "date: 2026-01-01\n",
    ],
)
def test_unknown_keys_are_written_after_ours_with_the_same_values(block: str) -> None:
    mem, extras = parse(f"{HEAD}{block}---\nBody\n")
    again = serialize(replace(mem, title="Other"), extras)
    theirs = yaml.safe_load(block)
    front = yaml.safe_load(again.split("---\n")[1])
    assert {key: front[key] for key in theirs} == theirs
    assert parse(again) == (replace(mem, title="Other"), extras)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing YAML front-matter"),
        ("---\nid: a\n", "no closing --- line"),
        ("---\ntype: semantic\ntitle: T\n---\n", "no `id:` line"),
        ("---\nid: a\ntitle: T\n---\n", "no `type:` line"),
        ("---\nid: a\ntype: semantic\n---\n", "no `title:` line"),
        ("---\nid:\ntype: semantic\ntitle: T\n---\n", "`id:` is empty"),
        ("---\nid: a\ntype: idea\ntitle: T\n---\n", "is not one of: procedural, semantic, episodic"),
        (f"{HEAD}scope: cloud\n---\n", "is not one of: portable, machine-local"),
        (f"{HEAD}prov_source: dream\n---\n", "is not one of: human"),
        (f"{HEAD}confidence: high\n---\n", "is not a number"),
        (f"{HEAD}project: [a, b]\n---\n", "has a list"),
        ("---\nid: ../../etc\ntype: semantic\ntitle: T\n---\n", "cannot name a file"),
        (f"{HEAD}bad: [\n---\n", "not valid YAML"),
        (f"{HEAD}{'x' * 300_000}\n---\n", "longer than"),
    ],
)
def test_an_invalid_file_is_explained(text: str, reason: str) -> None:
    with pytest.raises(NoteFormatError, match=reason) as caught:
        deserialize(text)
    assert isinstance(caught.value, ValueError)


def test_invalid_utf_8_and_oversized_files_are_refused() -> None:
    with pytest.raises(NoteFormatError, match="not UTF-8"):
        decode(b"---\nid: caf\xe9\n---\n")
    with pytest.raises(NoteFormatError, match="the limit is"):
        decode(b"x" * (MAX_BYTES + 1))


@pytest.mark.parametrize(
    "bad", ["", "..", "a/b", "../x", ".hidden", "x.lock", "a b", "a\nb", "a" * 128, "a\0"]
)
def test_an_id_that_could_leave_its_folder_is_refused(bad: str) -> None:
    with pytest.raises(InvalidNote, match="id"):
        tidied(replace(MINIMAL, id=bad))


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "../semantic"},
        {"scope": "cloud"},
        {"prov_source": "dream"},
        {"confidence": float("nan")},
        {"supersedes": "../up"},
        {"supersedes": "note"},
        {"title": "half \ud800"},
        {"body": "ä" * (MAX_BODY // 2 + 1)},
        {"title": "x" * 300_000},
        {"title": None},
        {"project": 7},
        {"tags": ["a", 1]},
        {"confidence": "high"},
    ],
)
def test_a_note_that_could_not_be_read_back_is_not_written(changes: dict[str, object]) -> None:
    with pytest.raises(InvalidNote):
        tidied(replace(MINIMAL, **changes))  # type: ignore[arg-type]  # invalid on purpose


def test_ids_are_ulids_that_sort_by_time_and_do_not_repeat() -> None:
    made = [new_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert all(len(tidied(replace(MINIMAL, id=name)).id) == 26 for name in made)
    assert [name[:10] for name in made] == sorted(name[:10] for name in made)


def test_the_json_form_has_the_documented_keys_and_the_body_on_request() -> None:
    keys = "id type title project machine_id scope tags created_at updated_at".split()
    assert list(note_dict(MINIMAL, include_body=False)) == keys
    assert list(note_dict(MINIMAL, include_body=True)) == [*keys, "body"]
