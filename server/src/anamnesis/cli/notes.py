"""The commands that read notes: search, list, show, similar."""

from __future__ import annotations

import argparse

from anamnesis.cli.parser import (
    NOTE,
    add_filters,
    add_flag,
    add_id,
    add_json,
    open_store,
    open_to_ask,
    open_to_search,
    positive,
    split_tags,
)
from anamnesis.cli.terminal import Output, one_line, row, tell
from anamnesis.config import home_folder
from anamnesis.errors import UnknownProject
from anamnesis.operations import reading
from anamnesis.project import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.index.core import Index

Note = dict[str, object]  # a note's JSON form, as the operations return it

_ROWS = 50  # shown by `list` on a terminal
_NONE_YET = "no notes yet; `anamnesis write` writes one"
_WHY = ("score", "matched", "snippet", "meaning")


def add_search(parser: argparse.ArgumentParser) -> None:
    """Arguments of `search`."""
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help="words to look for; if one starts with -, put -- before them all",
    )
    add_filters(parser)
    _add_ranking(parser)
    add_flag(parser, "--explain", help="say why each note matched")
    add_json(
        parser,
        f"[{NOTE}, body}}], best first;"
        " with --explain also score, matched, snippet, and meaning with a model",
    )
    parser.epilog = 'Example:\n  anamnesis search --project global "sqlite lock timeout"'


def _add_ranking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-k",
        "--limit",
        dest="k",
        type=positive,
        default=8,
        metavar="N",
        help="at most this many notes (default %(default)s)",
    )
    add_flag(parser, "--words", help="by words alone, without the model of `semantic install`")


def cmd_search(args: argparse.Namespace) -> int:
    """Print the notes that match best."""
    out: Output = args.out
    place = place_of(".", home=home_folder())
    here = place.key if place.is_known and not args.project else None
    with open_to_ask(by_meaning=not args.words) as store:
        project, is_unknown = _resolve_project(store, args.project, place.key)
        notes = reading.search_memories(
            store,
            query=" ".join(args.query),
            project=project,
            type=args.type,
            scope=args.scope,
            k=args.k,
            tags=split_tags(args.tags),
            since=args.since,
            explain=args.explain or out.is_pretty,
            prefer_project=here,
        )
        is_empty = not notes and not reading.known_projects(store)
    if not notes and not is_unknown:
        _hint_other_words(args, is_empty=is_empty)
    rows = (_row(note, *_WHY) if args.explain else _row(note) for note in notes)
    out.result(notes, rows, lambda pretty: pretty.search_hits(notes, scores=args.explain))
    if here and notes and notes[0]["project"] not in reading.keys_here(here):
        out.hint(f"the best match is from another project; --project {here} searches this one only")
    return 0


def _hint_other_words(args: argparse.Namespace, *, is_empty: bool) -> None:
    """Say what to do after a search that found nothing."""
    out: Output = args.out
    if not "".join(args.query).strip():
        out.hint("an empty query finds nothing; give some words, or see `anamnesis list`")
        return
    if is_empty:
        out.hint(_NONE_YET)
        return
    out.hint("no note matches; try other words, or `anamnesis list`")


def add_list(parser: argparse.ArgumentParser) -> None:
    """Arguments of `list`."""
    add_filters(parser)
    parser.add_argument(
        "--machine", metavar="NAME", help="only notes written on this machine: its name, or the start of it"
    )
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help=f"at most this many notes (default {_ROWS} on a terminal, otherwise all)",
    )
    add_flag(parser, "--all", help="all notes, even on a terminal")
    add_json(parser, f"[{NOTE}, superseded_by: [id]}}], newest first")
    parser.epilog = "Example:\n  anamnesis list --since yesterday --machine laptop --tags deploy"


def cmd_list(args: argparse.Namespace) -> int:
    """Print notes, newest first, superseded ones included."""
    out: Output = args.out
    limit = args.limit or (_ROWS if out.is_pretty and not args.all else None)
    with open_store() as store:
        project, is_unknown = _resolve_project(store, args.project, place_of(".", home=home_folder()).key)
        wanted = reading.filter_of(
            project=project,
            type=args.type,
            scope=args.scope,
            tags=split_tags(args.tags),
            since=args.since,
            machine=reading.machine_named(store, args.machine),
        )
        if limit is None and not out.is_pretty:
            count = total = out.stream(reading.every_memory(store, wanted), _row)
        else:
            found, total = reading.page_of(store, wanted, limit=limit)
            count = len(found)
            # Listed are all of them: "50 shown of 46 notes, 20 superseded" would not add up.
            known = reading.count_text(store, wanted).replace(", ", " and ") if total > count else ""
            out.result(found, map(_row, found), (lambda pretty: pretty.notes_table(found)) if found else None)
    if total > count:
        out.hint(f"{count} shown of {known}; --all shows the rest")
    elif not any((count, args.project, args.type, args.scope, args.tags, args.since, args.machine)):
        out.hint(_NONE_YET)
    elif not count and not is_unknown:
        out.hint("no notes match; `anamnesis list` shows all there are")
    return 0


def _resolve_project(store: Index, wanted: str | None, here: str) -> tuple[str | None, bool]:
    """The full key for a project that a person typed, and whether it is unknown; prints a message if so."""
    try:
        return reading.project_to_read(store, wanted, here=here), False
    except UnknownProject as exc:
        tell(str(exc))
        return wanted, True


def _row(note: Note, *more: str) -> str:
    """A note as one line for a pipe."""
    fields = [str(note[key]) for key in ("id", "type", "project", "updated_at", "title")]
    newer = note.get("superseded_by")
    replaced = [f"superseded by {_text(newer)}"] if newer else []
    return row(*fields, *(_text(note[key]) for key in more if key in note), *replaced)


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def add_show(parser: argparse.ArgumentParser) -> None:
    """Arguments of `show`."""
    add_id(parser)
    add_json(
        parser,
        f"{NOTE}, body, prov_source, prov_model, prov_session, confidence, supersedes, path, version,"
        " superseded_by: [id]}",
    )
    parser.epilog = "Example:\n  anamnesis show 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_show(args: argparse.Namespace) -> int:
    """Print one note: rendered on a terminal, its markdown in a pipe."""
    from anamnesis.operations.notes import note_details, successors

    out: Output = args.out
    with open_store() as store:
        note_id = reading.find_id(store, args.id)
        note = note_details(store, note_id)
        newer = successors(store, note_id)
        text = store.text_of(note_id) or ""
    names = [f"{each.id}  {one_line(each.title)}" for each in newer]
    out.result(
        {**note, "superseded_by": [each.id for each in newer]},
        text.removesuffix("\n"),
        lambda pretty: pretty.note(note, superseded_by=names),
    )
    if not out.is_pretty:
        for name in names:
            out.hint(f"superseded by {name}")
    return 0


def add_similar(parser: argparse.ArgumentParser) -> None:
    """Arguments of `similar`."""
    add_id(parser)
    _add_ranking(parser)
    add_json(parser, "[{id, title, project, likeness}], most similar first")
    parser.epilog = "Example:\n  anamnesis similar 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_similar(args: argparse.Namespace) -> int:
    """Print the notes that are similar to one, most similar first."""
    from anamnesis.operations.notes import related_notes  # not needed by a search

    with open_to_search(by_meaning=args.semantic) as store:
        similar = related_notes(store, reading.find_id(store, args.id), k=args.k)
    fields = ("id", "likeness", "project", "title")
    rows = [tuple(str(note[name]) for name in fields) for note in similar]
    table = (lambda pretty: pretty.table(fields, rows)) if rows else None
    args.out.result(similar, (row(*each) for each in rows), table)
    if not similar:
        args.out.hint("no other note is similar")
    return 0
