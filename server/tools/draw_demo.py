"""Draw docs/images/demo.svg: a terminal in which the lines of `make demo` appear one after the other.

python server/tools/draw_demo.py PATH/TO/anamnesis
"""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "demo.svg"
WIDTH, LINE, LEFT, TOP, COLUMNS = 920, 19, 20, 52, 104
SECONDS = 0.35  # between two lines
# Scenes of the demo, by number, and how many lines of each are shown.
SCENES = {1: 5, 2: 9, 3: 9, 4: 22, 6: 15}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=, )")
STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6d3cc;white-space:pre}
.scene{fill:#e7b75f}.command{fill:#9ecbff}
.line{opacity:0;animation:show .01s linear forwards}
@keyframes show{to{opacity:1}}
@media (prefers-reduced-motion:reduce){.line{opacity:1;animation:none}}
"""


def main(command: str) -> int:
    """Run the demo and draw it."""
    demo = Path(__file__).with_name("demo.py")
    told = subprocess.run([sys.executable, str(demo), command], capture_output=True, text=True, check=True)
    lines = [line for scene, shown in scenes_of(told.stdout) for line in _fitting(scene, shown)]
    PICTURE.write_text(draw(lines), encoding="utf-8")
    sys.stdout.write(f"{PICTURE.name}: {len(lines)} lines\n")
    return 0


def scenes_of(told: str) -> list[tuple[str, int]]:
    """The text of each shown scene, and how many of its lines to show."""
    parts = re.split(r"^(?=\d\. )", told, flags=re.MULTILINE)
    return [(part, SCENES[int(part[0])]) for part in parts if part[:1].isdigit() and int(part[0]) in SCENES]


def _fitting(scene: str, shown: int) -> list[str]:
    """The first lines of a scene, cut to the width of the terminal, with fixed dates."""
    text = _LOCAL.sub("2026-06-01 09:30", _MOMENT.sub("2026-06-01T09:30:00+00:00", scene))
    text = _DAY.sub("2026-06-01", text)
    lines = [line.replace("\t", "  ") for line in text.rstrip().splitlines()][:shown]
    return [*(line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in lines), ""]


def draw(lines: list[str]) -> str:
    """An SVG of a terminal with these lines."""
    height = TOP + LINE * len(lines) + 10
    rows = "\n".join(_row(number, line) for number, line in enumerate(lines) if line)
    dots = "".join(f'<circle cx="{22 + 18 * at}" cy="20" r="5" fill="#57534e"/>' for at in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
        f"<title>make demo in a terminal</title><style>{STYLE}</style>"
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#1c1917"/>{dots}\n{rows}\n</svg>\n'
    )


def _row(number: int, line: str) -> str:
    kind = " scene" if line[:1].isdigit() else " command" if " $ " in line[:14] else ""
    place = f'x="{LEFT}" y="{TOP + LINE * number}"'
    delay = f'style="animation-delay:{number * SECONDS:.2f}s"'
    return f'<text class="line{kind}" {place} {delay}>{escape(line)}</text>'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
