"""Endpoints of the inbox: everything that waits for a person, and the choices that settle it.

Held notes, notes by a model or an import that nobody has reviewed, waiting credentials, files that cannot be
read, rules that a session stated, and notes that are told often and never used. Notes that seem to say the
same are a request of their own, because comparing all notes takes a moment.
"""

from __future__ import annotations

from typing import get_args

from anamnesis.curate import Plan, apply_plan, plan_merge_all
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.dashboard.notes import summary, whole_note
from anamnesis.index.query import Filter
from anamnesis.notes.record import is_valid_id
from anamnesis.operations import curation, versions
from anamnesis.operations.sessions import unused_notes
from anamnesis.operations.versions import allow_secrets
from anamnesis.reflect import reflect_store
from anamnesis.sync import Choice, HeldNote, SyncState
from anamnesis.sync.results import UNREADABLE
from anamnesis.text import timestamp

_MOST = 50  # of each kind in one answer


def inbox(call: Call) -> Json:
    """Everything that waits for a person, by kind, and how much there is of each."""
    store, unused, state = call.store, unused_notes(call.store), call.backend.state()
    titles = {each.id: each.title for each in state.waiting}
    secrets = [each for each in state.waiting if each.kind != UNREADABLE]
    return {
        "counts": waiting_counts(call, state) | {"unused": len(unused)},
        "held": [{**each._asdict(), "written": _written_at(call, each)} for each in call.backend.held()],
        "credentials": [{**each._asdict(), "is_note": is_valid_id(each.id)} for each in secrets[:_MOST]],
        "unreadable": [
            {"path": each.path, "reason": each.reason, "id": note_id, "title": titles.get(note_id, "")}
            for each in store.problems()[:_MOST]
            for note_id in [versions.restorable_id(call.store, each.path, backend=call.backend)]
        ],
        "rules": [
            {name: getattr(each, name) for name in ("note_id", "line", "project", "at", "model")}
            for each in curation.unkept_rules(store)[:_MOST]
        ],
        "review": [
            summary(note) for note in store.page(Filter(unseen=True, superseded=False), limit=_MOST).notes
        ],
        "unused": unused[:_MOST],
    }


def waiting_counts(call: Call, state: SyncState) -> dict[str, int]:
    """How much waits of each kind that is cheap to count."""
    return {
        "held": len(state.held),
        "credentials": sum(each.kind != UNREADABLE for each in state.waiting),
        "unreadable": len(call.store.problems()),
        "rules": len(curation.unkept_rules(call.store)),
        "review": call.store.page(Filter(unseen=True, superseded=False), limit=0).total,
    }


def _written_at(call: Call, held: HeldNote) -> str:
    """When this machine's text was written, by its file: an editor does not change `updated_at`."""
    path = (call.store.local_dir if held.private else call.store.memory_dir) / held.path
    return timestamp(path.stat().st_mtime) if path.is_file() else ""


def resolve(call: Call) -> Json:
    """Resolve one held note by a choice, or by a text that replaces both versions.

    `undo` says whether the conflict can be brought back, as long as this server runs.
    """
    requested, text = call.text("choice"), call.optional_text("text")
    choice = next((each for each in get_args(Choice) if each == requested), None)
    if choice is None:
        raise BadCall(f"`choice` must be one of: {', '.join(get_args(Choice))}")
    # The id of a held file that is not a note is its path, so it is only looked up among the held ones.
    note_id = call.path["id"]
    undo = versions.resolve_note(call.store, call.backend, note_id, choice=choice, text=text)
    if undo:
        call.undo_of[note_id] = undo
    return {"done": True, "undo": undo is not None}


def unresolve(call: Call) -> Json:
    """Bring a resolved conflict back: both versions, and the choice."""
    undo = call.undo_of.pop(call.path["id"], None)
    if undo is None:
        raise BadCall("this choice can no longer be undone; the note's history has both versions")
    undo()
    call.store.reindex()
    return {"done": True}


def allow_credential(call: Call) -> Json:
    """Allow a waiting note or file to sync in its current version, with its credential."""
    allow_secrets(call.backend, [call.text("id")])
    return {"done": True}


def settle_rule(call: Call) -> Json:
    """Keep a rule that a session stated, as a note of its own, or drop it; its line there is struck out.

    `undo` is the fingerprint of the session's note before; `written` is the id of the new note. `rules` are
    older ones that the dropped one had replaced, which are told again.
    """
    note_id, line, keep = call.text("note_id"), call.text("line"), call.switch("keep")
    before, written, again = curation.settle_rule(call.store, note_id, line, keep=keep, backend=call.backend)
    return {"done": True, "undo": before, "written": written, "rules": [rule.line for rule in again]}


def duplicates(call: Call) -> Json:
    """Groups of durable notes that seem to say the same, each with the note that merging them would write."""
    steps = plan_merge_all(call.store, machine_id=call.machine_id).steps
    return {
        "total": len(steps),
        "groups": [
            {"title": step.note.title, "notes": [{**summary(one), "body": one.body} for one in step.replaces]}
            for step in steps[:_MOST]
        ],
    }


def merge(call: Call) -> Json:
    """Merge one group of notes into a new note, which supersedes them; deleting it brings them back."""
    wanted, plan = set(call.texts("ids")), plan_merge_all(call.store, machine_id=call.machine_id)
    steps = (step for step in plan.steps if {each.id for each in step.replaces} == wanted)
    done, _ = apply_plan(call.store, call.backend, Plan(plan.name, tuple(steps)))
    if not done:
        raise BadCall("these notes are no longer a group of duplicates; GET /api/duplicates lists them")
    return whole_note(call, done[0].note.id)


def reflect(call: Call) -> Json:
    """Reflect with the configured model; notes are written only with `apply`."""
    apply = call.switch("apply")
    found, _ = reflect_store(call.store, call.backend, machine_id=call.machine_id, apply=apply)
    return {
        "applied": apply,
        "projects": [
            {
                "project": one.project,
                "sources": len(one.sources),
                "notes": [{"type": note.type, "title": note.title} for note in one.notes],
                "problem": one.problem,
            }
            for one in found
        ],
    }
