"""A case: a query with the ids of the notes that answer it; and files of cases, one JSON object per line.

    {"query": "how do I ...", "relevant": ["01J..."], "project": "shop"}

`text` is accepted for `query`; without `project`, everything is searched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from anamnesis.errors import AnamnesisError
from anamnesis.files import write_atomic

_MAX_LINE = 4_000_000


@dataclass(frozen=True, slots=True)
class EvalCase:
    """One query, and the notes that answer it."""

    query: str
    relevant: tuple[str, ...]
    project: str | None = None


def as_case(entry: EvalCase | Mapping[str, object]) -> EvalCase:
    """A case from its JSON form; ValueError says what is wrong with it."""
    if isinstance(entry, EvalCase):
        return entry
    query = entry.get("query", entry.get("text"))
    relevant = entry.get("relevant")
    names = [relevant] if isinstance(relevant, str) else relevant
    project = entry.get("project")
    if not isinstance(query, str) or not query.strip():
        raise ValueError("it has no `query`")
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("`relevant` is not a list of note ids")
    if project is not None and not isinstance(project, str):
        raise ValueError("`project` is not a string")
    return EvalCase(query, tuple(names), project)


def read_cases(path: Path) -> list[EvalCase]:
    """The cases in a file; AnamnesisError names an invalid line."""
    cases = [parse_line(path, number, entry) for number, entry in read_lines(path)]
    if not cases:
        raise AnamnesisError(f"{path} has no cases; `anamnesis eval build` writes some")
    return cases


def parse_line(path: Path, number: int, entry: Mapping[str, object]) -> EvalCase:
    """One line of a file as a case."""
    try:
        return as_case(entry)
    except ValueError as exc:
        raise AnamnesisError(f"{path}, line {number}: {exc}; fix or remove the line") from exc


def write_cases(path: Path, cases: Iterable[EvalCase]) -> None:
    """Write cases to a file, replacing what is there."""
    lines = (json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases)
    write_atomic(path, "".join(lines).encode())


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """The JSON objects in a file with their line numbers; blank lines are skipped."""
    try:
        with path.open("rb") as handle:
            for number, line in enumerate(iter(lambda: handle.readline(_MAX_LINE), b""), 1):
                if line.strip():
                    yield number, _object(path, number, line)
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name a file of JSON lines") from exc


def _object(path: Path, number: int, line: bytes) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise AnamnesisError(f"{path}, line {number}: not JSON; fix or remove the line") from exc
    if not isinstance(found, dict):
        raise AnamnesisError(f"{path}, line {number}: not a JSON object; fix or remove the line")
    return found
