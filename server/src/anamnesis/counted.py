"""How many of what, in words that agree."""


def counted(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 note`, `2 notes`; `many` where an s is not enough."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"
