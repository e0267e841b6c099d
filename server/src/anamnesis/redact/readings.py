"""The ways in which a value can follow the name of a secret, or precede it. Data.

A row has the reading, the form of a bare value ("-": it depends; "prose": of any value), and the characters
that can come right after the name; the expression follows on indented lines. The groups `quoted`, `fancy` and
`bare` are the value; `sign`, `cell`, `verb`, `dash` and `particle` are what is between name and value. A name
in capitals, such as `{VALUE}`, is one of the parts below.
"""

from __future__ import annotations

from anamnesis.redact.names import HINTS
from anamnesis.redact.sentences import ADVERBS

READING_PARTS = {
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
READING_TABLE = r"""
# `name: type = "value"`, `name type = "value"`, `Name { get; set; } = "value"`
typed     -      :?\\"'\x20\t
    \\{0,7}["']? \?? (?: [ \t]{0,4} : [ \t]{0,4} | [ \t]+ )
    (?: [A-Za-z_*&][\w.\[\]|?<>&' ]{0,40}
      | \{ [ \t]? (?:get|init|set) \b [\w; \t]{0,60} \} [ \t]{0,4}
    )
    = [ \t]{0,4} (?=[\\"'`]) {VALUE}
# `key = []byte("...")`, `secret: Buffer.from("...")`, `token = SecretStr("...")`
wrapped   prose  :=\x20\t\\"')]
    (?=[^\n(]{1,80}\(["'`bru\\]) {CLOSE} [ \t]{0,20} (?: {SIGN} ) [ \t]{0,20} (?:new[ ]|&)?
    (?: [\w.:]{0,40}? (?:\[\]byte|bytes?|from|String|str|Secret\w{0,10}|::new|encode|GetBytes|parse|Some) ) \(
    (?=[bru]?\\{0,7}["'`]) {QUOTED}
# `process.env.SECRET || "..."`, `os.environ.get("SECRET") or "..."`: fallbacks
fallback  -      \x20\t\\"')]
    \\{0,7} ["']? [)\]]{0,2} [ \t]{1,4} (?: \|\| | \?\? | \?: | or ) [ \t]{1,4} (?=[\\"'`]) {QUOTED}
# `%22password%22%3A%22...%22`: JSON in an address
encoded   tight  %
    %22 (?:%20|\+)? (?:%3A|:) (?:%20|\+)? %22
    (?P<bare> (?: [^\s"'`<>&%] | %(?!22)[0-9A-F]{2} ){1,300} ) (?=%22)
direct    -      any
    (?: [ ](?:{ADJECTIVES}) )? {LINK} {VALUE}
# `password=<Zk3xPq9v>`: a placeholder, unless it looks random
bracketed prose  :=\x20"'
    ["']? [ \t]{0,4} [:=] [ \t]{0,4} <(?P<bare> [^\s"'`<>\\]{8,200} )>
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
# "Use the following password to go on:" or "What is the password?", and the answer on the next line
asked     below  \x20\t?
    (?: [ \t][^\n:?.;]{0,80} )? (?: : | \? ) [ \t]{0,8} {NEW_LINE}
    (?: [ \t]{0,40} (?: ```\w{0,12} )? {NEW_LINE} ){0,2}
    [ \t>]{0,8} (?: A:[ ] )? ["'`]{0,3} (?P<bare> [^\s"'`<>\\]{8,300}+ )
    (?= ["'`]{0,3} [ \t]{0,8} (?: \r?\n | \\r | \\{1,3}n | \\{0,3}["'] | \Z ) )
"""
_ARTICLES = "the|your|my|our|a|an|new|old|current|root|admin|staging|production|database|db|login|user"
# "... is the password", "use ... as the new password", "I reset it to ..., that is the new password"
REVERSED = rf"""
    (?:^|[\s(]) ["'`]? (?P<bare>[^\s"'`<>\\]{{6,200}}?) ["'`]?
    (?: [ \t]+ (?:is|as|was) [ \t]+
      | (?:,[ \t]+|[ \t]+\() (?:that|which|this|it) (?:['’]s|[ \t]+(?:is|was)) [ \t]+
      | [ \t]+\( (?=the|my|our|your)
    )
    (?: (?:{_ARTICLES}) [ \t]+ ){{0,4}} \Z
"""
