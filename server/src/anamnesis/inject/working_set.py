"""The working set of the specification: notes by recency, and their plain markdown form.

`choose` is pure; `select_inject` reads the notes from a store. The hook itself chooses notes by worth
(`anamnesis.inject.briefing`). Only `present` and `moment_before` read the clock. The SessionStart hook loads
this module, so it imports next to nothing.
"""

from __future__ import annotations

import time

from anamnesis.index.schema import CLOCK_SECONDS
from anamnesis.layout import GLOBAL
from anamnesis.project import _normalize_remote, _read_marker, keys_of, resolve_project_key

TYPE_CHECKING = False  # `typing` alone would cost more than this whole module
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    from anamnesis.notes.record import Memory
    from anamnesis.notes.vocabulary import Note
    from anamnesis.store import MemoryStore

    AnyNote = TypeVar("AnyNote", bound=Note)

# Includes private names that the specification puts in this module.
__all__ = [
    "_normalize_remote",
    "_read_marker",
    "choose",
    "new_since",
    "render_inject",
    "resolve_project_key",
    "select_inject",
]

HEADER = "# Anamnesis memory (auto-injected)\n"
DEFAULT_K = 8
# Above 10,000 characters, the client replaces a hook's output with a pointer to a file.
DEFAULT_BUDGET = 9_500

_DURABLE = ("procedural", "semantic")
_MAX_EPISODIC = 2
_REFLECTED = "reflected"
_GAP = "\n\n"


def select_inject(store: MemoryStore, *, project: str, k: int = DEFAULT_K) -> list[Memory]:
    """The working set of `project`: all global notes, then up to `k` of its own, two of them episodic."""
    projects = keys_of(project)
    notes = store.list(project=[GLOBAL, *projects])
    hidden = store.superseded_ids()
    return choose([note for note in notes if note.id not in hidden], projects=projects, k=k, now=present())


def choose(notes: Iterable[AnyNote], *, projects: Sequence[str], k: int, now: str) -> list[AnyNote]:
    """The working set from notes that are not superseded, most important first.

    `projects` are the keys of one project. Newer notes come first, confidence breaks ties; `now` is a
    timestamp.
    """
    recent = sorted(notes, key=lambda note: (_age_key(note, now), note.confidence, note.id), reverse=True)
    open_notes = [note for note in recent if note.type in _DURABLE or _REFLECTED not in note.tags]
    own = [note for note in open_notes if note.project in projects]
    episodic = [note for note in own if note.type not in _DURABLE][: min(_MAX_EPISODIC, max(k, 0))]
    durable = [note for note in own if note.type in _DURABLE][: max(k - len(episodic), 0)]
    always = [note for note in open_notes if note.project == GLOBAL]
    return list({note.id: note for note in (*always, *durable, *episodic)}.values())


def _age_key(note: Note, now: str) -> str:
    # A date in the future is a wrong clock or a typo. It must not come first, so it counts as no date.
    return note.updated_at if note.updated_at <= now else ""


def present() -> str:
    """The current time as a timestamp, plus the minutes by which machines' clocks may differ."""
    return moment_before(-CLOCK_SECONDS)


def moment_before(seconds: float) -> str:
    """The time `seconds` ago, as a timestamp."""
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - seconds))


def new_since(notes: Iterable[AnyNote], *, moment: str, now: str, session: str) -> list[AnyNote]:
    """What a resumed session has not seen: notes that changed since `moment`, except its own note.

    Timestamps are in whole seconds, so a note from the same second counts as new: better told twice than
    never.
    """
    return [
        note
        for note in notes
        if moment <= note.updated_at <= now and (not session or note.prov_session != session)
    ]


def render_inject(notes: Sequence[Note]) -> str:
    """The notes in full, as one markdown block; "" if there are none."""
    return _assemble([_section(note) for note in notes])


def client_length(text: str) -> int:
    """The length of `text` as the client counts it: in UTF-16 units, so an emoji counts two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _assemble(sections: list[str]) -> str:
    return HEADER + "\n" + _GAP.join(sections) + "\n" if sections else ""


def _section(note: Note) -> str:
    return f"{_heading(note)}\n\n{note.body}"


def _heading(note: Note) -> str:
    return f"## [{note.type}] {_one_line(note.title)}\n_{_origin(note)}_"


def _origin(note: Note) -> str:
    known = f"project: {_one_line(note.project)} | origin: {_one_line(note.machine_id)}"
    if note.prov_source == "human" and note.confidence >= 1.0:
        return known
    return f"{known} | source: {note.prov_source} (confidence {note.confidence:g})"


def _one_line(text: str) -> str:
    """A value on one line, so that a line break in it cannot start a heading."""
    return " ".join(text.split())
