"""The model's answers that are not applied yet: `<root>/reflection.json`. Never synced.

A dry run saves its proposal here, and `--apply` uses it if the sources have not changed: what was shown is
what gets written, and it is paid for once. A proposal is marked while it is being applied. If a later run
finds the mark, the earlier one was interrupted: it finishes that first, without asking the model again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from anamnesis.errors import InvalidNote
from anamnesis.files import read_regular, write_object
from anamnesis.layout import PROPOSALS_NAME
from anamnesis.notes.record import Memory, check, serialize


@dataclass(frozen=True, slots=True)
class Proposal:
    """The notes a model wrote from some sources, ready to be stored."""

    project: str
    model: str
    sources: dict[str, str]  # id -> fingerprint of the note as the model saw it
    notes: tuple[Memory, ...]
    applying: bool = False

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
    """The saved proposals by project; an unreadable file counts as empty."""
    try:
        found = json.loads(read_regular(root / PROPOSALS_NAME))
        proposals = [_proposal(entry) for entry in found["proposals"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, InvalidNote, RecursionError):
        return {}
    return {proposal.project: proposal for proposal in proposals}


def keep_proposal(root: Path, proposal: Proposal) -> None:
    """Save a proposal, replacing an older one for the same project."""
    _write(root, {**read_proposals(root), proposal.project: proposal})


def mark_applying(root: Path, proposal: Proposal, *, now: str) -> Proposal:
    """Record that this proposal is being applied, as of `now`."""
    notes = tuple(replace(note, created_at=now, updated_at=now) for note in proposal.notes)
    marked = replace(proposal, notes=notes, applying=True)
    keep_proposal(root, marked)
    return marked


def forget_proposal(root: Path, project: str) -> None:
    """Drop a project's proposal."""
    kept = read_proposals(root)
    if kept.pop(project, None) is not None:
        _write(root, kept)


def _write(root: Path, proposals: dict[str, Proposal]) -> None:
    content = {"proposals": [asdict(proposals[key]) for key in sorted(proposals)]}
    write_object(root / PROPOSALS_NAME, content, indent=2)


def _proposal(entry: dict[str, object]) -> Proposal:
    sources, notes = entry["sources"], entry["notes"]
    if not isinstance(sources, dict) or not isinstance(notes, list):
        raise TypeError("sources or notes")
    memories = tuple(Memory(**note) for note in notes)
    for note in memories:
        check(note)
    return Proposal(str(entry["project"]), str(entry["model"]), sources, memories, entry["applying"] is True)
