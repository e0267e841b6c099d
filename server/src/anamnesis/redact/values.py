"""Whether a value beside a telling name is a credential, or code, a type, a placeholder, a word. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KNOWN_WORDS = frozenset(
    (
        "password passwd passphrase secret token string number boolean none null nil undefined true false"
        " required optional changeme redacted hidden masked omitted empty value bytes bearer basic default"
        " missing invalid expired"
    ).split()
)
_PLACEHOLDER_WORDS = (
    *("your-", "your_", "your ", "placeholder", "dummy", "replaceme", "replace-me", "replace_me", "insert-"),
    *("insert_", "todo", "xxxx", "***", "...", "…", "<", "{{", "${", "%(", "%s", "[redacted"),
)
_PLACEHOLDER = re.compile(r"example.*|[x*•.#_-]+|.*[-_ ]here|my[-_](?:api|secret|token|pass|key).*")
_CODE = re.compile(
    r"\$[A-Za-z_({]|\$$|[{(\[&*]|![A-Z]|%[A-Za-z{]|@[\w.]+$|[A-Za-z_][\w.:>-]*[(\[{]|(?:[a-z]+\.)?(?:env|environ)\b"
    r"|(?:arn|vault|op|ssm|file|secretsmanager|ref|urn):|[a-z][a-z0-9+.-]*://"
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/(?:[a-z0-9._@-]+/)*[a-z0-9._@-]*|[A-Za-z]:\\.*"
    r"|[\w./-]+\.(?:json|ya?ml|toml|ini|cfg|conf|env|txt|md|log|csv|xml|html|lock|pem|key|crt|p12|py|js|ts|sh|go|rs)"
)
# Digits that belong to the name of a thing.
_TECHNICAL = re.compile(
    r"(?i)(?:u?int|bytes?|float|utf-?|sha-?|base|md|oauth|http|argon|ed|ipv?|hs|rs|es|ps|aes-?|rsa-?|gpt-?|h|v)\d+"
)
_LONGEST_NAME = 40
_WORDS = re.compile(r"(?:[A-Za-z]+\d?|\d{1,4})(?:[-_./:+]+(?:[A-Za-z]+\d?|\d{1,4}))*")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_SEPARATOR = re.compile(r"[-_./:]")
_INNER_SYMBOL = re.compile(r"[A-Za-z][@#$%^&*+~!?=]+[A-Za-z]")
_UNWORDLY = re.compile(r"\d|[@#$%^&*+~!?=]")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value with what it stands beside.

    `is_setting`: `NAME=value`, as in an environment; `is_prose`: after a colon or a verb, not an equals sign;
    `is_lone_pass`: beside the mere word "pass", which mostly tells how a test ended.
    """

    name: str
    value: str
    is_setting: bool
    is_quoted: bool
    is_prose: bool
    is_lone_pass: bool

    @property
    def kind(self) -> str:
        """What the name says that the value is."""
        name = self.name.lower()
        if name.startswith(("pass", "pwd")):
            return "password"
        if "key" in name:
            return "api-key"
        return "secret" if name.startswith(("secret", "cred")) else "token"

    @property
    def is_firm(self) -> bool:
        """Whether the value is surely a value, and not the next word of a sentence."""
        return self.is_setting or self.is_quoted


def is_secret(given: Assignment) -> bool:
    """Whether the value is to be taken for a credential."""
    value = given.value
    if len(value) < (4 if given.is_firm else 6) or not (given.is_firm or _UNWORDLY.search(value)):
        return False
    if _is_placeholder(value.lower()) or _CODE.match(value) or _PATH.fullmatch(value):
        return False
    if len(value.split(None, 1)) > 1:
        return given.is_firm and (given.name.lower() == "passphrase" or _holds_a_password(given))
    if given.is_lone_pass:
        return not _SEPARATOR.search(value) and _is_scrambled(value)
    return _is_password(given) if given.kind == "password" else _is_key(given)


def _is_placeholder(value: str) -> bool:
    if value in _KNOWN_WORDS or any(word in value for word in _PLACEHOLDER_WORDS):
        return True
    return _PLACEHOLDER.fullmatch(value) is not None


def _is_password(given: Assignment) -> bool:
    value, core = given.value, _core(given.value)
    if value.startswith(("/", "~/", "./", "../")):
        return False
    if _DIGIT.search(core):
        is_sentence = given.is_prose and not given.is_firm
        return not (is_sentence and _SEPARATOR.search(value) and _WORDS.fullmatch(value))
    if _INNER_SYMBOL.search(core):
        return True
    if given.is_setting:
        return len(value) >= 6
    return given.is_quoted and (value.count("-") >= 3 or (value.isalpha() and len(value) >= 16))


def _holds_a_password(given: Assignment) -> bool:
    """Whether one of several words is nothing that a sentence about passwords would hold."""
    return given.kind == "password" and any(_is_scrambled(word) for word in given.value.split())


def _is_scrambled(word: str) -> bool:
    """Digits at two places or more, among letters in both cases."""
    core = _core(word)
    return len(core) >= 8 and core.lower() != core != core.upper() and len(_NUMBER.findall(core)) >= 2


def _is_key(given: Assignment) -> bool:
    value, core = given.value, _core(given.value)
    if len(value) < (6 if given.is_setting else 8):
        return False
    if not given.is_firm and given.name.lower() in value.lower():
        return False  # `private_key: X25519PrivateKey` names a type
    if _DIGIT.search(core) and _LETTER.search(core):
        return len(value) >= _LONGEST_NAME or not _WORDS.fullmatch(value)
    return given.is_firm and value.isalpha() and len(value) >= (12 if given.is_setting else 32)


def _core(value: str) -> str:
    """The value without digits that say nothing, such as those of `sha256`."""
    return _TECHNICAL.sub("", value) if len(value) < _LONGEST_NAME else value
