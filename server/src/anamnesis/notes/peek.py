"""Which note is in a file, without loading the parser of notes where the first lines tell."""

from __future__ import annotations

import re

from anamnesis.errors import NoteFormatError
from anamnesis.notes.vocabulary import is_valid_id

_FAST_ID = re.compile(rb"---\n(?:[a-z_]+: .*\n)*?id: ([A-Za-z0-9._-]+)\n")


def read_id(data: bytes) -> str | None:
    """The id in the front matter of a file; None when it is not a note."""
    if fast := _FAST_ID.match(data):
        found = fast[1].decode()
        return found if is_valid_id(found) else None
    if not data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    from anamnesis.notes.record import decode, parse  # telling a store's state does not wait for these

    try:
        return parse(decode(data))[0].id
    except NoteFormatError:
        return None
