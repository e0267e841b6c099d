"""Draw the plugin's icon: a note with three lines, and a bookmark.

python server/tools/draw_icon.py
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

ICON = Path(__file__).resolve().parents[2] / "plugin" / ".claude-plugin" / "icon.png"
SIZE = 512
Colour = tuple[int, int, int]

GROUND: Colour = (38, 70, 83)
PAPER: Colour = (250, 246, 236)
INK: Colour = (110, 125, 130)
MARK: Colour = (231, 111, 81)
# Left, top, right, bottom and colour, each over those before it.
SHAPES: tuple[tuple[int, int, int, int, Colour], ...] = (
    (0, 0, SIZE, SIZE, GROUND),
    (116, 84, 396, 428, PAPER),
    (156, 176, 356, 196, INK),
    (156, 236, 356, 256, INK),
    (156, 296, 276, 316, INK),
    (316, 84, 356, 148, MARK),
)


def main() -> int:
    """Write the file."""
    ICON.write_bytes(png())
    return 0


def png() -> bytes:
    """The icon as the bytes of a PNG file."""
    rows = b"".join(b"\0" + row for row in _rows())
    head = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _rows() -> Iterator[bytes]:
    for y in range(SIZE):
        row = bytearray(3 * SIZE)
        for left, top, right, bottom, colour in SHAPES:
            if top <= y < bottom:
                row[3 * left : 3 * right] = bytes(colour) * (right - left)
        yield bytes(row)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    sys.exit(main())
