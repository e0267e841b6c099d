"""Questions of `init` on a terminal: an answer that cannot be used is explained and asked for again."""

from __future__ import annotations

import sys
from collections.abc import Callable

from anamnesis.address import mask
from anamnesis.cli.terminal import one_line, tell
from anamnesis.errors import AnamnesisError, ConfigError

_TRIES = 3
_YES, _NO = ("y", "yes"), ("n", "no")


def asked(question: str, default: str, check: Callable[[str], str] = str) -> str:
    """The answer to a question as `check` returns it, the default for an empty line.

    ConfigError when the input ends, or after a few answers that `check` refused.
    """
    for _ in range(_TRIES):
        sys.stderr.write(f"{question} [{one_line(mask(default)) or 'none yet'}]: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            sys.stderr.write("\n")
            raise ConfigError("the answers ended here; run `anamnesis init` again to set the rest up")
        try:
            return check(line.strip() or default)
        except AnamnesisError as exc:
            tell(str(exc))
    raise ConfigError(f"{question}: no usable answer; run `anamnesis init` again")


def agreed(question: str, default: str) -> bool:
    """Whether the answer to a question is yes; `default` is "yes" or "no"."""
    return asked(question, default, _yes_or_no) in _YES


def _yes_or_no(answer: str) -> str:
    if answer.lower() not in _YES + _NO:
        raise ConfigError(f"{answer[:40]!r} is neither yes nor no")
    return answer.lower()
