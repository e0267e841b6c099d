"""How informative a sentence is: named reasons, each with points. Pure, no model.

A sentence is worth keeping if it names things (code, paths, figures), gives a cause, a decision, a rejection
or an open point, and is about what was asked. Offers, guesses and announcements are not worth keeping, nor
are courtesies: texts that consist only of polite phrases and short function words, in many languages.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from anamnesis.session import cue_phrases
from anamnesis.session.sentences import Unit, width

POINTS = {
    "cause": 2.0,
    "ruled out": 2.0,
    "decided": 1.5,
    "open": 1.5,
    "found": 2.0,
    "left": 2.0,
    "warning": 2.0,
    "figure": 1.0,
    "command": 1.5,
    "result": 0.5,
    "on topic": 0.5,
    "last word": 0.5,
    "answer": 1.0,
    "emphasis": 0.7,
    "needed": 0.7,
    "guess": -2.0,
    "empty": -1.0,
    "question": -1.5,
    "exclaimed": -1.0,
    "narration": -2.0,
    "offer": -4.0,
    # These say what a sentence does to others.
    "retraction": 0.0,
    "admission": 0.0,
    "proposal": 0.0,
    "refers back": 0.0,
}
_STRONG = {
    "cause": cue_phrases.CAUSE,
    "ruled out": cue_phrases.RULED_OUT,
    "decided": cue_phrases.DECIDED,
    "open": cue_phrases.OPEN,
}
_POINTS_PER_NAME, _MOST_NAMES = 0.7, 5
_MATTER = 3  # words that are not plain; a sentence with this many has a subject even if it names nothing
_POINTS_PER_WORD, _MOST_WORDS = 0.25, 5  # for each further one of a report
_WIDE_WORD = 3  # characters of a script without spaces
# Points for a reason in a sentence without a subject.
_VAGUE = {**dict.fromkeys(_STRONG, 0.5), "result": 0.0}
_CODE = re.compile(r"`([^`\n]{1,200})`")
_NAMES = re.compile(
    r"https?://\S{4,200}"
    r"|(?:[\w.@-]{1,60}/){1,12}[\w.*-]{1,60}|/\w[\w./-]{2,100}"  # paths
    r"|\b[\w-]{1,60}\.(?:cpp|cs|css|conf|exs?|go|html|ipynb|java|json|jsx?|kt|lock|md|php|py|rb|rs|sh|sql|swift"
    r"|tf|toml|tsx?|ya?ml)\b"
    r"|\b[a-z]{1,40}[0-9]{0,4}(?:[A-Z][a-z0-9]{1,40}){1,8}\b|\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b"  # camelCase
    r"|\b[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){1,12}\b|\b\w{1,60}(?:::\w{1,60}){1,8}|\b[\w.]{1,80}\(\)"
    r"|\b[A-Za-z]{2,20}-?[0-9]{1,6}\b"  # hosts, models, tickets
    r"|(?<!\w)--?[a-z][\w-]{1,40}|\b[A-Z][A-Z0-9]{1,15}\b|\b[0-9a-f]{7,40}\b"
    r"|(?<![\w.])\d[\d.,_]{0,20}(?:\s?(?:%|[a-zA-Zµ°]{1,4}\b))?"  # figures
)
_MEASURE = re.compile(
    r"\d\s?(?:%|×|x\b|[µmn]?s\b|sec|min\b|minut|hours?\b|days?\b|[kKMGT]i?B\b|fps|rpm|req|rows|°|[぀-ヿ㐀-鿿가-힣])"
    r"|\b(?:every|each|once an?|twice an?|per) (?:\w+ )?"
    r"(?:second|minute|hour|day|night|week|month|quarter|year)s?\b"
    r"|\d\D{1,25}(?:→|->|\b(?:to|auf|bis|à|a|naar|до|do)\b)\D{1,12}\d"
)
_SCRIPT_CHANGE = re.compile(r"(?<=[⺀-￿])(?=[!-~])|(?<=[!-~])(?=[⺀-￿])")
_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{3,200}(?:\*\*|__)")
_WARNING = ("⚠", "❗")
_LEFT = re.compile(r"(?i)\W{0,4}(?:left|missing|next)\W{0,4}:")  # says it only as a label
# What is not done so far, anywhere in a sentence: "CI has not run yet."
_NOT_YET = re.compile(
    r"(?i)(?:\b(?:not|no|nothing|none|nobody)|n['’]t)\b[^.,;]{0,60}\byet\b(?=\W*$|[.,;:)])"
    r"|\b(?:noch (?:nicht|nichts|keine?)|steht noch aus|pas encore|(?:todavía|aún) no|ainda não"
    r"|non \w+ ancora|nog niet|jeszcze nie|ещё не|еще не)\b|还没|尚未|まだ[^。]*ません|아직"
)
_HAD = re.compile(r"(?i)\bI['’]d \w{2,}ed\b")  # "less than I'd hoped" proposes nothing
# What the assistant did not do, apart from "I did not change anything else".
_NOT_DONE = re.compile(
    r"(?i)\bI (?:(?:did|have|could|was)(?: not|n['’]t)|can(?:not|['’]t)|(?:have )?left)\b"
    r"(?!.{0,40}\b(?:any|anything|else|nothing)\b)"
)
_COMMAND = re.compile(r"(?:\$ )?[a-z./][\w./-]{1,60} [^\n]{1,300}")


class Rated(NamedTuple):
    """A part of a text with its points, the reasons for them, and the things it names."""

    unit: Unit
    points: float
    reasons: frozenset[str]
    names: frozenset[str]


def weigh(
    unit: Unit, *, topic: frozenset[str] = frozenset(), is_last: bool = False, is_late: bool = True
) -> Rated:
    """Rate a part of an answer; `topic` has the words of the asks, `is_last` means the last text.

    What was open before the last turns (not `is_late`) may be done by now, so that it does not count.
    """
    names = names_in(unit.text)
    if unit.kind == "heading":  # its numbers only count the sections
        names = frozenset(name for name in names if not name[0].isdigit())
    reasons = _reasons(unit)
    matter = {word for word in cue_phrases.words_of(unit.text) if not is_plain(word)}
    stems = {word[:6] for word in matter}
    if len(stems & topic) >= 2:
        reasons.add("on topic")
    if is_last and unit.kind != "heading":
        reasons.add("last word")
    if not names and not matter:
        reasons.add("empty")
    is_vague = not names and "on topic" not in reasons and (len(matter) < _MATTER or not stems & topic)
    is_sure = is_last or not reasons.isdisjoint({"ruled out", "retraction"})
    counted = reasons - ({"guess"} if is_sure else set()) - (set() if is_late else {"left", "open"})
    points = sum(POINTS[reason] * (_VAGUE.get(reason, 1.0) if is_vague else 1.0) for reason in counted)
    named = _POINTS_PER_NAME * min(len(names), _MOST_NAMES)
    told = _substance(unit.text, len(matter)) if is_last and unit.kind != "heading" else 0.0
    return Rated(unit, points + max(named, told), frozenset(reasons), names)


def _substance(text: str, words: int) -> float:
    """Points for the words with which a report describes its subject, even if it names nothing."""
    words += (width(text) - len(text)) // _WIDE_WORD
    return _POINTS_PER_WORD * min(max(words - _MATTER, 0), _MOST_WORDS)


def strong_reasons(said: cue_phrases.PreparedText) -> list[str]:
    """The reasons to keep a text, from its words: a cause, a rejection, a decision, an open point."""
    return [name for name, phrases in _STRONG.items() if phrases.are_in(said)]


def _reasons(unit: Unit) -> set[str]:
    text, said, lead = unit.text, cue_phrases.prepare(unit.text), cue_phrases.prepare(unit.lead)
    # A line that introduces a list ("Still open:") applies to each of its items.
    found = {*strong_reasons(said), *strong_reasons(lead)}
    is_question = text.rstrip("*_\"')").endswith(("?", "？"))
    if is_question:  # which asserts nothing
        found &= {"open"}
    if _NOT_DONE.search(text):
        found.add("open")
    is_labelled = any(map(_LEFT.match, (text, f"{unit.lead}:")))
    claims = {
        "warning": text.lstrip(" *_").startswith(_WARNING),
        "result": cue_phrases.RESULT.are_in(said),
        "found": cue_phrases.FOUND.start(said),
        "left": cue_phrases.OPEN.start(said) or is_labelled or _is_not_yet(text, found),
        "figure": _MEASURE.search(text) is not None,
        "command": unit.kind == "code" and _COMMAND.fullmatch(text.strip()) is not None,
        "question": is_question,
        "exclaimed": text.endswith(("!", "！")) and not names_in(text),
        "needed": cue_phrases.NEEDED.are_in(said),
        "emphasis": _BOLD.search(text) is not None,
        "guess": cue_phrases.GUESS.are_in(said),
        "offer": cue_phrases.OFFER.are_in(said) or cue_phrases.OFFER.are_in(lead),
        "narration": cue_phrases.NARRATION.start(said),
        "retraction": cue_phrases.RETRACTED.are_in(said),
        "proposal": cue_phrases.PROPOSED.are_in(cue_phrases.prepare(_HAD.sub(" ", text))),
        "refers back": cue_phrases.PRONOUN.start(said),
    }
    return found | {name for name, holds in claims.items() if holds}


def _is_not_yet(text: str, found: set[str]) -> bool:
    """Whether a sentence says what is not done so far, and not why something happens."""
    return "cause" not in found and _NOT_YET.search(text) is not None


def names_in(text: str) -> frozenset[str]:
    """The things that a text names: code, paths, identifiers, figures."""
    # A script without spaces has no word boundary beside a figure or a Latin name.
    plain = _CODE.sub(" ", text) if text.isascii() else _SCRIPT_CHANGE.sub(" ", _CODE.sub(" ", text))
    named = [*_CODE.findall(text), *_NAMES.findall(plain)]
    bare = (name.strip().rstrip(".,") for name in named)
    return frozenset(name.lower() for name in bare if len(name) > 1 or name.isdigit())


@lru_cache(maxsize=4096)
def matter_of(text: str) -> frozenset[str]:
    """The words of a text that do not occur in every conversation."""
    return cue_phrases.content_words(
        " ".join(word for word in cue_phrases.words_of(text) if not is_plain(word))
    )


_LONGEST = 120
_DECORATION = re.compile(r"\A[\U0001f300-\U0001faff\ufe0f\s]+")  # emoji
_NOD = re.compile(r"[^.,:;!?–—。，！？、：\n]{1,60}[.,:;!?–—。，！？、：]+\s*")
_COURTEOUS = (
    "hi|hey|hello|yo|good morning|good afternoon|good evening|good night|morning|thanks|thank you|thx|ty"
    "|tysm|cheers|appreciated|appreciate|please|pls|ok|okay|k|kk|yes|yep|yeah|yup|sure|fine|good|great|cool"
    "|nice|perfect|awesome|excellent|amazing|wonderful|brilliant|super|sweet|lovely|fantastic|lgtm"
    "|looks good|sounds good|got it|understood|noted|no worries|no problem|you're welcome|you are welcome"
    "|welcome|my pleasure|anytime|any time|glad|happy to help|happy to hear|bye|goodbye|see you|see ya"
    "|have a nice|have a good|have a great|good luck|enjoy|will do|well done|that works|it works|works now"
    "|works great|how are you|hope you are|hope you're"
    "|how can i help|what would you like|what can i do|what are we|go ahead|proceed"
    "|continue|go on|carry on|keep going|ship it|do it|yes please|absolutely|of course|exactly|you're right"
    "|alright|right|roger|ack|sorry|wow|haha|lol|quick one|quick question|btw|happy coding"
    "|in advance|have a lovely|so kind|very kind|been helpful|that's all"
    "|that is all|interesting|enough for today|done|committed|pushed|can you help|could you help|need help"
    "|need your help|help me|no thanks|no thank you|nein danke|non merci|no gracias|não obrigado|no grazie"
    "|nee dank je|nie dziękuję|нет спасибо",
    "hallo|moin|servus|guten morgen|guten tag|guten abend|grüß gott|danke|dankeschön|vielen dank|besten dank"
    "|bitte|gern|gerne|geschehen|kein problem|ja|jo|jap|gut|prima|toll|klasse|perfekt|passt|alles klar"
    "|in ordnung|verstanden|genau|stimmt|tschüss|bis später|bis dann|bis morgen|schönen tag|schönen abend"
    "|schönes wochenende|womit kann ich|wie kann ich|mach weiter|weiter|mach das|erledigt|committet|gepusht"
    "|kannst du|könntest du|brauche hilfe|brauche deine",
    "bonjour|salut|bonsoir|coucou|merci|s'il te plaît|s'il vous plaît|stp|svp|de rien|je vous en prie"
    "|avec plaisir|oui|d'accord|parfait|génial|très bien|nickel|bonne journée|bonne soirée|bon week-end"
    "|au revoir|à bientôt|à plus|à demain|continuez|vas-y|allez-y|comment puis-je|ça marche|c'est bon"
    "|peux-tu m'aider|besoin d'aide|peux-tu",
    "hola|buenos días|buenas|buenas tardes|buenas noches|gracias|por favor|de nada|sí|vale|bien|perfecto"
    "|genial|estupendo|excelente|claro|adiós|hasta luego|hasta mañana|buen día|buen fin de semana|continúa"
    "|sigue|adelante|en qué puedo|cómo estás|qué tal|listo|con gusto|un placer|hecho|puedes ayudarme"
    "|podrías ayudarme|necesito ayuda",
    "oi|olá|bom dia|boa tarde|boa noite|obrigado|obrigada|valeu|sim|certo|beleza|ótimo|perfeito|tudo bem"
    "|tchau|até logo|até mais|bom trabalho|pode continuar|legal|como posso ajudar|imagina|feito",
    "ciao|salve|buongiorno|buonasera|buon pomeriggio|grazie|per favore|prego|di niente|sì|va bene|bene"
    "|perfetto|ottimo|fantastico|arrivederci|a dopo|a domani|buona giornata|buona serata|buon weekend"
    "|continua|vai|come posso|ricevuto|figurati|fatto",
    "hoi|goedemorgen|goedemiddag|goedenavond|bedankt|dank je|dankjewel|dank u|dank|alsjeblieft|alstublieft"
    "|graag gedaan|graag|oké|goed|top|mooi|geweldig|begrepen|tot ziens|tot later|tot morgen|fijne dag"
    "|fijn weekend|ga door|klaar",
    "cześć|hej|dzień dobry|dobry wieczór|dzięki|dziękuję|proszę|nie ma za co|nie ma sprawy|tak|dobrze|dobra"
    "|świetnie|idealnie|jasne|rozumiem|do widzenia|na razie|miłego dnia|kontynuuj|dalej|gotowe",
    "привет|здравствуй|здравствуйте|добрый день|доброе утро|добрый вечер|спасибо|спс|пожалуйста|не за что"
    "|на здоровье|да|ок|окей|хорошо|отлично|супер|класс|круто|понял|понятно|ясно|пока|до свидания|до завтра"
    "|хорошего дня|продолжай|дальше|чем могу помочь|рад помочь|готово",
)
_BETWEEN = (
    "claude|there|everyone|folks|team|all|a|an|and|the|to|for|of|on|in|with|me|you|your|so|much|very|many"
    "|lot|that|this|it|it's|is|was|am|i|i'm|one|job|work|works|working|day|weekend|evening|night|week|today"
    "|yesterday|tomorrow|again|now|later|then|just|well|up|ton|help|helped|helps|hope|could|can|how|what"
    "|would|like|do|are|we|be|see|hear|worked|catch|question|point|idea|morning|great|ready|enough|next|ah"
    "|oh|hm|hmm|if|need|anything|else|let|know|more|happy|too|got|two|clear|really|have|you've|been|be|as"
    "|terribly|incredibly|extremely|helpful|kind|kindly|wondering|something|nice|lovely|bit",
    "hilfe|helfen|schauen|dir|dann|sehr|noch|ach|nix|nichts|später|heute|kann|ich|ihnen|mir|helfen|womit|wie"
    "|schön|und|bis|das|schönen|für|so|erstmal|mal",
    "beaucoup|bien|super|top|cool|vous|t'aider|vous aider|et|à|pour|toi|tout|excellent|continue|aider|je",
    "muchas|mil|muy|ayudarte|te|y|a ti|si|lo|por|todo|hasta|ahora",
    "muito|bem|tudo|e|por|pela|pelo|ajuda|agora|posso",
    "mille|molte|molto|tutto|aiutarti|e|per|l'aiuto|adesso",
    "wel|je|u|en|voor|de|hulp|nu|prima|perfect|super",
    "bardzo|wielkie|za|pomoc|i|teraz|ok",
    "большое|огромное|за|помощь|и|всё|все|очень|чем|могу|помочь|рад",
)
_UNSPACED = (
    "你好|您好|大家好|早上好|下午好|晚上好|谢谢你|谢谢您|谢谢|多谢|感谢|不客气|不用谢|好的|好|可以|是的|是|对"
    "|行|没问题|明白了|明白|知道了|收到|辛苦了|再见|拜拜|请问|请|继续|很|太|棒|完美|了|吧|啊|呢"
    "|有什么可以帮您|有什么可以帮你|的|吗|こんにちは|おはようございます|おはよう|こんばんは|お疲れ様です"
    "|お疲れさまです|お疲れ様でした|お疲れ様|ありがとうございます|ありがとうございました|ありがとう|どうも"
    "|どういたしまして|よろしくお願いします|よろしくお願いいたします|お願いします|お願いいたします|よろしく"
    "|はい|了解です|了解しました|了解|承知しました|分かりました|わかりました|いいですね|完璧です|素晴らしい"
    "|続けてください|続けて|さようなら|また明日|失礼します|助かりました|です|ね|よ"
    "|何かお手伝いできることはありますか|안녕하세요|안녕히|안녕|감사합니다|감사해요|감사|고맙습니다|고마워요"
    "|고마워|천만에요|별말씀을요|네|예|좋아요|좋습니다|좋네요|알겠습니다|알겠어요|확인했습니다|완벽해요"
    "|완벽합니다|수고하세요|수고하셨습니다|계속해 주세요|계속해주세요|계속|부탁드립니다|부탁해요"
    "|무엇을 도와드릴까요|요"
).split("|")
_ALL, _CORE = cue_phrases.phrases(*_COURTEOUS, *_BETWEEN), cue_phrases.phrases(*_COURTEOUS)
_FILLERS = re.compile(
    r"(?:(?:okay so|ok so|so um|so|um+|uh+m*|erm|okay|ok|hey|i mean|you know|basically|anyway|btw|by the way"
    r"|also ähm?|ähm?|naja|na ja|tja|sag mal|pass auf"
    r"|bon alors|alors|bon ben|euh|du coup|en fait|écoute|bueno|pues|oye|a ver|o sea"
    r"|então|é o seguinte|seguinte|olha só|tipo assim|allora|dunque|senti|cioè|insomma|ehm|nou|zeg|dus"
    r"|no więc|więc|słuchaj|ну|значит|короче|слушай|смотри|в общем|так вот|э+)\b[\s,.…:]+"
    r"|(?:那个|嗯|えっと|ええと|えーと|あのー?|음|저기|그러니까)[\s,，、…]*)+",
    re.IGNORECASE,
)
_BASES = (
    "able about above across actual actually add address adjust after again against ago agree ahead all allow"
    " almost alone along already also although always and angle another answer any anything anyway apart"
    " appear apply are area around ask aspect assume available aware away back based basic be become before"
    " begin behave being below beside best better between big bit both brief briefly bring build built but"
    " call called came can care careful carefully case certain chance change chase check choose clean clear"
    " close code come compare complete concern confirm consider considerable considerably contain continue"
    " correct could couple course cover create current currently decide deep describe detail did differ"
    " different direct direction discuss do does done down during each earlier early easy edge effect either"
    " else end enough ensure entire especially even ever every everything exact exactly example expect"
    " explain extra fact far feel few file final finally find fine finish first fit fix follow for former"
    " found from full fully further general generally get give given go goal going gone good got great had"
    " hand handle happen happy hard has have he help here high hold hope how however idea if important in"
    " include indeed inside instead into involve is issue it item its itself job just keep kept kind know"
    " large last late later latter lead least leave left less let like likely line list little long look lot"
    " made main mainly make many mark matter may me mean meant mention might mind minor moment more most"
    " mostly move much must my name named narrow near necessary need never new next nice no nobody none nor"
    " normal not note nothing notice now number of off often ok old on once one only open or order other"
    " otherwise our out outside over overall own part particular pass past people perhaps piece place plan"
    " please point possible practice prefer present pretty previous probably problem proceed proper provide"
    " purpose put question quick quickly quite rather reach read ready real really reason recent regard"
    " relate relevant remain remark remember rest result review right round run said same save saw say"
    " section see seem seen sense separate set settle several shall short should show side similar simple"
    " simply since single situation size small so some somebody something soon sort speak start state stay"
    " step still stop story straight such suggest summary sure take talk tell than thank that the their them"
    " then there therefore these they thing think this those though thought through thus time to today"
    " together told too took top topic touch toward true try turn two under understand unexpected unless"
    " until up upon us use useful usual usually various very via view wait walk want was way we week well"
    " went were what when where whether which while who whole why will wish with within without wonder word"
    " work world would write wrong yes yet you your yourself behaviour behavior untouched elsewhere look-out"
)


def is_courtesy(text: str) -> bool:
    """Whether a text is a greeting, thanks or an acknowledgement, and nothing else."""
    if not text.strip() or width(text) > _LONGEST or any(map(str.isdigit, text)):
        return False
    rest, is_wide = text.lower(), width(text) > len(text)
    for phrase in _UNSPACED if is_wide else ():
        rest = rest.replace(phrase, " ")
    words = cue_phrases.words_of(rest)
    if not words:  # only such phrases, punctuation and emoji
        return True
    return _ALL.make_up(words) and (is_wide or _CORE.are_in(cue_phrases.prepare(rest)))


def without_nods(text: str) -> str:
    """A text without the courtesies at its start ("Great question! The order is ...")."""
    while (nod := _NOD.match(text)) and nod.end() < len(text):
        if not any(map(str.isalpha, nod.group())) or not is_courtesy(nod.group()):
            break
        text = _DECORATION.sub("", text[nod.end() :], count=1)
    return text


def without_fillers(text: str) -> str:
    """A text without the fillers at its start ("okay so um the wheel ...")."""
    said = _FILLERS.match(text)
    return text[said.end() :] or text if said else text


_PLAIN = frozenset(
    form
    for word in _BASES.split()
    for stem in [word.removesuffix("e")]
    for form in (word, f"{word}s", f"{stem}ed", f"{stem}ing", f"{word}d", f"{word}es")
)
_SHORTENED = ("'s", "'re", "'ll", "'ve", "'d", "'m")


def is_plain(word: str) -> bool:
    """Whether a word says nothing about the subject of a sentence."""
    word = word.partition("'")[0] if word.endswith(_SHORTENED) else word
    return len(word) < 4 or word in _PLAIN or word.endswith("n't")
