"""Counts with their nouns, in the one format used everywhere."""


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "case"), count(1319, "case")
    ('1 case', '1,319 cases')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
