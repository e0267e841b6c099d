"""`encode(texts) -> vectors`: turns texts into vectors of length one, with a BERT-family encoder in numpy.

A model is a folder in the usual layout: `config.json`, `model.safetensors`, `tokenizer.json`, and where they
exist `1_Pooling/config.json` and `sentence_bert_config.json`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from anamnesis.errors import SemanticError
from anamnesis.files import make_folder, read_object

Tokens = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

_BATCH_TOKENS = 512  # in a batch: limits the memory of a forward pass
WEIGHTS = "model.safetensors"
_KEPT = (WEIGHTS, "config.json", "tokenizer.json", "sentence_bert_config.json", "1_Pooling/config.json")


class Encoder(Protocol):
    """Encodes texts as vectors; texts with similar meanings have a high dot product."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """One unit vector for each text."""
        ...


class FolderEncoder:
    """A model on this machine; thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Load the model in a folder; SemanticError says what is missing or not supported."""
        config = _config(folder)
        self._bert = _Bert(
            layers=_number(config, "num_hidden_layers", 12),
            heads=_number(config, "num_attention_heads", 12),
            epsilon=float(str(config.get("layer_norm_eps", 1e-12))),
            tensors=_tensors(folder),
        )
        if not (folder / "tokenizer.json").is_file():
            raise SemanticError(f"{folder}: tokenizer.json is missing; add it, or use another model")
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        most = _number(read_object(folder / "sentence_bert_config.json"), "max_seq_length", 512)
        self._tokenizer.enable_truncation(min(most, _number(config, "max_position_embeddings", 512)))
        pooling = read_object(folder / "1_Pooling" / "config.json")
        self._uses_first_token = bool(pooling.get("pooling_mode_cls_token"))
        try:
            self.encode(["a"])
        except (KeyError, IndexError, ValueError) as exc:
            raise SemanticError(
                f"{folder}: the weights do not fit config.json ({exc}); fetch the model again"
            ) from exc

    def encode(self, texts: Sequence[str]) -> Floats:
        """One unit vector for each text."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
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
        hidden = self._bert.run(tokens, mask)
        vectors: Floats = hidden[:, 0] if self._uses_first_token else (hidden * mask[..., None]).sum(axis=1)
        return unit(vectors)


def unit(vectors: Floats) -> Floats:
    """Scale each row to length one; a row of zeros stays."""
    lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    made: Floats = vectors / np.maximum(lengths, 1e-12)
    return made


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices of texts to run together, of similar length, to keep padding small."""
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        if batches and (len(batches[-1]) + 1) * lengths[number] <= _BATCH_TOKENS:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


def fingerprint(folder: Path) -> str:
    """A digest of exactly this model: vectors of different models cannot be compared."""
    digest = sha256()
    for name in _KEPT:
        path = folder / name
        if path.is_file():
            digest.update(f"{name}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def copy_model(source: Path, target: Path) -> None:
    """Copy the files of a model folder that are used."""
    for name in _KEPT:
        if (source / name).is_file():
            make_folder((target / name).parent)
            shutil.copyfile(source / name, target / name)


def _config(folder: Path) -> dict[str, object]:
    config = read_object(folder / "config.json")
    if not config:
        raise SemanticError(f"{folder}: no config.json that can be read; name a folder that contains a model")
    wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
    for name, value in wanted.items():
        if (found := config.get(name, None if name == "model_type" else value)) != value:
            raise SemanticError(
                f"{folder}: {name} is {found!r}, and only {value!r} can be run;"
                " use all-MiniLM-L6-v2, bge-small or gte-small"
            )
    return config


def _tensors(folder: Path) -> dict[str, Floats]:
    path = folder / WEIGHTS
    try:
        found = load_file(path)
    except (OSError, SafetensorError) as exc:
        raise SemanticError(f"{path}: the weights cannot be read ({exc}); fetch the model again") from exc
    tensors = {name.removeprefix("bert."): tensor for name, tensor in found.items()}
    wanted = ("embeddings.", "encoder.")
    return {
        name: tensor.astype(np.float32)
        for name, tensor in tensors.items()
        if name.startswith(wanted) and tensor.dtype.kind == "f"
    }


def _number(values: Mapping[str, object], key: str, default: int) -> int:
    found = values.get(key)
    return found if isinstance(found, int) and found > 0 else default


@dataclass(frozen=True, slots=True)
class _Bert:
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
