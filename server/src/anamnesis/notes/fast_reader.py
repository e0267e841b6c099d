"""Reads a note in exactly the form that our writer produces, three times as fast as the full reader.

Only a rebuild, which reads every note, saves more than the pattern costs to compile. The pattern matches only
valid values, and a property test compares the result with the full reader's.
"""

from __future__ import annotations

import re

from anamnesis.notes.frontmatter import PLAIN, TIMESTAMP
from anamnesis.notes.record import FM_DELIM, Memory, deserialize
from anamnesis.notes.vocabulary import SCOPES, SOURCES, TYPES

_NOT_NULL = r"(?!(?:null|Null|NULL)\n)"
_NAME = rf"{_NOT_NULL}[A-Za-z0-9][A-Za-z0-9_./-]*"
_ULID = r"[0-9A-Z]{26}"
_OWN_FORM = re.compile(
    FM_DELIM
    + rf"id: (?P<id>{_ULID})\n"
    + rf"type: (?P<type>{'|'.join(TYPES)})\n"
    + rf"title: (?P<title>{_NOT_NULL}{PLAIN})(?<! )\n"
    + rf"project: (?P<project>{_NAME})\n"
    + rf"machine_id: (?P<machine_id>{_NAME})\n"
    + rf"scope: (?P<scope>{'|'.join(SCOPES)})\n"
    + rf"prov_source: (?P<prov_source>{'|'.join(SOURCES)})\n"
    + r"confidence: (?P<confidence>\d\.\d{1,9})\n"
    + rf"(?:prov_model: (?P<prov_model>{_NAME})\n)?"
    + rf"(?:prov_session: (?P<prov_session>{_NAME})\n)?"
    + rf"(?:supersedes: (?P<supersedes>{_ULID})\n)?"
    + rf"created_at: '(?P<created_at>{TIMESTAMP.pattern})'\n"
    + rf"updated_at: '(?P<updated_at>{TIMESTAMP.pattern})'\n"
    + rf"tags:(?: \[\]|(?P<tags>(?:\n- {_NAME}(?=\n))+))\n"
    + FM_DELIM,
    re.ASCII,
)


def deserialize_quickly(text: str) -> Memory:
    """Read a note from its markdown text, like `deserialize`."""
    found = _OWN_FORM.match(text)
    if found is None or not found["title"].isprintable():
        return deserialize(text)
    fields = found.groupdict("")
    tags = fields.pop("tags")[len("\n- ") :]
    confidence = float(fields.pop("confidence"))
    end = len(text) - 1 if text[-1] == "\n" else len(text)
    return Memory(
        **fields,
        body=text[found.end() : end],
        tags=list(dict.fromkeys(tags.split("\n- "))) if tags else [],
        confidence=confidence,
    )
