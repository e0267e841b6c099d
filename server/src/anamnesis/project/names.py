"""Matches a project key that a person typed against the known ones. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from anamnesis.errors import UnknownProject
from anamnesis.project.identity import _normalize_remote

HERE = "."  # means this project, wherever a key is accepted
_MOST_NEAR = 3


def spelled(wanted: str, *, known: Collection[str], here: str) -> str:
    """The key that `wanted` means: `.`, a known key in any spelling, or the last part of exactly one.

    Any other text is returned in Unicode's composed form, because it may be a new key.
    """
    text = unicodedata.normalize("NFC", wanted.strip())
    if text in ("", HERE):
        return here
    if text in known:
        return text
    plain = _normalize_remote(text)
    for key in (plain, text.casefold()):
        if key in known:
            return key
    ending = [key for key in known if key.rpartition("/")[2] == plain or key.endswith(f"/{plain}")]
    return ending[0] if len(ending) == 1 else text


def near(wanted: str, known: Collection[str]) -> list[str]:
    """Known keys that look similar to `wanted`, most similar first."""
    from difflib import get_close_matches  # a slow import, needed only for an unknown key

    text = wanted.casefold()
    last = text.rpartition("/")[2]
    parts = [key for key in known if key.rpartition("/")[2].casefold() == last]
    close = get_close_matches(text, list(known), n=_MOST_NEAR, cutoff=0.6)
    tails = {key.rpartition("/")[2]: key for key in known}
    close += [tails[tail] for tail in get_close_matches(last, list(tails), n=_MOST_NEAR, cutoff=0.7)]
    return list(dict.fromkeys([*parts, *close]))[:_MOST_NEAR]


def unknown(wanted: str, known: Collection[str]) -> UnknownProject:
    """The error for a key that no note has."""
    found = near(wanted, known)
    hint = f"did you mean {' or '.join(found)}?" if found else "`anamnesis status` lists the keys there are"
    return UnknownProject(f"no note has the project {wanted!r}; {hint}")
