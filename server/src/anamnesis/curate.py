"""Curation: merge, dedup, migrate and backfill. Some functions plan, one applies the plan.

A plan says what to do to which note, and why. No model is used. Planning changes nothing, and planning twice
gives the same plan. Each step is checked again before it is applied: a note that has changed since is left
alone and reported. The store is committed before the first step, so that git can undo it, and right after the
last.

If notes say the same, the merged note has the newest text plus the lines of the others that say more. The old
notes are superseded, not deleted: deleting the merged note brings them back. Of identical notes, only the
earliest stays.

A source is missing if the file has no `prov_source:` line, a machine if it is `unknown`. Evidence for the
source is the tags that capture and reflection set; for the machine, the first commit of the file. Without
evidence a note is left alone, and an existing value is never overwritten.

Two texts are alike if the longer one contains all words of the shorter, is not much longer, and has
the same words that change the meaning: numbers, negations, words like before and after. One different word
(postgres, mysql) is a difference, because a wrong merge hides a note. For speed, a text is compared only with
those that share one of its rarest words; any pair above the threshold must share one (prefix filtering).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Literal

from anamnesis.errors import NoteFormatError
from anamnesis.notes.frontmatter import read_fields
from anamnesis.notes.record import Memory, by_age, identity, ids_superseded_by, split_text, unique_tags
from anamnesis.notes.vocabulary import DURABLE, SESSION
from anamnesis.recall import STOP_WORDS, extra_text
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import epoch

_CODE = re.compile(r"[`$=/\\|<>{}~@*]|--|\(\)")
UNKNOWN = "unknown"
_SESSION_TAGS = frozenset(("session", "session-end", "precompact"))


@dataclass(frozen=True, slots=True)
class Step:
    """One change: `note` is the new note for a write, which `replaces` others; else the note as it was."""

    action: Literal["write", "update", "delete"]
    note: Memory
    why: str
    changes: Mapping[str, object] = field(default_factory=dict)
    replaces: tuple[Memory, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        entry: dict[str, object] = {
            "action": self.action,
            "id": self.note.id,
            "title": self.note.title,
            "project": self.note.project,
            "why": self.why,
        }
        if self.action == "write":
            return {**entry, "body": self.note.body, "supersedes": self.note.supersedes.split()}
        after = {name: value for name, value in self.changes.items() if value != getattr(self.note, name)}
        before = {name: getattr(self.note, name) for name in after}
        return {**entry, "before": before, "after": after} if self.changes else entry


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command would do, in order."""

    name: str
    steps: tuple[Step, ...]


def apply_plan(store: MemoryStore, backend: SyncBackend, plan: Plan) -> tuple[list[Step], list[Step]]:
    """Apply a plan and commit the result.

    Returns what was done, and what was left alone because the note had changed meanwhile.
    """
    if not plan.steps:
        return [], []
    backend.commit(f"before {plan.name}")
    done: list[Step] = []
    left: list[Step] = []
    try:
        for step in plan.steps:
            (done if _apply_step(store, step) else left).append(step)
    finally:
        # Even after a failure half-way (no space, Ctrl-C): what was done must be committed.
        backend.commit(f"{plan.name}: {len(done)} of {len(plan.steps)} steps")
    return done, left


def _apply_step(store: MemoryStore, step: Step) -> bool:
    touched = step.replaces if step.action == "write" else (step.note,)
    if not all(_is_as_planned(store.get(note.id), note, step.changes) for note in touched):
        return False
    if step.action == "write":
        store.put(step.note)
    elif step.action == "delete":
        store.delete(step.note.id)
    else:
        store.update(step.note.id, **step.changes)  # type: ignore[arg-type]  # `base` is not a field of a note
    return True


def _is_as_planned(now: Memory | None, planned: Memory, changes: Iterable[str]) -> bool:
    compared = ("title", "body", "type", "project", "scope", "supersedes", *changes)
    return now is not None and all(
        _comparable(getattr(now, name)) == _comparable(getattr(planned, name)) for name in compared
    )


def _comparable(value: object) -> object:
    return sorted(value) if isinstance(value, list) else value


def plan_merge(
    store: MemoryStore, *, machine_id: str, project: str | None = None, without: Collection[str] = ()
) -> Plan:
    """Propose one note for each group of a project's current durable notes that say the same.

    The notes in `without` are left alone.
    """
    # A note without a body says nothing that another could repeat.
    found = (note for note in _current(store, project) if note.type in DURABLE and note.id not in without)
    current = [note for note in found if note.body.strip()]
    groups: dict[tuple[str, str, str], list[Memory]] = {}
    for note in sorted(current, key=by_age):
        groups.setdefault((note.project, note.type, note.scope), []).append(note)
    alike = [group for key in sorted(groups) for group in alike_groups(groups[key])]
    return Plan("merge", tuple(_merge_step(group, machine_id) for group in alike))


def plan_merge_all(store: MemoryStore, *, machine_id: str) -> Plan:
    """`plan_merge`, and the same for the durable notes that `plan_dedup` finds besides."""
    plan = plan_merge(store, machine_id=machine_id)
    known = {note.id for step in plan.steps for note in step.replaces}
    # A merged session's note would hide what the session says when it goes on.
    same = [one for one in _identical(store, None) if one[0].type in DURABLE and one[0].id not in known]
    return replace(plan, steps=(*plan.steps, *(_merge_step(group, machine_id) for group in same)))


def _merge_step(group: list[Memory], machine_id: str) -> Step:
    why = f"{len(group)} notes say the same: " + "; ".join(f"{note.id} {note.title}" for note in group)
    return Step("write", _merged(group, machine_id=machine_id), why, replaces=tuple(group))


def _merged(group: list[Memory], *, machine_id: str) -> Memory:
    newest = max(group, key=lambda note: (epoch(note.updated_at), len(note.body), note.id))
    rest = [note for note in group if note.id != newest.id]
    ids = " ".join(sorted(note.id for note in group))
    return replace(
        newest,
        # The same in a dry run, when applied, and on every machine.
        id=f"merged-{sha256(ids.encode()).hexdigest()[:20]}",
        body=_joined(newest, rest),
        machine_id=machine_id,
        tags=unique_tags([tag for note in (newest, *rest) for tag in note.tags]),
        # The merged note is as old as its content: merging must not make it look new.
        created_at=min(group, key=by_age).created_at,
        supersedes=" ".join(note.id for note in group),
    )


def _joined(newest: Memory, rest: Iterable[Memory]) -> str:
    """The newest text, and the lines of the others that say more."""
    body = newest.body
    for note in rest:
        said = f"{newest.title}\n{body}"
        lines, known, decided = set(map(str.strip, said.splitlines())), words_of(said), deciding_words(said)
        added = [
            line
            for line in note.body.splitlines()
            # In a command or path, punctuation matters as much as words.
            if line.strip() not in lines
            and (_CODE.search(line) or not words_of(line) <= known or not deciding_words(line) <= decided)
        ]
        body = "\n".join([body.rstrip("\n"), "", *added]) if added else body
    return body


def _current(store: MemoryStore, project: str | None) -> list[Memory]:
    """The notes that no other note replaces."""
    superseded = store.superseded_ids()
    return [note for note in store.list(project=project) if note.id not in superseded]


def plan_dedup(store: MemoryStore, *, project: str | None = None) -> Plan:
    """Keep the earliest of each set of identical notes with the tags of all; delete the rest."""
    return Plan("dedup", tuple(step for group in _identical(store, project) for step in _collapse(group)))


def _identical(store: MemoryStore, project: str | None) -> list[list[Memory]]:
    """Each set of identical notes, oldest first."""
    groups: dict[tuple[str, ...], list[Memory]] = {}
    # Collapsing a current note into a superseded one would hide its text.
    for note in sorted(_current(store, project), key=by_age):
        groups.setdefault(identity(note), []).append(note)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: group[0].id)


def _collapse(group: list[Memory]) -> list[Step]:
    keeper, *rest = group
    own = {note.id for note in group}
    replaced = dict.fromkeys(name for note in group for name in ids_superseded_by(note) if name not in own)
    changes: dict[str, object] = {}
    if (tags := unique_tags([tag for note in group for tag in note.tags])) != unique_tags(keeper.tags):
        changes["tags"] = tags
    if (supersedes := " ".join(replaced)) != keeper.supersedes:
        changes["supersedes"] = supersedes
    steps = [Step("update", keeper, f"replaces {len(rest)} identical", changes)] if changes else []
    return steps + [Step("delete", note, f"same body as {keeper.id}") for note in rest]


def plan_migrate(store: MemoryStore, old: str, new: str) -> Plan:
    """Move every note of one project to another; that does not make a note newer."""
    steps = [
        Step("update", note, f"project {old} is now {new}", {"project": new, "updated_at": note.updated_at})
        for note in store.list(project=old)
    ]
    return Plan("migrate", tuple(sorted(steps, key=lambda step: step.note.id)))


def plan_backfill(store: MemoryStore, backend: SyncBackend) -> Plan:
    """Fill in the source and machine of every note that lacks them, where there is evidence."""
    writers = backend.history().first_writers()
    steps: list[Step] = []
    for note in sorted(store.list(), key=lambda note: note.id):
        path = store.path_of(note.id)
        is_synced = path is not None and path.is_relative_to(store.memory_dir)
        writer = writers.get(path.relative_to(store.memory_dir).as_posix(), "") if path and is_synced else ""
        changes: dict[str, object] = {}
        if (source := _source(note)) and "prov_source" not in _written_keys(store.text_of(note.id) or ""):
            changes["prov_source"] = source
        if note.machine_id == UNKNOWN and writer not in ("", UNKNOWN):
            changes["machine_id"] = writer
        if changes:
            fields = ", ".join(f"{name} {value}" for name, value in changes.items())
            steps.append(Step("update", note, f"evidence for {fields}", changes))
    return Plan("backfill-provenance", tuple(steps))


def _written_keys(text: str) -> frozenset[str]:
    try:
        return frozenset(read_fields(split_text(text)[0])[1])
    except NoteFormatError:
        return frozenset(("prov_source",))  # unreadable, so nothing is known about it


def _source(note: Memory) -> str:
    tags = frozenset(note.tags)
    if "reflection" in tags and note.prov_model:
        return "reflection"
    if note.type == SESSION and (note.prov_session or tags & _SESSION_TAGS):
        return "session-end"
    return ""


# Which notes say the same

LIKE = 0.7

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:ings?|ed|es|s)\Z")
_NEGATED = re.compile(r"\b(?:not|no|never|none|cannot|without|nor)\b|n['’]t\b", re.IGNORECASE)
_DECIDING = frozenset(
    """above after allow allowed always avoid before below deny denied disable disabled enable enabled exclude
    false first forbid include last max maximum min minimum never newer off older only optional required
    true""".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words to compare: without stop words, with parts of names and pairs of unspaced characters."""
    words = set(_WORD.findall(text.lower()))
    words.update(extra_text(text).split())
    return frozenset(map(_stem, words - STOP_WORDS or words))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 4 else word


def likeness(one: frozenset[str], other: frozenset[str], *, cosine: float | None = None) -> float:
    """How alike two texts are, up to 1: the share of the shorter's words in the longer, or by meaning."""
    shared = len(one & other) / max(1, min(len(one), len(other)))
    return max(shared, (cosine or 0.0) * _MEANING_SHARE)


CLOSE = 0.6  # at this likeness, two notes may say the same
_MEANING_SHARE = 0.75  # texts that only share a subject also have a high cosine


def deciding_words(text: str) -> frozenset[str]:
    """The words that two texts must share to say the same: numbers, negations, directions."""
    words = set(_WORD.findall(text.lower()))
    numbers = (word for word in words if not word.isalpha() and any(char.isdigit() for char in word))
    return _DECIDING.intersection(words).union(numbers, ("not",) if _NEGATED.search(text) else ())


def alike_groups(notes: Sequence[Memory]) -> list[list[Memory]]:
    """Groups of two or more notes, each like the first of its group, in the given order."""
    texts = [f"{note.title}\n{note.body}" for note in notes]
    words = [words_of(text) for text in texts]
    rarity = Counter(word for found in words for word in found)
    holders: dict[str, list[int]] = {}  # rare word -> leaders that contain it
    groups: dict[int, list[int]] = {}
    deciding = [deciding_words(text) for text in texts]
    for number, found in enumerate(words):
        rare = _rarest(found, rarity)
        leader = _best_leader(number, rare, holders, words, deciding)
        if leader is None:
            groups[number] = [number]
            for word in rare:
                holders.setdefault(word, []).append(number)
        else:
            groups[leader].append(number)
    return [[notes[member] for member in members] for members in groups.values() if len(members) > 1]


def _rarest(found: frozenset[str], rarity: Counter[str]) -> list[str]:
    count = len(found) - math.ceil(LIKE * len(found)) + 1
    return sorted(found, key=lambda word: (rarity[word], word))[:count]


def _best_leader(
    number: int,
    rare: Iterable[str],
    holders: dict[str, list[int]],
    words: list[frozenset[str]],
    deciding: list[frozenset[str]],
) -> int | None:
    """The leader that is most like a text; None if none is alike."""
    mine, scores = words[number], {}
    for other in sorted({other for word in rare for other in holders.get(word, ())}):
        shared = len(mine & words[other])
        is_alike = deciding[other] == deciding[number] and shared == min(len(mine), len(words[other]))
        score = shared / (len(mine) + len(words[other]) - shared)
        if is_alike and score >= LIKE:
            scores[other] = score
    return max(scores, key=lambda other: scores[other], default=None)
