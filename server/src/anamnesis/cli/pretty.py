"""Output made for a terminal: tables, rendered markdown, coloured diffs, a progress bar.

Loaded only when stdout or stderr is a terminal: rich costs more to import than most commands take to run.
All text from notes is cleaned first and never read as markup. rich itself respects NO_COLOR and TERM=dumb.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten

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
_EXCERPT = 160

# A note's JSON form, as the operations answer it.
Note = Mapping[str, object]

_FACTS = ("id", "type", "project", "machine_id", "scope", "tags", "created_at", "updated_at", "path")
_FACTS_WHEN_SET = ("prov_model", "prov_session", "supersedes")


def notes_table(notes: Sequence[Note]) -> None:
    """Print notes as a table."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("id", no_wrap=True, style="dim")
    table.add_column("type", no_wrap=True)
    table.add_column("project", overflow="fold")
    table.add_column("updated", no_wrap=True, style="dim")
    table.add_column("title", overflow="fold", ratio=1)
    for each in notes:
        table.add_row(
            _cell(each["id"]), _kind(each), _cell(each["project"]), _day(each), _cell(each["title"])
        )
    _console().print(table)


def search_hits(hits: Sequence[Note], *, scores: bool) -> None:
    """Print search results, best first: each with its snippet, the matched words marked."""
    console = _console()
    for hit in hits:
        terms = _strings(hit["matched"])
        console.print(_marked(Text(one_line(str(hit["title"])), "bold"), terms))
        facts = Text("  ").join((_kind(hit), _cell(hit["project"]), _day(hit), _cell(hit["id"])))
        if scores:
            facts.append("  " + one_line(f"score {hit['score']}  matched: {', '.join(terms)}"), "dim")
        console.print(facts)
        console.print(Padding(_marked(Text(_excerpt(hit)), terms), (0, 0, 1, 2)))


def _excerpt(hit: Note) -> str:
    """The snippet, or how the body begins where the snippet would say the title again."""
    snippet = clean(str(hit["snippet"])).strip()
    if snippet != one_line(str(hit["title"])):
        return snippet
    return shorten(clean(str(hit["body"])), _EXCERPT, placeholder=" …")


def note(note: Note) -> None:
    """Print one note: title, facts, rendered body."""
    console = _console()
    console.print(Text(one_line(str(note["title"])), "bold underline"))
    facts = [(name, ", ".join(_strings(note[name]))) for name in _FACTS]
    facts += [(name, str(note[name])) for name in _FACTS_WHEN_SET if note[name]]
    pairs([*facts, ("source", f"{note['prov_source']} (confidence {note['confidence']:g})")])
    console.print()
    console.print(Markdown(clean(str(note["body"])), hyperlinks=False))


def pairs(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(_cell(name), Text(clean(value)))
    _console().print(grid)


def diff(text: str) -> None:
    """Print a unified diff in colour."""
    console = _console()
    for line in clean(text).splitlines():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        console.print(Text(line, style), soft_wrap=True)


def held(note_id: str, title: str, since: str, difference: str) -> None:
    """Print a held note: what it is, and how its two versions differ."""
    console = _console()
    console.print(Text(one_line(title), "bold"))
    console.print(Text(one_line(f"{note_id}  held since {since}"), "dim"))
    diff(difference)
    console.print(
        Text(f"anamnesis resolve {one_line(note_id)} --mine | --theirs | --both | --edit\n", "yellow")
    )


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


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text under headings."""
    drawn = Table(box=None, header_style="dim", pad_edge=False)
    for heading in headings:
        drawn.add_column(heading, overflow="fold")
    for row in rows:
        drawn.add_row(*map(_cell, row))
    _console().print(drawn)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; yields a function of (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _cell(value: object) -> Text:
    return Text(one_line(str(value)))


def _kind(note: Note) -> Text:
    kind = str(note["type"])
    return Text(one_line(kind), TYPE_STYLES.get(kind, ""))


def _day(note: Note) -> Text:
    return Text(one_line(str(note["updated_at"]))[:10], "dim")


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _marked(text: Text, terms: Sequence[str]) -> Text:
    text.highlight_words([term for term in terms if term], _MATCH, case_sensitive=False)
    return text
