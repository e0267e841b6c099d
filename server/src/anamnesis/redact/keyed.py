"""Credentials known by the name they are given to: `password=...`, `"token": "..."`, `--api-key ...`. Pure.

The name only raises the suspicion; the value decides. Code (`token = get_token()`), types (`password: str`),
variables (`$API_KEY`), placeholders and sentences are left alone, so a word as a password can slip through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from anamnesis.redact.places import occurrences
from anamnesis.redact.values import Assignment, is_secret

# How the names below begin: looking for these first is many times faster than trying each place in the text.
_NAMES_BEGIN = (
    *("pass", "pwd", "secret", "token", "credential", "_auth", "api", "access", "auth", "account", "private"),
    *("signing", "encryption", "master", "subscription", "service", "storage", "deploy", "webhook"),
)

_NAME = r"""
    (?P<name>
        pass(?:word|wd|phrase|code)s? | (?<=[_-])pass | pwd
      | (?: (?<![^\W_]) | (?<=\\[nrt]) ) pass (?= \\{0,7} ["']? [ \t]{0,4} [:=] )
      | secrets? | tokens? | credentials? | (?<=[:/\s])_auth
      | api[ _.-]?keys?
      | (?:access|auth|account|private|signing|encryption|master|subscription|service|storage|deploy|webhook)
        [ _-]?keys?
    )
    (?P<tail> s? (?: (?:[_.-]|\d|(?-i:[A-Z])) [\w.-]{0,32} )? )
"""
# A quotation mark within a value that is quoted as JSON in JSON has three backslashes, a level further seven.
_VALUE = r"""
    (?: [bru]? (?P<open> \\{0,7} (?:\"{3}|'{3}|["'`]) )
        (?P<quoted> (?: (?!(?P=open)) (?:(?<!\\)(?:\\{3}|\\{7})["']|\\[^\n]|[^\n\\]) ){1,400} )
      | (?P<bare> [^\s"'`<>\\]{1,200}+ (?: \\(?![nrtu"'`\\/]) [^\s"'`<>\\]{0,200}+ ){0,4} )
    )
"""
_SIGN = r"""
    \*{0,2} \\{0,7} ["'`]? \]? [ \t]{0,8} (?: ={1,3}>? | :=? | %3D | \| ) \*{0,2} [ \t]{0,8}
  | [ \t]+ (?:is|was|to) (?:[ \t]*:)? [ \t]+
"""
_ASSIGNED = rf"""
    {_NAME}
    (?P<sign>
        [ \t]{{0,4}} : [ \t]{{0,4}} [A-Za-z_][\w.\[\]|?]{{0,40}} [ \t]{{0,4}} = [ \t]{{0,4}} (?=[\\"'`])
      | {_SIGN}
      | > (?=[^<\n]{{1,200}}</)
      | \\{{0,7}} ["'] , [ ]? (?=[\\"'])
      | [ \t]{{1,4}}
    )
    {_VALUE}
"""
# "the password for the staging server is ..."
_ASSIGNED_AT_A_DISTANCE = rf"""
    {_NAME} [ \t]+ (?:for|of|to|on) (?: [ \t]+ [\w@.-]{{1,40}} ){{1,3}}? (?P<sign> {_SIGN} ) {_VALUE}
"""
# "password:", perhaps with the sign of a YAML block, and the value alone on the next line
_ASSIGNED_BELOW = r"""
    (?P<name> pass(?:word|wd|phrase) ) (?P<tail>)
    (?P<sign> : [ \t]{0,8} (?:[>|][+-]?[ \t]{0,8})? \r?\n [ \t]{0,40} )
    (?P<bare> [^\s"'`<>\\]{1,200}+ (?<!:) )
    (?= [ \t]{0,8} (?:\r?\n|\Z) )
"""
# With a comma between them, the value is what a variable falls back to.
_GETTER = re.compile(r"(?:get|getenv|env)\(\\{0,7}[\"'][A-Za-z0-9_]{0,20}$", re.ASCII | re.IGNORECASE)
# With no sign but a blank between them, name and value belong together on a command line alone.
_FLAG = re.compile(
    r"(?:^|[^A-Za-z0-9]|\\[nrt])"
    r"(?:--(?:[\w-]{0,30}-)?|(?:set|setx|setenv|ENV)[ ]+(?:-\w{1,4}[ ]+)?[A-Z0-9_]{0,20})$",
    re.ASCII,
)

_PART_OF_A_NAME = re.compile(r"(?<=[_-])")
_OUR_MARK = re.compile(r"\[redacted: [a-z0-9-]{0,20}$")
# `token_count`, `password_hash`, `secret_name`: about a credential, not one.
_ABOUT_TAIL = re.compile(
    r"(?i)count|len|size|limit|max|min|budget|usage|used|ur[li]|path|file|dir|name|type|kind|hash|field|label"
    r"|policy|expir|ttl|ids?$|manager|store|class|regex|pattern|prompt|reset|form|input|provider|endpoint|header"
    r"|prefix|suffix|version|_at$|rate|cost|hint|strength|error|status|length|source|scope|ref$|env$|var$"
)
_CUT = re.compile(r"[,;&](?=$|[\w .-]{1,40}[=:])|[,;]$|\\$|\|$")


def find_keyed(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of every value that a telling name is given to."""
    position = 0
    for begin in occurrences(text, _NAMES_BEGIN):
        for reading in _readings() if begin >= position else ():
            found = reading.match(text, begin)
            if found is None or _is_about(found):
                continue
            start, end = _extent(found)
            given = _assignment(found, text[start:end])
            if is_secret(given):
                yield start, end, given.kind
                position = max(end, found.end("name"))
                break


@cache
def _readings() -> tuple[re.Pattern[str], ...]:
    # Compiled when a name is met: a hook that meets none need not wait for it.
    flags = re.VERBOSE | re.IGNORECASE | re.ASCII
    forms = (_ASSIGNED, _ASSIGNED_AT_A_DISTANCE, _ASSIGNED_BELOW)
    return tuple(re.compile(form, flags) for form in forms)


def _is_about(found: re.Match[str]) -> bool:
    """Whether the name speaks about a credential, or is a word in a sentence or in a mark of ours."""
    if _ABOUT_TAIL.search(found["tail"]):
        return True
    text, before = found.string, max(found.start() - 34, 0)
    if _OUR_MARK.search(text, before, found.start()):
        return True
    if "," in found["sign"]:
        return not _GETTER.search(text, before, found.start())
    return found["sign"].isspace() and not _FLAG.search(text, before, found.start())


def _extent(found: re.Match[str]) -> tuple[int, int]:
    """The value's slice: an unquoted one ends where the next setting, or the sentence, goes on."""
    if found["bare"] is None:
        return found.span("quoted")
    value = found["bare"]
    cut = _CUT.search(value)
    value = value[: cut.start()] if cut else value
    return found.start("bare"), found.start("bare") + len(value.rstrip(".,;:)]}"))


def _assignment(found: re.Match[str], value: str) -> Assignment:
    return Assignment(
        name=found["name"],
        value=value,
        is_setting=found["name"].isupper() and found["sign"] == "=",
        is_quoted=found["bare"] is None,
        is_prose="=" not in found["sign"],
        is_lone_pass=found["name"].lower() == "pass"
        and not _PART_OF_A_NAME.match(found.string, found.start()),
    )
