"""A transcript as a value: what was asked, what came of it, which files changed. Never writes.

Reads Claude Code's lines, or another agent's translated into them, in one pass and bounded memory. A missing
file, a folder, a pipe, bad bytes, half a line, absurd nesting and unknown line types give an empty or partial
session, never an error. A person's prompt is a `user` line that is not meta, from a sidechain, a compaction
summary or a tool result. The client's own text in it is recognised by form: pairs of tags like `<word-word>`,
and slash commands that it answered itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import parse_object
from anamnesis.redact import strip_private
from anamnesis.session.agents import Entry, dict_of, dicts_of, in_claude_format

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_MAX_LINE = 32_000_000
_MAX_TURNS = 500  # also files, commits, and calls without a result
_MAX_SAID = 150_000  # characters of all answers; beyond, earlier turns keep only the start of their last one
_MAX_TEXT = 10_000  # characters; of a longer text, its start and its end
_MAX_ITEMS = 50  # texts and remarks of a turn
_MAX_ACTIONS = 200_000  # characters of all inputs of tools
# Only lines that can contain speech are parsed: the longest lines are requests and snapshots.
_SPEAKS = re.compile(rb'"type"\s{0,4}:\s{0,4}"(?:user|assistant|queued_command)"')
_INTERRUPTED = "[Request interrupted by user"
_RETRIEVE = "Read the output file to retrieve the result: "  # below the tag of a task that ended
_OWN_LINES = (_INTERRUPTED, "This session is being continued from", "Caveat: The messages below", _RETRIEVE)
_OWN_TAG = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)\b[^<>]{0,300}>")
_REFUSED = "The user doesn't want to proceed with this tool use"
_COMMAND = re.compile(r"<command-name>\s{0,8}(/?[^<>\s]{1,100})\s{0,8}</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_TYPED_COMMAND = re.compile(r"(/[a-z][\w:-]{0,60})(?:\s+(.*))?", re.DOTALL)
_PLACEHOLDER = re.compile(r"\[(?:Image|Pasted text)\b[^\]\n]{0,200}\][^\S\n]*")
_UNPRINTABLE = re.compile(r"\x1b\[[0-?]{0,20}[ -/]{0,4}[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(slots=True)
class Turn:
    """One prompt and what followed it, up to the next prompt.

    If `ask` is the arguments of a slash command, that is `command`. `texts` are the assistant's messages in
    order, approved plans among them; `remarks` is what the user said without a prompt: answers to questions,
    the reason for refusing a tool, and prompts typed meanwhile, which are also in `queued`.
    """

    ask: str = ""
    command: str = ""
    texts: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)
    is_interrupted: bool = False


@dataclass
class ParsedSession:
    """The content of a transcript; a field is empty when the transcript does not have it.

    No text has private spans, except `raw`. `files_touched` are the files that stayed changed.
    """

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = field(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    turns: list[Turn] = field(default_factory=list)
    is_taken_back: bool = False  # whether changes were made and none of them remain
    commits: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)  # what the assistant passed to its tools, shortened
    tests: str = ""  # the last result of a test run
    entrypoint: str = ""
    agent: str = ""  # the agent; empty for Claude Code
    started_at: str = ""
    ended_at: str = ""
    first_line: str = ""  # digest of the line that the conversation starts with; the same in a fork
    transcript: Path | None = field(default=None, compare=False)

    @property
    def is_scripted(self) -> bool:
        """Whether a program, not a person, drove the session."""
        return self.entrypoint.startswith("sdk-")

    @property
    def raw(self) -> str:
        """The whole transcript, including secrets and `<private>` spans, read on access."""
        return b"".join(self.raw_lines()).decode("utf-8", "replace")

    def raw_lines(self) -> Iterator[bytes]:
        """The lines of the whole transcript, one at a time, however long it is."""
        return _read_lines(self.transcript) if self.transcript else iter(())


def parse_transcript(path: str | os.PathLike[str], *, known: Collection[str] = ()) -> ParsedSession:
    """Read a transcript without the lines whose digests are `known`, which a fork copied from its parent."""
    reader = _Reader(own_id=os.path.basename(os.fspath(path)).removesuffix(".jsonl"), known=known)
    for line in in_claude_format(_read_lines(path)):
        reader.read(line)
    session = reader.finish()
    session.transcript = Path(path)
    return session


def line_digests(path: str | os.PathLike[str]) -> set[str]:
    """The digests of a transcript's spoken lines, to recognise the lines that a fork copied."""
    spoken = (line for line in in_claude_format(_read_lines(path)) if _SPEAKS.search(line))
    return {_line_digest(_entry_of(line)) for line in spoken} - {""}


def first_cwd(path: str | os.PathLike[str]) -> str:
    """The folder that a session started in; "" if the first lines of its transcript do not name it."""
    lines = zip(range(200), in_claude_format(_read_lines(path)), strict=False)
    return next((cwd for _, line in lines if (cwd := _string(_entry_of(line), "cwd"))), "")


class _Reader:
    """The session so far, and the state needed to read the next line."""

    def __init__(self, *, own_id: str, known: Collection[str]) -> None:
        self._own_id, self._known = own_id, known
        self._session = ParsedSession()
        self._work = _Work()
        self._command: _Prompt | None = None  # a slash command without an answer yet
        self._is_muted = False  # the last prompt was completely private, so its answer is too
        self._message = ""  # id of the last answer's
        self._acted = 0  # characters of the actions
        self._calls: dict[str, tuple[str, str]] = {}  # without a result yet: tool, and path, command or plan
        self._has_results = False

    def read(self, line: bytes) -> None:
        """Read one line."""
        session = self._session
        is_spoken = _SPEAKS.search(line) is not None
        if not is_spoken and session.cwd and session.git_branch and session.session_id:
            return
        entry = _entry_of(line)
        if entry.get("isSidechain"):
            return
        self._see_place(entry)
        digest = _line_digest(entry) if is_spoken and (self._known or not session.first_line) else ""
        session.first_line = session.first_line or digest
        if entry.get("forkedFrom") or digest in self._known:
            return
        self._see_moment(entry)
        if entry.get("type") == "user":
            self._user(entry)
        elif entry.get("type") == "assistant":
            self._assistant(entry)
        elif typed := _queued_in(entry):
            self._remark(typed, is_typed=True)

    def finish(self) -> ParsedSession:
        """The session that was read."""
        session, work = self._session, self._work
        # A transcript without any result comes from a client that does not write them.
        for name, (tool, path) in self._calls.items():
            if tool in _EDIT_TOOLS and (not self._has_results or name.startswith("#")):
                work.edit(path, is_new=tool == "Write")
        session.tests, session.commits = work.tests, work.commits
        session.files_touched = work.files
        session.is_taken_back = bool(work.edited) and not work.files and not work.commits
        return session

    def _user(self, entry: Entry) -> None:
        content = dict_of(entry.get("message")).get("content")
        for block in dicts_of(content):
            if block.get("type") == "tool_result":
                self._result(block, entry.get("toolUseResult"))
        starts = [text.lstrip() for text in _texts(content)]
        if any(text.startswith(_INTERRUPTED) for text in starts):
            self._turn().is_interrupted = True
        elif any(text.startswith("<local-command-stdout>") for text in starts):
            self._command = None  # the client ran it itself
        elif (prompt := _prompt_in(entry, content)) is not None:
            self._ask(prompt)

    def _assistant(self, entry: Entry) -> None:
        message = dict_of(entry.get("message"))
        for block in dicts_of(message.get("content")):
            if block.get("type") == "tool_use":
                self._call(block)
        # The client's own messages in the assistant's name are no answers.
        is_notice = entry.get("isMeta") or entry.get("isApiErrorMessage")
        if not is_notice and message.get("model") != "<synthetic>":
            said = _clean(_without_own_text(_text_of(message.get("content"))))
            self._answer(said, message=_string(message, "id"))

    def _ask(self, prompt: _Prompt) -> None:
        """Record a prompt; a slash command only starts a turn if the assistant answers it."""
        self._is_muted = prompt.is_private
        self._command = prompt if prompt.command and not prompt.is_private else None
        if not self._session.turns and not self._session.first_prompt:
            self._session.first_prompt = prompt.command
        if prompt.text and not prompt.command:
            self._open(Turn(prompt.text))

    def _answer(self, text: str, *, message: str = "") -> None:
        """Record what the assistant said; a message may come in parts, or repeated from its start."""
        turn = self._turn()
        if not text or self._is_muted:
            return
        if turn.texts and text.startswith(turn.texts[-1]):
            turn.texts.pop()
        elif turn.texts and message and message == self._message and len(turn.texts[-1]) < _MAX_TEXT:
            text = f"{turn.texts.pop()}\n\n{text}"
        self._message = message
        self._session.last_outcome = text
        turn.texts.append(text)
        del turn.texts[:-_MAX_ITEMS]

    def _remark(self, text: str, *, is_typed: bool = False) -> None:
        """Record what the user said other than in a prompt; only what they typed can state a rule."""
        turn = self._turn()
        if text and not self._is_muted and len(turn.remarks) < _MAX_ITEMS:
            turn.remarks.append(text)
            turn.queued += [text] if is_typed else []

    def _turn(self) -> Turn:
        """The turn that goes on; a slash command that is answered now starts one."""
        if self._command is not None:
            self._open(Turn(self._command.text, self._command.command))
        if not self._session.turns:
            self._session.turns.append(Turn())
        return self._session.turns[-1]

    def _open(self, turn: Turn) -> None:
        session, self._command = self._session, None
        if turn.ask and not any(known.ask for known in session.turns):
            session.first_prompt = turn.ask
        if sum(len(text) for known in session.turns for text in known.texts) > _MAX_SAID:
            for known in session.turns:
                known.texts = [text[:2_000] for text in known.texts[-1:]]
        if len(session.turns) >= _MAX_TURNS:
            del session.turns[_MAX_TURNS // 2]  # the start and the end matter more than the middle
        session.turns.append(turn)

    def _call(self, block: Entry) -> None:
        """Record a tool call; what it did is known from its result."""
        tool, arguments = _string(block, "name"), dict_of(block.get("input"))
        for value in () if self._is_muted else arguments.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and self._acted < _MAX_ACTIONS:
                    self._session.actions.append(_clean(text[:1_000]))
                    self._acted += len(self._session.actions[-1])
        keys = ("file_path", "notebook_path") if tool in _EDIT_TOOLS else ("command", "plan")
        matter = next((_clean(_string(arguments, key)) for key in keys if _string(arguments, key)), "")
        if len(self._calls) < _MAX_TURNS:
            self._calls[_string(block, "id") or f"#{len(self._calls)}"] = (tool, matter)

    def _result(self, block: Entry, details: object) -> None:
        """Record the result of a tool call; `details` is what the client adds to it."""
        self._has_results = True
        tool, matter = self._calls.pop(_string(block, "tool_use_id"), ("", ""))
        facts = dict_of(details)
        is_error, output = bool(block.get("is_error")), _text_of(block.get("content"))
        if is_error and output.lstrip().startswith(_REFUSED):
            self._remark(_clean(output.partition("the user said:")[2]))
        if tool in _EDIT_TOOLS and (not is_error or _string(facts, "filePath")):
            self._work.edit(matter, is_new=tool == "Write" and _string(facts, "type") != "update")
        elif tool == "Bash" and not self._is_muted:
            self._work.run(matter, _clean(output), is_error=is_error)
        elif tool == "ExitPlanMode" and not is_error:
            self._answer(matter)
        elif tool == "AskUserQuestion":
            for question, answer in dict_of(facts.get("answers")).items():
                self._remark(_clean(f"{question} {answer}") if isinstance(answer, str) else "")

    def _see_place(self, entry: Entry) -> None:
        """Record what a line says about the session: its folder, its branch, its own id if there is one."""
        session = self._session
        session.cwd = session.cwd or _string(entry, "cwd")
        session.git_branch = session.git_branch or _clean(_string(entry, "gitBranch"))
        session.agent = session.agent or _string(entry, "agent")
        named = _clean(_string(entry, "sessionId"))[:200]
        session.session_id = named if named == self._own_id else session.session_id or named

    def _see_moment(self, entry: Entry) -> None:
        session, moment = self._session, _string(entry, "timestamp")[:40]
        session.started_at = session.started_at or moment
        session.ended_at = moment or session.ended_at
        # A scripted session that a person continued is not scripted.
        if not session.entrypoint or session.is_scripted:
            session.entrypoint = _clean(_string(entry, "entrypoint"))[:200] or session.entrypoint


class _Prompt(NamedTuple):
    """A person's prompt: text, a slash command with or without text, or a completely private one."""

    text: str = ""
    command: str = ""
    is_private: bool = False


def _prompt_in(entry: Entry, content: object) -> _Prompt | None:
    """The prompt in a line with this content; None if no person typed it."""
    if any(entry.get(mark) for mark in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")):
        return None
    if dict_of(entry.get("origin")).get("kind", "human") != "human":
        return None
    whole = "\n".join(text for text in _texts(content) if not text.lstrip().startswith(_OWN_LINES))
    if command := _COMMAND.search(whole):
        arguments = _ARGUMENTS.search(whole)
        said = arguments[1] if arguments else ""
        text = _clean(said)
        return _Prompt(text, "/" + _clean(command[1]).removeprefix("/"), bool(said.strip()) and not text)
    said = _without_own_text(whole)
    said = "" if said.lstrip().startswith(_OWN_LINES) else said
    text = _clean(_PLACEHOLDER.sub("", said)) or _clean(said)
    if typed := _TYPED_COMMAND.fullmatch(text):
        return _Prompt(typed[2] or "", typed[1])
    return _Prompt(text, is_private=not text) if said.strip() else None


def _queued_in(entry: Entry) -> str:
    """What a person typed while the assistant worked, if the client delivered it within the turn."""
    queued = dict_of(entry.get("attachment"))
    if queued.get("type") != "queued_command":
        return ""
    prompt = _prompt_in(queued, queued.get("prompt"))
    is_typed = prompt and not prompt.command and queued.get("commandMode", "prompt") == "prompt"
    return prompt.text if prompt and is_typed else ""


def _without_own_text(text: str) -> str:
    """A text without pairs of the client's tags and what they enclose; "" if it starts with an open one."""
    kept: list[str] = []
    unclosed: set[str] = set()
    end = 0
    for tag in _OWN_TAG.finditer(text):
        if tag.start() < end or tag[1] in unclosed:
            continue
        close = text.find(f"</{tag[1]}", tag.end())
        if close < 0:
            unclosed.add(tag[1])
            if not text[: tag.start()].strip():
                return ""
            continue
        kept.append(text[end : tag.start()])
        end = text.find(">", close) + 1 or len(text)
    return "".join([*kept, text[end:]])


def _clean(text: str) -> str:
    """Text for a note: without private spans, colour codes, control characters and lone surrogates."""
    text = strip_private(text).replace("\r\n", "\n")
    if len(text) > _MAX_TEXT:
        head, tail = text[: _MAX_TEXT // 2], text[-_MAX_TEXT // 2 :]
        # Half a secret is hard to recognise, and half a line would look like a sentence.
        text = "\n\n".join((head.rsplit(None, 1)[0], tail.partition("\n")[2] or tail.partition(" ")[2]))
    return _UNPRINTABLE.sub("", text).strip()


def _text_of(content: object) -> str:
    """The text of a message: its content if that is a string, else its text blocks, one per line."""
    return "\n".join(_texts(content))


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [_string(block, "text") for block in dicts_of(content) if block.get("type") == "text"]


def _string(entry: Entry, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _entry_of(line: bytes) -> Entry:
    """The JSON object in a line; {} if it is not one."""
    return parse_object(line.decode("utf-8", "replace")) or {}


def _line_digest(entry: Entry) -> str:
    """A digest of a spoken line, the same for its copy in a fork; "" for a line without id and time."""
    message, moment = entry.get("message"), entry.get("timestamp")
    if not entry.get("uuid") or not isinstance(moment, str) or not isinstance(message, dict):
        return ""
    # A fork has its own session id and may have new line ids, so these are left out.
    said = json.dumps([entry.get("type"), moment, message.get("content")], sort_keys=True)
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a regular file, except those over 32 MB; no lines for anything else."""
    is_rest = False  # of a line that is too long
    try:
        # Non-blocking, because opening a pipe would wait for a writer.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as lines:
            is_file = stat.S_ISREG(os.fstat(lines.fileno()).st_mode)
            while is_file and (line := lines.readline(_MAX_LINE)):
                is_whole = line.endswith(b"\n") or len(line) < _MAX_LINE
                if is_whole and not is_rest:
                    yield line
                is_rest = not is_whole
    except (OSError, ValueError):
        return


# -- what was done ----------------------------------------------------------------------------------------

# Commands are read just enough to recognise a test run, a commit, and files that were restored or removed.
# Files that shell commands change are not seen. What a tool printed is cut to the known shape of a commit
# line or of a count of tests, because anything else in it is somebody's text.

_MAX_SHOWN = 120  # characters of a test command or a commit's subject
_HEREDOC = re.compile(r"<<-?\s{0,4}['\"]?(\w{1,40})['\"]?[^\n]{0,200}\n(.*?)(?:\n\s{0,8}\1\b|\Z)", re.DOTALL)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
_STEP = re.compile(
    r"(?<![\w./-])(?:git(?: -[cC] [^\s-]\S*| -\S+)* (commit|revert|restore|checkout|reset)|rm)(?![\w./-])"
    r"([^;|&\n()]*)"
)
_TEST = re.compile(
    r"(?<![\w/.-])(?:\S*/)?(?:pytest|py\.test|rspec|phpunit|jest|vitest|mocha|ctest|nextest|tox|nox|behave|bats"
    r"|(?:make|just|npm|pnpm|yarn|bun|go|cargo|mvn|mvnw|gradle|gradlew|dotnet|swift|mix|rake|deno|flutter|bazel"
    r"|php artisan|manage\.py|playwright)(?: (?:run|exec|-\S+))* (?:test|check|verify)[\w:.-]*)(?![\w/.])"
)
_COUNT = re.compile(
    r"\b\d+\s+(?:tests?\s+|examples?\s+|specs?\s+)?(?:passed|failed|passing|failing|pass|fail|failures?|errors?"
    r"|skipped|completed|succeeded)\b|\b\d+ (?:tests?|examples?|specs?)\b"
    r"|\b(?:tests?(?: run)?|passed|failed|failures|errors):\s{1,8}\d+(?! \w*(?:pass|fail))"
    r"|\b\d+% tests passed",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*(?:&&|;|\||\d?>)")
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_HEAD_BEFORE = re.compile(r"HEAD(?:~(\d{0,3})|\^)")


class _Commit(NamedTuple):
    """A commit of the session, and the edited files that it holds."""

    digest: str
    subject: str
    files: frozenset[str]


class _Work:
    """The record of a session's work, step by step."""

    def __init__(self) -> None:
        self.tests = ""
        self.edited: dict[str, bool] = {}  # whether the session made the file
        self._changed: set[str] = set()  # not committed
        self._commits: list[_Commit] = []

    @property
    def commits(self) -> list[str]:
        """Digest and subject of each commit that stands."""
        return [f"{commit.digest[:10]} {commit.subject[:_MAX_SHOWN]}" for commit in self._commits]

    @property
    def files(self) -> list[str]:
        """The files that stayed changed, in the order of their first edit."""
        left = self._changed.union(*(commit.files for commit in self._commits))
        return [path for path in self.edited if path in left]

    def edit(self, path: str, *, is_new: bool) -> None:
        """Record an edited file."""
        if path and (path in self.edited or len(self.edited) < _MAX_TURNS):
            self.edited.setdefault(path, is_new)
            self._changed.add(path)

    def run(self, command: str, output: str, *, is_error: bool) -> None:
        """Record a shell command with its result."""
        command = _HEREDOC.sub(" ", command)
        if _TEST.search(command):
            self.tests = _test_result(command, output, is_error=is_error)
        # A quoted text with spaces is a message, not a file.
        plain = _QUOTED.sub(lambda text: "" if re.search(r"[\s;|&()]", text[0]) else text[0][1:-1], command)
        for verb, words in () if is_error else _STEP.findall(plain):
            self._step(verb or "rm", words.split(), output)

    def _step(self, verb: str, words: list[str], output: str) -> None:
        if verb in ("commit", "revert"):
            for digest, subject in _COMMITTED.findall(output):
                self._commit(digest, subject, is_amended="--amend" in words)
        elif verb in ("restore", "checkout") and not {"--staged", "-S", "-b", "-B"} & set(words):
            # Without "--", a word that does not look like a file is a branch or a commit.
            named = (
                words[words.index("--") + 1 :] if "--" in words else [each for each in words if "." in each]
            )
            self._changed.difference_update(self._named(named))
        elif verb == "reset":
            head = next(filter(None, map(_HEAD_BEFORE.fullmatch, words)), None)
            self._reset(int(head[1] or 1) if head else 0, is_hard="--hard" in words)
        elif verb == "rm":
            for path in self._named(words):
                if self.edited[path] and path in self._changed:
                    del self.edited[path]
                    self._changed.discard(path)

    def _commit(self, digest: str, subject: str, *, is_amended: bool) -> None:
        if is_amended:
            self._reset(1)
        reverted = re.fullmatch(r'Revert "(.*)"', subject)
        left = [known for known in self._commits if not reverted or known.subject != reverted[1]]
        is_known = any(known.digest == digest for known in left)  # clients repeat lines when they resume
        if not is_known and len(left) == len(self._commits) < _MAX_TURNS:
            left.append(_Commit(digest, subject, frozenset(self._changed)))
            self._changed.clear()
        self._commits = left

    def _reset(self, commits: int, *, is_hard: bool = False) -> None:
        """Take back the last commits, and if `is_hard` their changes and those not committed."""
        if is_hard:
            self._changed.difference_update(self._named(["."]))
        for _ in range(min(commits, len(self._commits))):
            files = self._commits.pop().files
            self._changed |= frozenset() if is_hard else files

    def _named(self, names: list[str]) -> list[str]:
        """The edited files that the arguments of a command mean; "." are those that were there before."""
        if {".", "./", ":/", "*"} & set(names):
            return [path for path, is_new in self.edited.items() if not is_new]
        parts = [f"/{re.sub(r'^(?:[.]{0,2}/)+', '', name).rstrip('/')}/" for name in names if name[0] != "-"]
        return [path for path in self.edited if any(part in f"/{path}/" for part in parts)]


def _test_result(command: str, output: str, *, is_error: bool) -> str:
    """How a test run ended: the counts that it printed last, and its command."""
    lines = [found for line in output.splitlines() if (found := _COUNT.findall(line))]
    counts = ", ".join(dict.fromkeys(count for found in lines[-2:] for count in found))
    # The part of the command line that runs the tests, without what is before and after it.
    parts = _PARTS.split(" ".join(command.split()))
    part = next((part for part in reversed(parts) if _TEST.search(part)), "")
    return f"{counts or ('failed' if is_error else 'passed')} (`{part[:_MAX_SHOWN].strip()}`)"
