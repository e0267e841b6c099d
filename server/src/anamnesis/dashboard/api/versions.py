"""A note's versions: list, compare and restore them, and forget texts with a credential."""

from __future__ import annotations

from anamnesis.dashboard.api import refusing_stale, whole_note
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.history import History, Version
from anamnesis.operations import versions
from anamnesis.store import version_of

NOW = "now"  # the current file, committed or not
_SHOWN = ("commit", "at", "machine_id", "message", "action")


def note_history(call: Call) -> Json:
    """The versions of a note, even a deleted one, newest first; and whether its text is uncommitted."""
    space, known = call.workspace, _versions(call)
    return {
        "id": call.note_id,
        "uncommitted": versions.is_uncommitted(space.store, call.note_id, known, backend=space.backend),
        "versions": [
            {
                **{name: getattr(version, name) for name in _SHOWN},
                "credential": versions.has_credential(_history(call), version),
            }
            for version in known
        ],
    }


def forget_credentials(call: Call) -> Json:
    """Delete the texts of a note kept on this machine that contain a credential."""
    space = call.workspace
    versions.forget_credentials(space.store, call.note_id, backend=space.backend)
    return note_history(call)


def note_diff(call: Call) -> Json:
    """The texts of two versions; without `from`, of a version and the one before it."""
    known, wanted = _versions(call), call.param("to") or NOW
    older = call.param("from") or _before(known, wanted)
    return {
        "id": call.note_id,
        "from": {"version": older, "text": _text_at(call, known, older)},
        "to": {"version": wanted, "text": _text_at(call, known, wanted)},
    }


def restore_note(call: Call) -> Json:
    """Restore a version: as an edit of the note, or as the note itself if it was deleted.

    The version is named by `commit`, or by `text`, the fingerprint of its text; without either, it is the
    last text of a deleted note.
    """
    space, name = call.workspace, _wanted_version(call)
    with refusing_stale(call):
        versions.restore_note(
            space.store,
            call.note_id,
            backend=space.backend,
            name=name,
            base=call.optional_text("base"),
        )
    return whole_note(call, call.note_id)


def _history(call: Call) -> History:
    return versions.history_of(call.workspace.store, call.workspace.backend)


def _versions(call: Call) -> list[Version]:
    space = call.workspace
    return versions.note_history(space.store, call.note_id, backend=space.backend)


def _wanted_version(call: Call) -> str:
    commit, fingerprint = call.optional_text("commit"), call.optional_text("text")
    if commit is not None:
        return _find(_versions(call), commit, call.note_id).commit
    if fingerprint is None:
        return ""
    for version in _versions(call):
        if version.action != "deleted" and version_of(_text(call, version)) == fingerprint:
            return version.commit
    raise BadCall(
        f"note {call.note_id} has no version with the text {fingerprint[:80]!r}; its history lists them", 404
    )


def _before(known: list[Version], wanted: str) -> str:
    """The version before another one; for a commit, the commit whose text it changed."""
    is_commit = any(version.commit == wanted and version.action != "replaced" for version in known)
    rows = [version for version in known if not is_commit or version.action != "replaced"]
    names = [NOW, *(version.commit for version in rows), ""]
    return names[names.index(wanted) + 1] if wanted in names else ""


def _text_at(call: Call, known: list[Version], name: str) -> str:
    if name == NOW:
        return call.workspace.store.text_of(call.note_id) or ""
    return _text(call, _find(known, name, call.note_id)) if name else ""


def _find(known: list[Version], name: str, note_id: str) -> Version:
    for version in known:
        if version.commit == name:
            return version
    raise BadCall(f"note {note_id} has no version {name[:80]!r}; its history lists them", 404)


def _text(call: Call, version: Version) -> str:
    return "" if version.action == "deleted" else _history(call).text(version)
