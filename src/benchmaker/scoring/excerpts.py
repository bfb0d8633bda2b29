"""Beginnings of long texts, for the record of a score."""


def shorten(text: str, limit: int = 200) -> str:
    """Return a text, or its first ``limit`` characters with an ellipsis.

    >>> shorten("abcdef", 4), shorten("abcd", 4)
    ('abcd…', 'abcd')
    """
    return text if len(text) <= limit else f"{text[:limit]}…"
