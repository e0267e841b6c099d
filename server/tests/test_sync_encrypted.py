"""A remote that its host cannot read, with git-remote-gcrypt. Skipped if it is not installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.address import check_remote
from anamnesis.errors import GitError
from machines import Machine, settle, traces

_KEY = """%no-protection
Key-Type: eddsa
Key-Curve: ed25519
Subkey-Type: ecdh
Subkey-Curve: cv25519
Name-Real: notes
Expire-Date: 0
%commit
"""


@pytest.fixture
def encrypted(tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an encrypted remote, with its own key in a short path, as gpg-agent needs."""
    if not (shutil.which("git-remote-gcrypt") and shutil.which("gpg")):
        pytest.skip("no git-remote-gcrypt on this machine; on Debian: apt-get install git-remote-gcrypt")
    keys = Path(tempfile.mkdtemp(prefix="gpg-", dir="/tmp"))
    monkeypatch.setenv("GNUPGHOME", str(keys))
    try:
        order = ["gpg", "--batch", "-q", "--gen-key"]
        subprocess.run(order, input=_KEY.encode(), check=True, capture_output=True)
        yield f"gcrypt::{remote}"
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False)
        shutil.rmtree(keys, ignore_errors=True)


def test_notes_sync_and_the_host_cannot_read_them(encrypted: str, tmp_path: Path, remote: Path) -> None:
    desk, lap = (Machine(tmp_path / name, encrypted) for name in ("desk", "lap"))
    desk.write("N1", "the walrus is at sea")
    assert desk.sync().pushed
    settle(lap, desk)
    lap.write("N2", "from the other side")
    settle(lap, desk)
    assert desk.files() == lap.files()
    assert len(desk.files()) == 2
    assert traces(remote, "walrus") == []
    assert traces(remote, "N1.md") == []
    assert not desk.sync().pushed


def test_a_purge_reaches_machines_behind_an_encrypted_remote(encrypted: str, tmp_path: Path) -> None:
    desk, lap = (Machine(tmp_path / name, encrypted) for name in ("desk", "lap"))
    desk.write("N1", "Zx8-kestrel-4471")
    settle(desk, lap)
    desk.purge(texts=["Zx8-kestrel-4471"])
    settle(desk, lap)
    assert desk.read("N1").body == lap.read("N1").body == "[removed]"
    assert traces(lap.root, "kestrel") == []


@pytest.mark.parametrize(
    "address", ["gcrypt::ext::sh -c evil", "gcrypt::rsync://h/x", "gcrypt::-x", "gcrypt::https://h/x"]
)
def test_an_encrypted_address_must_be_ssh_or_a_folder(address: str) -> None:
    with pytest.raises(GitError):
        check_remote(address)
