"""`encode(texts) -> vectors`: the one interface that turns texts into vectors of length one.

A model is a folder in the usual layout: `config.json`, `model.safetensors`, `tokenizer.json`, and where they
exist `1_Pooling/config.json` and `sentence_bert_config.json`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from anamnesis.errors import SemanticError
from anamnesis.files import make_folder, read_object
from anamnesis.semantic.bert import Bert, Floats, Tokens

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
        self._bert = Bert(
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
