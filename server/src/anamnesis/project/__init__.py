"""Which project a folder belongs to, and how people spell its key. Light: hooks wait for it."""

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
