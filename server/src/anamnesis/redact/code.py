"""Values that are code: paths, types, expressions that yield the secret instead of containing it. Pure."""

from __future__ import annotations

import re

from anamnesis.redact.words import is_word, reads_as_words, split_name

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
    r"(?:[\^~]|[<>]=? ?|==?|v)\d{1,5}(?:\.(?:\d{1,6}|[x*])){1,3}(?:[-+][\w.+-]{1,30})?(?: .*|\|\|.*)?"
    r"|#[0-9a-fA-F]{3,8}|0x[0-9a-fA-F]{1,8}|\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]*)?|[\[{]\s*\\*[\"'].*|/\^[\[(].*"
)
# A random value contains one of these now and then, but rarely two.
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
# `AccessToken`, `db_password`: a name that ends in a word for a secret names one.
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
    if value.rpartition(".")[2] == name or re.search(_TELLING_END, value) or is_constant(value):
        return True
    if not any(char.isdigit() for char in value):
        if re.search(TELLING, value) and all(is_word(word) for word in split_name(value)):
            return True
        if dot and len(first) > 2 and (is_word(first.lower()) or (len(first) > 5 and reads_as_words(first))):
            return True
    return (in_code or bool(dot) or "_" in value.strip("_")) and reads_as_words(value)


_BUILT_IN = ("str", "int", "len", "set", "get", "env", "max", "min")


def _is_call(names: str, rest: str, after: str) -> bool:
    if rest in ("", "r", "b", "f", "rb", "u") and after[:1] in ("'", '"', "`"):
        return True
    if names in _BUILT_IN or _is_known_function(names):
        return True
    if not rest:
        return re.fullmatch(r"[a-z_]{2,}(?:[._][a-z_]{3,})+|[a-z_]{6,}", names) is not None
    is_plain = re.match(r"[A-Za-z_][a-z_]{2}", names) is not None and not re.search(r"\d", names)
    return is_plain and rest[-1] in ")]" and _are_arguments(rest)


def _is_known_function(names: str) -> bool:
    """Whether the name of a function, its module or its method consists of known words."""
    has_digit = re.search(r"\d", names) is not None
    module, dot, method = names.rpartition(".")
    is_long = any(len(word) > 3 for word in split_name(names))
    if is_long and reads_as_words(names) and (dot or not has_digit):
        return True
    first = re.split(r"[._]", names.lstrip("_."))[0]
    if len(first) > 3 and reads_as_words(first):
        return True
    return (
        bool(module) and not has_digit and (method == "get" or (len(method) > 3 and reads_as_words(method)))
    )


def _are_arguments(rest: str) -> bool:
    """Whether what follows an opening bracket consists of known names, numbers and single letters."""
    parts = re.split(r"[(),=.\[\]:\"']+", rest)
    return all(len(part) < 2 or part.isdigit() or reads_as_words(part) for part in parts)
