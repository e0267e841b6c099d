"""Values that come later in the sentence that names them: "the password we use since May is ...". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anamnesis.redact.names import Name
from anamnesis.redact.odd import is_odd

_REACH = 160
_GOES_ON = re.compile(r"[`\"'*_]{0,3},?[ \t]+[^\W\d_(]")
# A new sentence or clause: it is no longer about the name.
_END = re.compile(
    r"\n|\r|\\n|[.!?;](?:\s|\Z)|\s(?:and|but|while|because|und|aber|weil|et|mais|pero|ma|mas|maar|ale)\s",
    re.IGNORECASE,
)
_VERBS = (
    "is|was|equals|to|became|it['’]s|ist|war|lautet|heißt|auf|est|sera|c['’]est|es|era|è|é|jest|это|är|er"
)
ADVERBS = (
    "now|currently|still|just|jetzt|nun|aktuell|maintenant|désormais|ahora|agora|adesso|ora|nu|teraz|simply"
    "|теперь|changed to|set to"
)
_LINK = re.compile(
    rf"(?:\s(?P<subject>[^\s]{{1,40}}))?(?:[ \t](?:{_VERBS})(?:[ \t]?:)?|[:：]|[ \t](?:→|->|—|–))[ \t]{{1,8}}"
    rf"(?:(?:{ADVERBS})[ \t]{{1,4}})?(?=(?P<value>[^\s]{{6,200}}))",
    re.IGNORECASE,
)
# A value that is called one of these is not the secret: "the token's id is ...".
_OTHER_SUBJECTS = frozenset(
    """
    id ids hash commit version file digest sha checksum path url name branch build release tag image line
    page ticket issue length type format size count username host hostname address port key-id kid
    """.split()
)
_AROUND = "\"'`*_„“”«»‹›()[]"


def values_later(text: str, name: Name) -> Iterator[tuple[int, int]]:
    """Start and end of each value later in the sentence, after a verb or a sign, that looks random."""
    if name.is_weak or name.is_unsure or name.is_plural or name.is_lone_pass:
        return
    if not _GOES_ON.match(text, name.end):
        return
    end = _END.search(text, name.end, name.end + _REACH)
    for link in _LINK.finditer(text, name.end, end.start() if end else name.end + _REACH):
        if (link["subject"] or "").strip(_AROUND).lower() in _OTHER_SUBJECTS:
            continue
        start, stop = _trimmed(text, *link.span("value"))
        if is_odd(text[start:stop]):
            yield start, stop


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The value without quotation marks around it and without the punctuation of the sentence."""
    value = text[start:end]
    start += len(value) - len(value.lstrip(_AROUND))
    return start, start + len(value.lstrip(_AROUND).rstrip(_AROUND + ".,;:!?"))
