"""A long text in overlapping windows."""

from __future__ import annotations

from anamnesis.semantic.vectors import MAX_WINDOWS, WINDOW_CHARS, windows_of


def numbered(count: int) -> str:
    """`count` different words."""
    return " ".join(f"w{number}" for number in range(count))


def test_a_short_note_is_one_window_with_its_title_first() -> None:
    assert windows_of("Title", "the body") == ["Title\nthe body"]


def test_windows_of_150_words_start_every_120() -> None:
    pieces = [piece.split() for piece in windows_of("", numbered(300))]
    assert [(piece[0], piece[-1]) for piece in pieces] == [
        ("w0", "w149"),
        ("w120", "w269"),
        ("w240", "w299"),
    ]


def test_a_text_without_spaces_is_cut_by_characters() -> None:
    pieces = windows_of("", "".join(chr(0x4E00 + number % 5000) for number in range(4000)))
    assert len(pieces) == 4
    assert all(len(piece) <= WINDOW_CHARS for piece in pieces)


def test_the_number_of_windows_of_a_note_is_limited() -> None:
    assert len(windows_of("", numbered(100_000))) == MAX_WINDOWS
