"""The rooms of the package by layer, from import-linter's contract and their docstrings."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

SERVER = Path(__file__).resolve().parents[1]
PACKAGE = SERVER / "src" / "anamnesis"
BEGIN, END = "<!-- rooms: written by `make docs` -->\n", "<!-- end of rooms -->\n"


def rooms_section() -> str:
    """The layers from top to bottom, with each room's docstring."""
    lines = []
    for number, rooms in zip(range(len(layers()), 0, -1), layers(), strict=True):
        lines += [f"{number}. `{room}`: {_promise(room)}" for room in rooms]
    return BEGIN + "\n".join(f"- {line}" for line in lines) + "\n" + END


def with_rooms(page: str) -> str:
    """A page with its generated section brought up to date."""
    before, rest = page.split(BEGIN)
    return before + rooms_section() + rest.split(END)[1]


def layers() -> list[list[str]]:
    """The rooms by layer, from the contract that import-linter checks."""
    settings = tomllib.loads((SERVER / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [[room.strip() for room in row.split("|")] for row in rows]


def _promise(room: str) -> str:
    """The first sentence of a room's docstring."""
    single = PACKAGE / f"{room}.py"
    path = single if single.exists() else PACKAGE / room / "__init__.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].rstrip(".").replace("|", "\\|")
