r"""The answer in a reply that holds JSON, whole or broken.

The answer is the value of ``answer`` or ``answer_key`` in the last JSON object with one. Objects
are read in turn with Python's own decoder, control characters allowed in strings. An invalid object
(cut off, stray quotes, missing commas) is read by its last ``"answer": …``. There a string ends at
the next quote, or at the end of the reply: a truncated reply, or one with invalid escapes, keeps
its answer.

Numbers and words are returned as written, a string without its quotes and escapes. Lists and
objects are returned in Python syntax (``['a', 1.5]``, ``{'b': True}``), since the published harness
of the data sets with such answers compares ``str`` of the decoded value.

Attempts to read an object that fails draw on a budget proportional to the reply, so that time is
linear in its length for any content.
"""

import json
import re
from typing import NamedTuple

_KEYS = frozenset({"answer", "answer_key"})
_KEY = re.compile(r'(?<!\\)"answer(?:_key)?"\s*:\s*')
_OBJECT = re.compile(r'\{\s*(?=")')
_STEP = re.compile(r"\s*([,:}])\s*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_STRING_END = re.compile(r'(?<!\\)"\s*(?:\}|,\s*"[^"\n]*"\s*:|```|\Z)')
_SCALAR_END = re.compile(r'\}|,\s*"|\n|```|\Z')
_BRACKET = re.compile(r"[\[{(]|[\]})]")
_ESCAPE = re.compile(r'\\(?:(["\\/])|(n)|u([0-9a-fA-F]{4}))')
_LATEX_LOST = re.compile(r"[\f\b\t\r](?=rac\{|oxed|frac\{|ext\{|imes\b|ight\b)")
_LATEX_KEPT = {"\f": "\\f", "\b": "\\b", "\t": "\\t", "\r": "\\r"}
_DECODER = json.JSONDecoder(strict=False)
_NOTHING = frozenset({"", "null", "None"})


class _Span(NamedTuple):
    """The position of a value in the text."""

    start: int
    end: int


def json_answer(text: str) -> str | None:
    r"""Return the answer without quotes and escapes; None if absent or null.

    >>> json_answer('so: {"reasoning": "3 {", "answer": [1, 2.50]} done')
    '[1, 2.5]'
    >>> json_answer('{"answer": "first"} {"reasoning": "cut", "answer": "sec')
    'sec'
    """
    key_end = _after_last_key(text)
    if key_end is None:
        return None
    value, end = _last_whole(text)
    if value is not None and key_end <= end:
        return _format_value(text, value)
    broken = _read_broken(text, key_end)
    return _format_value(text, value) if broken is None and value is not None else broken


def _after_last_key(text: str) -> int | None:
    """Return the start of the last key's value."""
    at = len(text)
    while (at := text.rfind('"answer', 0, at)) >= 0:
        if key := _KEY.match(text, at):
            return key.end()
    return None


def _last_whole(text: str) -> tuple[_Span | None, int]:
    """The answer of the last whole object that has one, and where the last whole object ends."""
    value, end, budget = None, -1, 8 * len(text)
    found = _OBJECT.search(text)
    while found is not None and budget > 0:
        try:
            end, span = _members(text, found.end())
        except (ValueError, RecursionError) as exc:
            budget -= _cost(exc, text, found.start())
            found = _OBJECT.search(text, found.end())
        else:
            value = span or value
            found = _OBJECT.search(text, end)
    return value, end


def _cost(exc: Exception, text: str, start: int) -> int:
    """Return the cost of a failed attempt: the characters read, and the count of its line."""
    is_placed = isinstance(exc, json.JSONDecodeError) and not exc.msg.startswith("Untermin")
    read = (
        exc.pos - start
        if is_placed and isinstance(exc, json.JSONDecodeError)
        else len(text) - start
    )
    return read + len(text) // 32 + 64


def _members(text: str, at: int) -> tuple[int, _Span | None]:
    """Return the end of the object with its first key at ``at``, and the place of its answer."""
    answer = None
    while True:
        key, at = _DECODER.raw_decode(text, at)
        start = _step(text, at, ":").end()
        value, end = _DECODER.raw_decode(text, start)
        if key in _KEYS and value is not None:
            answer = _Span(start, end)
        step = _step(text, end, ",}")
        if step[1] == "}":
            return step.end(1), answer
        at = step.end()
        if not text.startswith('"', at):
            raise ValueError("a key is missing")


def _step(text: str, at: int, signs: str) -> re.Match[str]:
    step = _STEP.match(text, at)
    if step is None or step[1] not in signs:
        raise ValueError("no JSON")
    return step


def _format_value(text: str, span: _Span) -> str:
    """Format the value: lists and objects in Python syntax, strings unquoted, LaTeX repaired."""
    if text[span.start] not in '"[{':
        return text[span.start : span.end]
    value = _DECODER.raw_decode(text, span.start)[0]
    if not isinstance(value, str):
        return str(value)
    return value if value.isprintable() else _repair_latex(value)


def _repair_latex(value: str) -> str:
    r"""LaTeX that was written with single backslashes: ``\frac`` must not begin a form feed."""
    return _LATEX_LOST.sub(lambda lost: _LATEX_KEPT[lost[0]], value)


def _read_broken(text: str, at: int) -> str | None:
    """The value that begins at ``at``, in something that is no JSON."""
    match text[at : at + 1]:
        case '"':
            return _unescape(_broken_string(text, at))
        case "[" | "{" | "(":
            return _read_bracketed(text, at)
        case _:
            end = _SCALAR_END.search(text, at)
            value = text[at : end.start() if end else len(text)].strip(" \t\r,")
            return None if value in _NOTHING else value


def _broken_string(text: str, at: int) -> str:
    """Return the text up to the next quote, or else the rest."""
    end = text.find('"', at + 1)
    return text[at + 1 : end] if end >= 0 else text[at + 1 :].rstrip()


def _read_bracketed(text: str, at: int) -> str:
    """To the bracket that closes the first, else to the end of the reply."""
    depth = 0
    for bracket in _BRACKET.finditer(text, at):
        depth += 1 if bracket[0] in "[{(" else -1
        if depth == 0:
            return text[at : bracket.end()]
    return text[at:].rstrip()


def _unescape(raw: str) -> str:
    """Escapes resolved; where that is impossible, only those that can be nothing else."""
    if "\\" not in raw:
        return raw
    try:
        value = _DECODER.decode(f'"{raw}"')
    except ValueError:
        return _ESCAPE.sub(_resolve_escape, raw)
    return _repair_latex(value) if isinstance(value, str) else raw


def _resolve_escape(escape: re.Match[str]) -> str:
    sign, line_break, code = escape.groups()
    return sign or ("\n" if line_break else chr(int(code, 16)))
