"""The doctor's local checks, cheap enough to be asked for by every page.

Looking for credentials reads every note that is not known to be clean, so it is done once for each change.
"""

from __future__ import annotations

import threading

from anamnesis.doctor import LOCAL, Finding, Patient, check_secrets, examine


class Health:
    """How the store of one dashboard is, and what was last found about credentials."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._secrets: tuple[str, Finding] | None = None

    def findings(self, patient: Patient, *, mark: str) -> list[Finding]:
        """What the local checks find; `mark` differs whenever the store does."""
        return [*examine(patient, LOCAL), self._check_secrets(patient, mark)]

    def _check_secrets(self, patient: Patient, mark: str) -> Finding:
        with self._lock:
            if self._secrets is None or self._secrets[0] != mark:
                self._secrets = (mark, check_secrets(patient))
            return self._secrets[1]
