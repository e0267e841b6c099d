"""What the package asks for: a small base, extras for the rest, and one place for the version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from anamnesis import __version__

SERVER = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((SERVER / "pyproject.toml").read_text())["project"]
# rich brings markdown-it-py, mdurl and Pygments: with these and Anamnesis itself, six packages.
BASE = {"pyyaml", "rich"}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~ ]", each, maxsplit=1)[0].lower() for each in requirements}


def test_the_base_asks_for_two_packages_and_nothing_else() -> None:
    assert names(PROJECT["dependencies"]) == BASE


def test_all_is_every_extra_but_the_developers() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything.partition("[")[2].strip("]").split(",")) == set(extras) - {"all", "dev"}


def test_the_version_is_in_the_package_alone() -> None:
    assert "version" not in PROJECT
    assert PROJECT["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:[abc.]\w+)?", __version__)
