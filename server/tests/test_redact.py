"""Credentials are removed, ordinary text is unchanged, and no text makes the search slow."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.redact import Secret, find_secrets, redact, strip_private, under_title
from anamnesis.redact.issuers import ISSUERS
from anamnesis.redact.names import HINTS
from secret_forms import FORMS, made
from secret_samples import SAMPLES
from secret_shapes import shapes

ORDINARY = (Path(__file__).parent / "ordinary_text.txt").read_text(encoding="utf-8")


def _by_line(prefix: str) -> Callable[[str], str]:
    return lambda text: "\n".join(
        prefix.format(number) + line for number, line in enumerate(text.split("\n"), 1)
    )


# The surroundings of a secret: alone, in a prompt, in a tool's output, in JSON, in markdown.
SETTINGS: dict[str, Callable[[str], str]] = {
    "alone": str,
    "prompt": "Please deploy this: {} and tell me when it is done.".format,
    "tool result": "$ env\nHOME=/home/ada\n{}\nexit status 0".format,
    "assistant": "I found `{}` in your shell history.\n\nRotate it.".format,
    "between escapes": '{{"content": "first line\\n{}\\nlast line"}}'.format,
    "json": lambda text: json.dumps({"content": f"first line\n{text}\nlast line"}),
    "json in json": lambda text: json.dumps(json.dumps({"content": f"first line\n{text}\nlast line"})),
    "bold": "the **{}** one".format,
    "windows": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "quotation": _by_line("> "),
    "diff": _by_line("+"),
    "numbered lines": _by_line("{:6}\t"),
    "numbered with arrows": _by_line("{:6}→"),
}


def test_a_key_in_the_wrong_case_is_no_key_of_its_issuer() -> None:
    assert redact("the name AKIAqwertyuiopasdfgh stays") == "the name AKIAqwertyuiopasdfgh stays"


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_no_known_kind_of_secret_survives(setting: Callable[[str], str]) -> None:
    assert len(SAMPLES) >= 90
    survivors = [
        kind
        for kind, (text, secret) in SAMPLES.items()
        if json.dumps(secret)[1:-1] in redact(setting(text)) or secret in redact(setting(text))
    ]
    assert survivors == []


@pytest.mark.parametrize("seed", range(4))
def test_no_credential_of_a_known_issuer_or_file_survives(seed: int) -> None:
    made_by_chance = shapes(random.Random(seed))  # noqa: S311  # samples, not keys
    assert len(made_by_chance) >= 350
    survivors = [
        name for name, (text, parts) in made_by_chance.items() if any(part in redact(text) for part in parts)
    ]
    assert survivors == []


def _leaks(form: str, count: int) -> list[str]:
    """The values that survive, even in part; texts separated by a blank line are read one by one."""
    values = made(form, count, random.Random(form))  # noqa: S311  # samples, not keys
    cleaned = redact("\n\n".join(text for text, _ in values))
    return [value for _, value in values if value[:6] in cleaned or value[-6:] in cleaned]


@pytest.mark.parametrize("form", FORMS)
def test_no_random_value_leaks_because_of_its_letters(form: str) -> None:
    assert _leaks(form, 60) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_of_two_thousand_random_values_none_leaks(form: str) -> None:
    assert _leaks(form, 2000) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_value_alone_is_found(form: str) -> None:
    values = made(form, 9, random.Random(form))  # noqa: S311  # samples, not keys
    assert [value for text, value in values if value in redact(text)] == []


@pytest.mark.parametrize("form", [form for form in FORMS if "¤" in form])
def test_no_value_of_a_list_survives(form: str) -> None:
    values = made(form, 200, random.Random(form))  # noqa: S311  # samples, not keys
    assert [value for text, value in values if value in redact(text) or value[::-1] in redact(text)] == []


def test_an_ordinary_list_stays() -> None:
    for text in (
        'tokens = ["the", "token", "##ization", "Ġunbeliev", "utf8mb4", "dreizehnhundert"]',
        "tokens: [identifier, number, eof]",
        "secrets:\n  - db-credentials\n  - source: npm_auth\n",
        "passwords:\n  - must be long\n",
        'required: ["username", "password"]',
    ):
        assert redact(text) == text


@pytest.mark.parametrize("alphabet", [string.ascii_letters, string.ascii_lowercase])
def test_far_from_its_name_most_values_without_digits_are_found_too(alphabet: str) -> None:
    chance = random.Random(alphabet)  # noqa: S311  # samples, not keys
    values = ["".join(chance.choices(alphabet, k=chance.randint(10, 24))) for _ in range(500)]
    found = [value for value in values if value not in redact(f"the password we use since May is {value}.")]
    assert len(found) >= 480


@pytest.mark.parametrize(
    "sentence",
    [
        "The password for the old staging box in the cellar was never PostgreSQL's fault.",
        "the token parser of the new compiler is 9f3c2ab81d",
        "the password reset mail for the ticket with id: k9f3c2ab81",
        "Incorrect API key provided by the client: sk-proj-********************abcd.",
        "the token that the server hands out is valid, and the host is web-7d9f8b6c5d-x2x9z",
        "the password for the box was moved to HashiCorp, it is now in 1Password",
        "mit dem Passwort angemeldet, mit der Passphrase akzeptiert",
        'Use the password `correct` and the password "swordfish".',
        "the token note is 01J9ZK3V8Q4M6T2X7W5Y1R0BHN",
        "the secret for the release of v1.2.3-rc4x is OAuth2-based",
        "PASS: lns-common-1",
    ],
)
def test_ordinary_words_after_the_name_of_a_secret_stay(sentence: str) -> None:
    assert redact(sentence) == sentence


def test_every_value_in_a_json_kubernetes_secret_is_removed_and_a_config_map_stays() -> None:
    def item(kind: str, value: str) -> dict[str, object]:
        return {"apiVersion": "v1", "data": {"mail": value}, "kind": kind, "metadata": {"name": "shop"}}

    text = json.dumps(
        {"items": [item("Secret", "c29tZS5ob3N0"), item("ConfigMap", "b3RoZXIuaG9zdA")]}, indent=2
    )
    for _ in range(2):
        assert redact(text) == text.replace("c29tZS5ob3N0", "[redacted: kubernetes-secret]")
        text = json.dumps(text)


def test_a_password_with_a_slash_in_an_address_is_found_and_a_port_is_not() -> None:
    for password in ("Zk3x/Pq9v", "Zk3x#Pq9v", "Zk?3xPq/9v"):
        assert redact(f"postgres://app:{password}@db/x") == "postgres://app:[redacted: url-password]@db/x"
    for text in (
        "http://host:8080/path?mail=ada@some.test",
        "http://localhost:3000/@vite/client",
        "http://host:PORT/a1b2c3d4e5@x",
        "http://host:${PORT}/a1b2c3d4e5@x",
    ):
        assert redact(text) == text


def test_a_short_session_cookie_is_redacted_and_other_short_cookies_are_not() -> None:
    assert "Zk3xPq9v" not in redact("Cookie: session=Zk3xPq9v; theme=dark")
    assert redact("Cookie: theme=Zk3xPq9v") == "Cookie: theme=Zk3xPq9v"


def test_a_literal_for_a_secret_is_removed_and_one_for_a_config_map_stays() -> None:
    text = "kubectl create configmap shop --from-literal=mail=Zk3xPq9vLm"
    assert redact(text) == text
    assert "Zk3xPq9vLm" not in redact(text.replace("configmap", "secret generic"))
    assert redact(f"kubectl create secret generic a\n{text}") == f"kubectl create secret generic a\n{text}"


def test_encrypted_and_hashed_values_and_references_stay() -> None:
    for text in (
        "db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6638643965323633646262656665\n",
        "token: ${{ secrets.NPM_TOKEN }}",
        "password_hash: $2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
        'variable "db_password" {\n  type = string\n  sensitive = true\n}\n\nregion = "eu-Zk3xPq9v"',
        'variable "db_password" { default = "" }',
        'variable "region" { default = "eu-Zk3xPq9v" }',
        "db_password = <sensitive>",
    ):
        assert redact(text) == text


@pytest.mark.parametrize("sign", [":", ": >-", ": |", ":\r", ":  "])
@pytest.mark.parametrize("indent", ["", "  ", "\t"])
def test_a_password_on_the_line_below_its_name_is_found(sign: str, indent: str) -> None:
    cleaned = redact(f"user: ada\npassword{sign}\n{indent}S3cretPw9\nhost: db\n")
    assert cleaned == f"user: ada\npassword{sign}\n{indent}[redacted: password]\nhost: db\n"


@pytest.mark.parametrize("heading", ["## Admin password", "# Router password", "### The API key"])
def test_a_value_alone_below_a_heading_is_found_and_words_stay(heading: str) -> None:
    for value in ("Zk3xPq9vLm2T", "`Zk3xPq9vLm2T`"):
        assert "Zk3xPq9vLm2T" not in redact(f"{heading}\n\n{value}\n\nMore.\n")
    for text in ("unset", "Use the vault.", "`string`", "1. open it", "provider.api_key"):
        assert redact(f"{heading}\n\n{text}\n") == f"{heading}\n\n{text}\n"


@pytest.mark.parametrize(
    "text",
    [
        "Passwort:\n{}",
        "API key:\n\n```\n{}\n```\n",
        "Mot de passe :\n  {}\n",
        "Username\nada\nPassword\n{}\n",
        "- name: API_TOKEN\n  value: {}\n",
    ],
)
def test_a_value_on_the_line_after_its_name_is_found(text: str) -> None:
    assert "kqXjbtzrWm4" not in redact(text.format("kqXjbtzrWm4"))


def test_a_word_is_a_password_when_assigned_but_not_in_a_sentence() -> None:
    assert redact("user: ada\npassword: hunter\n") == "user: ada\npassword: [redacted: password]\n"
    assert redact("DB_PASSWORD=dragonfly") == "DB_PASSWORD=[redacted: password]"
    for sentence in ("password: please choose one", "the password is wrong", "the token is refreshed hourly"):
        assert redact(sentence) == sentence


@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u2060"])
def test_invisible_characters_hide_no_secret(unseen: str) -> None:
    key = SAMPLES["github classic"][0]
    for hidden in (key[:9] + unseen + key[9:], unseen.join(key), key[:2] + unseen + key[2:]):
        assert redact(f"a{unseen}b {hidden} c") == f"a{unseen}b [redacted: github-token] c"


def test_a_quotation_mark_in_a_password_leaves_no_rest_at_any_json_depth() -> None:
    text = json.dumps({"password": 'ab12"TAIL34"TAIL56', "user": "ada"})
    for _ in range(3):
        assert "TAIL" not in redact(text)
        assert "ada" in redact(text)
        text = json.dumps(text)


def test_every_value_in_a_kubernetes_secret_is_removed_and_its_names_stay() -> None:
    manifest = (
        "kind: Secret\nmetadata:\n  name: shop\nstringData:\n  url: c29tZS5ob3N0\n  mail: {{ x }}\ntype: x"
    )
    assert redact(manifest) == manifest.replace("c29tZS5ob3N0", "[redacted: kubernetes-secret]")
    assert redact(manifest.replace("Secret", "ConfigMap")) == manifest.replace("Secret", "ConfigMap")


def test_what_follows_the_data_of_a_kubernetes_secret_stays() -> None:
    text = "kind: Secret\ndata:\n  user: YWRhbG92ZWxhY2U=\ntype: Opaque\nmetadata:\n  name: staging-login\n"
    assert redact(text) == text.replace("YWRhbG92ZWxhY2U=", "[redacted: kubernetes-secret]")


@pytest.mark.parametrize(
    "sentence", ["{} is the password", "Use {} as the password.", "'{}' is the password for it"]
)
def test_a_password_before_the_word_for_it_is_found(sentence: str) -> None:
    assert redact(sentence.format("Zk3xPq9vLm2")) == sentence.format("[redacted: password]")


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
def test_a_private_key_in_base64_is_found_and_a_certificate_stays(kind: str) -> None:
    lines = f"-----BEGIN {kind}PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7vV3kq\n-----END {kind}PRIVATE KEY-----\n"
    key = base64.b64encode(lines.encode()).decode()
    for cut in (key, key[:61], key[:62], key[:63]):
        assert redact(f"client-key-data {cut}") == "client-key-data [redacted: private-key]"
    public = base64.b64encode(lines.replace(f"{kind}PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert redact(f"client-certificate-data {public}") == f"client-certificate-data {public}"


@pytest.mark.parametrize("password", ["${PASSWORD}", "$(cat pw)", "changeme", "<password>", "%(password)s"])
def test_a_login_with_a_placeholder_password_stays(password: str) -> None:
    for text in (
        f"curl -u ada:{password} https://example.org",
        f"postgres://ada:{password}@db.example.org/x",
    ):
        assert redact(text) == text
        assert "Zk3xPq9v" not in redact(text.replace(password, "Zk3xPq9v"))


def test_a_password_option_followed_by_another_option_or_a_path_has_no_value() -> None:
    for text in ("mongodump -p --archive=dump.gz", "unzip -P /backup/notes.zip", "redis-cli -a -h cache"):
        assert redact(text) == text
    assert "Zk3xPq9v" not in redact("mongodump -p Zk3xPq9v --archive=dump.gz")


@pytest.mark.parametrize("header", ["authorization", "Authorization", "AUTHORIZATION"])
@pytest.mark.parametrize("scheme", ["", "token "])
def test_an_authorization_header_is_found_in_any_case(header: str, scheme: str) -> None:
    assert "Zk3xPq9vLm2aBcD7" not in redact(f"{header}: {scheme}Zk3xPq9vLm2aBcD7")


def test_digits_are_a_password_after_its_name_but_an_amount_after_a_plural() -> None:
    for text in ("DB_PASS=48151623", "db_pass: 48151623", "password: 4815", "password=4815"):
        assert redact(text).endswith("[redacted: password]"), text
    for text in ("tokens: 48151623", "max_tokens: 48151623", "passwords: 48151623", "password: 481"):
        assert redact(text) == text


def test_a_variable_assigned_in_code_stays() -> None:
    for text in ("session.password = zqxjkvbwmn;", "token = zk3xpq9vlm2abcd;", "const password = readline;"):
        assert redact(text) == text


def test_a_column_of_passwords_is_removed_and_the_rest_of_the_table_stays() -> None:
    table = (
        "| user | password | note |\n|---|---|---|\n| ada | kqXjbtzrWm | old |\n| bob | required | new |\n"
    )
    assert redact(table) == table.replace("kqXjbtzrWm", "[redacted: password]")
    rows = "name,token\nci,9f3c2ab81d04e776\ncd,\n"
    assert redact(rows) == rows.replace("9f3c2ab81d04e776", "[redacted: token]")


def test_text_around_a_secret_stays() -> None:
    for kind, (text, _) in SAMPLES.items():
        cleaned = redact(f"before this\n{text}\nand after that")
        assert cleaned.startswith("before this\n"), kind
        assert "[redacted: " in cleaned, kind
        assert cleaned.endswith("\nand after that"), kind


@pytest.mark.parametrize(
    "sentence", ["The staging password: {}", "the password is {}", "set {} as the password"]
)
def test_a_passwords_final_exclamation_mark_is_removed_with_it(sentence: str) -> None:
    assert redact(sentence.format("Zk3xPq9vTT77aa!?")) == sentence.format("[redacted: password]")
    assert redact(sentence.format("Zk3xPq9vTT77aa!") + ".").endswith(".")


def test_redacted_text_contains_nothing_more_to_redact() -> None:
    assert [kind for kind, (text, _) in SAMPLES.items() if find_secrets(redact(text))] == []


_PIECES = [
    *(text for text, _ in SAMPLES.values()),
    *ORDINARY.splitlines(),
    *"\n \"'`=:;|\\<>()[]",
    "[redacted: token]",
]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(_PIECES), max_size=6), st.sampled_from(["", " ", "\n", "=", ": "]))
def test_redacting_twice_changes_nothing_the_second_time(pieces: list[str], between: str) -> None:
    cleaned = redact(between.join(pieces))
    assert redact(cleaned) == cleaned


def test_no_line_of_ordinary_text_is_altered() -> None:
    assert [line for line in ORDINARY.splitlines() if redact(line) != line] == []


def test_the_whole_ordinary_text_is_not_altered_either() -> None:
    assert len(ORDINARY.splitlines()) >= 900
    assert redact(ORDINARY) == ORDINARY


def test_random_hashes_and_identifiers_are_not_altered() -> None:
    chance = random.Random(11)  # noqa: S311  # samples, not keys
    for _ in range(500):
        digest, identifier = f"{chance.getrandbits(160):040x}", f"{chance.getrandbits(64):016x}"
        text = f"commit {digest}\nsha256:{digest}{identifier}\n{identifier}  a.py\nindex {digest[:7]}"
        assert redact(text) == text


def test_a_secret_is_reported_by_kind_and_position_and_never_repeated() -> None:
    text, secret = SAMPLES["github classic"]
    [found] = find_secrets(f"first line\nthe token: {text}\n")
    assert found == Secret("github-token", 2, 12, 22, 22 + len(text))
    assert str(found) == "github-token at line 2, column 12"
    assert secret not in repr(found)


def test_positions_are_right_when_several_secrets_share_lines() -> None:
    one, two = SAMPLES["github classic"][0], SAMPLES["aws key"][0]
    places = [(found.line, found.column) for found in find_secrets(f"{one} {two}\n\n  {two}")]
    assert places == [(1, 1), (1, len(one) + 2), (3, 3)]


def test_a_secret_that_two_rules_see_is_redacted_once() -> None:
    assert redact(f"GITHUB_TOKEN={SAMPLES['github classic'][0]}") == "GITHUB_TOKEN=[redacted: github-token]"


def test_every_issuer_has_a_source_and_a_kind_that_fits_the_mark() -> None:
    assert len({issuer.kind for issuer in ISSUERS}) >= 200
    for issuer in ISSUERS:
        assert issuer.source in ("GL", "BL", "D", "U"), issuer
        assert issuer.kind.replace("-", "").isalnum(), issuer
        assert issuer.kind == issuer.kind.lower(), issuer


HOSTILE = (
    *("a", "(", "'", "--", "\\", "eyJ", "-eyJ", "sk-", "SG.", "AKIA", "key-", "0123456789abcdef"),
    *("password=", "token:", "token:1", 'token="', "password for ", "secret is ", "pass:", "password:\n"),
    *(
        "login ",
        "machine a login b ",
        "Basic ",
        "authorization: a ",
        "password | a ",
        "aaaaaaa is the password ",
    ),
    *("the password of the ", "password a: ", 'tokens: ["a", ', "tokens:\n- a\n", 'variable "password" { '),
    *(
        '{"kind": "Secret" ',
        '"kind": "Secret"',
        "login: a / ",
        "user a pass: ",
        "cookies = {",
        "echo a | ",
        "://a:b/",
    ),
    *("://", "://a:", "curl -u ", "mysql -p", "Cookie: a=", "Version: 1\n", "<private", "<private>"),
    *(
        "\u200b",
        "a\u200b",
        "get('token', '",
        "token', '",
        "name: password\n  value: ",
        "密码是",
        "Passwort: ",
    ),
    *(
        "kind: Secret\ndata:\n  a: b\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nVersion: ",
    ),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    # Quadratic time would take minutes here and hit the suite's limit.
    text = "-us1 --user password eyJ " + piece * (60_000 // len(piece))
    assert redact(strip_private(text)).startswith("-us1 --user")


@pytest.mark.parametrize("character", ["a", "A", "0", " ", "\n", "-", "_", ".", "=", '"', "\\", "密"])
def test_a_megabyte_of_one_character_is_unchanged(character: str) -> None:
    assert redact(character * 1_000_000) == character * 1_000_000


@pytest.mark.slow
def test_no_hint_makes_the_search_slow_when_it_is_repeated() -> None:
    for hint in (*HINTS, *(hint for issuer in ISSUERS for hint in issuer.hints)):
        for piece in (hint, f"{hint}1", f"{hint} = "):
            assert redact("-us1 " + piece * (12_000 // len(piece))).startswith("-us1")


@pytest.mark.parametrize(
    "name", ["Password:\u00a0", "Password:\u3000", "\uff30\uff41\uff53\uff53\uff57\uff4f\uff52\uff44: "]
)
def test_unusual_spaces_and_full_width_letters_hide_no_password(name: str) -> None:
    cleaned = redact(f"{name}oHwLMeaZqo9DZD, since May")
    assert "oHwLMeaZqo9DZD" not in cleaned
    assert cleaned.startswith(name)


@pytest.mark.parametrize(
    ("title", "body", "is_secret"),
    [
        ("Database password", "oHwLMeaZqo9DZD", True),
        ("API key:", "\noHwLMeaZqo9DZD7f3k\n\nRotated in May.", True),
        ("Database password", "It is kept in the safe.", False),
        ("Deploy", "oHwLMeaZqo9DZD", False),
        ("API key", "", False),
    ],
)
def test_a_title_can_name_a_password_alone_in_the_body(title: str, body: str, is_secret: bool) -> None:
    assert bool(find_secrets(under_title(title, body))) is is_secret


def test_private_spans_are_removed() -> None:
    assert strip_private("keep <private>drop</private> keep") == "keep  keep"
    assert strip_private("a<PRIVATE>b</Private>c<private reason='x'>d</private >e") == "ace"


def test_private_spans_may_nest() -> None:
    assert strip_private("a<private>b<private>c</private>d</private>e") == "ae"


def test_an_unclosed_private_span_extends_to_the_end() -> None:
    assert strip_private("keep <private>drop\nand drop") == "keep "


def test_text_without_private_spans_is_the_same_text() -> None:
    for text in (
        "",
        "no tags",
        "a </private> b",
        "<privateer>x</privateer>",
        "a <private/> b",
        "private > public",
    ):
        assert strip_private(text) == text
