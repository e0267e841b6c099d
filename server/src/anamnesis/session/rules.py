"""Lasting rules in what a user says: "never push to main", "from now on, use pnpm". Pure.

A session's note lists them, and later sessions are told them. A wrong rule would mislead every one of those,
so a sentence must look like a rule, not only contain "always": "the build always fails" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis.session.asks import typed_units
from anamnesis.session.cue_phrases import PreparedText, phrases, prepare
from anamnesis.session.sentences import width
from anamnesis.session.talk import Turn

_FEWEST_WORDS, _LONGEST = 3, 240  # words, characters
_SHORTEST_WIDE = 12  # width of a sentence in a script without spaces
_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")  # a short sentence before a rule is not part of it

# Anywhere in a sentence.
_LASTING = phrases(
    "from now on|going forward|from here on|as a rule|as a general rule|the rule is|the rule here is"
    "|our rule|our convention|our style guide|our guidelines|the convention is|our policy"
    "|remember to always|remember to never|house rule|for future reference|for next time|next time please"
    "|without asking me|want you to always|want you to never|like you to always|like you to never"
    "|unless i ask|unless i say|unless i tell|ask me before|must never|must always",
    "ab jetzt|ab sofort|von jetzt an|künftig|zukünftig|grundsätzlich|bei uns gilt|bei uns immer|bei uns nie"
    "|fürs nächste mal|müssen immer|darf nie|darf niemals|dürfen nie|dürfen niemals|soll immer|sollen immer"
    "|soll nie|sollen nie",
    "désormais|dorénavant|à partir de maintenant|sans me demander|doit toujours|doivent toujours|doit jamais"
    "|doivent jamais|faut jamais",
    "a partir de ahora|de ahora en adelante|por norma|sin preguntarme|debe siempre|deben siempre|nunca debe"
    "|nunca deben|siempre hay que|nunca hay que",
    "a partir de agora|daqui em diante|de agora em diante|deve sempre|devem sempre|nunca deve|nunca devem",
    "d'ora in poi|da ora in poi|d'ora in avanti|devono sempre|deve mai|devono mai",
    "voortaan|vanaf nu|moeten altijd|mag nooit|mogen nooit",
    "odtąd|od teraz|muszą zawsze",
    "отныне|впредь|с этого момента|должен всегда|должны всегда|никогда не должен|никогда не должны",
    "从现在起|从今以后|以后都|以后请|以后不要|以后别|今后|一律|务必|今後は|これからは|앞으로",
)
# At the start of a sentence.
_ORDERS = phrases(
    "always|never|don't ever|do not ever|we always|we never|we only ever|you must always|you must never"
    "|you should always|you should never|in this repo always|in this repo never|in this project always"
    "|in this project never|in this repo we|in this project we|in this repository we|in this codebase we"
    "|on this project we|on this team we|remember to",
    "immer|nie|niemals|merk dir|altijd|nooit|zawsze|nigdy|всегда|никогда",
    "必须|一定要|禁止|必ず|絶対に|반드시|절대",
)
# How often something is to be done: together with "please", an order.
_OFTEN = phrases(
    "always|never|ever|in future|in the future|next time|immer|nie|niemals|stets|toujours|jamais|siempre"
    "|nunca|sempre|mai|altijd|nooit|zawsze|nigdy|всегда|никогда"
)
_PLEASE = phrases(
    "please|pls|bitte|s'il te plaît|s'il vous plaît|stp|svp|por favor|per favore|alsjeblieft|proszę"
    "|пожалуйста"
)
_WHY = phrases("why|what|if|when|warum|wieso|ob|pourquoi|si|por qué|perché|se|waarom|of|dlaczego|czy|почему")
# An order in a Romance language, by the form of its verb: "nunca toques", "toujours lancer".
_ROMANCE_ORDER = re.compile(
    r"(?:nunca (?!antes\b)\w+(?:[ae]s|ça)"
    r"|(?:siempre|nunca|toujours|jamais|sempre|mai) (?!notre|votre|autre|entre)\w{2,}(?:[aei]r|re))\b",
    re.IGNORECASE,
)
# Japanese and Korean orders end with their verb.
_FINAL_ORDER = re.compile(
    r"(?:必ず|絶対|常に|決して|今後|항상|반드시|절대|앞으로).{3,}"
    r"(?:ください|下さい|しないで|して|使って|こと|お願いします|세요|십시오|해줘|마라|말 것|할 것)[。.！!]*$"
)
# "No emojis in commit messages, ever."
_EVER = re.compile(r"(?i)no \w.*\bever\W*$")
# A taste, but not a choice between options: "I prefer short messages", not "I prefer the second one".
_TASTE = re.compile(
    r"(?i)i (?:strongly )?prefer (?!the|this|that|these|those|it|to|option|not|your|number|\w\b)"
)
# "以后所有改动都必须 ...", but not "重启以后 ...".
_AFTER_THIS = re.compile(r"(?:^|[,，；])\s*以后[^,，。；]{0,20}(?:必须|都要|不要|不能|别|只)")
# What is to be remembered: any statement after a colon, else one that limits something.
_REMEMBER = re.compile(
    r"(?i)(?:remember|(?:don['’]t|do not) forget|keep in mind|merke? dir|vergiss nicht|n['’]oublie pas"
    r"|recuerda|(?:no )?olvides|lembre-se|ricorda(?:ti)?|onthoud|vergeet niet|pamiętaj|запомни|请?记住|别忘了"
    r"|覚えておいて)(?:(?P<colon>\s?:\s|：)|(?:,|，| that| dass| que| che| dat)\s*)"
)
_ONLY = phrases(
    "only|must|nur|muss|müssen|seulement|doit|solo|sólo|debe|só|deve|alleen|moet|tylko|musi|только|должны"
    "|只|必须"
)
# Before a rule in the same sentence: "commit it, and always ...". Then its verb is not a third person.
_OBJECTS = frozenset("it this that these them the a an all das es die den le la les lo".split())
_AND = re.compile(r"[,;]?\s+(?:and|und|et|y|e|en|i|и)\s+(?=\w)", re.IGNORECASE)
_THIRD_PERSON = re.compile(
    r"(?:always|never|immer|nie|niemals) (?:\w*[^\Ws]s|at|on|in|by|to|the|an?|when|with|from|for|after|before"
    r"|as|if|im|am|bei|mit|auf)\b",
    re.IGNORECASE,
)
# Before an order: "yes, and please never ...", "no uses nunca ...".
_OPENERS = frozenset(
    "yes yeah ok okay no so and but also please right well ja nein und aber auch bitte sí y pero oui et mais"
    " s'il te plaît por favor não non ne да не и но пожалуйста".split()
)
_JOINERS = frozenset("so and but also und aber auch y pero et mais и но".split())
# The second word, after an imperative: "Nutze immer ...", "Usa siempre ...".
_SECOND = frozenset(
    "immer nie niemals toujours jamais siempre nunca sempre mai altijd nooit zawsze nigdy всегда"
    " никогда".split()
)
_SUBJECTS = frozenset(
    "i it they he she this that the my our"
    " das es er sie der die ich wir man dies was il elle ça ce cela la le les on je nous el ella eso esto lo"
    " los las o a os as isso ele ela eu gli io noi questo het dat dit de hij zij ik wij we to ona ono ja"
    " это он она оно они я мы ты".split()
)
# Where an order holds, in a later part of a sentence: "a PR please, always german titles in this repo".
_PLACES = phrases(
    "here|in this repo|in this project|in this codebase|hier|bei uns|ici|chez nous|aquí|здесь|у нас"
)
# A convention, if it also says what not to do or where it holds.
_CONVENTION = phrases(
    "we use|we prefer|we write|we keep|we name|we run|we test|we deploy|we commit|we log|we pin|we format"
    "|we don't do|we do not do|we don't use|we do not use|we don't write|we do not write|wir nutzen"
    "|wir verwenden|wir schreiben|on utilise|nous utilisons|usamos|en este proyecto usamos"
    "|en este repo usamos|usiamo|we gebruiken|używamy|мы используем"
)
_LIMITS = phrases(
    "not|never|always|only|instead of|rather than|everywhere|for everything|here|in this repo"
    "|in this codebase|in this project|nicht|nie|immer|nur|statt|hier|überall|pas|jamais|toujours|ici"
    "|partout|no|nunca|siempre|aquí|não|sempre|non|mai|qui|niet|nooit|zawsze|tutaj|не|никогда|всегда|только"
    "|здесь",
)
# A report of what happens or happened, or of nothing at all.
_REPORTS = phrases(
    "docs say|documentation says|never mind|nevermind|never again|always the same|always fails"
    "|always failed|always breaks|always returns|always gets|always happens|always been|always was"
    "|always had|always worked|always ends|never ends|never works|never worked|never happens|never happened"
    "|never been|never was|never had|never got|never saw|never seen|never did|never finishes|never finished"
    "|never heard|never returns|never gets|never knew|never found|never ran|never made|never came"
    "|never went|only saw|only seen|only had|only got|only did|this time|for this run|just once"
    "|nie wieder|noch nie|schon immer|immer noch|immer wieder"
    "|dieses mal|jamais vu|toujours pas|cette fois|esta vez|questa volta|deze keer|tym razem|на этот раз",
)
_PAST = 4  # letters; "we never tested it": a longer word in -ed is a report
_REPORTED = ("ed", "ет", "ит", "ёт", "ют", "ят", "ат")  # endings of a verb in a report
_TAG = re.compile(r"(?i),?\s+(?:ok|okay|right|ja|oder|d'accord|vale|va bene|oké|dobrze|ладно|да)\s?\?\s*$")


def rules_of(turns: Iterable[Turn]) -> list[str]:
    """The rules that the user states, in order, each once."""
    rules: dict[str, str] = {}
    for turn in turns:
        for text in (turn.ask, *turn.remarks):
            for sentence in (each for unit in typed_units(Turn(text)) for each in _END.split(unit.text)):
                if states_rule(sentence):
                    rule = _without_single_order(sentence)
                    rules.setdefault(rule.casefold().rstrip(" .!。！"), rule)
    return list(rules.values())


def states_rule(text: str) -> bool:
    """Whether a sentence states what is to be done in general."""
    text = _TAG.sub("", text.strip())
    sentence = prepare(text)
    is_wide = not text.isascii() and width(text) >= _SHORTEST_WIDE and width(text) > len(text)
    if text.endswith(("?", "？", ":")) or not (len(sentence.words) >= _FEWEST_WORDS or is_wide):
        return False
    if len(text) > _LONGEST or _REPORTS.are_in(sentence) or _is_report(sentence):
        return False
    is_convention = _CONVENTION.start(sentence) and _LIMITS.are_in(sentence)
    is_polite = all(phrases.are_in(sentence) for phrases in (_PLEASE, _OFTEN)) and not _WHY.are_in(sentence)
    is_final = any(form.search(text) for form in (_FINAL_ORDER, _EVER, _AFTER_THIS))
    is_order = is_polite or is_final or _ends_with_order(text) or any(map(_is_order, _clauses(text)))
    return _is_to_remember(text) or _LASTING.are_in(sentence) or is_convention or is_order


def _without_single_order(rule: str) -> str:
    """A rule without the words that join it to what was said before, and without an order before it."""
    for joint in _AND.finditer(rule):
        before = prepare(rule[: joint.start()])
        is_more = states_rule(before.text) or _OFTEN.are_in(before) or _WHY.are_in(before)
        if _starts_order(rule[joint.end() :]) and not is_more:
            return _without_openers(rule[joint.end() :], _JOINERS)
    return _without_openers(rule, _JOINERS)


def _ends_with_order(text: str) -> bool:
    """Whether an order follows a single one ("run it, and never ..."); not a report ("jobs start, ...")."""
    for joint in _AND.finditer(text):
        words = prepare(text[: joint.start()].rpartition(", ")[2]).words
        is_single_order = not _OBJECTS.isdisjoint(words[1:2]) or len(words) == 1
        is_apart = joint[0][0] in ",;" or text.rstrip(" .!").endswith(" again")
        if is_apart and is_single_order and _starts_order(text[joint.end() :]):
            return True
    return False


def _starts_order(text: str) -> bool:
    """Whether a later part of a sentence is an order, and not what else something does."""
    part = prepare(_without_openers(text))
    is_long = len(part.words) >= _FEWEST_WORDS and _THIRD_PERSON.match(part.text) is None
    return is_long and (_ORDERS.start(part) or _ROMANCE_ORDER.match(part.text) is not None)


def _is_to_remember(text: str) -> bool:
    said = _without_openers(text)
    if (order := _REMEMBER.match(said)) is None:
        return False
    rest = prepare(said[order.end() :])
    is_limit = _ONLY.are_in(rest) and (_SUBJECTS - {"we"}).isdisjoint(rest.words[:1])
    return bool(order["colon"]) or is_limit or states_rule(rest.text)


def _clauses(text: str) -> list[PreparedText]:
    """A sentence without the words before its order, and its later parts that say where they hold."""
    later = (part for part in text.split(", ")[1:] if _PLACES.are_in(prepare(part)))
    return [prepare(_without_openers(part)) for part in (text, *later)]


def _without_openers(text: str, openers: frozenset[str] = _OPENERS) -> str:
    words = text.split(" ")
    while len(words) > 1 and words[0].lower().strip(",.!:") in openers:
        words = words[1:]
    return " ".join(words)


def _is_order(sentence: PreparedText) -> bool:
    if len(sentence.words) < _FEWEST_WORDS and sentence.text.isascii():
        return False
    is_form = any(form.match(sentence.text) is not None for form in (_ROMANCE_ORDER, _TASTE))
    first, second = (*sentence.words, "", "")[:2]
    is_imperative = first not in _SUBJECTS and second in _SECOND
    return is_form or is_imperative or _ORDERS.start(sentence)


def _is_report(sentence: PreparedText) -> bool:
    """Whether the word after "always" or "never" is a past tense, or a third person in Russian."""
    pairs = zip(sentence.words, sentence.words[1:], strict=False)
    often = ("always", "never", "всегда", "никогда")
    return any(word in often and len(after) > _PAST and after.endswith(_REPORTED) for word, after in pairs)
