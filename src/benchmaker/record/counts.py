"""Counts with their nouns, in the one format used everywhere."""


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun; without a ``plural`` the noun gets an s.

    >>> count(1, "case"), count(1319, "case"), count(2, "entry", "entries")
    ('1 case', '1,319 cases', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
