"""What a session is told when it starts.

    start         a session start: find the notes and rules, write the briefing and the receipt
    worth         how useful a note is to the session that starts: its kind, branch, source
    briefing      the injected text, rules first, within its budget
    working_set   the working set of the specification: by recency

Re-exports the names that the specification puts here.
"""

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
