"""Runs over time as an SVG picture: one panel a name, a line a measure, labelled where it ends. Pure.

Written by hand because a few lines and texts do not need a plotting package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from anamnesis.eval.runs import Run

_WIDTH, _PANEL, _GAP = 860, 250, 64
_LEFT, _RIGHT, _TOP = 56, 130, 68
_CHART_WIDTH = _WIDTH - _LEFT - _RIGHT
_MAX_RUNS = 60
_LABEL_HEIGHT = 14
# Six hues that keep apart for colour-blind readers, on white and on black.
_COLOURS = ("#3b7dd8", "#d9822b", "#2a9d6f", "#c2468e", "#8a6fd1", "#7f8c3a")
_STYLE = """
svg { background: #ffffff; color: #1c1e21; font: 12px system-ui, sans-serif }
.grid { stroke: #d9dce1 } .quiet { fill: #667080 } .name { font-weight: 600; font-size: 14px }
@media (prefers-color-scheme: dark) {
  svg { background: #16181c; color: #e8eaed } .grid { stroke: #33373e } .quiet { fill: #9aa3af }
}
text { fill: currentColor }
"""


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    values: list[float]
    colour: str


def draw_runs(runs: Sequence[Run]) -> str:
    """An SVG document with a panel for each name, in the order of their first runs."""
    names = list(dict.fromkeys(run.name for run in runs))
    height = _TOP + len(names) * (_PANEL + _GAP)
    panels = [
        _panel([run for run in runs if run.name == name][-_MAX_RUNS:], top=_TOP + number * (_PANEL + _GAP))
        for number, name in enumerate(names)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="Recall over {len(runs)} runs"><style>{_STYLE}</style>'
    )
    title = _text(_LEFT, 24, "Recall, run by run", css="name")
    return "\n".join([head, title, *panels, "</svg>"]) + "\n"


def _panel(runs: Sequence[Run], *, top: int) -> str:
    parts = [_text(_LEFT, top - 8, _heading(runs), css="name")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share, top)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + _CHART_WIDTH}" y1="{y}" y2="{y}"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{share:.2f}", css="quiet", anchor="end"))
    lines = _lines(runs)
    parts += [_draw(line, top) for line in lines]
    parts += _end_labels(lines, top)
    parts += _dates(runs, top)
    return "\n".join(parts)


def _heading(runs: Sequence[Run]) -> str:
    last = runs[-1].report
    facts = [
        f"{last.cases} cases",
        f"p50 {last.p50_ms:g} ms",
        f"p95 {last.p95_ms:g} ms",
        f"hits {last.hit_tokens} tokens",
    ]
    if last.working_set_tokens is not None:
        facts.append(f"working set {last.working_set_tokens} tokens")
    return f"{runs[-1].name}: {', '.join(facts)}"


def _lines(runs: Sequence[Run]) -> list[_Line]:
    ks = sorted(runs[-1].report.recall)[:4]
    measures: list[tuple[str, Callable[[Run], float]]] = [
        *((f"R@{k}", lambda run, k=k: run.report.recall.get(k, 0.0)) for k in ks),
        ("MRR", lambda run: run.report.mrr),
        ("nDCG", lambda run: run.report.ndcg),
    ]
    return [
        _Line(label, [min(1.0, max(0.0, measure(run))) for run in runs], _COLOURS[number % len(_COLOURS)])
        for number, (label, measure) in enumerate(measures)
    ]


def _draw(line: _Line, top: int) -> str:
    places = [(_x(number, len(line.values)), _y(value, top)) for number, value in enumerate(line.values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{line.colour}"/>' for x, y in places)
    return f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="2"/>{dots}'


def _end_labels(lines: Sequence[_Line], top: int) -> list[str]:
    """The labels at the right, pushed apart where lines end close together."""
    placed: list[str] = []
    lowest = -1.0
    for line in sorted(lines, key=lambda line: -line.values[-1]):
        lowest = max(_y(line.values[-1], top) + 4, lowest + _LABEL_HEIGHT)
        text = f"{line.label} {line.values[-1]:.3f}"
        placed.append(_text(_LEFT + _CHART_WIDTH + 10, lowest, text, colour=line.colour))
    return placed


def _dates(runs: Sequence[Run], top: int) -> list[str]:
    y = top + _PANEL + 18
    ends = [(0, "start"), (len(runs) - 1, "end")] if len(runs) > 1 else [(0, "middle")]
    return [
        _text(_x(at, len(runs)), y, runs[at].at[:16].replace("T", " "), css="quiet", anchor=anchor)
        for at, anchor in ends
    ]


def _x(number: int, count: int) -> float:
    return _LEFT + (_CHART_WIDTH * number / (count - 1) if count > 1 else _CHART_WIDTH / 2)


def _y(share: float, top: int) -> float:
    return top + _PANEL * (1 - share)


def _text(x: float, y: float, text: str, *, css: str = "", anchor: str = "start", colour: str = "") -> str:
    look = f' class="{css}"' if css else ""
    tint = f' style="fill: {colour}"' if colour else ""
    shown = escape("".join(char if char.isprintable() else " " for char in text))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}{tint}>{shown}</text>'
