"""Changes many notes at once: tags, types and projects; a renamed project; a settled rule.

A new tag, type or project does not make a note newer, so its date stays. Each note is changed separately: if
one cannot be changed, it is reported and the others are still changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from anamnesis.capture import settled
from anamnesis.errors import AnamnesisError, InvalidNote
from anamnesis.files import write_atomic
from anamnesis.index.candidates import Candidates, Rule, read_rules
from anamnesis.index.query import Filter
from anamnesis.index.rows import rule_lines
from anamnesis.inject.start import Start, choose_rules, told_rules
from anamnesis.layout import ALIASES_FOLDER
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import HOW, PINNED, REVIEWED, RULE
from anamnesis.operations import notes
from anamnesis.operations.reading import keys_here, known_projects
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import epoch

# The fields that an act changes, given a note and a value; None deletes the note.
Change = Callable[[Memory, str], dict[str, object]] | None
_CAPTURED = "session-end"


def write_alias(memory_dir: Path, old: str, new: str) -> Path:
    """Record for all machines that `old` is now called `new`, in a small synced file.

    `new` may have been renamed before. It is in use again, and two aliases in a circle would mean nothing.
    """
    notes.check_project(new)
    _alias_file(memory_dir, new).unlink(missing_ok=True)
    path = _alias_file(memory_dir, old)
    write_atomic(path, json.dumps({"old": old, "new": new}, ensure_ascii=False, indent=1).encode() + b"\n")
    return path


def _alias_file(memory_dir: Path, old: str) -> Path:
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in old)[:60]
    digest = hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()[:8]
    return memory_dir / ALIASES_FOLDER / f"{name}-{digest}.json"


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """The notes that were changed, each with its previous version, and why others could not be."""

    done: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def change_notes(
    store: MemoryStore, ids: Sequence[str], act: str, value: str, *, backend: SyncBackend
) -> BulkOutcome:
    """Apply one change to many notes: `tag`, `untag`, `type` or `project` with a value, `keep`, `delete`."""
    value = value.strip()
    if act not in ACTS:
        raise InvalidNote(f"notes cannot be changed by {act[:40]!r}; use one of: {', '.join(ACTS)}")
    if act in ("tag", "untag"):
        notes.check_tag(value)
    if act == "project":
        notes.check_project(value)
        if not value:
            raise InvalidNote("no project was named; give a key such as host/owner/name, or global")
    return _change_each(store, ids, ACTS[act], value, backend=backend)


def rename_tags(store: MemoryStore, names: Sequence[str], new: str, *, backend: SyncBackend) -> BulkOutcome:
    """Replace tags with another one in every note; if that one exists already, they are merged into it."""
    new, old = new.strip(), {name for name in names if name != new.strip()}
    notes.check_tag(new)
    if not old:
        raise InvalidNote("no tag to rename was named; name at least one that differs from the new one")
    found = [note.id for name in sorted(old) for note in store.page(Filter(tags=[name]), limit=20_000).notes]

    def _rename(note: Memory, new: str) -> dict[str, object]:
        return {"tags": [new if tag in old else tag for tag in note.tags]}

    return _change_each(store, found, _rename, new, backend=backend)


def _change_each(
    store: MemoryStore, ids: Sequence[str], change: Change, value: str, *, backend: SyncBackend
) -> BulkOutcome:
    """Change or delete each of the notes; commits once before and once after all of them."""
    outcome = BulkOutcome()
    with notes.recorded(backend):
        for note_id in dict.fromkeys(ids):
            try:
                note, version = notes.read_note(store, note_id)
                if change is None:
                    store.delete(note_id, base=version)
                else:
                    store.update(note_id, base=version, **change(note, value), updated_at=note.updated_at)
                outcome.done[note_id] = version
            except AnamnesisError as exc:
                outcome.failed[note_id] = str(exc)
    return outcome


def list_rules(store: MemoryStore, *, project: str) -> list[Rule]:
    """The rules that a session in this project is told, newest first: the user's, then those of a model."""
    return told_rules(Start(home=str(store.root), project=project))


def unkept_rules(store: MemoryStore) -> list[Rule]:
    """The told rules that users stated in sessions or a model noted, and no person kept, newest first."""
    told = sorted({rule: 0 for _, rule in _told(store)}, key=lambda rule: epoch(rule.at), reverse=True)
    return [rule for rule in told if not rule.is_kept and (rule.source == _CAPTURED or rule.model)]


def _told(store: MemoryStore) -> list[tuple[str, Rule]]:
    """Each rule that a session is told, with the project of that session."""
    names = list(known_projects(store))
    known = store.ask(lambda db: read_rules(db, names, limit=1000))
    keys = {name: keys_here(name) for name in {rule.project: 0 for rule in known}}
    here = {name: [rule for rule in known if rule.project in keys[name]] for name in keys}
    told = {name: choose_rules(Candidates([], 0, 0, rules=here[name]), str(store.root)) for name in keys}
    return [(name, rule) for name, parts in told.items() for rule in chain(*parts)]


def find_rule(store: MemoryStore, wanted: str, *, project: str) -> Rule:
    """The one rule of a project with these words, or from the note whose id starts with them."""
    rules = list_rules(store, project=project)
    words = wanted.casefold().split()
    found = [rule for rule in rules if all(word in rule.line.casefold() for word in words)] or [
        rule for rule in rules if rule.note_id.casefold().startswith(wanted.casefold())
    ]
    if len(found) != 1:
        raise AnamnesisError(
            f"{len(found) or 'no'} rules of {project} match {wanted!r}; `anamnesis why --rules` lists them:"
            " give words of just one; --project names another"
        )
    return found[0]


def settle_rule(
    store: MemoryStore, note_id: str, line: str, *, keep: bool, backend: SyncBackend
) -> tuple[str, str | None, list[Rule]]:
    """Keep a rule for good, or drop it; the note that states it stays.

    In a session's note the line is struck out, and what is kept is a note of its own. A rule that is a note
    is marked as reviewed, or loses the tag that makes it one. Returns the previous version, the new id, and
    the rules that a dropped one had replaced, which are told again.
    """
    note, version = notes.read_note(store, note_id)
    before, new = _told(store), ""
    # Its other rules are as old as before.
    edit = partial(notes.edit_note, store, note_id, backend=backend, base=version, updated_at=note.updated_at)
    if note.prov_source == _CAPTURED:
        if line not in rule_lines(note):
            raise InvalidNote(f"note {note.id} does not state this rule; `anamnesis why --rules` lists them")
        edit(body=settled(note, line, "kept" if keep else "dropped").body)
        if keep:
            rule = notes.NewNote(line[:120], line, HOW, note.project, [RULE], backend.machine_id)
            new = notes.create_note(store, rule).id
    elif keep:
        edit(tags=[*note.tags, REVIEWED], confidence=1.0)
    else:
        edit(tags=[tag for tag in note.tags if tag not in (RULE, PINNED)])
    again = {told[1]: 0 for told in _told(store) if told not in before and not keep}
    return version, new or None, list(again)


ACTS: dict[str, Change] = {
    "tag": lambda note, tag: {"tags": [*note.tags, tag]},
    "untag": lambda note, tag: {"tags": [each for each in note.tags if each != tag]},
    "type": lambda note, type: {"type": type},
    "project": lambda note, project: {"project": project},
    "keep": lambda note, _: {"tags": [*note.tags, REVIEWED], "confidence": 1.0},
    "delete": None,
}
