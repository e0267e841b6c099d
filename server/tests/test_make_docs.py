"""The generated pages of the repository are what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_shapes import every_shape

from anamnesis.cli import COMMANDS
from anamnesis.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "server" / "tools" / "make_docs.py"


def test_every_generated_file_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.fixture(scope="module")
def page() -> str:
    """The page about the command line."""
    return (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_page_lists_every_command_verb_flag_and_setting(page: str) -> None:
    assert all(f"\n### {name}\n" in page for name in COMMANDS)
    for name, shape in every_shape().items():
        assert f"`anamnesis {name}" in page or f"\n### {name}\n" in page
        assert all(flag in page for argument in shape.arguments for flag in argument.flags)
    assert all(f"`{setting.name}` | `{setting.variable}`" in page for setting in SETTINGS)
