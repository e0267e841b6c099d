"""Which project's memory a folder gets, and whether its marker may choose it.

A cloned repository contains its marker, so a marker alone must not decide which notes are loaded. It counts
if the folder has no remote, if it names the remote's own key, or if the user trusts this pair of remote and
key on this machine. Hooks, the server and the commands all use this module.
"""

from __future__ import annotations

import os

from anamnesis.files import read_object
from anamnesis.layout import GLOBAL
from anamnesis.project.identity import (
    find_marker,
    find_remote,
    has_linked_marker,
    is_in_repository,
    key_in_use,
    resolve_project_key,
)

TRUST_NAME = "trusted-projects.json"
_MAX_BYTES = 1_000_000


class Place:
    """A folder's project key, and the key in its marker if that is not trusted here."""

    __slots__ = ("is_known", "is_linked", "key", "refused", "remote")

    def __init__(
        self, key: str, *, is_known: bool, remote: str = "", refused: str = "", is_linked: bool = False
    ) -> None:
        self.key = key
        self.is_linked = is_linked  # the marker is a symlink, which is not followed
        self.is_known = is_known  # in a repository or marked; otherwise the key is only the folder's name
        self.remote = remote
        self.refused = refused

    @property
    def default(self) -> str:
        """The project of a new note if none is given."""
        return self.key if self.is_known else GLOBAL

    @property
    def warning(self) -> str:
        """One line about a marker that was not followed; "" if there is none."""
        if self.is_linked:
            return (
                "The marker .anamnesis/project is a link, and links are not followed."
                " `anamnesis project set KEY` writes a file in its place."
            )
        if not self.refused:
            return ""
        return (
            f"The marker .anamnesis/project asks for the memory of `{self.refused}`, but this repository is"
            f" `{self.remote}`; its own notes are used. `anamnesis project trust` follows the marker."
        )


def place_of(folder: str, *, home: str) -> Place:
    """Which project's memory `folder` gets on this machine."""
    try:
        marker, remote = find_marker(folder), find_remote(folder)
        is_known = bool(marker) or is_in_repository(folder)
        is_linked = not marker and has_linked_marker(folder)
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        marker = remote = ""
        is_known = is_linked = False
    if not marker or not remote or marker == remote or is_trusted(home, remote, marker):
        key = key_in_use(marker or remote) if marker or remote else resolve_project_key(folder)
        return Place(key, is_known=is_known, remote=remote, is_linked=is_linked)
    key = key_in_use(remote)
    refused = "" if key_in_use(marker) == key else marker
    return Place(key, is_known=True, remote=remote, refused=refused)


def is_trusted(home: str, remote: str, key: str) -> bool:
    """Whether the user trusts this remote, on this machine, to use the memory of `key`."""
    keys = read_trusted(home).get(remote)
    return isinstance(keys, list) and key in keys


def read_trusted(home: str) -> dict[str, object]:
    """The keys that each remote may use, by the user's decision on this machine."""
    return read_object(os.path.join(home, TRUST_NAME), most=_MAX_BYTES)
