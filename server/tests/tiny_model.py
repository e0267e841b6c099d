"""A BERT model of a few kilobytes with seeded random weights, in the usual layout of a model folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

HIDDEN, INNER, LAYERS, HEADS, PLACES = 32, 64, 2, 4, 64
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WHOLE = "the a of to is note file disk full lock sync server key port test build night".split()


def make_tiny_model(folder: Path, *, pooling: str = "mean", activation: str = "gelu") -> Path:
    """Write the model into `folder`; the same seed gives the same model everywhere."""
    (folder / "1_Pooling").mkdir(parents=True)
    words = _words()
    config = {
        "model_type": "bert",
        "hidden_act": activation,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": PLACES,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "type_vocab_size": 2,
        "vocab_size": len(words),
    }
    pool = {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pool))
    known = {word: number for number, word in enumerate(words)}
    BertWordPieceTokenizer(known, lowercase=True).save(str(folder / "tokenizer.json"))
    save_file(dict(_tensors(len(words))), folder / "model.safetensors")
    return folder


def _words() -> list[str]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)] + [str(digit) for digit in range(10)]
    signs = list(".,;:!?'\"()-/`_")
    return [*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *signs, *WHOLE]


def _tensors(vocabulary: int) -> Iterator[tuple[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    dice = np.random.Generator(np.random.PCG64(20260131))
    for name, shape in _shapes(vocabulary):
        scale, around = (0.1, 1.0) if name.endswith("LayerNorm.weight") else (0.25, 0.0)
        yield name, (around + scale * dice.standard_normal(shape)).astype(np.float32)


def _shapes(vocabulary: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "embeddings.word_embeddings.weight", (vocabulary, HIDDEN)
    yield "embeddings.position_embeddings.weight", (PLACES, HIDDEN)
    yield "embeddings.token_type_embeddings.weight", (2, HIDDEN)
    yield from _pair("embeddings.LayerNorm", (HIDDEN,))
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            yield from _pair(f"{layer}.attention.self.{part}", (HIDDEN, HIDDEN))
        yield from _pair(f"{layer}.attention.output.dense", (HIDDEN, HIDDEN))
        yield from _pair(f"{layer}.attention.output.LayerNorm", (HIDDEN,))
        yield from _pair(f"{layer}.intermediate.dense", (INNER, HIDDEN))
        yield from _pair(f"{layer}.output.dense", (HIDDEN, INNER))
        yield from _pair(f"{layer}.output.LayerNorm", (HIDDEN,))


def _pair(name: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
