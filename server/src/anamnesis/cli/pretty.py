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
from rich.text import Text

from anamnesis.cli.output import clean, one_line
from anamnesis.notes.vocabulary import local_time

_STYLES = {"procedural": "green", "semantic": "cyan", "episodic": "magenta"}
_STATES = {"ok": "green", "warn": "yellow", "bad": "bold red"}
_DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))
_MATCH = "bold yellow"
_EXCERPT_CHARACTERS = 160
_ROOM_FOR_A_TABLE = 100  # columns; an id alone takes 26

# A note's JSON form, as the operations return it.
Note = Mapping[str, object]

_FACTS = ("id", "type", "project", "machine_id", "scope", "tags", "created_at", "updated_at", "path")
_FACTS_WHEN_SET = ("prov_model", "prov_session", "supersedes")
_LABELS = {
    "machine_id": "machine",
    "created_at": "created",
    "updated_at": "updated",
    "prov_model": "model",
    "prov_session": "session",
}


def notes(listed: Sequence[Note]) -> None:
    """Print notes as a table, or as two lines each if a table leaves no room for titles."""
    titles = [f"{each['title']}{' (superseded)' if each['superseded_by'] else ''}" for each in listed]
    if _console().width >= _ROOM_FOR_A_TABLE:
        rows = [(each["id"], each["type"], each["project"], _day(each)) for each in listed]
        with_titles = [(*row, title) for row, title in zip(rows, titles, strict=True)]
        table(("id", "type", "project", "updated", "title"), with_titles)
        return
    for each, title in zip(listed, titles, strict=True):
        _print(Text(one_line(title), "dim" if each["superseded_by"] else "bold"), wide=True)
        _print(_facts(each), wide=True)


def _facts(note: Note) -> Text:
    kind = Text(one_line(str(note["type"])), _STYLES.get(str(note["type"]), ""))
    return Text("  ").join((kind, _cell(note["project"]), Text(_day(note), "dim"), _cell(note["id"])))


def _day(note: Note) -> str:
    return one_line(local_time(str(note["updated_at"])))[:10]


def search_hits(hits: Sequence[Note], *, scores: bool) -> None:
    """Print search results, best first: each with its snippet, the matched words marked.

    Hits marked `weak` share only common words with the query; a line above the first one says so.
    """
    is_weak = False
    for hit in hits:
        if hit.get("weak") and not is_weak:
            is_weak = True
            _print(Text("-- below: only common words match --\n", "yellow"))
        terms = _strings(hit["matched"])
        _print(_marked(Text(one_line(str(hit["title"])), "bold"), terms))
        facts = _facts(hit)
        if scores:
            # A score's absolute value depends on the size of the store.
            score, best = (float(str(each["score"])) for each in (hit, hits[0]))
            share = f"{score / best:.0%}" if best else "100%"
            facts.append("  " + one_line(f"score {share} of the best  matched: {', '.join(terms)}"), "dim")
        _print(facts)
        _console().print(Padding(_marked(Text(_excerpt(hit)), terms), (0, 0, 1, 2)))


def _excerpt(hit: Note) -> str:
    """The snippet, or the start of the body if the snippet would repeat the title."""
    snippet = clean(str(hit["snippet"])).strip()
    if snippet != one_line(str(hit["title"])):
        return snippet
    return shorten(clean(str(hit["body"])), _EXCERPT_CHARACTERS, placeholder=" …")


def note(note: Note, *, superseded_by: Sequence[str]) -> None:
    """Print one note: title, facts, rendered body; `superseded_by` names the notes that replace it."""
    _print(Text(one_line(str(note["title"])), "bold underline"))
    facts = [(name, _fact(note, name)) for name in _FACTS]
    facts += [(name, str(note[name])) for name in _FACTS_WHEN_SET if note[name]]
    facts.append(("source", f"{note['prov_source']} (confidence {note['confidence']:g})"))
    facts = [(_LABELS.get(name, name), value) for name, value in facts]
    pairs([*facts, *(("superseded by", name) for name in superseded_by)])
    _print(Text())
    _console().print(Markdown(clean(str(note["body"])), hyperlinks=False))


def _fact(note: Note, name: str) -> str:
    value = local_time(str(note[name])) if name.endswith("_at") else ", ".join(_strings(note[name]))
    return value or "none"


def pairs(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns; a long value is wrapped by the terminal, so it can be copied."""
    margin = max(len(name) for name, _ in facts) + 2
    for name, value in facts:
        _print(Text.assemble((f"{one_line(name):<{margin}}", "dim"), clean(value)), wide=True)


def diff(text: str) -> None:
    """Print a unified diff in colour."""
    for line in clean(text).splitlines():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        _print(Text(line, style), wide=True)


def held(notes: Sequence[tuple[str, str, str, str, str]]) -> None:
    """Print held notes: id, title, what happened, how the two versions differ, the options to resolve it."""
    for note_id, title, description, difference, ways in notes:
        _print(Text(one_line(title), "bold"))
        _print(Text(one_line(f"{note_id}  {description}"), "dim"))
        diff(difference)
        _print(Text(f"anamnesis resolve {one_line(note_id)} {ways}\n", "yellow"))


def checks(findings: Sequence[tuple[str, str, str, str]], repairs: Sequence[str] = ()) -> None:
    """Print the repairs, then the findings: state, name, evidence, remedy."""
    for repair in repairs:
        _print(Text(one_line(repair)), wide=True)
    for state, name, evidence, remedy in findings:
        line = Text(f"{state:<5}", _STATES.get(state, ""))
        line.append(f"{one_line(name):<18}", "bold")
        line.append(one_line(evidence))
        _print(line, wide=True)
        if remedy:
            _print(Text(f"{'':<23}-> {one_line(remedy)}", "yellow"), wide=True)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows of text under headings; the last column may be wider than the terminal."""
    lines = [[one_line(str(cell)) for cell in row] for row in (headings, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        padded = [set_cell_size(cell, width) for cell, width in zip(line, widths, strict=True)]
        _print(Text("  ".join([*padded[:-1], line[-1]]), "" if number else "dim"), wide=True)


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


def _print(text: Text, *, wide: bool = False) -> None:
    _console().print(text, soft_wrap=wide)


def _cell(value: object) -> Text:
    return Text(one_line(str(value)))


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _marked(text: Text, terms: Sequence[str]) -> Text:
    text.highlight_words([term for term in terms if term], _MATCH, case_sensitive=False)
    return text
