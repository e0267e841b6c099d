"""Hook payloads of any shape: the hook exits with 0, and no unexpected error is raised."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis.cli import main, output
from anamnesis.store import MemoryStore

_KEYS = (
    "hook_event_name session_id transcript_path cwd source prompt reason trigger permission_mode model"
    " agent_type custom_instructions stop_hook_active"
).split()
_WORDS = (
    "SessionStart UserPromptSubmit SessionEnd PreCompact startup resume clear compact other auto manual"
    " . .. / ~ /nonexistent/x.jsonl C:\\x file:///x walrus"
).split()
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_PAYLOADS = st.one_of(
    st.binary(max_size=60),
    _VALUES.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(st.sampled_from(_KEYS), _VALUES).map(lambda value: json.dumps(value).encode()),
)
# What Python raises for a value the code does not handle; our own errors say what to do.
_UNFORESEEN = re.compile(r"\b(Type|Attribute|Key|Index|Value|Unicode\w*|Assertion|Recursion|Overflow)Error\b")


@pytest.mark.parametrize(
    "words", [["inject"], ["capture", "--no-sync", "--quiet"]], ids=lambda words: words[0]
)
@settings(suppress_health_check=list(HealthCheck))
@given(payload=_PAYLOADS)
def test_no_payload_makes_a_hook_fail(store: MemoryStore, words: list[str], payload: bytes) -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "_read_stdin", lambda: payload)
        patch.setattr(output, "report", said.append)
        assert main(words) == 0
    assert not [line for line in said if _UNFORESEEN.search(line)]
