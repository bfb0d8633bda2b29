"""One event of a stream, and JSON as bytes."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: its data, already as bytes, and its name where it has one.

    ``is_text`` marks those that carry a piece of the answer, ``is_last`` the one that says that
    the stream is over, ``is_finish`` the one that says why the model stopped.
    """

    data: bytes
    name: str = ""
    is_text: bool = False
    is_finish: bool = False
    is_last: bool = False
    is_usage: bool = False

    def encoded(self, end: bytes = b"\n") -> bytes:
        """The event on the wire, with the given line ends."""
        lines = [b"event: " + self.name.encode()] if self.name else []
        lines += [b"data: " + line for line in self.data.split(b"\n")]
        return end.join(lines) + end + end


def dumped(value: Any) -> bytes:
    """JSON in UTF-8; with escapes where UTF-8 can't say it."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
