"""The commands that look at notes: search, list, show."""

from __future__ import annotations

import argparse

from anamnesis import lookup
from anamnesis.cli.opening import open_store, open_to_ask, open_to_search
from anamnesis.cli.parser import NOTE, add_filters, add_id, add_json, moment, positive
from anamnesis.cli.reading import split_tags
from anamnesis.cli.terminal import on_terminal, one_line, pretty, say, say_json, say_row, tell
from anamnesis.config import home_folder
from anamnesis.errors import UnknownProject
from anamnesis.project.place import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.index.quick import QuickIndex
    from anamnesis.store import MemoryStore

Note = dict[str, object]  # a note's JSON form, as the operations answer it


def add_search(parser: argparse.ArgumentParser) -> None:
    """Arguments of `search`."""
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help="words to look for; if one begins with -, put -- before them all",
    )
    add_filters(parser)
    parser.add_argument("--tags", metavar="A,B", help="only notes that carry all of these tags")
    parser.add_argument(
        "--since", type=moment, metavar="DATE", help="only notes updated on or after it (2026-01-31)"
    )
    parser.add_argument(
        "-k", type=positive, default=8, metavar="N", help="at most so many notes (default %(default)s)"
    )
    parser.add_argument(
        "--semantic", action="store_true", help="also by meaning, with the model of `semantic install`"
    )
    parser.add_argument("--explain", action="store_true", help="say why each note matched")
    add_json(parser, f"[{NOTE}, body}}], best first; with --explain also score, matched, snippet, meaning")
    parser.epilog = 'Example:\n  anamnesis search --project global "sqlite lock timeout"'


def cmd_search(args: argparse.Namespace) -> int:
    """Print the notes that match best."""
    dressed = on_terminal() and not args.json
    place = place_of(".", home=home_folder())
    here = place.key if place.is_known and not args.project else None
    with open_to_search(by_meaning=True) if args.semantic else open_to_ask() as store:
        found = lookup.search_memories(
            store,
            query=" ".join(args.query),
            project=_meant(store, args.project, place.key),
            type=args.type,
            scope=args.scope,
            k=args.k,
            tags=split_tags(args.tags),
            since=args.since,
            explain=args.explain or dressed,
            prefer_project=here,
        )
    if not found and not args.json:
        tell("no note matches; try other words, or `anamnesis list`")
    elif dressed:
        pretty().search_hits(found, scores=args.explain)
    else:
        _say_notes(found, as_json=args.json, more=_REASONS if args.explain else ())
    if here and found and not args.json and lookup.is_elsewhere(found[0], here):
        tell(f"the best match is about another project; --project {here} searches this one only")
    return 0


_REASONS = ("score", "matched", "snippet", "meaning")


def add_list(parser: argparse.ArgumentParser) -> None:
    """Arguments of `list`."""
    add_filters(parser)
    add_json(parser, f"[{NOTE}, superseded_by: [id]}}], newest first")
    parser.epilog = "Example:\n  anamnesis list --type procedural --project global"


def cmd_list(args: argparse.Namespace) -> int:
    """Print notes, newest first, superseded ones included."""
    with open_store() as store:
        project = _meant(store, args.project, place_of(".", home=home_folder()).key)
        found = lookup.list_memories(
            store, project=project, type=args.type, scope=args.scope, successors=True
        )
    if not found and not args.json:
        is_filtered = args.project or args.type or args.scope
        cure = "`anamnesis list` shows all there are" if is_filtered else "`anamnesis write` makes one"
        tell(f"no notes here; {cure}")
    elif on_terminal() and not args.json:
        pretty().notes_table(found)
    else:
        _say_notes(found, as_json=args.json)
    return 0


def _meant(store: MemoryStore | QuickIndex, wanted: str | None, here: str) -> str | None:
    """The key that a person means; an unknown one finds nothing, and the near ones are named."""
    try:
        return lookup.project_to_read(store, wanted, here=here)
    except UnknownProject as exc:
        tell(str(exc))
        return wanted


def _say_notes(notes: list[Note], *, as_json: bool, more: tuple[str, ...] = ()) -> None:
    if as_json:
        say_json(notes)
        return
    for note in notes:
        fields = [str(note[key]) for key in ("id", "type", "project", "updated_at", "title")]
        newer = note.get("superseded_by")
        say_row(
            *fields,
            *(_text(note[key]) for key in more if key in note),
            *([f"superseded by {_text(newer)}"] if newer else ()),
        )


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
    from anamnesis.details import note_details, successors

    with open_store() as store:
        note_id = lookup.find_id(store, args.id)
        note = note_details(store, note_id)
        newer = successors(store, note_id)
        text = store.text_of(note_id) or ""
    names = [f"{each.id}  {one_line(each.title)}" for each in newer]
    if args.json:
        say_json({**note, "superseded_by": [each.id for each in newer]})
    elif on_terminal():
        pretty().note(note, superseded_by=names)
    else:
        say(text.removesuffix("\n"))
        for name in names:
            tell(f"superseded by {name}")
    return 0
