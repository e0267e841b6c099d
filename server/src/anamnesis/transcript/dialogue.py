"""A transcript as a conversation: who said what, without tools, wrappers and private parts. Pure."""

from __future__ import annotations

from anamnesis.transcript.reader import entry_of
from anamnesis.transcript.speech import outcome_of, prompt_of


def dialogue(raw: str) -> str:
    """What the person and the assistant said, turn by turn; the answer to a private prompt is left out."""
    turns: list[str] = []
    is_muted = False
    for line in raw.splitlines():
        entry = entry_of(line)
        if entry.get("isSidechain"):
            continue
        if entry.get("type") == "user" and (prompt := prompt_of(entry)) is not None:
            is_muted = prompt.is_private
            if prompt.text:
                turns.append(f"User: {prompt.text}")
        elif entry.get("type") == "assistant" and not is_muted and (text := outcome_of(entry)):
            turns.append(f"Assistant: {text}")
    return "\n\n".join(turns)
