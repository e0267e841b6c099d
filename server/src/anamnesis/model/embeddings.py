"""Vectors of texts from a server that speaks the OpenAI embeddings protocol: redacted, counted, checked."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis.errors import ModelError, StoreUnavailable
from anamnesis.model.client import quoted_refusal
from anamnesis.model.endpoint import Endpoint
from anamnesis.model.exchange import Reply, post
from anamnesis.model.usage import Usage, add_usage
from anamnesis.redact import redact

_TEXTS_AT_ONCE = 32
_PAUSE = 1.0


class EmbeddingClient:
    """A server that makes vectors of texts."""

    def __init__(self, endpoint: Endpoint, *, root: Path) -> None:
        self.endpoint = endpoint
        self._root = root

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        """One vector for each text, each request within `seconds`; ModelError when there are none."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            rows += self._embedded([redact(text) for text in texts[start : start + _TEXTS_AT_ONCE]], seconds)
        if len({len(row) for row in rows}) > 1:
            raise ModelError(f"{self.endpoint.host} answered with vectors of different lengths; use another")
        return rows

    def _embedded(self, texts: list[str], seconds: float) -> list[list[float]]:
        # A server refuses an empty text, and a note of nothing but a credential may be one now.
        message: dict[str, object] = {"model": self.endpoint.model, "input": [text or " " for text in texts]}
        size = sum(map(len, texts))
        reply = self._call(message, size, seconds)
        if reply.status == 429 or reply.status >= 500:
            time.sleep(_PAUSE)
            reply = self._call(message, size, seconds)
        if reply.status != 200:
            said = quoted_refusal(reply, self.endpoint)
            raise ModelError(
                f"{self.endpoint.host} answered HTTP {reply.status}{said};"
                " check its address, the model's name and semantic.api_key"
            )
        return _rows(reply, len(texts), self.endpoint.host)

    def _call(self, message: dict[str, object], size: int, seconds: float) -> Reply:
        started = time.monotonic()
        received, failures = 0, 1
        try:
            reply = post(replace(self.endpoint, timeout=seconds), message, seconds=seconds)
            received, failures = len(reply.body), int(reply.status != 200)
            return reply
        finally:
            self._count(
                Usage(
                    calls=1,
                    failures=failures,
                    characters_sent=size,
                    characters_received=received,
                    seconds=time.monotonic() - started,
                )
            )

    def _count(self, more: Usage) -> None:
        try:
            add_usage(self._root, self.endpoint.label, more)
        except StoreUnavailable as exc:
            raise ModelError(str(exc)) from exc


def _rows(reply: Reply, count: int, host: str) -> list[list[float]]:
    try:
        found = json.loads(reply.body)["data"]
        ordered = sorted(found, key=lambda each: each["index"])
        rows = [[float(value) for value in each["embedding"]] for each in ordered]
    except (ValueError, LookupError, TypeError, RecursionError) as exc:
        raise ModelError(f"{host} answered, but not as an embeddings server does; check its address") from exc
    if len(rows) != count or not all(rows):
        raise ModelError(f"{host} answered with {len(rows)} vectors for {count} texts; try again")
    return rows
