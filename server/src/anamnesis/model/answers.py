"""JSON out of what a model says: alone, in one fenced block, or after its thinking aloud. Pure."""

from __future__ import annotations

import json
import re

from anamnesis.errors import ModelError

_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"^```[a-zA-Z]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


def read_json(text: str) -> object:
    """The one JSON value in a model's answer; ModelError when there is none, or more than one."""
    said = _THINKING.sub("", text, count=1).strip()
    blocks = _FENCED.findall(said)
    if len(blocks) > 1:
        raise ModelError("the model's answer holds several JSON blocks; try again, or use another model")
    try:
        found: object = json.loads(blocks[0] if blocks else said, parse_constant=_refuse)
    except (ValueError, RecursionError) as exc:
        raise ModelError("the model's answer is not JSON; try again, or use another model") from exc
    return found


def _refuse(constant: str) -> float:
    raise ValueError(constant)
