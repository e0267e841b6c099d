"""Credentials recognised by their name: `password=...`, `"token": "..."`, `--api-key ...`. Pure.

A reading is one way in which a value can follow a name. `names` knows the names, and `values` decides about
the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

from anamnesis.redact.names import HINTS, Name, name_at
from anamnesis.redact.rules import Folded, Span, filled, table_rows
from anamnesis.redact.sentences import ADVERBS, values_later
from anamnesis.redact.structures import column_below, secrets_in_list
from anamnesis.redact.values import Assignment, Form, is_secret
from anamnesis.redact.words import has_all_kinds, is_odd, reads_as_words


def find_keyed(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every value that is assigned to the name of a secret."""
    text = folded.text
    position = 0
    for start in folded.occurrences(HINTS):
        name = name_at(text, start) if start >= position else None
        if name is None or _is_part_of_another(text[max(start - 80, 0) : start]):
            continue
        for begin, end in _values(text, name):
            yield begin, end, name.kind
            position = max(position, end, name.end)
        for begin, end in column_below(text, name):
            if is_secret(Assignment(name, text[begin:end], "prose", is_quoted=True)):
                yield begin, end, name.kind


def _values(text: str, name: Name) -> list[tuple[int, int]]:
    """The secrets in the list after the name, or the first value that is a secret."""
    listed = secrets_in_list(text, name)
    if listed is not None:
        return listed
    found = (
        (begin, _end_of_password(text, end) if not given.is_quoted else end)
        for begin, end, given in _assignments(text, name)
        if is_secret(given)
    )
    return list(islice(found, 1))


def _end_of_password(text: str, end: int) -> int:
    """The end of a bare value, including characters that often end passwords but rarely sentences."""
    while text[end : end + 1] in ("!", "?"):
        end += 1
    return end


def _is_part_of_another(before: str) -> bool:
    """Whether the name is part of a redaction mark or a cloud resource's name, which no value follows."""
    if "[redacted: " not in before and "arn:" not in before:
        return False
    return re.search(r"(?:\[redacted: [a-z0-9-]{0,20}|\barn:[\w:/*-]{0,70})\Z", before) is not None


def _assignments(text: str, name: Name) -> Iterator[tuple[int, int, Assignment]]:
    """The values that may be assigned to the name, by each reading of the text after and before it."""
    for kind, (first, form, expression) in _READINGS.items():
        if first and text[name.end : name.end + 1] not in first:
            continue
        if kind == "after" and (name.kind != "password" or name.is_plural):
            continue
        found = _compiled(expression).match(text, name.end)
        if found and _fits(kind, text, name, found):
            parts = {group: part for group, part in found.groupdict().items() if part}
            group = next(group for group in ("quoted", "fancy", "bare") if group in parts)
            start, end = found.span(group)
            if group == "bare" and kind != "markup":
                end = start + len(_cut(text[start:end], text, name, end))
            after = text[end : end + 24].split("\n", 1)[0]
            if form != "prose" and group != "bare" and "cell" not in parts:
                form = "quoted"
            form = form or _direct_form(text, name, parts, start, end)
            yield start, end, Assignment(name, text[start:end], form, after, is_quoted=group != "bare")
    told = _told_before(text, name)
    if told:
        yield *told.span("bare"), Assignment(name, told["bare"], "prose")
    for begin, end in values_later(text, name):
        yield begin, end, Assignment(name, text[begin:end], "prose")


def _told_before(text: str, name: Name) -> re.Match[str] | None:
    """The value in a sentence such as "... is the password"."""
    before = text[max(name.start - 60, 0) : name.start]
    is_told = before.endswith((" ", "\t")) and any(verb in before for verb in ("is ", "as ", "s ", "("))
    if not is_told or text[name.end : name.end + 1].isalnum():
        return None
    return _compiled(_REVERSED).search(text, max(name.start - 240, 0), name.start)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    # Compiled on first use, so that a hook without such text does not wait.
    return re.compile(expression, re.VERBOSE | re.IGNORECASE)


_CALL = re.compile(r"[\w$]\([ ]?\\{0,7}[\"'][A-Za-z0-9_.#*\[=\"'-]{0,40}\Z")
_SETTER = re.compile(r"(?i)(?:\.|set_?|with_?|use_?|add_?|new[ _]?)\Z")
_BLOCK = re.compile(r"(?:variable|output)[ ]\"\Z")
_FLAG = re.compile(
    r"(?:^|[^A-Za-z0-9]|\\[nrt])(?:--?[\w.-]{0,40}|require|master|bind|root|\#define[ ]+\w{0,30}"
    r"|(?:(?:set|setx|setenv|ENV|add|export)[ ]+(?:-\w{1,4}[ ]+)?|set\(|\((?:setq|def\w{0,12})[ ]+)"
    r"[\w/.:@-]{0,80})\Z"
)


def _fits(kind: str, text: str, name: Name, found: re.Match[str]) -> bool:
    """Whether the text before the name allows the reading."""
    earliest = max(name.start - 60, 0)
    if kind == "argument":
        return bool(found["chained"]) or _CALL.search(text, earliest, name.end) is not None
    if kind == "block":
        return _BLOCK.search(text, earliest, name.start) is not None
    if kind == "call":
        return not name.before or _SETTER.search(text, earliest, name.word_start) is not None
    if kind == "flag":
        is_keyword = found["quoted"] is not None and text[max(name.start - 1, 0) : name.start] == ":"
        return is_keyword or _FLAG.search(text, earliest, name.word_start) is not None
    if kind == "beside":
        return _stands_beside(name, found)
    if kind == "after":
        return is_odd(_told(found))
    if kind == "alone":
        return name.whole.lower() in ("password", "passwd") and _is_whole_line(text, name, found.end())
    if kind == "distant" and found["quoted"] is not None:
        return found["quoted"][0].isalnum()
    if kind == "below":
        setting = re.match(r"([A-Za-z_][\w.-]{2,})[=:][^=]", found["bare"])
        is_named = bool(found["sign"].strip()) or (not name.before and _starts_line(text, name))
        is_named = is_named or _HEADING.fullmatch(_head(text, name) or "") is not None
        return is_named and not (setting and reads_as_words(setting[1]))
    return True


_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?:[\w-]{1,20} ){0,3}")


def _stands_beside(name: Name, found: re.Match[str]) -> bool:
    """Whether the value needs no operator after the name: it looks random, or is a password with a digit."""
    value, is_bare, is_password = _told(found), bool(found["bare"]), name.kind == "password"
    if name.is_plural or (is_bare and value.isalpha() and value[1:].islower()):
        return False
    if is_password and re.fullmatch(r"(?=.*[A-Za-z])(?=.*\d)[^./:\s]+", value):
        return True
    is_sure = is_password or not (name.is_weak or name.is_unsure)
    is_compound = re.search(r"[./:]" if is_password else r"[-_./:]", value) is not None
    return is_sure and is_odd(value) and not (is_bare and is_compound and not has_all_kinds(value))


def _told(found: re.Match[str]) -> str:
    return found["quoted"] or found["fancy"] or found["bare"].rstrip(".,;:!?)")


_NEXT_SETTING = re.compile(r"[,;&](?P<name>[A-Za-z]{3}[\w .-]{0,40}?)[=:]")


def _cut(value: str, text: str, name: Name, end: int) -> str:
    """A bare value without the next setting, and without the punctuation of a sentence."""
    if text[max(name.start - 1, 0) : name.start] in ("?", "&"):
        value = re.split(r"[&)\]#]", value, maxsplit=1)[0] or value
    for found in _NEXT_SETTING.finditer(value):
        if reads_as_words(found["name"].strip()):
            value = value[: found.start()]
            break
    return value.rstrip("|,;\\") if _is_whole_line(text, name, end) else _without_punctuation(value)


_OPENING = {")": "(", "]": "[", "}": "{"}


def _without_punctuation(value: str) -> str:
    value = value.rstrip(".,;:|\\!?*")
    while value[-1:] in _OPENING and value.count(value[-1]) > value.count(_OPENING[value[-1]]):
        value = value[:-1].rstrip(".,;:")
    return value


def _direct_form(text: str, name: Name, parts: Mapping[str, str], start: int, end: int) -> Form:
    """The form of an assignment, by what is between name and value."""
    if parts.keys() & {"cell", "verb", "dash", "particle"}:
        return "prose"
    sign = parts.get("sign", "")
    if sign in ("=", "%3D", "?=", "＝") and text[name.end : start].strip("\"'`\\*])") == sign:
        return "tight"
    if sign in ("==", "===") or _is_code(text, name, sign, end):
        return "code"
    if "=" in sign:
        return "spaced"
    return "line" if sign == "：" or _is_whole_line(text, name, end) else "prose"


_LINE_HEAD = re.compile(
    r"[\s>+|*#•→\-\d.:)(\\\"'`{\[,]*"
    r"(?:(?:export|set|local|readonly|declare|typeset|ENV|env|-e|--env|-[xg]+|static|public|private)[ \t]+)*"
)
_LINE_END = re.compile(
    r"[ \t]*(?:(?:#|//|--|/\*|;)[^\n]*)?(?:\n|\r|\\{1,7}[nr]|\\{0,7}[\"'`]?\Z|\\{1,7}\")"
    r"|[ \t]*\*{0,3}[ \t]*(?:\||\Z|\n)"
)
_CODE_HEAD = re.compile(
    r"\s*(?:let|const|var|val|auto|final|def|func|fn|public|private|protected|static|mut|pub|int|char|string|String"
    r"|std::string|local)\b.*|.*(?:\b(?:self|this|cls)\.|->|::)|.*\$\w*"
)
_LOOK_BACK = 160


def _head(text: str, name: Name) -> str | None:
    """The line before the name; None if it is too long for a setting."""
    before = text[max(name.start - _LOOK_BACK, 0) : name.start]
    # A line may also end with an escape, as in JSON.
    starts = [before.rfind(mark) + len(mark) for mark in ("\n", "\r", "\\n", "\\r") if mark in before]
    if starts:
        return before[max(starts) :]
    return before if len(before) < _LOOK_BACK else None


def _starts_line(text: str, name: Name) -> bool:
    head = _head(text, name)
    return head is not None and _LINE_HEAD.fullmatch(head) is not None


def _is_whole_line(text: str, name: Name, end: int) -> bool:
    return _starts_line(text, name) and _LINE_END.match(text, end) is not None


def _is_code(text: str, name: Name, sign: str, end: int) -> bool:
    """Whether a bare value is in code, where it is a variable, because strings are quoted there."""
    head = _head(text, name) if "=" in sign else None
    if head is None:
        return False
    return ";" in text[end - 1 : end + 1] or _CODE_HEAD.fullmatch(head + name.before) is not None


# Verbose expressions of the readings. The groups `quoted`, `fancy` and `bare` are the value; `sign`, `cell`,
# `verb`, `dash` and `particle` are what is between name and value.
_PARTS = {
    "EAST_ASIAN": r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef",
    # Last characters of names in those scripts. Listed one by one, because a long range makes compiling three
    # times slower.
    "EAST_ASIAN_ENDS": "".join(sorted({hint[-1] for hint in HINTS if hint[-1] >= "\u3000"})),
    # A quotation mark in JSON within JSON has three backslashes, one level deeper seven.
    "QUOTED": r"""
        [bru@]? (?P<open> \\{0,7} (?:\"{3}|'{3}|["'`]) )
        (?P<quoted> (?: (?!(?P=open)) (?:(?<!\\)(?:\\{3}|\\{7})["']|\\[^\n]|[^\n\\]) ){1,400} )
    """,
    # Ignoring case in `bare` would make compiling ten times slower.
    "VALUE": r"""
        (?: {QUOTED}
          | [„“”«‹「『] [ ]? (?P<fancy>[^\n„“”«»‹›「」『』]{1,200}?) [ ]?[“”»›」』]
          | (?P<bare> (?-i:
                (?![<>]) (?: [^\s"'`<>\\{EAST_ASIAN}] | [<>](?![/!a-zA-Z\s]) | \\(?![nrtu"'`\\/]) ){1,300}+
            ) )
        )
    """,
    # What may close a name: bold, a quotation mark, a bracket, a remark in brackets, the `?` of an option.
    "CLOSE": r"""
        (?: \*{1,3} | ~~ | _{2} | \[\d{0,5}\] | &quot; )? \\{0,7} ["'`]? [\])]? (?: \*{1,3} )?
        (?: [ ]\([^()\n]{1,40}\) )? \??
    """,
    "ADVERBS": ADVERBS,
    "VERBS": "(?:(?:is|was|got|has[ ]been)[ ])?(?:now[ ])?(?:changed|set|reset|rotated|updated)[ ]to"
    "|is|are|was|be|equals|to|now|ist|war|lautet|heißt|auf|est|sera|es|era|è|é|sono|jest|это|wordt|naar|är|er|on"
    "|je|a|à|olarak|este|là|είναι|היא|it[ ]is|it['’]s|c['’]est",
    # "la contraseña nueva: ...", "le mot de passe actuel est ..."
    "ADJECTIVES": "nueva|actual|nova|atual|actuel|nuova|attuale|nowe|neu|nouveau",
    "SIGN": r"={1,3}>? | :(?!:)=? | \?= | \|\|= | <- | <<< | -> | → | %3D | %3A | ： | ＝",
    "LINK": r"""
        (?: {CLOSE} [ \t]{0,20} (?P<sign> {SIGN} ) (?: (?<=[:：])\*{1,3} )? [ \t]{0,20}
            (?: !(?:unsafe|!str|!binary)[ \t]{1,4} )?
          | {CLOSE} [ \t]{1,20} (?P<cell> \| ) [ \t]{1,20}
          | {CLOSE} (?: ,(?=[ \t]+(?:c['’]est|it['’ ]i?s)) )? [ \t]+ (?P<verb> {VERBS} ) (?:[ \t]*:)? [ \t]+
            (?: (?:{ADVERBS}) [ \t]+ )?
          | \*{0,3} [ \t]+ (?P<dash> [—–-] ) [ \t]+
          | (?P<particle> 是|为|為|は|が|を|는|은|이|가|คือ | (?<=[{EAST_ASIAN_ENDS}])(?=[ \t]) ) [ \t]{0,4}
        )
    """,
    "PREPOSITIONS": "for|of|to|on|in|from|für|fürs|von|vom|zum|zur|beim|pour|de|du|au|sur|para|per|di|del"
    "|della|dello|do|da|voor|van|op|dla|na|для|от",
    "OWNERS": "admin|root|user|staging|prod|production|dev|db|database|wifi|wlan|ssh|ftp|vpn|mail|email"
    "|server|router",
    "NEW_LINE": r"(?: \r?\n | \\r\\n | \\{1,3}n )",
}
# A row has the reading, the form of a bare value ("-": it depends; "prose": of any value), and the characters
# that can come right after the name; the expression follows on indented lines.
_TABLE = r"""
# `name: type = "value"`, `name type = "value"`, `Name { get; set; } = "value"`
typed     -      :?\\"'\x20\t
    \\{0,7}["']? \?? (?: [ \t]{0,4} : [ \t]{0,4} | [ \t]+ )
    (?: [A-Za-z_*&][\w.\[\]|?<>&' ]{0,40}
      | \{ [ \t]? (?:get|init|set) \b [\w; \t]{0,60} \} [ \t]{0,4}
    )
    = [ \t]{0,4} (?=[\\"'`]) {VALUE}
# `process.env.SECRET || "..."`, `os.environ.get("SECRET") or "..."`: fallbacks
fallback  -      \x20\t\\"')]
    \\{0,7} ["']? [)\]]{0,2} [ \t]{1,4} (?: \|\| | \?\? | \?: | or ) [ \t]{1,4} (?=[\\"'`]) {QUOTED}
# `%22password%22%3A%22...%22`: JSON in an address
encoded   tight  %
    %22 (?:%20|\+)? (?:%3A|:) (?:%20|\+)? %22
    (?P<bare> (?: [^\s"'`<>&%] | %(?!22)[0-9A-F]{2} ){1,300} ) (?=%22)
direct    -      any
    (?: [ ](?:{ADJECTIVES}) )? {LINK} {VALUE}
# `<name>value</name>`
markup    tight  >\\"'
    \\{0,7}["']? > (?: <!\[CDATA\[ )? \s{0,40} (?P<bare> [^<\s][^<\n]{0,299}? ) (?= \s{0,40} (?:\]\]>)? </ )
# `{"name": "DB_PASSWORD", "value": "..."}`, `- name: DB_PASSWORD` with `value: ...` on the next line,
# `<add key="Password" value="..."/>`, `<key>Password</key><string>...`, `"password": {"value": "..."}`
paired    tight  <\\"',>:\x20\t\r\n
    \\{0,7} ["']?
    (?: (?: </key> | [ \t]{0,4}[:=]?[ \t]{0,4}\{ | : (?=[ \t]{0,8}{NEW_LINE}) )?
        (?: [\s,>] | \\{1,7}[nrt] ){0,60}+ (?<![\w-]) \\{0,7} ["']? (?:value|default)
      | </key>\s{0,40}<string
    )
    \\{0,7} ["']? \s{0,4} [:=>] \s{0,8} (?: {QUOTED} | (?P<bare> [^\s"'`<>\\,]{1,300} ) )
# `variable "db_password" { default = "..." }` in Terraform
block     -      "
    " [ \t]{0,8} \{ [^}]{0,800}? (?<![\w"]) (?:default|value) [ \t]{0,20} = [ \t]{0,8} {QUOTED}
# `os.environ.get("API_KEY", "...")`, `define('DB_PASSWORD', '...')`, `headers.set("X-Api-Key", "...")`,
# `page.fill('input[name="password"]', '...')`, `getByLabel('Password').fill('...')`
argument  prose  \\"'
    \\{0,7} ["'] \]? (?: \\{0,7} ["'] )?
    (?: , | \) (?P<chained> \.(?:type|fill|val|setValue|set_value|send_?keys) \( ) )
    [ \t]{0,40} {QUOTED}
# `setPassword("...")`
call      prose  (
    \( [ ]? (?=[\\"']) {QUOTED}
# `--password ...`
flag      flag   \x20\t
    [ \t]{1,4} {VALUE}
# "password ..." in a sentence
beside    prose  \x20\t
    [ \t] {VALUE}
# `password ...` and nothing else on the line
alone     prose  \x20\t
    [ \t]{1,4} {VALUE}
# "the password for the staging server is ..."
distant   prose  \x20\t
    [ \t]+ (?: (?:{PREPOSITIONS}) (?: [ \t]+ [\w@.][\w@.'’-]{0,40} ){1,4}? | {OWNERS} ) {LINK} {VALUE}
# "пароль от базы ...": the same without a sign
after     prose  \x20\t
    [ \t]+ (?:{PREPOSITIONS}) (?: [ \t]+ [\w@.][\w@.'’-]{0,40} ){1,3}? [ \t]+ {VALUE}
# The value alone on the next line, perhaps in a code block, or after the sign of a YAML block.
below     below  any
    {CLOSE} (?: [ \t]+ (?:{VERBS}) (?=[ \t]?[:：]) )?
    (?P<sign> [ \t]{0,8} (?: [:：] [ \t]{0,8} (?:[>|][+-]?[ \t]{0,8})? )? )
    {NEW_LINE} (?: [ \t]{0,40} (?: ```\w{0,12} )? {NEW_LINE} ){0,2}
    (?: \d{1,6}[\t→] | [ \t>+|→-] ){0,40} ["'`]{0,3}
    (?P<bare> [^\s"'`<>\\]{1,300}+ (?<!:) )
    (?= ["'`]{0,3} [ \t]{0,8} (?: \r?\n | \\r | \\{1,3}n | \\{0,3}["'] | \Z ) )
"""


def _readings() -> Iterator[tuple[str, tuple[str, Form | None, str]]]:
    for head, pattern in table_rows(_TABLE):
        kind, form, first = head.split()
        characters = "" if first == "any" else first.encode().decode("unicode_escape")
        yield kind, (characters, _FORMS.get(form), filled(pattern, _PARTS))


_FORMS: dict[str, Form] = {"below": "below", "flag": "flag", "prose": "prose", "tight": "tight"}
# By reading: the characters that can come right after the name (empty: any), the form, and the expression.
_READINGS = dict(_readings())
_ARTICLES = "the|your|my|our|a|an|new|old|current|root|admin|staging|production|database|db|login|user"
# "... is the password", "use ... as the new password", "I reset it to ..., that is the new password"
_REVERSED = rf"""
    (?:^|[\s(]) ["'`]? (?P<bare>[^\s"'`<>\\]{{6,200}}?) ["'`]?
    (?: [ \t]+ (?:is|as|was) [ \t]+
      | (?:,[ \t]+|[ \t]+\() (?:that|which|this|it) (?:['’]s|[ \t]+(?:is|was)) [ \t]+
      | [ \t]+\( (?=the|my|our|your)
    )
    (?: (?:{_ARTICLES}) [ \t]+ ){{0,4}} \Z
"""
