"""One note: read it in full, with its links and similar notes; write, supersede, edit, keep, delete it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from anamnesis.curate import CLOSE, likeness, words_of
from anamnesis.errors import InvalidNote, NoteNotFound, SecretFound, StoreUnavailable, SyncError
from anamnesis.index import listing, query
from anamnesis.index.query import Filter
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory, note_dict, parse, unique_tags
from anamnesis.notes.vocabulary import FACT, PINNED, REVIEWED, RULE
from anamnesis.operations.reading import find_id, project_to_write
from anamnesis.project import Place, keys_of
from anamnesis.redact import find_secrets, under_title
from anamnesis.store import MemoryStore, version_of

if TYPE_CHECKING:
    from anamnesis.sync import SyncBackend

_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
_NAMED = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_SHOWN_LINKS = 50
_MORE_FIELDS = ("prov_source", "prov_model", "prov_session", "confidence", "supersedes")


class Versioned(NamedTuple):
    """A note with the version to base an edit on."""

    note: Memory
    version: str


def read_note(store: MemoryStore, note_id: str) -> Versioned:
    """One note and its version; NoteNotFound for an unknown id."""
    note, text = store.get(note_id), store.text_of(note_id)
    if note is None or text is None:
        raise NoteNotFound(note_id)
    return Versioned(note, version_of(text))


def successors(store: MemoryStore, note_id: str) -> list[Memory]:
    """The notes that replace this one."""
    notes = (store.get(newer) for newer in store.ask(query.successors).get(note_id, ()))
    return [note for note in notes if note is not None]


def note_details(store: MemoryStore, note_id: str) -> dict[str, object]:
    """Everything about one note: its fields, its file, and the version to base an edit on."""
    note, version = read_note(store, note_id)
    return {
        **note_dict(note, include_body=True),
        **{name: getattr(note, name) for name in _MORE_FIELDS},
        "path": str(store.path_of(note_id) or ""),
        "version": version,
    }


class Links(NamedTuple):
    """The notes that a note refers to, by the text of the reference, and the notes that refer to it."""

    mentions: dict[str, Memory]
    backlinks: list[Memory]


def links_of(store: MemoryStore, note_id: str) -> Links:
    """A note's links and backlinks; NoteNotFound for an unknown id."""
    note = read_note(store, note_id).note
    names = list(dict.fromkeys([*_ID.findall(note.body), *_titles_in(note.body)]))[:_SHOWN_LINKS]
    named = store.ask(lambda db: listing.named(db, names, names)) if names else []
    # If several notes have the same title, the newest is meant.
    by_name = {name: other for other in reversed(named) for name in (other.id, other.title.casefold())}
    near = store.ask(lambda db: listing.with_words_of(db, [note.id, note.title]))
    title = note.title.casefold()
    backlinks = [
        other
        for other in near
        if other.id != note.id
        and (note.id in other.body or title in map(str.casefold, _titles_in(other.body)))
    ]
    mentions = {name: other for name in names if (other := by_name.get(name) or by_name.get(name.casefold()))}
    return Links(mentions, backlinks[:_SHOWN_LINKS])


def _titles_in(body: str) -> list[str]:
    return [title.strip() for title in _NAMED.findall(body)]


def similar_notes(store: MemoryStore, note: Memory, *, k: int = 3) -> list[Memory]:
    """Current notes, of the same project or global, that may say the same as this one, most similar first.

    Compared by words and, if the store has a model, by meaning.
    """
    mine = words_of(f"{note.title} {note.body}")
    near = store.meaning.near_note(note.id) if store.meaning is not None else None
    # A similar note has one of its rarest words.
    wanted = Filter(project=[*keys_of(note.project), GLOBAL], rarest=8)
    # A few more than needed, because search results are not sorted by likeness.
    hits = store.find(f"{note.title}\n{note.body[:240]}", wanted, k=k + 5, explain=False, near=near)
    scored: list[tuple[float, Memory]] = []
    for other in (hit.note for hit in hits if hit.note.id != note.id):
        cosine = near.get(other.id) if near else None
        scored.append((likeness(mine, words_of(f"{other.title} {other.body}"), cosine=cosine), other))
    scored.sort(key=lambda pair: -pair[0])
    return [other for score, other in scored[:k] if score >= CLOSE]


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note to write, as a person or a model gave it; `supersedes` are the ids that it replaces."""

    title: str
    body: str
    type: str = FACT
    project: str = GLOBAL
    tags: Sequence[str] = ()
    machine_id: str = "unknown"
    scope: str = "portable"
    supersedes: str = ""
    model: str = ""  # the model that wrote it; its tags `rule` and `pinned` count once a person keeps it


def write_note(store: MemoryStore, new: NewNote, place: Place, project: str | None) -> tuple[Memory, bool]:
    """Write a note; short ids and project names are completed. Returns it, and whether its project is new.

    Without a `project`, it gets that of `place`; `supersedes` may be starts of ids.
    """
    key, is_new = project_to_write(store, project, default=place.default, here=place.key)
    replaced = " ".join(find_id(store, text) for text in new.supersedes.split())
    return create_note(store, replace(new, project=key, supersedes=replaced)), is_new


def create_note(store: MemoryStore, new: NewNote) -> Memory:
    """Write a note with a full project key and full ids; refused if empty, or with a credential."""
    replaced = new.supersedes.split()
    known = [tag for note_id in replaced for tag in read_note(store, note_id).note.tags]
    check_body(new.body)
    _check_fields(new, known_tags=known)
    _refuse_second_successor(store, replaced)
    tags = [tag for tag in unique_tags(list(new.tags)) if not new.model or tag != REVIEWED]
    return store.write(
        type=new.type,
        title=new.title.strip(),
        body=new.body,
        project=new.project.strip() or GLOBAL,
        machine_id=new.machine_id,
        scope=new.scope,
        tags=tags,
        supersedes=" ".join(replaced),
        prov_model=new.model if {RULE, PINNED} & set(tags) else "",
    )


def write_memory(
    store: MemoryStore,
    *,
    type: str,
    title: str,
    body: str,
    project: str = GLOBAL,
    tags: Sequence[str] | None = None,
    machine_id: str = "unknown",
    scope: str = "portable",
    supersedes: str = "",
) -> dict[str, object]:
    """Write a note like `create_note`, in the form that the specification names; returns its JSON form."""
    new = NewNote(title, body, type, project, tags or (), machine_id, scope, supersedes)
    return note_dict(create_note(store, new), include_body=True)


def _refuse_second_successor(store: MemoryStore, replaced: Sequence[str], *, by: str = "") -> None:
    """Raise InvalidNote if a note to be replaced has a current successor that is not replaced, too.

    Otherwise two current notes would contradict each other. `by` is the note itself, if it exists already.
    """
    newer = store.ask(query.successors) if replaced else {}
    for note_id in replaced:
        chain = [note_id]
        for each in chain:  # grows while it is read
            chain += [successor for successor in newer.get(each, ()) if successor not in chain]
        last = [each for each in chain[1:] if not newer.get(each) and each not in (by, *replaced)]
        if notes := [note for each in last if (note := store.get(each)) is not None]:
            titles = ", ".join(repr(note.title) for note in notes)
            ids = " ".join(note.id for note in notes)
            raise InvalidNote(
                f"note {note_id} is superseded already, by {titles}; supersede that instead: {ids}"
            )


def edit_note(
    store: MemoryStore, note_id: str, *, backend: SyncBackend, base: str | None = None, **changes: Any
) -> Memory:
    """Change fields of a note and commit it; refused if it is stale, empty, or has a credential."""
    known = read_note(store, note_id).note
    edited = replace(known, **changes)
    if edited.body != known.body:  # other fields of a note without text can be changed
        check_body(edited.body)
    # What the note has already, its history has too; or sync keeps it here.
    accepted = _secrets_of(known) if edited.scope == known.scope else ()
    _check_fields(edited, known_tags=known.tags, accepted=accepted)
    added = set(edited.supersedes.split()) - set(known.supersedes.split())
    _refuse_second_successor(store, sorted(added), by=note_id)
    # A machine-local text must not enter the synced history; the store keeps it for undo.
    with recorded(backend, before=edited.scope != "machine-local"):
        return store.update(note_id, base=base, **changes)


def revise_note(store: MemoryStore, note_id: str, text: str, *, base: str, backend: SyncBackend) -> Memory:
    """Save a note's whole markdown as edited by a person; id, creation time and foreign keys must stay."""
    known = store.text_of(note_id)
    if known is None:
        raise NoteNotFound(note_id)
    old, old_extras = parse(known)
    new, new_extras = parse(text)
    if (new.id, new.created_at) != (old.id, old.created_at):
        raise InvalidNote(f"`id` and `created_at` of note {note_id} cannot be changed; put them back")
    if new_extras != old_extras:
        keys = ", ".join(sorted({key for key, _ in old_extras.items() ^ new_extras.items()}))
        raise InvalidNote(f"`{keys}` belongs to another tool; put it back, or edit the file itself")
    changes = {key: value for key, value in vars(new).items() if value != getattr(old, key)}
    return edit_note(store, note_id, backend=backend, base=base, **changes)


def delete_note(store: MemoryStore, note_id: str, *, backend: SyncBackend, base: str | None = None) -> Memory:
    """Delete a note; the last text of a portable note is committed first.

    `base` is the version that the caller has read; StaleNote if the note has changed since.
    """
    with recorded(backend):
        return store.delete(note_id, base=base)


@contextmanager
def recorded(backend: SyncBackend, *, before: bool = True) -> Iterator[None]:
    """Commit the text that a change replaces, then the change itself.

    The store keeps replaced texts anyway, so if git is missing or broken, which `status` and `doctor` report,
    the change is made without commits.
    """
    if before:
        with suppress(SyncError, StoreUnavailable):
            backend.commit()
    yield
    with suppress(SyncError, StoreUnavailable):
        backend.commit()


def _check_fields(
    note: Memory | NewNote, *, known_tags: Sequence[str], accepted: Collection[str] = ()
) -> None:
    """Raise InvalidNote or SecretFound if a note may not have its title, project, tags or body.

    `accepted` are the credentials that it may have.
    """
    if not note.title.strip():
        raise InvalidNote("the note has no title; give it one short line")
    check_project(note.project)
    for name, text in _texts_of(note):
        _refuse_secret(name, text, accepted=accepted)
    for tag in note.tags:
        if tag.strip() and tag not in known_tags:  # the store drops a blank one; a file may have any
            check_tag(tag)


def check_body(body: str) -> None:
    """Raise InvalidNote if a body is empty or blank: a note that is only a title says nothing."""
    if not any(char.isprintable() and char != " " for char in body):
        raise InvalidNote("the note has no text; say in its body what is worth knowing")


def check_project(key: str) -> None:
    """Raise InvalidNote or SecretFound if notes may not have this project key."""
    if not key.isprintable():
        raise InvalidNote(f"project {key[:80]!r} is not one line of text; use a key such as host/owner/name")
    _refuse_secret("project", key)


def check_tag(tag: str) -> None:
    """Raise InvalidNote or SecretFound if a note may not have this tag."""
    if not tag.strip() or not tag.isprintable() or "," in tag:
        raise InvalidNote(f"{tag[:80]!r} cannot be a tag; use one line of text without a comma")
    _refuse_secret("tag", tag)


def _texts_of(note: Memory | NewNote) -> Iterator[tuple[str, str]]:
    """Where a note may have a credential: its texts, each with its name in messages."""
    yield from (("title", note.title), ("body", note.body), *(("list of tags", tag) for tag in note.tags))
    yield "body under this title", under_title(note.title, note.body)


def _secrets_of(note: Memory) -> set[str]:
    """The credentials that a note has."""
    return {text[each.start : each.end] for _, text in _texts_of(note) for each in find_secrets(text)}


def _refuse_secret(name: str, text: str, *, accepted: Collection[str] = ()) -> None:
    """Raise SecretFound if a text from a person or a model contains a credential that is not accepted."""
    for secret in find_secrets(text):
        if text[secret.start : secret.end] in accepted:
            continue
        raise SecretFound(
            f"the {name} contains what looks like a credential ({secret.kind}, line {secret.line});"
            " notes sync through git: leave it out and say where it is kept instead"
        )
