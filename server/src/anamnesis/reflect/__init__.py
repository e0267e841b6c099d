"""Reflection: a model distills a project's session notes into durable notes.

    question    which session notes are due, the question to the model, and validating its answer

There is no fallback: if an answer is invalid, nothing is written for that project. A dry run saves its
proposal on this machine, and `--apply` uses it if the sources have not changed: what was shown is what gets
written, and it is paid for once. The notes are written, then each source is tagged, then the result is
committed and the proposal dropped. If a run is killed in between, the next one finds the proposal and some of
its notes, and continues with the same ids: none is written twice or lost.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from anamnesis import state
from anamnesis.errors import InvalidNote, ModelError, NoteNotFound, StoreUnavailable
from anamnesis.files import lock
from anamnesis.model.client import ModelClient
from anamnesis.notes.record import REFLECTED, Memory, check, serialize, unique_tags, utcnow
from anamnesis.reflect.question import (
    REFLECTION,
    SYSTEM,
    compose,
    due_sources,
    earlier_reflections,
    read_drafts,
)
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress, plural

CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one project: the notes proposed or written, or why there are none."""

    project: str
    sources: tuple[str, ...]
    notes: tuple[Memory, ...]
    applied: bool
    problem: str = ""


def reflect(
    store: MemoryStore,
    backend: SyncBackend,
    client: ModelClient,
    *,
    machine_id: str,
    minimum: int,
    project: str | None = None,
    apply: bool = False,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Reflect every project that is due, or only `project`; notes are written only with `apply`."""
    with lock(store.root / "reflect.lock", timeout=0) as held:
        if not held:
            raise StoreUnavailable("another reflection of this store is running; wait for it to end")
        run = _Run(store, backend, client, machine_id)
        outcomes = run.settle_interrupted(project, apply=apply)
        notes, superseded = store.list(), store.superseded_ids()
        due = due_sources(notes, superseded=superseded, minimum=minimum, project=project)
        if not apply:
            # Finish an interrupted proposal first: a new one would replace its mark.
            started = {outcome.project for outcome in outcomes}
            due = {key: sources for key, sources in due.items() if key not in started}
        for number, (key, sources) in enumerate(due.items()):
            if progress is not None:
                progress(number, len(due))
            earlier = earlier_reflections(notes, superseded=superseded, project=key)
            outcomes.append(run.reflect_project(key, sources, earlier, apply=apply))
        if progress is not None:
            progress(len(due), len(due))
        return outcomes


@dataclass(frozen=True, slots=True)
class _Run:
    store: MemoryStore
    backend: SyncBackend
    client: ModelClient
    machine_id: str

    def settle_interrupted(self, project: str | None, *, apply: bool) -> list[Outcome]:
        """Finish writing an interrupted run's notes, or without `apply` only report them."""
        kept = [
            proposal
            for proposal in read_proposals(self.store.root).values()
            if project in (None, proposal.project)
        ]
        started = [proposal for proposal in kept if any(self.store.get(note.id) for note in proposal.notes)]
        return [self._write(proposal) if apply else proposal.outcome() for proposal in started]

    def reflect_project(
        self, project: str, sources: Sequence[Memory], earlier: Sequence[Memory], *, apply: bool
    ) -> Outcome:
        """Reflect one project; an invalid answer ends only this project."""
        try:
            proposal = self._propose(project, sources, earlier)
        except ModelError as exc:
            return Outcome(project, tuple(note.id for note in sources), (), applied=False, problem=str(exc))
        return self._write(proposal) if apply and proposal.notes else proposal.outcome()

    def _propose(self, project: str, sources: Sequence[Memory], earlier: Sequence[Memory]) -> Proposal:
        kept = read_proposals(self.store.root).get(project)
        if kept is not None and kept.fits(sources, self.client.label):
            return kept
        question = compose(project, sources, earlier, room=self.client.characters_left)
        if question is None:
            raise ModelError(
                "the rest of this run's budget is too small for one session note; run it again, "
                "or raise reflection.max_tokens"
            )
        answer = self.client.ask(system=SYSTEM, user=question.user)
        notes = tuple(read_drafts(answer, shown=question.ids, note=self._blank(project)))
        proposal = Proposal(project, self.client.label, fingerprints(question.sources), notes)
        state.save(self.store.root, state.Proposal(project, json.dumps(asdict(proposal))))
        return proposal

    def _blank(self, project: str) -> Memory:
        """The fields that a model does not choose."""
        return Memory(
            id="",
            type="",
            title="",
            body="",
            project=project,
            machine_id=self.machine_id,
            tags=[REFLECTION],
            prov_source=REFLECTION,
            prov_model=self.client.label,
            confidence=CONFIDENCE,
        )

    def _write(self, proposal: Proposal) -> Outcome:
        there = [source for name in proposal.sources if (source := self.store.get(name)) is not None]
        untagged = [source for source in there if REFLECTED not in source.tags]
        # Tags come last: once they are all set, a missing note was deleted by someone.
        if untagged:
            now = utcnow()
            for note in proposal.notes:
                if self.store.get(note.id) is None:
                    self.store.put(replace(note, created_at=now, updated_at=now))
            for source in untagged:
                with suppress(NoteNotFound):  # deleted meanwhile; nothing to tag
                    self.store.update(source.id, tags=unique_tags([*source.tags, REFLECTED]))
        count, origin = plural(len(proposal.notes), "note"), plural(len(proposal.sources), "session")
        self.backend.commit(f"reflect {proposal.project}: {count} from {origin}")
        state.save(
            self.store.root, drop=state.read(self.store.root, state.Proposal, project=proposal.project)
        )
        return proposal.outcome(applied=True)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The notes a model wrote from some sources, ready to be stored."""

    project: str
    model: str
    sources: dict[str, str]  # id -> fingerprint of the note as the model saw it
    notes: tuple[Memory, ...]

    def outcome(self, *, applied: bool = False) -> Outcome:
        """The result for its project."""
        return Outcome(self.project, tuple(self.sources), self.notes, applied)

    def fits(self, due: Iterable[Memory], model: str) -> bool:
        """Whether this model wrote it from notes that are still due and unchanged.

        If more notes are due by now, they come next; but if nothing was worth a note, the model is asked
        again.
        """
        known = fingerprints(due)
        unchanged = self.sources.items() <= known.items()
        return self.model == model and unchanged and (bool(self.notes) or self.sources == known)


def fingerprints(notes: Iterable[Memory]) -> dict[str, str]:
    """Each note's id with a hash of its text."""
    return {note.id: hashlib.sha256(serialize(note).encode()).hexdigest()[:16] for note in notes}


def read_proposals(root: Path) -> dict[str, Proposal]:
    """The saved proposals by project; one that cannot be read is left out."""
    found = ((row, _proposal(row)) for row in state.read(root, state.Proposal))
    return {row.project: proposal for row, proposal in found if proposal is not None}


def _proposal(row: state.Proposal) -> Proposal | None:
    try:
        entry = json.loads(row.content)
        notes = tuple(Memory(**note) for note in entry["notes"])
        for note in notes:
            check(note)
        return Proposal(row.project, entry["model"], dict(entry["sources"]), notes)
    except (ValueError, LookupError, TypeError, InvalidNote):
        return None
