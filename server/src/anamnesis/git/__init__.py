"""Run git: the only place that starts it, with our own configuration and no one else's.

Every call has a clean environment (no inherited `GIT_` variables), its configuration on the command line, no
hooks, prompts, pagers or editors, its own process group, and is killed when git stays silent too long. The
user's ssh configuration and credential helpers keep working: a private remote is reached through them.
Knows repositories, objects and references; knows nothing of notes. Works with git 2.30 and newer.

    objects     reads a repository in bulk: references, blobs, commits, changes
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from typing import IO, NamedTuple

from anamnesis.address import PROTOCOLS, Login, mask
from anamnesis.config import whole_environment
from anamnesis.errors import GitError, GitTimeout
from anamnesis.files import read_text
from anamnesis.layout import BUILT, MAIN

Counts = Callable[[int, int], None]  # is told how many objects of how many git has handled
_LOCAL_SILENCE = 120.0  # seconds; a local command that prints nothing for this long is stuck
WAIT = 3600.0  # for a command that walks a long history and prints nothing until the end
_ASK_SILENCE = 5.0  # the same for a question that a hook waits for
_READ_AT_ONCE = 1000
_NO_GIT = "git was not found on the PATH; install git 2.30 or newer"

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COUNT = re.compile(rb"(?:Receiving|Writing) objects: +\d+% \((\d+)/(\d+)\)")
_TELLING = re.compile(r"(?:fatal|error|ssh|remote|warning|!|Host key)\b|.*(?:denied|refused|HAS CHANGED)")
_NOISE = re.compile(
    r"(?:remote: )?(?:(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking) objects|"
    r"Resolving deltas|Total \d|Delta compression|$)|To |Done$|error: failed to push some refs|"
    r"fatal: Could not read from remote|Please make sure you have|and the repository exists"
)

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.fileMode=false",
    "core.fsmonitor=false",
    "core.sparseCheckout=false",
    "core.useReplaceRefs=false",
    "core.splitIndex=false",
    "core.ignoreStat=false",
    "core.checkStat=default",
    "core.trustctime=true",
    # After a power cut, no branch may point to objects that never reached the disk.
    "core.fsync=committed,loose-object,reference",
    # Not "batch": git 2.39 reports success even if it fails to move the objects into place.
    "core.fsyncMethod=fsync",
    "color.ui=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "log.showSignature=false",
    "i18n.logOutputEncoding=UTF-8",
    "maintenance.auto=false",
    "fetch.writeCommitGraph=false",
    "submodule.recurse=false",
    "credential.interactive=false",
    "init.defaultRefFormat=files",
)

# What an unfinished operation of the user's own git leaves behind.
_OPERATIONS = (
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
    "rebase-merge", "rebase-apply", "sequencer", "info/sparse-checkout", "shallow",
)  # fmt: skip
HEAD_OF_MAIN = f"ref: {MAIN}\n"
FILE_MODE = "100644"
Edits = Mapping[str, bytes | tuple[str, str] | None]  # path -> content, mode and object, or None to remove
OUR_NAME = "anamnesis"
AUTHOR = "anamnesis@"  # prefix of the email address in our commits; the machine's name follows
# Git runs this in a shell; printf is a builtin there, so the values appear in no process list.
_LOGIN_HELPER = (
    '!f() { if test "$1" = get; then printf "username=%s\\npassword=%s\\n"'
    ' "$REMOTE_LOGIN_USER" "$REMOTE_LOGIN_PASSWORD"; fi; }; f'
)


class Answer(NamedTuple):
    """The result of a git command."""

    code: int
    out: bytes
    err: str


class Git:
    """Runs git in one repository: `folder` is its work tree, `dir` its `.git`."""

    def __init__(self, folder: Path, *, email: str = f"{AUTHOR}unknown") -> None:
        self.folder = folder
        self.dir = folder / ".git"
        self.email = email

    def run(self, *args: str, stdin: bytes = b"", silence: float = _LOCAL_SILENCE) -> bytes:
        """The output of `git ARGS`; GitError if it fails."""
        answer = self.ask(*args, stdin=stdin, silence=silence)
        if answer.code:
            raise GitError(f"git {args[0]} failed in {self.folder}: {reason(answer.err) or answer.code}")
        return answer.out

    def line(self, *args: str, stdin: bytes = b"") -> str:
        """The one line that `git ARGS` printed."""
        return self.run(*args, stdin=stdin).decode("utf-8", "replace").strip()

    def ask(
        self,
        *args: str,
        stdin: bytes = b"",
        silence: float = _LOCAL_SILENCE,
        progress: Counts | None = None,
        login: Login | None = None,
    ) -> Answer:
        """Run `git ARGS`: its exit code and output. GitTimeout if it prints nothing for `silence` seconds.

        `progress` gets the object counts. `login`, for a web server, goes through the environment, because
        all users see command lines.
        """
        settings, variables = _login_for_git(login)
        mine = (f"user.name={OUR_NAME}", f"user.email={self.email}", *settings)
        overrides = [part for item in (*_SETTINGS, *mine) for part in ("-c", item)]
        command = ["git", f"--git-dir={self.dir}", f"--work-tree={self.folder}", *overrides, *args]
        # Git resolves relative pathspecs and remotes from `folder`.
        return run_command(
            command,
            folder=self.folder,
            stdin=stdin,
            silence=silence,
            progress=progress,
            extra=variables,
        )

    def ref(self, name: str) -> str | None:
        """The object a reference points to, read from the repository's files; None if it does not exist."""
        text = read_text(self.dir / name).strip()
        if _OID.fullmatch(text):
            return text
        for line in read_text(self.dir / "packed-refs").splitlines():
            oid, _, packed = line.partition(" ")
            if packed == name and _OID.fullmatch(oid):
                return oid
        return None

    def has(self, oid: str) -> bool:
        """Whether the object is in the repository."""
        return self.ask("cat-file", "-e", oid).code == 0

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The content of each blob, in the given order; GitError if one is missing or damaged."""
        wanted = list(oids)
        contents = self.contents(wanted)
        for oid in wanted:
            name, data = next(contents, ("", b""))
            if name != oid:
                raise GitError(
                    f"object {oid} is missing or damaged; `anamnesis sync` rebuilds the repository"
                )
            yield oid, data

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The content of objects of any type, in the given order; missing ones are skipped."""
        wanted = list(oids)
        for start in range(0, len(wanted), _READ_AT_ONCE):
            order = "".join(f"{oid}\n" for oid in wanted[start : start + _READ_AT_ONCE]).encode()
            yield from _read_batch(self.run("cat-file", "--batch", "--buffer", stdin=order))

    def blob(self, oid: str) -> bytes:
        """The content of one blob."""
        return next(self.blobs([oid]))[1]

    def is_on_main(self) -> bool:
        """Whether HEAD is the store's branch."""
        return read_text(self.dir / "HEAD") == HEAD_OF_MAIN

    def is_unfinished(self) -> bool:
        """Whether the user's own git stopped half-way."""
        return any((self.dir / name).exists() for name in _OPERATIONS)

    def blobs_at(self, commit: str, paths: Collection[str]) -> dict[str, str]:
        """The blobs of those of the files that a commit has."""
        asked = "".join(f"{commit}:{path}\n" for path in paths).encode("utf-8", "surrogateescape")
        rows = self.run("cat-file", "--batch-check", "--buffer", stdin=asked).split(b"\n") if asked else []
        known = zip(paths, rows, strict=False)
        return {path: row.split()[0].decode() for path, row in known if not row.endswith(b" missing")}

    def commit(self, parent: str | None, edits: Edits, message: str, *, ref: str = BUILT) -> str:
        """Commit edits on top of `parent` and point `ref` to the new commit, which is returned."""
        me = f"{OUR_NAME} <{self.email}> {int(time.time())} +0000"
        self.fast_import(commit_order(ref, parent, edits, message, me))
        made = self.ref(ref)
        if made is None:
            raise GitError(f"git made no commit in {self.folder}")
        return made

    def fast_import(self, orders: bytes | bytearray, *options: str, silence: float = _LOCAL_SILENCE) -> None:
        """Create the objects described by a `git fast-import` stream."""
        stream = b"feature done\n%sdone\n" % orders
        self.run("fast-import", "--quiet", "--force", "--done", *options, stdin=stream, silence=silence)


def hash_of(data: bytes) -> str:
    """The blob name of this content."""
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def quoted_path(path: str) -> bytes:
    """A path quoted for `git fast-import`."""
    escaped = path.encode("utf-8", "surrogateescape").replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"%s"' % escaped.replace(b"\n", b"\\n")


def commit_order(ref: str, parent: str | None, edits: Edits, message: str, person: str) -> bytes:
    """A `git fast-import` stream that commits edits on top of `parent`."""
    text = message.encode("utf-8", "replace")
    # Without `from`, git would continue the branch that `ref` already is.
    parts = [] if parent else [f"reset {ref}\n".encode()]
    parts += [
        f"commit {ref}\nauthor {person}\ncommitter {person}\n".encode("utf-8", "replace"),
        b"data %d\n%s\n" % (len(text), text),
        f"from {parent}\n".encode() if parent else b"",
    ]
    parts += [b"D %s\n" % quoted_path(path) for path, value in edits.items() if value is None]
    for path, value in edits.items():
        if isinstance(value, bytes):
            name = b"M %s inline %s\n" % (FILE_MODE.encode(), quoted_path(path))
            parts.append(b"%sdata %d\n%s\n" % (name, len(value), value))
        elif value is not None:
            parts.append(b"M %s %s %s\n" % (value[0].encode(), value[1].encode(), quoted_path(path)))
    return b"".join(parts) + b"\n"


def reason(said: str) -> str:
    """The part of git's output that says what went wrong, as one line with credentials masked."""
    lines = [" ".join(line.split()) for line in mask(said).replace("\r", "\n").splitlines() if line.strip()]
    kept = [line for line in lines if not _NOISE.match(line)] or lines
    telling = [line for line in kept if _TELLING.match(line)]
    return " ".join(dict.fromkeys((telling or kept)[:3]))[:400]


def remedy_for(error: Exception, otherwise: str) -> str:
    """The remedy for a failed check; if git is missing, refers to the check for git."""
    return "see `git`" if str(error) == _NO_GIT else otherwise


def machine_name(machine_id: str) -> str:
    """A machine's name as written in commits and heartbeats: valid in an email address."""
    kept = machine_id.strip(" .,:;\"'\\")
    return "".join(char if char.isprintable() and char not in "<> " else "-" for char in kept) or "unknown"


def _login_for_git(login: Login | None) -> tuple[tuple[str, ...], dict[str, str]]:
    """Settings and variables that make git use `login` for its server, not for one it is redirected to."""
    if login is None:
        return (), {}
    name = f"credential.{login.server}"
    variables = {"REMOTE_LOGIN_USER": login.user, "REMOTE_LOGIN_PASSWORD": login.password or ""}
    if login.password is not None:
        # The empty value disables the user's own helpers, which might return another password for the server.
        return (f"{name}.helper=", f"{name}.helper={_LOGIN_HELPER}"), variables
    quoted = login.user.replace("'", "'\\''")
    # `git -c` appends to this variable, which every version reads; GIT_CONFIG_COUNT is newer than 2.30.
    variables["GIT_CONFIG_PARAMETERS"] = f"'{name}.username={quoted}'"
    return (f"{name}.helper={_LOGIN_HELPER}",), variables


def run_command(
    command: list[str],
    *,
    folder: Path,
    stdin: bytes = b"",
    silence: float = _LOCAL_SILENCE,
    progress: Counts | None = None,
    extra: Mapping[str, str] | None = None,
) -> Answer:
    """Run git, or ssh to run it on a host, with our clean environment and `extra` variables."""
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**_environment(), **(extra or {})},
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # no terminal to prompt on, and one group to kill
            umask=0o077,  # objects contain the notes, and the configuration may contain a password
        )
    except FileNotFoundError as exc:
        if not folder.is_dir():
            raise GitError(f"{folder} is not a folder; check that the store is still there") from exc
        raise GitError(_NO_GIT) from exc
    except OSError as exc:
        raise GitError(f"git could not be started ({exc.strerror}); check that you may run it") from exc
    with process, ExitStack() as undo:
        undo.callback(_end, process)
        _feed(process, stdin)
        out, err = _exchange(process, silence, progress)
        undo.pop_all()
    return Answer(process.returncode, out, mask(err.decode("utf-8", "replace")) if err else "")


def _environment() -> dict[str, str]:
    # Pass on what git's own child processes (ssh, credential helpers) need, except what could redirect git.
    inherited = whole_environment().items()
    kept = {key: value for key, value in inherited if not key.startswith("GIT_") and key != "LANGUAGE"}
    return kept | {
        "LC_ALL": "C",
        # No configuration can extend this list.
        "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GCM_INTERACTIVE": "never",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write git's input while its output is read: after a timeout, `communicate` forgets the rest of it."""

    def _write(pipe: IO[bytes]) -> None:
        with suppress(OSError), pipe:  # git may end before it has read everything
            pipe.write(data)

    pipe, process.stdin = process.stdin, None
    if pipe is not None:
        Thread(target=_write, args=(pipe,), daemon=True).start()


def _exchange(
    process: subprocess.Popen[bytes], silence: float, progress: Counts | None
) -> tuple[bytes, bytes]:
    """Read what git prints until it ends; every byte resets the timeout."""
    told, deadline = 0, time.monotonic() + silence
    while True:
        has_ended = process.poll() is not None
        try:
            return process.communicate(timeout=min(0.2, silence))
        except subprocess.TimeoutExpired as exc:
            out, err = exc.output or b"", exc.stderr or b""
        if has_ended:
            return out, err  # a helper that git left behind (an ssh master) keeps the pipe open
        if len(out) + len(err) > told:
            told, deadline = len(out) + len(err), time.monotonic() + silence
            if progress is not None and (counts := _COUNT.findall(err)):
                progress(*map(int, counts[-1]))
        elif time.monotonic() >= deadline:
            raise GitTimeout(f"git said nothing for {silence:g} s and was stopped; try again")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # it may have ended meanwhile
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read_batch(out: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        header = out[at:end].split()
        at = end + 1
        if len(header) == 3:
            size = int(header[2])
            yield header[0].decode(), out[at : at + size]
            at += size + 1


def origin_url(folder: str) -> str:
    """The address of `origin` with git's `insteadOf` abbreviations expanded; "" if there is none."""
    try:
        order = ["git", "-C", folder, "remote", "get-url", "origin"]
        answer = run_command(order, folder=Path(folder), silence=_ASK_SILENCE)
    except GitError:
        return ""
    return "" if answer.code else answer.out.decode("utf-8", "replace").strip()
