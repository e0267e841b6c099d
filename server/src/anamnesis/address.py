"""Remote addresses: which are allowed, which backend handles them, their logins, how to mask them."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from anamnesis.errors import GitError

PROTOCOLS = ("ssh", "https", "http", "git", "file")
_SCHEMES = frozenset((*PROTOCOLS, "git+ssh", "ssh+git"))
_WEB = ("http", "https")
_TOKEN_LENGTH = 20

# Prefix of an address -> the class that syncs with it; git handles every address without a row of its own.
BACKENDS: dict[str, str] = {"": "anamnesis.sync.backend:GitSyncBackend"}

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)(.*)", re.DOTALL)
_SHORT = re.compile(r"(?:([^@/]*)@)?(\[[^\]/]*\]|[^:/]*):(.*)", re.DOTALL)  # you@host:path
_HELPER = re.compile(r"[A-Za-z0-9+._-]*::")
_PORT = re.compile(r":(\d+)\Z")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
# The host becomes part of the name of a git setting: no wildcard, no equals sign.
_WEB_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d+)?")

_LOGIN = re.compile(r"(\b[A-Za-z][A-Za-z0-9+.-]{0,30}://)([^\s/'\"]*)@")
# Errors also quote malformed addresses with their passwords: a slash or space in the password, no scheme, a
# query parameter. What follows the colon must not be a port.
_ODD_LOGIN = re.compile(
    r"((?:\b[A-Za-z][A-Za-z0-9+.-]{0,30}:)?//)([^\s/'\":@]{0,100}:(?!\d{1,5}(?:[\s/?#'\",;)]|$))"
    r"[^\s'\"@]{1,200}(?: [^\s'\"@]{1,200}){0,3}(?:@[^\s/'\"@]{0,200})*)@"
)
_SHORT_LOGIN = re.compile(r"(?<![\w/@.-])([A-Za-z_][\w.-]{0,100}:)[^\s/'\"@:]{1,200}@(?!sha\d+:)(?=[\w.-]+:)")
_PARAMETER = re.compile(
    r"(?i)([?&][\w-]{0,40}(?:pass|passwd|password|pwd|token|secret|key|auth)=)[^\s&#'\"]+"
)


class Address(NamedTuple):
    """The parts of a remote's address, as written; a local folder has only a path."""

    scheme: str = ""
    user: str = ""
    password: str | None = None
    host: str = ""  # with the port
    path: str = ""

    @property
    def name(self) -> str:
        """The host without its port."""
        return _PORT.sub("", self.host)

    @property
    def port(self) -> str:
        """The port; "" when it is the default."""
        found = _PORT.search(self.host)
        return found[1] if found else ""

    @property
    def is_web(self) -> bool:
        """Whether this is an HTTP or HTTPS address."""
        return self.scheme.lower() in _WEB


class Login(NamedTuple):
    """User and password for a web server, decoded; without a password, git asks the user's helpers."""

    server: str  # scheme, host and port
    user: str
    password: str | None


def parse_address(remote: str) -> Address:
    """Split a remote's address into its parts."""
    if found := _URL.match(remote):
        login, at, host = found[2].rpartition("@")
        user, colon, password = login.partition(":")
        return Address(found[1], user, password if at and colon else None, host, found[3])
    if found := _SHORT.match(remote):
        return Address("ssh", found[1] or "", None, found[2], found[3])
    return Address(path=remote)


def split_login(remote: str) -> tuple[str, Login | None]:
    """The address without its password, and the login.

    Only web servers get a login from the address; for other protocols the password is dropped.
    """
    address = parse_address(remote)
    # A user name as long as a token is one, unless it is an email address.
    is_token = address.is_web and len(address.user) >= _TOKEN_LENGTH and "%40" not in address.user
    if address.password is None and not is_token:
        return remote, None
    if not address.is_web:
        return f"{address.scheme}://{address.user}@{address.host}{address.path}", None
    server = f"{address.scheme}://{address.host}"
    password = None if address.password is None else _decoded(address.password)
    return f"{server}{address.path}", Login(server, _decoded(address.user), password)


def backend_of(remote: str | None) -> str:
    """The class that syncs with an address, as `module:name`."""
    return BACKENDS[max((start for start in BACKENDS if (remote or "").startswith(start)), key=len)]


def is_local_remote(remote: str) -> bool:
    """Whether `remote` is a folder on this machine."""
    return remote.startswith("file://") or ("://" not in remote and ":" not in remote.split("/", 1)[0])


def check_remote(remote: str) -> None:
    """Raise GitError unless `remote` is a plain path or a URL whose protocol runs no program here."""
    if refusal := address_refusal(remote):
        raise GitError(refusal)


def address_refusal(remote: str) -> str:
    """Why `check_remote` refuses an address; "" if it does not. Other backends judge their own addresses."""
    problem = _problem(remote) if backend_of(remote) == BACKENDS[""] else ""
    return f"remote {mask(remote)[:200]!r} {problem}" if problem else ""


def full_remote(remote: str) -> str:
    """The address as typed, but with an absolute path for a folder, because sync runs in another folder.

    Raises GitError for a word that is neither a URL nor a folder.
    """
    if not remote or not is_local_remote(remote) or "://" in remote or os.path.isabs(remote):
        return remote
    path = os.path.abspath(os.path.expanduser(remote))
    if remote.startswith((".", "~")) or os.path.exists(path):
        return path
    raise GitError(
        f"remote {remote[:200]!r} is neither a URL nor a folder; write host:path, a URL, or a full path"
    )


def _problem(remote: str) -> str:
    """What is wrong with an address and what to do; "" if it is fine."""
    if not remote.strip() or not remote.isprintable():
        return "is empty or has control characters; set a path or a URL"
    protocols = f"use one of: {', '.join(PROTOCOLS)}, or a path"
    if _HELPER.match(remote):
        return f"names a helper program; {protocols}"
    address = parse_address(remote)
    if address.scheme and address.scheme.lower() not in _SCHEMES:
        return f"uses {address.scheme.lower()}://; {protocols}"
    if remote.startswith("-") or address.host.startswith("-"):
        return "or its host starts with '-', which would be read as an option; set a path or a URL"
    if address.is_web and not _WEB_HOST.fullmatch(address.host):
        return "has an invalid host; set a URL like https://host/notes.git"
    return _login_problem(remote, address)


def _login_problem(remote: str, address: Address) -> str:
    login = split_login(remote)[1]
    if login and any(char in f"{login.user}{login.password or ''}" for char in "\n\r\0"):
        return "has a line break in its user or password; set a URL without one"
    anonymous = f"{address.scheme}://{address.host}{address.path}" if "://" in remote else remote
    if mask(anonymous) != anonymous:
        return (
            "seems to have a password where git does not look for one; write it as"
            " https://USER:PASSWORD@host/path, with %2F for /, %40 for @ and %20 for a space in the password"
        )
    return ""


def _decoded(text: str) -> str:
    found = _PERCENT.sub(lambda code: bytes([int(code[1], 16)]), text.encode("utf-8", "surrogateescape"))
    return os.fsdecode(found)


def mask(text: str) -> str:
    """`text` with the credentials in every URL masked."""
    masked = _ODD_LOGIN.sub(_mask_login, _LOGIN.sub(_mask_login, text))
    return _PARAMETER.sub(r"\1***", _SHORT_LOGIN.sub(r"\1***@", masked))


def _mask_login(found: re.Match[str]) -> str:
    user, colon, _ = found[2].partition(":")
    # A token is often used as the user name; only ssh users are never secret.
    plain_user = "ssh" in found[1] or (colon and user.isalnum() and len(user) < _TOKEN_LENGTH)
    shown = (user if plain_user else "***") + (":***" if colon and plain_user else "")
    return f"{found[1]}{shown}@"
