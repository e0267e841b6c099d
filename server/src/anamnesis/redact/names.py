"""Names of secrets: which words name one, in many languages, and which names are only about one. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from anamnesis.redact.words import split_name

Kind = Literal["password", "secret", "token", "api-key"]

# Prefixes of the words below, in lower case: searching for these first is much faster than matching
# everywhere.
HINTS = (
    *("pass", "pwd", "pw", "psk", "secret", "token", "cred", "auth"),
    *("salt", "key", "bearer", "code", "pat", "jsess", "phpsess", "cookie"),
    *("kennw", "mot de", "mots de", "mdp", "contrase", "clave", "parola", "senha", "palavra", "wachtwoord"),
    *("hasło", "haslo", "пароль", "пароля", "токен", "секрет", "ключ", "гасло", "лозинка", "парола"),
    *("密码", "密碼", "口令", "密钥", "密鑰", "秘钥", "令牌", "パスワード", "暗証番号", "トークン"),
    *("シークレット", "秘密鍵", "キー", "비밀번호", "비번", "암호", "토큰", "시크릿", "비밀", "키"),
    *("şifre", "sifre", "lösenord", "losenord", "adgangskode", "kodeord", "salasana", "heslo", "jelszó"),
    *("jelszo", "geslo", "parool", "κωδικός", "סיסמה", "كلمة", "mật khẩu", "รหัสผ่าน", "kata sandi", "पासवर्ड"),
    *("schlüssel", "geheimnis", "clé", "chiave", "chave", "sleutel", "klucz", "jeton"),
)

# The words that name each kind of secret, as verbose expressions.
_VOCABULARY = {
    "key": r"""
        keys? | schlüssel | sleutel | キー | 키 | ключ(?:[ ]api)? | klucz[ ](?:api|dostępu)
      | (?<=recovery.)codes? | (?<=backup.)codes? | (?<=_)auth(?![a-z]) | (?<=basic[_-])auth
      | (?<=["'])auth(?=\\{0,7}["'][ ]?:)
      | clé[ ](?:d['’]\s?|du[ ]|de[ ])?(?:api|accès|secrète|wi-?fi|wpa2?)
      | clave[ ](?:de[ ])?(?:la[ ])?(?:api|secreta)
      | (?:chiave|chave)[ ](?:de[ ]|da[ ])?(?:api|acesso|accesso|secreta|segreta)
    """,
    "password": r"""
        pass(?:word|wd|phrase|code|wort|ord)s? | kennw[oö]rt(?:er)? | pwd | psk
      | (?<![a-z])pw(?![a-z]) | (?<![a-z])mdp(?![a-z])
      | (?<=[_-])pass(?![a-z]) | (?<=[a-z])(?-i:Pass)(?![a-z])
      | (?: (?<=db) | (?<=sql) | (?<=smtp) | (?<=mail) | (?<=admin) | (?<=root) ) pass (?![a-z])
      | (?: (?<=require) | (?<=user) | (?<=ssh) | (?<=store) | (?<=key) ) pass (?![a-z])
      | (?: (?<=bind) | (?<=root) ) pw (?![a-z]) | (?<=master)auth
      | (?: (?<![^\W_]) | (?<=\\[nrt]) ) pass (?= \\{0,7} ["']? [ \t]{0,4} [:=] )
      | mots?[ ]de[ ]passe | contrase[ñn]as? | clave(?:s|[ ]de[ ]acceso)? | parola(?:[ ]d['’]ordine)?
      | senhas? | palavra[- ]passe | wachtwoord(?:en)? | has[łl]o | гасло | парол[ьяюи] | парола | лозинка
      | [şs]ifre(?:si)?
      | l[öo]senord(?:et)? | adgangskode(?:n)? | kodeord | salasana | heslo | jelsz[óo] | geslo | parool
      | 密[码碼] | 口令 | パスワード | 暗証番号 | 비밀번호 | 비번 | 암호 | κωδικός | סיסמה
      | كلمة[ ](?:المرور|السر)
      | mật[ ]khẩu | รหัสผ่าน | kata[ ]sandi | पासवर्ड
    """,
    "token": r"""
        tokens? | (?<![a-z])bearer(?=["']?[ \t]?[:=]) | (?<=_)(?-i:PAT)(?![A-Za-z]) | jsessionid | phpsessid
      | (?: (?<=session[ _-]) | (?<=auth[ _-]) ) cookie (?![\w-])
      | jeton | токен | 令牌 | トークン | 토큰
    """,
    "secret": r"""
        secrets? | credentials? | creds? | (?<=auth_)salt | секрет | geheimnis | [密秘][钥鑰鍵] | 秘密鍵
      | シークレット | 시크릿 | 비밀[ ]?키
    """,
}
_KINDS: dict[str, Kind] = {"password": "password", "token": "token", "secret": "secret", "key": "api-key"}
_TAIL = r"(?P<tail> (?: (?:[_.-]|\d|(?-i:(?<=[a-z])[A-Z])) [A-Za-z0-9_.-]{0,40} )? )"
# Words that make a key secret, whatever its value looks like: `api_key`, `signing key`.
_QUALIFIERS = frozenset(
    """
    access account activation admin aes api app application auth backup cipher client consumer cookie
    crypt crypto decryption deploy deployment developer encrypt encryption function functions geheim
    hmac ingest ingestion integration jwt licence license live lizenz management master mfa otp
    personal fi preshared priv private psk recovery root rsa secret server service session shared sign
    signature signing storage subscription symmetric token totp upload webhook wep wifi wlan wpa wrapping
    write zugangs zugriffs
    アクセス シークレット
    액세스 비밀
    """.split()
)
# Keys that are not credentials: `public_key`, `sort_key`.
HARMLESS_KEYS = frozenset(
    """
    arrow authorized bucket cache child column composite config data dedup deduplication dest dict event
    field file foreign gpg group hash host hot i18n idempotency index issue item json kms known label
    lookup map menu message metric natural node object parent partition path pgp primary pub public
    publishable query range react result registry route routing row search secondary shortcut site sort source
    src ssh state surrogate tab tag target tracking translation unique
    """.split()
)
# Tokens that are not credentials: `continuation_token`, `eos_token`.
_NOT_CREDENTIALS = frozenset(
    """
    next prev previous continuation cancellation cancel eos bos pad unk cls sep mask stop special start
    end separator design color theme spacing lex lexer lookahead
    """.split()
)
# First words of names like `GITHUB_PAT` (personal access token); other names also end in "pat".
_FORGES = frozenset("access ado azure bitbucket ci deploy devops ext gh git github gitlab repo user".split())
# Tokens that are counted: `max_tokens`.
_COUNTED = frozenset(
    """
    max min num n total prompt completion input output cached cache used remaining avg per new reasoning
    thinking budget text audio context chunk count window
    """.split()
)
# Suffixes of names that are only about a secret: `token_count`, `password_hash`, `secret_name`.
_ABOUT = frozenset(
    """
    about age alg algo algorithm alias arg arn at attempts attribute attributes audience bits bucket
    builder button bytes cert certificate changed chars check checker class code codes col column
    complexity config configuration cost count counter created ctx days decoder desc description dialog
    dict dir directory duration embedding embeddings enabled encoder encoding encryption endpoint engine
    entropy env envvar error errors exists expiration expired expires expiry factory fd field fields
    file filename files filter folder form format found func generator group handler hash hashed hasher
    hashers hashes
    header headers help helper hint history host hours icon id identifier ids in index info input
    interval invalid issuer items iv kind kinds label labels last learning len length level lifetime
    limit limiter limits line link list loader location lookup manager map mask match max message method
    min minutes missing modal mode model module mutation name names namespace needed number offset on
    option options opts order owner page param params parser path paths pattern per placeholder plugin
    policies policy pos position prefix prompt property provider pub public query rate ratio reader ref
    reference regex region required requirements reset resolver response retries role rotated rotation
    rule rules scanner schema scheme scope scopes screen seconds section selector serializer service set
    setting settings size sizes source span spec splitter state stats status stdin step storage store
    stream strength style suffix sum table tag tags target template text threshold time timeout
    timestamp title total transform ttl type types unit units updated uri url urls usage use used user
    username uses utils valid validation validator validators validity var variable vector verifier
    version view visible warning widget width window words write xpath yes
    """.split()
)
# Suffixes that do not change the meaning of a name: `PASSWORD_PROD`, `token2`.
_SAME = frozenset(
    """
    admin again app auth b64 backup base base64 clear cleartext client confirm confirmation current data
    database db default dev development encoded hex key keys live local main master new old pass
    passphrase passwd password plain plaintext previous primary prod production qa raw repeat root
    sandbox secondary secret secrets server stage staging str string test testing token tokens uat v val
    value values
    """.split()
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_REVERSED_PHRASE = re.compile(r"[A-Za-z0-9_.-]*(?:[ ][A-Za-z0-9_.-]+|[アクセスシーレット액비밀 ]+)?")
_LONGEST_BEFORE = 40


class Name(NamedTuple):
    """The name of a secret in a text: where it is, what kind of secret it names, and how certain that is.

    `whole` is the full name, `word` the part that names the kind, `before` the part before that word.
    `is_weak`: the name says little, like `some_key`; `is_unsure`: it continues with an unknown word, like
    `token_github`; `is_plural`: it may be a number of secrets instead of one.
    """

    kind: Kind
    whole: str
    word: str
    before: str
    start: int
    end: int
    is_weak: bool
    is_unsure: bool
    is_plural: bool

    @property
    def word_start(self) -> int:
        """Where the word that names the kind starts."""
        return self.start + len(self.before)

    @property
    def is_counted(self) -> bool:
        """Whether a number after it is an amount: `max_tokens`."""
        return self.is_plural or not _COUNTED.isdisjoint(split_name(self.before))

    @property
    def is_lone_pass(self) -> bool:
        """Whether it is just "pass", which is usually a test result."""
        return self.word.lower() == "pass" and not self.before.strip()


def name_at(text: str, start: int) -> Name | None:
    """The name of a secret with its key word at `start`; None if there is none, or it is only about one."""
    found = _name().match(text, start)
    if found is None:
        return None
    before = _before(text, start)
    tail = _judge_tail(found["tail"])
    if tail == "about" or _is_harmless(found, before):
        return None
    word = text[start : found.start("tail")]
    return Name(
        kind=next(kind for group, kind in _KINDS.items() if found[group]),
        whole=before + found[0],
        word=word,
        before=before,
        start=start - len(before),
        end=found.end(),
        is_weak=_is_weak(word.lower(), before),
        is_unsure=tail == "unsure",
        is_plural=word.lower().endswith("s") and not word.lower().endswith("pass"),
    )


@cache
def _name() -> re.Pattern[str]:
    # Compiled when a name occurs, so that a hook without one does not wait.
    words = "|".join(f"(?P<{kind}> {words} )" for kind, words in _VOCABULARY.items())
    return re.compile(f"(?: {words} ) {_TAIL}", re.VERBOSE | re.IGNORECASE)


def _before(text: str, start: int) -> str:
    """What comes before the word at `start`, in its identifier or in a phrase like "API key"."""
    found = _REVERSED_PHRASE.match(text[max(start - _LONGEST_BEFORE, 0) : start][::-1])
    phrase = found[0][::-1] if found else ""
    return phrase if " " not in phrase or _is_qualified(phrase) else phrase.rpartition(" ")[2]


def _judge_tail(tail: str) -> Literal["same", "about", "unsure"]:
    words = [word.lower() for word in _WORDS.findall(tail)]
    if not words or all(word in _SAME or word.isdigit() for word in words):
        return "same"
    if words[-1] in ("token", "secret", "password", "passwd", "passphrase"):
        return "same"
    return "unsure" if _ABOUT.isdisjoint(words) else "about"


def _is_weak(word: str, before: str) -> bool:
    # `_auth` is a setting of npm; `redis_auth` may just as well be "true".
    first = before.strip("_-.").lower()
    is_unclear = word.startswith("key") or (word == "auth" and first != "" and not first.endswith("basic"))
    return is_unclear and not _is_qualified(before)


def _is_qualified(before: str) -> bool:
    words = _WORDS.findall(before.rstrip(" _.-0123456789"))
    return bool(words) and words[-1].lower() in _QUALIFIERS


def _is_harmless(found: re.Match[str], before: str) -> bool:
    words = split_name(before) or [""]
    if found["token"] and found[0].startswith("PAT"):
        return words[-1] not in _FORGES
    if found["token"]:
        is_page = words[-1] == "page" and (len(words) == 1 or words[-2] in _NOT_CREDENTIALS)
        return is_page or words[-1] in _NOT_CREDENTIALS
    key = found["key"] or ""
    is_mere_key = key.lower().startswith(("key", "schlüssel", "sleutel", "ключ", "キー", "키"))
    if not is_mere_key or key.lower().endswith("api") or _is_qualified(before):
        return False
    # "key" alone or "monkey" is not the name of a secret; `_key` and `Key` may be.
    is_part = before.endswith(("_", "-", ".")) or (before[-1:].isalnum() and key[0].isupper())
    return not is_part or words[-1] in HARMLESS_KEYS
