"""From a session to what is worth remembering: the gate, the summary, and the choice of who writes it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from anamnesis.redact import redact, strip_private
from anamnesis.settings import is_model_provider, resolve
from anamnesis.transcript import ParsedSession

_TRIVIAL_OUTCOME_FLOOR = 40
_MAX_LEN = 600
_MAX_TITLE = 80
_MAX_FILES = 20
_MAX_ASKS = 8
_MAX_POINTS = 10
_POINT_LEN = 160
_READ_AHEAD = 16  # times the length wanted: redaction shortens, and must not meet half a secret
_LONE_COMMAND = re.compile(r"^/\S+$")


@dataclass(frozen=True, slots=True)
class Summary:
    """Title and body of a session's note, and the model that wrote them, if one did."""

    title: str
    body: str
    model: str = ""


class Summarizer(Protocol):
    """Whoever turns a session into a summary; None when the session is not worth a note."""

    def summarize(self, session: ParsedSession) -> Summary | None:
        """The summary of `session`."""


def is_trivial_session(session: ParsedSession) -> bool:
    """Whether a session is not worth a note: nothing changed, nothing asked, next to nothing said."""
    if session.files_touched:
        return False
    prompt, outcome = session.first_prompt.strip(), session.last_outcome.strip()
    if not prompt and not outcome:
        return True
    is_tiny = len(outcome) < _TRIVIAL_OUTCOME_FLOOR
    return is_tiny and (not prompt or _LONE_COMMAND.match(prompt) is not None)


def resolve_summarizer(*, home: Path | None = None) -> Summarizer:
    """The summarizer that the settings ask for: a model's, or the heuristic one that needs nothing."""
    if not is_model_provider(resolve("reflection.provider", home=home).value.lower()):
        return HeuristicSummarizer()
    from anamnesis.capture.answer import ModelSummarizer  # only who configured a model pays for its client

    return ModelSummarizer(home=home)


class HeuristicSummarizer:
    """The ask, what was decided and done, the files, the outcome: in the session's own words, no model."""

    def summarize(self, session: ParsedSession) -> Summary:
        """The summary of `session`; there always is one."""
        ask = _clip(session.first_prompt, _MAX_LEN)
        outcome = _clip(session.last_outcome, _MAX_LEN)
        blocks = [
            f"**Ask:** {ask or '(no user prompt captured)'}",
            _list("Later asks", session.later_prompts, _MAX_ASKS),
            _list("Decided", session.decisions, _MAX_POINTS),
            f"**Branch:** {_clip(session.git_branch, _POINT_LEN)}" if session.git_branch else "",
            _list("Files touched", relative_paths(session), _MAX_FILES),
            _list("Commits", session.commits, _MAX_POINTS),
            f"**Failed tool calls:** {failures}" if (failures := _failures(session)) else "",
            f"**Outcome:** {outcome or '(no assistant output captured)'}",
        ]
        return Summary(title=_title(session), body="\n\n".join(block for block in blocks if block))


def relative_paths(session: ParsedSession) -> list[str]:
    """The files touched, as seen from the session's folder when they are inside it."""
    base = session.cwd.rstrip("/") + "/"
    return [
        os.path.normpath(path.removeprefix(base)) if session.cwd else path for path in session.files_touched
    ]


def _title(session: ParsedSession) -> str:
    line = " ".join(_clip(session.first_prompt, _MAX_LEN).partition("\n")[0].split())[:_MAX_TITLE]
    whole, mark, rest = line.rpartition("[redacted:")
    if mark and "]" not in rest:
        line = whole  # half a mark says nothing
    return line.strip() or "Session summary"


def _clip(text: str, limit: int) -> str:
    """The beginning of a text, without what must not be kept."""
    ahead = text[: limit * _READ_AHEAD]
    if len(ahead) < len(text):
        ahead = ahead.rsplit(None, 1)[0]
    kept = redact(strip_private(ahead)).strip()
    return kept if len(kept) <= limit else kept[:limit].rstrip() + "…"


def _list(name: str, items: list[str], limit: int) -> str:
    """A block with a line per item; of too many, the first and the last ones."""
    if not items:
        return ""
    lines = [f"- {' '.join(_clip(item, _POINT_LEN).split())}" for item in _ends(items, limit)]
    if len(items) > limit:
        lines.insert(limit // 2, f"- … {len(items) - limit} more")
    return "\n".join([f"**{name} ({len(items)}):**", *lines])


def _ends(items: list[str], limit: int) -> list[str]:
    if len(items) <= limit:
        return items
    return [*items[: limit // 2], *items[len(items) - (limit - limit // 2) :]]


def _failures(session: ParsedSession) -> str:
    counts = sorted(session.failed_tools.items(), key=lambda pair: -pair[1])[:_MAX_POINTS]
    return ", ".join(f"{_clip(tool, _MAX_TITLE)} {count}" for tool, count in counts)
