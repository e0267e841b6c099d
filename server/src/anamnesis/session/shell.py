"""What a shell command is, did and reverted, from its words and its output. Pure.

Commands are parsed just enough to recognise a test run, a commit, or a retry of the same command. A variable
or a loop is treated as a plain word.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise, repeat
from typing import Literal, NamedTuple

Words = list[str]

_MAX_COMMAND, _MAX_OUTPUT = 4_000, 20_000
_MAX_SHOWN, _MAX_RESULT = 200, 140
_NESTED = 3  # commands inside of commands
_HEREDOC = re.compile(r"<<-?\s{0,4}['\"]?(\w{1,40})['\"]?[^\n]{0,200}\n(.*?)(?:\n\s{0,8}\1\b|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<redirect>\d?>{1,2}&?\d?)|(?P<end>&&|\|\||[;|&\n()])"
    r"|(?P<word>(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\.|[^\s\"'&|;()\\>])+)"
)
_ASSIGNMENT = re.compile(r"\w+=")
# Words that only say how the command after them is run, and programs that have such words.
_RUNNERS = set("sudo time env nohup command exec npx xvfb-run then do".split())
_RUN_BY = set("uv poetry pipenv bundle pnpm yarn bunx hatch rye python python3".split())
_RUN = set("uv poetry pipenv hatch rye".split())  # for the others, `run` names an entry of the project
_SSH_VALUES = ("-p", "-i", "-l", "-o", "-F", "-J")
_SUBCOMMAND = re.compile(r"[a-z][a-z:-]{0,40}")
_SCRIPT = re.compile(r"[\w./-]{1,200}\.(?:py|js|ts|mjs|sh|rb|php|pl)")
# A failure of these means "not found", and their success proves nothing.
_READING = set(
    "cd ls cat grep rg find head tail echo which pwd wc test sleep kill pkill sed awk jq diff true export"
    " source set ps lsof mkdir cp mv rm type stat tree file printf".split()
)
_READING_KINDS = {"python", "python3", "node"} | {
    f"git {verb}" for verb in ("status", "log", "diff", "show", "branch", "grep", "fetch")
}
Undoing = Literal["restore", "remove", "clean", "stash", "unstash", "uncommit", "reset"]
_FILE_NAME = re.compile(r"\S{0,300}\.[a-zA-Z]\w{0,9}")
_HEAD = re.compile(r"HEAD(?:~(\d{0,3})|(\^{1,20}))")


def simple_commands(command: str, nested: int = _NESTED) -> list[Words]:
    """The simple commands of a command line, as words; those inside `ssh` and `bash -c` too."""
    found: list[Words] = [[]]
    for token in _TOKEN.finditer(_HEREDOC.sub(" ", command[:_MAX_COMMAND])):
        if token["end"]:
            found.append([])
        elif token["word"]:
            found[-1].append(re.sub(r"[\"']|\\(?=.)", "", token["word"]))
    return [inner for words in found for inner in _unwrapped(words, nested)]


def _unwrapped(words: Words, nested: int) -> list[Words]:
    while words and (words[0] in _RUNNERS or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    if len(words) < 3 or not nested:
        return [words] if words else []
    if words[0] == "ssh":
        return simple_commands(" ".join(_behind_host(words[1:])), nested - 1)
    if words[0] in ("bash", "sh") and words[1] in ("-c", "-lc"):
        return simple_commands(words[2], nested - 1)
    if words[0] in _RUN_BY and (words[1] in ("exec", "-m") or (words[1] == "run" and words[0] in _RUN)):
        return _unwrapped(words[2:], nested - 1)
    return [words]


def _behind_host(words: Words) -> Words:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _SSH_VALUES else words[1:]
    return words[1:]


def kinds_of(command: str) -> set[str]:
    """What a command line runs, without arguments (`cargo test`); not commands that only read."""
    return {_kind(words) for words in simple_commands(command) if not _only_reads(words)}


def _kind(words: Words) -> str:
    first = next((word for word in words[1:] if not word.startswith("-")), "")
    is_part = _SUBCOMMAND.fullmatch(first) or _SCRIPT.fullmatch(first)
    return f"{_program(words)} {first}" if is_part else _program(words)


def _program(words: Words) -> str:
    return words[0].rpartition("/")[2]


def _only_reads(words: Words) -> bool:
    return _program(words) in _READING or _kind(words) in _READING_KINDS


def shown(command: str) -> str:
    """A command on one line, cut at a word."""
    line = " ".join(_HEREDOC.sub("<<…", command[:_MAX_COMMAND]).split())
    return line if len(line) <= _MAX_SHOWN else line[:_MAX_SHOWN].rsplit(" ", 1)[0] + " …"


def is_git(words: Words, *verbs: str) -> bool:
    """Whether a simple command is git with one of these verbs."""
    return words[0] == "git" and bool(found := git_words(words)) and found[0] in verbs


def git_words(words: Words) -> Words:
    """The words after `git` and its own options."""
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c", "--git-dir", "--work-tree") else rest[1:]
    return rest


# -- tests ------------------------------------------------------------------------------------------------

_TEST_WORD = re.compile(
    r"(?:\S{0,100}/)?(?:pytest|py\.test|rspec|phpunit|jest|vitest|mocha|ctest|nextest|tox|nox|playwright|cypress"
    r"|behave|bats|spec|tests?)(?:[:.-]\w{1,30})?"
    r"|:?(?:[\w-]{1,40}:){0,4}(?:test[A-Z]\w{0,40}|\w{1,40}Tests?)"  # tasks of Gradle
)
# Programs that do more than run tests, with the words that make them run some.
_TEST_VERBS = {"playwright": {"test"}, "cypress": {"run"}}
_PIPED = re.compile(r"(?:\s\d?>{1,2}\s?\S{1,80}|\s\d>&\d)*\s*\|[^|].*", re.DOTALL)
_SEPARATOR = re.compile(r"\s*(?:&&|;|\n)\s*")
_CHECKED_BY = ("make", "just", "mvn", "mvnw", "gradlew")
_COUNT = re.compile(
    r"\b\d+\s+(?:tests?\s+|examples?\s+|specs?\s+)?(?:passed|failed|passing|failing|pass|fail|failures?|errors?"
    r"|completed|succeeded)\b|\b\d+ (?:tests?|examples?|specs?)\b"
    r"|\b(?:tests?(?: run)?|passed|failed|failures|errors):\s{1,8}\d+"
    r"|% tests passed",
    re.IGNORECASE,
)
_FAILURES = re.compile(
    r"(?im)\b[1-9]\d*\s+(?:tests? |examples? |specs? )?(?:failed|failing|failures?|errors?)\b"
    r"|\b(?:failed|failures|errors):\s{1,8}[1-9]|^--- FAIL"
)
_FAILING = re.compile(r"^(?:--- )?FAIL[:\s]+(\S{1,100})", re.MULTILINE)
_LAST_LINES, _RESULT_LINES = 60, 3


def is_test_run(command: str) -> bool:
    """Whether a command line runs tests."""
    return any(map(_runs_tests, simple_commands(command)))


def _runs_tests(words: Words) -> bool:
    if _only_reads(words) or words[0] == "git":
        return False
    if (verbs := _TEST_VERBS.get(_program(words))) is not None:
        return bool(verbs & set(words[1:]))
    checks = _program(words) in _CHECKED_BY and bool({"check", "verify"} & set(words))
    return checks or any(map(_TEST_WORD.fullmatch, words[:6]))


def is_failed_test(command: str, output: str) -> bool:
    """Whether a command line ran tests of which some failed, or hides how they ended (`pytest | grep x`)."""
    if not is_test_run(command):
        return False
    end = output[-_MAX_OUTPUT:]
    is_hidden = _PIPED.search(command) is not None and _COUNT.search(end) is None
    return is_hidden or _FAILURES.search(end) is not None


def test_result(command: str, output: str, *, is_error: bool) -> str:
    """How a test run ended, in its own words where it prints counts."""
    lines = output[-_MAX_OUTPUT:].splitlines()[-_LAST_LINES:]
    tidy = [" ".join(line.strip(" =-*✓✔✗").split()) for line in lines]
    counts = [line for line in tidy if _COUNT.search(line) and len(line) <= _MAX_RESULT][-_RESULT_LINES:]
    if not counts:
        failing = _FAILING.search(output[:_MAX_OUTPUT])
        counts = [f"failed: {failing[1]}" if failing else "failed" if is_error else "passed"]
    return f"{'; '.join(counts)[-_MAX_RESULT:]} (`{shown(_test_part(command))}`)"


def _test_part(command: str) -> str:
    """The parts of a command line that run tests, without what runs before and after them."""
    parts = [part for part in _SEPARATOR.split(_HEREDOC.sub(" ", command)) if is_test_run(part)]
    return " && ".join(_PIPED.sub("", part).strip() for part in parts) or command


# -- commits and pull requests ----------------------------------------------------------------------------

_COMMITTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_LOGGED = re.compile(r"^([0-9a-f]{7,40}) (?:\([^)\n]{1,200}\) )?(.{1,200})$", re.MULTILINE)
_MESSAGE_FLAG = re.compile(r"--message|-[a-zA-Z]*m")
_TRAILER = re.compile(
    r"[A-Z][\w-]{1,40}: .{1,200}@|[A-Z]\w{0,20}-[Bb]y: |\W{0,4}Generated with "
    r"|(?i:refs?|fixes|closes|see) #?\d"
)
_PULL_REQUEST = re.compile(
    r"https?://[^\s/<>\"')]{1,200}/[^\s<>\"')]{1,300}?/(?:pull|merge_requests|pull-requests|pullrequest)/\d{1,9}"
    r"|(?<=(?:pull|erge) request )[\w./-]{0,200}[#!]\d{1,9}"
)
_TICKET = re.compile(
    r"https?://[^\s<>\"')]{1,300}?/(?:issues|browse|issue|work_items|_workitems/edit)/[\w-]{1,40}"
    r"|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b"
)


class Commit(NamedTuple):
    """A commit that a command made; `digest` is empty if it was not printed."""

    digest: str
    subject: str
    is_amended: bool = False

    def __str__(self) -> str:
        return f"{self.digest[:10]} {self.subject}".strip()


def commits_of(command: str, output: str) -> list[Commit]:
    """The commits that a command line made, with their subject lines."""
    made = [words for words in simple_commands(command) if is_git(words, "commit")]
    amended = ["--amend" in words for words in made] or [False]
    printed = _COMMITTED.findall(output[:_MAX_OUTPUT])
    if printed:
        rows = zip(printed, chain(amended, repeat(False)), strict=False)
        return [Commit(digest, subject, is_amended) for (digest, subject), is_amended in rows]
    message = next(filter(None, (_message(command, words) for words in reversed(made))), "")
    subject = message.partition("\n")[0].strip()[:_MAX_SHOWN]
    if not subject:
        return []
    logged = [digest for digest, text in _LOGGED.findall(output[:_MAX_OUTPUT]) if text == subject]
    return [Commit(logged[0] if logged else "", subject, amended[0])]


def _message(command: str, words: Words) -> str:
    """The message given to `git commit` with `-m`, also from a here-document."""
    texts = [text for flag, text in pairwise(words) if _MESSAGE_FLAG.fullmatch(flag)]
    document = _HEREDOC.search(command, command.find("commit")) if texts and texts[0][:1] == "$" else None
    return (document[2] if document else "\n\n".join(texts)).strip()


def message_body(command: str) -> str:
    """What a commit's message says below its subject, without trailers; "" when nothing is committed."""
    made = (words for words in simple_commands(command) if is_git(words, "commit"))
    lines = _message(command, next(made, [])).split("\n")[1:]
    return "\n".join(line for line in lines if not _TRAILER.match(line.strip())).strip()


def pull_requests_in(text: str) -> list[str]:
    """The addresses of pull or merge requests in a text."""
    return list(dict.fromkeys(_PULL_REQUEST.findall(text[:_MAX_OUTPUT])))


def ticket_in(text: str) -> str:
    """The address or the key of the ticket that a tracker's answer names first; "" when it names none."""
    found = _TICKET.search(text[:_MAX_OUTPUT])
    return found[0] if found else ""


def title_given(command: str) -> str:
    """The title that a command gives a ticket."""
    for words in simple_commands(command):
        for flag, text in pairwise(words):
            if flag in ("--title", "-t", "--summary", "-s"):
                return text[:_MAX_SHOWN]
    return ""


class Undo(NamedTuple):
    """A command that reverts work: what it does, to which paths ("." is all), and to how many commits."""

    what: Undoing
    paths: tuple[str, ...] = ()
    commits: int = 0


def undone_by(command: str) -> list[Undo]:
    """What a command line reverts, in order."""
    found = (_undo(words) for words in simple_commands(command))
    return [undo for undo in found if undo is not None]


def _undo(words: Words) -> Undo | None:
    if words[0] in ("rm", "trash", "unlink") or is_git(words, "rm"):
        return Undo("remove", tuple(word for word in words[1:] if not word.startswith("-")))
    if words[0] != "git":
        return None
    verb, *rest = git_words(words) or [""]
    if verb in ("checkout", "restore"):
        return _restored(verb, rest)
    if verb == "clean":
        return Undo("clean") if any(word.startswith(("-f", "-d", "-x", "--force")) for word in rest) else None
    if verb == "stash":
        return _stashed(rest)
    return _reset(rest) if verb == "reset" else None


def _restored(verb: str, rest: Words) -> Undo | None:
    if verb == "restore" and {"--staged", "-S"} & set(rest) and not {"--worktree", "-W"} & set(rest):
        return None
    if "--" in rest:
        return Undo("restore", tuple(rest[rest.index("--") + 1 :]))
    if verb == "checkout" and {"-b", "-B", "--orphan", "-t"} & set(rest):
        return None
    paths = tuple(word for word in rest if not word.startswith("-"))
    if verb == "checkout":  # a word that does not name a file is a branch or a commit
        paths = tuple(word for word in paths if word in (".", ":/") or _FILE_NAME.fullmatch(word))
    return Undo("restore", paths) if paths else None


def _stashed(rest: Words) -> Undo | None:
    if rest[:1] in (["pop"], ["apply"]):
        return Undo("unstash")
    if rest[:1] in ([], ["push"], ["save"]) or rest[0].startswith("-"):
        return Undo("stash", tuple(rest[rest.index("--") + 1 :]) if "--" in rest else (".",))
    return None


def _reset(rest: Words) -> Undo | None:
    head = next((found for word in rest if (found := _HEAD.fullmatch(word))), None)
    count = (int(head[1] or 1) if head[2] is None else len(head[2])) if head else 0
    if "--hard" in rest:
        elsewhere = [word for word in rest if not word.startswith(("-", "HEAD"))]
        return Undo("reset", (".",), 1_000 if elsewhere else count)
    return Undo("uncommit", commits=count) if count else None
