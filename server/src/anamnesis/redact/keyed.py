"""Credentials recognised by a name near them: `password=...`, `"token": "..."`, "the key for staging is ...".

A reading is one way in which a value can follow a name. Right next to its name a value is a secret unless it
is clearly something else; what else it can be depends on the form. Further away it must look random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from anamnesis.redact.rules import Folded, Span
from anamnesis.redact.values import (
    HINTS,
    NAMED_AFTER_ONE,
    Name,
    has_all_kinds,
    is_long_random,
    is_notation,
    is_odd,
    is_path,
    is_reference,
    is_stand_in,
    is_word,
    name_at,
    reads_as_words,
    seems_random,
    word_list,
)

# quoted: `name = "value"`; tight: `NAME=value`; line: `name: value` and nothing else on the line;
# spaced: `name = value`; flag: `--name value`; below: alone on the line after its name; told: "the name is
# value"; prose: anything else.
_Form = Literal["quoted", "tight", "line", "spaced", "flag", "below", "told", "prose"]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A value, the name it is assigned to, the form, and what follows the value on its line."""

    name: Name
    value: str
    form: _Form
    after: str = ""
    is_quoted: bool = False


def find_keyed(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every value that is assigned to the name of a secret."""
    text = folded.text
    position = 0
    for start in folded.occurrences(HINTS):
        name = name_at(text, start) if start >= position else None
        if name is None or _NO_NAME.search(text, max(start - 80, 0), start):
            continue
        for begin, end, given in _assignments(text, name):
            if _is_secret(given):
                # Many passwords end in one of these, and a sentence loses little.
                while not given.is_quoted and text[end : end + 1] in ("!", "?"):
                    end += 1
                yield begin, end, name.kind
                position = max(position, end, name.end)
                break
    yield from _find_inserted(folded)


# A redaction mark or a cloud resource's name contains words for secrets, and no value follows.
_NO_NAME = re.compile(r"(?:\[redacted: [a-z0-9-]{0,20}|\barn:[\w:/*-]{0,70})\Z")
# A quotation mark in JSON within JSON has three backslashes, one level deeper seven.
_QUOTED = r"""
    [bruf@]? (?P<open> \\{0,7} (?:\"{3}|'{3}|["'`]) )
    (?P<quoted> (?: (?!(?P=open)) (?:(?<!\\)(?:\\{3}|\\{7})["']|\\[^\n]|[^\n\\]) ){1,400} )
"""
_EAST_ASIAN = r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"
# Ignoring case in `bare` would make compiling ten times slower.
_VALUE = rf"""
    (?: {_QUOTED}
      | [„“”«‹「『] [ ]? (?P<fancy>[^\n„“”«»‹›「」『』]{{1,200}}?) [ ]?[“”»›」』]
      | (?P<bare> (?-i:
            (?![<>]) (?: [^\s"'`<>\\{_EAST_ASIAN}] | [<>](?![/!a-zA-Z\s]) | \\(?![nrtu"'`\\/]) ){{1,300}}+
        ) )
    )
"""
# What may close a name: bold, a quotation mark, a bracket, a remark in brackets, the `?` of an option.
_CLOSE = r"""
    (?: \*{1,3} | ~~ | _{2} | \[\d{0,5}\] | &quot; )? \\{0,7} ["'`]? [\])]? (?: \*{1,3} )?
    (?: [ ]\([^()\n]{1,40}\) )? \??
"""
_ADVERBS = "now|currently|still|just|simply|jetzt|nun|aktuell|maintenant|désormais|ahora|changed to|set to"
_VERBS = (
    "(?:(?:is|was|got|has[ ]been)[ ])?(?:now[ ])?(?:changed|set|reset|rotated|updated)[ ]to"
    "|is|are|was|be|equals|to|now|ist|war|lautet|heißt|auf|est|sera|es|era|it[ ]is|it['’]s|c['’]est"
)
_SIGN = r"={1,3}>? | :{1,3}= | [+.]=(?=[ ]?[\"'`]) | :(?!:) | \?= | \|\|= | <-|<<<|->|→ | %3[AD] | [：＝]"
_LINK = rf"""
    (?: {_CLOSE} [ \t]{{0,20}} (?P<sign> {_SIGN} ) (?: (?<=[:：])\*{{1,3}} )? [ \t]{{0,20}}
        (?: !(?:unsafe|!str|!binary)[ \t]{{1,4}}
          | (?:new[ ])? [\w.&\[\]]{{0,20}}(?:bytes?|from|str\w{{0,4}}) \((?=[bruf\\"'`]) )?
      | {_CLOSE} [ \t]{{1,20}} (?P<cell> \| ) [ \t]{{1,20}}
      | ,(?=[^\s,]{{0,60}}\d) (?=[\w+/=.:-]{{14,300}},?[ \t]*(?:\r?\n|\Z))
      | {_CLOSE} (?: ,(?=[ \t]+(?:c['’]est|it['’ ]i?s)) )? [ \t]+ (?P<verb> {_VERBS} ) (?:[ \t]*:)? [ \t]+
        (?: (?:{_ADVERBS}) [ \t]+ )?
      | \*{{0,3}} [ \t]+ (?P<dash> [—–-] ) [ \t]+
      | (?P<particle> 是|为|為|は|が|を|는|은 | (?<=[码碼令钥鑰牌ド号ントー鍵호번큰])(?=[ \t]) ) [ \t]{{0,4}}
    )
"""
_NEW_LINE = r"(?: \r?\n | \\r\\n | \\{1,3}n )"
_LINE_OVER = r"(?= ['\"`]{0,3} [ \t]{0,8} (?: \r?\n | \\r | \\{1,3}n | \\{0,3}[\"'] | \Z ) )"
# By reading: the characters that can come right after the name ("": any), and the expression. The groups
# `quoted`, `fancy` and `bare` are the value; `sign`, `cell`, `verb`, `dash`, `particle` what is before it.
_READINGS = {
    # `name: type = "value"`, `Name { get; set; } = "value"`, `env.get("NAME") or "value"`
    "typed": (
        ":?\\\"' \t)]|",
        rf"""
        \\{{0,7}}["']? [)\]]{{0,2}} \?? (?: [ \t]{{0,4}} : [ \t]{{0,4}} | [ \t]+ )
        (?: (?: [A-Za-z_*&][\w.\[\]|?<>&' ]{{0,40}}
              | \{{ [ \t]? (?:get|init|set) \b [\w; \t]{{0,60}} \}} [ \t]{{0,4}} ) =
          | (?: \|\| | \?\? | \?: | or ) (?=[ \t])
        ) [ \t]{{0,4}} (?=[\\"'`]) {_QUOTED}
        """,
    ),
    # `name = value`, "the name is value", `key = []byte("...")`, `Buffer.from("...")`, `SecretStr("...")`
    "direct": ("", rf"(?: [ ](?:nueva|actual|actuel|nouveau|neu) )? {_LINK} {_VALUE}"),
    # `<name>value</name>`
    "markup": (
        ">\\\"'",
        r"""\\{0,7}["']? > (?: <!\[CDATA\[ )? \s{0,40} (?P<bare> [^<\s][^<\n]{0,299}? )
        (?= \s{0,40} (?:\]\]>)? </ )""",
    ),
    # `{"name": "DB_PASSWORD", "value": "..."}`, the same in YAML, `<add key="Password" value="..."/>`,
    # `variable "db_password" { default = "..." }`
    "paired": (
        "<\\\"',>: \t\r\n",
        rf"""
        \\{{0,7}} ["']?
        (?: (?: </key> | [ \t]{{0,4}}[:=]?[ \t]{{0,4}}\{{ (?:[^}}"]{{0,200}}\n)?
              | : (?=[ \t]{{0,8}}{_NEW_LINE}) )?
            (?: [\s,>] | \\{{1,7}}[nrt] ){{0,60}}+ (?<![\w-]) \\{{0,7}} ["']? (?:value|default)
          | </key>\s{{0,40}}<string
        )
        \\{{0,7}} ["']? \s{{0,20}} [:=>] \s{{0,8}} (?: {_QUOTED} | (?P<bare> [^\s"'`<>\\,]{{1,300}} ) )
        """,
    ),
    # `os.environ.get("API_KEY", "...")`, `setopt(c, CURLOPT_PASSWORD, "...")`, `setPassword("...")`
    "argument": ("\\\"',(", rf"""(?: \\{{0,7}} ["'] \]? )? [ \t]? [,(] [ \t]{{0,40}} {_QUOTED}"""),
    # `--password ...`
    "flag": (" \t", rf"[ \t]{{1,4}} {_VALUE}"),
    # "password ..." in a sentence, `password(...)`
    "beside": (" \t", rf"[ \t] {_VALUE}"),
    "bracket": (" (", r"[ ]? \( (?P<bare> [^\s()\"'`<>\\,.]{6,100} ) (?= \) )"),
    # The value alone on the next line, perhaps in a code block, or after the sign of a YAML block.
    "below": (
        "",
        rf"""
        {_CLOSE} (?: [ \t]+ (?:{_VERBS}) (?=[ \t]?[:：]) )?
        (?P<sign> [ \t]{{0,8}} (?: [:：] [ \t]{{0,8}} (?:[>|][+-]?[ \t]{{0,8}})? )? )
        {_NEW_LINE} (?: [ \t]{{0,40}} (?: ```\w{{0,12}} )? {_NEW_LINE} ){{0,2}}
        (?: \d{{1,6}}[\t→] | [ \t>+|→-] ){{0,40}} ["'`]{{0,3}}
        (?P<bare> [^\s"'`<>\\]{{1,300}}+ (?<!:) ) {_LINE_OVER}
        """,
    ),
}
_FORMS: dict[str, _Form] = {
    **dict.fromkeys(("argument", "beside", "bracket"), "prose"),
    **dict.fromkeys(("markup", "paired"), "tight"),
    "flag": "flag",
    "below": "below",
}


@cache
def _compiled(reading: str) -> re.Pattern[str]:
    # Compiled on first use, so that a hook without such text does not wait.
    return re.compile(_READINGS[reading][1], re.VERBOSE | re.IGNORECASE)


def _assignments(text: str, name: Name) -> Iterator[tuple[int, int, _Assignment]]:
    """The values that may be assigned to the name, by each reading of the text after it."""
    for reading, (first, _) in _READINGS.items():
        if first and text[name.end : name.end + 1] not in first:
            continue
        found = _compiled(reading).match(text, name.end)
        if found is None or not _fits(reading, text, name, found):
            continue
        parts = {group: part for group, part in found.groupdict().items() if part}
        group = next(group for group in ("quoted", "fancy", "bare") if group in parts)
        start, end = found.span(group)
        if group == "bare" and reading != "markup":
            end = start + len(_cut(text[start:end], text, name, end))
        form = _FORMS.get(reading)
        if form not in ("prose", "told") and group != "bare" and "cell" not in parts:
            form = "quoted"
        form = form or _direct_form(text, name, parts, start, end)
        after = text[end : end + 24].split("\n", 1)[0]
        yield start, end, _Assignment(name, text[start:end], form, after, is_quoted=group != "bare")
    for start, end in _values_later(text, name):
        yield start, end, _Assignment(name, text[start:end], "told")


_CALL = re.compile(r"(?:[\w$]|(?i:values)[ ])\([ ]?\\{0,7}[\"'][A-Za-z0-9_.#*\[=\"'-]{0,40}\Z")
# `("password", "...")`, `"--token", "..."`
_PAIR = re.compile(r"(?:[(\[{][ ]?\\{0,7}[\"']|[\"']--?)[\w.\[='-]{0,40}\Z")
_FLAG = re.compile(
    r"(?:^|[^A-Za-z0-9]|\\[nrt])(?:--?[\w.-]{0,40}|require|master|bind|root|\#define[ ]+\w{0,30}"
    r"|(?:(?:set|setx|setenv|ENV|export)[ ]+(?:-\w{1,4}[ ]+)?|set\(|\((?:setq|def\w{0,12})[ ]+)"
    r"[\w/.:@-]{0,80})\Z"
)
_METHOD = re.compile(r"\??\.[A-Za-z_]\w*\(")  # of the value on the line above
# "Secret access key", "## Admin password"
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:[\w-]{1,20} ){0,3}")


def _fits(reading: str, text: str, name: Name, found: re.Match[str]) -> bool:
    """Whether the text before the name allows the reading."""
    earliest = max(name.start - 60, 0)
    match reading:
        case "argument" if text[name.end] in ",(":
            return name.whole.isupper() or name.whole.startswith("set")
        case "argument":
            is_pair = _PAIR.search(text, earliest, name.end) is not None and seems_random(found["quoted"])
            return is_pair or _CALL.search(text, earliest, name.end) is not None
        case "flag":
            is_keyword = found["quoted"] is not None and text[max(name.start - 1, 0) : name.start] == ":"
            return is_keyword or _FLAG.search(text, earliest, name.word_start) is not None
        case "beside":
            return _stands_beside(name, found)
        case "bracket":
            return name.is_sure and is_odd(found["bare"])
        case "below":
            head = _head(text, name) or ""
            is_named = bool(found["sign"].strip()) or (not name.before and _starts_line(text, name))
            is_named = is_named or (seems_random(found["bare"]) and _TITLE.fullmatch(head) is not None)
            return is_named and not _METHOD.match(found["bare"])
    return True


def _stands_beside(name: Name, found: re.Match[str]) -> bool:
    """Whether the value needs no operator after the name: it looks random, or is a password with a digit."""
    if name.kind == "password" and not name.is_plural and _WITH_DIGIT.fullmatch(found["bare"] or ""):
        return True
    value = found["quoted"] or found["fancy"] or found["bare"].rstrip(".,;:!?)")
    is_compound = re.search(r"[-_./:]", value) is not None and not has_all_kinds(value)
    return name.is_sure and is_odd(value) and not (found["bare"] and is_compound)


_LONE_KEY = re.compile(r"(?=[0-9A-Fa-f]*[G-Zg-z])[A-Za-z0-9]{24,}")  # no hash
_WITH_DIGIT = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[^./:\s]+[.,;:!?)]*")
_NEXT_SETTING = re.compile(r"[,;&](?P<name>[A-Za-z]{3}[\w .-]{0,40}?)[=:]")
_OPENING = {")": "(", "]": "[", "}": "{"}


def _cut(value: str, text: str, name: Name, end: int) -> str:
    """A bare value without the next setting, and without the punctuation of a sentence."""
    if text[max(name.start - 1, 0) : name.start] in ("?", "&"):
        value = re.split(r"[&)\]#]", value, maxsplit=1)[0] or value
    for found in _NEXT_SETTING.finditer(value):
        if reads_as_words(found["name"].strip()):
            value = value[: found.start()]
            break
    if _is_whole_line(text, name, end):
        return value.rstrip("|,;\\")
    value = value.rstrip(".,;:|\\!?*")
    while value[-1:] in _OPENING and value.count(value[-1]) > value.count(_OPENING[value[-1]]):
        value = value[:-1].rstrip(".,;:")
    return value


def _direct_form(text: str, name: Name, parts: Mapping[str, str], start: int, end: int) -> _Form:
    """The form of an assignment, by what is between name and value."""
    if "verb" in parts or "particle" in parts:
        return "told"
    sign = parts.get("sign", "")
    if sign in ("=", "%3D", "?=", "＝") and text[name.end : start].strip("\"'`\\*])") == sign:
        return "tight"
    if "=" in sign:
        return "spaced"
    if sign in ("->", "→"):
        return "told"
    return "line" if sign == "：" or _is_whole_line(text, name, end) else "prose"


_REACH = 160  # characters from a name to the start of its line, and to a value later in its sentence
_LINE_HEAD = re.compile(
    r"[\s>+|*#•→\-\d.:)(\\\"'`{\[,]*"
    r"(?:(?:export|set|local|readonly|declare|typeset|ENV|env|-e|--env|-[xg]+|static|public|private)[ \t]+)*"
)
_LINE_END = re.compile(
    r"[ \t]*(?:(?:#|//|--|/\*|;)[^\n]*)?(?:\n|\r|\\{1,7}[nr]|\\{0,7}[\"'`]?\Z|\\{1,7}\")"
    r"|[ \t]*\*{0,3}[ \t]*(?:\||\Z|\n)"
)


def _head(text: str, name: Name) -> str | None:
    """The line before the name; None if it is too long for a setting."""
    before = text[max(name.start - _REACH, 0) : name.start]
    # A line may also end with an escape, as in JSON.
    starts = [before.rfind(mark) + len(mark) for mark in ("\n", "\r", "\\n", "\\r") if mark in before]
    if starts:
        return before[max(starts) :]
    return before if len(before) < _REACH else None


def _starts_line(text: str, name: Name) -> bool:
    head = _head(text, name)
    return head is not None and _LINE_HEAD.fullmatch(head) is not None


def _is_whole_line(text: str, name: Name, end: int) -> bool:
    return _starts_line(text, name) and _LINE_END.match(text, end) is not None


def _is_secret(given: _Assignment) -> bool:
    """Whether the value counts as a credential."""
    value, name = given.value, given.name
    is_foreign_word = not value.isascii() and not any(char.isdigit() for char in value)
    if is_stand_in(value) or is_foreign_word:
        return False
    if name.is_lone:  # "PASS: lint", "the key is unique"
        is_given = given.form == "told" or (given.form != "prose" and _LONE_KEY.fullmatch(value) is not None)
        is_key = is_given and not name.is_plural and is_long_random(value)
        return seems_random(value) and (name.kind == "password" or is_key)
    if len(words := value.split()) > 1:
        return given.form == "quoted" and name.kind == "password" and any(map(seems_random, words))
    if value.isdigit():  # a PIN or an id, not an amount
        shortest = 8 if name.kind != "password" else 6 if given.form in ("prose", "told") else 4
        return len(value) >= shortest and not (name.is_weak or name.is_plural)
    if len(value) < _shortest(given) or is_path(value) or is_notation(value):
        return False
    if given.form == "told" and (name.is_plural or name.kind != "password") and not seems_random(value):
        return is_long_random(value)  # "this token is redeemable", "no secrets are hardcoded"
    return not _is_code(given) and not _is_plain_word(given)


def _shortest(given: _Assignment) -> int:
    is_clear = given.form in ("quoted", "tight", "line")
    if given.name.kind == "password" and not given.name.is_unsure:
        return 4 if is_clear else 6
    return 6 if is_clear or is_odd(given.value) else 8


def _is_code(given: _Assignment) -> bool:
    in_code = given.form == "spaced"
    opens = in_code and given.value[0] in "([{" and not seems_random(given.value.strip("([{,;:)]}"))
    return not given.is_quoted and (opens or is_reference(given.value, given.name.whole, in_code=in_code))


def _is_plain_word(given: _Assignment) -> bool:
    """Whether the value is a word in a position where a word is not a secret."""
    value, name, form = given.value, given.name, given.form
    if name.is_weak:
        return not is_long_random(value)
    if name.kind == "password" and not name.is_unsure and form in ("quoted", "tight", "line"):
        is_argument = given.after.lstrip()[:1] in (",", ")") and _reads(value)  # in code: a variable
        return _names_a_password(value) or (form != "quoted" and is_argument)
    return _reads(value)


_PUNCTUATION = ".,;:!?()[]\"'`*_"


def _names_a_password(value: str) -> bool:
    """Whether the value is the name of a password: `db_password`."""
    is_compound = re.search(r"[-_. ]|[a-z][A-Z]", value) is not None
    return is_compound and re.search(NAMED_AFTER_ONE, value) is not None and reads_as_words(value)


def _reads(value: str) -> bool:
    stripped = value.strip(_PUNCTUATION)
    return not stripped or reads_as_words(stripped) or is_word(stripped.lower())


_GOES_ON = re.compile(r"[`\"'*_]{0,3},?[ \t]+[^\W\d_(]")
# A new sentence or clause, which is no longer about the name.
_CLAUSE_END = re.compile(
    r"\n|\r|\\n|[.!?;](?:\s|\Z)|\s(?:and|but|while|because|und|aber|weil|et|mais|pero)\s", re.IGNORECASE
)
_LATER = re.compile(
    rf"(?:\s(?P<subject>[^\s]{{1,40}}))?(?:[ \t](?:{_VERBS}|became)(?:[ \t]?:)?|[:：]|[ \t](?:→|->|—|–))"
    r"[ \t]{1,8}"
    rf"(?:(?:{_ADVERBS})[ \t]{{1,4}})?(?=(?P<value>[^\s]{{6,200}}))".replace("[ ]", " "),
    re.IGNORECASE,
)
_AROUND = "\"'`*_„“”«»‹›()[]"


def _values_later(text: str, name: Name) -> Iterator[tuple[int, int]]:
    """Start and end of each random-looking value later in the sentence, after a verb or an operator."""
    is_key = name.is_lone and name.kind == "api-key" and not name.is_plural
    if not (name.is_sure or is_key) or not _GOES_ON.match(text, name.end):
        return
    end = _CLAUSE_END.search(text, name.end, name.end + _REACH)
    for link in _LATER.finditer(text, name.end, end.start() if end else name.end + _REACH):
        if (link["subject"] or "").strip(_AROUND).lower() in word_list("hashes"):
            continue
        value = link["value"].lstrip(_AROUND)
        start = link.start("value") + len(link["value"]) - len(value)
        value = value.rstrip(_AROUND + ".,;:!?")
        if is_odd(value) and (name.is_sure or ":" not in link[0]):
            yield start, start + len(value)


_INSERT = re.compile(
    r"(?:insert|replace)\s{1,8}(?:\w{1,10}\s{1,8}){0,3}into\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}"
    r"\((?P<columns>[^()]{1,2000})\)\s{0,8}values?\s{0,8}",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\(")
_INSERTED = re.compile(
    r"\s{0,8}(?:[NEeb]?'(?P<text>(?:[^'\\\n]|''|\\.){0,1000})'|[^',()]{0,200}(?:\([^()]{0,200}\))?)\s{0,8}"
)


def _find_inserted(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of each secret among the values of an INSERT."""
    text, position = folded.text, 0
    for place in folded.occurrences(("insert", "replace")):
        head = _INSERT.match(text, place) if place >= position else None
        names = list(map(_column_name, head["columns"].split(","))) if head else []
        if head is None or not any(names):
            continue
        position = head.end()
        while row := _ROW.match(text, position):
            position = row.end()
            for name in (*names, None):
                found = _INSERTED.match(text, position)
                if found is None:
                    break
                value = found["text"]
                if name and value and _is_secret(_Assignment(name, value, "quoted", is_quoted=True)):
                    yield *found.span("text"), name.kind
                position = found.end() + 1
                if text[found.end() : position] != ",":
                    break


def _column_name(column: str) -> Name | None:
    """The name of a secret that fills the column's title; None if it does not."""
    title = column.strip('` "[]\n\r\t')
    names = (name_at(title, start) for start in Folded(title).occurrences(HINTS))
    return next((name for name in names if name and name.end == len(title)), None)
