"""Suggest the known name closest to a mistyped one."""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 100


def nearest_name(word: str, known: Iterable[str]) -> str | None:
    """The most similar known name, or None where none is similar.

    >>> nearest_name("promt", ["prompt", "expected"])
    'prompt'
    """
    names = list(known)
    folded = {name.casefold(): name for name in names}
    if word.casefold() in folded:
        return folded[word.casefold()]
    close = get_close_matches(word[:_LONGEST], names, n=1)
    return close[0] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the suggestion for a mistyped name; empty if no known name is similar.

    >>> did_you_mean("promt", ["prompt", "expected"])
    "Did you mean 'prompt'?"
    """
    name = nearest_name(word, known)
    return f"Did you mean {name!r}?" if name else ""
