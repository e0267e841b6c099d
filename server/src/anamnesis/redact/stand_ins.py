"""Values that only stand for a secret: placeholders, templates, references to where it is stored, code. Pure.

The expressions are strict, so that they do not match a random password, which may contain a bracket or a
dollar sign.
"""

from __future__ import annotations

import re

from anamnesis.redact.words import is_word, reads_as_words, split_name

_NO_VALUES = frozenset(
    """
    none null nil undefined nan true false yes no on off empty blank unset void default required
    optional missing invalid expired changed unchanged unknown hidden masked omitted redacted removed
    filtered stripped disabled enabled pending string str text number integer boolean bool bytes bytea
    blob varchar char any object array never self todo fixme tbd na n/a changeme change-me change_me
    changeit changethis replaceme replace-me replace_me placeholder dummy example sample fake mock demo
    foo bar baz foobar qux test testing tests tester xyz abc abcd abcdef value values password passwd
    passphrase passcode secret token credential credentials apikey api-key api_key key pwd pass
    mypassword my-password mysecret mytoken mykey yourpassword yourtoken yoursecret supersecret
    topsecret verysecret notasecret nosecret insecure secretvalue bearer basic digest oauth saml sso
    ldap prompt ask stdin env vault keychain keyring postgres root admin guest user anonymous anon
    inherit include sensitive confidential private public wrong incorrect correct bad good right valid
    hashed plain plaintext
    """.split()
)
_MASKS = ("...", "…", "***", "•••")  # a masked value starts or ends with one
_MARKED = (
    r"(?i)\[[a-z][a-z _:.-]*\]|\{\{.*\}\}|\{\{ .*|\w{0,12}[*•]{4,}\w{0,12}"
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
    r"|\$\([\w.-]+\)|%\w+\(.*\)%|%\([\w.]*\)[sdr]?|(?:%[sdvqr]\W?)+|%[A-Z][A-Z0-9_]*%|<%.*%>|ENC[\[(].*"
    r"|\{cipher\}.*|__\w+__|@@\w+@@|\(\(.*\)\)|\$\d"
    r"|!(?:Ref|Sub|GetAtt|ImportValue|Join|FindInMap|vault|secret|env|ENV|include|reference|file)\b.*"
)
_EXPRESSION = r"\d*|[a-z_][a-z_.\[\]()'\"]*(?:![rsa])?(?::.*)?"
_FIELD = r"[%#@]?\{(?P<name>[^{}]*)\}"
_VARIABLE = r"\$+(?:[A-Za-z]+:)?(?P<name>[A-Za-z_]\w*)"
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
_ROOTS = frozenset(
    (
        "etc run var home usr opt tmp srv mnt app data secrets secret dev users root proc config workspace"
        " build bin lib private vault kv api auth library volumes token tokens certs keys system"
    ).split()
)
_PATH = r"(?:~|\.{1,2}|\$\w+)?/?(?:[\w.@ -]+/)*[\w.@-]*/?"
_DRIVE = r"[A-Za-z]:[\\/]{1,4}(?P<first>[\w.-]+)"
_EXTENSION = (
    r".*\w\.(?:json|ya?ml|toml|ini|cfg|conf|env|txt|md|log|csv|xml|html|lock|pem|key|crt|p12|pfx|jks|py|js|ts|tsx"
    r"|sh|go|rs|rb|java|php|sql|gpg|asc|age|enc|db|sqlite|pub|ppk|kdbx|tf|vue|svelte|css|so|zip|tmpl|tpl)"
)


def is_stand_in(value: str) -> bool:
    """Whether the value only stands for one: `changeme`, `<your-token>`, `xxxx`, `sk-...`, `${TOKEN}`."""
    return _is_placeholder(value) or _is_template(value)


def is_kept_elsewhere(value: str) -> bool:
    """Whether the value says where the secret is stored: `op://vault/item`, `arn:aws:...`, `https://...`."""
    return re.fullmatch(_ELSEWHERE, value) is not None


def _is_placeholder(value: str) -> bool:
    bare = value.strip().rstrip("!?.,;:")
    if bare.lower().strip("()") in _NO_VALUES or value.startswith(_MASKS) or value.endswith(_MASKS):
        return True
    if value.startswith("<") and value.endswith(">"):
        is_label = re.fullmatch(r"<[A-Za-z][A-Za-z _-]*>", value) is not None
        return is_label or any(len(word) > 3 and is_word(word) for word in split_name(value))
    return re.fullmatch(_MARKED, value) is not None or re.fullmatch(_PLACEHOLDER, bare) is not None


def _is_template(value: str) -> bool:
    if re.fullmatch(_TEMPLATE, value):
        return True
    field = re.fullmatch(_FIELD, value)
    if field:
        return re.fullmatch(_EXPRESSION, field["name"]) is not None or _is_variable_name(
            field["name"].strip()
        )
    command = re.fullmatch(r"\$\(([a-z][\w-]*)(?: .*)?", value)
    if command:
        return is_word(command[1])
    variable = re.fullmatch(_VARIABLE, value)
    return variable is not None and _is_variable_name(variable["name"])


def _is_variable_name(name: str) -> bool:
    return reads_as_words(name) or (name.isupper() and ("_" in name or name.isalpha()))


def is_path(value: str) -> bool:
    """Whether the value is the path of a file: `/run/secrets/db`, `./token.txt`, `~/.ssh/id_ed25519`."""
    drive = re.match(_DRIVE, value)
    if drive:
        return len(drive["first"]) > 3 and reads_as_words(drive["first"])
    has_extension = re.fullmatch(_EXTENSION, value.lower()) is not None
    if "/" not in value:
        stem, _, extension = value.rpartition(".")
        is_file = len(extension) > 2 and re.fullmatch(r"[\w.-]+", stem) is not None
        return has_extension and (is_file or reads_as_words(stem))
    if not re.fullmatch(_PATH, value):
        return False
    first = next((part for part in value.lstrip("~.$").split("/") if part), "").strip(".")
    is_known = first.lower() in _ROOTS or (len(first) > 3 and reads_as_words(first))
    is_rooted = is_known and value.startswith(("/", "~/", "./", "../"))
    return is_rooted or has_extension or reads_as_words(value)


_TYPE = (
    r"[*&?]{0,2}(?:mut |const )?(?P<names>[A-Za-z_][\w.]*)(?:\[\]|\?|!|\*|&)*|\[\](?:byte|string|uint8)"
    r"|(?:var|n|nvar)?char2?\(\d{1,5}\)"
)
_GENERIC = r"(?P<names>[A-Za-z_][\w.]{2,40})[\[<].*[\]>\[<,|]"
_CAMEL_CASE = r"(?:[A-Z][a-z0-9]+){2,}"


def is_type(value: str) -> bool:
    """Whether the value is a type: `Optional[str]`, `&str`, `CancellationToken`, `varchar(255)`."""
    value = value.rstrip(",;")
    generic = re.fullmatch(_GENERIC, value)
    if generic:
        return any(len(word) > 2 for word in split_name(value)) and reads_as_words(generic["names"])
    found = re.fullmatch(_TYPE, value)
    if found is None or found["names"] is None:
        return found is not None
    is_marked = value[0] in "*&?" or value[-1] in "?!*&]"
    return reads_as_words(found["names"]) and (is_marked or re.fullmatch(_CAMEL_CASE, value) is not None)


_NOTATION = (
    r"\d{1,5}(?:\.\d{1,6}){1,3}"
    r"|(?:[\^~]|[<>]=? ?|==?|v)\d{1,5}(?:\.(?:\d{1,6}|[x*])){1,3}(?:[-+][\w.+-]{1,30})?(?: .*|\|\|.*)?"
    r"|#[0-9a-fA-F]{3,8}|0x[0-9a-fA-F]{1,8}|\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]*)?|[\[{]\s*\\*[\"'].*|/\^[\[(].*"
)
# A random value sometimes contains one of these, but rarely two.
_REGEX_SIGNS = r"\(\?[:=!<P]|\\[wsdb]|\[\^?(?:a-z|A-Z|0-9)|[a-zA-Z0-9]-[zZ9]\]|[\])}.][*+](?=[)\]$?]|\Z)|\^\["


def is_notation(value: str) -> bool:
    """Whether the value is a version, a color, a date, a regular expression, or the start of a structure."""
    if re.fullmatch(_NOTATION, value) or len(set(re.findall(_REGEX_SIGNS, value))) > 1:
        return True
    bracketed = re.fullmatch(r"[\[({<!]+([A-Za-z_]{3,})[\[\]()}>:]*", value)
    return bracketed is not None and reads_as_words(bracketed[1])


_NAMES = r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*"
_CALL = rf"(?P<names>{_NAMES})[!?]?[(\[](?P<rest>.*)"
_ANCHOR = r"(?:[*&@]|[{\[(]{1,2}_*)(?P<name>[A-Za-z_][\w-]*)[:.]?"
TELLING = r"(?i)pass(?:word|wd|phrase)?|token|secret|cred|key|pwd"
# `AccessToken`, `db_password`: a name that ends with a word for a secret.
_TELLING_END = (
    r"(?<=[a-z0-9])(?:Token|Secret|Password|Credentials?|(?:Private|Public|Secret|Api|Access|Signing)Key)s?\Z"
    r"|(?<=[a-z0-9])_(?:token|secret|password|passwd|credentials?)s?\Z"
    r"|(?<=[a-z0-9])_(?:private|public|secret|api|access|signing)_keys?\Z"
)


def is_identifier(value: str) -> bool:
    """Whether the value could be the name of a variable, or of an attribute of one."""
    return re.fullmatch(_NAMES, value.rstrip(",;")) is not None


def is_reference(value: str, name: str, after: str, *, in_code: bool) -> bool:
    """Whether a bare value is a call, an index, an attribute, a constant or an anchor.

    `name` is the name it is assigned to, `after` what follows it; `in_code`: a single word may be a variable.
    """
    value = value.rstrip(",;")
    if re.fullmatch(_NAMES, value):
        return _is_variable(_dotted(value), name, in_code=in_code)
    call = re.fullmatch(_CALL, value)
    if call:
        return _is_call(_dotted(call["names"]), call["rest"], after)
    anchor = re.fullmatch(_ANCHOR, value)
    return anchor is not None and reads_as_words(anchor["name"])


def is_constant(value: str) -> bool:
    """Whether the value is the name of a constant or of an environment variable: `DB_PASSWORD`."""
    return re.fullmatch(r"_*[A-Z]+(?:_+[A-Z]+)+_*", value) is not None


def _dotted(names: str) -> str:
    return re.sub(r"->|::|\?\.|\$", ".", names)


def _is_variable(value: str, name: str, *, in_code: bool) -> bool:
    first, dot, _ = value.strip(".").partition(".")
    last = value.rpartition(".")[2]
    if last == name or re.search(_TELLING_END, value) or is_constant(value) or first in _ITSELF:
        return True
    if not any(char.isdigit() for char in value):
        if re.search(TELLING, value) and all(is_word(word) for word in split_name(value)):
            return True
        if dot and any(len(word) > 2 and reads_as_words(word) for word in (first, last)):
            return True
    return (in_code or bool(dot) or "_" in value.strip("_")) and reads_as_words(value)


def _is_call(names: str, rest: str, after: str) -> bool:
    """Whether a name and what follows its opening bracket are a call or an index of known words."""
    if names.rpartition(".")[2] in _BUILT_IN or any(
        len(word) > 3 and is_word(word) for word in split_name(names)
    ):
        return True
    if not rest or rest in _STRING_PREFIXES:
        return after[:1] in ("'", '"', "`") or re.fullmatch(r"[a-z_.]{6,}", names) is not None
    arguments = re.split(r"[(),=.\[\]:\"']+", rest)
    is_plain = re.match(r"[A-Za-z_][a-z_]{2}", names) is not None
    is_plain = is_plain and (rest[-1] in ")]" or any(len(part) > 3 for part in arguments))
    return is_plain and all(len(part) < 2 or part.isdigit() or reads_as_words(part) for part in arguments)


_ITSELF = ("self", "this", "cls")
_BUILT_IN = ("str", "int", "len", "set", "get", "env", "max", "min")
_STRING_PREFIXES = ("r", "b", "f", "rb", "u")
