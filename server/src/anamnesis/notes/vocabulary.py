"""The fixed vocabulary of notes: types, scopes, sources, filters, limits, and tags with a meaning."""

from __future__ import annotations

HOW, FACT, SESSION = TYPES = ("procedural", "semantic", "episodic")  # a way, a fact, what happened
DURABLE = (HOW, FACT)  # the types that stay true
SCOPES = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")
# What notes can be filtered by, on every surface: the values, and what the filter does.
FILTERS = {
    "project": ("KEY", "only this project: its key, the last part of it, or . for this one"),
    "type": ("|".join(TYPES), "only notes of this type"),
    "scope": ("|".join(SCOPES), "only notes of this scope"),
    "tags": ("A,B", "only notes with all of these tags"),
    "since": ("DATE", "only notes updated since: 2026-01-31, 7d, today or yesterday"),
    "machine": ("NAME", "only notes written on this machine: its name, or the start of it"),
}
MAX_BYTES = 16_000_000  # size of a note's file that is read
MAX_BODY = 1_000_000  # bytes of a body that is written
SHORTEST_BEGINNING = 4  # shortest accepted prefix of an id; anything shorter is probably a mistake
# Tags with a meaning: what sessions are told first, and what they are not told.
RULE, PINNED = "rule", "pinned"
REVIEWED = "reviewed"  # a note by a model or an import that a person has reviewed
REFLECTED = "reflected"  # a session's note that was already reflected
SCRIPTED = "scripted"  # the note of a session that no person took part in
REFERENCE = "reference"  # found by search, but not told to sessions
