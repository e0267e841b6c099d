"""Secrets in sentences, away from the word that names them. Pure.

"The password we use since May is ..." gives its value later in the sentence; "the new key for staging is
7c0e..." has random text soon after a word for a key. Keys without an issuer's prefix are hexadecimal, base32
or base64. Hashes look the same, so what is said to be a commit, a digest or an id stays, and so does what
follows the name of a key that is not a credential.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import HARMLESS_KEYS, Name
from anamnesis.redact.rules import Folded, Span
from anamnesis.redact.words import has_all_kinds, is_odd, reads_as_words

_REACH = 160
_GOES_ON = re.compile(r"[`\"'*_]{0,3},?[ \t]+[^\W\d_(]")
# A new sentence or clause, which is no longer about the name.
_END = re.compile(
    r"\n|\r|\\n|[.!?;](?:\s|\Z)|\s(?:and|but|while|because|und|aber|weil|et|mais|pero|ma|mas|maar|ale)\s",
    re.IGNORECASE,
)
_VERBS = (
    "is|was|be|equals|to|became|it['’]s|ist|war|lautet|heißt|auf|est|sera|c['’]est|es|era|è|é|jest|это|är|er"
)
ADVERBS = (
    "now|currently|still|just|jetzt|nun|aktuell|maintenant|désormais|ahora|agora|adesso|ora|nu|teraz|simply"
    "|теперь|changed to|set to"
)
_LINK = re.compile(
    rf"(?:\s(?P<subject>[^\s]{{1,40}}))?(?:[ \t](?:{_VERBS})(?:[ \t]?:)?|[:：]|[ \t](?:→|->|—|–))[ \t]{{1,8}}"
    rf"(?:(?:{ADVERBS})[ \t]{{1,4}})?(?=(?P<value>[^\s]{{6,200}}))",
    re.IGNORECASE,
)
# If a value is called one of these, it is not the secret: "the token's id is ...".
_OTHER_SUBJECTS = frozenset(
    """
    id ids hash commit version file digest sha checksum path url name branch build release tag image line
    page ticket issue length type format size count username host hostname address port key-id kid
    """.split()
)
_AROUND = "\"'`*_„“”«»‹›()[]"
# Prefixes of the words below, in lower case.
_HINTS = (
    *("key", "token", "secret", "seed", "passphrase", "password", "pw", "totp", "otp", "2fa", "credential"),
    *("schlüssel", "geheimnis", "startwert", "clé", "secreto", "clave", "semilla", "chiave", "chave"),
    *("sleutel", "klucz", "ключ", "токен", "секрет", "密钥", "密鑰"),
    *("令牌", "キー", "トークン", "鍵", "키", "토큰"),
)
_WORD = re.compile(
    r"(?:{})[a-zа-я]{{0,3}}(?![A-Za-z0-9_])".format("|".join(map(re.escape, _HINTS))), re.IGNORECASE
)
_BEFORE = re.compile(r"(?:[^\W_]|[-_])+(?=[\s-]*\Z)")
_RUN = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,256}={0,6}(?![A-Za-z0-9+/_=@:-]|\.\w)")
_KEY_REACH, _MOST_WORDS = 400, 7  # characters, words
_SENTENCE_END = re.compile(r"\n|[.!?;。！？；](?:\s|\Z)")
_HEX, _BASE32 = re.compile(r"[0-9a-fA-F]+"), re.compile(r"[A-Z2-7]+={0,6}")
_COMMIT = 40  # length of git's object names
_LONG, _LONG_HEX, _SHORT = 20, 32, 6
# Words near a key or a token that show that it is something else.
_HASHED = frozenset(
    """
    commit commits h1 sha sha1 sha256 sha512 md5 hash hashes digest checksum fingerprint etag revision object
    id ids uuid guid trace span request ref tree blob image layer version build integrity nonce signature
    prüfsumme empreinte huella impronta vingerafdruk odcisk хеш отпечаток 哈希 指纹 ハッシュ 해시
    """.split()
)
_WORDS = re.compile(r"[^\W_]+")


def values_later(text: str, name: Name) -> Iterator[tuple[int, int]]:
    """Start and end of each random-looking value later in the sentence, after a verb or an operator."""
    if name.is_weak or name.is_unsure or name.is_plural or name.is_lone_pass:
        return
    if not _GOES_ON.match(text, name.end):
        return
    end = _END.search(text, name.end, name.end + _REACH)
    for link in _LINK.finditer(text, name.end, end.start() if end else name.end + _REACH):
        if (link["subject"] or "").strip(_AROUND).lower() in _OTHER_SUBJECTS:
            continue
        start, stop = _trimmed(text, *link.span("value"))
        if is_odd(text[start:stop]):
            yield start, stop


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The value without surrounding quotation marks and the sentence's punctuation."""
    value = text[start:end]
    start += len(value) - len(value.lstrip(_AROUND))
    return start, start + len(value.lstrip(_AROUND).rstrip(_AROUND + ".,;:!?"))


def find_nearby(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each key that follows a word for one within seven words."""
    text, position = folded.text, 0
    for start in folded.occurrences(_HINTS):
        name = _WORD.match(text, start) if start >= position else None
        if name is None or _is_inside_a_word(text, start, name.end()):
            continue
        before = _BEFORE.search(text, max(start - 40, 0), start)
        qualifiers = {part.lower() for part in _WORDS.findall(before[0] if before else "")}
        told = _told_key(text, start, name.end(), qualifiers)
        if told:
            position = told[1]
            yield *told, "secret"
            continue
        end = _SENTENCE_END.search(text, name.end(), name.end() + _KEY_REACH)
        found = _RUN.search(text, name.end(), end.start() if end else name.end() + _KEY_REACH)
        gap = text[name.end() : found.start()] if found else ""
        if found is None or len(gap.split()) > _MOST_WORDS:
            continue
        if _is_key(found[0], qualifiers, gap):
            position = found.end()
            yield *found.span(), "secret"


_TOLD = re.compile(
    r"(?:\s(?:is|was|ist|lautet|est|es|è|é|jest|это)|\s?[:：—–])\s{1,4}[\"'`„“«]?(?P<value>[^\s\"'`„“”«»]{10,200})"
)
_PATH = re.compile(r"/|\w\.[A-Za-z_]\w{2}")  # a file path, or a dotted name in code
_DETERMINER = re.compile(r"(?i)(?:\A|[\s>*(-])(?:the|my|our|your|this|new|der|dein|unser|la|le|el|mi)\s\Z")


def _told_key(text: str, start: int, end: int, qualifiers: set[str]) -> tuple[int, int] | None:
    """The position of the key in "the key is ...", where it may contain any symbols."""
    found = _TOLD.match(text, end)
    if found is None:
        return None
    value = found["value"].rstrip(".,;:!?)")
    if qualifiers & (_HASHED | HARMLESS_KEYS) or text[max(start - 1, 0) : start] in ("_", "-", "."):
        return None
    is_random = is_odd(value) and has_all_kinds(value) and not _PATH.search(value)
    is_hex = len(value) >= _LONG_HEX and _HEX.fullmatch(value) and not value.isdigit()
    if is_random or (is_hex and _DETERMINER.search(text, max(start - 12, 0), start)):
        return found.start("value"), found.start("value") + len(value)
    return None


def _is_inside_a_word(text: str, start: int, end: int) -> bool:
    """Whether a short word for a key is only the end of another, as in "monkey"."""
    return end - start < _SHORT and text[max(start - 1, 0) : start].isalpha() and text[start].isascii()


def _is_key(value: str, qualifiers: set[str], gap: str) -> bool:
    """Whether a value is random and the words before it do not call it a hash or an id."""
    said = qualifiers | {word.lower() for word in _WORDS.findall(gap)}
    if said & _HASHED or qualifiers & HARMLESS_KEYS or reads_as_words(value):
        return False
    if _HEX.fullmatch(value):
        is_mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
        return is_mixed and len(value) >= _LONG_HEX and len(value) != _COMMIT
    if _BASE32.fullmatch(value):
        return any(map(str.isdigit, value)) and is_odd(value.rstrip("="))
    return has_all_kinds(value) and len(value) >= _LONG and is_odd(value.rstrip("="))
