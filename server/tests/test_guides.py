"""The guides as a newcomer follows them: every command of a page is run in order, in a new home."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guide"
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
START = json.dumps({"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup", "cwd": "."})
# Not run here: installing has its own test, and the dashboard runs until it is stopped.
NOT_RUN = ("make dashboard wheel", "uv tool install", "anamnesis dashboard")


@dataclass(frozen=True)
class Newcomer:
    """Someone with an empty home, a project to work in, and the command on the path."""

    home: Path
    remote: Path

    @property
    def project(self) -> Path:
        """The folder the commands are typed in."""
        return self.home / "work" / "shop"

    def type(self, line: str, *, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run one line of a guide in a shell."""
        line = line.replace("you@host:memory.git", str(self.remote)).replace(" --create", "")
        folders = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        env = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(folders),
            "LANG": "C.UTF-8",
            "EDITOR": "true",
            "ANAMNESIS_MACHINE_ID": self.home.name,
        }
        return subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.project,
            env=env,
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository, created as the guide says."""
    words = ["git", "init", "-q", "--bare", "--initial-branch=main", str(tmp_path / "memory.git")]
    subprocess.run(words, check=True)
    return tmp_path / "memory.git"


@pytest.fixture
def newcomer(tmp_path: Path, remote: Path) -> Newcomer:
    """A first machine."""
    return settle_in(tmp_path / "desktop", remote)


def settle_in(home: Path, remote: Path) -> Newcomer:
    """A machine with a clone of a project, a folder of foreign notes in it, and no store yet."""
    someone = Newcomer(home, remote)
    vault = someone.project / "vault"
    vault.mkdir(parents=True)
    (vault / "Soup.md").write_text("# Soup\n\nOnions first.\n")
    subprocess.run(["git", "init", "-q", str(someone.project)], check=True)
    return someone


def lines_of(page: Path) -> Iterator[tuple[str, str]]:
    """The commands on a page, each with its heading."""
    heading = ""
    for part in re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE):
        heading = part.partition("\n")[0].lstrip("# ")
        for block in _BLOCK.findall(part):
            yield from ((heading, line) for line in block.splitlines() if line.strip())


@pytest.mark.parametrize("page", sorted(GUIDES.glob("*.md")), ids=lambda page: page.stem)
def test_every_command_in_a_guide_works(page: Path, newcomer: Newcomer, remote: Path, tmp_path: Path) -> None:
    newcomer.type("anamnesis init --yes --local-only")
    someone = newcomer
    for heading, line in lines_of(page):
        if line.startswith(NOT_RUN):
            continue
        if heading == "Every other machine" and someone is newcomer:
            someone = settle_in(tmp_path / "laptop", remote)
        if heading == "See it work":
            someone.type("anamnesis inject", typed=START)
        done = someone.type(line)
        # The doctor may find something on a machine without the client; it must not crash.
        assert done.returncode == 0 or (line == "anamnesis doctor" and done.returncode == 1), (
            f"{page.name}: {line}\n{done.stdout}{done.stderr}"
        )


def test_the_demo_runs_to_the_end(tmp_path: Path) -> None:
    tools, anamnesis = GUIDES.parents[1] / "server" / "tools", Path(sys.executable).parent / "anamnesis"
    told = subprocess.run(
        [sys.executable, str(tools / "demo.py"), str(anamnesis)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "Found it: `totals.py` sums floats" in told
    assert "sync: conflict: kept local edits" in told
    assert "Prices are stored as bigint cents" in told
    assert "laptop, desktop agree" in told or "desktop, laptop agree" in told
    assert list(tmp_path.iterdir()) == []


def test_the_note_purged_in_the_guide_is_in_no_version(newcomer: Newcomer) -> None:
    newcomer.type("anamnesis init --yes --local-only")
    for _, line in lines_of(GUIDES / "privacy.md"):
        newcomer.type(line)
    log = newcomer.type("git -C ~/.anamnesis/memory log --all -p").stdout
    assert log
    assert "side door" not in log
