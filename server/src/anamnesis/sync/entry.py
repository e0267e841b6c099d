"""What stands at a path of a tree, and which note is in it. Small: telling a state loads no merging."""

from __future__ import annotations

from typing import NamedTuple

from anamnesis.notes.peek import read_id as read_id

Entry = tuple[str, str]  # mode, object
FILE_MODE = "100644"


class Change(NamedTuple):
    """What happened to one path between two trees; None stands for "not there"."""

    path: str
    old: Entry | None
    new: Entry | None
