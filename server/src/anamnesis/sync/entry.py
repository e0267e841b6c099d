"""What stands at a path of a tree, and which note is in it. Small: telling a state loads no merging."""

from __future__ import annotations

import re
from typing import NamedTuple

from anamnesis.errors import NoteFormatError
from anamnesis.notes.vocabulary import is_valid_id

Entry = tuple[str, str]  # mode, object
FILE_MODE = "100644"
_FAST_ID = re.compile(rb"---\n(?:[a-z_]+: .*\n)*?id: ([A-Za-z0-9._-]+)\n")


class Change(NamedTuple):
    """What happened to one path between two trees; None stands for "not there"."""

    path: str
    old: Entry | None
    new: Entry | None


def read_id(data: bytes) -> str | None:
    """The id in the front matter of a file; None when it is no note."""
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
