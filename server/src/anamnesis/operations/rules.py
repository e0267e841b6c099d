"""The standing rules of a project: which a session is told, where each comes from, and dropping one."""

from __future__ import annotations

from anamnesis.errors import AnamnesisError
from anamnesis.index.rules import TAG, Rule
from anamnesis.inject.start import Start, told_rules
from anamnesis.inject.worth import PINNED
from anamnesis.operations.notes import edit_note, read_note
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import plural

_HEADING = "**Rules:**"


def list_rules(store: MemoryStore, *, project: str) -> list[Rule]:
    """The rules that a session in this project is told, newest first: the user's, then those of a model."""
    return told_rules(Start(home=str(store.root), project=project))


def drop_rule(store: MemoryStore, wanted: str, *, project: str, backend: SyncBackend) -> Rule:
    """Drop the one rule that contains `wanted`, or comes from the note with that id; its note stays.

    A session's note loses the line, another note the tag that makes it a rule.
    """
    rules = list_rules(store, project=project)
    by_id = [rule for rule in rules if rule.note_id.lower().startswith(wanted.lower())]
    found = [rule for rule in rules if wanted.casefold() in rule.line.casefold()] or by_id
    if len(found) != 1:
        what = (
            f"{plural(len(found), 'rule')} of {project} match" if found else f"no rule of {project} matches"
        )
        raise AnamnesisError(f"{what} {wanted!r}; `anamnesis why --rules` lists them: give words of just one")
    [rule] = found
    note, version = read_note(store, rule.note_id)
    changes: dict[str, object] = {"body": _without_line(note.body, rule.line)}
    if note.prov_source != "session-end":
        changes = {"tags": [tag for tag in note.tags if tag not in (TAG, PINNED)]}
    # Its other rules are as old as before.
    edit_note(store, note.id, backend=backend, base=version, updated_at=note.updated_at, **changes)
    return rule


def _without_line(body: str, rule: str) -> str:
    """A session's text without one of its rules, and without the heading if it was the only one."""
    head, heading, listed = body.partition(f"{_HEADING}\n")
    block, gap, rest = listed.partition("\n\n")
    lines = [line for line in block.split("\n") if " ".join(line[2:].split()) != rule]
    if any(line.startswith("- ") for line in lines):
        return head + heading + "\n".join(lines) + gap + rest
    return f"{head.rstrip()}{gap if rest else ''}{rest}"
