"""The commands that read notes: search, list, show."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anamnesis.cli.opening import open_store, open_to_ask, split_tags
from anamnesis.cli.output import Output, one_line, row, tell
from anamnesis.config import home_folder
from anamnesis.errors import UnknownProject
from anamnesis.index.query import Filter
from anamnesis.notes.vocabulary import FILTERS
from anamnesis.operations import reading
from anamnesis.project import Place, keys_of, place_of

if TYPE_CHECKING:
    from anamnesis.index.core import Index

Note = dict[str, object]  # a note's JSON form, as the operations return it

_ROWS_ON_A_TERMINAL = 50  # of `list`
_NONE_YET = "no notes yet; `anamnesis write` writes one"
_WHY = ("score", "matched", "snippet", "meaning")


def cmd_search(args: argparse.Namespace) -> int:
    """Print the notes that match best."""
    out: Output = args.out
    place = place_of(".", home=home_folder())
    here = place.key if place.is_known and not args.project else None
    with open_to_ask(by_meaning=not args.words) as store:
        wanted = _filter(args, store, place, prefer=here)
        if wanted is None:
            return 0
        query, explain = args.query, args.explain or out.is_pretty
        notes = reading.search_notes(store, query, wanted, k=args.limit, explain=explain)
        is_empty = not notes and not reading.known_projects(store)
    rows = (_row(note, *_WHY) if args.explain else _row(note) for note in notes)
    out.result(notes, rows, lambda pretty: pretty.search_hits(notes, scores=args.explain))
    if not notes:
        blank = "an empty query finds nothing; give some words, or see `anamnesis list`"
        other = "no note matches; try other words, or `anamnesis list`"
        out.hint(blank if not query.strip() else _NONE_YET if is_empty else other)
    elif here and notes[0]["project"] not in reading.keys_here(here):
        out.hint(f"the best match is from another project; --project {here} searches this one only")
    return 0


def cmd_list(args: argparse.Namespace) -> int:
    """Print notes, newest first, superseded ones included."""
    out: Output = args.out
    limit = args.limit or (_ROWS_ON_A_TERMINAL if out.is_pretty and not args.all else None)
    with open_store() as store:
        wanted = _filter(args, store, place_of(".", home=home_folder()))
        if wanted is None:
            return 0
        if limit is None and not out.is_pretty:
            count = total = out.stream(reading.every_memory(store, wanted), _row)
        else:
            found, total = reading.page_of(store, wanted, limit=limit)
            count = len(found)
            out.result(found, map(_row, found), (lambda pretty: pretty.notes(found)) if found else None)
            # Listed are all of them: "50 shown of 46 notes, 20 superseded" would not add up.
            known = reading.count_text(store, wanted).replace(", ", " and ") if total > count else ""
    if total > count:
        out.hint(f"{count} shown of {known}; --all shows the rest")
    elif not count:
        is_filtered = any(getattr(args, name) for name in FILTERS)
        out.hint("no notes match; `anamnesis list` shows all there are" if is_filtered else _NONE_YET)
    return 0


def _filter(
    args: argparse.Namespace, store: Index, place: Place, *, prefer: str | None = None
) -> Filter | None:
    """The filter that the arguments describe; None, after a message, if no note can match it."""
    given = {**vars(args), "tags": split_tags(args.tags)}
    try:
        return reading.wanted_notes(
            store, given, here=place.key, prefer_project=keys_of(prefer) if prefer else None
        )
    except UnknownProject as exc:
        tell(str(exc))
        args.out.result([])
        return None


def _row(note: Note, *more: str) -> str:
    fields = [note[name] for name in ("id", "type", "project", "updated_at", "title")]
    if newer := note.get("superseded_by"):
        fields.append(f"superseded by {' '.join(newer) if isinstance(newer, list) else newer}")
    why = [note[name] for name in more if name in note]
    return row(*fields, *(" ".join(map(str, each)) if isinstance(each, list) else each for each in why))


def cmd_show(args: argparse.Namespace) -> int:
    """Print one note: rendered on a terminal, its markdown in a pipe."""
    from anamnesis.operations.notes import note_details, successors

    out: Output = args.out
    with open_store() as store:
        note_id = reading.find_id(store, args.id)
        note, newer, text = note_details(store, note_id), successors(store, note_id), store.text_of(note_id)
    names = [f"{each.id}  {one_line(each.title)}" for each in newer]
    out.result(
        {**note, "superseded_by": [each.id for each in newer]},
        (text or "").removesuffix("\n"),
        lambda pretty: pretty.note(note, superseded_by=names),
    )
    if not out.is_pretty:
        for name in names:
            out.hint(f"superseded by {name}")
    return 0
