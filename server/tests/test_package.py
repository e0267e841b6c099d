"""The package's requirements: a small base, extras for the rest, and one place for the version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[1]
ROOT = SERVER.parent
PROJECT = tomllib.loads((SERVER / "pyproject.toml").read_text())["project"]
BASE = {"pyyaml"}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~ ]", each, maxsplit=1)[0].lower() for each in requirements}


def test_the_base_package_requires_only_one_package() -> None:
    assert names(PROJECT["dependencies"]) == BASE


def test_all_is_every_extra_except_dev() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything.partition("[")[2].strip("]").split(",")) == set(extras) - {"all", "dev"}


@pytest.mark.parametrize(
    ("tag", "heading", "faults"),
    [
        ("v1.2.0", "## 1.2.0 (2026-05-01)", 0),
        ("v1.2.1", "## 1.2.0 (2026-05-01)", 1),
        ("v1.2.0", "## 1.2.0 (unreleased)", 1),
        ("v1.2.0", "## 1.1.0 (2026-05-01)", 1),
        ("", "## 1.1.0 (2026-05-01)", 2),
    ],
)
def test_a_release_needs_a_tag_a_version_and_a_dated_section(
    monkeypatch: pytest.MonkeyPatch, tag: str, heading: str, faults: int
) -> None:
    monkeypatch.syspath_prepend(SERVER / "tools")
    from check_release import disagreements

    assert (
        len(disagreements(tag, '"""Doc."""\n\n__version__ = "1.2.0"\n', f"# Changelog\n\n{heading}\n"))
        == faults
    )


def test_the_package_contains_the_licence_as_a_file() -> None:
    """Installers refuse an archive with a link out of it."""
    own = SERVER / "LICENSE"
    assert not own.is_symlink()
    assert own.read_bytes() == (ROOT / "LICENSE").read_bytes()
