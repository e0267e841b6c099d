"""The tool behind `make mutants`: what it changes, and what it reports."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[1]
TOOLS = SERVER / "tools"


@pytest.fixture(autouse=True)
def tools_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools are scripts, which import each other by name."""
    monkeypatch.syspath_prepend(TOOLS)


def changed(source: str) -> set[str]:
    """Every mutant of a source."""
    from mutants import mutants_of

    return {mutant.apply(source.encode()).decode() for mutant in mutants_of("m.py", source.encode())}


@pytest.mark.parametrize(
    ("source", "mutant"),
    [
        ("x = a == b", "x = a != b"),
        ("x = a < b <= c", "x = a < b < c"),
        ("x = a not in b", "x = a in b"),
        ("x = a and b", "x = a or b"),
        ("x = not a", "x = a"),
        ("x = a + 1", "x = a - 1"),
        ("x = a[1:]", "x = a[2:]"),
        ("x = True", "x = False"),
        ("LIMIT = 4_000_000", "LIMIT = 0"),
        ("x = f(a, force=b)", "x = f(a)"),
        ("def f():\n    return x", "def f():\n    return None"),
        ("def f():\n    if x:\n        y = z", "def f():\n    if (not (x)):\n        y = z"),
        ("ä = [é for é in b if é]", "ä = [é for é in b if (not (é))]"),
        ("save(x)", "pass"),
        ("try:\n    a\nexcept E:\n    return_it()", "try:\n    a\nexcept E:\n    raise"),
    ],
)
def test_mutants_are_the_changes_that_a_slip_would_make(source: str, mutant: str) -> None:
    assert mutant in changed(source)


@pytest.mark.parametrize(
    "source", ["x: int | None", "def f(a: int | None) -> int | str: ...", '"""1 == 2"""', "x = f'{1 + 1}'"]
)
def test_mutants_leave_annotations_and_strings_alone(source: str) -> None:
    assert changed(source) == set()


def test_every_mutant_of_some_modules_parses_and_differs() -> None:
    for path in sorted((SERVER / "src" / "anamnesis" / "sync").glob("*.py"))[::5]:
        source = path.read_text(encoding="utf-8")
        tree = ast.dump(ast.parse(source))
        assert all(ast.dump(ast.parse(mutant)) != tree for mutant in changed(source)), path


MODULE = """
def is_small(number):
    return number < 10

def is_even(number):
    return number % 2 == 0

def never():
    return 1
"""
TEST = """
from anamnesis.numbers import is_even, is_small

def test_one():
    assert is_small(5) and not is_small(20)

def test_two():
    assert [is_even(number) for number in range(4)] == [True, False, True, False]
"""


def test_it_shows_only_the_changes_that_no_test_notices(tmp_path: Path) -> None:
    shutil.copytree(TOOLS, tmp_path / "server" / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    files = {
        "src/anamnesis/__init__.py": "",
        "src/anamnesis/numbers.py": MODULE,
        "tests/test_numbers.py": TEST,
    }
    for path, text in files.items():
        (tmp_path / "server" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "server" / path).write_text(text)
    order = [sys.executable, str(tmp_path / "server/tools/mutate.py"), "--only", "numbers.py"]
    done = subprocess.run(
        [*order, "--tests", "tests/test_numbers.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "server/src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    table, *told = done.stdout.split("\n\n")
    assert [line.split() for line in table.splitlines()][1:] == [
        ["numbers.py", "9", "5", "2", "2"],
        ["all", "9", "5", "2", "2"],
    ]
    shown = "\n".join(told)
    assert "+ return number <= 10" in shown
    assert "+ return number < 11" in shown
    assert "numbers.py:9 unreached" in shown
    assert "% 2" not in shown
