"""Output made for a terminal: tables, rendered markdown, coloured diffs, a progress bar.

Loaded only when stdout or stderr is a terminal: rich costs more to import than most commands take to run.
All text from notes is cleaned first and never read as markup. rich itself respects NO_COLOR and TERM=dumb.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from anamnesis.cli.terminal import clean, one_line

TYPE_STYLES = {"procedural": "green", "semantic": "cyan", "episodic": "magenta"}
STATE_STYLES = {"ok": "green", "warn": "yellow", "bad": "bold red"}
_DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))
_MATCH = "bold yellow"

# One row of a table of notes: id, type, project, updated, title.
Row = tuple[str, str, str, str, str]


def notes_table(rows: Sequence[Row]) -> None:
    """Print notes as a table."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("id", no_wrap=True, style="dim")
    table.add_column("type", no_wrap=True)
    table.add_column("project", overflow="fold")
    table.add_column("updated", no_wrap=True, style="dim")
    table.add_column("title", overflow="fold", ratio=1)
    for note_id, kind, project, updated, title in rows:
        kind_cell = Text(one_line(kind), TYPE_STYLES.get(kind, ""))
        table.add_row(*_cells(note_id), kind_cell, *_cells(project, updated[:10], title))
    _console().print(table)


def search_hits(hits: Sequence[tuple[Row, str, Sequence[str], str]]) -> None:
    """Print search results, best first: each with its snippet, the matched words marked, and a remark."""
    console = _console()
    for (note_id, kind, project, updated, title), snippet, terms, remark in hits:
        head = Text(one_line(title), "bold")
        head.highlight_words(_words(terms), _MATCH, case_sensitive=False)
        console.print(head)
        facts = Text(one_line(kind), TYPE_STYLES.get(kind, ""))
        facts.append(f"  {one_line(project)}  {updated[:10]}  {one_line(note_id)}", "dim")
        if remark:
            facts.append(f"  {one_line(remark)}", "dim")
        console.print(facts)
        if snippet:
            text = Text(clean(snippet).strip())
            text.highlight_words(_words(terms), _MATCH, case_sensitive=False)
            console.print(Padding(text, (0, 0, 0, 2)))
        console.print()


def note(title: str, facts: Sequence[tuple[str, str]], body: str) -> None:
    """Print one note: title, facts, rendered body."""
    console = _console()
    console.print(Text(one_line(title), "bold underline"))
    pairs(facts)
    console.print()
    console.print(Markdown(clean(body), hyperlinks=False))


def pairs(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(*_cells(name), Text(clean(value)))
    _console().print(grid)


def diff(text: str) -> None:
    """Print a unified diff in colour."""
    console = _console()
    for line in clean(text).splitlines():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        console.print(Text(line, style), soft_wrap=True)


def checks(findings: Sequence[tuple[str, str, str, str]]) -> None:
    """Print checks: state, name, evidence, cure."""
    console = _console()
    for state, name, evidence, cure in findings:
        line = Text(f"{state:<5}", STATE_STYLES.get(state, ""))
        line.append(f"{one_line(name):<18}", "bold")
        line.append(one_line(evidence))
        console.print(line, soft_wrap=True)
        if cure:
            console.print(Text(f"{'':<23}-> {one_line(cure)}", "yellow"), soft_wrap=True)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; yields a function of (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _cells(*texts: str) -> list[Text]:
    return [Text(one_line(text)) for text in texts]


def _words(terms: Sequence[str]) -> list[str]:
    return [term for term in terms if term]
