"""A value that is a secret in one place is one everywhere; a sentence can contain an unnamed secret."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path

import pytest

from anamnesis.capture import write_episodic
from anamnesis.redact import hide, known_secrets
from anamnesis.session.transcript import parse_transcript
from anamnesis.store import MemoryStore
from transcript_lines import asked, called, returned, said, write_transcript

PASSWORD = "Kettle_Moor_73"
HEX = "5b1e0c7d92fa4e638b07d1c2a9f4e36084bd57f1a06c9e2d"
BASE32 = "KR3WQ5DJNZTSA2LT"
SOURCES = (
    {"command": f"sshpass -p '{PASSWORD}' ssh ada@mill.example"},
    {"command": f"curl -u ada:{PASSWORD} https://mill.example/api"},
    {"content": f"machine mill.example\nlogin ada\npassword {PASSWORD}\n"},
    {"content": f"the pw is {PASSWORD}, do not tell anybody"},
    {"content": f"POSTGRES_PASSWORD: {PASSWORD}\nPOSTGRES_USER: ada"},
    {"command": f"curl 'https://mill.example/grind?token={PASSWORD}&sort=fine'"},
)


def source(*entries: object) -> list[bytes]:
    """Lines of JSON, as a transcript has them."""
    return [json.dumps(entry).encode() for entry in entries]


@pytest.mark.parametrize("entry", SOURCES)
def test_a_value_that_is_a_secret_in_the_transcript_is_removed_from_the_note(entry: object) -> None:
    text = f"I opened the mill with `{PASSWORD}`; ada:{PASSWORD} works on port 2222, too."
    hidden = hide(text, known_secrets(text, source({"content": "hello"}, entry)))
    assert PASSWORD not in hidden
    assert hidden.count("[redacted: ") == 2
    assert "port 2222, too." in hidden


def test_the_start_of_a_secret_is_removed_too() -> None:
    text = f"the key that begins with {HEX[:12]}… is in the open"
    known = known_secrets(text, source({"content": f'SIGNING_KEY = "{HEX}"'}))
    assert HEX[:12] not in hide(text, known)


@pytest.mark.parametrize(
    "content",
    [
        'password: "lantern"',  # a word of the language
        "token=mill2",  # too short
        f"commit {HEX[:40]}",
        'secret_name = "grind-v2-settings"',
        f"ada/{PASSWORD} is a path here",
    ],
)
def test_plain_words_and_values_that_are_not_secret_in_the_transcript_stay(content: str) -> None:
    text = f"The lantern of mill2 hangs at {HEX[:40]}, see grind-v2-settings and {PASSWORD}."
    assert hide(text, known_secrets(text, source({"content": content}))) == text


@pytest.mark.parametrize("place", ["I put ¤ there", "auth: ¤", "HOOK=¤ make run", "x('¤')", "see `¤`."])
def test_a_long_random_key_is_removed_from_a_captured_note_whatever_its_name(place: str) -> None:
    chance = random.Random(3)  # noqa: S311 - for a test, not for secrets
    letters = string.ascii_letters + string.digits
    keys = ["".join(chance.choice(letters) for _ in range(48)) for _ in range(100)]
    texts = [place.replace("¤", key) for key in keys]
    left = [key for key, text in zip(keys, texts, strict=True) if key in hide(text, known_secrets(text, []))]
    assert len(left) <= 3


@pytest.mark.parametrize(
    "text",
    [
        "the price is price_1MoBy5LkdIwHu7ixZhnattbh",
        "see https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
        "the wallet 0x71C7656EC7ab88b098defB751B7401B5f6d8976F is empty",
        "integrity sha512-Z8VTn1bBvR1eUIoBZ2y5mQ9rPqk3XwJc7dGfTfA1s2D4f5G6h7J8k9L0==",
        "merged 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "ReplicaSetV1Beta2Controller assumes arn:aws:iam::1:role/EC2InstanceRoleForS3Access2",
        "UnicodeBCP47LocaleIdentifierWithExtensions is a class, Size2DForDimensionPercentageLength too",
    ],
)
def test_ids_addresses_hashes_and_names_stay_in_a_captured_note(text: str) -> None:
    assert hide(text, known_secrets(text, [])) == text


def test_a_secret_from_a_tool_call_is_in_neither_title_nor_body(tmp_path: Path) -> None:
    transcript = write_transcript(
        tmp_path / "t.jsonl",
        asked(f"does {PASSWORD} still open the door of the mill at night?"),
        called("1", "Bash", command=f"sshpass -p '{PASSWORD}' ssh ada@mill.example uptime"),
        returned("1", "up 41 days"),
        said(f"Yes: `{PASSWORD}` opens the door because the lock `door.conf` was never changed."),
    )
    with MemoryStore(tmp_path / "store") as store:
        note = write_episodic(store, parse_transcript(transcript), project="p", machine_id="m")
    assert note is not None
    assert PASSWORD not in note.title + note.body
    assert "[redacted: login-password]" in note.title
    assert "`door.conf` was never changed" in note.body
