"""Forms in which secrets are written (`§` is the value, `¶` a line break), and values."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable

Value = Callable[[random.Random], str]

# Symbols that need no quotes, and all symbols.
_BARE_SIGNS = "!@%^*-_+.~?/=:"
_ALL_SIGNS = "!@#$%^&*()-_=+[]{};:,.<>?/|~"


def _of(alphabet: str, shortest: int, longest: int) -> Value:
    return lambda chance: "".join(chance.choices(alphabet, k=chance.randint(shortest, longest)))


def _with_signs(signs: str) -> Value:
    """Letters and digits with two or more symbols among them, none at either end."""

    def make(chance: random.Random) -> str:
        letters = string.ascii_letters + string.digits
        body = chance.choices(letters, k=chance.randint(8, 20))
        body += chance.choices(signs, k=chance.randint(2, 5))
        chance.shuffle(body)
        return chance.choice(letters) + "".join(body) + chance.choice(letters)

    return make


_ALNUM = string.ascii_letters + string.digits
VALUES: dict[str, Value] = {
    "letters and digits": _of(_ALNUM, 8, 40),
    "12 letters and digits": _of(_ALNUM, 12, 12),
    "small letters and digits": _of(string.ascii_lowercase + string.digits, 10, 32),
    "letters": _of(string.ascii_letters, 8, 32),
    "small letters": _of(string.ascii_lowercase, 9, 24),
    "capitals and digits": _of(string.ascii_uppercase + string.digits, 10, 32),
    "hex": _of("0123456789abcdef", 16, 64),
    "base64url": _of(_ALNUM + "-_", 12, 48),
}
BARE_VALUES = {**VALUES, "signs": _with_signs(_BARE_SIGNS)}
QUOTED_VALUES = {**VALUES, "signs": _with_signs(_ALL_SIGNS)}
# A bracket or a semicolon in a sentence is not part of a value.
SPOKEN_VALUES = {**VALUES, "signs": _with_signs("!@#$%^&*-_+~?=")}


def _with_digits(make: Value) -> Value:
    """The same values with a digit after the second and the fifth character."""

    def spread(chance: random.Random) -> str:
        value, digits = make(chance), chance.choices(string.digits, k=2)
        return value[:2] + digits[0] + value[2:5] + digits[1] + value[5:]

    return spread


# Far from its name only a value unlike any word is found: digits in two places, or mixed case.
FAR_VALUES = {
    "letters and digits": _with_digits(_of(_ALNUM, 6, 30)),
    "small letters and digits": _with_digits(_of(string.ascii_lowercase, 6, 30)),
    "capitals and digits": _with_digits(_of(string.ascii_uppercase, 8, 20)),
    "base64url": _with_digits(_of(_ALNUM + "-_", 12, 48)),
    "signs": _with_digits(_with_signs("!@#$%^&*-_+~?=")),
}

BARE = """
password: §
password=§
password = §
DB_PASSWORD=§
set DB_PASSWORD=§
API_KEY=§
api_key: §
API_TOKEN=§
token: §
token = §
access_token: §
client_secret: §
SECRET_KEY=§
passphrase: §
credentials: §
spring.datasource.password=§
X-Api-Key: §
Private-Token: §
deploy --password § --force
deploy --api-key § now
mysql -u root -p§ shop
user=ada password=§ host=db
Server=db;User Id=sa;Password=§;Encrypt=true
<password>§</password>
| password | § |
**Password:** §
password:¶  §
bindpw §
keytool -storepass § -v
{user: ada, password: §}
password (admin): §
contraseña nueva: §
password:¶¶§
## Password¶¶§¶
API token:¶¶`§`
<password>¶  §¶</password>
echo § | gh auth login --with-token
gh secret set DEPLOY -b §
kubectl create secret generic shop --from-literal=mail=§
Passwort: §
Mot de passe : §
contraseña: §
密码：§
パスワード：§
비밀번호: §
::add-mask::§
fly secrets set SENTRY=§
app:§@tcp(127.0.0.1:3306)/shop
The password is:¶¶§
password ::= §
curl --user ada:'§' https://api.some.test
curl -s \\¶  -u ada:§ \\¶  https://api.some.test
sshpass -p '§' ssh ada@box
redis-cli -h cache -a '§'
CREATE USER app IDENTIFIED BY '§';
CREATE ROLE app LOGIN PASSWORD '§';
printf § | docker secret create mail -
DBPASS=§
myapikey=§
패스워드: §
enable secret 5 §
psexec \\box -u ada -p '§' cmd
""".strip()

QUOTED = """
password = '§'
const password = "§";
var token string = "§"
String password = "§";
apiKey: "§",
password: "§"
token := "§"
:password => '§'
connect(host="db", password="§")
os.environ["API_TOKEN"] = "§"
os.environ.get("API_KEY", "§")
define('DB_PASSWORD', '§');
setPassword("§")
password: str = "§"
const PASSWORD: &str = "§";
#define PASSWORD "§"
char password[] = "§";
NSString *password = @"§";
(def conf {:password "§"})
password <- "§"
add_argument("--password", default="§")
headers.set("X-Api-Key", "§")
const apiKey: string = "§";
<add key="Password" value="§" />
- name: DB_PASSWORD¶  value: "§"
db_password: !unsafe "§"
variable "db_password" { default = "§" }
variable "db_password" {¶  type = string¶  default = "§"¶}
output "db_password" {¶  value     = "§"¶  sensitive = true¶}
gh secret set DEPLOY --body "§"
echo "§" | docker login --password-stdin -u ada registry.some.test
const secret = process.env.SECRET || "§";
key = os.environ.get("API_KEY") or "§"
const SECRET: &'static str = "§";
public string Password { get; set; } = "§";
INSERT INTO users (name, password) VALUES ('ada', '§');
password ::= "§"
password :::= "§"
$token .= "§"
api_token += "§"
mysqli_connect("db", "ada", "§")
new PDO(¶    "mysql:host=db",¶    "ada",¶    "§")
curl_setopt($ch, CURLOPT_PROXYPASSWORD, "§");
curl_easy_setopt(curl, CURLOPT_USERPWD, "§");
var jwtKey = []byte("§")
String password = new String("§");
login("ada", "§")
const secret = Buffer.from("§", "utf8")
token = SecretStr("§")
new NetworkCredential("ada", "§")
requests.get(url, auth=("ada", "§"))
smtp.login("ada@some.test", "§")
{"name": "DB_PASSWORD", "value": "§"}
""".strip()

SPOKEN = """
the password is §
password: § (old)
I changed the password to § today
Das Passwort lautet §
le mot de passe est §
la contraseña es §
密码是§，请保密
パスワードは§です
my password: § (do not tell)
our private token: § and the public one
the password is now §
la contraseña nueva es §
la clave es §
""".strip()

# The name is further away, or only a space is between the two.
FAR = """
The password for the old staging box in the cellar is now §.
the new password that Bob gave me yesterday is §
the wifi password at the office is §
we rotated the token for the deploy bot, it is now §
the password for the old box in the cellar: §
das Passwort, das wir seit Mai auf dem Server nutzen, ist §
with the password §
the password "§"
mit dem Passwort `§`
use password § to log in
user: ada, pass: §
user ada, password §
login: ada / §
credentials: ada / §
session cookie: §
Passwort vom Router: §
the API key is §
our token is §
le mot de passe admin : §
la contraseña de la base es §
das neue Passwort für den Router lautet: §
la clave del servidor es §
le mot de passe du serveur, c'est §
ID:ada,pass:§
login/password: ada / §
id/pw ada/§
ID/PW(ada/§)
password(§)
비밀번호 (§)
ada@some.test / §
the token § works
("password", "§")
"args": ["--api-key", "§"]
Secret access key¶§
""".strip()

QUERY = """
https://api.some.test/v1?access_token=§&page=2
https://api.some.test/v1?page=2&api_key=§
GET /login?user=ada&password=§ HTTP/1.1
postgresql://app:§@db.some.test:5432/shop
smtps://ada@mail.some.test:§@smtp.some.test
https://api.some.test/v1?token=§#top
> db.some.test:5432:shop:ada:§
""".strip()

Form = Callable[[str], str]


def _filled(form: str) -> Form:
    return lambda value: form.replace("§", value)


def _forms(table: str, values: dict[str, Value]) -> dict[str, tuple[Form, dict[str, Value]]]:
    forms = (line.replace("¶", "\n") for line in table.splitlines())
    return {form: (_filled(form), values) for form in forms}


def _json(value: str) -> str:
    return json.dumps({"user": "ada", "password": value, "port": 5432})


_JSON: dict[str, Form] = {
    "json": _json,
    "json key": lambda value: json.dumps({"apiKey": value}),
    "json in json": lambda value: json.dumps({"content": _json(value)}),
    "json in json in json": lambda value: json.dumps(json.dumps({"content": _json(value)})),
}
# For each form: how to write a value in it, and which values are possible.
FORMS: dict[str, tuple[Form, dict[str, Value]]] = {
    **_forms(BARE, BARE_VALUES),
    **_forms(QUOTED, QUOTED_VALUES),
    **_forms(SPOKEN, SPOKEN_VALUES),
    **_forms(FAR, FAR_VALUES),
    **_forms(QUERY, VALUES),
    **{name: (form, QUOTED_VALUES) for name, form in _JSON.items()},
}


def made(form: str, count: int, chance: random.Random) -> list[tuple[str, str]]:
    """`count` random values of all kinds in turn: the text with the value, and the value."""
    write, values = FORMS[form]
    kinds = list(values.values())
    chosen = (kinds[number % len(kinds)](chance) for number in range(count))
    return [(write(value), value) for value in chosen]
