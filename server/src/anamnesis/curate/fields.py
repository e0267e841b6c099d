"""Plans that change fields of notes: renamed project keys, missing sources and machines.

A source is missing if the file has no `prov_source:` line, a machine if it is `unknown`. Evidence for the
source is the tags that capture and reflection set; for the machine, the first commit of the file. Without
evidence a note is left alone, and an existing value is never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anamnesis.curate import Plan, Step
from anamnesis.errors import ConfigError, NoteFormatError
from anamnesis.notes.frontmatter import read_fields
from anamnesis.notes.record import Memory, split_text
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

UNKNOWN = "unknown"
_SESSION_TAGS = frozenset(("session", "session-end", "precompact"))


def plan_migrate(notes: Iterable[Memory], *, renames: Mapping[str, str]) -> Plan:
    """Move every note of an old key to the last key in its chain (a to b, b to c: a goes to c)."""
    targets = {old: _target(old, renames) for old in renames}
    steps = [
        Step(
            "update",
            note,
            f"project {note.project} is now {targets[note.project]}",
            # Moving a note does not make it newer.
            {"project": targets[note.project], "updated_at": note.updated_at},
        )
        for note in notes
        if targets.get(note.project, note.project) != note.project
    ]
    steps.sort(key=lambda step: (step.note.project, step.note.id))
    return Plan("migrate", tuple(steps))


def _target(old: str, renames: Mapping[str, str]) -> str:
    seen = [old]
    while (following := renames.get(seen[-1])) is not None:
        if following in seen:
            circle = " -> ".join([*seen, following])
            raise ConfigError(f"project keys are renamed in a circle ({circle}); remove one of the pairs")
        if not following.strip() or not following.isprintable():
            raise ConfigError(f"{following!r} cannot be a project key; use one printable line")
        seen.append(following)
    return seen[-1]


def plan_backfill(store: MemoryStore, backend: SyncBackend) -> Plan:
    """Fill in the source and machine of every note that lacks them, where there is evidence."""
    writers = backend.history().first_writers()
    steps: list[Step] = []
    for note in sorted(store.list(), key=lambda note: note.id):
        path = store.path_of(note.id)
        is_synced = path is not None and path.is_relative_to(store.memory_dir)
        writer = writers.get(path.relative_to(store.memory_dir).as_posix(), "") if path and is_synced else ""
        changes = missing_provenance(note, written=_written_keys(store.text_of(note.id) or ""), writer=writer)
        if changes:
            told = ", ".join(f"{name} {value}" for name, value in changes.items())
            steps.append(Step("update", note, f"evidence for {told}", changes))
    return Plan("backfill-provenance", tuple(steps))


def missing_provenance(note: Memory, *, written: frozenset[str], writer: str) -> dict[str, object]:
    """What can be filled in for one note, given the keys in its file and who first committed it."""
    found: dict[str, object] = {}
    if "prov_source" not in written and (source := _source(note)):
        found["prov_source"] = source
    if note.machine_id == UNKNOWN and writer not in ("", UNKNOWN):
        found["machine_id"] = writer
    return found


def _written_keys(text: str) -> frozenset[str]:
    try:
        return frozenset(read_fields(split_text(text)[0])[1])
    except NoteFormatError:
        return frozenset(("prov_source",))  # unreadable, so nothing is known about it


def _source(note: Memory) -> str:
    tags = frozenset(note.tags)
    if "reflection" in tags and note.prov_model:
        return "reflection"
    if note.type == "episodic" and (note.prov_session or tags & _SESSION_TAGS):
        return "session-end"
    return ""
