"""The generated pages of the repository are what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_shapes import every_shape

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
    lines = page.partition("## JSON")[0].splitlines()
    rows = {line[3:].split("`")[0]: line for line in lines if line.startswith("- `")}
    for name, shape in every_shape().items():
        row = next(row for words, row in rows.items() if f"{words} ".startswith(f"{name} "))
        assert all(flag in row for argument in shape.arguments for flag in argument.flags)
    assert all(f"`{setting.name}` | `{setting.variable}`" in page for setting in SETTINGS)
