"""Credentials known by the name they are given to: `password=...`, `"token": "..."`, `--api-key ...`. Pure.

The name only raises the suspicion; the value decides. Code (`token = get_token()`), types (`password: str`),
variables (`$API_KEY`), placeholders and sentences are left alone, so a word as a password can slip through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from anamnesis.redact.places import occurrences

# How the names below begin: looking for these first is many times faster than trying each place in the text.
_NAMES_BEGIN = (
    *("pass", "pwd", "secret", "token", "credential", "_auth", "api", "access", "auth", "account", "private"),
    *("signing", "encryption", "master", "subscription", "service", "storage", "deploy", "webhook"),
)

_NAME = r"""
    (?P<name>
        pass(?:word|wd|phrase|code)s? | (?<=[_-])pass | pwd
      | secrets? | tokens? | credentials? | (?<=[:/\s])_auth
      | api[ _.-]?keys?
      | (?:access|auth|account|private|signing|encryption|master|subscription|service|storage|deploy|webhook)
        [ _-]?keys?
    )
    (?P<tail> s? (?: (?:[_.-]|\d|(?-i:[A-Z])) [\w.-]{0,32} )? )
"""
_VALUE = r"""
    (?: [bru]? (?P<open> \\{0,3} (?:\"{3}|'{3}|["'`]) )
        (?P<quoted> (?: (?!(?P=open)) (?:\\[^\n]|[^\n\\]) ){1,400} )
      | (?P<bare> (?: [^\s"'`<>\\] | \\(?![nrtu"'`\\/]) ){4,200} )
    )
"""
_ABOUT = r"(?: [ \t]+ (?:for|of|to|on) (?: [ \t]+ [\w@.-]{1,40} ){1,3}? )?"
_ASSIGNED = rf"""
    {_NAME}
    (?P<sign>
        [ \t]{{0,4}} : [ \t]{{0,4}} [A-Za-z_][\w.\[\]|?]{{0,40}} [ \t]{{0,4}} = [ \t]{{0,4}} (?=[\\"'`])
      | {_ABOUT} \*{{0,2}} \\{{0,3}} ["'`]? \]? [ \t]{{0,8}}
        (?: ={{1,3}}>? | :=? | %3D | \| ) \*{{0,2}} [ \t]{{0,8}}
      | {_ABOUT} [ \t]+ (?:is|was|to) (?:[ \t]*:)? [ \t]+
      | > (?=[^<\n]{{1,200}}</)
      | [ \t]{{1,4}}
    )
    {_VALUE}
"""
# With no sign but a blank between them, name and value belong together on a command line alone.
_FLAG = re.compile(
    r"(?:^|[\s\"'`]|\\[nrt])"
    r"(?:--(?:[\w-]{0,30}-)?|(?:set|setx|setenv|ENV)[ ]+(?:-\w{1,4}[ ]+)?[A-Z0-9_]{0,20})$",
    re.ASCII,
)

# `token_count`, `password_hash`, `secret_name`: about a credential, not one.
_ABOUT_TAIL = re.compile(
    r"(?i)count|len|size|limit|max|min|budget|usage|used|ur[li]|path|file|dir|name|type|kind|hash|field|label"
    r"|policy|expir|ttl|ids?$|manager|store|class|regex|pattern|prompt|reset|form|input|provider|endpoint|header"
    r"|prefix|suffix|version|_at$|rate|cost|hint|strength|error|status|length|source|scope|ref$|env$|var$"
)
_KNOWN_WORDS = frozenset(
    (
        "password passwd passphrase secret token string number boolean none null nil undefined true false"
        " required optional changeme redacted hidden masked omitted empty value bytes bearer basic default"
        " missing invalid expired"
    ).split()
)
_PLACEHOLDER = re.compile(
    r"(?i)^example|^[x*•.#_-]+$|x{4}|\*{3}|\.{3}|…|your[-_ ]|[-_ ]here$|placeholder|dummy"
    r"|replace[-_ ]?me|insert[-_ ]|\[redacted|<|\{\{|\$\{|%\(|%s|^my[-_](?:api|secret|token|pass|key)|todo"
)
_CODE = re.compile(
    r"\$[A-Za-z_({]|\$$|[{(\[&*]|![A-Z]|%[A-Za-z{]|@[\w.]+$|[A-Za-z_][\w.:>-]*[(\[{]|(?:[a-z]+\.)?(?:env|environ)\b"
    r"|(?:arn|vault|op|ssm|file|secretsmanager|ref|urn):|[a-z][a-z0-9+.-]*://"
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/(?:[a-z0-9._@-]+/)*[a-z0-9._@-]*|[A-Za-z]:\\.*|[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}"
)
# Digits that belong to the name of a thing.
_TECHNICAL = re.compile(
    r"(?i)(?:u?int|bytes?|float|utf-?|sha-?|base|md|oauth|http|argon|ed|ipv?|hs|rs|es|ps|aes-?|rsa-?|gpt-?|h|v)\d+"
)
_WORDS = re.compile(r"(?:[A-Za-z]+\d{0,2}|\d+)(?:[-_./:+]+(?:[A-Za-z]+\d{0,2}|\d+))*")
_SEPARATOR = re.compile(r"[-_./:]")
_INNER_SYMBOL = re.compile(r"[A-Za-z][@#$%^&*+~!?=]+[A-Za-z]")
_UNWORDLY = re.compile(r"\d|[@#$%^&*+~!?=]")
_CUT = re.compile(r"[,;&](?=$|[\w .-]{1,40}[=:])|[,;]$|\\$|\|$")


def find_keyed(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of every value that a telling name is given to."""
    position = 0
    for begin in occurrences(text, _NAMES_BEGIN):
        found = _pattern().match(text, begin) if begin >= position else None
        if found is None or _is_about(found):
            continue
        start, end = _extent(found)
        if _is_secret(found, text[start:end]):
            yield start, end, _kind(found["name"])
            position = max(end, found.end("name"))


@cache
def _pattern() -> re.Pattern[str]:
    # Compiled when a name is met: a hook that meets none need not wait for it.
    return re.compile(_ASSIGNED, re.VERBOSE | re.IGNORECASE | re.ASCII)


def _is_about(found: re.Match[str]) -> bool:
    """Whether the name speaks about a credential, or is a word in a sentence."""
    if _ABOUT_TAIL.search(found["tail"]):
        return True
    return found["sign"].isspace() and not _FLAG.search(
        found.string, max(found.start() - 34, 0), found.start()
    )


def _extent(found: re.Match[str]) -> tuple[int, int]:
    """The value's slice: an unquoted one ends where the next setting, or the sentence, goes on."""
    if found["bare"] is None:
        return found.span("quoted")
    value = found["bare"]
    cut = _CUT.search(value)
    value = value[: cut.start()] if cut else value
    return found.start("bare"), found.start("bare") + len(value.rstrip(".,;:)]}"))


def _kind(name: str) -> str:
    name = name.lower()
    if name.startswith(("pass", "pwd")):
        return "password"
    if "key" in name:
        return "api-key"
    return "secret" if name.startswith(("secret", "cred")) else "token"


def _is_secret(found: re.Match[str], value: str) -> bool:
    is_setting = found["name"].isupper() and found["sign"] == "="
    is_firm = is_setting or found["bare"] is None
    if len(value) < (4 if is_firm else 6) or not (is_firm or _UNWORDLY.search(value)):
        return False
    if (
        value.lower() in _KNOWN_WORDS
        or _CODE.match(value)
        or _PATH.fullmatch(value)
        or _PLACEHOLDER.search(value)
    ):
        return False
    if any(char.isspace() for char in value):
        return found["name"].lower() == "passphrase" and is_firm
    if _kind(found["name"]) == "password":
        return _is_password(found, value, is_setting=is_setting, is_firm=is_firm)
    if not is_firm and found["name"].lower() in value.lower():
        return False  # `private_key: X25519PrivateKey` names a type
    return _is_key(value, is_setting=is_setting, is_firm=is_firm)


def _is_password(found: re.Match[str], value: str, *, is_setting: bool, is_firm: bool) -> bool:
    if value.startswith(("/", "~/", "./", "../")):
        return False
    core = _TECHNICAL.sub("", value)
    if any(char.isdigit() for char in core):
        is_prose = not is_firm and "=" not in found["sign"]
        return not (is_prose and _SEPARATOR.search(value) and _WORDS.fullmatch(value))
    if _INNER_SYMBOL.search(core):
        return True
    if is_setting:
        return len(value) >= 6
    return is_firm and (value.count("-") >= 3 or (value.isalpha() and len(value) >= 16))


def _is_key(value: str, *, is_setting: bool, is_firm: bool) -> bool:
    if len(value) < (6 if is_setting else 8):
        return False
    core = _TECHNICAL.sub("", value)
    if any(char.isdigit() for char in core) and any(char.isalpha() for char in core):
        return not _WORDS.fullmatch(value) or len(value) >= 40
    return value.isalpha() and len(value) >= (12 if is_setting else 32) and is_firm
