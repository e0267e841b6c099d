"""A model for tests: it knows a few subjects and the different words for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anamnesis.errors import SemanticError
from anamnesis.semantic.encoder import Floats
from anamnesis.semantic.installed import Installed, save_installed
from anamnesis.semantic.meaning import Meaning

SUBJECTS = (
    "database postgres storage tables",
    "car automobile vehicle driving",
    "bread loaf bakery dough",
    "ship vessel boat harbour",
    "letter mail envelope post",
)
INSTALLED = Installed(name="fake", fingerprint="fake1")


class FakeEncoder:
    """Texts about one subject are near each other, whatever their words; counts the encoded texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.fails = False

    def encode(self, texts: Sequence[str]) -> Floats:
        """One row of length one for each text."""
        if self.fails:
            raise SemanticError("the model is out of order")
        self.texts += texts
        return np.array([_vector(text) for text in texts], np.float32).reshape(len(texts), -1)


def _vector(text: str) -> list[float]:
    words = re.findall(r"\w+", text.lower())
    counts = [1.0 * sum(word in subject.split() for word in words) for subject in SUBJECTS]
    row = [*counts, 0.3 + 0.01 * (sum(map(ord, text)) % 7)]  # texts about nothing are near each other
    length = sum(value * value for value in row) ** 0.5
    return [value / length for value in row]


def fake_meaning(root: Path, encoder: FakeEncoder | None = None) -> Meaning:
    """The fake model, installed in a store."""
    save_installed(root, INSTALLED)
    return Meaning(root, INSTALLED, encoder or FakeEncoder())
