"""The start of a session: find its notes, rank them, write the briefing and a receipt.

Used by the SessionStart hook and `inject --explain`. A person waits for it, so it reads the index without
opening the store if possible, and the slow path has its imports inside.
"""

from __future__ import annotations

import os
import time

from anamnesis.files import read_object
from anamnesis.inject.briefing import ARRIVALS, Brief, Briefing, write_briefing, write_reminder
from anamnesis.inject.working_set import (
    DEFAULT_BUDGET,
    client_length,
    moment_before,
    present,
)
from anamnesis.inject.worth import Moment, Ranked, last_sessions, phrases_for, rank
from anamnesis.layout import GLOBAL, HELD_RECORD
from anamnesis.project import current_branch, current_key, keys_of, place_of
from anamnesis.session.receipts import (
    USED,
    Item,
    add_entry,
    last_project,
    mark_told,
    news_lines,
    project_before_a_move,
    read_counts,
    read_entries,
    remember_session,
    untold,
    waiting_ids,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from anamnesis.index.reader import Candidates

_PATIENCE = 0.5  # seconds that a session waits for a busy index
_MAX_HELD = 1_000_000
_MOST_ARRIVALS, _FOR_ARRIVALS = 5, 4_000  # notes, characters
_CONTINUED = ("resume", "fork")  # the earlier injection is still in the context


class Start:
    """A session that starts: where, which one, how, and how much it may be told."""

    __slots__ = (
        "budget", "folder", "home", "idle_seconds", "is_chosen", "measure", "most", "project", "session",
        "source", "warning",
    )  # fmt: skip

    def __init__(
        self,
        *,
        home: str,
        folder: str = ".",
        project: str = "",
        session: str = "",
        source: str = "startup",
        idle_seconds: float | None = None,
        most: int | None = None,
        budget: int = DEFAULT_BUDGET,
        measure: Callable[[str], int] = client_length,
    ) -> None:
        self.home = home
        self.folder = folder
        place = None if project else place_of(folder, home=home)
        self.project = project or (place.key if place else "")
        self.is_chosen = place is None  # if given by the user
        self.warning = place.warning if place else ""
        self.session = session  # "" if a person runs the command
        self.source = source
        self.idle_seconds = idle_seconds  # since the last answer of a resumed session; None if unknown
        self.most = most
        self.budget = budget
        self.measure = measure


def project_meant(start: Start) -> str:
    """The key that a person means by the project they typed: `.`, any spelling, the last part of one."""
    from anamnesis.project.names import spelled  # a hook gets no project

    here = place_of(start.folder, home=start.home).key
    known = _candidates(start.home, keys_of(start.project), []).others
    return current_key(spelled(start.project, known=known, here=here) if known else start.project)


def about_project(start: Start) -> str:
    """One line if the marker is not followed, or the project may have had another name; "" if all is well."""
    return start.warning or _renamed(start, _candidates(start.home, keys_of(start.project), []))


def start_session(start: Start) -> Briefing:
    """The briefing for a session that starts; writes its receipt. Empty if there is nothing to add."""
    began = time.perf_counter()
    news = _news(start)
    briefing, ranked, candidates = prepare(start, news)
    if start.session:  # the receipt also shows that our hook ran in this session
        _leave_receipt(start, briefing, ranked, milliseconds=round((time.perf_counter() - began) * 1000))
    if start.session and (ranked or start.source not in _CONTINUED):
        # Do not record a project without notes for this folder: it may just have been renamed.
        project = start.project if candidates.own else last_project(start.home, start.folder)
        remember_session(start.home, start.folder, start.session, project=project)
        if news:
            mark_told(start.home, start.project, news)
    return briefing


def tell_arrivals(start: Start, ids: Collection[str]) -> Briefing:
    """The notes that a sync brought right after a session started, best first; writes a receipt.

    Empty if none of `ids` is about this project or global, or if the briefing already had them: both hooks
    run at the same time.
    """
    told = _told_versions(start)
    ranked = [
        each
        for each in rank_notes(start)[0]
        if each.note.id in ids and [each.note.id, each.note.updated_at] not in told
    ]
    briefing = write_reminder(
        ARRIVALS,
        ranked[:_MOST_ARRIVALS],
        contested=contested_ids(start.home),
        budget=_FOR_ARRIVALS,
        measure=start.measure,
    )
    if briefing.text:
        _leave_receipt(start, briefing, ranked, milliseconds=0)
        if news := _news(start):
            mark_told(start.home, start.project, news)
    return briefing


def _news(start: Start) -> list[Item]:
    """Notes from other machines since the last briefing in this project."""
    return untold(start.home, start.project, [GLOBAL, *keys_of(start.project)])


def prepare(start: Start, news: list[Item] | None = None) -> tuple[Briefing, list[Ranked], Candidates]:
    """The briefing, without a receipt, and the candidate notes by worth."""
    news = _news(start) if news is None else news
    ranked, candidates = rank_notes(start)
    if start.source in _CONTINUED:
        ranked = _unseen(ranked, start)
        if not ranked:
            return Briefing(), ranked, candidates
    brief = Brief(
        project=start.project,
        own=candidates.own,
        everywhere=candidates.everywhere,
        most=start.most,
        lines=[line for line in (start.warning, _renamed(start, candidates), *news_lines(news)) if line],
        contested=contested_ids(start.home),
        budget=start.budget,
        measure=start.measure,
    )
    return write_briefing(ranked, brief), ranked, candidates


def rank_notes(start: Start) -> tuple[list[Ranked], Candidates]:
    """Every candidate note, ranked by its worth now."""
    branch = current_branch(start.folder)
    candidates = _candidates(start.home, keys_of(start.project), phrases_for(branch))
    now, waiting = present(), waiting_ids(start.home)
    notes = [note for note in candidates.notes if note.id not in waiting] if waiting else candidates.notes
    moment = Moment(branch=branch, sessions=last_sessions(notes, branch, now=now), now=now)
    return rank(notes, moment, read_counts(start.home, USED)), candidates


def _candidates(home: str, projects: list[str], phrases: list[str]) -> Candidates:
    from anamnesis.index.reader import Candidates, read_candidates

    found = read_candidates(home, projects, phrases=phrases)
    if found is not None:
        return found
    from anamnesis.index.rules import read_rules
    from anamnesis.store import MemoryStore  # only if the index is out of date

    with MemoryStore(home, patience=_PATIENCE) as store:
        hidden = store.superseded_ids()
        notes = [note for note in store.list(project=[GLOBAL, *projects]) if note.id not in hidden]
        others = dict(store.facets()["projects"])
        rules = store.ask(lambda db: read_rules(db, [GLOBAL, *projects], limit=400))
    everywhere = sum(note.project == GLOBAL for note in notes)
    candidates = [note for note in notes if note.type != "episodic" or "reflected" not in note.tags]
    return Candidates(
        candidates, own=len(notes) - everywhere, everywhere=everywhere, others=others, rules=rules
    )


def _renamed(start: Start, candidates: Candidates) -> str:
    """One line if this project has no notes but a likely earlier name of it has some."""
    if candidates.own or start.is_chosen or start.project == GLOBAL:
        return ""
    earlier = last_project(start.home, start.folder) or project_before_a_move(start.home, start.folder)
    last = start.project.rpartition("/")[2]
    for key, count in candidates.others.items():
        if key == earlier or key.rpartition("/")[2] == last:
            there, them = ("is 1 note", "it") if count == 1 else (f"are {count} notes", "them")
            return (
                f"There {there} for `{key}`, which may be this project under an earlier name:"
                f" `anamnesis migrate {key} {start.project} --apply` moves {them} here."
            )
    return ""


def _unseen(ranked: list[Ranked], start: Start) -> list[Ranked]:
    """The notes that changed since a resumed session's last answer, except its own; none if that is unknown.

    Timestamps are in whole seconds, so a note from the same second counts as new: better told twice than
    never. What this session was told since is in its receipt, with the version.
    """
    if start.idle_seconds is None:
        return []
    since, now = moment_before(start.idle_seconds), present()
    told = _told_versions(start)
    return [
        each
        for each in ranked
        if since <= each.note.updated_at <= now
        and (not start.session or each.note.prov_session != start.session)
        and [each.note.id, each.note.updated_at] not in told
    ]


def _told_versions(start: Start) -> list[object]:
    """Id and version of each note that this session was told with its text."""
    entries = [entry for entry in read_entries(start.home, start.session) if entry["kind"] == "told"]
    fields = [entry.get(key) for entry in entries for key in ("full", "cut")]
    return [version for field in fields if isinstance(field, list) for version in field]


def contested_ids(home: str) -> list[str]:
    """The ids of the held notes, from the record that sync keeps."""
    held = read_object(os.path.join(home, HELD_RECORD), most=_MAX_HELD)
    return [key for key in held if not key.startswith("/")]


def _leave_receipt(start: Start, briefing: Briefing, ranked: list[Ranked], *, milliseconds: int) -> None:
    versions = {each.note.id: each.note.updated_at for each in ranked}
    add_entry(
        start.home,
        start.session,
        "told",
        source=start.source,
        project=start.project,
        folder=start.folder,
        full=[[each, versions[each]] for each in briefing.full],
        cut=[[each, versions[each]] for each in briefing.cut],
        titles=list(briefing.titles),
        left_out={each.note.id: how for each in ranked if (how := briefing.how(each)) in ("room", "worth")},
        characters=len(briefing.text),
        milliseconds=milliseconds,
    )
