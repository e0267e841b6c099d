"""The doctor's local checks, cheap enough to be asked for by every page.

Looking for credentials reads every note, so a text that was found clean is not looked at again.
"""

from __future__ import annotations

import threading

from anamnesis.doctor import Finding, Patient, check_notes_for_secrets, examine_quickly
from anamnesis.notes.record import Memory


class Health:
    """How the store of one dashboard is, and which of its texts are known to be clean."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clean: set[int] = set()
        self._secrets: tuple[str, Finding] | None = None

    def findings(self, patient: Patient, *, mark: str) -> list[Finding]:
        """What the local checks find; `mark` differs whenever the store does."""
        return [*examine_quickly(patient), self._check_secrets(patient, mark)]

    def _check_secrets(self, patient: Patient, mark: str) -> Finding:
        with self._lock:
            if self._secrets is None or self._secrets[0] != mark:
                self._secrets = (mark, self._look_for_secrets(patient))
            return self._secrets[1]

    def _look_for_secrets(self, patient: Patient) -> Finding:
        known = {_fingerprint(note): note for note in patient.store.list()}
        new = [note for name, note in known.items() if name not in self._clean]
        finding = check_notes_for_secrets(patient, new)
        # Texts that are gone are forgotten; those of a finding stay to be looked at.
        self._clean &= known.keys()
        if finding.state == "ok":
            self._clean |= known.keys()
        return finding


def _fingerprint(note: Memory) -> int:
    return hash((note.id, note.title, note.body, *note.tags))
