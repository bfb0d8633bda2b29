"""What does not change from one event of a stream to the next: all but the piece of text."""

from collections.abc import Callable
from typing import Self

import msgspec

from benchmaker.errors import BadResponse

_KEY = b'"content":'
_PROBE = "?"

_string = msgspec.json.Decoder(str).decode


class Frame:
    """The bytes before and behind the text of an event, the quotation marks of which belong to it.

    An event in the same frame is read by reading its text alone: JSON that differs in one string
    differs in that value alone.

    >>> frame = Frame.around("a", b'{"content":"a"}', lambda data: str(data[12:-2], "ascii"))
    >>> frame.text_in(b'{"content":"b"}'), frame.text_in(b'{"content":"b","error":1}')
    ('b', None)
    """

    __slots__ = ("_after", "_before", "_end", "_start")

    def __init__(self, before: bytes, after: bytes) -> None:
        self._before, self._after = before, after
        self._start, self._end = len(before), len(after)

    @classmethod
    def around(cls, text: str, data: bytes, read: Callable[[bytes], str | None]) -> Self | None:
        """The frame in which this text stands; None where it is not certain.

        It is certain where another text, put in its place, is what ``read`` then gives.
        """
        said = msgspec.json.encode(text) if text.isascii() else b""
        key = data.find(_KEY)
        start = data.find(said, key)
        if not said or key < 0 or start < 0:
            return None
        before, after = data[:start], data[start + len(said) :]
        try:
            probed = read(b'%b"%b"%b' % (before, _PROBE.encode(), after))
        except BadResponse:
            return None
        return cls(before, after) if probed == _PROBE else None

    def text_in(self, data: bytes) -> str | None:
        """The text of an event in this frame; None for any other."""
        if not (data.startswith(self._before) and data.endswith(self._after)):
            return None
        try:
            return _string(data[self._start : len(data) - self._end])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
