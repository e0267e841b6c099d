"""Why syncing with a remote failed: maps git's and ssh's messages to a kind and a remedy. Pure."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis.address import Address, parse_address
from anamnesis.git import reason

Step = Literal["fetch", "push"]
SET_ADDRESS = "`anamnesis config set remote URL` sets the right address"
_DAMAGE = (
    r"\bcorrupt|bad object|bad tree|inflate:|loose object|object file .* is empty|did not send all|"
    r"missing necessary objects|(?:Could not|unable to) read [0-9a-f]{40}|Failed to traverse|"
    r"unexpected line in|bad ref|cannot lock ref.*unable to resolve"
)
# What a remote reports if it accepted all objects but lacks the history they build on.
_LACKS_OLDER = r"\[remote rejected\] \(missing necessary objects\)|remote: .*unresolved deltas left"


class Failure(NamedTuple):
    """What went wrong: its kind, a sentence that quotes git, and what to type."""

    kind: str
    what: str
    remedy: str = ""

    @property
    def text(self) -> str:
        """Sentence and remedy as one line."""
        return f"{self.what}; {self.remedy}" if self.remedy else self.what


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


def is_damaged_here(said: str, git_dir: Path, *, step: Step) -> bool:
    """Whether git's message is about the store's own repository, not the remote's."""
    if re.search(_LACKS_OLDER, said):
        return False  # everything was read here and sent
    # A push only reads here; messages from the other side are marked or have relative paths.
    return any(
        str(git_dir) in line
        or line.startswith("fatal: bad object refs/")
        or (step == "push" and not line.startswith("remote:") and " ./" not in line)
        for line in said.splitlines()
        if re.search(_DAMAGE, line)
    )


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


def damaged_here(said: str, git_dir: Path) -> Failure:
    """The store's own repository cannot be read, and rebuilding it did not help."""
    return Failure(
        "damaged here",
        f"the git repository in {git_dir} cannot be used ({reason(said)}), your notes are untouched",
        "`anamnesis doctor` says what is wrong",
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
