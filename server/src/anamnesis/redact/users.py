"""Passwords next to a user, in a call, a command, a protocol or a sentence; values for a vault. Rules.

The position shows that a value may be a password. Ordinary words occur in the same positions, so it must not
read as words, unless it is several words with a number at the end, like a passphrase. In a sentence ("log in
with admin / ...") it must look random, or mix upper and lower case, digits and symbols.
"""

from __future__ import annotations

import re

from anamnesis.redact.rules import Rule
from anamnesis.redact.stand_ins import is_kept_elsewhere, is_path, is_stand_in
from anamnesis.redact.words import has_all_kinds, is_mixed, is_odd, reads_as_words

_PASSPHRASE = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+){2,}[-_.]?\d{1,4}|(?:[A-Z][a-z]+[-_.]?){2,}\d{2,4}")
_USERS = "admin|administrator|root|sysadmin|superuser|ubuntu|ec2-user|postgres"
# Phrases for logging in, and what comes between them and the user.
_VERBS = (
    *("log in", "log into", "login", "logged in", "logged into", "logging in", "sign in", "signed in", "ssh"),
    *("connect", "authenticate", "melde dich", "einloggen", "logge", "logg dich", "anmelden", "angemeldet"),
    *("connecte", "identifie", "inicia sesión", "entra", "entre ", "conecta", "accedi", "collega", "inlog"),
    *("log je", "zaloguj", "połącz", "войди", "зайди", "подключ"),
    *("залогин", "登录", "登入", "ログイン", "로그인"),
)
_AS = "with|as|using|via|mit|als|avec|comme|con|como|com|come|met|z|jako|с|как|by"
_JOINED = "with|using|and|mit|und|avec|et|con|y|com|e|met|en|z|i|с|и"
_QUOTE = r"[\"'`]?"
_NAMED = r"(?:the )?(?:pass(?:word|wort)?|pw|pwd)?:? ?"
_VALUE = r"(?P<secret>(?!\[redacted)[^\s\"'`\\:]{5,79}[^\s\"'`\\:.,;!?)])(?!:)"
_OWNER = r"(?i)\b(?:my|our|your|his|her|the|root|admin|db|ssh|sudo|mail)[ ]\Z"
_SYMBOL = re.compile(r"[-_!#$%&*+=?@^~.]")
_DATED = re.compile(r".*\d{4}-\d\d-\d\d.*|.*\d\.\d.*|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/.*)?")


def _is_password(found: re.Match[str]) -> bool:
    value = found["secret"].rstrip(".,;:!?)")
    if is_stand_in(value) or is_kept_elsewhere(value) or value.isdigit() or "/" in value[:1]:
        return False
    return not reads_as_words(value) or _PASSPHRASE.fullmatch(value) is not None


def _is_odd_password(found: re.Match[str]) -> bool:
    value = found["secret"]
    return _is_password(found) and (is_odd(value) or is_mixed(value))


_KEPT = re.compile(r"(?i)pass|pwd|\bpw\b|secret|token|cred|kinit|sudo[ ]-S")


def _is_fed_secret(found: re.Match[str]) -> bool:
    """Whether the command that reads the value is about a secret, by its name or its variable's."""
    return _KEPT.search(found[0][: found.start("secret") - found.start()]) is not None and _is_password(found)


def _is_sent(found: re.Match[str]) -> bool:
    """Whether `PASS` is a protocol command, which comes with a user name, and not a test result."""
    return ("USER " in found[0] or "NICK " in found[0]) and _is_password(found)


_OPEN = r"\\{0,7}[\"'`]"
_TEXT = rf"{_OPEN}[^\"'`\n\\]{{1,100}}{_OPEN}"
_COMMA = r"\s{0,2},\s{0,4}"
_SECRET = rf"{_OPEN}(?P<secret>[^\s\"'`\\]{{6,200}})(?={_OPEN})"
_SIGN_IN = r"log_?in|sign_?in|sign_?up|authenticate|create_?user|create_?superuser|register_?user|add_?user"
_SIGN_IN_HINTS = (
    *("login(", "log_in(", "signin(", "sign_in(", "signup(", "sign_up(", "authenticate(", "createuser("),
    *("create_user(", "create_superuser(", "registeruser(", "register_user(", "adduser(", "add_user("),
)
_WORD = r"\\{0,7}[\"'`]?(?P<secret>[^\s\"'`\\|]{4,300})"
_SNMP = ("snmpget", "snmpgetnext", "snmpwalk", "snmpset", "snmpbulkwalk", "snmpbulkget", "snmptable")


def _option(names: tuple[str, ...], option: str) -> Rule:
    return Rule(
        "login-password",
        names,
        rf"(?:{'|'.join(names)})\b[^\n|;]{{0,200}}?\s{option}[ =]{{1,2}}{_WORD}",
        _is_password,
    )


def _looks_like_a_password(found: re.Match[str]) -> bool:
    """Whether the word next to a user looks like a password, not like a path, a host or a version."""
    value = found["secret"].rstrip(".,;:!?)")
    return not is_path(value) and (is_odd(value) or _has_signs_and_all_kinds(value))


def _has_signs_and_all_kinds(value: str) -> bool:
    return has_all_kinds(value) and _SYMBOL.search(value) is not None and not _DATED.fullmatch(value)


def _is_pass_of_someone(found: re.Match[str]) -> bool:
    before = found.string[max(found.start() - 8, 0) : found.start()]
    return re.search(_OWNER, before) is not None and _looks_like_a_password(found)


def _is_put_into_a_vault(found: re.Match[str]) -> bool:
    """Whether the assignment is an argument of `vault kv put`, where every value is a secret."""
    before = found.string[max(found.start() - 400, 0) : found.start()]
    command = re.split(r"(?<!\\)\n|[;|]|&&", before)[-1]
    return re.search(r"\bvault kv (?:put|patch)\b", command) is not None and not is_stand_in(found["secret"])


_LOGINS = (
    *("login", "credential", "creds", "account", "basic auth", "zugangsdaten", "anmeldedaten"),
    *("identifiants", "credenciales", "credenciais", "credenziali", "inloggegevens", "логин"),
)
_LOGIN_IS = (
    rf"(?:{'|'.join(_LOGINS)})s?(?:[ ](?:for|to|on|für|pour|para|per|voor)[ ](?:the[ ])?[\w.-]{{1,40}})?"
    r"(?:[ ](?:is|are|was|ist|sind|lauten|est|sont|es|son|são|sono|zijn))?:?[ ]"
)
USER_RULES = (
    # `login("bob", "...")`, `smtp.login(user, "...")`, `create_user("bob", "bob@acme.io", "...")`
    Rule(
        "login-password",
        _SIGN_IN_HINTS,
        rf"(?:{_SIGN_IN})\(\s{{0,4}}(?:{_TEXT}|[\w.]{{1,60}}){_COMMA}(?:{_TEXT}{_COMMA})?{_SECRET}",
        _is_password,
        ignore_case=True,
    ),
    # `connect("localhost", "bob", "...")`, `new PDO($dsn, "bob", "...")`
    Rule(
        "login-password",
        ("connect(", "mysqli(", "pdo("),
        rf"(?:connect|mysqli|pdo)\(\s{{0,4}}(?:{_TEXT}|[\w$.]{{1,60}}){_COMMA}{_TEXT}{_COMMA}{_SECRET}",
        _is_odd_password,
        ignore_case=True,
    ),
    _option(("useradd", "usermod", "adduser"), "(?:-p|--password)"),
    _option(_SNMP, "-(?:c|A)"),
    _option(_SNMP, "-X"),
    # `/msg NickServ identify bob ...`
    Rule(
        "login-password",
        ("nickserv",),
        r"nickserv\s{1,4}(?:identify|register|ghost|id)[ \t]{1,4}"
        r"(?:[\w.\[\]-]{1,40}[ \t]{1,4}(?=[^\s`]{4,100}`{0,3}[ \t]{0,4}(?:\n|\Z)))?"
        r"(?P<secret>[^\s\"'`]{4,100})",
        _is_password,
        ignore_case=True,
    ),
    # `read PASS <<< ...`, `passwd --stdin bob <<< '...'`
    Rule(
        "login-password",
        ("<<<",),
        rf"(?:read|s?passwd|chpasswd|smbpasswd|sudo|kinit|docker|podman|gh|gpg|openssl|cryptsetup|ssh-add)\b"
        rf"[^\n|;<]{{0,120}}<<<\s{{0,4}}{_WORD}",
        _is_fed_secret,
    ),
    # POP3, FTP, IRC, IMAP
    Rule(
        "login-password",
        ("PASS ",),
        r"(?:USER \S{1,80}\r?\n[\s>+-]{0,8})?PASS (?P<secret>[^\s\"'`]{4,200})"
        r"(?:\r?\n[\s>+-]{0,8}(?:NICK|USER) )?",
        _is_sent,
    ),
    Rule(
        "login-password",
        (" LOGIN ",),
        r"[A-Za-z]{0,4}\d{1,5} LOGIN \\{0,7}\"?[\w.@+-]{1,80}\\{0,7}\"? \\{0,7}\"?"
        r"(?P<secret>[^\s\"'`\\]{6,200})",
        _is_password,
    ),
    # in a sentence: `log in with admin / ...`
    Rule(
        "login-password",
        _VERBS,
        rf"(?:{'|'.join(map(re.escape, _VERBS))})[^\n;]{{0,80}}?[ ](?:{_AS})[ ]"
        rf"{_QUOTE}(?P<user>[\w.+-]{{1,40}}(?:@[\w.-]{{1,60}})?){_QUOTE}"
        rf"(?:[ ]/[ ]|[ ]?:[ ]?|,?[ ](?:{_JOINED})[ ]{_NAMED}){_QUOTE}{_VALUE}",
        _looks_like_a_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        tuple(_USERS.split("|")),
        rf"(?:(?P<user>{_USERS})){_QUOTE}(?:[ ]/[ ]|:){_QUOTE}{_VALUE}",
        _looks_like_a_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        ("@",),
        rf"(?P<user>(?<![\w.@:/+-])[\w.+-]{{1,60}}@[\w-]{{1,60}}(?:\.[\w-]{{2,30}}){{1,4}}){_QUOTE}"
        rf"(?:[ ]/[ ]|:){_QUOTE}{_VALUE}",
        _looks_like_a_password,
    ),
    # "the login is bob:...", "creds for staging are bob / ..."
    Rule(
        "login-password",
        _LOGINS,
        rf"{_LOGIN_IS}{_QUOTE}(?P<user>[\w.+-]{{1,40}}){_QUOTE}[ ]/[ ]{_QUOTE}{_VALUE}",
        _is_odd_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        _LOGINS,
        rf"{_LOGIN_IS}{_QUOTE}(?P<user>[\w.+-]{{1,40}}){_QUOTE}(?::[ ]?|[ ]){_QUOTE}{_VALUE}",
        _looks_like_a_password,
        ignore_case=True,
    ),
    # "my pass is ...": without an owner, "pass" is usually a test result
    Rule(
        "login-password",
        ("pass is ", "pass: "),
        rf"pass(?:[ ]is(?:[ ]now)?|:)[ ]{_QUOTE}{_VALUE}",
        _is_pass_of_someone,
        ignore_case=True,
    ),
    Rule(
        "secret",
        ("vault kv p",),
        rf"(?<=[ \t])[\w.-]{{1,60}}={_QUOTE}(?P<secret>(?!@)[^\s\"'`\\]{{4,2000}})",
        _is_put_into_a_vault,
    ),
)
