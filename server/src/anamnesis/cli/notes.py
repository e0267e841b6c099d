"""The commands that read notes: search, list, show."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from anamnesis.cli.opening import open_store, open_to_ask, split_tags
from anamnesis.cli.output import Output, Styled, one_line, row
from anamnesis.config import home_folder
from anamnesis.errors import NoteNotFound
from anamnesis.index.query import Filter
from anamnesis.operations import reading
from anamnesis.project import keys_of, place_of
from anamnesis.text import local_time, plural

if TYPE_CHECKING:
    from anamnesis.index.core import Index

Note = dict[str, Any]  # a note's JSON form, as the operations return it


def cmd_search(args: argparse.Namespace) -> int:
    """Print the notes that match best."""
    out: Output = args.out
    place = place_of(".", home=home_folder())
    here = place.key if place.is_known and not args.project else None
    with open_to_ask(by_meaning=not args.words) as store:
        wanted = _filter(args, store, place.key, prefer_project=keys_of(here) if here else None)
        explain = args.explain or out.is_pretty
        notes = reading.search_notes(store, args.query, wanted, k=args.limit, explain=explain)
        if not notes:
            _hint_unreadable(out, store)
    out.result(notes, map(_row, notes), _hit_lines(notes, explain=args.explain))
    if not notes:
        out.hint("no note matches; `anamnesis list` shows all there are, `anamnesis write` writes one")
    elif here and notes[0]["project"] not in reading.keys_here(here):
        out.hint(f"the best match is from another project; --project {here} searches this one only")
    return 0


def _hint_unreadable(out: Output, store: Index) -> None:
    """Say that the note may be in a file that cannot be read, if there is one."""
    if problems := list(store.problems()):
        named = plural(len(problems), "file")
        out.hint(f"{named} cannot be read as a note and may hold it; `anamnesis status` says which and why")


def _hit_lines(hits: Iterable[Note], *, explain: bool) -> Iterator[Styled]:
    """Hits for a terminal, with their snippets; a line stands above those with only common words."""
    is_weak = False
    for hit in hits:
        if hit.get("weak") and not is_weak:
            is_weak = True
            yield "-- below: only common words match --\n", "yellow"
        yield from _lines(hit)
        if explain:
            yield f"  score {hit['score']}  matched: {', '.join(hit['matched'])}", "dim"
        snippet = one_line(hit["snippet"])
        if snippet == one_line(str(hit["title"])):
            snippet = one_line(str(hit["body"])[:160])
        yield f"  {snippet}\n", ""


def _lines(note: Note) -> Iterator[Styled]:
    """A note for a terminal: its title, and below it what it is."""
    replaced = " (superseded)" if note.get("superseded_by") else ""
    day = local_time(str(note["updated_at"]))[:10]
    yield f"{one_line(str(note['title']))}{replaced}", "dim" if replaced else "bold"
    yield one_line(f"{note['type']}  {note['project']}  {day}  {note['id']}"), "cyan"


def cmd_list(args: argparse.Namespace) -> int:
    """Print notes, newest first, superseded ones included."""
    out: Output = args.out
    limit = args.limit or (50 if out.is_pretty and not args.all else None)
    with open_store() as store:
        wanted = _filter(args, store, place_of(".", home=home_folder()).key)
        notes, total = reading.page_of(store, wanted, limit=limit)
    out.result(notes, map(_row, notes), (line for note in notes for line in _lines(note)))
    if total > len(notes):
        out.hint(f"{len(notes)} shown of {plural(total, 'note')}; --all shows the rest")
    elif not notes:
        out.hint("no notes match; `anamnesis write` writes one")
    return 0


def _filter(args: argparse.Namespace, store: Index, here: str, **more: Any) -> Filter:
    return reading.wanted_notes(store, {**vars(args), "tags": split_tags(args.tags)}, here=here, **more)


def _row(note: Note) -> str:
    fields = [note[name] for name in ("id", "type", "project", "updated_at", "title")]
    if newer := note.get("superseded_by"):
        fields.append(f"superseded by {' '.join(newer)}")
    why = [note[name] for name in ("score", "matched", "snippet", "meaning") if name in note]
    return row(*fields, *(" ".join(map(str, each)) if isinstance(each, list) else each for each in why))


def cmd_show(args: argparse.Namespace) -> int:
    """Print one note as its file has it, and name what replaces it."""
    from anamnesis.operations.notes import note_details, successors

    out: Output = args.out
    with open_store() as store:
        try:
            note_id = reading.find_id(store, args.id)
        except NoteNotFound:
            _hint_unreadable(out, store)
            raise
        note, newer, text = note_details(store, note_id), successors(store, note_id), store.text_of(note_id)
    answer = {**note, "superseded_by": [each.id for each in newer]}
    out.result(answer, (text or "").removesuffix("\n"))
    for each in newer:
        out.hint(f"superseded by {each.id}  {one_line(each.title)}")
    return 0
