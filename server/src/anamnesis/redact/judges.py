"""Whether a match of a rule is a credential: one function per kind of position. Pure.

The position shows that a value may be a password. Ordinary words occur in many of the same positions, so
there it must not read as words; in a sentence ("log in with admin / ...") it must look random, or mix upper
and lower case, digits and symbols.
"""

from __future__ import annotations

import base64
import binascii
import re

from anamnesis.redact.rules import Judge
from anamnesis.redact.stand_ins import is_kept_elsewhere, is_path, is_stand_in
from anamnesis.redact.words import has_all_kinds, is_mixed, is_odd, reads_as_words

_Match = re.Match[str]


def _is_value(found: _Match) -> bool:
    return not is_stand_in(found["secret"])


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
    if is_stand_in(value) or is_kept_elsewhere(value) or value.isdigit() or value.startswith("/"):
        return False
    return not reads_as_words(value) or _PASSPHRASE.fullmatch(value) is not None


def _trimmed(found: _Match) -> str:
    return found["secret"].rstrip(".,;:!?)")


def _is_odd_password(found: _Match) -> bool:
    value = found["secret"]
    return _is_password(found) and (is_odd(value) or is_mixed(value))


def _is_odd_beside_user(found: _Match) -> bool:
    """Whether the word next to a user's name looks random and is not the rest of a path."""
    value = _trimmed(found)
    is_hex = re.fullmatch(r"[0-9a-f]{16,}", value) is not None
    return (is_odd(value) or is_mixed(value) or is_hex) and not is_path(f"{found['user']}/{value}")


_SYMBOL = re.compile(r"[-_!#$%&*+=?@^~.]")
_DATED = re.compile(r".*\d{4}-\d\d-\d\d.*|.*\d\.\d.*|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/.*)?")


def _looks_like_password(found: _Match) -> bool:
    """Whether the word next to a user looks like a password, not like a path, a host or a version."""
    value = _trimmed(found)
    is_strong = has_all_kinds(value) and _SYMBOL.search(value) is not None and not _DATED.fullmatch(value)
    return not is_path(value) and (is_odd(value) or is_strong)


_OWNER = r"(?i)\b(?:my|our|your|his|her|the|root|admin|db|ssh|sudo|mail)[ ]\Z"


def _is_pass_of_someone(found: _Match) -> bool:
    return re.search(_OWNER, _before(found, 8)) is not None and _looks_like_password(found)


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


def _is_literal_of_secret(found: _Match) -> bool:
    """Whether the option belongs to `kubectl create secret`; a config map has the same option."""
    command = _before(found, 400).rpartition("kubectl ")[2]
    return "create secret" in command and not re.search(r"(?<!\\)\n", command) and _is_value(found)


def _is_put_into_a_vault(found: _Match) -> bool:
    """Whether the assignment is an argument of `vault kv put`, where every value is a secret."""
    return re.search(r"\bvault kv (?:put|patch)\b", _command_before(found)) is not None and _is_value(found)


def _is_stored(found: _Match) -> bool:
    """Whether the assignment is an argument of a command that stores secrets: `fly secrets set X=...`."""
    command = r"(?:fly|flyctl|supabase|infisical|doppler) secrets set\b"
    return re.search(command, _command_before(found)) is not None and _is_kept_here(found)


def _command_before(found: _Match) -> str:
    return re.split(r"(?<!\\)(?<!\\\r)\n|[;|]|&&", _before(found, 2000))[-1]


def _is_kept_here(found: _Match) -> bool:
    return _is_value(found) and not is_kept_elsewhere(found["secret"])


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
    "odd-beside": _is_odd_beside_user,
    "told": _looks_like_password,
    "owned": _is_pass_of_someone,
    "fed": _is_fed_secret,
    "sent": _is_sent,
    "redis": _is_sent_to_redis,
    "kubectl": _is_literal_of_secret,
    "vault": _is_put_into_a_vault,
    "stored": _is_stored,
    "kept": _is_kept_here,
    "seed": _is_seed,
}
