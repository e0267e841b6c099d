"""The built package in empty environments: what each extra installs, from the wheel and from the sdist.

Needs a package index, as `make wheel` does, so `make test` does not run it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "server" / "dist"
MOST_PACKAGES, MOST_BYTES = 6, 20_000_000
KINDS = {"wheel": "*.whl", "sdist": "*.tar.gz"}


def make_wheel() -> dict[str, str]:
    """Run `make wheel`; returns the digests of what it built."""
    subprocess.run(["make", "wheel"], cwd=ROOT, check=True, capture_output=True, timeout=600)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DIST.iterdir()}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    make_wheel()
    return Path(shutil.copytree(DIST, tmp_path_factory.mktemp("built") / "dist"))


def install(built: Path, kind: str, extras: str, place: Path) -> Path:
    """Install into a new environment; returns its bin folder."""
    (archive,) = built.glob(KINDS[kind])
    wanted = f"{archive}[{extras}]" if extras else str(archive)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    installer = [shutil.which("uv"), "pip"] if shutil.which("uv") else [sys.executable, "-m", "pip"]
    target = ["--python", str(place / "bin" / "python")]
    words = [*installer, *(["install", *target] if "uv" in str(installer[0]) else [*target, "install"])]
    subprocess.run([*map(str, words), "--quiet", wanted], check=True, timeout=600)
    return place / "bin"


def run(programs: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(home), "PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin", "LANG": "C.UTF-8"}
    return subprocess.run(
        [programs / "anamnesis", *words],
        env=env,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def packages(programs: Path) -> list[str]:
    (site,) = programs.parent.glob("lib/python*/site-packages")
    return sorted(path.name.partition("-")[0] for path in site.glob("*.dist-info"))


def size(programs: Path) -> int:
    (site,) = programs.parent.glob("lib/python*/site-packages")
    return sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc")


def test_two_builds_are_byte_identical() -> None:
    assert make_wheel() == make_wheel()


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_base_package_is_small_and_stores_notes(built: Path, tmp_path: Path, kind: str) -> None:
    programs = install(built, kind, "", tmp_path / "venv")
    assert len(packages(programs)) <= MOST_PACKAGES, packages(programs)
    assert size(programs) <= MOST_BYTES
    home = tmp_path / "home"
    home.mkdir()
    done = run(programs, home, "init", "--yes", "--local-only", "--no-mcp")
    assert done.returncode == 0, done.stderr
    run(programs, home, "write", "--type", "semantic", "--title", "Hinge", "--body", "brass lasts")
    refused = run(
        programs, home, "write", "--type", "semantic", "--title", "Key", "--body", f"ghp_{'a1B2c3' * 6}"
    )
    assert "github-token" in refused.stderr  # the tables of redaction are in the package
    assert "Hinge" in run(programs, home, "search", "brass").stdout
    assert "Hinge" in run(programs, home, "inject").stdout
    assert "[mcp]" in run(programs, home, "serve").stderr
    assert "[dashboard]" in run(programs, home, "dashboard").stderr
    assert "[completion]" in run(programs, home, "completion", "bash").stderr


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(
    ("extras", "modules"),
    [
        ("mcp", ["anamnesis.server"]),
        ("dashboard", ["anamnesis.dashboard.app"]),
        ("all", ["anamnesis.server", "anamnesis.dashboard.app", "tokenizers", "shtab"]),
    ],
)
def test_an_extra_installs_what_it_needs(
    built: Path, tmp_path: Path, kind: str, extras: str, modules: list[str]
) -> None:
    programs = install(built, kind, extras, tmp_path / "venv")
    program = "; ".join(f"import {module}" for module in modules)
    done = subprocess.run([programs / "python", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
