"""Frames of JSON over the socket between the tests and the program.

A frame is a length in four bytes, most significant first, and as many bytes of JSON in UTF-8; lone
surrogates pass unchanged.
"""

import json
import os
from typing import Any

LINK = 4
"""The file descriptor of the socket."""

FRAME_BYTES = 8 << 20
_TOTAL_BYTES = 32 << 20
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class LinkBroken(BaseException):
    """The other side has ended, or sent what is no frame.

    No ``except Exception`` of a test holds it.
    """


class Link:
    """One end of the socket."""

    def __init__(self, fd: int = LINK) -> None:
        os.set_inheritable(fd, False)  # a function of os
        self._fd = fd
        self._received = 0

    def send(self, message: list[Any]) -> None:
        """Write a frame.

        Raises:
            LinkBroken: nobody reads it, or it is too long.
        """
        body = _encode(message).encode("utf-8", "surrogatepass")
        if len(body) > FRAME_BYTES:
            raise LinkBroken(f"a message of {len(body):,} bytes is too long")
        frame = memoryview(len(body).to_bytes(4, "big") + body)
        try:
            while frame:
                frame = frame[os.write(self._fd, frame) :]
        except OSError as exc:
            raise LinkBroken("the program ended") from exc

    def receive(self) -> list[Any]:
        """Read a frame.

        Raises:
            LinkBroken: there is none, or it is no JSON, or too long.
        """
        size = int.from_bytes(self._read(4), "big")
        self._received += size
        if size > FRAME_BYTES or self._received > _TOTAL_BYTES:
            raise LinkBroken("the program sent too much data")
        try:
            message = json.loads(self._read(size).decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as exc:
            raise LinkBroken("the program sent invalid data") from exc
        if not isinstance(message, list) or not message:
            raise LinkBroken("the program sent invalid data")
        return message

    def _read(self, size: int) -> bytes:
        chunks, missing = [], size
        while missing:
            try:
                chunk = os.read(self._fd, min(missing, 1 << 20))
            except OSError as exc:
                raise LinkBroken("the program ended") from exc
            if not chunk:
                raise LinkBroken("the program ended")
            chunks.append(chunk)
            missing -= len(chunk)
        return b"".join(chunks)
