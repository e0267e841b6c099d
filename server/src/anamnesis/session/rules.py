"""Lasting rules in a user's own words: "never push to main", "from now on, use pnpm". Pure.

A session's note lists them, and every later session is told them, so text that was only pasted must never
become one. `typed_lines` leaves out whatever could be somebody else's text; `states_rule` looks for a
cue in the sentences that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis.session.choice import sentences_of
from anamnesis.session.transcript import Turn
from anamnesis.text import JOINER

# -- whose text it is -------------------------------------------------------------------------------------

_FENCED = re.compile(r"^[ \t>]*(```+|~~~+).*?(?:^[ \t>]*\1|\Z)", re.MULTILINE | re.DOTALL)
_ELEMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(\w[\w:.-]*)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_PASTED = "\n\n\0\n\n"  # a paragraph that stands for what was taken out
# What follows one of these lines is about to be quoted, or is a document: nothing below is the user's.
_INTRODUCTION = re.compile(
    r".*[:：]\W*$"  # "Fix this issue:"
    r"|\s{0,3}#{1,6}\s.*|\*\*[^*]+\*\*\W*$|__[^_]+__\W*$|\[[^\]]*\]\W*$"  # headings
    r"|\s*[=*_~+#-]{3,}\s*$|\s*[─━═—–]{3,}.*"  # a line across, also below a heading
    r"|(?:On|Am|Le|El)\b.{5,120}\b(?:wrote|schrieb|écrit|escribió)\b.*"
)
_HEADER = re.compile(r"\W{0,3}[^\W\d_][\w /-]{0,30}[:=：](?:\s|$)")
_PLAIN_LINE = re.compile(r"(?!\w+=)[\"'`(¡¿]?[^\W\d_]")
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_ENDINGS = (".", "!", "?", ";", "…", ")", "。", "！", "？")

# -- what is a rule ---------------------------------------------------------------------------------------

_CUE = re.compile(
    r"\b(?:always|never|from now on|from here on|going forward|moving forward|in (?:the )?future|must|mustn't"
    r"|(?:i|we|i'd|we'd) (?:\w+ )?prefer|remember to|every time|each time|whenever"
    r"|as a rule|don't ever|no \w+(?: \w+){0,5},? ever|without asking|unless i (?:ask|say|tell)"
    r"|immer|nie|niemals|stets|ab jetzt|ab sofort|von nun an|künftig|in zukunft|grundsätzlich|ich bevorzuge"
    r"|siempre|nunca|jamás|a partir de ahora|de ahora en adelante|prefiero"
    r"|toujours|jamais|désormais|dorénavant|à partir de maintenant|je préfère)\b"
    r"|(?:^|please,? |and |, )(?:ensure|make sure)\b"
    # What is wanted of all things of a kind, not of one.
    r"|\b(?:like|want) you to\b.*\b(?:all|every|each|any|your \w+s)\b"
    r"|\b(?:all|every|each|any|when \w+ing)\b.*\b(?:like|want) you to\b"
    r"|从现在起|从现在开始|从今以后|以后(?:都|请|不要|别|所有|一律)|今后|必须|务必|一律|总是|永远|绝不|禁止"
    r"|必ず|常に|絶対に|決して|今後|これから(?:は|も)|いつも",
    re.IGNORECASE,
)
# A report of what happens or happened: "the build always fails", "I never tested it". Without a subject, with
# a duty, an infinitive or no verb, it is an order: "never alias imports", "die Tests immer sofort ausführen".
_REPORT = re.compile(
    r"^(?!.*\b(?:must|should|shall|want|like|prefer|need|ha(?:s|ve) to|muss|müssen|soll\w*|darf|dürfen|will"
    r"|debe\w*|tiene\w*|quiero|doit|doivent|veux|(?:toujours|siempre) (?:en|avec|à|sans|avant|con|sin))\b"
    r"|.*\b(?:is|are) (?:always|never) \w+ to\b|.*\wen[.!]*$)(?:the|an?|th(?:is|at|ese|ose)|it|they|s?he"
    r"|there|der|die|das|eine?|es|er|sie|ich|el|la|los|las|una?|me|les?|il|elle|ça|j'ai)\b.*"
    r"\b(?:always|never|immer|nie|siempre|nunca|toujours|jamais)\b"
    r"|\bi (?:always|never) (?:get|see|find|have)\b|(?:'(?:ve|m)|\bi'll|\w ha[sv]e?|\bam) (?:always|never)\b"
    r"|[^,，;；。请要](?:总是(?![先用使要写把])|永远(?!不要|别|不能|不得))"
    r"|[がは](?:いつも|決して)(?!.*(?:ください|下さい|こと|べき))"
    r"|\b(?!(?:and|or|but|so|also|please)\b)\w+\s+(?:always|never)\s+(?:\w*[^\Waius]s|\w{2,}(?<!e)ed)\b"
    r"|\b(?:always|never)\s+(?:is|was|been|had|seen|heard|mind)\b"
    r"|\b(?:i|we|you|it|this|that|they|s?he|there|something) must"
    r"(?: be (?:a|an|the|some|because|something)|(?: have|'ve) \w+(?:ed|en))\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?i)^(?:why|warum|wieso|pourquoi|por qué)\b|[?？]\W*$|[吗か][。.]?$")
_UNSAFE = re.compile(
    r"(?i)\w+://|\bwww\.|\|\s*(?:sudo\s+)?(?:\S*/)?(?:ba|z|da|k|fi|c|pw)?sh\b|\|\s*(?:iex|python3?|perl|ruby|node)\b"
    r"|\$\(|<\(|base64|\bcurl\b|\bwget\b|\biex\b"
)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|(?<!\w)'[^']*'(?!\w)")
_LONG_QUOTATION = re.compile(
    r"[\"“„][^\"“”„]*[.!?]\s[^\"“”„]*[\"“”]|«[^»]*[.!?]\s[^»]*»|[「“][^」”]*。[^」”]*[」”]"
)
# Another's words: a label, a speaker, or a document before the cue, or an address to programs.
_LABEL = re.compile(r"^.{1,60}?[:：]\s")
_REPORTED = re.compile(
    r"(?i)\b(?:(?<!\bi )(?:says|said|wrote|writes|states|reads|recommends|suggests)|according to|per the)\b"
    r"|\b(?:issue|ticket|readme|mail|message|comment|review|post|answer|log|docs?|page|file|thread|report)\w*\s*[:：]"
    r"|\b(?:ai|coding|any|all|for|to|dear|llm)\s+(?:ai\s+)?(?:agents?|assistants?|bots?|llms?|models?)\b"
)
_END = re.compile(r"(?<=[.!?;])\s+")  # a short sentence before a rule is not part of it


def rules_of(turns: Iterable[Turn]) -> list[str]:
    """The rules that the user typed, in order, each once, as last stated."""
    rules: dict[str, str] = {}
    for turn in turns:
        for text in (turn.ask, *turn.queued):
            for rule in rules_in(text):
                key = rule.casefold().rstrip(" .!。！")
                rules.pop(key, None)
                rules[key] = rule
    return list(rules.values())


def rules_in(prompt: str) -> list[str]:
    """The sentences of a prompt that are the user's own and state what is to be done in general."""
    found: list[str] = []
    for line in typed_lines(prompt):
        # Of a quotation of several sentences, each would look like the user's.
        own = _LONG_QUOTATION.sub(_PASTED.strip(), line)
        for sentence in (part for whole in sentences_of(own) for part in _END.split(whole)):
            if states_rule(sentence) and "\0" not in sentence:
                rule = re.sub(rf"(?i)\A{JOINER}", "", sentence)
                found.append(rule[:1].upper() + rule[1:])
    return found


def states_rule(sentence: str) -> bool:
    """Whether a sentence has a cue, and is neither a question, a report, a quotation nor dangerous."""
    text = sentence.strip()
    if len(text) > 300 or _QUESTION.search(text) or text.endswith((":", "：")) or _UNSAFE.search(text):
        return False
    own = re.sub(rf"(?i)\A{JOINER}", "", _QUOTED.sub(" x ", text.replace("’", "'")))
    # Scripts without spaces need about two characters for a word.
    if len(own.split()) + sum(char >= "\u2e80" for char in own) / 2 < 3:
        return False
    # "TypeError: you must ..." and "Translate this: always ..." quote; "From now on: ..." does not.
    label = _LABEL.match(own)
    cue = _CUE.search(own, 0, label.end() if label else len(own))
    return cue is not None and not _REPORT.search(own) and not _REPORTED.search(own)


def typed_lines(prompt: str) -> list[str]:
    """The lines that the user surely typed.

    Nothing from code, tags, quotes, logs and documents, nothing below a line that introduces something, and
    of many paragraphs only the first and the last one, if they are plain.
    """
    text = prompt.replace("\r", "").strip("\n")
    text = _ELEMENT.sub(_PASTED, _FENCED.sub(_PASTED, text))
    paragraphs = [part.strip("\n").split("\n") for part in re.split(r"\n\s*\n", text) if part.strip()]
    last = len(paragraphs) - 1
    typed: list[str] = []
    for place, lines in enumerate(paragraphs):
        items = [_ITEM.sub("", line) for line in lines]
        is_list = all(map(_ITEM.match, lines)) and all(map(_is_plain, items))
        # Of a prompt of many paragraphs, only the first and the last one can be the user's.
        is_own = place in (0, last) or last < 2
        if is_list or lines == [_PASTED.strip()]:
            # A list is the user's if it consists of rules.
            typed += items if is_own and all(map(states_rule, items)) else []
            continue
        final = len(lines) - 1 if place == last else -1
        end = next((n for n, line in enumerate(lines) if _introduces(line, is_last=n == final)), len(lines))
        above = lines[:end]
        if end == 0:
            # The first line of all may be the user's, even if it has no full stop.
            above = lines[:1] if place == 0 and not _INTRODUCTION.match(lines[0]) else []
        if is_own and all(map(_is_plain, above)):
            typed += above
        if end < len(lines):
            break
    return typed


def _introduces(line: str, *, is_last: bool) -> bool:
    """Whether what follows a line is not the user's: it is a header, a heading, or a line without an end."""
    has_end = line.rstrip().endswith(_ENDINGS)
    is_header = not is_last and (not has_end or _HEADER.match(line))
    return bool(is_header or _INTRODUCTION.match(line))


def _is_plain(line: str) -> bool:
    """Whether a line could have been typed: it starts with a word, not with a mark, a time or spaces."""
    return _PLAIN_LINE.match(line) is not None and "<" not in line and "\0" not in line
