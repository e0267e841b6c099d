"""Credentials are removed, ordinary text is unchanged, and no text makes the search slow."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.capture import write_episodic
from anamnesis.redact import Secret, find_secrets, hide, known_secrets, redact, strip_private, under_title
from anamnesis.session.transcript import parse_transcript
from anamnesis.store import MemoryStore
from secret_forms import FORMS, made
from secret_samples import SAMPLES
from transcript_lines import asked, called, returned, said, write_transcript

ORDINARY = (Path(__file__).parent / "ordinary_text.txt").read_text(encoding="utf-8")
LETTERS = string.ascii_letters + string.digits


def chance(seed: object) -> random.Random:
    """The same random values in every run."""
    return random.Random(str(seed))  # noqa: S311  # samples, not keys


def drawn(
    seed: object, count: int, *, alphabet: str = LETTERS, shortest: int = 10, longest: int = 40
) -> list[str]:
    """Random values with a letter and a digit."""
    dice = chance(seed)
    values = ["".join(dice.choices(alphabet, k=dice.randint(shortest, longest))) for _ in range(2 * count)]
    return [value for value in values if re.search(r"\d.*[a-zA-Z]|[a-zA-Z].*\d", value)][:count]


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


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_no_known_kind_of_secret_survives(setting: Callable[[str], str]) -> None:
    assert len(SAMPLES) >= 90
    survivors = [
        kind
        for kind, (text, secret) in SAMPLES.items()
        if json.dumps(secret)[1:-1] in redact(setting(text)) or secret in redact(setting(text))
    ]
    assert survivors == []


def _leaks(form: str, count: int) -> list[str]:
    """The values that survive, even in part; texts separated by a blank line are read one by one."""
    values = made(form, count, chance(form))
    cleaned = redact("\n\n".join(text for text, _ in values))
    return [value for _, value in values if value[:6] in cleaned or value[-6:] in cleaned]


@pytest.mark.parametrize("form", FORMS)
def test_no_random_value_leaks_because_of_its_letters(form: str) -> None:
    assert _leaks(form, 60) == []
    assert [value for text, value in made(form, 9, chance(form)) if value in redact(text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_of_two_thousand_random_values_at_most_one_leaks(form: str) -> None:
    assert len(_leaks(form, 2000)) <= 1


# Here a value must look random, which a short one may not.
LIKELY = (
    *("Cookie: theme=dark; session_id=¤; lang=en", "https://maps.some.test/js?key=¤&v=3", "REDIS_AUTH=¤"),
    *("http://localhost:3000/callback?code=¤&state=x", "git clone https://¤@github.com/acme/shop.git"),
    *("ok, the new key is ¤, put it into the vault", "The webhook key `¤` was in the code", "admin / ¤"),
    *("api_token,¤,", "[debug] Key=¤", "ado_pat = '¤'", "curl -u '¤:' https://some.test", "-Dsonar.login=¤"),
    *("buildConfigField 'String', 'MAPS', '\"¤\"'", "curl --oauth2-bearer '¤' https://some.test"),
    *("der neue Schlüssel für die Mühle ist ¤", "la nouvelle clé du moulin est ¤", "密钥是 ¤ 请更新"),
)


@pytest.mark.parametrize("place", LIKELY)
def test_no_long_random_value_survives_where_a_secret_is_likely(place: str) -> None:
    values = drawn(place, 60, shortest=24)
    assert [value for value in values if value in redact(place.replace("¤", value))] == []


def test_a_random_value_of_letters_is_found_in_a_sentence_and_under_any_key() -> None:
    values = ["".join(chance(seed).choices(string.ascii_lowercase, k=24)) for seed in range(60)]
    assert [value for value in values if value in redact(f"The webhook key `{value}` was here")] == []
    values = ["".join(chance(seed).choices(string.ascii_letters, k=22)) for seed in range(60)]
    assert [value for value in values if value in redact(f"mail_key: '{value}'")] == []


PEM_KINDS = ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
PREFIXES: dict[str, Callable[[int], str]] = {
    "timestamps": lambda n: f"2026-11-04T10:{n:02}:31.{n * 7:03}Z ",
    "docker build": lambda n: f"#12 {n * 0.131:.3f} ",
    "kubectl logs": lambda n: "[pod/shop-7d9f8b6c5d-x2x9z/app] ",
    "syslog": lambda n: f"Nov 18 10:00:{n:02} box app[123]: ",
    "comment": lambda n: " * ",
    "python strings": lambda n: '    "',
    "java strings": lambda n: '      + "',
}


def key_lines(seed: object, kind: str) -> list[str]:
    """A key block with lines of 64 characters and a short last one."""
    dice = chance(seed)
    lines = ["".join(dice.choices(LETTERS + "+/", k=64)) for _ in range(dice.randint(3, 50))]
    return [f"-----BEGIN {kind}-----", *lines, f"{lines[0][:19]}7a==", f"-----END {kind}-----"]


@pytest.mark.parametrize("kind", PEM_KINDS)
@pytest.mark.parametrize("cut", [slice(None), slice(None, -1)], ids=["whole", "no end"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_private_key_with_anything_before_its_lines_is_removed(prefix: str, cut: slice, kind: str) -> None:
    lines = key_lines((prefix, kind), kind)
    ending = '\\n"' if "strings" in prefix else ""
    block = "\n".join(PREFIXES[prefix](n) + line + ending for n, line in enumerate(lines[cut]))
    cleaned = redact(f"the log starts\n{block}\nand the log goes on\n")
    assert [line for line in lines[1:-1] if line[:16] in cleaned] == []
    assert cleaned.startswith("the log starts\n")
    assert cleaned.endswith("\nand the log goes on\n")


def test_what_only_mentions_a_private_key_stays() -> None:
    for text in (
        "A block ends with\n-----END PRIVATE KEY-----\nand a certificate\nMIIB" + "x1Y2" * 15,
        'if key.startswith("-----BEGIN PRIVATE KEY-----") and key.endswith("-----END PRIVATE KEY-----"):',
        'privateKey: "-----BEGIN PRIVATE KEY-----\\n...",\nclientSecret: process.env.CLIENT_SECRET',
        "-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----",
    ):
        assert redact(text) == text


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", ""])
def test_a_private_key_in_base64_is_found_and_a_certificate_stays(kind: str) -> None:
    lines = f"-----BEGIN {kind}PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7vV3kq\n-----END {kind}PRIVATE KEY-----\n"
    key = base64.b64encode(lines.encode()).decode()
    assert redact(f"client-key-data {key}") == "client-key-data [redacted: private-key]"
    public = base64.b64encode(lines.replace(f"{kind}PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert redact(f"client-certificate-data {public}") == f"client-certificate-data {public}"


@pytest.mark.parametrize("seed", range(20))
def test_every_value_of_a_kubernetes_secret_is_removed_and_its_names_stay(seed: int) -> None:
    url, mail, first, second = drawn(seed, 4, shortest=3, longest=30)
    manifest = (
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\nstringData:\n  url: {url}\n"
        f"  mail: '{mail}'\n  config: |\n    host {first}\n\n    {second}\n  other: ${{OTHER}}\n"
        "type: Opaque\n"
    )
    cleaned = redact(manifest)
    assert [value for value in (url, mail, first, second) if value in cleaned] == []
    for kept in ("name: shop", "  url: ", "  config: |", "${OTHER}", "type: Opaque"):
        assert kept in cleaned
    for margin in ("+", "-", ">", f"{seed}\t", f"{seed}|"):
        listed = "".join(margin + line for line in manifest.splitlines(keepends=True))
        assert [value for value in (url, mail, first, second) if value in redact(listed)] == []
    harmless = manifest.replace("kind: Secret", "kind: ConfigMap")
    assert redact(harmless) == harmless


def test_every_value_of_a_kubernetes_secret_in_json_is_removed_and_a_config_map_stays() -> None:
    def item(kind: str, value: str) -> dict[str, object]:
        return {"apiVersion": "v1", "data": {"mail": value}, "kind": kind, "metadata": {"name": "shop"}}

    for value in drawn("k8s", 20):
        text = json.dumps({"items": [item("Secret", value), item("ConfigMap", "b3RoZXIuaG9zdA")]}, indent=2)
        for _ in range(2):
            assert redact(text) == text.replace(value, "[redacted: kubernetes-secret]")
            text = json.dumps(text)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO users (id, name, password, n) VALUES (7, 'it''s', '§', NULL), (f(), 'bob', '¤', 'x')",
        "insert into `shop`.`users` (`mail`,`password`) values ('a@b.c','§'),\n  ('d@e.f','¤')",
        "REPLACE INTO t (api_token, n) VALUES ('§', 1);\nINSERT OR IGNORE INTO t (token) VALUES ('¤');",
    ],
)
def test_the_rows_of_an_insert_are_redacted_by_its_column_names(statement: str) -> None:
    for first, second in zip(drawn(statement, 30), drawn(f"{statement} 2", 30), strict=True):
        cleaned = redact(statement.replace("§", first).replace("¤", second))
        assert first not in cleaned
        assert second not in cleaned
        assert "bob" in cleaned or "bob" not in statement


def test_no_row_of_a_long_insert_is_left_out() -> None:
    passwords = drawn("dump", 3000, longest=16)
    rows = ",\n".join(f"('ada', '{password}')" for password in passwords)
    cleaned = redact("INSERT INTO users (name, password) VALUES §;".replace("§", rows))
    assert [password for password in passwords if password in cleaned] == []


def test_what_a_command_stores_as_a_secret_is_redacted_under_any_name() -> None:
    for command in (
        "fly secrets set A=§ B_URL='¤' --app shop",
        "kubectl create secret generic shop --from-literal=mail=§ \\\n  --from-literal=url=¤",
        "gh secret set X --body '§' && echo ¤ | gh secret set Y",
    ):
        for first, second in zip(drawn(command, 30), drawn(f"{command} 2", 30), strict=True):
            cleaned = redact(command.replace("§", first).replace("¤", second))
            assert first not in cleaned
            assert second not in cleaned
    for text in (
        "kubectl create configmap shop --from-literal=mail=Zk3xPq9vLm",
        "fly secrets set A=$TOKEN --app shop-production-1\nfly deploy --config=production-2.toml",
    ):
        assert redact(text) == text


def test_a_password_with_a_slash_in_an_address_is_found() -> None:
    for password in ("Zk3x/Pq9v", "Zk3x#Pq9v", "Zk?3xPq/9v"):
        assert redact(f"postgres://app:{password}@db/x") == "postgres://app:[redacted: url-password]@db/x"


@pytest.mark.parametrize("sign", [":", ": >-", ": |", ":\r", ":  "])
def test_a_password_on_the_line_below_its_name_is_found(sign: str) -> None:
    for value in drawn(sign, 20, longest=14):
        cleaned = redact(f"user: ada\npassword{sign}\n  {value}\nhost: db\n")
        assert cleaned == f"user: ada\npassword{sign}\n  [redacted: password]\nhost: db\n"


@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u2060"])
def test_invisible_characters_hide_no_secret(unseen: str) -> None:
    key = SAMPLES["github classic"][0]
    for hidden in (key[:9] + unseen + key[9:], unseen.join(key), key[:2] + unseen + key[2:]):
        assert redact(f"a{unseen}b {hidden} c") == f"a{unseen}b [redacted: github-token] c"


@pytest.mark.parametrize("before", ["", "%3D", "to%3D", "\\n", "a\\t", "(", "ключ"])
def test_a_credential_starts_a_text_or_follows_an_escape_or_a_non_word_character(before: str) -> None:
    key = SAMPLES["aws key"][0]
    assert redact(f"{before}{key}") == f"{before}[redacted: aws-key]"
    assert redact(f"de{key}") == f"de{key}"


def test_a_quotation_mark_in_a_password_leaves_no_rest_at_any_json_depth() -> None:
    text = json.dumps({"password": 'ab12"TAIL34"TAIL56', "user": "ada"})
    for _ in range(3):
        assert "TAIL" not in redact(text)
        assert "ada" in redact(text)
        text = json.dumps(text)


def test_text_around_a_secret_stays_and_contains_nothing_more_to_redact() -> None:
    for kind, (text, _) in SAMPLES.items():
        cleaned = redact(f"before this\n{text}\nand after that")
        assert cleaned.startswith("before this\n"), kind
        assert "[redacted: " in cleaned, kind
        assert cleaned.endswith("\nand after that"), kind
        assert find_secrets(cleaned) == [], kind


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


def test_ordinary_text_is_not_altered() -> None:
    assert [line for line in ORDINARY.splitlines() if redact(line) != line] == []
    assert redact(ORDINARY) == ORDINARY


def test_random_hashes_and_identifiers_are_not_altered() -> None:
    dice = chance(11)
    for _ in range(300):
        digest, identifier = f"{dice.getrandbits(160):040x}", f"{dice.getrandbits(64):016x}"
        text = f"commit {digest}\nsha256:{digest}{identifier}\n{identifier}  a.py\nindex {digest[:7]}"
        assert redact(text) == text


def test_a_secret_is_reported_by_kind_and_position_and_never_repeated() -> None:
    text, secret = SAMPLES["github classic"]
    [found] = find_secrets(f"first line\nthe token: {text}\n")
    assert found == Secret("github-token", 2, 12, 22, 22 + len(text))
    assert str(found) == "github-token at line 2, column 12"
    assert secret not in repr(found)
    assert [(found.line, found.column) for found in find_secrets(f"{text} {text}\n\n  {text}")][1:] == [
        (1, len(text) + 2),
        (3, 3),
    ]


# `¶` is a line break, `¤` an invisible space.
HOSTILE = (
    "a¦(¦'¦--¦\\¦eyJ¦-eyJ¦sk-¦SG.¦AKIA¦key-¦0123456789abcdef¦<private>¦password=¦token:¦token:1¦token=\"¦"
    "password for ¦secret is ¦pass:¦password:¶¦login ¦machine a login b ¦Basic ¦authorization: a ¦"
    'password | a ¦the password of the ¦password a: ¦tokens: ["a", ¦tokens:¶- a¶¦variable "password" { ¦'
    '{"kind": "Secret" ¦"kind": "Secret"¦login: a / ¦user a pass: ¦echo a | ¦://a:b/¦://¦://a:¦curl -u ¦'
    "curl \\¶¦mysql -p¦Cookie: a=¦Cookie: a=b; ¦a=b; ¦¤¦a¤¦get('token', '¦name: password¶  value: ¦密码是¦"
    "Passwort: ¦kind: Secret¶data:¶  a: b¶¦ data:¶¦postgres://a:¦-----BEGIN PRIVATE KEY-----¦"
    "-----END PRIVATE KEY-----¦-----BEGIN RSA PRIVATE KEY-----¶Version: ¦"
    "insert into a (password) values ('a'),¦('a','b'),¦--from-literal=a=bbbb ¦secrets set A=bbbb "
).split("¦")


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    # Quadratic time would take minutes here and hit the suite's limit.
    piece = piece.replace("¶", "\n").replace("¤", "\u200b")
    text = "-us1 --user password eyJ kind: Secret\ndata:\n cookie: curl " + piece * (60_000 // len(piece))
    assert redact(strip_private(text)).startswith("-us1 --user")


def test_a_secret_is_placed_and_a_manifest_read_once_however_many_there_are() -> None:
    # Each of these took minutes when the text before, or around, was read anew for every one of them.
    many = "authorization: %s " % ("x1" * 9)
    assert find_secrets(many * 40_000)[-1].line == 1
    assert find_secrets('{"kind":"Secret","data":{' * 20_000) == []


def test_a_title_can_name_a_password_alone_in_the_body() -> None:
    for title, body in (
        ("Database password", "oHwLMeaZqo9DZD"),
        ("API key:", "\noHwLMeaZqo9DZD7f3k\n\nOld."),
    ):
        assert find_secrets(under_title(title, body))
    for title, body in (("Database password", "It is kept in the safe."), ("Deploy", "oHwLMeaZqo9DZD")):
        assert not find_secrets(under_title(title, body))


def test_private_spans_are_removed_even_if_they_nest_or_are_not_closed() -> None:
    assert strip_private("a<PRIVATE>b</Private>c<private reason='x'>d</private >e") == "ace"
    assert strip_private("a<private>b<private>c</private>d</private>e") == "ae"
    assert strip_private("keep <private>drop\nand drop") == "keep "
    for text in ("", "no tags", "a </private> b", "<privateer>x</privateer>", "a <private/> b"):
        assert strip_private(text) == text


PASSWORD = "Kettle_Moor_73"
HEX = "5b1e0c7d92fa4e638b07d1c2a9f4e36084bd57f1a06c9e2d"
BASE32 = "KR3WQ5DJNZTSA2LT"
SOURCES = (
    {"command": f"sshpass -p '{PASSWORD}' ssh ada@mill.example"},
    {"command": f"curl -u ada:{PASSWORD} https://mill.example/api"},
    {"content": f"machine mill.example\nlogin ada\npassword {PASSWORD}\n"},
    {"content": f"the pw is {PASSWORD}, do not tell anybody"},
    {"content": f"POSTGRES_PASSWORD: {PASSWORD}\nPOSTGRES_USER: ada"},
    {"command": f"curl 'https://mill.example/grind?token={PASSWORD}&sort=fine'"},
)


def source(*entries: object) -> list[bytes]:
    """Lines of JSON, as a transcript has them."""
    return [json.dumps(entry).encode() for entry in entries]


@pytest.mark.parametrize("entry", SOURCES)
def test_a_value_that_is_a_secret_in_the_transcript_is_removed_from_the_note(entry: object) -> None:
    text = f"I opened the mill with `{PASSWORD}`; ada:{PASSWORD} works on port 2222, too."
    hidden = hide(text, known_secrets(text, source({"content": "hello"}, entry)))
    assert PASSWORD not in hidden
    assert hidden.count("[redacted: ") == 2
    assert "port 2222, too." in hidden


def test_the_start_of_a_secret_is_removed_too() -> None:
    text = f"the key that begins with {HEX[:12]}… is in the open"
    known = known_secrets(text, source({"content": f'SIGNING_KEY = "{HEX}"'}))
    assert HEX[:12] not in hide(text, known)


@pytest.mark.parametrize(
    "content",
    [
        'password: "lantern"',  # a word of the language
        "token=mill2",  # too short
        f"commit {HEX[:40]}",
        'secret_name = "grind-v2-settings"',
        f"ada/{PASSWORD} is a path here",
    ],
)
def test_plain_words_and_values_that_are_not_secret_in_the_transcript_stay(content: str) -> None:
    text = f"The lantern of mill2 hangs at {HEX[:40]}, see grind-v2-settings and {PASSWORD}."
    assert hide(text, known_secrets(text, source({"content": content}))) == text


@pytest.mark.parametrize("place", ["I put ¤ there", "auth: ¤", "HOOK=¤ make run", "x('¤')", "see `¤`."])
def test_a_long_random_key_is_removed_from_a_captured_note_whatever_its_name(place: str) -> None:
    chance = random.Random(3)  # noqa: S311 - for a test, not for secrets
    letters = string.ascii_letters + string.digits
    keys = ["".join(chance.choice(letters) for _ in range(48)) for _ in range(100)]
    texts = [place.replace("¤", key) for key in keys]
    left = [key for key, text in zip(keys, texts, strict=True) if key in hide(text, known_secrets(text, []))]
    assert len(left) <= 3


@pytest.mark.parametrize(
    "text",
    [
        "the price is price_1MoBy5LkdIwHu7ixZhnattbh",
        "see https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
        "the wallet 0x71C7656EC7ab88b098defB751B7401B5f6d8976F is empty",
        "integrity sha512-Z8VTn1bBvR1eUIoBZ2y5mQ9rPqk3XwJc7dGfTfA1s2D4f5G6h7J8k9L0==",
        "merged 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "ReplicaSetV1Beta2Controller assumes arn:aws:iam::1:role/EC2InstanceRoleForS3Access2",
        "UnicodeBCP47LocaleIdentifierWithExtensions is a class, Size2DForDimensionPercentageLength too",
    ],
)
def test_ids_addresses_hashes_and_names_stay_in_a_captured_note(text: str) -> None:
    assert hide(text, known_secrets(text, [])) == text


def test_a_secret_from_a_tool_call_is_in_neither_title_nor_body(tmp_path: Path) -> None:
    transcript = write_transcript(
        tmp_path / "t.jsonl",
        asked(f"does {PASSWORD} still open the door of the mill at night?"),
        called("1", "Bash", command=f"sshpass -p '{PASSWORD}' ssh ada@mill.example uptime"),
        returned("1", "up 41 days"),
        said(f"Yes: `{PASSWORD}` opens the door because the lock `door.conf` was never changed."),
    )
    with MemoryStore(tmp_path / "store") as store:
        note = write_episodic(store, parse_transcript(transcript), project="p", machine_id="m")
    assert note is not None
    assert PASSWORD not in note.title + note.body
    assert "[redacted: login-password]" in note.title
    assert "`door.conf` was never changed" in note.body
