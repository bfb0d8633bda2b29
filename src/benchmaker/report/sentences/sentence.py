"""Capitalisation of sentences, except for names at the start."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[a-z]+(?=[\s,;]|:(?!/)|\.?$)")


def capitalise(text: str, names: Iterable[str] = ()) -> str:
    """Return the text with an initial capital, unless it starts with a name.

    A name is one of ``names``, or any word that is not plain: ``openai/locked``, ``suite.yaml``.

    >>> capitalise("there is no run."), capitalise("openai/locked refused the key.")
    ('There is no run.', 'openai/locked refused the key.')
    >>> capitalise("http://host/v1#m is dropped")
    'http://host/v1#m is dropped'
    >>> capitalise("aurora: nothing is scored", ["aurora"])
    'aurora: nothing is scored'
    """
    word = _WORD.match(text)
    if word is None or any(name and _begins(text, name) for name in names):
        return text
    return f"{text[:1].upper()}{text[1:]}"


def _begins(text: str, name: str) -> bool:
    """True if the text starts with the whole name."""
    return text.startswith(name) and not text[len(name) : len(name) + 1].isalnum()
