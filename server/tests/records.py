"""Strategies for notes: any valid record, and front matter as people write it by hand."""

from __future__ import annotations

from hypothesis import strategies as st

from anamnesis.notes.record import Memory, unique_tags
from anamnesis.notes.vocabulary import SCOPES, SOURCES, TYPES

# Everything except surrogates, which no file can contain.
texts = st.text(st.characters(exclude_categories=["Cs"]))
lines = st.one_of(
    texts,
    st.text("ab:#-'\"[]{}&*!|>%@`, \n\t\\?~=0123456789", max_size=40),
    st.from_regex(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?", fullmatch=True),
    st.sampled_from(
        ["null", "~", "yes", "No", "1e3", "0x1f", "1_000", "12:30:00", "=", "<<", "---", "...", "x" * 200]
    ),
    st.text("word ", min_size=70, max_size=200),
)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}", fullmatch=True)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Any note that the writer accepts."""
    own = draw(ids)
    others = draw(st.lists(ids.filter(lambda other: other != own), max_size=3))
    return Memory(
        id=own,
        type=draw(st.sampled_from(TYPES)),
        title=draw(lines),
        body=draw(st.one_of(texts, lines)),
        project=draw(lines),
        machine_id=draw(lines),
        scope=draw(st.sampled_from(SCOPES)),
        tags=unique_tags(draw(st.lists(lines, max_size=4))),
        created_at=draw(lines),
        updated_at=draw(lines),
        prov_source=draw(st.sampled_from(SOURCES)),
        prov_model=draw(lines),
        prov_session=draw(lines),
        confidence=draw(st.floats(allow_nan=False, allow_infinity=False)),
        supersedes=" ".join(others),
    )
