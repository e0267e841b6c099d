"""Credentials in statements and commands with a fixed position for one: none survives."""

from __future__ import annotations

import random
import string

import pytest

from anamnesis.redact import redact

CHANCE = random.Random(15)  # noqa: S311  # samples, not keys
VALUE = "Zk3xPq9vT7w2"
OTHER = "m8LqR4tYw1Xc"


@pytest.fixture(autouse=True)
def _same_values_in_any_order() -> None:
    CHANCE.seed(15)


def random_text(length: int) -> str:
    return "".join(CHANCE.choices(string.ascii_letters + string.digits, k=length))


@pytest.mark.parametrize(
    "command",
    [
        f"fly secrets set A={VALUE} B_URL='{OTHER}' --app shop",
        f"flyctl secrets set -a shop A={VALUE} \\\n  B={OTHER}",
        f"supabase secrets set SENTRY={VALUE} MAIL={OTHER}",
        f"infisical secrets set A={VALUE} B={OTHER} --env=prod",
        f"doppler secrets set MAIL {VALUE} && doppler secrets set OTHER={OTHER}",
        f"dotnet user-secrets set Mail:Account {VALUE}; dotnet user-secrets set X {OTHER}",
        f"pulumi config set --secret mail {VALUE}\npulumi config set --secret x {OTHER}",
        f"az keyvault secret set --vault-name v --name m --value {VALUE}; echo '{OTHER}' | gh secret set X",
        f"aws secretsmanager create-secret --name x --secret-string {VALUE}\ngh secret set Y --body={OTHER}",
    ],
)
def test_what_a_command_stores_as_a_secret_is_redacted_under_any_name(command: str) -> None:
    cleaned = redact(command)
    assert [value for value in (VALUE, OTHER) if value in cleaned] == []


def test_a_harmless_option_of_such_a_command_stays() -> None:
    command = "fly secrets set A=$TOKEN --app shop-production-1\nfly deploy --config=production-2.toml"
    assert redact(command) == command


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO users (id, name, password, n) VALUES (7, 'it''s', '§', NULL), (f(), 'bob', '¤', 'x')",
        "insert into `shop`.`users` (`mail`,`password`) values ('a@b.c','§'),\n  ('d@e.f','¤')",
        "REPLACE INTO t (api_token, n) VALUES ('§', 1);\nINSERT OR IGNORE INTO t (token) VALUES ('¤');",
    ],
)
def test_a_row_is_redacted_by_its_column_names(statement: str) -> None:
    values = random_text(20), random_text(14)
    cleaned = redact(statement.replace("§", values[0]).replace("¤", values[1]))
    assert [value for value in values if value in cleaned] == []
    assert "bob" in cleaned or "bob" not in statement


@pytest.mark.parametrize("quote", ["", "> ", "     7\t"])
def test_a_private_key_without_its_first_line_is_redacted(quote: str) -> None:
    lines = [random_text(64), random_text(64), random_text(20), "-----END RSA PRIVATE KEY-----"]
    cleaned = redact("\n".join(["the rest of it:", *(quote + line for line in lines)]))
    assert [line for line in lines[:3] if line in cleaned] == []
    assert cleaned.startswith("the rest of it:")


def test_a_line_that_mentions_the_end_of_a_key_stays() -> None:
    text = "A block ends with\n-----END PRIVATE KEY-----\nand a certificate\nMIIB" + "x1Y2" * 15
    assert redact(text) == text


@pytest.mark.parametrize(
    "form",
    [
        "seed phrase: §",
        "Seed phrase:\n\n§",
        "the mnemonic is § and that is all",
        'MNEMONIC="§"',
        "recovery phrase = §",
        "Backup phrase: `§`",
    ],
)
@pytest.mark.parametrize("count", [12, 18, 24])
def test_a_seed_phrase_is_redacted_as_a_whole(form: str, count: int) -> None:
    words = ["".join(CHANCE.choices(string.ascii_lowercase, k=CHANCE.randint(3, 8))) for _ in range(count)]
    cleaned = redact(form.replace("§", " ".join(words)))
    assert "[redacted: seed-phrase]" in cleaned
    assert " ".join(words[1:4]) not in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "define( 'NONCE_SALT',       't`DK%X:>xy|e-Z(BXb/f(Ur`8#~UzUQG-^_Cs_GHs5U-&Wb?pgn^p8(2@}IcnCa|' );",
        "##vso[task.setvariable variable=mail;issecret=true]tDK%X:>xy",
        "net use \\\\srv\\share tDK%X:>xy /user:ada",
        "127.0.0.1:6379> AUTH default tDK%X:>xy9Kd3\nOK",
    ],
)
def test_a_value_made_of_symbols_is_found(text: str) -> None:
    assert "DK%X" not in redact(text)


@pytest.mark.parametrize("number", range(40))
def test_a_long_token_beside_its_name_in_a_sentence_is_found(number: int) -> None:
    value = f"{random_text(12)}{number % 10}a{random_text(10)}Z{random_text(8)}"
    assert value not in redact(f"Use the token {value} for the API, not the old one.")


@pytest.mark.parametrize("value", ["5VPZWLKgQH", "8UzBlwsyQrgplGuRVy", "LDYHnbIcd4"])
@pytest.mark.parametrize("form", ["user: ada pass: §", "Zugangsdaten: admin / §", "credentials: ada:§"])
def test_next_to_a_user_mixed_case_with_one_digit_is_a_password(form: str, value: str) -> None:
    assert value not in redact(form.replace("§", value))


@pytest.mark.parametrize(
    "line",
    [
        'set(API_KEY "§")',
        '(setq my-api-key "§")',
        '(def api-token "§")',
        '{"apiKey": {"value": "§"}}',
        '{"token":{"default":"§"}}',
        '"signing_secret": {\n    "value": "§"\n}',
        "db_password:\n  value: §\n",
        "security add-generic-password -a bob -s mail -w §",
        "wpa_passphrase 'home' §",
    ],
)
def test_a_value_is_found_where_a_language_or_command_expects_one(line: str) -> None:
    for value in (random_text(12), random_text(24)):
        assert value not in redact(line.replace("§", value))


@pytest.mark.parametrize(
    "line",
    [
        '{"token": {"default": "string"}}',
        "password:\n  default: null\n",
        "token:\n  defaultExpiry: 3600\n",
        '(def token-regex #"[a-z]+")',
        'set(TOKEN_FILE "config/tokens.txt")',
        "security find-generic-password -a bob -w",
        "If during parsing an unexpected token is encountered, the trailing one is suppressed.",
    ],
)
def test_text_that_only_resembles_such_a_place_stays(line: str) -> None:
    assert redact(line) == line
