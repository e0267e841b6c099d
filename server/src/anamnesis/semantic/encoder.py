"""`encode(texts) -> vectors`: the one interface that turns texts into vectors of length one.

A model is a folder in the usual layout, which is read and checked:
`config.json`, `model.safetensors`, `tokenizer.json` or `vocab.txt`; where they exist also
`1_Pooling/config.json`, `sentence_bert_config.json` and `config_sentence_transformers.json`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from anamnesis.errors import SemanticError
from anamnesis.files import make_folder, read_object
from anamnesis.semantic.bert import ACTIVATIONS, Bert, Floats, Shape, Tokens

_BATCH_TOKENS = 512  # in a batch: limits the memory of a forward pass
WEIGHTS = "model.safetensors"
_KEPT = (
    "config.json",
    "tokenizer.json",
    "vocab.txt",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
)
_NO_LIMIT = 512


class Encoder(Protocol):
    """Encodes texts as vectors; texts with similar meanings have a high dot product."""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One unit vector for each text; `query` says that the texts are queries, not notes."""
        ...


class FolderEncoder:
    """A model on this machine; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._model: Model = load_model(folder)
        try:
            self.encode(["a"])
        except (KeyError, IndexError, ValueError) as exc:
            raise SemanticError(
                f"{folder}: the weights do not fit config.json ({exc}); fetch the model again"
            ) from exc

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One unit vector for each text."""
        encoding = self._model.encoding
        prefix = encoding.query_prefix if query else encoding.note_prefix
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
        return unit(hidden[:, 0] if self._model.encoding.pooling == "cls" else _mean(hidden, mask))


def unit(vectors: Floats) -> Floats:
    """Scale each row to length one; a row of zeros stays."""
    lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    made: Floats = vectors / np.maximum(lengths, 1e-12)
    return made


def _mean(hidden: Floats, mask: Floats) -> Floats:
    total: Floats = (hidden * mask[..., None]).sum(axis=1)
    total /= np.maximum(mask.sum(axis=1, keepdims=True), 1e-9)
    return total


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices of texts to run together, of similar length, to keep padding small."""
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        if batches and (len(batches[-1]) + 1) * lengths[number] <= _BATCH_TOKENS:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


@dataclass(frozen=True, slots=True)
class EncodingConfig:
    """How a model expects its input, and how its token vectors are pooled into one."""

    pooling: str  # "mean" or "cls"
    max_tokens: int
    query_prefix: str
    note_prefix: str


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model: weights, tokenizer, and how to use them."""

    bert: Bert
    tokenizer: Tokenizer
    encoding: EncodingConfig


def load_model(folder: Path) -> Model:
    """Load the model in a folder; SemanticError says what is missing or not supported."""
    config = _config(folder)
    encoding = _read_encoding_config(folder, config)
    tokenizer = _tokenizer(folder)
    tokenizer.no_padding()
    tokenizer.enable_truncation(encoding.max_tokens)
    return Model(Bert(_shape(folder, config), _tensors(folder)), tokenizer, encoding)


def fingerprint(folder: Path) -> str:
    """A digest of exactly this model: vectors of different models cannot be compared."""
    digest = sha256()
    for name in (WEIGHTS, *_KEPT):
        path = folder / name
        if path.is_file():
            digest.update(f"{name}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def copy_model(source: Path, target: Path) -> None:
    """Copy the files of a model folder that are used."""
    for name in (WEIGHTS, *_KEPT):
        if (source / name).is_file():
            make_folder((target / name).parent)
            shutil.copyfile(source / name, target / name)


def _config(folder: Path) -> dict[str, object]:
    config = read_object(folder / "config.json")
    if not config:
        raise SemanticError(f"{folder}: no config.json that can be read; name a folder that contains a model")
    kind = config.get("model_type")
    if kind != "bert":
        raise SemanticError(
            f"{folder}: the model is of type {kind!r}, and only BERT models can be run;"
            " use all-MiniLM-L6-v2, bge-small or gte-small"
        )
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise SemanticError(f"{folder}: relative positions are not supported; use another model")
    return config


def _shape(folder: Path, config: Mapping[str, object]) -> Shape:
    activation = str(config.get("hidden_act", "gelu"))
    if activation not in ACTIVATIONS:
        raise SemanticError(f"{folder}: the activation {activation!r} is not supported; use another model")
    return Shape(
        layers=_number(config, "num_hidden_layers", 12),
        heads=_number(config, "num_attention_heads", 12),
        epsilon=float(str(config.get("layer_norm_eps", 1e-12))),
        activation=activation,
    )


def _read_encoding_config(folder: Path, config: Mapping[str, object]) -> EncodingConfig:
    sentence = read_object(folder / "sentence_bert_config.json")
    prompts = _prompts(folder)
    return EncodingConfig(
        pooling=_pooling(folder),
        max_tokens=min(
            _number(config, "max_position_embeddings", _NO_LIMIT),
            _number(sentence, "max_seq_length", _NO_LIMIT),
        ),
        query_prefix=prompts.get("query", ""),
        note_prefix=prompts.get("document", prompts.get("passage", "")),
    )


def _pooling(folder: Path) -> str:
    said = read_object(folder / "1_Pooling" / "config.json")
    return "cls" if said.get("pooling_mode_cls_token") else "mean"


def _prompts(folder: Path) -> dict[str, str]:
    found = read_object(folder / "config_sentence_transformers.json").get("prompts")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _tokenizer(folder: Path) -> Tokenizer:
    whole, words = folder / "tokenizer.json", folder / "vocab.txt"
    if whole.is_file():
        return Tokenizer.from_file(str(whole))
    if not words.is_file():
        raise SemanticError(f"{folder}: neither tokenizer.json nor vocab.txt is there; add one of them")
    lower = read_object(folder / "tokenizer_config.json").get("do_lower_case", True)
    made = BertWordPieceTokenizer(str(words), lowercase=bool(lower))
    return Tokenizer.from_str(made.to_str())


def _tensors(folder: Path) -> dict[str, Floats]:
    path = folder / WEIGHTS
    try:
        found = load_file(path)
    except (OSError, SafetensorError) as exc:
        raise SemanticError(f"{path}: the weights cannot be read ({exc}); fetch the model again") from exc
    tensors = {name.removeprefix("bert."): tensor for name, tensor in found.items()}
    if "embeddings.word_embeddings.weight" not in tensors:
        raise SemanticError(f"{path}: these are not the weights of a BERT encoder; use another model")
    wanted = ("embeddings.", "encoder.")
    return {
        name: tensor.astype(np.float32)
        for name, tensor in tensors.items()
        if name.startswith(wanted) and tensor.dtype.kind == "f" and not name.endswith("position_ids")
    }


def _number(values: Mapping[str, object], key: str, default: int) -> int:
    found = values.get(key)
    return found if isinstance(found, int) and found > 0 else default
