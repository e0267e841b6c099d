"""A password next to a user in a sentence ("log in with admin / ..."), and values passed to a vault. Rules.

There nothing names the password: it must look random, or mix upper and lower case, digits and signs.
"""

from __future__ import annotations

import re

from anamnesis.redact.code import is_path
from anamnesis.redact.odd import is_odd
from anamnesis.redact.rules import Rule
from anamnesis.redact.stand_ins import is_stand_in

_USERS = "admin|administrator|root|sysadmin|superuser|ubuntu|ec2-user|postgres"
# Phrases for logging in, and what comes between them and the user.
_VERBS = (
    *("log in", "log into", "login", "logged in", "logged into", "logging in", "sign in", "signed in", "ssh"),
    *("connect", "authenticate", "melde dich", "einloggen", "logge", "logg dich", "anmelden", "angemeldet"),
    *("connecte", "identifie", "inicia sesión", "entra", "entre ", "conecta", "accedi", "collega", "inlog"),
    *(
        "log je",
        "zaloguj",
        "połącz",
        "войди",
        "зайди",
        "подключ",
        "залогин",
        "登录",
        "登入",
        "ログイン",
        "로그인",
    ),
)
_AS = "with|as|using|via|mit|als|avec|comme|con|como|com|come|met|z|jako|с|как|by"
_JOINED = "with|using|and|mit|und|avec|et|con|y|com|e|met|en|z|i|с|и"
_QUOTE = r"[\"'`]?"
_NAMED = r"(?:the )?(?:pass(?:word|wort)?|pw|pwd)?:? ?"
_VALUE = r"(?P<secret>[^\s\"'`\\:]{5,79}[^\s\"'`\\:.,;!?)])(?!:)"
_SYMBOL = re.compile(r"[-_!#$%&*+=?@^~.]")
_DATED = re.compile(r".*\d{4}-\d\d-\d\d.*|.*\d\.\d.*|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/.*)?")


def _is_password(found: re.Match[str]) -> bool:
    """Whether what is next to a user looks like a password, and not like a path, a host or a version."""
    value = found["secret"].rstrip(".,;:!?)")
    return not is_path(value) and (is_odd(value) or _is_mixed(value))


def _is_mixed(value: str) -> bool:
    kinds = (any(map(check, value)) for check in (str.isdigit, str.islower, str.isupper))
    return all(kinds) and _SYMBOL.search(value) is not None and not _DATED.fullmatch(value)


def _is_put_into_a_vault(found: re.Match[str]) -> bool:
    """Whether the assignment is an argument of `vault kv put`, where every value is a secret."""
    before = found.string[max(found.start() - 400, 0) : found.start()]
    command = re.split(r"(?<!\\)\n|[;|]|&&", before)[-1]
    return re.search(r"\bvault kv (?:put|patch)\b", command) is not None and not is_stand_in(found["secret"])


USER_RULES = (
    Rule(
        "login-password",
        _VERBS,
        rf"(?:{'|'.join(map(re.escape, _VERBS))})[^\n;]{{0,80}}?[ ](?:{_AS})[ ]"
        rf"{_QUOTE}(?P<user>[\w.+-]{{1,40}}(?:@[\w.-]{{1,60}})?){_QUOTE}"
        rf"(?:[ ]/[ ]|[ ]?:[ ]?|,?[ ](?:{_JOINED})[ ]{_NAMED}){_QUOTE}{_VALUE}",
        _is_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        tuple(_USERS.split("|")),
        rf"(?:(?P<user>{_USERS})){_QUOTE}(?:[ ]/[ ]|:){_QUOTE}{_VALUE}",
        _is_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        ("@",),
        rf"(?P<user>(?<![\w.@:/+-])[\w.+-]{{1,60}}@[\w-]{{1,60}}(?:\.[\w-]{{2,30}}){{1,4}}){_QUOTE}"
        rf"(?:[ ]/[ ]|:){_QUOTE}{_VALUE}",
        _is_password,
    ),
    Rule(
        "secret",
        ("vault kv p",),
        rf"(?<=[ \t])[\w.-]{{1,60}}={_QUOTE}(?P<secret>(?!@)[^\s\"'`\\]{{4,2000}})",
        _is_put_into_a_vault,
    ),
)
