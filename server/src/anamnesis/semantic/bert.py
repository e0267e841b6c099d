"""The forward pass of a BERT-family encoder in numpy: token ids in, one vector per token out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Tokens = npt.NDArray[np.int64]
_NOWHERE = np.float32(-1e9)  # added to the attention score of padding
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of the computation, from a model's config.json."""

    layers: int
    heads: int
    epsilon: float
    activation: str


@dataclass(frozen=True, slots=True)
class Bert:
    """A model that is ready to run: its shape, and its weights by name."""

    shape: Shape
    tensors: Mapping[str, Floats]

    def run(self, tokens: Tokens, mask: Floats) -> Floats:
        """The vectors of the last layer, one per token; `mask` is 0 where a text has ended."""
        hidden = self._embedded(tokens)
        unseen = (1 - mask[:, None, None, :]) * _NOWHERE
        for number in range(self.shape.layers):
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
        inner = _activated(self.shape.activation, self._dense(f"{name}.intermediate.dense", hidden))
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
        return vectors.reshape(texts, places, self.shape.heads, -1).swapaxes(1, 2)

    def _dense(self, name: str, vectors: Floats) -> Floats:
        flat: Floats = vectors.reshape(-1, vectors.shape[-1]) @ self.tensors[f"{name}.weight"].T
        flat += self.tensors[f"{name}.bias"]
        return flat.reshape(*vectors.shape[:-1], -1)

    def _normalised(self, name: str, vectors: Floats) -> Floats:
        vectors -= vectors.mean(axis=-1, keepdims=True)
        vectors /= np.sqrt((vectors * vectors).mean(axis=-1, keepdims=True) + self.shape.epsilon)
        vectors *= self.tensors[f"{name}.weight"]
        vectors += self.tensors[f"{name}.bias"]
        return vectors


ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")


def _activated(kind: str, values: Floats) -> Floats:
    if kind == "relu":
        return np.maximum(values, 0)
    if kind == "gelu":
        share = _erf(values * np.float32(np.sqrt(0.5)))
    else:
        cubed = values * values * values
        share = np.tanh(np.float32(np.sqrt(2 / np.pi)) * (values + np.float32(0.044715) * cubed))
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


# Abramowitz and Stegun 7.1.26: an error of at most 1.5e-7, about the precision of a float32.
_ERF_P = np.float32(0.3275911)
_ERF_A = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))


def _erf(values: Floats) -> Floats:
    size = np.abs(values)
    step = 1 / (1 + _ERF_P * size)
    total = np.full_like(step, _ERF_A[0])
    for factor in _ERF_A[1:]:
        total *= step
        total += factor
    total *= step
    size *= size
    total *= np.exp(np.negative(size, out=size), out=size)
    return np.copysign(1 - total, values)
