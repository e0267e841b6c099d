"""Credentials in headers, addresses, commands and files: `Authorization:`, `user:password@host`. Rules."""

from __future__ import annotations

import base64
import binascii
import re

from anamnesis.redact.rules import Rule
from anamnesis.redact.stand_ins import is_path, is_stand_in
from anamnesis.redact.words import is_mixed, is_odd, reads_as_words


def _is_value(found: re.Match[str]) -> bool:
    return not is_stand_in(found["secret"])


def _is_no_word(found: re.Match[str]) -> bool:
    return _is_value(found) and not reads_as_words(found["secret"].strip(".,;:!?()="))


def _is_user_and_password(found: re.Match[str]) -> bool:
    text = found["secret"]
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


def _holds_a_key(found: re.Match[str]) -> bool:
    return b"PRIVATE KEY" in base64.b64decode(found[0][: min(len(found[0]), 120) // 4 * 4])


_SAMPLE_USER = "user(?:name)?|login|me|name|admin|root|postgres|guest|test|foo"
_SAMPLE_LOGIN = (
    rf"(?i)(?:{_SAMPLE_USER}):(?:pass(?:word|wd)?|pwd|secret|pw|bar|admin|root|postgres|guest|test)"
)


def _is_real_login(found: re.Match[str]) -> bool:
    """Whether `user:password` is not just these words or a variable."""
    secret = found["secret"]
    if is_stand_in(secret) or secret.startswith(("${", "$(", "{", "<", "%(")):
        return False
    return re.fullmatch(_SAMPLE_LOGIN, f"{found['user']}:{secret}") is None


_DATABASE = r"(?i)(?:postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|s?ftps?|ldaps?|mssql)\Z"
_SESSION = "(?:sess|auth|sid|token|jwt|login)"
_COOKIE = (
    rf"(?i)(?:[\w.$-]{{0,40}}{_SESSION}[\w.$-]{{0,20}}=(?=[^\s;]{{8}})|[\w.$-]{{1,60}}=(?=[^\s;\"'`<>\\]{{12}}))"
    r"(?P<value>[^\s;\"'`<>\\]{8,})"
)


def _holds_a_session(found: re.Match[str]) -> bool:
    return any(not reads_as_words(cookie["value"]) for cookie in re.finditer(_COOKIE, found["secret"]))


def _is_odd_password(found: re.Match[str]) -> bool:
    """Whether the word next to a user's name looks random and is not the rest of a path."""
    value = found["secret"].rstrip(".,;:!?)")
    is_hex = re.fullmatch(r"[0-9a-f]{16,}", value) is not None
    return (is_odd(value) or is_mixed(value) or is_hex) and not is_path(f"{found['user']}/{value}")


def _is_password_after_slash(found: re.Match[str]) -> bool:
    """Whether what follows `host:` is a password with a slash, not a port and a path with an at sign."""
    first = re.split(r"[/?#]", found["secret"])[0]
    if re.search(_DATABASE, found.string[max(found.start() - 12, 0) : found.start()]):
        return re.match(r"\d{2,5}[/?]", found["secret"]) is None and _is_real_login(found)
    is_port = first.isdigit() or "@" in first or reads_as_words(first)
    return not is_port and bool(first) and _is_real_login(found) and is_odd(found["secret"].replace("/", ""))


def _is_literal_of_secret(found: re.Match[str]) -> bool:
    """Whether the option belongs to `kubectl create secret`; a config map has the same option."""
    before = found.string[max(found.start() - 400, 0) : found.start()]
    command = before.rpartition("kubectl ")[2]
    return "create secret" in command and not re.search(r"(?<!\\)\n", command) and _is_value(found)


def _is_argument(found: re.Match[str]) -> bool:
    """Whether an option is followed by a password, not by the next option, a path or a port."""
    secret = found["secret"]
    if found.string[found.start("secret") - 1].isspace() and secret.startswith(("-", "/")):
        return False
    return not is_stand_in(secret) and not secret.isdigit()


_QUOTE = r"\\{0,7}[\"'`]?"
_ARGUMENT = rf"{_QUOTE}(?P<secret>[^\s\"'`\\|]{{4,300}})"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def _command(names: str, option: str, between: str = r"[^\n|;]{0,200}?") -> Rule:
    """The rule for commands with an option that takes a password."""
    choice = "|".join(re.escape(name) for name in names.split())
    return Rule(
        "login-password", tuple(names.split()), rf"(?:{choice})\b{between}\s{option}{_ARGUMENT}", _is_argument
    )


_COMMANDS = (
    _command(
        "mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mycli 7z 7za rar unrar", "-p"
    ),
    _command("sshpass psexec cqlsh mongo mongosh mongodump mongorestore twine pscp plink", "-(?:p|pw) {0,2}"),
    _command(
        "docker podman buildah skopeo nerdctl az oc helm oras",
        "(?:-p|--password)[ =]",
        r"\s[^\n|;]{0,60}?login\b[^\n|;]{0,200}?",
    ),
    _command("mosquitto_pub mosquitto_sub zip unzip sqlcmd bcp ipmitool", "-P {0,2}"),
    _command("redis-cli", "-a {1,2}"),
    _command("ldapsearch ldapmodify ldapadd ldapwhoami ldapdelete ldappasswd", "-w {0,2}"),
    _command("openssl", "(?:-k|-pass(?:in|out)? pass:) ?"),
    _command("security", "-w {1,2}", r"\s(?:add|set)-[a-z-]{0,30}password\b[^\n|;]{0,200}?"),
    _command("wpa_passphrase", rf"{_QUOTE}[^\s\"'`]{{1,40}}{_QUOTE}\s{{1,4}}", ""),
    _command("xfreerdp wfreerdp cmdkey rdesktop", "(?:-p|/p:|/pass:) ?"),
    _command(
        "htpasswd",
        r"(?:-\w{1,6}\s{1,4}){0,3}(?:\S{1,100}\s{1,4})?[\w.@-]{1,60}\s{1,4}",
        r"\s-\w{0,6}b\w{0,6}",
    ),
)
_HEADERS = (
    Rule(
        "authorization",
        ("authorization",),
        rf"authorization\\{{0,7}}[\"']?\]?\s{{0,4}}[:=,]\s{{0,4}}[bf]?{_QUOTE}[A-Za-z][\w-]{{1,30}}"
        rf"[ \t]{{1,4}}(?:token=)?{_QUOTE}(?P<secret>[^\s\"'`<>\\{{][^\s\"'`<>\\]{{5,4000}})",
        _is_no_word,
        ignore_case=True,
    ),
    Rule(
        "authorization",
        ("authorization",),
        rf"authorization\\{{0,7}}[\"']?\]?\s{{0,4}}[:=,]\s{{0,4}}{_QUOTE}(?P<secret>[\w.~+/=:-]{{10,4000}})",
        _is_no_word,
        ignore_case=True,
    ),
    Rule(
        "bearer-token",
        ("bearer",),
        r"bearer[ \t]{1,4}(?P<secret>[\w.~+/=-]{10,4000})",
        _is_no_word,
        ignore_case=True,
    ),
    Rule(
        "basic-login",
        ("basic",),
        r"basic\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})(?![\w+/=])",
        _is_user_and_password,
        ignore_case=True,
    ),
    Rule(
        "cookie",
        ("cookie",),
        r"cookie\\{0,7}[\"']?\s?[:=]\s{0,4}\\{0,7}[\"']?(?P<secret>[\w.$-]{1,60}=[^\s\"'`<>\\]{1,4000}"
        r"(?:;[ ][\w.$-]{1,60}=[^\s\"'`<>\\]{1,4000}){0,40})",
        _holds_a_session,
        ignore_case=True,
    ),
    Rule(
        "cookie",
        ("cookies",),
        rf"cookies\s{{0,2}}[=:]\s{{0,2}}\{{[^{{}}\n]{{0,400}}?[\"'][\w-]{{0,20}}{_SESSION}[\w-]{{0,20}}\\{{0,7}}[\"']"
        r"\s{0,2}:\s{0,2}\\{0,7}[\"'](?P<secret>[^\s\"'\\]{8,4000})",
        _is_no_word,
        ignore_case=True,
    ),
)
_USER_WORDS = ("user", "login", "username", "benutzer", "usuario", "utilisateur", "utente", "gebruiker")
_ADDRESSES = (
    Rule(
        "url-password",
        ("://",),
        r"://(?P<user>[^\s:/?#@\"'`<>\\]{0,100}):(?P<secret>[^\s/?#\"'`<>\\]{1,200})@(?=[\w.\[$%{-])",
        _is_real_login,
    ),
    # A slash, `?` or `#` in a password should be escaped, and often is not.
    Rule(
        "url-password",
        ("://",),
        r"://(?P<user>[\w.+-]{0,100}):(?P<secret>[^\s/?#\"'`<>\\]{0,100}[/?#][^\s\"'`<>\\]{0,200})"
        r"@(?=[\w.\[$%{-])",
        _is_password_after_slash,
    ),
    Rule("url-token", ("://",), r"://(?P<secret>[\w-]{20,200})(?::x-oauth-basic)?@(?=[\w.-])", _is_no_word),
    # "user: ada, pass: ...", "user ada, password ..."
    Rule(
        "login-password",
        _USER_WORDS,
        rf"(?:{'|'.join(_USER_WORDS)})[ \t]{{0,4}}[:=]?[ \t]{{0,4}}{_QUOTE}(?P<user>[\w.@+-]{{1,60}}){_QUOTE}"
        rf"[ \t]{{0,4}}[,;/|]?[ \t]{{1,4}}(?:pass|pw|pwd)[ \t]{{0,4}}[:=][ \t]{{0,4}}{_QUOTE}"
        r"(?P<secret>[^\s\"'`\\]{6,200})",
        _is_odd_password,
        ignore_case=True,
    ),
    # "login: ada / ..."
    Rule(
        "login-password",
        ("credential", "creds", "login", "zugangsdaten", "identifiants", "credenciales", "inloggegevens"),
        rf"(?:credentials?|creds|login|zugangsdaten|identifiants|credenciales|inloggegevens)[ \t]{{0,4}}[:=]"
        rf"[ \t]{{0,4}}{_QUOTE}(?P<user>[\w.@+-]{{1,60}}){_QUOTE}(?:[ \t]{{1,4}}[/|][ \t]{{1,4}}|:)"
        rf"{_QUOTE}(?P<secret>[^\s\"'`\\/]{{6,200}})",
        _is_odd_password,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        ("-u", "--user", "--proxy-user", "-a"),
        r"(?:curl|wget|http|https|httpie|xh|lftp|hey|ab)\b[^\n|;]{0,300}?\s"
        rf"(?:-u|--user|--proxy-user|-U|-a|-A)[ =]{{0,2}}{_QUOTE}(?P<user>[^\s:,\"'`$]{{0,100}})"
        r"[:,](?P<secret>[^\s\"'`\\]{3,200})",
        _is_real_login,
    ),
    Rule(
        "login-password",
        ("smbclient", "smbmap", "rpcclient"),
        rf"(?:smbclient|smbmap|rpcclient)\b[^\n|;]{{0,200}}?\s-U\s{{0,2}}{_QUOTE}[\w.\\-]{{1,60}}%"
        r"(?P<secret>[^\s\"'`\\]{3,200})",
        _is_value,
    ),
    Rule(
        "login-password",
        (
            "auth=(",
            "auth = (",
            "asicAuth(",
            "asic_auth(",
            ".login(",
            "PasswordAuthentication(",
            ".credentials(",
        ),
        r"(?:\bauth\s{0,2}=\s{0,2}|\w{0,20}[Bb]asic_?[Aa]uth|\.login|PasswordAuthentication|\.credentials)"
        r"\(\s{0,4}\\{0,7}[\"'](?P<user>[^\"'\n\\]{1,100})\\{0,7}[\"']\s{0,2},\s{0,4}\\{0,7}[\"'](?P<secret>[^\"'\n\\]{4,200})",
        _is_real_login,
    ),
)
_FILES = (
    # .netrc
    Rule(
        "login-password",
        ("login", "account", "machine"),
        r"(?:login|account|machine)\s{1,40}\S{1,100}\s{1,40}password\s{1,8}(?P<secret>\S{3,200})",
        _is_value,
        ignore_case=True,
    ),
    # .pgpass
    Rule(
        "login-password",
        (
            ":5432:",
            ":5433:",
            ":5434:",
            ":6432:",
            *(":15432:", ":25432:"),
            ":54320:",
            ":54321:",
            ":54322:",
            ":*:",
        ),
        r"(?<![\w.*:/-])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:"
        r"(?P<secret>[^\s:\"'\\]{4,200})(?=\s|\\|\Z)",
        _is_no_word,
    ),
    # ~/.docker/config.json, and the same in base64
    Rule(
        "docker-auth",
        ("auth",),
        r"(?<=\")auth\\{0,7}\"\s{0,4}:\s{0,4}\\{0,7}\"(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        _is_user_and_password,
    ),
    Rule("docker-auth", ("eyJhdXRocyI6",), r"eyJhdXRocyI6[A-Za-z0-9+/=]{16,}"),
    # A Google service account, kaggle.json, ~/.aws/credentials as a table
    Rule(
        "google-key-id",
        ("private_key_id",),
        r"private_key_id\\{0,7}\"\s{0,4}:\s{0,4}\\{0,7}\"(?P<secret>[0-9a-f]{32,})",
    ),
    Rule(
        "kaggle-key",
        ("username",),
        r"username\\{0,7}\"\s?:\s?\\{0,7}\"[\w.-]{1,60}\\{0,7}\",\s?\\{0,7}\"key\\{0,7}\"\s?:\s?\\{0,7}\""
        r"(?P<secret>[0-9a-f]{32})",
    ),
    Rule(
        "aws-secret",
        ("AKIA", "ASIA"),
        r"A[KS]IA[A-Z0-9]{16}[\s,|:;\"'=]{1,20}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    # Private keys in base64, and the private part of a JSON web key
    Rule("private-key", ("LS0tLS1CRUdJTi",), r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}", _holds_a_key),
    Rule(
        "private-key",
        ('"d',),
        r"(?<=\")d\\{0,7}\"\s{0,4}:\s{0,4}\\{0,7}\"(?P<secret>[\w-]{40,})(?=\\{0,7}\")",
    ),
    Rule(
        "vault-secret-id",
        ("secret_id", "secret-id"),
        rf"secret[_-]id\\{{0,7}}[\"']?\s{{0,4}}[:=]\s{{0,4}}\\{{0,7}}[\"']?(?P<secret>{_UUID})",
        ignore_case=True,
    ),
    Rule(
        "azure-key",
        ("accountkey", "sharedaccesskey"),
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{20,}={0,2})",
        ignore_case=True,
    ),
    Rule(
        "azure-key",
        (".azurewebsites.net/",),
        r"\.azurewebsites\.net/[^\s\"'`<>]{0,200}?[?&]code=(?P<secret>[\w%+/=-]{20,})",
    ),
)
# Commands that read a secret from a pipe.
_READERS = (
    r"(?:docker|podman|buildah|nerdctl|helm registry|oras) login\b[^\n|;]{0,200}-stdin"
    r"|gh auth login\b[^\n|;]{0,100}--with-token|gh secret set|wrangler secret put"
)
_STATEMENTS = (
    Rule(
        "login-password",
        ("WIFI:",),
        r"WIFI:[^\n]{0,200}?;P:(?P<secret>(?:\\[;,:]|[^;\n]){4,100});",
        _is_value,
    ),
    Rule(
        "login-password",
        ("jdbc:oracle", "sqlplus"),
        r"(?:jdbc:oracle:\w{1,8}:|sqlplus\s{1,4}(?:-\w{1,4}\s{1,4}){0,3})(?P<user>[\w.$-]{1,60})/"
        r"(?P<secret>[^\s@\"']{3,100})@",
        _is_real_login,
    ),
    Rule(
        "login-password",
        ("SecureString",),
        rf"ConvertTo-SecureString\s{{1,4}}(?:-String\s{{1,4}})?{_QUOTE}(?P<secret>[^\s\"'`$\\]{{4,200}})",
        _is_value,
    ),
    Rule(
        "login-password",
        ("net user",),
        r"net user\s{1,4}[\w.-]{1,60}\s{1,4}(?P<secret>[^\s/*][^\s]{3,100})\s",
        _is_no_word,
    ),
    Rule(
        "token",
        ("vault login", "cargo login", "snyk auth", "authtoken"),
        r"(?:vault login|cargo login|snyk auth|ngrok (?:config add-)?authtoken)\s{1,4}"
        r"(?P<secret>[\w.-]{8,300})",
        _is_no_word,
    ),
    Rule(
        "login-password",
        ("identified by", "with password", "with encrypted password", "set password"),
        r"(?:identified by|with (?:encrypted )?password|set password(?: for [^\n=]{1,80})? ?=?)"
        r"\s{1,4}\\{0,7}[\"'](?P<secret>[^\"'\n\\]{3,200})",
        _is_no_word,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        ("chpasswd", "sudo -S", "passwd --stdin"),
        rf"echo\s{{1,4}}(?:-n\s)?{_QUOTE}(?:[\w.-]{{1,40}}:)?(?P<secret>[^\s\"'`:\\|]{{4,200}}){_QUOTE}"
        r"\s{0,4}\|\s{0,4}(?:sudo\s)?(?:-S\s)?(?:chpasswd|sudo -S|passwd --stdin)",
        _is_value,
    ),
    Rule(
        "login-password",
        ("-stdin", "--with-token", "secret set", "secret put"),
        rf"(?:echo|printf)\s{{1,4}}(?:-n\s)?{_QUOTE}(?P<secret>[^\s\"'`\\]{{4,200}}){_QUOTE}\s{{0,4}}\|\s{{0,4}}"
        rf"(?:{_READERS})",
        _is_value,
    ),
    Rule(
        "token",
        ("--with-token",),
        rf"--with-token\s{{0,4}}<<<\s{{0,4}}{_QUOTE}(?P<secret>[^\s\"'`\\]{{8,300}})",
        _is_value,
    ),
    Rule(
        "secret",
        ("gh secret set", "gh variable set"),
        rf"gh secret set\s[^\n|;]{{0,200}}?(?:-b|--body)[ =]{{1,2}}{_QUOTE}(?P<secret>[^\s\"'`\\]{{4,2000}})",
        _is_value,
    ),
    Rule(
        "secret",
        ("--from-literal",),
        rf"--from-literal[= ]{_QUOTE}[\w.-]{{1,100}}={_QUOTE}(?P<secret>[^\s\"'`\\]{{4,2000}})",
        _is_literal_of_secret,
    ),
)

LOGIN_RULES = (*_HEADERS, *_ADDRESSES, *_COMMANDS, *_FILES, *_STATEMENTS)
