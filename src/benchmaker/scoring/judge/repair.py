# ruff: noqa: RUF001  quotation marks of all kinds
"""Reads JSON with the usual errors of people and models, and names each repair.

Accepted are trailing and missing commas, single and typographic quotation marks, comments, names
without quotation marks, Python's True, False and None, line breaks and unescaped quotation marks
inside a text, wrong escapes, and an object that was cut off. A truncated value is dropped unless it
is plain text: ``"score": 1`` may have been meant as 10.
"""

import re
from typing import NamedTuple

from benchmaker.scoring.judge.members import Members, parse_number

_CLOSING = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": "”",
    "‘": "’'",
}
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff\u00a0]+|//[^\n]*|#[^\n]*|/\*.*?\*/)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}")
_NAME_AHEAD = re.compile(r"[\"'“”‘`]?[A-Za-z_][A-Za-z0-9_ ]{0,60}[\"'“”’`]?[ \t]{0,8}:")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,4})?(?=[\s,}\]#]|//|/\*)")
_BARE = re.compile(r"[^,}\]\[{\n\"“”]{1,80}")
_ESCAPE = re.compile(r'\\(?:(["\\/\'])|([bfnrt])|u([0-9a-fA-F]{4}))')
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "NaN": float("nan"), "Infinity": float("inf"),
}  # fmt: skip
CUT_OFF = "the end is missing"
"""The repair of an object that was cut off."""

_READING_MATTER = frozenset({"rationale", "evidence"})
_FENCE = "```"
_DEEPEST = 20
_AHEAD = 200


class RepairedObject(NamedTuple):
    """An object with its end and its repairs."""

    value: Members
    end: int
    repairs: tuple[str, ...]


class _Unrepairable(Exception):
    """This can't be read as an object, with all the good will there is."""


class _TruncatedValue:
    """A value in which the text breaks off, with what there is of it."""

    def __init__(self, text: str = "") -> None:
        self.text = text


def repair_object(text: str, start: int) -> RepairedObject | None:
    """Return the repaired object that begins at ``start``; None if that is impossible."""
    reader = _Reader(text, start)
    try:
        value = reader.members(0)
    except _Unrepairable:
        return None
    return RepairedObject(value, reader.at, tuple(reader.repairs))


class _Reader:
    """Reads from a position, and records repairs."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.repairs: dict[str, None] = {}

    def mend(self, what: str) -> None:
        self.repairs[what] = None

    def skip(self) -> str:
        """Past blanks and comments; the sign that follows, empty at the end."""
        while space := _SPACE.match(self.text, self.at):
            if space[0][0] in "/#":
                self.mend("comments")
            self.at = space.end()
        return "" if self.text.startswith(_FENCE, self.at) else self.text[self.at : self.at + 1]

    def members(self, depth: int) -> Members:
        if depth > _DEEPEST:
            raise _Unrepairable
        pairs: list[tuple[str, object]] = []
        self.at += 1
        while (sign := self._next_item("}")) != "}":
            if not sign:
                self.mend(CUT_OFF)
                return Members(pairs)
            self._member(pairs, depth)
        self.at += 1
        return Members(pairs)

    def _member(self, pairs: list[tuple[str, object]], depth: int) -> None:
        key = self._key()
        if key is None:
            return
        value = self._value(depth, key=key)
        if isinstance(value, _TruncatedValue):
            self.mend(CUT_OFF)
            if key not in _READING_MATTER:
                return
            value = value.text
        pairs.append((key, value))

    def _next_item(self, closing: str) -> str:
        """Return the sign at the start of the next member, or at the end."""
        sign = self.skip()
        commas = 0
        while sign == ",":
            self.at += 1
            commas += 1
            sign = self.skip()
        if commas > 1 or (commas and sign == closing):
            self.mend("commas too many")
        return sign

    def _key(self) -> str | None:
        """The member's name; None where the text breaks off before its value."""
        if self.text[self.at] in _CLOSING:
            name = self._string(key=True)
            if isinstance(name, _TruncatedValue):
                self.mend(CUT_OFF)
                return None
        else:
            found = _NAME.match(self.text, self.at)
            if found is None:
                raise _Unrepairable
            self.mend("names without quotation marks")
            name, self.at = found[0], found.end()
        sign = self.skip()
        if sign not in ("", ":"):
            raise _Unrepairable
        self.at += len(sign)
        return name if sign and self.skip() else None

    def _value(self, depth: int, *, key: str = "") -> object:
        sign = self.skip()
        if sign == "{":
            return self.members(depth + 1)
        if sign == "[":
            return self._list(depth + 1)
        value = self._string() if sign in _CLOSING and sign else self._scalar()
        if self.skip() not in (",", "}", "]", ""):
            self._missing_comma(key)
        return value

    def _missing_comma(self, key: str) -> None:
        if not key or not _NAME_AHEAD.match(self.text, self.at):
            raise _Unrepairable
        self.mend("a comma is missing")

    def _list(self, depth: int) -> object:
        if depth > _DEEPEST:
            raise _Unrepairable
        items: list[object] = []
        self.at += 1
        while (sign := self._next_item("]")) != "]":
            value = self._value(depth) if sign else _TruncatedValue()
            if isinstance(value, _TruncatedValue):
                self.mend(CUT_OFF)
                return items
            items.append(value)
        self.at += 1
        return items

    def _scalar(self) -> object:
        """A number, a word of JSON or Python, or text that lacks its quotation marks."""
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            return parse_number(found[0])
        found = _BARE.match(self.text, self.at)
        if found is None:
            raise _Unrepairable
        self.at = found.end()
        word = found[0].partition("//")[0].partition(" #")[0].partition("/*")[0].strip()
        self.at = found.start() + found[0].find(word) + len(word)
        if self.at >= len(self.text):
            return _TruncatedValue()
        if word in _WORDS:
            return _WORDS[word]
        self.mend("text without quotation marks")
        return word

    def _string(self, *, key: bool = False) -> str | _TruncatedValue:
        """A text to the quotation mark behind which something of an object follows."""
        opening = self.text[self.at]
        closing = _CLOSING[opening]
        if opening != '"':
            self.mend("other quotation marks")
        start = at = self.at + 1
        while at < len(self.text):
            sign = self.text[at]
            if sign == "\\":
                at += 2
            elif sign in closing and self._ends(at + 1, key=key):
                self.at = at + 1
                return self._unescape(self.text[start:at])
            elif sign in closing and key:
                raise _Unrepairable
            else:
                if sign in closing:
                    self.mend("unescaped quotation marks")
                at += 1
        self.at = len(self.text)
        return _TruncatedValue(self._unescape(self.text[start:]))

    def _ends(self, at: int, *, key: bool) -> bool:
        """True if a quotation mark just before ``at`` ends the text."""
        ahead = self.text[at : at + _AHEAD].lstrip()
        if key:
            return ahead.startswith(":")
        if not ahead or ahead.startswith(("}", "]", _FENCE, "//", "/*", "#")):
            return True
        if ahead.startswith(","):
            rest = ahead[1:].lstrip(" \t\r\n,")
            return not rest or rest[0] in "}]{[\"'“”‘`/#" or bool(_NAME_AHEAD.match(rest))
        return "\n" in self.text[at : at + 8] and bool(_NAME_AHEAD.match(ahead))

    def _unescape(self, raw: str) -> str:
        if "\n" in raw or "\r" in raw or "\t" in raw:
            self.mend("line breaks in a text")
        if "\\" not in raw:
            return raw
        if "\\" in _ESCAPE.sub("", raw):
            self.mend("wrong escapes")
        return _ESCAPE.sub(_resolve_escape, raw)


def _resolve_escape(escape: re.Match[str]) -> str:
    sign, control, code = escape.groups()
    return sign or (_CONTROLS[control] if control else chr(int(code, 16)))
