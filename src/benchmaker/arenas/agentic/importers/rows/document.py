"""The rows of a JSON document, with their lines: a list, an object, ``{"submissions": [...]}``.

Rows are found one by one, so that those before a damaged or cut-off one are kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

_SPACE = re.compile(r"[ \t\r\n]*")
_LIST = "submissions"
_UNENDED = "Unterminated string"
_decode = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode


class Damaged(Exception):
    """The rest of the document is unreadable from ``line`` on; the message gives the reason."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Document:
    """A JSON text; all positions in it are offsets."""

    text: str
    _line: int = 1
    _counted: int = 0

    def rows(self) -> Iterator[tuple[int, str]]:
        r"""Yield the text of each row with its first line; Damaged if reading cannot continue.

        >>> list(Document('[{"a": 1},\n {"a": 2}]').rows())
        [(1, '{"a": 1}'), (2, '{"a": 2}')]
        """
        at = self._skip(0)
        if self.text.startswith("{", at):
            at = self._list_start(at)
        if self.text.startswith("[", at):
            yield from self._items(at)
        else:
            yield self._line_of(at), self.text[at : self._end(at)]

    def _list_start(self, start: int) -> int:
        """The start of the object's list of submissions; that of the object if it has none."""
        at = self._skip(start + 1)
        while self.text.startswith('"', at):
            end = self._end(at)
            value = self._expect(end, ":")
            if self.text[at:end] == f'"{_LIST}"' and self.text.startswith("[", value):
                return value
            at = self._skip(self._end(value))
            if not self.text.startswith(",", at):
                break
            at = self._skip(at + 1)
        return start

    def _items(self, start: int) -> Iterator[tuple[int, str]]:
        at = self._skip(start + 1)
        while not self.text.startswith("]", at):
            end = self._end(at)
            yield self._line_of(at), self.text[at:end]
            at = self._skip(end)
            if not self.text.startswith("]", at):
                at = self._expect(at, ",")

    def _end(self, at: int) -> int:
        """The end of the value that begins here."""
        try:
            return _decode(self.text, at)[1]
        except JSONDecodeError as exc:
            self._refuse(len(self.text) if exc.msg.startswith(_UNENDED) else exc.pos)
        except RecursionError as exc:
            raise Damaged("nested too deeply", self._line_of(at)) from exc

    def _expect(self, at: int, sign: str) -> int:
        """The start of what follows this sign; Damaged if another sign is here."""
        at = self._skip(at)
        if not self.text.startswith(sign, at):
            self._refuse(at)
        return self._skip(at + 1)

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _refuse(self, at: int) -> NoReturn:
        is_cut = self._skip(at) == len(self.text)
        raise Damaged("cut off in the middle" if is_cut else "damaged JSON", self._line_of(at))

    def _line_of(self, at: int) -> int:
        """The line of a position, counted on from the previous one: positions only grow."""
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self._line
