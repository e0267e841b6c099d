"""Names of secrets: which words name one, in six languages, and which names are only about one. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from anamnesis.redact.values import split_name, word_list

Kind = Literal["password", "secret", "token", "api-key"]

# Prefixes of the words below, in lower case: finding these first is much faster than matching everywhere.
HINTS = tuple(
    "p/w|pass|pwd|pw|psk|secret|token|cred|auth|key|bearer|code|pat|cookie|jsess|phpsess|kennw|schlüssel|geheimnis"
    "|contrase|clave|mot de|mots de|mdp|clé|jeton|密码|密碼|口令|密钥|密鑰|秘钥|令牌|パスワード"
    "|暗証番号|トークン|シークレット|秘密鍵|キー|비밀번호|비번|암호|패스워드|토큰".split("|")
)
# The words that name each kind of secret, as verbose expressions.
_VOCABULARY: dict[Kind, str] = {
    "api-key": r"""
        keys? | schlüssel | キー | (?<=recovery.)codes? | (?<=backup.)codes? | (?<=_)auth(?![a-z])
      | (?<=basic[_-])auth | (?<=["'])auth(?=\\{0,7}["'][ ]?:)
      | clé(?:[ ](?:d['’]\s?|du[ ]|de[ ])?(?:api|accès|secrète|wi-?fi|wpa2?))?(?![a-z])
      | clave[ ](?:de[ ])?(?:la[ ])?(?:api|secreta)
    """,
    "password": r"""
        pass(?:word|wd|phrase|code|wort|ord)s? | kennw[oö]rt(?:er)? | pwd | psk | (?<![a-z])p/w
      | (?<![a-z])pw(?![a-z]) | (?<![a-z])mdp(?![a-z])
      | (?<=[_-])pass(?![a-z]) | (?<=[a-z])(?-i:Pass)(?![a-z])
      | (?: (?<=db) | (?<=sql) | (?<=smtp) | (?<=mail) | (?<=admin) | (?<=root) ) pass (?![a-z])
      | (?: (?<=require) | (?<=user) | (?<=ssh) | (?<=store) | (?<=key) ) pass (?![a-z])
      | (?: (?<=bind) | (?<=root) ) pw (?![a-z]) | (?<=master)auth
      | (?: (?<![^\W_]) | (?<=\\[nrt]) ) pass (?= \\{0,7} ["']? [ \t]{0,4} [:=] )
      | mots?[ ]de[ ]passe | contrase[ñn]as? | clave(?:s|[ ]de[ ]acceso)? | 密[码碼] | 口令 | パスワード
      | 暗証番号 | 비밀번호 | 비번 | 암호 | 패스워드
    """,
    "token": r"""
        tokens? | (?<![a-z])bearer(?=["']?[ \t]?[:=]) | (?<=_)pat(?![a-z]) | jsessionid | phpsessid
      | (?: (?<=session[ _-]) | (?<=auth[ _-]) ) cookie (?![\w-]) | jeton | 令牌 | トークン | 토큰
    """,
    "secret": r"secrets? | credentials? | creds? | geheimnis | [密秘][钥鑰鍵] | 秘密鍵 | シークレット",
}
_TAIL = r"(?P<tail> (?: (?:[_.-]|\d|(?-i:(?<=[a-z])[A-Z])) [A-Za-z0-9_.-]{0,40} )? )"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_REVERSED_PHRASE = re.compile(r"[A-Za-z0-9_.-]{0,40}(?:[ ][A-Za-z0-9_.-]{1,40}|[アクセスシーレット ]{1,40})?")
_SAME = "token secret password passwd passphrase key value prod dev test base64".split()
_KEYS = ("key", "schlüssel", "キー", "clé")
_LIBRARY = re.compile(r"(?i)(?:^|[.-])json-?web\Z")  # `io.jsonwebtoken`


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a secret in a text: where it is, what kind of secret it names, and how certain that is.

    `whole` is the full name, `before` the part before the word that names the kind. `is_weak`: the name says
    little, like `some_key`; `is_unsure`: it continues with an unknown word, like `token_github`; `is_plural`:
    it may be a number of secrets instead of one; `is_lone`: it is just "pass" or "key".
    """

    kind: Kind
    whole: str
    before: str
    start: int
    end: int
    is_weak: bool
    is_unsure: bool
    is_plural: bool
    is_lone: bool

    @property
    def word_start(self) -> int:
        """Where the word that names the kind starts."""
        return self.start + len(self.before)

    @property
    def is_sure(self) -> bool:
        """Whether it names one secret and nothing else."""
        return not (self.is_weak or self.is_unsure or self.is_plural or self.is_lone)


def name_at(text: str, start: int) -> Name | None:
    """The name of a secret with its key word at `start`; None if there is none, or it is only about one."""
    found = _name().match(text, start)
    if found is None:
        return None
    before = _before(text, start)
    kind = next(kind for kind in _VOCABULARY if found[kind.replace("-", "_")])
    named = text[start : found.start("tail")]
    word, tail = named.lower(), _judge_tail(found["tail"])
    # `id:ada,pass:...` is a list of settings, not a test result.
    is_lone = not before.strip() and (
        word.startswith(_KEYS) or (word == "pass" and text[max(start - 1, 0) : start] not in (",", ";", "&"))
    )
    if tail == "about" or _is_harmless(
        kind, named, before, is_lone=is_lone, head=text[max(start - 40, 0) : start]
    ):
        return None
    return Name(
        kind=kind,
        whole=before + found[0],
        before=before,
        start=start - len(before),
        end=found.end(),
        is_weak=_is_weak(word, before),
        is_unsure=tail == "unsure",
        is_plural=word.endswith("s") and not word.endswith("pass"),
        is_lone=is_lone,
    )


@cache
def _name() -> re.Pattern[str]:
    # Compiled when a name occurs, so that a hook without one does not wait.
    words = "|".join(f"(?P<{kind.replace('-', '_')}> {words} )" for kind, words in _VOCABULARY.items())
    return re.compile(f"(?: {words} ) {_TAIL}", re.VERBOSE | re.IGNORECASE)


def _before(text: str, start: int) -> str:
    """What comes before the word at `start`, in its identifier or in a phrase like "API key"."""
    found = _REVERSED_PHRASE.match(text[max(start - 80, 0) : start][::-1])
    phrase = found[0][::-1].lstrip() if found else ""
    return phrase if " " not in phrase or _is_qualified(phrase) else phrase.rpartition(" ")[2]


def _judge_tail(tail: str) -> Literal["same", "about", "unsure"]:
    words = [word.lower() for word in _WORDS.findall(tail)]
    if all(map(str.isdigit, words)) or words[-1] in _SAME:
        return "same"
    return "unsure" if word_list("about").isdisjoint(words) else "about"


def _is_weak(word: str, before: str) -> bool:
    # `_auth` is a setting of npm; `redis_auth` may just as well be "true".
    first = before.strip("_-.").lower()
    is_unclear = word.startswith(("key", "pat")) or (word == "auth" and first[-5:] not in ("", "basic"))
    return is_unclear and not _is_qualified(before)


def _is_qualified(before: str) -> bool:
    words = _WORDS.findall(before.rstrip(" _.-0123456789"))
    last = words[-1].lower() if words else ""
    return last in word_list("qualifiers") or last.endswith("api")


def _is_harmless(kind: Kind, word: str, before: str, *, is_lone: bool, head: str) -> bool:
    words = split_name(before or head) or [""]
    if is_lone:
        return words[-1] in word_list("harmless-keys")
    if kind == "token":
        is_page = words[-1] == "page" and (len(words) == 1 or words[-2] in word_list("not-credentials"))
        return is_page or words[-1] in word_list("not-credentials") or bool(_LIBRARY.search(before))
    if not word.lower().startswith(_KEYS) or _is_qualified(before):
        return False
    # "monkey" is not the name of a secret; `_key` and `Key` may be.
    is_part = before.endswith(("_", "-", ".")) or (before[-1:].isalnum() and word[0].isupper())
    return not is_part or words[-1] in word_list("harmless-keys")
