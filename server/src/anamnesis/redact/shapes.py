"""Credentials known by their form: a prefix that an issuer chose, a header, a block, a URL. Pure.

A rule is tried only when one of its hints is in the text, and compiled only then: ordinary text costs a
substring search per hint. No pattern can backtrack more than a bounded number of steps per character.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from anamnesis.redact.places import occurrences

Judge = Callable[[re.Match[str]], bool]


class Rule(NamedTuple):
    """One form of credential; the group `secret`, where there is one, is what must go, else all of it.

    The pattern of a rule that ignores case begins with its hint, which is in lower case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    judge: Judge | None = None
    ignore_case: bool = False


def find_shaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of every credential whose form is known."""
    for rule in RULES:
        if rule.ignore_case:
            yield from _judged(rule, text, _at_hints(rule, text))
        elif any(hint in text for hint in rule.hints):
            yield from _judged(rule, text, _compiled(rule.pattern, False).finditer(text))


def _at_hints(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    """The matches that begin with a hint, in any case: a search that ignores case would try every place."""
    for place in occurrences(text, rule.hints):
        found = _compiled(rule.pattern, True).match(text, place)
        if found:
            yield found


def _judged(rule: Rule, text: str, matches: Iterator[re.Match[str]]) -> Iterator[tuple[int, int, str]]:
    for found in matches:
        group = "secret" if "secret" in found.re.groupindex else 0
        if not _begins_apart(text, found.start()) or _PLACEHOLDER.search(found[group]):
            continue
        if rule.judge is None or rule.judge(found):
            yield found.start(group), found.end(group), rule.kind


@cache
def _compiled(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | (re.IGNORECASE if ignore_case else re.NOFLAG))


def _begins_apart(text: str, start: int) -> bool:
    """Whether a match is not the inside of a word; `\\n` and `%3D` before it are escapes, not words."""
    if start == 0 or not (_WORD.match(text, start) and _WORD.match(text, start - 1)):
        return True
    before = text[max(start - 3, 0) : start]
    return before[-2:-1] == "\\" or _PERCENT_ESCAPE.fullmatch(before) is not None


_WORD = re.compile(r"[A-Za-z0-9]")
_PERCENT_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
# What documentation writes in the place of a key.
_PLACEHOLDER = re.compile(
    r"(?i)x{8}|\*{3}|your[-_]|[-_]here\b|placeholder|replace[-_]?me|\[redacted|\$\{|\{\{|<[a-z]"
)


def _has_digit(found: re.Match[str]) -> bool:
    return any(char.isdigit() for char in found["secret"])


def _is_mixed(found: re.Match[str]) -> bool:
    """Letters in both cases and a digit: a word or a file name seldom is."""
    text = found["secret"]
    return text.lower() != text and text.upper() != text and any(char.isdigit() for char in text)


def _is_user_and_password(found: re.Match[str]) -> bool:
    text = found["secret"]
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


_SAMPLE_LOGIN = re.compile(
    r"(?:user(?:name)?|login|me|name):(?:pass(?:word|wd)?|pwd|secret|pw)", re.IGNORECASE
)


def _is_real_login(found: re.Match[str]) -> bool:
    """Whether `user:password` is more than the words themselves or a variable."""
    if found["secret"].startswith(("$", "{", "%", "<", "*", "[")):
        return False
    return _SAMPLE_LOGIN.fullmatch(f"{found['user']}:{found['secret']}") is None


# A key block as it stands in a file, in JSON (`\n`), in JSON within JSON, quoted (`> `) or with line numbers
# before it; it may break off before its end.
_BREAK = r"(?:[\s>+|→]|\\{1,8}[nrt]|\d{1,6}(?=[\t→\\]))"
_KEY_HEADER = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[^\n\\]{0,200}(?:\n|\\{1,8}n)[\s>+|]{0,8})"
_KEY_LINE = r"[A-Za-z0-9+/=]{16,}"
_KEY_LINES = rf"{_BREAK}{{0,40}}{_KEY_HEADER}{{0,5}}{_KEY_LINE}(?:{_BREAK}{{1,40}}{_KEY_LINE}){{0,2000}}"
_KEY_END = (
    rf"(?:{_BREAK}{{0,40}}[A-Za-z0-9+/=]{{0,80}}{_BREAK}{{0,40}}(?:=[\w+/]{{4}}{_BREAK}{{0,40}})?"
    r"-----END [A-Z0-9 ]{0,40}-----)?"
)
_MAILCHIMP_HINTS = tuple(f"-us{digit}" for digit in range(1, 10))

RULES = (
    # Models
    Rule("anthropic-key", ("sk-ant-",), r"sk-ant-[\w-]{16,}"),
    Rule("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"sk-(?:proj|svcacct|admin)-[\w-]{16,}"),
    Rule("sk-key", ("sk-",), r"(?P<secret>sk-(?:[a-z]{2,12}-(?:v1-)?)?[A-Za-z0-9_]{20,})", _has_digit),
    Rule("google-key", ("AIza",), r"AIza[\w-]{30,45}"),
    Rule("huggingface-token", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    Rule("groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{32,}"),
    Rule("xai-key", ("xai-",), r"xai-[A-Za-z0-9]{40,}"),
    Rule("perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{32,}"),
    Rule("replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{30,}"),
    Rule("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f_]{30,}"),
    # Code hosts and package registries
    Rule("github-token", ("github_pat_",), r"github_pat_\w{20,}"),
    Rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{20,}"),
    Rule(
        "gitlab-token",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glptt-",
            "glcbt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
        ),
        r"gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|oas|soat|ffct)-[\w.-]{18,}",
    ),
    Rule("bitbucket-token", ("ATBB",), r"ATBB[A-Za-z0-9]{28,}"),
    Rule("atlassian-token", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[\w=-]{40,}"),
    Rule("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    Rule("pypi-token", ("pypi-",), r"(?P<secret>pypi-[\w-]{32,})", _is_mixed),
    Rule("rubygems-key", ("rubygems_",), r"rubygems_[0-9a-f]{32,}"),
    Rule("docker-token", ("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[\w-]{20,}"),
    Rule(
        "docker-auth",
        ('"auth',),
        r'"auth\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?P<secret>[A-Za-z0-9+/]{8,}={0,2})',
        _is_user_and_password,
    ),
    # Clouds
    Rule("aws-key", ("AKIA", "ASIA"), r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule(
        "aws-secret",
        ("AKIA", "ASIA"),
        r"A[KS]IA[A-Z0-9]{16}[\s,|:;\"'=]{1,20}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    Rule("google-token", ("ya29.",), r"ya29\.[\w-]{20,}"),
    Rule("google-token", ("1//0",), r"1//0[\w-]{30,}"),
    Rule("google-secret", ("GOCSPX-",), r"GOCSPX-[\w-]{20,}"),
    Rule(
        "google-key-id",
        ("private_key_id",),
        r'private_key_id\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?P<secret>[0-9a-f]{32,})',
    ),
    Rule(
        "azure-key",
        ("accountkey", "sharedaccesskey"),
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{20,}={0,2})",
        None,
        True,
    ),
    Rule("azure-signature", ("sig=",), r"sig=(?P<secret>(?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){30,}={0,2})"),
    Rule("azure-secret", ("8Q~", "7Q~"), r"\w{3}[78]Q~[\w.~-]{31,}"),
    Rule("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{32,}"),
    Rule("heroku-key", ("HRKU-",), r"HRKU-[\w-]{20,}"),
    Rule("cloudflare-key", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    Rule("fly-token", ("fm1_", "fm2_", "fo1_"), r"f[mo][12]_[\w+/=-]{24,}"),
    Rule("netlify-token", ("nfp_",), r"nfp_[A-Za-z0-9]{30,}"),
    Rule("supabase-key", ("sbp_", "sb_secret_"), r"(?:sbp|sb_secret)_[\w-]{20,}"),
    Rule("planetscale-token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{20,}"),
    Rule("databricks-token", ("dapi",), r"dapi[0-9a-f]{32}"),
    Rule("vault-token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,}"),
    Rule("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"),
    Rule("pulumi-token", ("pul-",), r"pul-[0-9a-f]{40}"),
    Rule("doppler-token", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{24,}"),
    Rule("tailscale-key", ("tskey-",), r"tskey-[a-z]+-[\w-]{16,}"),
    Rule("1password-token", ("ops_eyJ",), r"ops_eyJ[\w-]{40,}"),
    # Services
    Rule("slack-token", ("xox",), r"xox[abceoprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,}"),
    Rule("slack-token", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{16,}"),
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"https?://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{16,}",
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/", "/webhooks/"),
        r"https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,}/[\w-]{20,}",
    ),
    Rule("discord-token", ("iscord", "ISCORD"), r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])"),
    Rule("telegram-token", (":AA",), r"\d{8,10}:AA[\w-]{30,}"),
    Rule(
        "stripe-key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_"),
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}",
    ),
    Rule("webhook-secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{20,}"),
    Rule("sendgrid-key", ("SG.",), r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    Rule("twilio-key", ("SK",), r"SK[0-9a-f]{32}(?![0-9a-f])"),
    Rule("mailgun-key", ("key-",), r"key-[0-9a-f]{32}(?![0-9a-f])"),
    Rule("mailchimp-key", _MAILCHIMP_HINTS, r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    Rule("linear-key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    Rule(
        "notion-token", ("ntn_", "secret_"), r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))"
    ),
    Rule("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,}"),
    Rule("square-token", ("sq0",), r"sq0(?:atp|csp|idp)-[\w-]{20,}"),
    Rule("square-token", ("EAAA",), r"(?P<secret>EAAA[\w-]{56,64})(?![\w+/=-])", _is_mixed),
    Rule("figma-token", ("figd_", "figo_"), r"fig[do]_[\w-]{20,}"),
    Rule("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}"),
    Rule("grafana-token", ("glsa_", "glc_"), r"(?:glsa|glc)_[\w+/=]{24,}"),
    Rule("sentry-token", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=]{24,}"),
    Rule("newrelic-key", ("NRAK-",), r"NRAK-[A-Z0-9]{24,}"),
    Rule("postman-key", ("PMAK-",), r"PMAK-[0-9a-f-]{30,}"),
    Rule("age-key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    # Forms without an issuer
    # The look-behind keeps the search from starting again inside a run that it has already read.
    Rule("jwt", ("eyJ",), r"(?:(?<![\w-])|(?<=\\[nrt]))eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){1,3}"),
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----{_KEY_LINES}{_KEY_END}",
    ),
    Rule("private-key", ("Private-Lines:",), rf"Private-Lines: \d{{1,6}}(?P<secret>{_KEY_LINES})"),
    Rule(
        "url-password",
        ("://",),
        r"://(?P<user>[^\s:/?#@\"'`<>\\]{0,100}):(?P<secret>[^\s/?#\"'`<>\\]{1,200})@(?=[\w.\[-])",
        _is_real_login,
    ),
    Rule("url-token", ("://",), r"://(?P<secret>\w{20,200})(?::x-oauth-basic)?@(?=[\w.-])", _has_digit),
    Rule(
        "authorization",
        ("authorization",),
        r"authorization\\{0,7}[\"']?\s{0,4}[:=,]\s{0,4}\\{0,7}[\"'`]?(?:(?:bearer|basic|token|digest|apikey|bot|negotiate)\s{1,4})"
        r"(?P<secret>[^\s\"'`<>$\\{][^\s\"'`<>\\]{5,4000})",
        None,
        True,
    ),
    Rule(
        "authorization",
        ("authorization",),
        r"authorization\\{0,7}[\"']?\s{0,4}[:=]\s{0,4}\\{0,7}[\"'`]?(?P<secret>[\w.~+/=-]{20,4000})",
        _has_digit,
        True,
    ),
    Rule("bearer-token", ("bearer",), r"bearer\s{1,4}(?P<secret>[\w.~+/=-]{16,4000})", _has_digit, True),
    Rule(
        "basic-login",
        ("basic",),
        r"basic\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})(?![\w+/=])",
        _is_user_and_password,
        True,
    ),
    Rule(
        "cookie",
        ("cookie",),
        r"cookie\\{0,7}[\"']?:\s{0,4}\\{0,7}[\"']?[\w.-]{1,60}=(?P<secret>[^\s\"'`<>\\]{12,4000})",
        None,
        True,
    ),
    Rule(
        "login-password",
        ("login",),
        r"login\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?P<secret>\S{3,200})",
        None,
        True,
    ),
    Rule(
        "login-password",
        ("-u", "--user", "--proxy-user"),
        r"(?:curl|wget|http|httpie)\b[^\n|;]{0,200}?\s(?:-u|--user|--proxy-user)[ =]?\\{0,7}[\"']?"
        r"(?P<user>[^\s:\"'`$]{1,100}):(?P<secret>[^\s\"'`\\]{1,200})",
        _is_real_login,
    ),
    Rule("login-password", (" pass:",), r"-pass(?:in|out)?\s{1,4}pass:(?P<secret>[^\s$]{3,200})"),
    Rule(
        "login-password",
        ("sshpass",),
        r"sshpass\s+-p\s?\\{0,7}[\"']?(?P<secret>[^\s\"'`$\\][^\s\"'`\\]{2,200})",
    ),
    Rule(
        "login-password",
        ("mysql", "mariadb"),
        r"(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n|;]{0,200}?\s-p\\{0,7}[\"']?(?P<secret>[^\s\"'`$\\-][^\s\"'`\\]{3,200})",
    ),
    Rule(
        "login-password",
        ("login",),
        r"(?:docker|podman|helm registry|az|oc)\s+login\b[^\n|;]{0,200}?\s(?:-p|--password)[ =]\\{0,7}[\"']?"
        r"(?P<secret>[^\s\"'`$\\<-][^\s\"'`\\]{3,200})",
    ),
)
