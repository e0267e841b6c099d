"""What counts as a credential in a note's file, field by field."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from string import ascii_lowercase, digits

import pytest

from anamnesis.errors import SecretFound
from anamnesis.notes.record import Memory, serialize
from anamnesis.operations.notes import write_memory
from anamnesis.store import MemoryStore
from anamnesis.sync.waiting import find_in_file
from machines import DAWN

NAMES = ("token", "password", "secret", "api-key")


def random_values(count: int) -> list[tuple[str, str]]:
    """Names of secrets, each with a realistic value."""
    chance = random.Random(15)  # noqa: S311 - the same values in every run
    return [
        (chance.choice(NAMES), "".join(chance.choices(ascii_lowercase + digits, k=chance.randint(8, 32))))
        for _ in range(count)
    ]


def test_tags_and_other_fields_are_not_read_as_name_and_value() -> None:
    note = Memory("N1", "semantic", "a title", "text", created_at=DAWN, updated_at=DAWN)
    for name, value in random_values(300):
        listed = replace(note, title=name, tags=[name, value, name], project=name, machine_id=value)
        assert find_in_file(serialize(listed).encode()) == [], (name, value)


def test_a_tag_with_a_name_and_a_value_is_found_at_its_line() -> None:
    note = Memory("N1", "semantic", "a title", "text", created_at=DAWN, updated_at=DAWN)
    text = serialize(replace(note, tags=["deploy", "password=k8Zq3vTr9Lm2"]))
    (found,) = find_in_file(text.encode())
    assert "password=k8Zq3vTr9Lm2" in text.splitlines()[found.line - 1]


def test_a_note_with_secret_sounding_tags_can_be_written(store: MemoryStore) -> None:
    write = partial(write_memory, store, type="semantic", title="a title", body="text")
    for name, value in random_values(20):
        assert write(tags=[name, value])["tags"] == [name, value]
    with pytest.raises(SecretFound, match="list of tags"):
        write(tags=["deploy", "password=k8Zq3vTr9Lm2"])
