"""Random values in positions that only a secret has, and ordinary text in the same positions."""

from __future__ import annotations

import random
import string

import pytest

from anamnesis.redact import redact

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALPHABETS = (LOWER + UPPER + DIGITS, LOWER + DIGITS, UPPER + DIGITS, "0123456789abcdef")
SURE = (
    'jwt.sign(payload, "¤")',
    'jwt.verify(token, "¤", { algorithms: ["HS256"] })',
    'crypto.createHmac("sha256", "¤")',
    'hmac.new(b"¤", body, "sha256")',
    'client.bearer_auth("¤")',
    'DriverManager.getConnection(url, "app", "¤")',
    'new NetworkCredential("bob", "¤")',
    'db.auth("admin", "¤")',
    'var jwtKey = []byte("¤")',
    'const secret = Buffer.from("¤", "utf8")',
    'token = SecretStr("¤")',
    'keyPassword "¤"',
    "aws ssm put-parameter --name /db --type SecureString --value '¤'",
    'gh secret set DEPLOY -b"¤"',
    "echo -n '¤' | vercel env add MAIL production",
    "printf ¤ | docker secret create mail -",
    "printf '¤' | gcloud secrets create db --data-file=-",
    "rabbitmqctl add_user bob ¤",
    "mc alias set s3 https://s3.example minio ¤",
    "ssh-keygen -t ed25519 -N '¤' -f key",
    "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '¤';",
    "CREATE USER app IDENTIFIED BY ¤",
    "CREATE ROLE app LOGIN PASSWORD '¤';",
    "INSERT INTO settings (key, value) VALUES ('api_token', '¤');",
    " id | name | api_key \n----+------+---------\n  1 | bob  | ¤\n(1 row)",
    "+------+----------+\n| user | password |\n+------+----------+\n| bob  | ¤ |\n+------+----------+",
    "DBPASS=¤",
    "Authorization=Bearer%20¤",
    'expect "Password:"\nsend "¤\\r"',
)
# Here a value must look random, which a short one may not.
LIKELY = (
    "Cookie: theme=dark; session_id=¤; lang=en",
    "curl -b 'theme=dark; session=¤' https://shop.example",
    "https://maps.example/js?key=¤&v=3",
    "https://weather.example/now?q=Rome&appid=¤",
    "http://localhost:3000/callback?code=¤&state=x",
    "REDIS_AUTH=¤",
    "the login is bob:/¤",
    "user/pass: bob/¤",
    "password=<¤>",
    "the password should be ¤",
    '("password", "¤")',
    '"args": ["--api-key", "¤"]',
    "Please use the following password to proceed to installation:\n\n¤\n\nIt is also in a file.",
    "what is the admin password?\n\n¤",
    "Secret access key\n¤\n",
    "$ openssl rand -hex 32\n¤\n",
    "$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n¤",
    "$ cat /run/secrets/db\n¤\n",
    "$ echo $API_TOKEN\n¤\n",
    "git clone https://¤@github.com/acme/shop.git",
)
ORDINARY = (
    "jwt.verify(token, publicKey, options)",
    "getConnection(url, user, password)",
    "const key = Buffer.from(secret)",
    'token = str("required")',
    "Cookie: theme=dark; lang=en",
    "https://shop.example/list?key=order-status&code=404",
    "REDIS_AUTH=required",
    "the login is slow:/api/orders takes a second",
    "scp bob@web:/srv/shop/logs .",
    "password=<your-password>",
    "token: <API_TOKEN_2>",
    "the password should be hashed",
    'fields = ["username", "password", "email"]',
    "Reset the password with:\n\nmake reset-password\n",
    "where is the password?\n\nsrc/auth/password.py",
    "$ echo $HOME\n/home/bob/work",
    "$ echo $BUILD_ID\n9f3c2ab04d17e6589f3c2ab0",
    'jwt.sign(payload, "/etc/ssl/k8s-x509.pem")',
    "$ kubectl get secret db -o name\nsecret/db-credentials",
    "git clone https://johannes-kowalski-dev@bitbucket.org/acme/shop.git",
    "token\n  .trim()\n  .split()",
    "token\n  ?.slice(0,12)",
    "| token | coverage build |",
    "pip install password==3.17.2",
    "docker pull acme/password:10.18.16",
    "github.com/acme/password v1.2.3 h1:kIk6w2jd5mV8eyjACHlvPuecWmT2mA4A9NRUSGaOJt0=",
    "passphrase = _ffi.NULL",
    "nid_key = self._lib.NID_aes_256_cbc",
    "token = modifier(token, request)",
    "attrtext is the token characters",
)


def draw(place: str, *, shortest: int, longest: int) -> list[str]:
    """Random values with a digit, the same in every run."""
    chance = random.Random(place)  # noqa: S311 - for a test, not for secrets
    values = [
        "".join(chance.choices(alphabet, k=chance.randint(shortest, longest)))
        for alphabet in ALPHABETS
        for _ in range(25)
    ]
    return [value for value in values if set(value) & set(DIGITS) and not value.isdigit()]


@pytest.mark.parametrize("place", SURE)
def test_no_random_value_survives_where_only_a_secret_can_be(place: str) -> None:
    values = draw(place, shortest=9, longest=40)
    assert [value for value in values if value in redact(place.replace("¤", value))] == []


@pytest.mark.parametrize("place", LIKELY)
def test_no_long_random_value_survives_where_a_secret_is_likely(place: str) -> None:
    values = draw(place, shortest=20, longest=39)  # 40 hexadecimal digits may be a commit
    assert [value for value in values if value in redact(place.replace("¤", value))] == []


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_in_such_a_position_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("place", ["my api key ¤ works", "the password ¤ works", "creds: bob / ¤"])
def test_a_uuid_is_removed_where_it_can_only_be_a_key_or_a_password(place: str) -> None:
    assert "550e8400" not in redact(place.replace("¤", "550e8400-e29b-41d4-a716-446655440000"))
