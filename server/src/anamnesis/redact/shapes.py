"""Credentials recognised by their form: an issuer's prefix, a header, a key block, a URL. Pure.

Issuers' prefixes are looked up at every start of a word; any other rule is tried only if one of its hints is
in the text. No expression backtracks more than a bounded number of steps per character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from anamnesis.redact.arguments import ARGUMENT_RULES
from anamnesis.redact.blocks import BLOCK_RULES, find_cut_keys, find_manifests
from anamnesis.redact.issuers import ISSUERS, Issuer
from anamnesis.redact.logins import LOGIN_RULES
from anamnesis.redact.rules import Folded, Rule, Rules, Span, compiled, judged
from anamnesis.redact.sql import find_inserted
from anamnesis.redact.statements import STATEMENT_RULES, find_set
from anamnesis.redact.urls import URL_RULES
from anamnesis.redact.users import USER_RULES
from anamnesis.redact.words import reads_as_words


def find_shaped(folded: Folded) -> Iterator[Span]:
    """Start, end and kind of every credential whose form is known."""
    yield from _find_issued(folded.text)
    yield from _RULES.find(folded)
    yield from find_manifests(folded.text)
    yield from find_cut_keys(folded.text)
    yield from find_set(folded)
    yield from find_inserted(folded)


# Where a key can start: not inside a word; `\n` and `%3D` before it are escapes.
_START = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?=[A-Za-z0-9$_][!-~]{11})")
_Candidates = tuple[tuple[str, Rule], ...]  # prefix and rule


def _find_issued(text: str) -> Iterator[Span]:
    """Keys with a known prefix, and those of issuers that use none."""
    by_start, without_prefix = _issued()
    any_without_prefix = compiled("|".join(rule.pattern for _, rule in without_prefix))
    position = 0
    for place in _START.finditer(text):
        start = place.start()
        if start < position:
            continue
        candidates = by_start.get(text[start : start + 2], ())
        if any_without_prefix.match(text, start):
            candidates += without_prefix
        for prefix, rule in candidates:
            found = compiled(rule.pattern).match(text, start) if text.startswith(prefix, start) else None
            if found:
                position = found.end()
                yield from judged(rule, text, (found,))
                break


@cache
def _issued() -> tuple[dict[str, _Candidates], _Candidates]:
    """The issuers' rules by the first two characters of their prefix, and the rules without a prefix."""
    by_start: dict[str, _Candidates] = {}
    for rule in (_rule(issuer) for issuer in ISSUERS if not issuer.is_within):
        for prefix in rule.hints:
            by_start[prefix[:2]] = (*by_start.get(prefix[:2], ()), (prefix, rule))
    without_prefix = (*(_rule(issuer) for issuer in ISSUERS if not issuer.hints), _UNKNOWN_ISSUER)
    return by_start, tuple(("", rule) for rule in without_prefix)


def _rule(issuer: Issuer) -> Rule:
    return Rule(issuer.kind, issuer.hints, issuer.pattern, _is_not_a_name)


_WORDS = re.compile(r"[a-z]{1,20}(?:[-_.][a-z]{1,20})+[-_.]?|[A-Z]{1,20}(?:[-_][A-Z]{1,20})+")


def _is_not_a_name(found: re.Match[str]) -> bool:
    """Whether an issuer's prefix is not followed by words, as in `hf_hub_download`."""
    body = found["body"] if "body" in found.re.groupindex else found[0]
    return not _WORDS.fullmatch(body) and not reads_as_words(body)


# A prefix that is not in the table, then a random text: longer than an id, with upper and lower case and
# digits. Hashes and public keys are left alone.
_UNKNOWN_ISSUER = Rule(
    "token",
    (),
    r"(?!sha\d|pk[_-]|phc_|sb_publishable_)[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,12}){0,2}[_-]"
    r"(?=[A-Za-z]{0,60}\d)(?=[a-z0-9]{0,60}[A-Z])(?=[A-Z0-9]{0,60}[a-z])[A-Za-z0-9]{40,200}(?![\w+/=-])",
    _is_not_a_name,
)
_RULES = Rules(
    (
        *(_rule(issuer) for issuer in ISSUERS if issuer.is_within),
        # The look-behind keeps the search from starting again inside a run that it has already read.
        Rule(
            "jwt",
            ("eyJ",),
            r"(?:(?<![\w-])|(?<=\\[nrt]))eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?=\.[\w-]{8}))(?:\.[\w-]*){1,3}",
        ),
        Rule("jwt", ("ZXlK",), r"(?:(?<![\w-])|(?<=\\[nrt]))ZXlK[A-Za-z0-9+/]{60,}={0,2}"),
        *URL_RULES,
        *LOGIN_RULES,
        *ARGUMENT_RULES,
        *USER_RULES,
        *STATEMENT_RULES,
        *BLOCK_RULES,
    )
)
