"""The start of a session: find its notes and rules, rank them, write the briefing and a receipt.

Used by the SessionStart hook and `inject --explain`. A person waits for it, so it reads the index without
opening the store if possible.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from anamnesis.files import read_object
from anamnesis.index.candidates import Candidates, Rule, read_candidates
from anamnesis.index.core import Index
from anamnesis.inject.briefing import (
    DEFAULT_BUDGET,
    Brief,
    Briefing,
    current_rules,
    without_dropped,
    write_arrivals,
    write_briefing,
)
from anamnesis.inject.worth import (
    Moment,
    Ranked,
    is_by_model,
    last_sessions,
    latest_moment,
    phrases_for,
    rank,
)
from anamnesis.layout import GLOBAL, SYNC_NAME
from anamnesis.notes.vocabulary import PINNED, REFERENCE, SCRIPTED
from anamnesis.project import current_branch, current_key, keys_of, place_of, spelled
from anamnesis.session.receipts import (
    Item,
    add_entry,
    last_in,
    mark_told,
    news_lines,
    project_before_a_move,
    read_entries,
    remember,
    untold,
    waiting_ids,
)
from anamnesis.text import timestamp

_PATIENCE = 0.5  # seconds that a session waits for a busy index
_MAX_HELD = 1_000_000  # bytes
_MOST_NOTED = 5  # rules that a model wrote
_CONTINUED = ("resume", "fork")  # the earlier injection is still in the context


@dataclass(kw_only=True)
class Start:
    """A session that starts: where, which one, how, and how much it may be told."""

    home: str
    folder: str = "."
    project: str = ""
    session: str = ""  # "" if a person runs the command
    source: str = "startup"
    idle_seconds: float | None = None  # since the last answer of a resumed session; None if unknown
    most: int | None = None
    budget: int = DEFAULT_BUDGET
    is_chosen: bool = field(init=False)  # if the project was given by the user
    warning: str = field(init=False, default="")

    def __post_init__(self) -> None:
        """Find the project of the folder, unless one was given."""
        try:
            self.folder = os.path.abspath(self.folder)
        except OSError:  # the working folder was deleted
            self.folder = "/"
        self.is_chosen = bool(self.project)
        if not self.is_chosen:
            place = place_of(self.folder, home=self.home)
            self.project, self.warning = place.key, place.warning


def project_meant(start: Start) -> str:
    """The key that a person means by the project they typed: `.`, any spelling, the last part of one."""
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
    since = _last_start(start)
    if start.session:  # the receipt also shows that our hook ran in this session
        taken = round((time.perf_counter() - began) * 1000)
        _leave_receipt(start, briefing, ranked, milliseconds=taken, rules=len(briefing.rules), since=since)
    if start.session and (ranked or start.source not in _CONTINUED):
        # Do not record a project without notes for this folder: it may just have been renamed.
        project = start.project if candidates.own else last_in(start.home, start.folder).project
        remember(start.home, start.folder, session=start.session, project=project)
        if news:
            mark_told(start.home, start.project, news)
    return briefing


def tell_arrivals(start: Start, ids: Collection[str]) -> Briefing:
    """The notes that a sync brought right after a session started, best first; writes a receipt.

    Their rules come first. Empty if none of `ids` is about this project or global, or if the briefing already
    had them: both hooks run at the same time.
    """
    told = _told_versions(start)
    ranked, candidates = rank_notes(start)
    ranked = [one for one in ranked if one.note.id in ids and [one.note.id, one.note.updated_at] not in told]
    new = {one.note.id for one in ranked}
    rules = [rule for rule in choose_rules(candidates, start.home)[0] if rule.note_id in new]
    briefing = write_arrivals(ranked[:5], rules, contested=contested_ids(start.home), budget=4_000)
    if briefing.text:
        _leave_receipt(start, briefing, ranked, milliseconds=0, rules=len(briefing.rules))
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
    stated, noted = choose_rules(candidates, start.home)
    brief = Brief(
        project=start.project,
        own=candidates.own,
        everywhere=candidates.everywhere,
        rules=stated,
        noted=noted,
        most=start.most,
        lines=[line for line in (start.warning, _renamed(start, candidates), *news_lines(news)) if line],
        contested=contested_ids(start.home),
        budget=start.budget,
    )
    return write_briefing(ranked, brief), ranked, candidates


def rank_notes(start: Start) -> tuple[list[Ranked], Candidates]:
    """Every candidate note, ranked by its worth now; scripted runs and references are only found."""
    branch = current_branch(start.folder)
    candidates = _candidates(start.home, keys_of(start.project), phrases_for(branch))
    now, waiting = latest_moment(), waiting_ids(start.home)
    told = (note for note in candidates.notes if not {REFERENCE, SCRIPTED} & {*note.tags})
    notes = [without_dropped(note) for note in told if note.id not in waiting]
    moment = Moment(branch=branch, sessions=last_sessions(notes, branch, now=now), now=now)
    return rank(notes, moment), candidates


def told_rules(start: Start) -> list[Rule]:
    """The rules that a session in this project is told, newest first: the user's, then those of a model."""
    return list(chain(*choose_rules(_candidates(start.home, keys_of(start.project), []), start.home)))


def new_rules(start: Start) -> list[Rule]:
    """The user's rules that no earlier session here was told, as this session's receipt says."""
    told = [entry for entry in read_entries(start.home, start.session) if "since" in entry]
    since = str(told[-1]["since"]) if told and told[-1].get("rules") else "~"
    return [rule for rule in told_rules(start) if rule.is_stated and rule.at > since]


def choose_rules(candidates: Candidates, home: str) -> tuple[list[Rule], list[Rule]]:
    """The user's rules, and a few of this project that a model wrote and no person has kept."""
    waiting = waiting_ids(home)
    known = [rule for rule in candidates.rules if rule.note_id not in waiting]
    stated = current_rules([rule for rule in known if rule.is_stated])
    pinned = [
        Rule.of(note, note.title)
        for note in candidates.notes
        if PINNED in note.tags and note.project != GLOBAL and is_by_model(note) and note.id not in waiting
    ]
    noted = [rule for rule in known if not rule.is_stated and rule.project != GLOBAL]
    return stated, current_rules([*noted, *pinned])[:_MOST_NOTED]


def _candidates(home: str, projects: list[str], phrases: list[str]) -> Candidates:
    with Index(Path(home), patience=_PATIENCE) as index:
        return index.ask(lambda db: read_candidates(db, home, projects, phrases=phrases), thorough=False)


def _renamed(start: Start, candidates: Candidates) -> str:
    """One line if this project has no notes but a likely earlier name of it has some."""
    if candidates.own or start.is_chosen or start.project == GLOBAL:
        return ""
    earlier = last_in(start.home, start.folder).project
    if not earlier and "/" not in start.project:
        earlier = project_before_a_move(start.home, start.folder)
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
    since, now = timestamp(time.time() - start.idle_seconds), latest_moment()
    told = _told_versions(start)
    changed = [one for one in ranked if since <= one.note.updated_at <= now]
    others = [one for one in changed if not start.session or one.note.prov_session != start.session]
    return [one for one in others if [one.note.id, one.note.updated_at] not in told]


def _last_start(start: Start) -> str:
    """When the session before this one started here; rules that are newer are new to the person."""
    before = read_entries(start.home, last_in(start.home, start.folder).session)
    return next((str(entry["at"]) for entry in before if entry["kind"] == "told"), "")


def _told_versions(start: Start) -> list[object]:
    """Id and version of each note that this session was told with its text."""
    entries = [entry for entry in read_entries(start.home, start.session) if entry["kind"] == "told"]
    fields = [entry.get(key) for entry in entries for key in ("full", "cut")]
    return [version for value in fields if isinstance(value, list) for version in value]


def contested_ids(home: str) -> list[str]:
    """The ids of the held notes, from the record that sync keeps."""
    held = read_object(os.path.join(home, SYNC_NAME), most=_MAX_HELD).get("held")
    return [key for key in held if not key.startswith("/")] if isinstance(held, dict) else []


def _leave_receipt(
    start: Start, briefing: Briefing, ranked: list[Ranked], *, milliseconds: int, **more: object
) -> None:
    versions = {one.note.id: one.note.updated_at for one in ranked}
    told = [one for one in ranked if briefing.how(one) in ("full", "cut", "title")]
    add_entry(
        start.home,
        start.session,
        "told",
        source=start.source,
        project=start.project,
        folder=start.folder,
        full=[[note_id, versions[note_id]] for note_id in briefing.full],
        cut=[[note_id, versions[note_id]] for note_id in briefing.cut],
        titles=list(briefing.titles),
        why={
            one.note.id: [name for name, n in one.parts.items() if n > 0] or ["there was room"]
            for one in told
        },
        left_out={one.note.id: how for one in ranked if (how := briefing.how(one)) in ("room", "worth")},
        characters=len(briefing.text),
        milliseconds=milliseconds,
        **more,
    )
