"""What a session is told when it starts, and at a prompt.

    start         a session start: find the notes, rank them, write the briefing and the receipt
    worth         how useful a note is to the session that starts
    kinds         whether a note is basic, states a rule, or is of passing interest
    briefing      the injected text, within its budget
    working_set   the working set of the specification: by recency
    prompt        recall at a prompt: its words, and whether it is a question
    subject       which notes are about the same as a prompt

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
