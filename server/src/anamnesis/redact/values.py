"""Which words name a secret, and what its value looks like: words, random text, a placeholder, code. Pure.

Words are looked up in a list (`words.txt`) instead of being judged by letter statistics: about one in a
million random texts of eight characters consists of words in the list, while one in ten looks pronounceable.
Next to the name of a secret it is enough that a value is not made of known words; further away it must look
random (`is_odd`).
"""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

_PREFIXES = "un re pre non sub multi auto de dis in im mis over out inter under co meta post self".split()
# An ending, what it replaces ("retries" comes from "retry"), and the shortest stem for it.
_ENDINGS = (
    *((ending, ("",), 3) for ending in ("s", "es")),
    *((ending, ("e", ""), 3) for ending in ("ed", "ing", "ings")),
    *((ending, ("y",), 3) for ending in ("ies", "ied")),
    *((ending, ("e", ""), 4) for ending in "er ers or ors able ible ion ions ation ations ity ive".split()),
    *((ending, ("",), 4) for ending in "ment ments ness less ful ize".split()),
    *((ending, ("", "e", "y", "ize"), 4) for ending in "ized izer izes izing ise ised iser ising".split()),
    *((ending, ("al", "le", ""), 4) for ending in ("ly", "ally")),
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SEPARATORS = re.compile(r"[-_./:+@'’ ]+")
# One piece of a name: word, WORD, Word, camelCase, CamelCase or HTTPServer, perhaps with a number at its end.
_PIECE = re.compile(
    r"(?:[A-Z]+|[A-Z]?[a-z]+|(?:[A-Z]{2,5}|[A-Z]?[a-z]+)(?:[A-Z][a-z]+|[A-Z]{2,4})+)(?P<number>\d{0,2})"
)
_LONGEST_NAME = 80
_SHORT_WORD = 3


@cache
def word_list(section: str) -> frozenset[str]:
    """The words of one section of `words.txt`."""
    return frozenset(data_file("words.txt").partition(f"[{section}]")[2].partition("[")[0].split())


@cache
def data_file(name: str) -> str:
    """The text of a data file of this package."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def is_word(text: str) -> bool:
    """Whether `text`, in lower case, is in the list, perhaps with a prefix or an ending."""
    if text in word_list("english") or text in word_list("foreign") or text in word_list("technical"):
        return True
    stems = (text, *(text[len(prefix) :] for prefix in _PREFIXES if text.startswith(prefix)))
    return any(_is_inflected(stem) for stem in stems if len(stem) > _SHORT_WORD)


def _is_inflected(text: str) -> bool:
    known = word_list("english")
    if text in known:
        return True
    for ending, replaced, shortest in _ENDINGS:
        stem = text.removesuffix(ending)
        if stem == text or len(stem) < shortest:
            continue
        # The last letter doubles in "committed" and "resetting".
        is_doubled = len(stem) > shortest and stem[-1] == stem[-2] and stem[:-1] in known
        if is_doubled or any(stem + last in known for last in replaced):
            return True
    return False


def split_name(name: str) -> list[str]:
    """The words that a name is made of, in lower case, without separators and numbers."""
    return [part.lower() for part in _PARTS.findall(name)]


def reads_as_words(text: str) -> bool:
    """Whether `text` is a name made of known words: `user_id`, `newPassword`, `per-user`, `sha256-hashed`."""
    if len(text) > _LONGEST_NAME:
        return False
    short = long = 0
    for piece in _SEPARATORS.split(text.strip("_-.:")):
        letters = _letters(piece)
        if letters is None:
            return False
        short, long = short + letters[0], long + letters[1]
    # Random text contains short words by chance, so most letters must be in longer ones.
    return long > short or (short <= _SHORT_WORD and not long)


def _letters(piece: str) -> tuple[int, int] | None:
    """How many characters of a piece are in short and in long words; None if it is not made of words."""
    if piece.lower() in word_list("technical"):
        return 0, len(piece)
    if piece.isdigit():
        return (len(piece), 0) if len(piece) <= _SHORT_WORD + 1 else None
    found = _PIECE.fullmatch(piece)
    parts = _PARTS.findall(piece)
    if found is None or not all(is_word(part.lower()) for part in parts):
        return None
    long = sum(len(part) for part in parts if len(part) > _SHORT_WORD)
    return sum(map(len, parts)) - long + len(found["number"]), long


_SHORTEST_ODD, _USUAL, _LONG_ODD, _LONG_RANDOM = 6, 8, 10, 16
_ACRONYM = 5
# Hashes and ids, versions, dates and amounts, addresses of mail and hosts, code.
_KNOWN = re.compile(
    r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|0[0-9A-HJKMNP-TV-Z]{25}|(?:v|[A-Za-z][a-z0-9]{1,9})?\d+(?:\.\d+)+[\w.+-]*|v\d+(?:alpha|beta)\d+"
    r"|\d{4}-\d\d-\d\d.*|(?:\d+(?:[dhmsw]|ms))+|[\d.,:%/x+-]+[a-zA-Z]{0,4}|#/.*|.*(?:[*•.]{3}|…).*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/].*)?|.*://.*|.*[()\[\]{}<>|,;].*|sha\d+[:-].*"
)
_ID = re.compile(r"[0-9a-f]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LETTER_RUN = re.compile(r"[A-Za-z]+")
_NOISE = re.compile(r"\d+|[!#$%^&*~?=+@]+")
_HYPHENATED = re.compile(r"[a-z]+(?:[-_./:][a-z]+|[-_./:]\d{1,4})+")


def is_odd(text: str) -> bool:
    """Whether `text` looks random: `Zk3xPq9vTm`, but not `OAuth2`, `PostgreSQL`, `v1.2.3` or a hash."""
    is_dense = has_all_kinds(text) or len(re.findall(r"\d+", text)) > 1
    if len(text) < (_SHORTEST_ODD if is_dense else _USUAL) or not text.isascii() or _KNOWN.fullmatch(text):
        return False
    if text.lower() in word_list("technical") or reads_as_words(text):
        return False
    pieces = _LETTER_RUN.findall(text)
    unknown = [piece for piece in pieces if not is_word(piece.lower())]
    breaks = len(_NOISE.findall(text)) if len(pieces) > 1 else 0
    if unknown and (breaks > 1 or (breaks and len(unknown) > 1 and len(text) >= _LONG_ODD)):
        return True
    return any(_is_unlike_a_word(piece) for piece in pieces)


def _is_unlike_a_word(letters: str) -> bool:
    """Whether letters change case like no name does, or most of their sequences are in no known word."""
    parts = _PARTS.findall(letters)
    if sum(len(part) == 1 for part in parts) > 1 or len(parts) > max(2, len(letters) / 2.5):
        return True
    return any(_is_strange(part.lower()) for part in parts if not (part.isupper() and len(part) <= _ACRONYM))


def _is_strange(part: str) -> bool:
    """Whether most sequences of three letters, or in a short part any pair, are in no known word."""
    if is_word(part):
        return False
    size = 2 if len(part) <= _SHORT_WORD else 3
    sequences = _sequences(part, size)
    unknown = len(sequences - _known_sequences(size))
    return unknown > 0 if size == 2 else unknown > len(sequences) / 2


def _sequences(word: str, size: int) -> set[str]:
    return {word[place : place + size] for place in range(len(word) - size + 1)}


@cache
def _known_sequences(size: int) -> frozenset[str]:
    known = word_list("english") | word_list("foreign")
    return frozenset().union(*(_sequences(word, size) for word in known))


def has_all_kinds(text: str) -> bool:
    """Whether it has digits, lower-case and upper-case letters."""
    return all(any(map(check, text)) for check in (str.isdigit, str.islower, str.isupper))


def seems_random(text: str) -> bool:
    """Whether `text` looks random in any way: enough where only a secret is expected."""
    is_mixed = len(text) >= _USUAL and has_all_kinds(text) and text.isalnum() and not reads_as_words(text)
    return is_mixed or is_odd(text) or _ID.fullmatch(text) is not None


def is_long_random(value: str) -> bool:
    """Whether the value looks random: no words, long, and letters mixed with digits or in mixed case."""
    if len(value) < _LONG_RANDOM or reads_as_words(value) or not re.fullmatch(r"[\w+/=.~:-]+", value):
        return False
    has_digit, *has_letters = (any(map(check, value)) for check in (str.isdigit, str.islower, str.isupper))
    is_mixed_case = all(has_letters) and value.isalpha() and is_odd(value)
    is_mixed = (has_digit and any(has_letters)) or is_mixed_case
    return is_mixed and not _HYPHENATED.fullmatch(value)


_MASKS = ("...", "…", "***", "•••")  # a masked value starts or ends with one
_MARKED = (
    r"(?i)<[a-z][a-z _-]*>|\[[a-z][a-z _:.-]*\]|\{\{.*\}\}|\{\{ .*|\w{0,12}[*•]{4,}\w{0,12}"
    r"|.*\[(?:redacted|filtered|hidden|masked|removed).*|.*(?:placeholder|changeme|xxxxxx|(?-i:EXAMPLE)).*"
    r"|(?:.*[^a-z])?your[-_ ].*|(?:insert|enter|add|put|paste|use)[-_ ](?:your|a|the|own|my)[-_ ].*"
)
_ADJECTIVE = (
    "(?:super|very|test|fake|dummy|example|sample|new|own|api|db|app|auth|access|client|secure|strong)"
)
_PLACEHOLDER = (
    r"(?i)x{4,}\d{0,4}|(.)\1{2,}|[x*•.#_?-]+"
    r"|(?:my|your|the|some|a|any|test|fake|dummy|mock|example|sample|demo|temp|change|replace)[-_ ]?"
    rf"(?:{_ADJECTIVE}[-_ ]?){{0,3}}(?:secret|token|password|passwd|pass|key|credential|value|me|it|this)s?"
    r"(?:[-_ ]?(?:here|key|value|goes|token|secret|string))*[-_]?\d{0,4}"
    r"|.{0,40}[-_ ](?:goes[-_ ])?here"
    r"|(?:test|dummy|fake|mock|example|sample|placeholder|foo|bar|foobar|demo|abc)[-_]?\d{0,4}"
    r"|(?:sk|pk|ghp|gho|xoxb|glpat|sk-ant|key|token)[-_]?(?:test|fake|dummy|example|abc|123)[\w.-]{0,12}"
)
_TEMPLATE = (
    r"\$\{\s*[A-Za-z_.][\w.:?+=,/ @()\[\]'\"-]*\}[\w./-]{0,20}|\$\{[A-Z_]{4,}[A-Z0-9_]*[:?+=-].*|\$\{\{.*"
    r"|\$\([a-z][\w-]*(?: .*|[\w.-]*\))?"
    r"|%\w+\(.*\)%|%\([\w.]*\)[sdr]?|(?:%[sdvqr]\W?)+|%[A-Z][A-Z0-9_]*%|<%.*%>|ENC[\[(].*"
    r"|\{cipher\}.*|__\w+__|@@\w+@@|\(\(.*\)\)|\$\d"
    r"|!(?:Ref|Sub|GetAtt|ImportValue|Join|FindInMap|vault|secret|env|ENV|include|reference|file)\b.*"
    r"|[%#@]?\{(?:\d*|[a-z_][a-z_.\[\]()'\"]*(?:![rsa])?(?::.*)?)\}"
)
_VARIABLE = r"[%#@]?\{(?P<field>[^{}]*)\}|\$+(?:[A-Za-z]+:)?(?P<name>[A-Za-z_]\w*)"
_SCHEMES = (
    "https?|ftp|file|op|sm|awssm|gcpsm|doppler|vault|azurekeyvault|keyring|infisical|bws|akv|s3|gs|ssh|postgres"
    "|mysql|redis"
)
_ELSEWHERE = (
    rf"(?i)(?:{_SCHEMES})://.*|//(?:[\w.-]+@)?(?:[\w-]+\.)+[a-z]{{2,}}(?:[:/?#].*)?"
    r"|@microsoft\.keyvault\(.*|(?:arn|urn):[\w:/.*-]+"
    r"|(?:vault|ssm|secretsmanager|env|file|ref|keyring|cmd|pass|op|sops|awskms|gcpkms):[\w/.#$@-]*[/_#.][\w/.#$@-]*"
    r"|ref\+.*|projects/[\w-]+/secrets/.*|secrets?/(?:data/)?[\w/-]+(?:#\w+)?"
)


def is_stand_in(value: str) -> bool:
    """Whether the value only stands for one: `changeme`, `<your-token>`, `sk-...`, `${TOKEN}`, `op://...`."""
    return _is_placeholder(value) or _is_template(value) or re.fullmatch(_ELSEWHERE, value) is not None


def _is_placeholder(value: str) -> bool:
    bare = value.strip().rstrip("!?.,;:")
    is_listed = bare.lower().strip("()") in word_list("placeholders")
    if is_listed or value.startswith(_MASKS) or value.endswith(_MASKS):
        return True
    return re.fullmatch(_MARKED, value) is not None or re.fullmatch(_PLACEHOLDER, bare) is not None


def _is_template(value: str) -> bool:
    if re.fullmatch(_TEMPLATE, value):
        return True
    variable = re.fullmatch(_VARIABLE, value)
    name = (variable["field"] or variable["name"] or "").strip() if variable else ""
    return bool(name) and (reads_as_words(name) or (name.isupper() and ("_" in name or name.isalpha())))


_PATH = r"(?:~|\.{1,2}|\$\w+)?/?(?:[\w.@ -]+/)*[\w.@-]*/?"
_EXTENSION = (
    r".*\w\.(?:json|ya?ml|toml|ini|cfg|conf|env|txt|md|log|csv|xml|html|lock|pem|key|crt|p12|pfx|jks|py|js|ts|tsx"
    r"|sh|go|rs|rb|java|php|sql|gpg|asc|age|enc|db|sqlite|pub|ppk|kdbx|tf|vue|svelte|css|so|zip|tmpl|tpl)"
)


def is_path(value: str) -> bool:
    """Whether the value is the path of a file: `/run/secrets/db`, `./token.txt`, `~/.ssh/id_ed25519`."""
    if re.fullmatch(_EXTENSION, value.lower()) and re.fullmatch(r"[\w.@/~$ -]+", value):
        return True
    if "/" not in value or not re.fullmatch(_PATH, value):
        return False
    first = next((part for part in value.lstrip("~.$").split("/") if part), "").strip(".").lower()
    is_rooted = first in word_list("roots") and value.startswith(("/", "~/", "./", "../"))
    return is_rooted or reads_as_words(value)


_NOTATION = (
    r"\d{1,5}(?:\.\d{1,6}){1,3}"
    r"|(?:[\^~]|[<>]=? ?|==?|v)\d{1,5}(?:\.(?:\d{1,6}|[x*])){1,3}(?:[-+][\w.+-]{1,30})?(?: .*|\|\|.*)?"
    r"|#[0-9a-fA-F]{3,8}|0x[0-9a-fA-F]{1,8}|\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]*)?|[\[{]\s*\\*[\"'].*"
    r"|/\^[\[(].*|\[\^?(?:a-z|A-Z|0-9).*|\[.*\]\(.*|\(\?[:=!<].*|[A-Z][a-z]+\[[\w, |\[\]]+\]|\+[A-Za-z]+\+"
)
# A random value sometimes contains one of these, but rarely two.
_REGEX_SIGNS = r"\(\?[:=!<P]|\\[wsdb]|\[\^?(?:a-z|A-Z|0-9)|[a-zA-Z0-9]-[zZ9]\]|[\])}.][*+](?=[)\]$?]|\Z)|\^\["


def is_notation(value: str) -> bool:
    """Whether the value is a version, a color, a date, a regular expression, or the start of a structure."""
    return re.fullmatch(_NOTATION, value) is not None or len(set(re.findall(_REGEX_SIGNS, value))) > 1


_NAMES = r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*"
_CALL = rf"(?P<names>{_NAMES})[!?]?[(\[](?P<rest>.*)"
_ANCHOR = r"(?:[*&@]|[{\[(]{1,2}_*)(?P<name>[A-Za-z_][\w-]*)[:.]?"
NAMED_AFTER_ONE = r"(?i)pass(?:word|wd|phrase)?|token|secret|cred|key|pwd"
# `AccessToken`, `db_password`: a name that ends with a word for a secret.
_NAME_END = (
    r"(?<=[a-z0-9])(?:Token|Secret|Password|Credentials?|(?:Private|Public|Secret|Api|Access|Signing)Key)s?\Z"
    r"|(?<=[a-z0-9])_(?:token|secret|password|passwd|credentials?)s?\Z"
    r"|(?<=[a-z0-9])_(?:private|public|secret|api|access|signing)_keys?\Z|\A_*[A-Z]+(?:_+[A-Z]+)+_*\Z"
)
_BUILT_IN = ("str", "int", "len", "set", "get", "env", "max", "min")


def is_reference(value: str, name: str, *, in_code: bool) -> bool:
    """Whether a bare value is a call, an index, an attribute, a constant or an anchor.

    `name` is the name it is assigned to; `in_code`: a single word may be a variable.
    """
    value = value.rstrip(",;")
    if re.fullmatch(_NAMES, value):
        return _is_variable(_dotted(value), name, in_code=in_code)
    call = re.fullmatch(_CALL, value)
    if call:
        return _is_call(_dotted(call["names"]), call["rest"])
    anchor = re.fullmatch(_ANCHOR, value)
    return anchor is not None and (
        reads_as_words(anchor["name"]) or re.search(_NAME_END, anchor["name"]) is not None
    )


def _dotted(names: str) -> str:
    return re.sub(r"->|::|\?\.|\$", ".", names)


def _is_variable(value: str, name: str, *, in_code: bool) -> bool:
    first, dot, _ = value.strip(".").partition(".")
    last = value.rpartition(".")[2]
    if last == name or re.search(_NAME_END, value) or first in ("self", "this", "cls"):
        return True
    if not any(map(str.isdigit, value)):
        known = [is_word(word) for word in split_name(value)]
        if (dot and any(known)) or (all(known) and re.search(NAMED_AFTER_ONE, value)):
            return True
    return (in_code or bool(dot) or "_" in value.strip("_")) and reads_as_words(value)


def _is_call(names: str, rest: str) -> bool:
    """Whether a name and what follows its opening bracket are a call or an index of known words."""
    words = [word for word in split_name(names) if len(word) > _SHORT_WORD]
    if names.rpartition(".")[2] in _BUILT_IN or any(map(is_word, words)):
        return True
    is_plain = re.match(r"[A-Za-z_][a-z_]{2}", names) is not None and rest[-1:] in (")", "]", "")
    arguments = re.split(r"[(),=.\[\]:\"']+", rest)
    return is_plain and all(len(part) < 2 or part.isdigit() or reads_as_words(part) for part in arguments)


# -- names: which words name a secret, in six languages, and which names are only about one -----------------

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
