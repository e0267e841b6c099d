"""What a session is told when it starts. Re-exports the names of the specification."""

from anamnesis.inject.working_set import (
    _DURABLE,
    _MAX_EPISODIC,
    _normalize_remote,
    _read_marker,
    render_inject,
    resolve_project_key,
    select_inject,
)

__all__ = [
    "_DURABLE",
    "_MAX_EPISODIC",
    "_normalize_remote",
    "_read_marker",
    "render_inject",
    "resolve_project_key",
    "select_inject",
]
