"""Whether a match of a rule is a secret, by the kind of position. Pure.

A match of a rule shows only that a value may be a password, and is judged by the kind of position. Ordinary
words occur in many of the same positions, so there it must not read as words; in a sentence ("log in with
admin / ...") it must look random, or mix upper and lower case, digits and symbols.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from anamnesis.redact.stand_ins import is_kept_elsewhere, is_path, is_stand_in
from anamnesis.redact.values import is_long_random
from anamnesis.redact.words import has_all_kinds, is_id, is_mixed, is_odd, reads_as_words, seems_random

_Match = re.Match[str]
Judge = Callable[[_Match], bool]


def _is_value(found: _Match) -> bool:
    return not is_stand_in(found["secret"]) and not is_kept_elsewhere(found["secret"])


def _is_not_a_word(found: _Match) -> bool:
    return _is_value(found) and not reads_as_words(found["secret"].strip(".,;:!?()="))


def _is_user_and_password(found: _Match) -> bool:
    text = found["secret"]
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


def _holds_a_key(found: _Match) -> bool:
    return b"PRIVATE KEY" in base64.b64decode(found[0][: min(len(found[0]), 120) // 4 * 4])


_SAMPLE_LOGIN = (
    r"(?i)(?:user(?:name)?|login|me|name|admin|root|postgres|guest|test|foo)"
    r":(?:pass(?:word|wd)?|pwd|secret|pw|bar|admin|root|postgres|guest|test)"
)


def _is_real_login(found: _Match) -> bool:
    """Whether `user:password` is not just these words or a variable."""
    secret = found["secret"]
    if is_stand_in(secret) or secret.startswith(("${", "$(", "{", "<", "%(")):
        return False
    return re.fullmatch(_SAMPLE_LOGIN, f"{found['user']}:{secret}") is None


_DATABASE = r"(?i)(?:postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|s?ftps?|ldaps?|mssql)\Z"


def _is_password_after_slash(found: _Match) -> bool:
    """Whether what follows `host:` is a password with a slash, not a port and a path with an at sign."""
    first = re.split(r"[/?#]", found["secret"])[0]
    if re.search(_DATABASE, _before(found, 12)):
        return re.match(r"\d{2,5}[/?]", found["secret"]) is None and _is_real_login(found)
    is_port = first.isdigit() or "@" in first or reads_as_words(first)
    return not is_port and bool(first) and _is_real_login(found) and is_odd(found["secret"].replace("/", ""))


def _before(found: _Match, reach: int) -> str:
    return found.string[max(found.start() - reach, 0) : found.start()]


_COOKIE = (
    r"(?i)(?:[\w.$-]{0,40}(?:sess|auth|sid|token|jwt|login)[\w.$-]{0,20}=(?=[^\s;]{8})"
    r"|[\w.$-]{1,60}=(?=[^\s;\"'`<>\\]{12}))(?P<value>[^\s;\"'`<>\\]{8,})"
)


def _holds_a_session(found: _Match) -> bool:
    return any(not reads_as_words(cookie["value"]) for cookie in re.finditer(_COOKIE, found["secret"]))


def _is_argument(found: _Match) -> bool:
    """Whether an option is followed by a password, not by the next option, a path or a port."""
    secret = found["secret"]
    if found.string[found.start("secret") - 1].isspace() and secret.startswith(("-", "/")):
        return False
    return _is_value(found) and not secret.isdigit()


_PASSPHRASE = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+){2,}[-_.]?\d{1,4}|(?:[A-Z][a-z]+[-_.]?){2,}\d{2,4}")


def _is_password(found: _Match) -> bool:
    """Whether the value does not read as words, or is words with a number at the end, like a passphrase."""
    value = _trimmed(found)
    if not _is_value(found) or value.isdigit():
        return False
    if value.startswith("/") and (is_path(value) or not seems_random(value.lstrip("/"))):
        return False
    return not reads_as_words(value) or _PASSPHRASE.fullmatch(value) is not None


def _trimmed(found: _Match) -> str:
    return found["secret"].rstrip(".,;:!?)")


_SYMBOL = re.compile(r"[-_!#$%&*+=?@^~.]")
_DATED = re.compile(r".*\d{4}-\d\d-\d\d.*|.*\d\.\d.*|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/.*)?")


# The path of an SSH address.
_REPOSITORY = re.compile(r"(?:[\w.~-]+/)+[\w.-]+\.git|[a-z0-9._~-]+(?:/[a-z0-9._-]+)+")


def _is_odd_password(found: _Match) -> bool:
    """Whether the value looks like a password, not like a path, a host or a version."""
    value = _trimmed(found)
    user = found.groupdict().get("user") or ""
    if not _is_password(found) or is_path(value) or is_path(f"{user}/{value}"):
        return False
    if "@" in user and (user.startswith("git@") or _REPOSITORY.fullmatch(value)):
        return False  # git@host:owner/name.git
    is_strong = has_all_kinds(value) and _SYMBOL.search(value) is not None and not _DATED.fullmatch(value)
    is_key = bool(user) and is_id(value.lstrip("/")) and not ("@" in user and "-" in value)
    return is_odd(value) or is_mixed(value) or is_strong or is_key


_OWNER = r"(?i)\b(?:my|our|your|his|her|the|root|admin|db|ssh|sudo|mail)[ ]\Z"


def _is_pass_of_someone(found: _Match) -> bool:
    return re.search(_OWNER, _before(found, 8)) is not None and _is_odd_password(found)


_KEPT = re.compile(r"(?i)pass|pwd|\bpw\b|secret|token|cred|kinit|sudo[ ]-S")


def _is_fed_secret(found: _Match) -> bool:
    """Whether the command that reads the value is about a secret, by its name or its variable's."""
    return _KEPT.search(found[0][: found.start("secret") - found.start()]) is not None and _is_password(found)


def _is_sent(found: _Match) -> bool:
    """Whether `PASS` is a protocol command, which comes with a user name, and not a test result."""
    return ("USER " in found[0] or "NICK " in found[0]) and _is_password(found)


def _is_sent_to_redis(found: _Match) -> bool:
    """Whether `AUTH ...` starts its line and has a reply, or is followed by random-looking text."""
    if not re.search(r"(?:^|\n|\\n)[\s>+|]{0,8}(?:[\w.:()\[\]-]{0,40}> ?)?\Z", _before(found, 60)):
        return False
    answer = re.match(r"\s{1,4}[>+ ]{0,4}(?:\+?OK\b|-ERR|\(error\)|235 )", found.string[found.end() :][:40])
    value = found["secret"]
    return _is_value(found) and not reads_as_words(value) and (answer is not None or is_odd(value))


_STORES = re.compile(
    r"kubectl (?:[^\n]{0,200} )?create secret\b|vault kv (?:put|patch)\b"
    r"|(?:fly|flyctl|supabase|infisical|doppler) secrets set\b"
)


def _is_stored(found: _Match) -> bool:
    """Whether the assignment is an argument of a command that stores secrets: `fly secrets set X=...`."""
    command = re.split(r"(?<!\\)(?<!\\\r)\n|[;|]|&&", _before(found, 2000))[-1]
    return _STORES.search(command) is not None and _is_value(found)


_OTHER_VARIABLE = re.compile(r"(?:printenv |echo \$\{?|echo \"\$\{?)(?!\w*(?:PASS|TOKEN|SECRET|PW|KEY))")


def _is_printed(found: _Match) -> bool:
    """Whether a command that prints a secret, or a variable named after one, printed the value."""
    if _OTHER_VARIABLE.match(found[0]):
        return False
    return _is_odd_password(found) or is_id(found["secret"])


def _is_random_value(found: _Match) -> bool:
    value = found["secret"]
    return _is_value(found) and (is_long_random(value) or is_odd(value)) and not is_path(value)


_FEWEST_WORDS = 12
# Common words that are not in a wallet's word list.
_SENTENCE = frozenset("the and for with from are was your has must not can into each its".split())


def _is_seed(found: _Match) -> bool:
    words = re.findall(r"[a-z]+", found["secret"].lower())
    return _SENTENCE.isdisjoint(words[:_FEWEST_WORDS])


JUDGES: dict[str, Judge | None] = {
    "always": None,
    "value": _is_value,
    "no-word": _is_not_a_word,
    "base64-login": _is_user_and_password,
    "base64-key": _holds_a_key,
    "login": _is_real_login,
    "slashed": _is_password_after_slash,
    "session": _holds_a_session,
    "argument": _is_argument,
    "password": _is_password,
    "odd": _is_odd_password,
    "owned": _is_pass_of_someone,
    "fed": _is_fed_secret,
    "sent": _is_sent,
    "redis": _is_sent_to_redis,
    "stored": _is_stored,
    "seed": _is_seed,
    "printed": _is_printed,
    "random": _is_random_value,
}
