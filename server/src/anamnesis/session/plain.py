"""English words that are in every conversation about code and say nothing about its subject. Data."""

from __future__ import annotations

_BASES = (
    "able about above across actual actually add address adjust after again against ago agree ahead all"
    " allow almost alone along already"
    " also although always and angle another answer any anything anyway apart appear apply are area around"
    " ask aspect assume available"
    " aware away back based basic be become before begin behave being below beside best better between big"
    " bit both brief briefly bring"
    " build built but call called came can care careful carefully case certain chance change chase check"
    " choose clean clear close code come"
    " compare complete concern confirm consider considerable considerably contain continue correct could"
    " couple course cover create current"
    " currently decide deep describe detail did differ different direct direction discuss do does done down"
    " during each earlier early easy"
    " edge effect either else end enough ensure entire especially even ever every everything exact exactly"
    " example expect explain extra fact"
    " far feel few file final finally find fine finish first fit fix follow for former found from full fully"
    " further general generally get"
    " give given go goal going gone good got great had hand handle happen happy hard has have he help here"
    " high hold hope how however idea if"
    " important in include indeed inside instead into involve is issue it item its itself job just keep kept"
    " kind know large last late later"
    " latter lead least leave left less let like likely line list little long look lot made main mainly make"
    " many mark matter may me mean"
    " meant mention might mind minor moment more most mostly move much must my name named narrow near"
    " necessary need never new next nice"
    " no nobody none nor normal not note nothing notice now number of off often ok old on once one only open"
    " or order other otherwise our out"
    " outside over overall own part particular pass past people perhaps piece place plan please point"
    " possible practice prefer present"
    " pretty previous probably problem proceed proper provide purpose put question quick quickly quite"
    " rather reach read ready real really"
    " reason recent regard relate relevant remain remark remember rest result review right round run said"
    " same save saw say section see seem"
    " seen sense separate set settle several shall short should show side similar simple simply since single"
    " situation size small so some"
    " somebody something soon sort speak start state stay step still stop story straight such suggest"
    " summary sure take talk tell than"
    " thank that the their them then there therefore these they thing think this those though thought"
    " through thus time to today together"
    " told too took top topic touch toward true try turn two under understand unexpected unless until up"
    " upon us use useful usual usually"
    " various very via view wait walk want was way we week well went were what when where whether which"
    " while who whole why will wish with"
    " within without wonder word work world would write wrong yes yet you your yourself behaviour behavior"
    " untouched elsewhere look-out"
)


def _inflected(word: str) -> tuple[str, ...]:
    stem = word.removesuffix("e")
    return word, f"{word}s", f"{stem}ed", f"{stem}ing", f"{word}d", f"{word}es"


_PLAIN = frozenset(form for base in _BASES.split() for form in _inflected(base))
_SHORTENED = ("'s", "'re", "'ll", "'ve", "'d", "'m")


def is_plain(word: str) -> bool:
    """Whether a word says nothing about the subject of a sentence."""
    word = word.partition("'")[0] if word.endswith(_SHORTENED) else word
    return len(word) < 4 or word in _PLAIN
