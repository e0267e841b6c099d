"""Whether a value is a secret: next to the name of one, or in a position for one. Pure.

Next to a name, a value is a secret unless it is clearly something else. What else it can be depends on the
form: quoted text is a value, a bare word after ` = ` may be a variable, and what follows "the password is"
may be an ordinary word.

A match of a rule shows only that a value may be a password, and is judged by the kind of position. Ordinary
words occur in many of the same positions, so there it must not read as words; in a sentence ("log in with
admin / ...") it must look random, or mix upper and lower case, digits and symbols.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from anamnesis.redact.names import Name
from anamnesis.redact.stand_ins import (
    TELLING,
    is_constant,
    is_identifier,
    is_kept_elsewhere,
    is_notation,
    is_path,
    is_reference,
    is_stand_in,
    is_type,
)
from anamnesis.redact.words import has_all_kinds, is_mixed, is_odd, is_word, reads_as_words

# quoted: `name = "value"`; tight: `NAME=value`; line: `name: value` and nothing else on the line;
# spaced: `name = value`; code: bare, in a line that is code; flag: `--name value`; below: alone on the line
# after its name; prose: anything else.
Form = Literal["quoted", "tight", "line", "spaced", "code", "flag", "below", "prose"]


class Assignment(NamedTuple):
    """A value, the name it is assigned to, the form, and what follows the value on its line."""

    name: Name
    value: str
    form: Form
    after: str = ""
    is_quoted: bool = False


def is_secret(given: Assignment) -> bool:
    """Whether the value counts as a credential."""
    value = given.value
    if given.name.is_lone_pass and ("/" in value or ":" in value):
        return False
    if is_stand_in(value) or is_kept_elsewhere(value) or _is_foreign_word(value):
        return False
    if len(value.split(None, 1)) > 1:
        return _is_secret_phrase(given)
    if value.isdigit():
        return _is_secret_number(given)
    if len(value) < _shortest(given) or is_path(value) or is_notation(value):
        return False
    return not _is_code(given) and not _is_plain_word(given)


def _shortest(given: Assignment) -> int:
    name = given.name
    if name.is_weak or name.is_unsure or name.is_lone_pass:
        return 8
    if given.form == "below":
        return 6 if name.kind == "password" and is_odd(given.value) else 8
    if name.kind == "password":
        return 6 if given.form in ("prose", "spaced", "code") else 4
    return 8 if given.form == "prose" and not is_odd(given.value) else 6


def _is_code(given: Assignment) -> bool:
    if given.is_quoted:
        return False
    if given.value.endswith("<") and given.after.startswith("'"):
        return True
    argument = re.match(r"([A-Za-z_]\w*)\)\.[a-z]", given.value)
    if argument and _reads(argument[1]):
        return True
    if is_type(given.value) or re.match(r"\s*\|\s*(?:None|null|undefined|[A-Z]\w+)", given.after):
        return True
    in_code = given.form in ("spaced", "code")
    return is_reference(given.value, given.name.whole, given.after, in_code=in_code)


def _is_plain_word(given: Assignment) -> bool:
    """Whether the value is a word in a position where a word is not a secret."""
    value, name, form = given.value, given.name, given.form
    if is_constant(value):
        return True
    if name.is_lone_pass:
        return _is_test_result(name, value, form)
    if name.is_weak:
        return not _is_random(value)
    if (form == "code" and is_identifier(value)) or (form == "spaced" and _is_short_name(value)):
        return True
    if form == "flag" and value.strip(_PUNCTUATION).lower() in _OF_SENTENCES:
        return True
    if name.kind == "password" and not name.is_unsure and form in ("quoted", "tight", "line", "flag"):
        return _names_a_password(value) or (form != "quoted" and _is_keyword_argument(given))
    return _reads(value)


_PUNCTUATION = ".,;:!?()[]\"'`*_"
# What follows the name of an option in a sentence: "use --password instead of".
_OF_SENTENCES = frozenset(
    """
    a again also always an and are argument arguments as at be because before but by can cannot does either
    else etc every expects first flag flags for from has here if in instead into is it like may means must
    needs never no nor not now of on once only option options or otherwise over parameter parameters rather
    so still switch takes than that the then there these they this those to too unless until use used value
    via was were when where which while will with without works would you
    """.split()
)


def _is_short_name(value: str) -> bool:
    return len(value) < 8 and value.replace("_", "").isalpha()


def _is_keyword_argument(given: Assignment) -> bool:
    """Whether `name=value` is an argument in code, where a bare value is a variable."""
    return given.after.lstrip()[:1] in (",", ")") and _reads(given.value)


_LABEL = (
    r"(?i)passwort|kennwort|mot de passe|contrase[ñn]a|senha|wachtwoord|has[łl]o|parola|l[öo]senord|passord"
    r"|adgangskode|salasana|heslo|jelsz[óo]|clave|[şs]ifre|jeton|geheimnis"
)


def _names_a_password(value: str) -> bool:
    """Whether the value is the name of a password, or a label: `db_password`, `Passwort`."""
    if re.fullmatch(_LABEL, value):
        return True
    is_compound = re.search(r"[-_. ]|[a-z][A-Z]", value) is not None
    return is_compound and re.search(TELLING, value) is not None and reads_as_words(value)


def _reads(value: str) -> bool:
    stripped = value.strip(_PUNCTUATION)
    return not stripped or reads_as_words(stripped) or is_word(stripped.lower())


def _is_foreign_word(value: str) -> bool:
    return not value.isascii() and not any(char.isdigit() for char in value)


def _is_secret_phrase(given: Assignment) -> bool:
    """Whether several words are a secret: a passphrase, or words that include a password."""
    words = given.value.split()
    if given.form != "quoted":
        return False
    if given.name.word.lower() == "passphrase":
        is_spoken = len(words) > 2 and not given.value[0].isupper()
        return is_spoken or all(is_odd(word) for word in words)
    return given.name.kind == "password" and any(_is_scrambled(word) for word in words)


def _is_scrambled(word: str) -> bool:
    """Whether digits occur in two or more places among mixed-case letters, unlike in any sentence."""
    if reads_as_words(word) or len(word) < 8:
        return False
    return word.lower() != word != word.upper() and len(re.findall(r"\d+", word)) > 1


def _is_test_result(name: Name, value: str, form: Form) -> bool:
    """Whether what follows just "pass" is the name of a test or a number."""
    if _reads(value) or value.lower().startswith("test"):
        return True
    if name.word == "PASS" and form in ("line", "prose"):
        return not is_odd(value)
    return form in ("prose", "spaced", "code") and len(value) < 16 and not _is_scrambled(value)


_HYPHENATED = r"[a-z]+(?:[-_./:][a-z]+|[-_./:]\d{1,4})+"


def _is_random(value: str) -> bool:
    """Whether the value looks random: no words, long, and letters mixed with digits or in mixed case."""
    if len(value) < 16 or _reads(value) or not re.fullmatch(r"[\w+/=.~:-]+", value):
        return False
    has_digit, *has_letters = (any(map(check, value)) for check in (str.isdigit, str.islower, str.isupper))
    is_mixed = (has_digit and any(has_letters)) or (all(has_letters) and value.isalpha() and len(value) >= 32)
    return is_mixed and not re.fullmatch(_HYPHENATED, value)


_UNIT = (
    r"\s?-?(?:(?:to|-)\s?\d+\s?)?"
    r"(?:char|letter|digit|byte|bit|word|minute|hour|day|week|month|year|second|token|ms\b|s\b|h\b|x\b|%)"
)


def _is_secret_number(given: Assignment) -> bool:
    name = given.name
    if name.is_counted or name.is_weak or name.is_lone_pass or re.match(_UNIT, given.after):
        return False
    if name.kind != "password":
        return len(given.value) >= 8
    return len(given.value) >= (6 if given.form == "prose" else 4)


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
    if not _is_value(found) or value.isdigit() or value.startswith("/"):
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
    is_key = bool(user) and re.fullmatch(r"[0-9a-f]{16,}", value) is not None
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
}
