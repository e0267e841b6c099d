"""Output made for a terminal: tables, rendered markdown, coloured diffs, a progress bar.

Loaded only when stdout or stderr is a terminal: rich costs more to import than most commands take to run.
All text from notes is cleaned first and never parsed as markup. rich respects NO_COLOR and TERM=dumb.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from textwrap import shorten

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from anamnesis.cli.terminal import clean, one_line
from anamnesis.notes.vocabulary import local_time

TYPE_STYLES = {"procedural": "green", "semantic": "cyan", "episodic": "magenta"}
STATE_STYLES = {"ok": "green", "warn": "yellow", "bad": "bold red"}
_DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))
_MATCH = "bold yellow"
_EXCERPT = 160
_ROOM_FOR_A_TABLE = 100  # columns; an id alone takes 26

# A note's JSON form, as the operations return it.
Note = Mapping[str, object]

_FACTS = ("id", "type", "project", "machine_id", "scope", "tags", "created_at", "updated_at", "path")
_TIMES = ("created_at", "updated_at")
_FACTS_WHEN_SET = ("prov_model", "prov_session", "supersedes")


def notes_table(notes: Sequence[Note]) -> None:
    """Print notes as a table, or as two lines each if a table leaves no room for titles."""
    console = _console()
    if console.width < _ROOM_FOR_A_TABLE:
        for each in notes:
            console.print(_title(each, "bold"), _facts(each), sep="\n", soft_wrap=True)
        return
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("id", no_wrap=True, style="dim")
    table.add_column("type", no_wrap=True)
    table.add_column("project", overflow="fold")
    table.add_column("updated", no_wrap=True, style="dim")
    table.add_column("title", overflow="fold", ratio=1)
    for each in notes:
        row = (_cell(each["id"]), _kind(each), _cell(each["project"]), _day(each), _title(each))
        table.add_row(*row, style="dim" if each["superseded_by"] else None)
    console.print(table)


def _title(note: Note, style: str = "") -> Text:
    """The title in a list, marked if the note is superseded."""
    title = one_line(str(note["title"]))
    return Text(f"{title} (superseded)", "dim") if note["superseded_by"] else Text(title, style)


def _facts(note: Note) -> Text:
    return Text("  ").join((_kind(note), _cell(note["project"]), _day(note), _cell(note["id"])))


def search_hits(hits: Sequence[Note], *, scores: bool) -> None:
    """Print search results, best first: each with its snippet, the matched words marked."""
    console = _console()
    for hit in hits:
        terms = _strings(hit["matched"])
        console.print(_marked(Text(one_line(str(hit["title"])), "bold"), terms))
        facts = _facts(hit)
        if scores:
            # A score's absolute value depends on the size of the store.
            score, best = (float(str(each["score"])) for each in (hit, hits[0]))
            share = f"{score / best:.0%}" if best else "100%"
            facts.append("  " + one_line(f"score {share} of the best  matched: {', '.join(terms)}"), "dim")
        console.print(facts)
        console.print(Padding(_marked(Text(_excerpt(hit)), terms), (0, 0, 1, 2)))


def _excerpt(hit: Note) -> str:
    """The snippet, or the start of the body if the snippet would repeat the title."""
    snippet = clean(str(hit["snippet"])).strip()
    if snippet != one_line(str(hit["title"])):
        return snippet
    return shorten(clean(str(hit["body"])), _EXCERPT, placeholder=" …")


def note(note: Note, *, superseded_by: Sequence[str]) -> None:
    """Print one note: title, facts, rendered body; `superseded_by` names the notes that replace it."""
    console = _console()
    console.print(Text(one_line(str(note["title"])), "bold underline"))
    facts = [(name, _fact(note, name)) for name in _FACTS]
    facts += [(name, str(note[name])) for name in _FACTS_WHEN_SET if note[name]]
    facts.append(("source", f"{note['prov_source']} (confidence {note['confidence']:g})"))
    facts = [(_LABELS.get(name, name), value) for name, value in facts]
    pairs([*facts, *(("superseded by", name) for name in superseded_by)])
    console.print()
    console.print(Markdown(clean(str(note["body"])), hyperlinks=False))


_LABELS = {
    "machine_id": "machine",
    "created_at": "created",
    "updated_at": "updated",
    "prov_model": "model",
    "prov_session": "session",
}


def _fact(note: Note, name: str) -> str:
    value = local_time(str(note[name])) if name in _TIMES else ", ".join(_strings(note[name]))
    return value or "none"


def pairs(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    console = _console()
    margin = max(len(name) for name, _ in facts) + 2
    for name, value in facts:
        label, text = (f"{one_line(name):<{margin}}", "dim"), clean(value)
        if max(map(cell_len, text.split()), default=0) > console.width - margin:
            # The terminal wraps a long path or id; if we broke it, it could not be copied.
            console.print(Text.assemble(label, text), soft_wrap=True)
        else:
            grid = Table.grid()
            grid.add_row(Text(*label), Text(text))
            console.print(grid)


def diff(text: str) -> None:
    """Print a unified diff in colour."""
    console = _console()
    for line in clean(text).splitlines():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        console.print(Text(line, style), soft_wrap=True)


def held(notes: Sequence[tuple[str, str, str, str, str]]) -> None:
    """Print held notes: id, title, what happened, how the two versions differ, the options to resolve it."""
    console = _console()
    for note_id, title, description, difference, ways in notes:
        console.print(Text(one_line(title), "bold"))
        console.print(Text(one_line(f"{note_id}  {description}"), "dim"))
        diff(difference)
        console.print(Text(f"anamnesis resolve {one_line(note_id)} {ways}\n", "yellow"))


def checks(findings: Sequence[tuple[str, str, str, str]], repairs: Sequence[str] = ()) -> None:
    """Print the repairs, then the findings: state, name, evidence, remedy."""
    console = _console()
    for repair in repairs:
        console.print(Text(one_line(repair)), soft_wrap=True)
    for state, name, evidence, remedy in findings:
        line = Text(f"{state:<5}", STATE_STYLES.get(state, ""))
        line.append(f"{one_line(name):<18}", "bold")
        line.append(one_line(evidence))
        console.print(line, soft_wrap=True)
        if remedy:
            console.print(Text(f"{'':<23}-> {one_line(remedy)}", "yellow"), soft_wrap=True)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text under headings; the last column may be wider than the terminal."""
    lines = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    console = _console()
    for number, line in enumerate(lines):
        padded = [set_cell_size(cell, width) for cell, width in zip(line, widths, strict=True)]
        text = "  ".join([*padded[:-1], line[-1]])
        console.print(Text(text, "" if number else "dim"), soft_wrap=True)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; yields a function of (done, total)."""
    with step_bar() as advance:
        yield partial(advance, label)


@contextmanager
def step_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on stderr for work in steps; yields a function of (step, done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda step, done, total: bar.update(
            task, description=step, completed=done, total=total or None
        )


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _cell(value: object) -> Text:
    return Text(one_line(str(value)))


def _kind(note: Note) -> Text:
    kind = str(note["type"])
    return Text(one_line(kind), TYPE_STYLES.get(kind, ""))


def _day(note: Note) -> Text:
    return Text(one_line(local_time(str(note["updated_at"])))[:10], "dim")


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _marked(text: Text, terms: Sequence[str]) -> Text:
    text.highlight_words([term for term in terms if term], _MATCH, case_sensitive=False)
    return text
