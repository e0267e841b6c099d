"""`encode(texts) -> vectors`: the one interface that turns texts into vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from anamnesis.errors import SemanticError
from anamnesis.model.client import EmbeddingClient
from anamnesis.model.endpoint import EMBEDDING_SECONDS, embedding_endpoint
from anamnesis.semantic.bert import Floats, Tokens
from anamnesis.semantic.folder import Model, load_model
from anamnesis.semantic.installed import Installed

_QUERY_SECONDS = 3.0
_BATCH_TOKENS = 512  # of a batch together: bounds the memory that a forward pass takes


class Encoder(Protocol):
    """Encodes texts as vectors; similar meanings have a high product."""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One row of length one for each text; `query` says that they are queries, not notes."""
        ...


class FolderEncoder:
    """A model on this machine; safe for threads."""

    def __init__(self, folder: Path) -> None:
        self._model: Model = load_model(folder)
        try:
            self.encode(["a"])
        except (KeyError, IndexError, ValueError) as exc:
            raise SemanticError(
                f"{folder}: the weights do not fit config.json ({exc}); fetch the model again"
            ) from exc

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One row of length one for each text."""
        manner = self._model.manner
        prefix = manner.query_prefix if query else manner.note_prefix
        tokens = [self._model.tokenizer.encode(prefix + text).ids for text in texts]
        rows: list[Floats] = [np.empty(0, np.float32)] * len(tokens)
        for batch in _batches([len(each) for each in tokens]):
            for number, row in zip(batch, self._run([tokens[each] for each in batch]), strict=True):
                rows[number] = row
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def _run(self, texts: list[list[int]]) -> Floats:
        places = max(1, *map(len, texts))
        tokens: Tokens = np.zeros((len(texts), places), np.int64)
        mask = np.zeros((len(texts), places), np.float32)
        for number, ids in enumerate(texts):
            tokens[number, : len(ids)] = ids
            mask[number, : len(ids)] = 1
        hidden = self._model.bert.run(tokens, mask)
        return unit(hidden[:, 0] if self._model.manner.pooling == "cls" else _mean(hidden, mask))


class EndpointEncoder:
    """A model behind an OpenAI-compatible `/embeddings`; texts are redacted before they are sent."""

    def __init__(self, root: Path, installed: Installed) -> None:
        endpoint = embedding_endpoint(installed.url, installed.name, home=root)
        self._client = EmbeddingClient(endpoint, root=root)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One row of length one for each text; a query has a short timeout, because a person waits for it."""
        rows = self._client.embed(texts, seconds=_QUERY_SECONDS if query else EMBEDDING_SECONDS)
        return unit(np.array(rows, np.float32).reshape(len(texts), -1 if rows else 0))


def unit(vectors: Floats) -> Floats:
    """Each row at length one; a row of zeros stays."""
    lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    made: Floats = vectors / np.maximum(lengths, 1e-12)
    return made


def _mean(hidden: Floats, mask: Floats) -> Floats:
    total: Floats = (hidden * mask[..., None]).sum(axis=1)
    total /= np.maximum(mask.sum(axis=1, keepdims=True), 1e-9)
    return total


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices of texts to run together: of similar length, so that little of a batch is padding."""
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        if batches and (len(batches[-1]) + 1) * lengths[number] <= _BATCH_TOKENS:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches
