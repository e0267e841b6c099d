"""Looking for notes: search and list, the same for MCP, CLI and dashboard. Changes nothing.

Apart from `operations` so that a command that only reads loads neither git nor the search for credentials.
"""

from __future__ import annotations

from anamnesis.errors import AmbiguousId, InvalidNote, NoteNotFound
from anamnesis.index.query import Filter
from anamnesis.project import keys_of
from anamnesis.project.names import spelled, unknown
from anamnesis.vocabulary import SCOPES, SHORTEST_BEGINNING, TYPES, epoch, note_dict

TYPE_CHECKING = False  # a quick command waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.index.quick import Found, QuickIndex
    from anamnesis.store import Hit, MemoryStore


_ENOUGH = 6  # one more than an error names
_ID_LIKE = 8  # characters from which on a word may be meant as an id


def find_id(store: MemoryStore, text: str) -> str:
    """The id that a person means: a whole one, or a beginning that only one note has.

    Raises NoteNotFound or AmbiguousId. For people: what a program names, it names whole.
    """
    if store.path_of(text) is not None:
        return text
    return only_id(text, store.beginning_with(text, k=_ENOUGH))


def only_id(text: str, notes: Sequence[tuple[str, str]]) -> str:
    """The id among those of `notes` (id and title each) that is `text`, or alone begins with it."""
    if any(note_id == text for note_id, _ in notes):
        return text
    begun = [note for note in notes if note[0].startswith((text, text.upper()))]
    if not begun or len(text) < SHORTEST_BEGINNING:
        raise NoteNotFound(text)
    if len(begun) > 1:
        raise AmbiguousId(text, begun)
    return begun[0][0]


def search_memories(
    store: MemoryStore | QuickIndex,
    *,
    query: str,
    project: str | None = None,
    type: str | None = None,
    scope: str | None = None,
    k: int = 8,
    tags: Sequence[str] | None = None,
    since: str | None = None,
    explain: bool = False,
    provenance: bool = False,
    prefer_project: str | None = None,
) -> list[dict[str, object]]:
    """The best notes for a query, with bodies; with `explain` also score, matched terms and snippet.

    `project` leaves out the notes of others, `prefer_project` only puts its own first among the like. With
    `provenance` each note also has `source` and `confidence`.
    """
    _check_filters(type, scope)
    _check_date(since)
    projects = keys_of(project) if project else None
    preferred = keys_of(prefer_project) if prefer_project else None
    wanted = Filter(
        project=projects, type=type, scope=scope, tags=tags, since=since, prefer_project=preferred
    )
    hits = store.find(query, wanted, k=k, explain=explain)
    return [
        {
            **(hit_dict(hit) if explain else note_dict(hit.note, include_body=True)),
            **({"source": hit.note.prov_source, "confidence": hit.note.confidence} if provenance else {}),
        }
        for hit in hits
    ]


def id_in(store: MemoryStore, query: str) -> list[str]:
    """The id that a query is, or is the beginning of; none when it is words to look for."""
    text = query.strip()
    if len(text) < _ID_LIKE or " " in text:
        return []
    found = [note_id for note_id, _ in store.beginning_with(text, k=2)]
    return found if len(found) == 1 else []


def notes_by_id(store: MemoryStore, ids: Sequence[str]) -> list[dict[str, object]]:
    """Whole notes by their ids, or by beginnings that only one id has."""
    if not ids:
        raise InvalidNote("there is nothing to look for; give a few words as `query`, or `ids`")
    found = [store.get(find_id(store, text.strip())) for text in ids]
    return [
        {**note_dict(note, include_body=True), "source": note.prov_source, "confidence": note.confidence}
        for note in found
        if note is not None
    ]


def page_of_memories(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: str | None = None,
    scope: str | None = None,
    since: str | None = None,
    machine: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[list[dict[str, object]], int]:
    """Some notes, newest first, without bodies and with the ids that replace each; and how many there are."""
    _check_filters(type, scope)
    _check_date(since)
    wanted = Filter(
        project=keys_of(project) if project else None,
        type=type,
        scope=scope,
        since=since,
        machine_id=machine,
    )
    page, newer = store.page(wanted, limit=limit, offset=offset), store.successors()
    notes = [
        {**note_dict(note, include_body=False), "superseded_by": newer.get(note.id, [])}
        for note in page.notes
    ]
    return notes, page.total


def known_projects(store: MemoryStore | QuickIndex) -> dict[str, int]:
    """Every project's key with its number of notes."""
    found = store.stats()["by_project"]
    return found if isinstance(found, dict) else {}


def project_to_read(store: MemoryStore | QuickIndex, wanted: str | None, *, here: str) -> str | None:
    """The key that is meant by a filter; an unknown one is an error that names the near ones."""
    if wanted is None:
        return None
    known = known_projects(store)
    key = spelled(wanted, known=known, here=here)
    if key != here and not any(each in known for each in keys_of(key)):
        raise unknown(wanted, known)
    return key


def project_to_write(store: MemoryStore, wanted: str | None, *, default: str, here: str) -> tuple[str, bool]:
    """The key that a new note gets, and whether no note has had it before."""
    known = known_projects(store)
    key = default if wanted is None else spelled(wanted, known=known, here=here)
    return key, key != "global" and key not in known


def is_elsewhere(note: dict[str, object], here: str) -> bool:
    """Whether a note, in its JSON form, is about another project than `here`; a global one is about all."""
    return note["project"] not in (*keys_of(here), "global")


def list_memories(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: str | None = None,
    scope: str | None = None,
    successors: bool = False,
) -> list[dict[str, object]]:
    """Notes newest first, titles and metadata only; with `successors` also the ids that replace each."""
    _check_filters(type, scope)
    projects = keys_of(project) if project else None
    notes = store.list(project=projects, type=type, scope=scope, bodies=False)
    if not successors:
        return [note_dict(note, include_body=False) for note in notes]
    newer = store.successors()
    return [
        {**note_dict(note, include_body=False), "superseded_by": newer.get(note.id, [])} for note in notes
    ]


def hit_dict(hit: Hit | Found) -> dict[str, object]:
    """The JSON form of a hit: the note, and why it was found."""
    return {
        **note_dict(hit.note, include_body=True),
        "score": round(hit.score, 4),
        "matched": hit.terms,
        "snippet": hit.snippet,
        **({} if hit.meaning is None else {"meaning": round(hit.meaning, 3)}),
    }


def _check_date(since: str | None) -> None:
    if since and not epoch(since):
        raise InvalidNote(f"since {since!r} is not a date; write one like 2026-01-31")


def _check_filters(type: str | None, scope: str | None) -> None:
    if type is not None and type not in TYPES:
        raise InvalidNote(f"type {type!r} is not one of: {', '.join(TYPES)}")
    if scope is not None and scope not in SCOPES:
        raise InvalidNote(f"scope {scope!r} is not one of: {', '.join(SCOPES)}")
