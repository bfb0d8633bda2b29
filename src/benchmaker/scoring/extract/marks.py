# ruff: noqa: RUF001  the marks themselves
r"""Marks around an answer: emphasis, code, quotation marks, mathematics. Removed in pairs.

A mark without its partner belongs to the answer and stays: ``*args``, ``>= 5``, ``~/.bashrc``.
"""

import re
from collections.abc import Iterator

PAIRS = (
    ("***", "***"), ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("~~", "~~"), ("==", "=="),
    ("```", "```"), ("``", "``"), ("`", "`"),
    ('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("„", "”"), ("”", "”"), ("‘", "’"), ("‚", "‘"),
    ("‚", "’"), ("’", "’"), ("«", "»"), ("»", "«"), ("‹", "›"), ("›", "‹"),
    ("「", "」"), ("『", "』"),
    ("《", "》"), ("〈", "〉"), ("【", "】"), ("``", "''"),
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"),
    ("<b>", "</b>"), ("<strong>", "</strong>"), ("<i>", "</i>"), ("<em>", "</em>"), ("<u>", "</u>"),
    ("<code>", "</code>"), ("<mark>", "</mark>"), ("<p>", "</p>"),
)  # fmt: skip
"""Opening and closing marks, the longer before the shorter."""

_FIRST = frozenset(pair[0][0] for pair in PAIRS)
_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|texttt|mathrm|mathbf|mathit|mathtt|mbox|boldsymbol|operatorname"
    r"|underline|emph|displaystyle|boxed|fbox)\s*\{([^{}]*)\}"
)
_PROSE = re.compile(
    r"\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*|\*\*(?=\S)(.+?)(?<=\S)\*\*"
    r"|(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"
    r"|(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)"
    r"|(?<!`)`+([^`\n]+)`+|\\\((.+?)\\\)|\\\[(.+?)\\\]|\$\$(.+?)\$\$"
    r"|(?<![\\\w$])\$(?=[^\s$])([^$\n]*?[^\s$\\])\$(?![\d\w])"
    r"|</?(?:b|strong|i|em|u|code|mark|p|span|br ?/?)>"
    r"|[“„”](.+?)[”“]|«\s?(.+?)\s?»|「(.+?)」|『(.+?)』|(?<!\w)\"([^\"\n]+)\"(?!\w)"
    r"|(?<!\w)['‘]([^'‘’\n]+)['’](?!\w)",
    re.DOTALL,
)


def unwrap(text: str) -> Iterator[str]:
    """Yield the text, and each remainder as surrounding marks are removed pair by pair.

    >>> list(unwrap("**`__init__`**"))
    ['**`__init__`**', '`__init__`', '__init__', 'init']
    """
    text = text.strip()
    yield text
    for _ in range(_DEEPEST if len(text) <= _LONGEST else 0):
        inner = _strip_outer_marks(text)
        if inner is None:
            return
        text = inner.strip()
        yield text


_DEEPEST, _LONGEST = 12, 10_000


def _strip_outer_marks(text: str) -> str | None:
    """The text without its outermost pair of marks; None where there is none."""
    if text[:1] not in _FIRST:
        command = _COMMAND.fullmatch(text) if text[:1] == "\\" else None
        return command[1] if command else None
    if text[0] == "\\" and (command := _COMMAND.fullmatch(text)):
        return command[1]
    for opening, closing in PAIRS:
        if text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : len(text) - len(closing)]
            if len(text) > len(opening) + len(closing) and _is_one(inner, opening, closing):
                return inner
    return None


def _is_one(inner: str, opening: str, closing: str) -> bool:
    """True if the two marks form a pair, with neither of them in between."""
    if opening == closing and len(opening) == 1:
        return opening not in inner
    return closing not in inner and opening not in inner


def strip_marks(text: str) -> str:
    """Prose without the pairs of marks in it.

    >>> strip_marks("the capital is **Lima**, not *Cusco*")
    'the capital is Lima, not Cusco'
    """
    if "\\" in text:
        text = _COMMAND.sub(r"\1", text)
    if _MARKS.isdisjoint(text):
        return text
    for _ in range(3):
        stripped = _PROSE.sub(_content, text)
        if stripped == text:
            break
        text = stripped
    return text


_MARKS = frozenset("*_`\\$<“”„«「『\"'‘")


def _content(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group is not None), "")


_BOLD = re.compile(
    r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)|<(?:b|strong)>(.+?)</(?:b"
    r"|strong)>"
)


def find_emphasised(text: str) -> list[str]:
    """Return the bold texts in order.

    >>> find_emphasised("People name **Cusco**, but it is **Lima**.")
    ['Cusco', 'Lima']
    """
    if "**" not in text and "__" not in text and "<" not in text:
        return []
    return [_content(found) for found in _BOLD.finditer(text)]
