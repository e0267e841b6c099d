"""Why syncing with a remote failed: maps git's and ssh's messages to a kind and a remedy. Pure."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis.address import Address, parse_address
from anamnesis.git import reason

Step = Literal["fetch", "push"]
_FILES = ("ssh", "path")  # remotes whose files a person can access
_NEW = "git init --bare --initial-branch=main"
_SET = "`anamnesis config set remote URL` sets the right address"
# What a remote reports if it accepted all objects but lacks the history they build on.
_LACKS_OLDER = r"\[remote rejected\] \(missing necessary objects\)|remote: .*unresolved deltas left"
_DAMAGE = (
    r"\bcorrupt|bad object|bad tree|inflate:|loose object|object file .* is empty|did not send all|"
    r"missing necessary objects|(?:Could not|unable to) read [0-9a-f]{40}|Failed to traverse|"
    r"unexpected line in"
)


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
    over: tuple[str, ...] = ("ssh", "web", "git", "path")  # kinds of address that this applies to
    step: tuple[str, ...] = ("fetch", "push")
    is_first: bool = False  # only if the remote has never answered


RULES = (
    Rule(
        "hook",
        r"hook declined",
        "a hook of the remote refused the push",
        "do what it says; the next sync tries again",
    ),
    Rule(
        "shallow",
        r"shallow (?:roots|update)s? (?:are )?not allowed",
        "the remote is a shallow clone, which lacks the older part of its history",
        "complete it: `{there}git -C {path} fetch --unshallow`",
    ),
    Rule(
        # A purge builds on older commits; a fetch does not notice that the remote lacks them if they are
        # here.
        "shallow",
        _LACKS_OLDER,
        "the remote lacks the older part of its history, as a shallow clone does",
        "complete it: `{there}git -C {path} fetch --unshallow`; if it is complete: `git fsck`",
    ),
    Rule(
        "host key",
        r"HOST IDENTIFICATION HAS CHANGED",
        "the host key of {name} is not the one that ssh knows",
        "if the host was reinstalled, type `ssh-keygen -R {known}`, then `{ssh}` and compare the fingerprint",
    ),
    Rule(
        "host key",
        r"Host key verification failed|host key is known for",
        "ssh does not know the host key of {name} yet",
        "type `{ssh}`, compare the fingerprint and answer yes",
    ),
    Rule(
        "not bare",
        r"refusing to update checked out branch|currently checked out|denyCurrentBranch",
        "the remote has its branch checked out",
        "use a bare repository: `{there}" + _NEW + " memory.git`",
    ),
    Rule(
        "disk",
        r"No space left on device|[Qq]uota exceeded",
        "the disk of the remote is full",
        "make room there: `{there}df -h`",
        step=("push",),
    ),
    Rule(
        "disk",
        r"No space left on device|[Qq]uota exceeded",
        "the disk of this machine is full",
        "make room: `df -h`",
    ),
    Rule(
        "login",
        r"Permission denied \([a-z,-]+\)|Too many authentication failures|[Nn]o supported authentication",
        "authentication failed: {name} does not accept this machine's ssh key",
        "type `{copy}`; when the key has a passphrase, `ssh-add`",
        over=("ssh",),
    ),
    Rule(
        "login",
        r"Authentication failed|(?:could not read|unable to get) (?:Username|[Pp]ass)|returned error: 401",
        "authentication failed: {name} does not accept the user and password, or got none",
        "`anamnesis init` asks for the address again: https://USER:PASSWORD@host/path",
        over=("web",),
    ),
    Rule(
        "permission",
        r"dubious ownership",
        "the repository of the remote belongs to another user",
        "type `{there}git config --global --add safe.directory {path}`",
    ),
    Rule(
        "permission",
        r"access denied or repository not exported|service not enabled",
        "no permission: {name} takes no pushes over git://",
        "start its git daemon with --enable=receive-pack, or use ssh",
        over=("git",),
        step=("push",),
    ),
    Rule(
        "permission",
        r"[Pp]ermission denied|insufficient permission|[Rr]ead-only|unable to create temporary object",
        "no permission to {act} the remote",
        "`{there}ls -ld {path}` shows whose it is; give the account the right",
        over=_FILES,
    ),
    Rule(
        "permission",
        r"returned error: 403|[Pp]ermission .{0,300}denied|insufficient permission|not granted|"
        r"not allowed to|unable to create temporary object",
        "no permission to {act} the remote",
        "give the account the right at {name}, or use another",
    ),
    Rule(
        "program",
        r"cannot run|unable to fork",
        "git found no ssh on this machine",
        "install the OpenSSH client",
        over=("ssh",),
    ),
    Rule(
        "program",
        r"upload-pack:? (?:command )?not found|receive-pack:? (?:command )?not found|-pack: No such file",
        "{name} has no git, or not on its PATH",
        "install git there",
        over=("ssh",),
    ),
    Rule(
        "address",
        r"does not appear to be a git repository|invalid gitfile format|No such file or directory",
        "there is no git repository at that address",
        "create one: `{there}" + _NEW + " {path}`, or: " + _SET,
        over=_FILES,
    ),
    Rule(
        "address",
        r"[Rr]epository .{0,300}not found|not a git repository|repository not exported|could not be found|"
        r"does not exist|returned error: 404",
        "there is no git repository at that address, or the account may not see it",
        _SET,
    ),
    Rule(
        "address",
        r"Name or service not known|nodename nor servname|No address associated|Could not resolve host:",
        "no host {name} was found",
        _SET + "; without a network, the next sync tries again",
        is_first=True,
    ),
    Rule(
        "certificate",
        r"certificate",
        "the certificate of {name} is not trusted",
        "`git config --global http.{server}/.sslCAInfo FILE` names the authority that signed it",
        over=("web",),
    ),
    Rule(
        "format",
        r"mismatched algorithms|not support this repository's hash|unknown object format",
        "the remote has another object format",
        "use one created with `" + _NEW + " --object-format=sha1 memory.git`",
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
        r"resolve|Connection (?:refused|reset|closed|timed out)|[Tt]imed out|unreachable|No route to host|"
        r"connect to|look up|hung up unexpectedly|early EOF|returned error: 5\d\d|RPC failed|kex_exchange",
        "offline: no connection to {name}",
        "the next sync tries again",
    ),
)


def classify(said: str, remote: str, *, step: Step, is_first: bool = False) -> Failure:
    """Git's output about `remote` as one failure; `other` if no rule matches.

    `is_first`: the remote has never answered. A host that answered before is only unreachable now.
    """
    address = parse_address(remote)
    over, parts = _over(address), _parts(address, step)
    words = reason(said) or "git gave no reason"
    for rule in RULES:
        fits = step in rule.step and over in rule.over and (is_first or not rule.is_first)
        if fits and re.search(rule.words, said):
            what, remedy = rule.what.format_map(parts), rule.remedy.format_map(parts)
            return Failure(rule.kind, f"{what} ({words})", remedy)
    return Failure("other", f"the {step} failed ({words})", "the next sync tries again")


def is_damaged_here(said: str, git_dir: Path, *, step: Step) -> bool:
    """Whether git's message is about the store's own repository, not the remote's."""
    damage = [line for line in said.splitlines() if re.search(_DAMAGE, line)]
    if re.search(_LACKS_OLDER, said):
        return False  # everything was read here and sent
    # A push only reads here; messages from the other side are marked or have relative paths.
    is_push = step == "push"
    return any(
        str(git_dir) in line or (is_push and not line.startswith("remote:") and " ./" not in line)
        for line in damage
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
    remedy = (
        f"correct the address (`anamnesis config set remote URL`), or mount its disk; if it never existed,"
        f" `anamnesis init --remote {shown} --create --yes` creates it"
    )
    if not is_first:
        remedy = "mount its disk; the next sync tries again"
    return Failure("away", f"the remote's folder {shown} does not exist", remedy)


def damaged_here(said: str, git_dir: Path) -> Failure:
    """The store's own repository cannot be read."""
    return Failure(
        "damaged here",
        f"the git repository in {git_dir} is damaged ({reason(said)}), your notes are untouched",
        "`anamnesis doctor --fix` sets it aside; the history comes back from the remote, if there is one",
    )


def emptied(shown: str) -> Failure:
    """A remote that had notes and is empty now."""
    return Failure(
        "history",
        f"the remote {shown} is empty but was not when last seen; nothing was changed",
        "if that is intended, `anamnesis sync --rejoin` fills it again from this machine",
    )


def foreign(shown: str, files: list[str]) -> Failure:
    """A remote that contains something other than notes, as these files show."""
    named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return Failure(
        "foreign",
        f"{shown} contains other files ({named}) and no notes; nothing was sent or received",
        f"{_SET}, or `anamnesis sync --rejoin` stores your notes there anyway",
    )


def rewritten(shown: str, lost: str) -> Failure:
    """A remote whose branch no longer contains the commit `lost`."""
    return Failure(
        "history",
        f"the history of {shown} was rewritten: it no longer holds commit {lost[:7]}; nothing was changed",
        "`anamnesis sync --rejoin` counts what would change and asks",
    )


def _over(address: Address) -> str:
    if address.is_web:
        return "web"
    scheme = address.scheme.lower()
    return "ssh" if "ssh" in scheme else "git" if scheme == "git" else "path"


def _parts(address: Address, step: Step) -> dict[str, str]:
    """The values for a rule's templates; commands can be pasted into a shell."""
    who = shlex.quote(f"{address.user}@{address.name}" if address.user else address.name)
    port = f"-p {address.port} " if address.port else ""
    is_ssh = _over(address) == "ssh"
    path = address.path.removeprefix("/~/")  # a command over ssh starts in the home folder
    return {
        "act": "write to" if step == "push" else "read",
        "copy": f"ssh-copy-id {port}{who}",
        "known": shlex.quote(f"[{address.name}]:{address.port}" if address.port else address.name),
        "name": address.name or "the remote",
        "path": shlex.quote(path) if path else "FOLDER",
        "server": f"{address.scheme}://{address.host}",
        "ssh": f"ssh -T {port}{who}",
        "there": f"ssh {port}{who} " if is_ssh else "",
    }
