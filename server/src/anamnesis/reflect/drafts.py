"""Parses a model's answer to a reflection: a list of drafts, strictly checked. Pure.

A draft has a type, a title, a body, tags, and the ids it replaces. The model cannot choose project, scope, id
or provenance: an answer that names one of them, or an id it was not shown, is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from anamnesis.errors import ModelError
from anamnesis.model.client import read_json
from anamnesis.redact import redact

MAX_NOTES = 12
MAX_TITLE = 160
MAX_BODY = 4_000
_MAX_TAGS = 8
_MAX_TAG = 40
_TYPES = ("semantic", "procedural")
_KEYS = frozenset(("type", "title", "body", "tags", "supersedes"))
_ADVICE = "nothing was written; try again, or use another model"


@dataclass(frozen=True, slots=True)
class Draft:
    """One durable note as a model proposed it."""

    type: str
    title: str
    body: str
    tags: tuple[str, ...]
    supersedes: tuple[str, ...]


def read_drafts(answer: str, *, shown: Set[str]) -> list[Draft]:
    """The drafts in a model's answer; ModelError at the first thing that is wrong."""
    found = read_json(answer)
    if isinstance(found, dict) and set(found) == {"notes"}:
        found = found["notes"]
    if not isinstance(found, list):
        raise _bad("it is not an object with the one key `notes`")
    if len(found) > MAX_NOTES:
        raise _bad(f"it has {len(found)} notes, and the limit is {MAX_NOTES}")
    return [_draft(entry, number, shown) for number, entry in enumerate(found, 1)]


def _draft(entry: object, number: int, shown: Set[str]) -> Draft:
    if not isinstance(entry, dict):
        raise _bad(f"note {number} is not an object")
    unknown = sorted(set(map(str, entry)) - _KEYS)
    if unknown:
        raise _bad(f"note {number} has the key {unknown[0][:40]!r}, which is not allowed")
    kind = entry.get("type")
    if kind not in _TYPES:
        raise _bad(f"note {number} is neither semantic nor procedural")
    replaced = _strings(entry.get("supersedes"), number, "supersedes")
    if foreign := [name for name in replaced if name not in shown]:
        raise _bad(f"note {number} supersedes {foreign[0][:40]!r}, which the model was not shown")
    return Draft(
        type=kind,
        title=_text(entry.get("title"), number, "title", MAX_TITLE),
        body=_text(entry.get("body"), number, "body", MAX_BODY),
        tags=_tags(entry.get("tags"), number),
        supersedes=tuple(dict.fromkeys(replaced)),
    )


def _text(value: object, number: int, name: str, limit: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _bad(f"note {number} has no {name}")
    if len(value) > limit:
        raise _bad(f"the {name} of note {number} has {len(value):,} characters, and the limit is {limit:,}")
    allowed = "\n\t" if name == "body" else ""
    if any(not char.isprintable() and char not in allowed for char in value):
        raise _bad(f"the {name} of note {number} holds a control character or line break")
    return redact(value.strip())


def _tags(value: object, number: int) -> tuple[str, ...]:
    tags = [tag.strip() for tag in _strings(value, number, "tags")]
    if len(tags) > _MAX_TAGS or any(not tag or len(tag) > _MAX_TAG or not tag.isprintable() for tag in tags):
        raise _bad(f"the tags of note {number} are not at most {_MAX_TAGS} short words")
    return tuple(redact(tag) for tag in tags)


def _strings(value: object, number: int, name: str) -> list[str]:
    if value is None or value == "":
        return []
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise _bad(f"`{name}` of note {number} is not a list of strings")
    return entries


def _bad(problem: str) -> ModelError:
    return ModelError(f"the model's answer cannot be used: {problem}; {_ADVICE}")
