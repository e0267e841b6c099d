"""Whether a value next to the name of a secret is one. Pure.

Next to a name, a value is a secret unless it is clearly something else. What else it can be depends on the
form: quoted text is a value, a bare word after ` = ` may be a variable, and what follows "the password is"
may be an ordinary word.
"""

from __future__ import annotations

import re
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
from anamnesis.redact.words import is_odd, is_word, reads_as_words

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
        return not is_long_random(value)
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
    if form == "spaced" and is_odd(value):
        return False
    return form in ("prose", "spaced", "code") and len(value) < 16 and not _is_scrambled(value)


_HYPHENATED = r"[a-z]+(?:[-_./:][a-z]+|[-_./:]\d{1,4})+"


def is_long_random(value: str) -> bool:
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
