"""Numbers of a model: as floats, or as bytes with a scale for each row, in a quarter of the memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]
_PIECE = 192
SCALE = ".scale"  # added to the name of a matrix of bytes: the name of its scales


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix with one row per output (or per token), as it is stored."""

    rows: Floats | Bytes
    scale: Floats | None  # one number per row; None where the rows are floats

    def times(self, inputs: Floats) -> Floats:
        """Multiply each row of inputs with each row of the matrix."""
        if self.scale is None:
            whole: Floats = inputs @ self.rows.T
            return whole
        product = np.empty((len(inputs), len(self.rows)), np.float32)
        # Cast for this one product, in pieces that the processor's cache holds.
        for start in range(0, len(self.rows), _PIECE):
            part = slice(start, start + _PIECE)
            product[:, part] = inputs @ self.rows[part].astype(np.float32).T
        product *= self.scale
        return product

    def pick(self, numbers: npt.NDArray[np.int64]) -> Floats:
        """The rows with these numbers, as floats."""
        picked = self.rows[numbers].astype(np.float32)
        return picked if self.scale is None else picked * self.scale[numbers][..., None]


def as_bytes(matrix: Floats) -> tuple[Bytes, Floats]:
    """A matrix as whole numbers from -127 to 127 and the scale of each row."""
    scale = np.abs(matrix).max(axis=1).astype(np.float32) / 127
    scale[scale == 0] = 1.0
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale
