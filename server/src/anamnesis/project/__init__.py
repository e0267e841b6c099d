"""Which project a folder belongs to, and how people spell its key.

    identity    the key of a folder: marker, git remote, repository name, folder name
    place       whether a folder's marker may choose the key
    names       matching the key that a person typed
    choices     records the user's choices: trust a marker, write one, rename a key

Hooks wait for this package, so it imports little.
"""

from anamnesis.project.identity import (
    _normalize_remote,
    _read_marker,
    current_branch,
    current_project,
    is_silenced,
    keys_of,
    resolve_project_key,
)

__all__ = [
    "_normalize_remote",
    "_read_marker",
    "current_branch",
    "current_project",
    "is_silenced",
    "keys_of",
    "resolve_project_key",
]
