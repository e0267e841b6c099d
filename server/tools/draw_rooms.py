"""The rooms of the package, drawn from the code: a table of layers and a picture of the imports."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

SERVER = Path(__file__).resolve().parents[1]
PACKAGE = SERVER / "src" / "anamnesis"
BEGIN, END = "<!-- rooms: written by `make docs` -->\n", "<!-- end of rooms -->\n"
_BOX, _ROW, _GAP, _TOP = (104, 26), 66, 14, 20


def rooms_section() -> str:
    """The table of layers, top to bottom, with each room's docstring."""
    lines = ["| layer | room | what it is |", "|---|---|---|"]
    for number, rooms in zip(range(len(layers()), 0, -1), layers(), strict=True):
        lines += [f"| {number} | `{room}` | {_promise(room)} |" for room in rooms]
    return BEGIN + "\n".join(lines) + "\n" + END


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


def picture() -> str:
    """The rooms as boxes on their layers, with a line for each import."""
    places = dict(_places())
    width = max(x for x, _ in places.values()) + _BOX[0] + _GAP
    height = max(y for _, y in places.values()) + _BOX[1] + _TOP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="13">',
        "<style>rect{fill:#f6f8fa;stroke:#57606a}line{stroke:#8c959f;stroke-opacity:.45}text{fill:#1f2328}"
        "@media(prefers-color-scheme:dark){rect{fill:#161b22;stroke:#8b949e}text{fill:#e6edf3}}</style>",
    ]
    parts += [
        _line(places[room], places[other]) for room in places for other in sorted(_imports(room, places))
    ]
    parts += [_box(room, place) for room, place in places.items()]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _places() -> Iterator[tuple[str, tuple[int, int]]]:
    widest = max(len(row) for row in layers())
    for level, row in enumerate(layers()):
        indent = (widest - len(row)) * (_BOX[0] + _GAP) // 2
        for number, room in enumerate(row):
            yield room, (_GAP + indent + number * (_BOX[0] + _GAP), _TOP + level * _ROW)


def _line(upper: tuple[int, int], lower: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = upper, lower
    half = _BOX[0] // 2
    return f'<line x1="{x1 + half}" y1="{y1 + _BOX[1]}" x2="{x2 + half}" y2="{y2}"/>'


def _box(room: str, place: tuple[int, int]) -> str:
    x, y = place
    middle = x + _BOX[0] // 2
    return (
        f'<rect x="{x}" y="{y}" width="{_BOX[0]}" height="{_BOX[1]}" rx="5"/>'
        f'<text x="{middle}" y="{y + 17}" text-anchor="middle">{escape(room)}</text>'
    )


def _imports(room: str, known: dict[str, tuple[int, int]]) -> set[str]:
    """The other rooms that a room imports, including lazy and type-only imports."""
    found: set[str] = set()
    for path in _files(room):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "anamnesis":
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anamnesis."):
                found.add(str(node.module).split(".")[1])
    return found & known.keys() - {room}


def _files(room: str) -> list[Path]:
    single = PACKAGE / f"{room}.py"
    return [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))


def _promise(room: str) -> str:
    """The first sentence of a room's docstring."""
    single = PACKAGE / f"{room}.py"
    path = single if single.exists() else PACKAGE / room / "__init__.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
