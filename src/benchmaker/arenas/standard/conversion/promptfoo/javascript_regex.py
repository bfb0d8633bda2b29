r"""JavaScript's regular expressions as Python's, with the same matches.

Without flags, ``\d``, ``\w`` and ``\b`` know ASCII alone, and ``$`` matches the very end: Python's
``$`` also matches before a final line break. Source: ECMAScript 2023, section 22.2.
"""

import re

from benchmaker.arenas.standard.conversion.promptfoo.javascript import NotUnderstood

_PIECE = re.compile(
    r"(?P<escape>\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|k<\w+>|.))"
    r"|(?P<set>\[\^?(?:[^\]\\]|\\.)*\])"
    r"|(?P<name>\(\?<(?![=!]))"
    r"|(?P<end>\$)|(?P<dot>\.)",
    re.DOTALL,
)
_UNSUPPORTED = re.compile(r"\\[pP]\{|\\c[A-Za-z]")
_CLASSES = re.compile(r"\\[dDwWbB]")
_KNOWN_ESCAPES = frozenset("bBdDfnrtvwWsS")
_NOT_LINE_END = r"[^\n\r\u2028\u2029]"


def python_pattern(source: str, flags: str = "") -> str:
    r"""Return the pattern of Python's ``re`` for a source and flags of JavaScript.

    Raises:
        NotUnderstood: it uses properties of Unicode or is invalid.

    >>> python_pattern(r"^\d{3,4}$")
    '(?a)^\\d{3,4}(?!(?s:.))'
    """
    if _UNSUPPORTED.search(source) or set(flags) - set("gimsuyd"):
        raise NotUnderstood("the pattern uses properties or flags that are not translated")
    made = _PIECE.sub(lambda found: _python_piece(found, flags), source)
    is_plain = not set(flags) & set("ims") and not source.startswith("/")
    letters = "a" + "".join(it for it in "ims" if it in flags)
    pattern = made if is_plain and not _CLASSES.search(source) else f"(?{letters}){made}"
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as exc:
        raise NotUnderstood(f"the pattern is not valid in Python: {exc}") from exc
    return pattern


def _python_piece(found: re.Match[str], flags: str) -> str:
    text = found[0]
    match found.lastgroup:
        case "end":
            return r"(?=[\n\r\u2028\u2029]|(?!(?s:.)))" if "m" in flags else "(?!(?s:.))"
        case "dot":
            return text if "s" in flags else _NOT_LINE_END
        case "name":
            return "(?P<"
        case "escape":
            return _escape(text)
        case _:
            return _set(text)


def _escape(text: str) -> str:
    """An escape: of slashes without need, of a code in braces, of a named group."""
    if text.startswith("\\k<"):
        return f"(?P={text[3:-1]})"
    if text.startswith("\\u{"):
        return f"\\U{int(text[3:-1], 16):08x}"
    if text == r"\/":
        return "/"
    if text in {r"\s", r"\S"}:
        return f"(?u:{text})"
    is_letter = text[-1].isalpha() and text[1:] == text[-1]
    return text[1] if is_letter and text[1] not in _KNOWN_ESCAPES else text


def _set(text: str) -> str:
    if text == "[]":
        return "(?!)"
    if text == "[^]":
        return "(?s:.)"
    inside = re.sub(r"\\/", "/", text)
    return re.sub(r"(?<!\\)\[(?!\^)", r"\[", inside[1:]).join(("[", ""))
