"""Hostile text made harmless to look at, in terminals, files and pages."""

import re

_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_BIDI = (0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_NAMED = {code: f"[U+{code:04X}]" for code in (*range(0x80, 0xA0), *_BIDI, 0x2028, 0x2029)}
_SURROGATES = re.compile("[\ud800-\udfff]")
_ONE_LINE: dict[int, int | str] = {**_PICTURES, **_NAMED, 0x09: " ", 0x0A: " ", 0x0D: " "}
_LINES = {code: sign for code, sign in (_PICTURES | _NAMED).items() if code not in (0x09, 0x0A)}

_ASCII = str.maketrans(
    {
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "…": "...",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "“": '"',
        "”": '"',
        "≥": ">=",
        "\N{MULTIPLICATION SIGN}": "x",
        "·": "-",
        "─": "-",
    }
)


def sanitise(text: str, *, lines: bool = False) -> str:
    r"""Return the text without active characters, safe to display.

    Line ends and tabs become spaces, other control characters their Unicode pictures. Characters
    that turn the direction of writing and line separators become their code points in brackets,
    lone surrogates the replacement character.

    Args:
        text: untrusted text.
        lines: keep line feeds and tabs; a carriage return becomes its picture.

    >>> sanitise("a\x1b[2Jb")
    'a␛[2Jb'
    """
    if text.isascii() and text.isprintable():  # most texts
        return text
    return _SURROGATES.sub("�", text.translate(_LINES if lines else _ONE_LINE))


def truncate(text: str, limit: int) -> str:
    """Return the first ``limit`` characters, and the number of omitted ones.

    >>> truncate("abcdef", 4)
    'abcd… (2 more characters)'
    """
    if len(text) <= limit:
        return text
    more = len(text) - limit
    return f"{text[:limit]}… ({more:,} more character{'' if more == 1 else 's'})"


def make_encodable(text: str, encoding: str | None) -> str:
    """Return the text within the encoding: typographic signs simplified, the rest escaped."""
    name = encoding or "utf-8"
    try:
        text.encode(name)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(name, "backslashreplace").decode(name)
    return text
