"""The rows of past runs: stored as lines of JSON, compared by ratio, plotted.

python server/bench/history.py                 list the recorded runs
python server/bench/history.py A..B            two runs, by the start of their commits: the last run of each
python server/bench/history.py plot FILE.svg   every row with a bar over all runs
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from measure import Row
from plot import Line, draw

HISTORY = Path(__file__).resolve().parents[1] / "build" / "bench-history.jsonl"
_LOUD = 1.25  # a ratio that changed by this factor is marked


@dataclass(frozen=True, slots=True)
class Past:
    """One row of one run."""

    commit: str
    date: str
    load: float
    what: str
    notes: int
    value: float
    floor: float
    bar: float | None

    @property
    def ratio(self) -> float:
        """The ratio to the floor."""
        return self.value / self.floor

    @property
    def run(self) -> tuple[str, str]:
        """The run it belongs to: the benchmarks of one commit on one day."""
        return self.commit, self.date[:10]

    @property
    def key(self) -> str:
        """The key for comparing rows."""
        return f"{self.what}, {self.notes:,} notes"


def record(rows: Iterable[Row], *, file: Path = HISTORY) -> Iterator[Row]:
    """Pass rows through, writing each to the history."""
    commit, date = _commit(), datetime.now(UTC).isoformat(timespec="seconds")
    file.parent.mkdir(exist_ok=True)
    for row in rows:
        past = {
            "commit": commit,
            "date": date,
            "load": round(os.getloadavg()[0], 1),
            "what": row.what,
            "notes": row.notes,
            "value": row.value,
            "floor": row.floor,
            "bar": row.bar,
        }
        with file.open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(past) + "\n")
        yield row


def load(file: Path = HISTORY) -> list[Past]:
    """All recorded rows, oldest first."""
    if not file.is_file():
        return []
    return [Past(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def compared(past: Sequence[Past], before: str, after: str) -> list[str]:
    """A line for each row that both runs have: both ratios and how they changed."""
    old, new = (_last_of(past, commit) for commit in (before, after))
    return [_change(key, old[key], new[key]) for key in old if key in new]


def _last_of(past: Sequence[Past], commit: str) -> dict[str, Past]:
    found = {row.key: row for row in past if row.commit.startswith(commit)}
    if not found:
        known = ", ".join(dict.fromkeys(row.commit for row in past)) or "none"
        raise SystemExit(f"no run of {commit} is recorded; recorded commits: {known}")
    return found


def _change(key: str, old: Past, new: Past) -> str:
    change = new.ratio / old.ratio
    mark = "slower" if change > _LOUD else "faster" if change < 1 / _LOUD else ""
    return f"{key:<64}{old.ratio:>8.2f} ->{new.ratio:>8.2f}   x {change:.2f}  {mark}"


def lines_of(past: Sequence[Past]) -> list[Line]:
    """Every row with a bar as a line over the runs: its ratio as a share of the bar."""
    runs = list(dict.fromkeys(row.run for row in past))
    found: dict[str, list[tuple[float, float]]] = {}
    for row in past:
        if row.bar:
            found.setdefault(row.key, []).append((float(runs.index(row.run)), row.ratio / row.bar))
    return [Line(key, points) for key, points in found.items()]


def _commit() -> str:
    order = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    done = subprocess.run(order, cwd=HISTORY.parents[1], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main(argv: Sequence[str]) -> int:
    """List, compare or plot the recorded runs."""
    past = load()
    if argv[:1] == ["plot"]:
        Path(argv[1]).write_text(draw(lines_of(past), "ratio / bar, by run (below 1 is within the bar)"))
    elif argv:
        before, _, after = argv[0].partition("..")
        sys.stdout.write("\n".join(compared(past, before, after)) + "\n")
    else:
        runs = {row.run: row for row in past}
        sys.stdout.writelines(f"{row.commit}\t{row.date}\tload {row.load}\n" for row in runs.values())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
