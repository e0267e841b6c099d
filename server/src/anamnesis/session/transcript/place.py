"""Which session the lines of a transcript belong to: id, folder, branch, times, and what a fork copied."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection

from anamnesis.session.transcript.session import ParsedSession
from anamnesis.session.transcript.speech import Entry, clean, text_at

_MAX_NAME = 200
_MAX_MOMENT = 40
_SCRIPTED = "sdk"


def line_digest(entry: Entry) -> str:
    """A digest of a spoken line, the same for its copy in a fork; "" for a line without an id and a time."""
    message, moment = entry.get("message"), entry.get("timestamp")
    if not entry.get("uuid") or not isinstance(moment, str) or not isinstance(message, dict):
        return ""
    # A fork gets the id of its own session, and may get new ids of its lines.
    said = json.dumps([entry.get("type"), moment, message.get("content")], sort_keys=True)
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


class Place:
    """Where and when a session took place, line by line."""

    def __init__(self, own_id: str, known: Collection[str]) -> None:
        self.cwd = ""
        self._own_id = own_id
        self._known = known
        self._branch = self._session_id = self._entrypoint = self._began = self._ended = self._first = ""
        self._agent = ""
        self._is_foreign = False  # the lines so far are from another session

    @property
    def is_known(self) -> bool:
        """Whether everything is known that lines without speech can tell."""
        return bool(self.cwd and self._branch and self._session_id)

    def see(self, entry: Entry, *, is_spoken: bool) -> bool:
        """Read a line; True for the first line of this session after those of its parent."""
        self.cwd = self.cwd or text_at(entry, "cwd")
        self._branch = self._branch or clean(text_at(entry, "gitBranch"))
        named = clean(text_at(entry, "sessionId"))[:_MAX_NAME]
        self._agent = self._agent or text_at(entry, "agent")
        is_own = named == self._own_id
        starts_over = is_own and self._is_foreign
        if starts_over:
            self._is_foreign, self._began = False, ""
        elif is_spoken and named and not is_own:
            self._is_foreign = True
        if named and (is_own or not self._session_id):
            self._session_id = named
        if is_spoken:
            self._first = self._first or line_digest(entry)
        if not self.is_copied(entry):
            self._see_moment(entry)
        return starts_over

    def is_copied(self, entry: Entry) -> bool:
        """Whether a line was copied from the session that this one was forked from."""
        return bool(entry.get("forkedFrom")) or bool(self._known and line_digest(entry) in self._known)

    def fill(self, session: ParsedSession) -> ParsedSession:
        """Fill the fields of `session` that are known from its lines."""
        session.cwd, session.git_branch, session.session_id = self.cwd, self._branch, self._session_id
        session.started_at, session.ended_at = self._began, self._ended
        session.entrypoint, session.first_line = self._entrypoint, self._first
        session.agent = self._agent
        return session

    def _see_moment(self, entry: Entry) -> None:
        moment = text_at(entry, "timestamp")[:_MAX_MOMENT]
        self._began = self._began or moment
        self._ended = moment or self._ended
        # A scripted session that a person continued counts as that person's.
        if not self._entrypoint or self._entrypoint.startswith(_SCRIPTED):
            self._entrypoint = clean(text_at(entry, "entrypoint"))[:_MAX_NAME] or self._entrypoint
