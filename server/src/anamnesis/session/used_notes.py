"""Which of the told notes a session used: decided without a model when its receipt is closed.

A note was used if its id, its file, its title or a piece of its code appears in what the assistant wrote or
did, or two names or figures that neither the user nor another told note mentions. Each session counts once,
however often it is captured.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from anamnesis.notes.record import Memory, note_path
from anamnesis.session.receipts import add_entry, count_use, ids_in, read_entries
from anamnesis.session.transcript import ParsedSession
from anamnesis.store import MemoryStore

_WORD = re.compile(r"[^\W_][\w./:@+-]*[^\W_]|[^\W_]")
_CODE = re.compile(r"`([^`\n]{6,120})`")


def close_receipt(store: MemoryStore, session: ParsedSession, *, machine_id: str) -> None:
    """Add the used notes to the session's receipt, and count them, each note once."""
    home = str(store.root)
    entries = read_entries(home, session.session_id)
    told, shown = ids_in(entries, "told", "full", "cut"), ids_in(entries, "searched", "ids")
    if not told and not shown:
        return
    named = [store.get(name, thorough=False) for name in dict.fromkeys([*told, *shown])]
    notes = [note for note in named if note and note.prov_session != session.session_id]
    own = {note.id for note in named if note and note not in notes}  # told back after a compaction
    told = [name for name in told if name not in own]
    texts = [text for turn in session.turns for text in turn.texts]
    asked = [text for turn in session.turns for text in (turn.ask, *turn.remarks)]
    used = find_used(notes, done="\n".join([*texts, *session.actions]), asked="\n".join(asked))
    new_told = [name for name in told if name not in ids_in(entries, "used", "told")]
    new_used = [name for name in used if name not in ids_in(entries, "used", "ids")]
    if new_told or new_used:
        add_entry(home, session.session_id, "used", ids=new_used, told=new_told)
        count_use(home, machine_id, told=new_told, used=new_used)


def find_used(notes: Sequence[Memory], *, done: str, asked: str) -> list[str]:
    """The ids of the notes that were used, by what the assistant wrote and did, not by what was asked."""
    done, asked = done.lower(), asked.lower()
    names = {note.id: _names(f"{note.title}\n{note.body}") for note in notes}
    counts = Counter(name for own in names.values() for name in own)
    known = _names(asked) | {name for name, count in counts.items() if count > 1}
    said = _names(done)
    return [
        note.id for note in notes if _is_quoted(note, done, asked) or len(names[note.id] & said - known) >= 2
    ]


def _is_quoted(note: Memory, done: str, asked: str) -> bool:
    """Whether the note's id, file or whole title appears, or a piece of its code."""
    if note.id[:10].lower() in done or note_path(note).lower() in done:
        return True
    spans = {span.strip().lower() for span in _CODE.findall(note.body)}
    spans = {span for span in spans if " " in span or not span.isalpha()}
    if len(note.title.split()) >= 3:
        spans.add(note.title.lower())
    return any(span in done and span not in asked for span in spans)


def _names(text: str) -> set[str]:
    """The words that are not plain prose: paths, identifiers, versions, figures with their units."""
    words = set(_WORD.findall(text.lower()))
    return {word for word in words if len(word) > 3 and not word.replace("-", "").isalpha()}
