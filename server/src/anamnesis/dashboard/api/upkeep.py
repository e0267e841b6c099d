"""Upkeep: other machines, held notes, the doctor's checks, the index, the settings, reflection."""

from __future__ import annotations

from contextlib import suppress
from typing import get_args

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.dashboard.api import shown_path, sync_state
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.doctor import QUICK, SLOW, Context, Finding, check_up, examine
from anamnesis.layout import CONFIG_NAME
from anamnesis.notes.vocabulary import timestamp
from anamnesis.operations import curation
from anamnesis.operations.exchange import forget_machine
from anamnesis.operations.upkeep import reindex_store
from anamnesis.operations.versions import Settlement, resolve_note
from anamnesis.reflect import Outcome
from anamnesis.settings import Resolved
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote
from anamnesis.text import plural


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and this machine's sync state."""
    space = call.workspace
    return {"machines": space.machines(), "sync": sync_state(space.state())}


def forget(call: Call) -> Json:
    """Remove a machine from the list; a later sync of its own adds it again."""
    space, name = call.workspace, call.text("name")
    if all(card["machine_id"] != name for card in space.machines()):
        raise BadCall(f"no machine is called {name[:80]!r}; GET /api/machines lists them", 404)
    forget_machine(space.store, space.backend, name)
    return {"done": True}


def list_held(call: Call) -> Json:
    """Every held note with its three texts, and when this machine's text was written."""
    store = call.workspace.store
    held = call.workspace.backend.held()
    return {"held": [{**each._asdict(), "written": _written_at(store, each)} for each in held]}


def _written_at(store: MemoryStore, held: HeldNote) -> str:
    """When this machine's text was written, by its file: an editor does not change `updated_at`."""
    folder = store.local_dir if held.private else store.memory_dir
    for path in (folder / held.path, store.root / held.path):
        with suppress(OSError):
            return timestamp(path.lstat().st_mtime)
    return ""


def resolve(call: Call) -> Json:
    """Resolve one held note by a choice, or by a text that replaces both versions.

    `two` keeps this machine's version and writes the other one as a new note. `undo` says whether the
    conflict can be brought back, as long as this server runs.
    """
    requested, text = call.text("choice"), call.optional_text("text")
    choice = next((each for each in get_args(Settlement) if each == requested), None)
    if choice is None:
        raise BadCall(f"`choice` must be one of: {', '.join(get_args(Settlement))}")
    # The id of a held file that is not a note is its path, so it is only looked up among the held ones.
    space = call.workspace
    done = resolve_note(space.store, space.backend, call.path["id"], choice=choice, text=text)
    if done.undo:
        space.undo_of[call.path["id"]] = done.undo
    return {"done": True, "undo": done.undo is not None}


def unresolve(call: Call) -> Json:
    """Bring a resolved conflict back: both versions, and the choice."""
    undo = call.workspace.undo_of.pop(call.path["id"], None)
    if undo is None:
        raise BadCall("this choice can no longer be undone; the note's history has both versions", 404)
    undo()
    return list_held(call)


def doctor(call: Call) -> Json:
    """The findings of the quick checks, and the names of the slow ones, which pages request one by one."""
    return {**_checks(examine(_context(call), QUICK), fixed=[]), "slow": list(SLOW)}


def one_check(call: Call) -> Json:
    """The finding of one slow check."""
    check = SLOW.get(call.path["name"])
    if check is None:
        raise BadCall(
            f"no slow check is called {call.path['name'][:80]!r}; the slow checks are: {', '.join(SLOW)}", 404
        )
    return {"check": examine(_context(call), [check])[0].as_dict()}


def health(call: Call) -> Json:
    """The findings of the checks that are quick and local; any page may request them."""
    found = call.workspace.health(_context(call))
    return {"checks": [finding.as_dict() for finding in found]}


def fix(call: Call) -> Json:
    """Make the safe repairs, and check again."""
    space = call.workspace
    found = check_up(Context(space.store, space.backend), fix=True)
    return {**_checks(found.findings, fixed=[*found.fixed, *found.failed]), "slow": []}


def reindex(call: Call) -> Json:
    """Rebuild the index from the files."""
    return reindex_store(call.workspace.store, full=True)


def list_settings(call: Call) -> Json:
    """Every setting, its value and where it is set; secrets and passwords are masked."""
    home = call.workspace.store.root
    found = settings.resolve_all(home=home)
    return {"path": shown_path(home / CONFIG_NAME), "settings": [_setting(one) for one in found]}


def set_setting(call: Call) -> Json:
    """Store one setting in config.json."""
    settings.save(call.path["name"], call.text("value"), home=call.workspace.store.root)
    return list_settings(call)


def unset_setting(call: Call) -> Json:
    """Remove one setting from config.json."""
    settings.save(call.path["name"], None, home=call.workspace.store.root)
    return list_settings(call)


def reflect(call: Call) -> Json:
    """Reflect with the configured model; notes are written only with `apply`."""
    space, apply = call.workspace, call.switch("apply")
    outcomes = curation.reflect_store(
        space.store, space.backend, machine_id=space.machine_id, apply=apply
    ).outcomes
    return {
        "applied": apply,
        "detail": _summary_of(outcomes, apply=apply),
        "projects": [_outcome(one) for one in outcomes],
    }


def _context(call: Call) -> Context:
    space = call.workspace
    return Context(space.store, space.backend, known=space.state())


def _checks(findings: list[Finding], *, fixed: list[str]) -> Json:
    return {"checks": [finding.as_dict() for finding in findings], "fixed": fixed}


def _setting(found: Resolved) -> Json:
    setting = found.setting
    return {
        "name": setting.name,
        "value": mask(found.shown),
        "source": found.source,
        "variable": found.variable or setting.variable,
        "default": setting.default,
        "about": setting.about,
        "kind": setting.kind,
        "choices": list(setting.choices),
        "secret": setting.secret,
        "editable": setting.kind != "folder",
    }


def _summary_of(outcomes: list[Outcome], *, apply: bool) -> str:
    if not outcomes:
        return "no project has enough session notes that were not yet reflected"
    notes = plural(sum(len(outcome.notes) for outcome in outcomes), "note")
    return f"{notes} {'written' if apply else 'proposed'} for {plural(len(outcomes), 'project')}"


def _outcome(outcome: Outcome) -> Json:
    notes = [{"type": note.type, "title": note.title} for note in outcome.notes]
    return {
        "project": outcome.project,
        "sources": len(outcome.sources),
        "notes": notes,
        "problem": outcome.problem,
    }
