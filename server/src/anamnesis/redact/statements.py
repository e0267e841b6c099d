"""Credentials in statements and commands with a fixed position for one. Rules, and a table of commands.

The position shows that a value is a secret, unless it only stands for one (`$TOKEN`, `<password>`). In an
INSERT, the list of columns shows which value is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.rules import Folded, Rule, Span
from anamnesis.redact.stand_ins import is_kept_elsewhere, is_stand_in
from anamnesis.redact.values import Assignment, is_secret
from anamnesis.redact.words import is_odd, reads_as_words

_QUOTE = r"\\{0,7}[\"'`]?"
_INSERT = re.compile(
    r"(?:insert|replace)\s{1,8}(?:\w{1,10}\s{1,8}){0,3}into\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}"
    r"\((?P<columns>[^()]{1,2000})\)\s{0,8}values?\s{0,8}",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\(")
_INSERTED = re.compile(
    r"\s{0,8}(?:[NEeb]?'(?P<text>(?:[^'\\\n]|''|\\.){0,1000})'|(?P<bare>[^',()]{0,200}(?:\([^()]{0,200}\))?))\s{0,8}"
)
_MOST_ROWS = 1000


def _is_value(found: re.Match[str]) -> bool:
    return not is_stand_in(found["secret"])


def _is_sent_to_redis(found: re.Match[str]) -> bool:
    """Whether `AUTH ...` starts its line and has a reply, or is followed by random-looking text."""
    before = found.string[max(found.start() - 60, 0) : found.start()]
    if not re.search(r"(?:^|\n|\\n)[\s>+|]{0,8}(?:[\w.:()\[\]-]{0,40}> ?)?\Z", before):
        return False
    answer = re.match(r"\s{1,4}[>+ ]{0,4}(?:\+?OK\b|-ERR|\(error\)|235 )", found.string[found.end() :][:40])
    value = found["secret"]
    return not is_stand_in(value) and not reads_as_words(value) and (answer is not None or is_odd(value))


_FEWEST_WORDS = 12
# Common words that are not in a wallet's word list.
_SENTENCE = frozenset("the and for with from are was your has must not can into each its".split())


def _is_seed(found: re.Match[str]) -> bool:
    words = re.findall(r"[a-z]+", found["secret"].lower())
    return _SENTENCE.isdisjoint(words[:_FEWEST_WORDS])


_SEED_WORD = r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}"
_SEEDS = (
    "seed",
    "mnemonic",
    "recovery phrase",
    "recovery words",
    "backup phrase",
    "wallet phrase",
    "secret phrase",
)
STATEMENT_RULES = (
    # A database address in the form of Go's drivers: `app:...@tcp(db:3306)/shop`
    Rule(
        "url-password",
        ("@tcp", "@unix(", "@udp("),
        r"(?P<user>[\w.$-]{1,60}):(?P<secret>[^\s\"'`<>]{1,200})@(?:tcp[46]?|unix|udp)\(",
        _is_value,
    ),
    # The keys and salts of WordPress, which have more symbols than letters
    Rule(
        "secret",
        ("_KEY", "_SALT"),
        r"(?:SECURE_AUTH|AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[\"'],[ \t]{0,40}(?P<quote>[\"'])"
        r"(?P<secret>(?!put your)(?:(?!(?P=quote))[^\n\\]|\\.){20,200})(?P=quote)",
        _is_value,
    ),
    Rule(
        "login-password",
        ("AUTH ",),
        r"AUTH[ ](?:[A-Za-z][\w.-]{0,40}[ ])?(?P<secret>[^\s\"'`]{4,400})(?=\s|\\n|\Z)",
        _is_sent_to_redis,
    ),
    Rule(
        "login-password",
        ("net use",),
        r"net use\s[^\n]{0,200}?(?:/user:\S{1,80}\s{1,4}(?P<secret>[^\s/*]\S{3,100}))",
        _is_value,
        ignore_case=True,
    ),
    Rule(
        "login-password",
        ("net use",),
        r"net use\s{1,4}(?:\S{1,3}\s{1,4})?\\{2,4}\S{1,120}\s{1,4}(?P<secret>[^\s/*]\S{3,100})\s{1,4}/user:",
        _is_value,
        ignore_case=True,
    ),
    # Values that a CI pipeline masks
    Rule("secret", ("::add-mask::",), rf"::add-mask::{_QUOTE}(?P<secret>[^\s\"'`]{{4,2000}})", _is_value),
    Rule(
        "secret",
        ("issecret=true]",),
        r"##vso\[task\.setvariable [^\]\n]{0,200}issecret=true\](?P<secret>[^\s\"'`]{4,2000})",
        _is_value,
    ),
    Rule(
        "seed-phrase",
        _SEEDS,
        r"(?:seed|mnemonic|(?:recovery|backup|wallet|secret)[ _-](?:phrase|words))(?:[ _-](?:phrase|words))?"
        r"[\"'`*]{0,3}(?:[ ](?:is|are|was))?[ ]{0,2}[:=]?[ ]{0,2}\s{0,4}[\"'`]{0,3}"
        rf"(?P<secret>(?:{_SEED_WORD}[ ,]{{0,2}}[ \n]){{11,23}}{_SEED_WORD})(?![\w'-])",
        _is_seed,
        ignore_case=True,
    ),
)
# Commands that store secrets, by how these are given: `NAME=value ...`, `NAME value`, or after an option.
_SETTING = """
pairs   fly secrets set | flyctl secrets set | supabase secrets set | infisical secrets set
pairs   doppler secrets set
value   doppler secrets set | dotnet user-secrets set | pulumi config set --secret | netlify env:set --secret
option  az keyvault secret set --value | aws secretsmanager create-secret --secret-string
option  aws secretsmanager put-secret-value --secret-string | eas secret:create --value
option  gh secret set --body
"""
_PAIR = re.compile(rf"(?<![\w=-])[A-Za-z_][\w.-]{{0,80}}={_QUOTE}(?P<secret>[^\s\"'`]{{4,2000}})")
_VALUE = re.compile(
    rf"\s{{1,4}}(?:-\S+\s{{1,4}}){{0,4}}[\w.:/][\w.:/-]{{0,100}}\s{{1,4}}"
    rf"{_QUOTE}(?P<secret>[^\s\"'`-][^\s\"'`]{{3,2000}})"
)
_REST = re.compile(r"(?:[^\n\\|;]|\\\r?\n|\\[^\n]){0,2000}")


def _commands() -> Iterator[tuple[str, str, str]]:
    """How a command's secrets are given, its words, and the option, if there is one."""
    for row in _SETTING.strip().splitlines():
        form, _, listed = row.partition(" ")
        for command in listed.split("|"):
            words, _, option = command.strip().partition(" --")
            yield form, words, option and f"--{option}"


_COMMANDS = tuple(_commands())


def find_set(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each value that a command stores as a secret."""
    for form, words, option in _COMMANDS:
        if words not in folded.text:
            continue
        for place in folded.occurrences((words,)):
            rest = _REST.match(folded.text, place + len(words))
            if rest is None or (form != "option" and option and option not in rest[0]):
                continue
            for found in _given(form, option, folded.text, rest.start(), rest.end()):
                if not is_stand_in(found["secret"]) and not is_kept_elsewhere(found["secret"]):
                    yield *found.span("secret"), "secret"


def _given(form: str, option: str, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    if form == "pairs":
        return _PAIR.finditer(text, start, end)
    if form == "value":
        found = _VALUE.match(text, start, end)
        return iter([found] if found else [])
    taken = re.compile(rf"{re.escape(option)}[ =]{_QUOTE}(?P<secret>[^\s\"'`]{{4,2000}})")
    return taken.finditer(text, start, end)


def find_inserted(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each secret among the values of an INSERT."""
    for place in folded.occurrences(("insert", "replace")):
        head = _INSERT.match(folded.text, place)
        columns = _columns(head["columns"]) if head else {}
        if head is None or not columns:
            continue
        for number, start, end in _inserted_texts(folded.text, head.end()):
            name = columns.get(number)
            if name and is_secret(Assignment(name, folded.text[start:end], "quoted", is_quoted=True)):
                yield start, end, name.kind


def _columns(listed: str) -> dict[int, Name]:
    """The numbers of the columns that are named after a secret."""
    found: dict[int, Name] = {}
    for number, column in enumerate(listed.split(",")):
        title = column.strip('` "[]\n\r\t')
        starts = sorted({place for hint in HINTS if (place := title.lower().find(hint)) >= 0})
        names = (name_at(title, start) for start in starts)
        name = next((each for each in names if each and each.end == len(title)), None)
        if name:
            found[number] = name
    return found


def _inserted_texts(text: str, position: int) -> Iterator[tuple[int, int, int]]:
    """The quoted values of each row: the number of the column, start and end."""
    for _ in range(_MOST_ROWS):
        row = _ROW.match(text, position)
        if row is None:
            return
        position, number = row.end(), 0
        while found := _INSERTED.match(text, position):
            if found["text"] is not None:
                yield number, *found.span("text")
            position, number = found.end() + 1, number + 1
            if text[found.end() : found.end() + 1] != ",":
                break
