"""Line plots over time as SVG, without dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _ROW = 720, 240, 64, 34, 18
_COLOURS = ("#0b6e99", "#b4540a", "#3f7d20", "#8e2c8e", "#a31621", "#5c5c5c", "#0f766e", "#9a7b00")


@dataclass(frozen=True, slots=True)
class Line:
    """A name and its points."""

    name: str
    points: Sequence[tuple[float, float]]


def draw_all(plots: Sequence[tuple[str, str, Sequence[Line]]]) -> str:
    """Several plots below each other, each (title, unit, lines)."""
    parts, top = [], 0
    for title, unit, lines in plots:
        parts.append(f'<g transform="translate(0 {top})">{_plot(lines, title, unit)}</g>')
        top += _TOP + _HEIGHT + 40 + _ROW * len(lines)
    size = f'width="{_WIDTH + _LEFT + 20}" height="{top}"'
    style = "<style>text{font:12px sans-serif;fill:#333}</style>"
    ground = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{ground}{"".join(parts)}</svg>\n'


def _plot(lines: Sequence[Line], title: str, unit: str) -> str:
    points = [point for line in lines for point in line.points] or [(0.0, 0.0)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    most = max(y for _, y in points) or 1.0
    parts = [f'<text x="{_LEFT}" y="20" font-weight="bold">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        y = _TOP + _HEIGHT * (1 - share)
        parts.append(f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="4" y="{y + 4:.1f}">{most * share:.4g} {escape(unit)}</text>')
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        spots = " ".join(
            f"{_LEFT + _WIDTH * (x - left) / ((right - left) or 1):.1f},{_TOP + _HEIGHT * (1 - y / most):.1f}"
            for x, y in line.points
        )
        parts.append(f'<polyline points="{spots}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        y = _TOP + _HEIGHT + 24 + _ROW * number
        parts.append(f'<text x="{_LEFT}" y="{y}" style="fill:{colour}">{escape(line.name)}</text>')
    return "".join(parts)
