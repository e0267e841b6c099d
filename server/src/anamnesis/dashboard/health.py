"""The doctor's local checks, cheap enough to be asked for by every page.

Looking for credentials reads every note that is not known to be clean, so it is done once for each change.
"""

from __future__ import annotations

from anamnesis.dashboard.memo import Memo
from anamnesis.doctor import LOCAL, Context, Finding, check_secrets, examine


class Health:
    """How the store of one dashboard is, and what was last found about credentials."""

    def __init__(self) -> None:
        self._secrets = Memo[Finding]()

    def findings(self, context: Context, *, mark: str) -> list[Finding]:
        """What the local checks find; `mark` differs whenever the store does."""
        return [*examine(context, LOCAL), self._secrets.get(mark, lambda: check_secrets(context))]
