"""Asks a model for text: redaction, the call, at most one retry, the usage record.

One `ModelClient` is one run, with one budget for all its calls. A call ends within the endpoint's timeout,
including a retry and the wait before it. Keys never appear in an error, and no answer is trusted: `read_json`
extracts the one JSON value.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

from anamnesis.errors import ModelError, StoreUnavailable
from anamnesis.model import Usage, add_usage
from anamnesis.model.endpoint import CHARACTERS_PER_TOKEN, Endpoint, Reply, post
from anamnesis.redact import redact

TEMPERATURE = 0.2
_MAX_QUOTED = 200
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"^```[a-zA-Z]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_PAUSE = 1.0
_REMEDIES = {
    401: "check reflection.api_key",
    403: "check reflection.api_key",
    404: "check reflection.base_url and reflection.model",
}


class ModelClient:
    """A model for one run, with the budget that this run may spend on questions."""

    def __init__(
        self, endpoint: Endpoint, *, root: Path, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.endpoint = endpoint
        self.spent = Usage()
        self._root = root
        self._sleep = sleep

    @property
    def label(self) -> str:
        """How notes name this model: `provider/model`."""
        return self.endpoint.label

    @property
    def characters_left(self) -> int:
        """How much input this run may still send."""
        return self.endpoint.max_characters - self.spent.characters_sent

    def ask(self, *, system: str, user: str) -> str:
        """The model's answer to one question; ModelError if there is no usable one."""
        deadline = time.monotonic() + self.endpoint.timeout
        texts = [redact(system), redact(user)]
        message: dict[str, object] = {
            "model": self.endpoint.model,
            "temperature": TEMPERATURE,
            "stream": False,
            "messages": [
                {"role": "system", "content": texts[0]},
                {"role": "user", "content": texts[1]},
            ],
        }
        size = len(texts[0]) + len(texts[1])
        reply = self._call(message, size, deadline)
        if _is_worth_a_retry(reply.status):
            wait = _wait(reply)
            if wait >= deadline - time.monotonic():
                raise ModelError(
                    f"{_refusal(reply, self.endpoint)}; it asks to wait {wait:.0f} s, try again then"
                )
            self._sleep(wait)
            reply = self._call(message, size, deadline)
        return self._text(reply)

    def _call(self, message: dict[str, object], size: int, deadline: float) -> Reply:
        if size > self.characters_left:
            tokens = self.endpoint.max_characters // CHARACTERS_PER_TOKEN
            raise ModelError(
                f"this run's budget of {tokens:,} tokens is spent; "
                "raise reflection.max_tokens, or run it again for the rest"
            )
        # Counted before it is made, so that a killed process counts too.
        self._count(Usage(calls=1, characters_sent=size))
        started = time.monotonic()
        received, failures = 0, 1
        try:
            reply = post(self.endpoint, message, seconds=max(0.001, deadline - started))
            received, failures = len(reply.body), int(reply.status != 200)
            return reply
        finally:
            took = time.monotonic() - started
            self._count(Usage(failures=failures, characters_received=received, seconds=took))

    def _count(self, more: Usage) -> None:
        self.spent = self.spent.plus(more)
        try:
            add_usage(self._root, self.endpoint.label, more)
        except StoreUnavailable as exc:
            raise ModelError(str(exc)) from exc

    def _text(self, reply: Reply) -> str:
        if reply.status != 200:
            raise ModelError(_refusal(reply, self.endpoint))
        try:
            answer = json.loads(reply.body)
            text = answer["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as exc:
            raise ModelError(
                f"{self.endpoint.host} answered, but not as a chat server does; check reflection.base_url"
            ) from exc
        if not isinstance(text, str) or not text.strip():
            raise ModelError(f"{self.label} gave an empty answer; try again, or use another model")
        if answer["choices"][0].get("finish_reason") == "length":
            raise ModelError(
                f"{self.label} stopped in the middle of its answer (finish_reason length); use another model"
            )
        return text


def _is_worth_a_retry(status: int) -> bool:
    return status == 429 or 500 <= status <= 599


def _wait(reply: Reply) -> float:
    """How many seconds the server asks us to wait; a short pause if it does not say."""
    asked = reply.retry_after.strip()
    return float(asked[:9]) if asked.isascii() and asked.isdigit() else _PAUSE


def _refusal(reply: Reply, endpoint: Endpoint) -> str:
    """Why the server refused, in its own words if they are safe to print."""
    remedy = _REMEDIES.get(reply.status, "try again later, or look at the server")
    if 300 <= reply.status <= 399:
        remedy = "no redirect is followed; set reflection.base_url to the final address"
    return f"{endpoint.host} answered HTTP {reply.status}{_quoted_refusal(reply, endpoint)}; {remedy}"


def _quoted_refusal(reply: Reply, endpoint: Endpoint) -> str:
    """The message in a server's error, safe to print; "" if it has none."""
    try:
        answer = json.loads(reply.body)
        text = answer["error"]["message"] if isinstance(answer["error"], dict) else answer["error"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    if not isinstance(text, str):
        return ""
    # A server may quote the key, in full or in part.
    if endpoint.api_key:
        text = text.replace(endpoint.api_key, "[key]")
    words = " ".join(redact(text).split())
    return f" ({''.join(char for char in words if char.isprintable())[:_MAX_QUOTED]})"


def read_json(text: str) -> object:
    """The one JSON value in a model's answer; ModelError if there is none, or more than one."""
    said = _THINKING.sub("", text, count=1).strip()
    blocks = _FENCED.findall(said)
    try:
        value: object = json.loads("\n".join(blocks) or said)
    except (ValueError, RecursionError) as exc:
        raise ModelError("the model's answer is not JSON; try again, or use another model") from exc
    return value
