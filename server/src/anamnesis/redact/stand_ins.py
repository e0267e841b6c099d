"""Values that only stand for a secret: placeholders, templates, and references to where it is kept. Pure.

The expressions are strict, so that a random password does not match them: it may well contain a bracket or a
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


def is_stand_in(value: str) -> bool:
    """Whether the value only stands for one: `changeme`, `<your-token>`, `xxxx`, `sk-...`, `${TOKEN}`."""
    return _is_placeholder(value) or _is_template(value)


def is_kept_elsewhere(value: str) -> bool:
    """Whether the value says where the secret is: `op://vault/item`, `arn:aws:...`, `https://...`."""
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
