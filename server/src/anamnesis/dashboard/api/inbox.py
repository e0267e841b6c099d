"""The inbox: everything that waits for a person, and the choices that settle it.

Held notes, notes by a model or an import that nobody has reviewed, waiting credentials, files that cannot be
read, rules that a session stated, and notes that are told often and never used. Notes that seem to say the
same are a request of their own, because comparing all notes takes a moment.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import get_args

from anamnesis.curate import Plan, plan_merge
from anamnesis.dashboard.api import summary, waiting_file, whole_note
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index import figures
from anamnesis.index.query import Filter
from anamnesis.index.rules import TAG, Rule, read_rules
from anamnesis.notes.record import is_valid_id
from anamnesis.notes.vocabulary import timestamp
from anamnesis.operations import curation, notes, versions
from anamnesis.operations.exchange import allow_secrets
from anamnesis.operations.sessions import unused_notes
from anamnesis.operations.versions import Settlement, resolve_note
from anamnesis.reflect import Outcome
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote, SyncState
from anamnesis.sync.results import UNREADABLE, WaitingFile
from anamnesis.text import plural

_MOST = 50  # of each kind in one answer
_CAPTURED = "session-end"


def inbox(call: Call) -> Json:
    """Everything that waits for a person, by kind, and how much there is of each."""
    space, state = call.workspace, call.workspace.state()
    store, problems = space.store, space.store.problems()
    review = store.page(Filter(unseen=True, superseded=False), limit=_MOST, offset=0)
    rules, unused = stated_rules(store), unused_notes(store)
    return {
        "counts": waiting_counts(call) | {"unused": len(unused)},
        "held": [{**each._asdict(), "written": _written_at(store, each)} for each in space.backend.held()],
        "credentials": [
            {**waiting_file(each), "is_note": is_valid_id(each.id)} for each in _credentials(state)[:_MOST]
        ],
        "unreadable": [
            {"path": each.path, "reason": each.reason, "id": _restorable(call, each.path)}
            for each in problems[:_MOST]
        ],
        "rules": [
            {
                "note_id": each.note_id,
                "line": each.line,
                "project": each.project,
                "day": each.at[:10],
                "model": each.model,
            }
            for each in rules[:_MOST]
        ],
        "review": [summary(note) for note in review.notes],
        "unused": unused[:_MOST],
    }


def _credentials(state: SyncState) -> list[WaitingFile]:
    return [each for each in state.waiting if each.kind != UNREADABLE]


def waiting_counts(call: Call) -> dict[str, int]:
    """How much waits of each kind that is cheap to count."""
    state, store = call.workspace.state(), call.workspace.store
    return {
        "held": len(state.held),
        "credentials": len(_credentials(state)),
        "unreadable": len(store.problems()),
        "rules": len(stated_rules(store)),
        "review": store.ask(figures.count_unseen),
    }


def _written_at(store: MemoryStore, held: HeldNote) -> str:
    """When this machine's text was written, by its file: an editor does not change `updated_at`."""
    folder = store.local_dir if held.private else store.memory_dir
    for path in (folder / held.path, store.root / held.path):
        with suppress(OSError):
            return timestamp(path.lstat().st_mtime)
    return ""


def _restorable(call: Call, path: str) -> str | None:
    """The id of the note that a file was, if an earlier version of it is known."""
    note_id = Path(path).stem
    if not is_valid_id(note_id):
        return None
    space = call.workspace
    return note_id if versions.history_of(space.store, space.backend).of_note(note_id) else None


def resolve(call: Call) -> Json:
    """Resolve one held note by a choice, or by a text that replaces both versions.

    `undo` says whether the conflict can be brought back, as long as this server runs.
    """
    requested, text = call.text("choice"), call.optional_text("text")
    choice = next((each for each in get_args(Settlement) if each == requested), None)
    if choice is None:
        raise BadCall(f"`choice` must be one of: {', '.join(get_args(Settlement))}")
    # The id of a held file that is not a note is its path, so it is only looked up among the held ones.
    space = call.workspace
    undo = resolve_note(space.store, space.backend, call.path["id"], choice=choice, text=text)
    if undo:
        space.undo_of[call.path["id"]] = undo
    return {"done": True, "undo": undo is not None}


def unresolve(call: Call) -> Json:
    """Bring a resolved conflict back: both versions, and the choice."""
    undo = call.workspace.undo_of.pop(call.path["id"], None)
    if undo is None:
        raise BadCall("this choice can no longer be undone; the note's history has both versions", 404)
    undo()
    return {"done": True}


def allow_credential(call: Call) -> Json:
    """Allow a waiting note or file to sync in its current version, with its credential."""
    allow_secrets(call.workspace.store, call.workspace.backend, [call.text("id")])
    return {"done": True}


def stated_rules(store: MemoryStore) -> list[Rule]:
    """The rules that users stated in sessions or that a model noted, and no person has kept, newest first."""
    projects = [name for name, _ in store.facets()["projects"]]
    found = store.ask(lambda db: read_rules(db, projects, limit=1000)) if projects else []
    return [rule for rule in found if not rule.is_kept and (rule.source == _CAPTURED or rule.model)]


def settle_rule(call: Call) -> Json:
    """Keep a rule that a session stated, as a note of its own, or drop it; the session's note loses the line.

    `undo` is the fingerprint of the session's note before; `written` is the id of the new note.
    """
    space, note_id, line = call.workspace, call.text("note_id"), call.text("line")
    note, version = notes.read_note(space.store, note_id)
    if note.prov_source != _CAPTURED:  # a note of its own, by a model
        act = notes.keep_note if call.switch("keep") else notes.delete_note
        act(space.store, note_id, backend=space.backend)
        return {"done": True, "undo": version, "written": None}
    curation.remove_rule(space.store, note_id, line, backend=space.backend)
    written = None
    if call.switch("keep"):
        rule = {"type": "procedural", "title": line[:120], "body": line, "project": note.project}
        written = notes.write_memory(space.store, **rule, tags=[TAG], machine_id=space.machine_id)["id"]
    return {"done": True, "undo": version, "written": written}


def duplicates(call: Call) -> Json:
    """Groups of durable notes that seem to say the same, each with the note that merging them would write."""
    space = call.workspace
    plan = plan_merge(space.store, machine_id=space.machine_id)
    return {
        "total": len(plan.steps),
        "groups": [
            {
                "title": step.note.title,
                "body": step.note.body,
                "notes": [{**summary(each), "body": each.body} for each in step.replaces],
            }
            for step in plan.steps[:_MOST]
        ],
    }


def merge(call: Call) -> Json:
    """Merge one group of notes into a new note, which supersedes them; deleting it brings them back."""
    space, wanted = call.workspace, set(call.texts("ids"))
    plan = plan_merge(space.store, machine_id=space.machine_id)
    steps = [step for step in plan.steps if {each.id for each in step.replaces} == wanted]
    done = curation.carry_out(space.store, space.backend, Plan(plan.name, tuple(steps))).done
    if not done:
        raise BadCall("these notes are no longer a group of duplicates; GET /api/duplicates lists them", 404)
    return whole_note(call, done[0].note.id)


def reflect(call: Call) -> Json:
    """Reflect with the configured model; notes are written only with `apply`."""
    space, apply = call.workspace, call.switch("apply")
    outcomes, _ = curation.reflect_store(space.store, space.backend, machine_id=space.machine_id, apply=apply)
    return {
        "applied": apply,
        "detail": _summary_of(outcomes, apply=apply),
        "projects": [
            {
                "project": one.project,
                "sources": len(one.sources),
                "notes": [{"type": note.type, "title": note.title} for note in one.notes],
                "problem": one.problem,
            }
            for one in outcomes
        ],
    }


def _summary_of(outcomes: list[Outcome], *, apply: bool) -> str:
    if not outcomes:
        return "No project has enough session notes that were not yet reflected."
    count = plural(sum(len(outcome.notes) for outcome in outcomes), "note")
    return f"{count} {'written' if apply else 'proposed'} for {plural(len(outcomes), 'project')}."
