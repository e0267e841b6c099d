"""The forward pass of a BERT-family encoder in numpy: token ids in, one vector per token out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Tokens = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Bert:
    """A model that is ready to run: the parameters of the computation, and its weights by name."""

    layers: int
    heads: int
    epsilon: float
    tensors: Mapping[str, Floats]

    def run(self, tokens: Tokens, mask: Floats) -> Floats:
        """The vectors of the last layer, one per token; `mask` is 0 where a text has ended."""
        hidden = self._embedded(tokens)
        unseen = (1 - mask[:, None, None, :]) * np.float32(-1e9)  # no attention to padding
        for number in range(self.layers):
            hidden = self._layer(f"encoder.layer.{number}", hidden, unseen)
        return hidden

    def _embedded(self, tokens: Tokens) -> Floats:
        words: Floats = self.tensors["embeddings.word_embeddings.weight"][tokens]
        words = words + self.tensors["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        words += self.tensors["embeddings.token_type_embeddings.weight"][0]
        return self._normalised("embeddings.LayerNorm", words)

    def _layer(self, name: str, hidden: Floats, unseen: Floats) -> Floats:
        attended = self._dense(f"{name}.attention.output.dense", self._attention(name, hidden, unseen))
        hidden = self._normalised(f"{name}.attention.output.LayerNorm", attended + hidden)
        inner = _gelu(self._dense(f"{name}.intermediate.dense", hidden))
        return self._normalised(
            f"{name}.output.LayerNorm", self._dense(f"{name}.output.dense", inner) + hidden
        )

    def _attention(self, name: str, hidden: Floats, unseen: Floats) -> Floats:
        queries, keys, values = (
            self._heads(self._dense(f"{name}.attention.self.{part}", hidden))
            for part in ("query", "key", "value")
        )
        scores = queries @ keys.swapaxes(-1, -2)
        scores /= np.float32(np.sqrt(queries.shape[-1]))
        scores += unseen
        mixed: Floats = _softmax(scores) @ values
        return mixed.swapaxes(1, 2).reshape(hidden.shape)

    def _heads(self, vectors: Floats) -> Floats:
        texts, places, _ = vectors.shape
        return vectors.reshape(texts, places, self.heads, -1).swapaxes(1, 2)

    def _dense(self, name: str, vectors: Floats) -> Floats:
        flat: Floats = vectors.reshape(-1, vectors.shape[-1]) @ self.tensors[f"{name}.weight"].T
        flat += self.tensors[f"{name}.bias"]
        return flat.reshape(*vectors.shape[:-1], -1)

    def _normalised(self, name: str, vectors: Floats) -> Floats:
        vectors -= vectors.mean(axis=-1, keepdims=True)
        vectors /= np.sqrt((vectors * vectors).mean(axis=-1, keepdims=True) + self.epsilon)
        vectors *= self.tensors[f"{name}.weight"]
        vectors += self.tensors[f"{name}.bias"]
        return vectors


def _gelu(values: Floats) -> Floats:
    share = _erf(values * np.float32(np.sqrt(0.5)))
    share += 1
    share *= np.float32(0.5)
    share *= values
    return share


def _softmax(scores: Floats) -> Floats:
    """The softmax over the last axis."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _erf(values: Floats) -> Floats:
    """Abramowitz and Stegun 7.1.26: an error of at most 1.5e-7, about the precision of a float32."""
    size = np.abs(values)
    step = 1 / (1 + np.float32(0.3275911) * size)
    total = np.zeros_like(step)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        total += np.float32(factor)
        total *= step
    size *= size
    total *= np.exp(np.negative(size, out=size), out=size)
    return np.copysign(1 - total, values)
