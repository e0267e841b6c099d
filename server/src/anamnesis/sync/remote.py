"""The remote: fetch, push, creating it, and why that failed: git's and ssh's messages as a kind and a remedy.

Does not touch a store's files.
"""

from __future__ import annotations

import os
import re
import shlex
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis.address import Address, check_remote, is_local_remote, mask, parse_address, split_login
from anamnesis.errors import AnamnesisError, GitError, GitTimeout
from anamnesis.git import Answer, Git, reason, remedy_for, run_command
from anamnesis.layout import MAIN, RECORD_FOLDERS, TRACKING
from anamnesis.notes.vocabulary import TYPES
from anamnesis.settings import resolve_number
from anamnesis.sync.repo import Repo, damaged_here, find_damage, is_damage
from anamnesis.sync.results import Finding
from anamnesis.sync.state import Failure
from anamnesis.text import StepProgress, first_few, plural, silent

Step = Literal["fetch", "push"]
SET_ADDRESS = "`anamnesis config set remote URL` sets the right address"
_DAMAGE = (
    r"\bcorrupt|bad object|bad tree|inflate:|loose object|object file .* is empty|did not send all|"
    r"missing necessary objects|(?:Could not|unable to) read [0-9a-f]{40}|Failed to traverse|"
    r"unexpected line in|bad ref|cannot lock ref.*unable to resolve"
)
# What a remote reports if it accepted all objects but lacks the history they build on.
_LACKS_OLDER = r"\[remote rejected\] \(missing necessary objects\)|remote: .*unresolved deltas left"
_RACED = re.compile(
    r"\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to (?:update|lock)|"
    r"incorrect old value|but expected|reference already exists|unable to create .*\.lock",
    re.IGNORECASE,
)
_CONNECTION = re.compile(r"[Cc]onnect|not resolve|timed? ?out|route|refused|returned error|ssh:")
_EMPTY = "couldn't find remote ref"
_OWN_FOLDERS = tuple(f"{name}/" for name in (*TYPES, *RECORD_FOLDERS))
_HOSTS = re.compile(r"(?:readme|licen[cs]e|\.git\w+)[^/]*\Z", re.IGNORECASE)  # files that a git host adds
_SHALLOW = "shallow roots are not allowed"


class Rule(NamedTuple):
    """If git's output matches `words`, the failure is `kind`; `what` and `remedy` are templates."""

    kind: str
    words: str
    what: str
    remedy: str


RULES = (
    Rule(
        "hook",
        r"hook declined",
        "a hook of the remote refused the push",
        "do what it says; the next sync tries again",
    ),
    Rule(
        "shallow",
        rf"shallow (?:roots|update)s? (?:are )?not allowed|{_LACKS_OLDER}",
        "the remote lacks the older part of its history, as a shallow clone does",
        "complete it: `{there}git -C {path} fetch --unshallow`; if it is complete: `git fsck`",
    ),
    Rule(
        "host key",
        r"HOST IDENTIFICATION HAS CHANGED|Host key verification failed|host key is known for",
        "the host key of {name} is not one that ssh knows",
        "type `{ssh}`, compare the fingerprint and answer yes; if the host was reinstalled,"
        " `ssh-keygen -R {known}` first",
    ),
    Rule(
        "not bare",
        r"refusing to update checked out branch|currently checked out|denyCurrentBranch",
        "the remote has its branch checked out",
        "use a bare repository: `{there}git init --bare --initial-branch=main memory.git`",
    ),
    Rule(
        "disk",
        r"No space left on device|[Qq]uota exceeded",
        "the disk of {full} is full",
        "make room: `{df}`",
    ),
    Rule(
        "login",
        r"Permission denied \([a-z,-]+\)|Too many authentication failures|[Nn]o supported authentication|"
        r"Authentication failed|(?:could not read|unable to get) (?:Username|[Pp]ass)|returned error: 401",
        "authentication failed: {name} does not accept this machine's {key}",
        "{login}",
    ),
    Rule(
        "permission",
        r"[Pp]ermission denied|insufficient permission|[Rr]ead-only|unable to create temporary object|"
        r"dubious ownership|returned error: 403|[Pp]ermission .{0,300}denied|not granted|not allowed to|"
        r"service not enabled|^push: [\s\S]*access denied or repository not exported",
        "no permission to {act} the remote",
        "{permit}",
    ),
    Rule(
        "address",
        r"does not appear to be a git repository|invalid gitfile format|No such file or directory|"
        r"[Rr]epository .{0,300}not found|not a git repository|repository not exported|could not be found|"
        r"does not exist|returned error: 404",
        "there is no git repository at that address, or the account may not see it",
        SET_ADDRESS + "; to create one: `{there}git init --bare --initial-branch=main {path}`",
    ),
    Rule(
        "certificate",
        r"certificate",
        "the certificate of {name} is not trusted",
        "`git config --global http.{server}/.sslCAInfo FILE` names the authority that signed it",
    ),
    Rule(
        "damaged",
        _DAMAGE,
        "the repository of the remote is damaged",
        "`{there}git -C {path} fsck` says how; replace it by a new one and run `anamnesis sync --rejoin`",
    ),
    Rule(
        "locked",
        r"\.lock': File exists",
        "the remote's branch is locked: a git process was cut short there",
        "remove the file that is named, when no git process runs there",
    ),
    Rule(
        "network",
        r"[Nn]ot resolve|name resolution|service not known|nodename nor servname|No address associated|"
        r"Connection (?:refused|reset|closed|timed out)|[Tt]imed out|unreachable|No route to host|"
        r"connect to|look up|hung up unexpectedly|early EOF|returned error: 5\d\d|RPC failed|kex_exchange",
        "offline: no connection to {name}",
        "the next sync tries again; if the address is wrong: " + SET_ADDRESS,
    ),
)


def classify(said: str, remote: str, *, step: Step) -> Failure:
    """Git's output about `remote` as one failure; `other` if no rule matches."""
    address = parse_address(remote)
    parts = _parts(address, step)
    words = reason(said) or "git gave no reason"
    for rule in RULES:
        if re.search(rule.words, f"{step}: {said}"):
            what, remedy = rule.what.format_map(parts), rule.remedy.format_map(parts)
            return Failure(rule.kind, f"{what} ({words})", remedy)
    return Failure("other", f"the {step} failed ({words})", "the next sync tries again")


def silent_remote(seconds: float) -> Failure:
    """A remote that did not answer in time."""
    longer = max(120, round(seconds * 10))
    return Failure(
        "slow",
        f"offline: the remote is slow, it did not answer for {seconds:g} s",
        f"to wait longer, type `anamnesis sync --timeout {longer}`,"
        f" or `anamnesis config set sync_timeout {longer}` permanently",
    )


def missing_folder(path: str, *, is_first: bool) -> Failure:
    """A remote that is a missing folder on this machine.

    If it existed before, its disk is not mounted, so creating an empty folder would be wrong.
    """
    shown = shlex.quote(path)
    create = f"`anamnesis init --remote {shown} --create --yes` creates it"
    remedy = f"mount its disk, or correct the address: {SET_ADDRESS}; if it never existed, {create}"
    return Failure(
        "away",
        f"the remote's folder {shown} does not exist",
        remedy if is_first else "mount its disk, and sync again",
    )


def _parts(address: Address, step: Step) -> dict[str, str]:
    """The values for a rule's templates; commands can be pasted into a shell."""
    who = shlex.quote(f"{address.user}@{address.name}" if address.user else address.name)
    port = f"-p {address.port} " if address.port else ""
    is_ssh = "ssh" in address.scheme.lower() and not address.is_web
    path = shlex.quote(address.path.removeprefix("/~/")) if address.path else "FOLDER"
    there = f"ssh {port}{who} " if is_ssh else ""
    is_push = step == "push"
    look = f"`{there}ls -ld {path}` shows whose it is; give the account the right"
    return {
        "act": "write to" if is_push else "read",
        "df": f"{there if is_push else ''}df -h",
        "full": "the remote" if is_push else "this machine",
        "key": "ssh key" if is_ssh else "user and password, or got none",
        "known": shlex.quote(f"[{address.name}]:{address.port}" if address.port else address.name),
        "login": f"type `ssh-copy-id {port}{who}`; when the key has a passphrase, `ssh-add`"
        if is_ssh
        else "`anamnesis init` asks for the address again: https://USER:PASSWORD@host/path",
        "name": address.name or "the remote",
        "path": path,
        "permit": f"give the account the right at {address.name}" if address.is_web else look,
        "server": f"{address.scheme}://{address.host}",
        "ssh": f"ssh -T {port}{who}",
        "there": there,
    }


class Remote:
    """The remote of a store's repository."""

    def __init__(
        self, repo: Repo, url: str, *, silence: float, is_first: bool, progress: StepProgress = silent
    ) -> None:
        self._repo = repo
        self._git = repo.git
        self._silence = silence
        self._is_first = is_first  # whether the remote has never answered
        self._progress = progress
        self._url = url
        self._shown = mask(url)
        self._login = split_login(url)[1]

    def fetch(self) -> str | Failure | None:
        """Ask the remote for its branch; returns its commit, None if there is none, or what went wrong."""
        options = ("--no-tags", "--no-prune", "--no-write-fetch-head", "--no-auto-gc", "--refmap=")
        answer = self._ask("fetch", *options, "--", "origin", f"+{MAIN}:{TRACKING}")
        if isinstance(answer, Failure):
            return answer
        # Git skips the branch of a shallow clone and reports success.
        if answer.code == 0 and _SHALLOW not in answer.err:
            return self._git.ref(TRACKING) or damaged_here("git kept no reference", self._git.dir)
        if _EMPTY not in answer.err:
            return self._failure(answer.err, "fetch")
        if self._git.ref(TRACKING):
            self._repo.point(TRACKING, None)
        return None

    def history_failure(self, commit: str | None, seen: str) -> Failure | None:
        """Why the remote's branch cannot be integrated: it is not ours, or has lost history.

        `seen` is the remote's last known commit, "" if it was never reached.
        """
        if not seen:
            alien = self._alien_files(commit) if commit else []
            what = f"{self._shown} contains other files ({first_few(alien)}) and no notes"
            remedy = f"{SET_ADDRESS}, or `anamnesis sync --rejoin` stores your notes there anyway"
            return Failure("foreign", f"{what}; nothing was sent or received", remedy) if alien else None
        if commit is None:
            what = f"the remote {self._shown} is empty but was not when last seen"
            remedy = "if that is intended, `anamnesis sync --rejoin` fills it again from this machine"
            return Failure("history", f"{what}; nothing was changed", remedy)
        if self._repo.has_commit(seen) and self._repo.is_ancestor(seen, commit):
            return None
        what = f"the history of {self._shown} was rewritten: it no longer holds commit {seen[:7]}"
        remedy = "`anamnesis sync --rejoin` counts what would change and asks"
        return Failure("history", f"{what}; nothing was changed", remedy)

    def _alien_files(self, commit: str) -> list[str]:
        """Files that show that a branch is not a memory; [] if it may be one, or was synced before.

        A memory has notes in folders named after their types. A host may have put a few files into an empty
        repository, and someone may start from a folder of markdown.
        """
        paths = self._git.line("ls-tree", "-r", "--name-only", "-z", commit).split("\0")
        if any(path.startswith(_OWN_FOLDERS) for path in paths):
            return []
        return [path for path in paths if path and not path.endswith(".md") and not _HOSTS.match(path)]

    def push(self, commit: str, *, replaces: str | None = None) -> tuple[Failure | None, bool]:
        """Push `commit` to the remote's branch; never by force, unless it `replaces` exactly that commit.

        Returns why that failed, and whether another machine pushed first.
        """
        options = ["--porcelain", "--no-verify", "--no-follow-tags"]
        if is_local_remote(self._url):
            # It is served by our own git: run its hooks, but not those in the user's settings.
            options.append("--receive-pack=git -c core.hooksPath=hooks receive-pack")
        options += [f"--force-with-lease={MAIN}:{replaces}"] if replaces else []
        answer = self._ask("push", *options, "--", "origin", f"{commit}:{MAIN}")
        if isinstance(answer, Failure):
            return answer, False
        if answer.code == 0:
            if self._git.ref(TRACKING) != commit:
                self._repo.point(TRACKING, commit)
            return None, False
        said = answer.out.decode("utf-8", "replace") + answer.err
        failure = self._failure(said, "push")
        # The message of a permanent refusal may also match the pattern of a race.
        is_race = failure.kind in ("other", "locked") and _RACED.search(said)
        return failure, bool(is_race)

    def _ask(self, step: Step, *args: str) -> Answer | Failure:
        """Run `git STEP ARGS` and report its progress; a failure if the remote stays silent."""
        self._progress(step, 0, 0)
        order = (step, "--progress", "--no-recurse-submodules", *args)
        progress = partial(self._progress, step)
        try:
            return self._git.ask(*order, silence=self._silence, progress=progress, login=self._login)
        except GitTimeout:
            return silent_remote(self._silence)

    def _failure(self, said: str, step: Step) -> Failure:
        """What git's output means for this repository and this remote."""
        failure = _remote_failure(self._git, self._url, said, step, is_first=self._is_first)
        # A git process that died because of a damaged object here looks as if the other side hung up.
        is_unclear = failure.kind in ("other", "network") and not _CONNECTION.search(said)
        is_suspect = is_unclear or re.search(_DAMAGE, said)
        is_here = f"{self._git.dir}/" in said and failure.kind != "locked" and is_damage(GitError(said))
        is_damaged = is_here or (is_suspect and find_damage(self._git))
        return damaged_here(said, self._git.dir) if is_damaged else failure


def _remote_failure(git: Git, url: str, said: str, step: Step, *, is_first: bool) -> Failure:
    """What git said about the remote; a folder that does not exist is looked for first."""
    folder = parse_address(url).path if is_local_remote(url) else ""
    if folder and not os.path.exists(os.path.join(git.folder, folder)):
        return missing_folder(folder, is_first=is_first)
    return classify(said, url, step=step)


def check_remote_answers(folder: Path, remote: str | None, *, timeout: float | None = None) -> Finding:
    """The remote can be reached."""
    if not remote:
        return Finding("remote", "ok", "none set: the notes stay on this machine")
    shown, (address, login) = mask(remote), split_login(remote)
    try:
        check_remote(remote)
        seconds = resolve_number("sync_timeout", home=folder.parent) if timeout is None else timeout
        # Git needs a working directory, and a store without notes has none yet.
        git = Git(folder if folder.is_dir() else Path("/"))
        answer = git.ask("ls-remote", "--heads", "--", address, silence=seconds, login=login)
        code = answer.code
        failure = _remote_failure(git, remote, answer.err, "fetch", is_first=True) if code else None
    except GitTimeout:
        failure = silent_remote(seconds)
    except AnamnesisError as exc:
        return Finding("remote", "bad", str(exc), remedy_for(exc, "`anamnesis config set remote URL`"))
    if failure:
        what = failure.what if shown in failure.what else f"{shown}: {failure.what}"
        return Finding("remote", "bad", what, failure.remedy)
    branches = plural(len(answer.out.splitlines()), "branch", "branches")
    return Finding("remote", "ok", f"{shown} answers with {branches}")


def make_bare(address: Address, *, folder: Path) -> bool:
    """Create a bare repository on this machine or over ssh, if nothing is there; returns whether it did.

    The branch is set after `init`, because older versions of git on a host do not support it there.
    """
    path = _shell_path(address.path)
    script = (
        f"if test -e {path}; then echo there; else"
        f" git init --quiet --bare {path} && git --git-dir={path} symbolic-ref HEAD {MAIN}; fi"
    )
    command = ["sh", "-c", script] if not address.host else [*_ssh(address, folder), script]
    answer = run_command(command, folder=folder)
    if answer.code:
        why = reason(answer.err) or answer.code
        raise GitError(f"the repository could not be created ({why}); check the address and your access")
    return b"there" not in answer.out


def _ssh(address: Address, folder: Path) -> list[str]:
    """The ssh command that git itself would use, including the host."""
    own = run_command(["git", "config", "core.sshCommand"], folder=folder)
    program = shlex.split(own.out.decode("utf-8", "replace")) or ["ssh"]
    port = ["-p", address.port] if address.port else []
    host = address.name.strip("[]")
    who = f"{address.user}@{host}" if address.user else host
    return [*program, "-o", "BatchMode=yes", *port, "--", who]


def _shell_path(path: str) -> str:
    """A path quoted for a remote shell; `~/` means the home folder there, as it does for git."""
    home, rest = ("~/", path[2:]) if path.startswith("~/") else ("", path)
    home, rest = ("~/", path[3:]) if path.startswith("/~/") else (home, rest)
    return home + shlex.quote(rest if home or not rest.startswith("-") else f"./{rest}")
