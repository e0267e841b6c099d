"""Credentials for tests: every kind that must be found, invented and valid nowhere.

They are assembled from pieces, so that no scanner reports this file as a leak.
"""

from __future__ import annotations

import base64
import random
import string

_CHANCE = random.Random(20260304)  # noqa: S311  # samples, not keys


def _of(alphabet: str, length: int) -> str:
    """A body with a digit and letters in both cases, as far as the alphabet has them."""
    while True:
        text = "".join(_CHANCE.choice(alphabet) for _ in range(length))
        if all(any(char in group for char in text) for group in _GROUPS if set(group) & set(alphabet)):
            return text


_GROUPS = (string.digits, string.ascii_lowercase, string.ascii_uppercase)


def _word(length: int) -> str:
    return _of(string.ascii_letters + string.digits, length)


def _upper(length: int) -> str:
    return _of(string.ascii_uppercase + string.digits, length)


def _hex(length: int) -> str:
    return _of("0123456789abcdef", length)


def _pem(name: str) -> tuple[str, str]:
    lines = [_word(64) for _ in range(4)] + [_word(11) + "="]
    return "\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]), lines[1]


_RSA, _RSA_LINE = _pem("RSA PRIVATE KEY")
_SSH, _SSH_LINE = _pem("OPENSSH PRIVATE KEY")
_PGP, _PGP_LINE = _pem("PGP PRIVATE KEY BLOCK")
_PKCS, _PKCS_LINE = _pem("PRIVATE KEY")


def _logged(block: str) -> str:
    return "\n".join(f"2026-11-04T10:00:{n:02}.131Z {line}" for n, line in enumerate(block.split("\n")))


def _whole(prefix: str, body: str) -> tuple[str, str]:
    return prefix + body, body


def _set(text: str, secret: str) -> tuple[str, str]:
    return text.replace("§", secret), secret


def _login(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


# The text (§ for the secret), and the part that must be removed.
SAMPLES: dict[str, tuple[str, str]] = {
    "anthropic": _whole("sk-ant-api03-", _word(80)),
    "openai project": _whole("sk-proj-", _word(60)),
    "openai": _whole("sk-", _word(48)),
    "openrouter": _whole("sk-or-v1-", _hex(64)),
    "github fine-grained": _whole("github_pat_", _word(22) + "_" + _word(59)),
    "github classic": _whole("ghp_", _word(36)),
    "github oauth": _whole("gho_", _word(36)),
    "gitlab": _whole("glpat-", _word(20)),
    "gitlab runner": _whole("glrt-", _word(20)),
    "google key": _whole("AIza", _word(35)),
    "google access": _whole("ya29.", _word(60)),
    "google client secret": _whole("GOCSPX-", _word(28)),
    "npm": _whole("npm_", _word(36)),
    "pypi": _whole("pypi-AgEIcHlwaS5vcmc", _word(80)),
    "hugging face": _whole("hf_", _word(34)),
    "slack bot": _whole("xoxb-", f"{_of(string.digits, 12)}-{_word(24)}"),
    "slack app": _whole("xapp-1-", f"{_upper(11)}-{_of(string.digits, 13)}-{_hex(64)}"),
    "slack webhook": _whole("https://hooks.slack.com/services/", f"{_upper(9)}/{_upper(9)}/{_word(24)}"),
    "discord webhook": _whole("https://discord.com/api/webhooks/", f"{_of(string.digits, 18)}/{_word(68)}"),
    "aws key": _whole("AKIA", _upper(16)),
    "aws session key": _whole("ASIA", _upper(16)),
    "aws secret by name": _set("aws_secret_access_key = §", _word(40)),
    "aws secret by neighbour": _set(f"AKIA{_upper(16)},§", _word(40)),
    "jwt": _whole("eyJ", f"{_word(33)}.eyJ{_word(50)}.{_word(43)}"),
    "rsa private key": (_RSA, _RSA_LINE),
    "ssh private key": (_SSH, _SSH_LINE),
    "pgp private key": (_PGP, _PGP_LINE),
    "private key in json": (_PKCS.replace("\n", "\\n"), _PKCS_LINE),
    "private key in json in json": (_PKCS.replace("\n", "\\\\n"), _PKCS_LINE),
    "private key in a log": (_logged(_RSA), _RSA_LINE),
    "private key in strings": (_RSA.replace("\n", '\\n"\n  + "'), _RSA_LINE),
    "private key cut off": (_RSA[:200], _RSA_LINE),
    "sonar": _whole("sqp_", _hex(40)),
    "rootly": _whole("rootly_", _hex(64)),
    "llama cloud": _whole("llx-", _word(48)),
    "live with an account": _whole("live_48151623_", _word(24)),
    "sk with a project": _whole("sk_pr_", _word(24)),
    "odt": _whole("odt_", _word(32)),
    "bitbucket data center": _whole("BBDC-", _word(44)),
    "nats seed": _whole("SUA", _of(string.ascii_uppercase + "234567", 55)),
    "age key": _whole("AGE-SECRET-KEY-1", _upper(58)),
    "url password": _set("postgres://app:§@db.internal:5432/app", _word(14)),
    "url password without user": _set("redis://:§@cache:6379/0", _word(14)),
    "url token": _set("https://§@github.com/ada/parser.git", _hex(40)),
    "stripe": _whole("sk_live_", _word(24)),
    "webhook secret": _whole("whsec_", _word(32)),
    "sendgrid": _whole("SG.", f"{_word(22)}.{_word(43)}"),
    "twilio": _whole("SK", _hex(32)),
    "mailgun": _whole("key-", _hex(32)),
    "mailchimp": _whole("", _hex(32) + "-us12"),
    "telegram": _whole(_of(string.digits, 9).replace("0", "1"), ":AA" + _word(33)),
    "digitalocean": _whole("dop_v1_", _hex(64)),
    "heroku": _whole("HRKU-", _word(36)),
    "heroku by name": _set("HEROKU_API_KEY=§", f"{_hex(8)}-{_hex(4)}-{_hex(4)}-{_hex(4)}-{_hex(12)}"),
    "azure account key": _set(
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§==;EndpointSuffix=x", _word(86)
    ),
    "azure signature": _set("https://a.blob.core.windows.net/c?sv=2026-01-01&sig=§%3D", _word(43)),
    "databricks": _whole("dapi", _hex(32)),
    "astra": _whole("AstraCS:", f"{_word(24)}:{_hex(64)}"),
    "persona": _whole("persona_production_", f"{_hex(8)}-{_hex(4)}-{_hex(4)}-{_hex(4)}-{_hex(12)}"),
    "onfido": _whole("api_live.", f"{_word(11)}.{_word(32)}"),
    "mercury": _whole("mercury_production_rma_", _word(44)),
    "vault": _whole("hvs.", _word(40)),
    "doppler": _whole("dp.pt.", _word(43)),
    "linear": _whole("lin_api_", _word(40)),
    "notion": _whole("ntn_", _word(46)),
    "notion old": _whole("secret_", _word(43)),
    "shopify": _whole("shpat_", _hex(32)),
    "square": _whole("sq0atp-", _word(22)),
    "figma": _whole("figd_", _word(40)),
    "docker": _whole("dckr_pat_", _word(27)),
    "docker config": _set('"auths": {"reg.io": {"auth": "§"}}', _login("ada", _word(12))),
    "groq": _whole("gsk_", _word(52)),
    "replicate": _whole("r8_", _word(37)),
    "supabase": _whole("sbp_", _hex(40)),
    "tailscale": _whole("tskey-auth-", f"{_word(16)}-{_word(30)}"),
    "grafana": _whole("glsa_", f"{_word(32)}_{_hex(8)}"),
    "sentry": _whole("sntrys_", _word(60)),
    "atlassian": _whole("ATATT3", _word(180)),
    "bearer header": _set("Authorization: Bearer §", _word(30)),
    "bearer in curl": _set("curl -H 'Authorization: Bearer §' https://api.test", _word(30)),
    "basic header": _set("Authorization: Basic §", _login("ada", _word(12))),
    "basic elsewhere": _set('login: ["Basic §"]', _login("ada", _word(12))),
    "cookie": _set("Cookie: sessionid=§; theme=dark", _word(32)),
    "netrc": _set("machine api.test login ada password §", _word(12)),
    "json password": _set('{"user": "ada", "password": "§"}', "Tr0ub4dor&3"),
    "bare authorization": _set("authorization: §", _word(40)),
    "openssl": _set("openssl rsa -passin pass:§ -in key.pem", "S3cretPw"),
    "fish": _set("set -gx DEPLOY_TOKEN §", _word(24)),
    "dockerfile": _set("ENV API_KEY §", _word(24)),
    "short quoted": _set('password = "§"', "p4ss"),
    "npmrc": _set("//registry.some.test/:_authToken=§", _word(30)),
    "pass colon": _set("pass: §", "S3cr3tPassw0rd99"),
    "json pass": _set('{"user": "ada", "pass": "§"}', "S3cr3tPassw0rd99"),
    "several words": _set('password = "§"', "two words S3cret99"),
    "registry login": _set("docker login -u ada -p § registry.test", "S3cretPw9"),
}
