"""The encoder in numpy against a reference implementation, and the model folders that it reads."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from anamnesis.errors import SemanticError
from anamnesis.semantic.encoder import FolderEncoder
from semantic_reference import SENTENCES, recorded
from tiny_model import make_tiny_model

REAL_MODEL = os.environ.get("SEMANTIC_MODEL_FOLDER", "")
CLOSE = 1e-3


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_encoder_agrees_with_the_reference_on_twenty_sentences(tmp_path: Path, pooling: str) -> None:
    encoder = FolderEncoder(make_tiny_model(tmp_path / "tiny", pooling=pooling))
    assert np.abs(encoder.encode(SENTENCES) - recorded(f"tiny_{pooling}")).max() < CLOSE


@pytest.mark.skipif(not REAL_MODEL, reason="SEMANTIC_MODEL_FOLDER names no folder with all-MiniLM-L6-v2")
def test_all_minilm_agrees_with_the_reference_on_twenty_sentences() -> None:
    vectors = FolderEncoder(Path(REAL_MODEL)).encode(SENTENCES)
    assert np.abs(vectors - recorded("all_minilm_l6_v2")).max() < CLOSE


def test_a_text_has_the_same_vector_alone_and_among_longer_ones(tmp_path: Path) -> None:
    encoder = FolderEncoder(make_tiny_model(tmp_path / "tiny"))
    together = encoder.encode(SENTENCES)
    alone = np.concatenate([encoder.encode([text]) for text in SENTENCES])
    assert np.abs(together - alone).max() < CLOSE


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json is missing"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"), "cannot be read"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "t5"}'), "'t5'"),
    ],
)
def test_an_unusable_model_folder_says_what_is_wrong(tmp_path: Path, spoil: object, said: str) -> None:
    folder = make_tiny_model(tmp_path / "tiny")
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(SemanticError, match=said):
        FolderEncoder(folder)
