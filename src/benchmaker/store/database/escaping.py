"""Text encoding for any database, without loss.

PostgreSQL refuses NUL, and neither database accepts lone surrogates; models send both.
The escape begins with U+001A SUBSTITUTE: NUL is stored as U+001A ``0000``, a lone surrogate as
U+001A and its four hex digits, U+001A itself twice. All other text is stored unchanged.
"""

import re
from collections.abc import Sequence

ESCAPE = "\x1a"
"""The character that each escape begins with; text without it is stored unchanged."""

_ESCAPED = re.compile("[\x00\x1a\ud800-\udfff]")
_SPELT = re.compile("\x1a(\x1a|[0-9a-f]{4})")


def escape(text: str) -> str:
    r"""Return the text in stored form.

    >>> escape("a\x00b") == "a\x1a0000b"
    True
    """
    if text.isascii() and "\x00" not in text and "\x1a" not in text:
        return text  # as _is_plain, without a call: each row has some ten texts
    return _ESCAPED.sub(_spell, text)


def unescape(text: str) -> str:
    r"""Return the original text.

    >>> unescape(escape("\ud800 \x00")) == "\ud800 \x00"
    True
    """
    return _SPELT.sub(_read, text) if "\x1a" in text else text


def escape_or_none(text: str | None) -> str | None:
    """As :func:`escape`; None stays None."""
    return None if text is None else escape(text)


def escape_all(texts: Sequence[str | None]) -> Sequence[str | None]:
    """As :func:`escape_or_none` for each text; plain ones are checked together.

    >>> escape_all(["a", None, "b"])
    ['a', None, 'b']
    """
    return texts if _is_plain("".join(filter(None, texts))) else list(map(escape_or_none, texts))


def unescape_or_none(text: str | None) -> str | None:
    """As :func:`unescape`; None stays None."""
    return None if text is None else unescape(text)


def _is_plain(text: str) -> bool:
    """True for ASCII without a character to escape; other texts may have none either."""
    return text.isascii() and "\x00" not in text and "\x1a" not in text


def _spell(found: re.Match[str]) -> str:
    character = found.group()
    return "\x1a\x1a" if character == "\x1a" else f"\x1a{ord(character):04x}"


def _read(found: re.Match[str]) -> str:
    spelt = found.group(1)
    return spelt if spelt == "\x1a" else chr(int(spelt, 16))
