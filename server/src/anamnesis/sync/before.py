"""What this machine had before a merge changed it: the last few commits and texts, kept by references.

`git -C memory for-each-ref refs/anamnesis/before` lists them, the highest number last. They never leave
this machine.
"""

from __future__ import annotations

from anamnesis.sync.repo import Repo

_UNDER = "before"
_KEPT = 20


def keep_before(repo: Repo, *oids: str) -> None:
    """Keep commits or texts that the history will not have; the oldest of more than 20 are let go."""
    known = repo.protected(under=_UNDER)
    fresh = [oid for oid in oids if oid not in known.values()]
    if not fresh:
        return
    last = max((int(name) for name in known if name.isdecimal()), default=0)
    known |= {f"{last + number:06}": oid for number, oid in enumerate(fresh, 1)}
    repo.protect(dict(sorted(known.items())[-_KEPT:]), under=_UNDER)
