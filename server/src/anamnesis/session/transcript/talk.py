"""A conversation as turns: what was asked, and what was answered. Bounded in memory."""

from __future__ import annotations

from anamnesis.session.transcript.session import ParsedSession, Turn
from anamnesis.session.transcript.speech import Prompt

_MAX_TURNS = 500
_MAX_ITEM = 10_000  # characters; far more than a summary shows
_MAX_REMARKS = 50
_MAX_ASK = 4_000  # most of a longer prompt is pasted
_MAX_SAID = 150_000  # characters of all texts; with more, earlier turns keep only their last texts
_LAST_TEXTS, _SHORT_TEXT = 2, 2_000


class Talk:
    """The turns so far."""

    def __init__(self) -> None:
        self.is_muted = False  # the last prompt was completely private, so its answer is too
        self._session = ParsedSession()
        self._waiting: Prompt | None = None  # a slash command without an answer yet
        self._command = ""
        self._speaking = ""  # id of the message with the outcome
        self._said = 0

    def ask(self, prompt: Prompt) -> None:
        """Record a prompt."""
        self._open_waiting()
        self.is_muted = prompt.is_private
        self._command = self._command or prompt.command
        if prompt.command:
            self._waiting = None if prompt.is_own or prompt.is_private else prompt
        elif prompt.text and not self._repeats(prompt.text):
            self._open(Turn(prompt.text))

    def forget_command(self) -> None:
        """Record that the client ran the last command itself."""
        self._waiting = None

    def interrupt(self) -> None:
        """Record that the person stopped the assistant."""
        self._turn().is_interrupted = True

    def change(self) -> None:
        """Record that something was changed."""
        self._turn().has_changes = True

    def remark(self, text: str) -> None:
        """Record what the user said other than in a prompt."""
        remarks = self._turn().remarks
        if text and not self.is_muted and len(remarks) < _MAX_REMARKS:
            remarks.append(text[:_MAX_ITEM])

    def answer(self, text: str, *, message: str = "", model: str = "") -> None:
        """Record what the assistant said; a message may come in parts, or repeated from its start."""
        turn = self._turn()
        if not text or self.is_muted:
            return
        session = self._session
        session.model = model or session.model
        is_same = bool(message) and message == self._speaking
        self._speaking = message
        if is_same and not text.startswith(session.last_outcome):
            text = (
                session.last_outcome if text in session.last_outcome else f"{session.last_outcome}\n\n{text}"
            )
        session.last_outcome = text
        turn.texts[len(turn.texts) - is_same :] = [text[:_MAX_ITEM]]
        self._count(len(text))

    def write(self, text: str) -> None:
        """Record a reason that the assistant wrote: the body of a commit, a decision record."""
        if text and not self.is_muted:
            self._turn().texts.append(text[:_MAX_ITEM])
            self._speaking = ""
            self._count(len(text))

    def finish(self) -> ParsedSession:
        """The session with the turns so far."""
        self._open_waiting()
        session = self._session
        session.first_prompt = session.first_prompt or self._command
        return session

    def _repeats(self, text: str) -> bool:
        """Whether the client wrote the last prompt again."""
        turns = self._session.turns
        return bool(turns) and not turns[-1].texts and turns[-1].ask == text

    def _turn(self) -> Turn:
        self._open_waiting()
        if not self._session.turns:
            self._session.turns.append(Turn())
        return self._session.turns[-1]

    def _open_waiting(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._open(Turn(waiting.text, waiting.command))

    def _open(self, turn: Turn) -> None:
        session = self._session
        session.first_prompt = session.first_prompt or turn.ask
        if len(turn.ask) > _MAX_ASK:
            head, tail = turn.ask[: _MAX_ASK // 2], turn.ask[-_MAX_ASK // 2 :]
            # Cut at a line, because half a line would look like a sentence.
            turn.ask = "\n\n".join((head, tail.partition("\n")[2] or tail))
        if len(session.turns) >= _MAX_TURNS:
            del session.turns[_MAX_TURNS // 2]  # the start and the end matter more than the middle
        session.turns.append(turn)
        self._speaking = ""

    def _count(self, characters: int) -> None:
        self._said += characters
        if self._said <= _MAX_SAID:
            return
        for turn in self._session.turns[:-1]:
            turn.texts = [text[:_SHORT_TEXT] for text in turn.texts[-_LAST_TEXTS:]]
        last = self._session.turns[-1]
        last.texts = last.texts[-len(last.texts) // 2 :]
        self._said = sum(len(text) for turn in self._session.turns for text in turn.texts)
