"""The labels of runs in a recording, and their numbering from 1."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_LISTED = 10


def sort_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort numbers by value, then other labels in their order."""
    given = tuple(labels)
    numbers = [label for label in given if _NUMBER.fullmatch(label)]
    others = [label for label in given if not _NUMBER.fullmatch(label)]
    return (*sorted(numbers, key=Decimal), *others)


def renumbering_note(labels: Sequence[str]) -> str:
    """Return the runs' numbers in the recording if they do not count 1, 2, 3; otherwise empty.

    >>> renumbering_note(["1", "3"])
    'runs 1, 3 of the recording are runs 1 to 2 here'
    >>> renumbering_note(["1", "2"])
    ''
    """
    is_numbered = any(_NUMBER.fullmatch(label) for label in labels)
    if not is_numbered or list(labels) == [str(number) for number in range(1, len(labels) + 1)]:
        return ""
    if len(labels) == 1:
        return f"run {labels[0]} of the recording is run 1 here"
    more = f" and {len(labels) - _LISTED:,} more" if len(labels) > _LISTED else ""
    listed = ", ".join(labels[:_LISTED])
    return f"runs {listed}{more} of the recording are runs 1 to {len(labels):,} here"
