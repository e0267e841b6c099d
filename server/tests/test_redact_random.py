"""Random secrets in the forms found in sessions, from a fixed seed; and similar harmless texts."""

from __future__ import annotations

import random
import string

import pytest

from anamnesis.redact import redact

CHANCE = random.Random(20)  # noqa: S311 - for a test, not for secrets
ALPHABETS = (
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "!@#%^*+",
    "0123456789abcdef",
)
# § is a user, ¤ the secret.
PLACES = (
    *('login("§", "¤")', "smtp.login(user, '¤')", 'authenticate("§", "¤")', 'signIn("§@acme.io", "¤")'),
    *('create_user("§", "§@acme.io", "¤")', "page.fill('#password', '¤')"),
    *("getByLabel('Password').fill('¤')", "find_element(By.ID, 'password').send_keys('¤')"),
    *("useradd -m -p ¤ §", "sudo usermod -p '¤' §", "snmpget -v2c -c ¤ 10.0.0.1 sysName"),
    *("snmpwalk -u § -A ¤ -X ¤ 10.0.0.1", "/msg NickServ identify ¤", "/msg nickserv IDENTIFY § ¤"),
    *("read PASS <<< ¤", "passwd --stdin § <<< '¤'", "USER §\nPASS ¤", "a1 LOGIN § ¤"),
    *("the wifi key is ¤", "WPA2 key: ¤", "la clé wifi est ¤", "ключ API: ¤", "tool --password ¤ run"),
    *("DB_PASSWORD=¤", '{"password": "¤"}', "postgres://§:¤@db.internal/shop", "mysql -u § -p¤ shop"),
    *("> db.internal:5432:shop:§:¤", "identifiants : § / ¤", "the password is ¤"),
    *("The login is §:¤", "creds for staging are § / ¤", "Zugangsdaten: §:¤", "the account is §: ¤"),
    *("my pass is now ¤", "I use ¤ (that is the root password)", "¤ (my admin password)"),
    *("gh secret set FOO --body 'v\\¤'", "gh secret set FOO --body='¤\\tail'"),
    *("the password was changed to ¤", "postgres://§:7#?/¤@x@db.internal/shop"),
)
# A sentence may call a name a key too: only what looks random is removed.
TOLD = ("Der Schlüssel lautet ¤", "The key is ¤", "La clé est ¤", "пароль от базы ¤")
ORDINARY = (
    *("use --password instead of the prompt", "pass --password or set the variable"),
    *('login("username", "password")', 'login("github", "oauth2-callback")', "login(username, password)"),
    *('describe("login", "redirects to the dashboard")', 'connect("localhost", "root", "shop")'),
    *("useradd -p option takes a hash", "usermod -aG docker bob", "snmpget -v2c -c public 10.0.0.1 sysName"),
    *("NickServ identify is needed first", 'read PASS <<< "$SECRET"', "read NAME <<< hello-world-text-1"),
    *("PASS tests/test_login.py (1.2 s)", "USER node\nWORKDIR /app", "a1 LOGIN failed", "gcc -c main.c"),
    *("the wifi key is printed on the router", "the key is unique per user", "the key is user:4711"),
    *("the cache key is build-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "key: ed25519.Ed25519PrivateKey"),
    *("Der Schlüssel lautet in jedem Fall anders", "пароль от базы хранится в сейфе", "la clé est absente"),
    *("PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']", "page.fill('#q', 'short')"),
    *("The login is handled by auth.py", "creds for staging are in 1Password", "account: free / pro2024"),
    *("credentials for AWS are IAM / STS-based", "the account is acme / production-eu-west-1"),
    *("the tests pass: 120 of 120", "my pass is finished", "The login was OAuth2 / OIDC based"),
    *("The login pod auth-7f9c8d6b5-x2x4z crashed; account id acct_1a2b3c4d was affected.",),
    *("The login flow oauth2_pkce_s256 is documented", "login service auth-svc-7f9c"),
    *("creds: see ops/k8s/regcred", "Credentials for staging are in vault/kv/shop"),
    *("Credentials for prod are under kv/data/prod/db1", 'gh secret set X_ACCOUNTS --body "$EU_WEST_1"'),
    *("postgres://db.internal:5432/shop?owner=ada@acme.io", "the secret manager (the password store)"),
)


# Right after the word for it, without a verb or a sign.
BESIDE = (
    *(
        "use the api key ¤ for staging",
        "token ¤ works",
        "the secret ¤ was rotated",
        "with the password ¤ it works",
    ),
    *(
        "the access token ¤ expired",
        "API key ¤ belongs to ada",
        "mit dem API-Key ¤ klappt es",
        "le token ¤ marche",
    ),
)
BESIDE_ALPHABETS = (
    string.ascii_letters + string.digits,
    string.ascii_lowercase + string.digits,
    string.ascii_uppercase + string.digits,
    string.ascii_letters,
    string.ascii_letters + string.digits + "!#$%^&*+?=",
)
BESIDE_ORDINARY = (
    *(
        "token bucket",
        "secret santa",
        "api key rotation",
        "the password reset2 form",
        "token type JWT",
        "key v2",
    ),
    *(
        "token OAuth2",
        "the token utf8mb4 is a charset",
        "the secret regcred-x2x4z is mounted",
        "api key v2beta1",
    ),
    *(
        "the token 9f3c2ab81d was a commit",
        "the secret for iPhone15",
        "use the token K8s1.29",
        "token PostgreSQL16",
    ),
    *(
        "the token cl100k_base counts",
        "the access token us-east-2b",
        "the secret Zimbabwean",
        "see password fuzz/srp.h.",
    ),
    *(
        "secret i-0c849f54f4417591e",
        "token claude-3-5-sonnet",
        "the token ed4c5912-a308-4f9d-1042-fd53af3f9783",
    ),
)


@pytest.fixture(autouse=True)
def _same_values_in_any_order() -> None:
    CHANCE.seed(20)


def random_secret(place: int) -> str:
    alphabet = ALPHABETS[place % len(ALPHABETS)]
    middle = "".join(CHANCE.choices(alphabet, k=CHANCE.randrange(12, 40)))
    return f"x{middle}7" if alphabet[0] == "0" else f"Qz{middle}7k"


@pytest.mark.parametrize("place", PLACES)
def test_no_random_secret_survives_in_any_form(place: str) -> None:
    for number in range(6):
        secret = random_secret(number)
        cleaned = redact(f"I ran this:\n{place.replace('§', 'bob').replace('¤', secret)}\n")
        assert secret not in cleaned


@pytest.mark.parametrize("place", TOLD)
def test_a_random_text_called_a_key_does_not_survive(place: str) -> None:
    for _ in range(6):
        secret = f"Qz7{''.join(CHANCE.choices(ALPHABETS[0], k=20))}9xK"
        assert secret not in redact(place.replace("¤", secret))
    assert "9f86d081884c7d65" not in redact("The key is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b.")


@pytest.mark.parametrize("text", ORDINARY)
def test_a_text_that_only_resembles_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("alphabet", BESIDE_ALPHABETS)
@pytest.mark.parametrize("place", BESIDE)
def test_right_after_its_name_nearly_every_random_value_is_found(place: str, alphabet: str) -> None:
    values = ["".join(CHANCE.choices(alphabet, k=CHANCE.randint(9, 18))) for _ in range(100)]
    found = [value for value in values if value not in redact(place.replace("¤", value))]
    assert len(found) >= 88


@pytest.mark.parametrize("text", BESIDE_ORDINARY)
def test_an_ordinary_word_right_after_the_name_of_a_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_far_from_its_name_a_short_value_with_digits_in_two_places_is_found() -> None:
    for value in ("x7k2mq9", "4bs0n1w", "oJ8d3u4"):
        assert value not in redact(f"the password we use since May is {value}.")
    for value in ("2h30m5s", "utf8mb4", "v2beta1", "a1b2c3d"):
        assert value in redact(f"the token that we use since May is {value}.")


def test_an_address_of_a_repository_stays_whoever_owns_it() -> None:
    alphabets = (string.ascii_lowercase, string.ascii_lowercase + string.digits + "-", string.ascii_letters)
    for _ in range(300):
        owner = "".join(CHANCE.choices(CHANCE.choice(alphabets), k=CHANCE.randint(3, 14)))
        for text in (f"git clone git@github.com:{owner}/shop.git", f"upstream git@host.io:{owner}/{owner}"):
            assert redact(text) == text


def test_a_password_after_a_mail_address_is_redacted_although_it_contains_a_slash() -> None:
    assert "KXR00A" not in redact("use bob@example.com:KXR00A/4amNxWf to log in")
