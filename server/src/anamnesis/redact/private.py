"""`<private>` spans: what the user marked as not for memory. Pure."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)\s{0,8}private(?:\s[^<>]{0,200})?>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """`text` without its `<private>...</private>` spans; one that is never closed reaches to the end.

    Spans may nest. A closing tag without an opening one is ordinary text.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)
