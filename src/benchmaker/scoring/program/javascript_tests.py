"""The checks in tests in JavaScript, as far as their text shows; nothing is run."""

import re
from bisect import bisect_left
from collections import Counter

_TOKEN = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/"
    r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'" r"|`(?:\\[\s\S]|[^`\\])*`"
    r"|(?:(?<=[(,=:\[!&|?{};\n])|(?<=\breturn)|^)[ \t]*"
    r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,200}/"
)  # fmt: skip
"""Comments, texts and regular expressions."""

_LIBRARY = r"""["'](?:node:)?assert(?:/strict)?["']"""
_IMPORT = re.compile(
    rf"\bimport\s([^;\"'()]{{0,500}}?)\sfrom\s*{_LIBRARY}"
    rf"|\b(?:const|let|var)\s([^;\"'()]{{0,500}}?)=\s*require\(\s*{_LIBRARY}\s*\)"
)
_NO_CHECK = re.compile(r"\bconsole\s*\.\s*\w+")
_PRINT = re.compile(r"\bconsole\s*\.\s*\w+\s*\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
"""A call that prints, with two levels of parentheses in its arguments."""

_CHECK = (
    r"[\w$]*(?:assert|throw|expect|equal|fail|reject|should|match)[\w$]*|ok|exit|exitCode|abort"
)
_NODE_TEST = re.compile(r"(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s*\(")
_CALL = re.compile(r"(?<![\w$.])(?!(?:if|for|while|switch|catch|function|require)\b)[\w$.]++\s*+\(")
_FUNCTION = re.compile(
    r"^[ \t]*(?:(?:async\s+)?function\s*\*?\s*([\w$]+)"
    r"|(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?"
    r"(?:function\b|(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w$]+)\s*(=>)\s*))",
    re.MULTILINE,
)
_WORD = re.compile(r"[\w$]+")
_CALLED = re.compile(r"\s*\(")
_CONTINUED = re.compile(r"(?:[(,=:?\[&|!>+]|\breturn|\bdefault|\bawait)\s*$")


def find_unchecked(source: str) -> str | None:
    """Return why tests check nothing; None if they may check something.

    >>> find_unchecked("test('adds', () => {});")
    'the tests check nothing; add an assertion.'
    """
    code = _blank(source)
    if not code.strip():
        return "there are no tests."
    name, rest = _without_unused(source, code)
    rest = _NO_CHECK.sub(" ", _PRINT.sub(" ", rest))
    has_calls = not _NODE_TEST.search(rest) and _CALL.search(rest)
    if has_calls or _checking(source).search(rest):
        return None
    if name:
        return f"{name} is defined but never called; add {name}(…) at the end."
    return "the tests check nothing; add an assertion."


def check_offsets(source: str) -> list[int]:
    """Return the places of the words that check something, in UTF-16 units from the start."""
    code = _NO_CHECK.sub(_blanks, _blank(source))
    wide = [at for at, sign in enumerate(source) if sign > "\uffff"]
    places = (found.start() for found in _checking(source).finditer(code))
    return [at + bisect_left(wide, at) for at in places]


def _checking(source: str) -> re.Pattern[str]:
    """The words that check something, those that the tests import from ``assert`` among them."""
    groups = (found[1] or found[2] for found in _IMPORT.finditer(source))
    names = {name for group in groups for name in _WORD.findall(group)} - {"as", "default"}
    own = "".join(f"|{re.escape(name)}" for name in sorted(names))
    return re.compile(rf"(?<![\w$])(?:(?i:{_CHECK}){own})(?![\w$])")


def _blank(source: str) -> str:
    """The source with spaces for comments, texts and imports of ``assert``."""
    return _TOKEN.sub(_blanks, _IMPORT.sub(_blanks, source))


def _blanks(found: re.Match[str]) -> str:
    return _spaces(found[0])


def _spaces(text: str) -> str:
    return "".join("\n" if sign == "\n" else " " for sign in text)


def _without_unused(source: str, code: str) -> tuple[str, str]:
    """The last function with checks that is never used, and the code without unused functions."""
    name, counts, checking = "", Counter(_WORD.findall(source)), _checking(source)
    for found in _FUNCTION.finditer(code):
        own = found[1] or found[2] or ""
        is_removed = not code[found.start() : found.end()].strip()
        if counts[own] != 1 or is_removed or _CONTINUED.search(code[: found.start()].rstrip()[-9:]):
            continue
        end = _end_of(code, found.end(), is_arrow=bool(found[3]))
        if _CALLED.match(code, end):
            continue
        body = code[found.start() : end]
        name = own if checking.search(body) else name
        code = f"{code[: found.start()]}{_spaces(body)}{code[end:]}"
    return name, code


def _end_of(code: str, start: int, *, is_arrow: bool) -> int:
    """The end of a function whose head ends at ``start``: its brace, or that of its expression."""
    depth, is_expression = 0, is_arrow and not code.startswith("{", start)
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        is_end = code[at] in ";\n" if is_expression else code[at] == "}"
        if depth <= 0 and is_end:
            return at + 1
    return len(code)
