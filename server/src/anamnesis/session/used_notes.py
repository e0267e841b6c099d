"""Which of the told notes a session used: decided without a model when its receipt is closed.

A note was used if its id, its file or its title appears in what the assistant wrote or did, or if words
appear that can only come from this note: code, names and figures that neither the user nor another told note
mentions. Each session counts once, however often it is captured.
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
_SHORTEST_ID = 8
_NAMES_NEEDED = 2
_WORDS_NEEDED = 4
_SHARE_NEEDED = 0.4  # of a note's own plain words
_LONG_WORD = 6
_LONG_TITLE = 3  # words; a shorter one appears by chance


def close_receipt(store: MemoryStore, session: ParsedSession, *, machine_id: str) -> None:
    """Add the used notes to the session's receipt, and count them, each note once."""
    home = str(store.root)
    entries = read_entries(home, session.session_id)
    told, shown = ids_in(entries, "told", "full", "cut"), ids_in(entries, "searched", "ids")
    if not told and not shown:
        return
    named = [store.get(each, thorough=False) for each in dict.fromkeys([*told, *shown])]
    notes = [note for note in named if note and note.prov_session != session.session_id]
    own = {note.id for note in named if note and note not in notes}  # told back after a compaction
    told = [each for each in told if each not in own]
    texts = [text for turn in session.turns for text in turn.texts]
    asked = [text for turn in session.turns for text in (turn.ask, *turn.remarks)]
    used = find_used(notes, done="\n".join([*texts, *session.actions]), asked="\n".join(asked))
    new_told = [each for each in told if each not in ids_in(entries, "used", "told")]
    new_used = [each for each in used if each not in ids_in(entries, "used", "ids")]
    if new_told or new_used:
        add_entry(home, session.session_id, "used", ids=new_used, told=new_told)
        count_use(home, machine_id, told=new_told, used=new_used)


def find_used(notes: Sequence[Memory], *, done: str, asked: str) -> list[str]:
    """The ids of the notes that were used, by what the assistant wrote and did, not by what was asked."""
    done, asked = done.lower(), asked.lower()
    done_words = set(_WORD.findall(done))
    common = set(_WORD.findall(asked)) | _shared_words(notes)
    return [
        note.id
        for note in notes
        if _is_named(note, notes, done, asked)
        or _is_quoted(note, done, asked)
        or _has_left(note, done_words, common)
    ]


def _is_named(note: Memory, notes: Sequence[Memory], done: str, asked: str) -> bool:
    """Whether the note's id, file or whole title appears."""
    names = [_short_id(note, notes), note_path(note).lower()]
    if len(note.title.split()) >= _LONG_TITLE and note.title.lower() not in asked:
        names.append(note.title.lower())
    return any(name in done for name in names)


def _short_id(note: Memory, notes: Sequence[Memory]) -> str:
    """The shortest start of its id that is unique among the session's notes."""
    length = _SHORTEST_ID
    while length < len(note.id) and sum(other.id.startswith(note.id[:length]) for other in notes) > 1:
        length += 1
    return note.id[:length].lower()


def _is_quoted(note: Memory, done: str, asked: str) -> bool:
    """Whether a command or expression from the note appears verbatim."""
    spans = {span.strip().lower() for span in _CODE.findall(note.body)}
    return any(span in done and span not in asked for span in spans if " " in span or not span.isalpha())


def _has_left(note: Memory, done: set[str], common: set[str]) -> bool:
    """Whether enough words appear that are only in this note."""
    own = _words(note) - common
    names = {word for word in own if _is_name(word)}
    if len(names & done) >= _NAMES_NEEDED:
        return True
    plain = {word for word in own - names if len(word) >= _LONG_WORD}
    seen = len(plain & done)
    return seen >= _WORDS_NEEDED and seen >= _SHARE_NEEDED * len(plain)


def _words(note: Memory) -> set[str]:
    return set(_WORD.findall(f"{note.title}\n{note.body}".lower()))


def _is_name(word: str) -> bool:
    """Whether a word is not plain prose: a path, an identifier, a version, a figure with its unit."""
    return len(word) > 3 and not word.isalpha() and not word.replace("-", "").isalpha()


def _shared_words(notes: Sequence[Memory]) -> set[str]:
    """The words that are in more than one of the notes."""
    counts = Counter(word for note in notes for word in _words(note))
    return {word for word, count in counts.items() if count > 1}
