"""A reference implementation's vectors of twenty sentences, recorded with torch and transformers."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

_FOUND = json.loads((Path(__file__).parent / "reference_vectors.json").read_text(encoding="utf-8"))
SENTENCES: list[str] = _FOUND["sentences"]


def recorded(model: str) -> npt.NDArray[np.float32]:
    """The reference implementation's vectors, one row per sentence."""
    data = np.frombuffer(base64.b64decode(_FOUND[model]), "<f2")
    return data.reshape(len(SENTENCES), -1).astype(np.float32)
