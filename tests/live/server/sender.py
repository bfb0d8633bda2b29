"""Puts bytes on the wire, as HTTP demands or as it forbids."""

import asyncio
import gzip
import socket
import struct
import weakref
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from aiohttp import web

from tests.live.server.journal import End, Journal
from tests.live.server.pace import Pace

_LINGER = struct.pack("ii", 1, 0)  # close() then sends RST
_served: weakref.WeakKeyDictionary[asyncio.BaseTransport, int] = weakref.WeakKeyDictionary()


class Sender:
    """Answers one request, and notes in the journal how that ended."""

    def __init__(self, request: web.Request, journal: Journal, number: int, pace: Pace) -> None:
        self.request = request
        self.pace = pace
        self.journal = journal
        self.number = number
        transport = request.transport
        if transport is not None:
            _served[transport] = _served.get(transport, 0) + 1

    @property
    def served(self) -> int:
        """The how manieth request of its connection this is, from 1."""
        return _served.get(self._transport(), 1)

    def _transport(self) -> asyncio.Transport:
        transport = self.request.transport
        if not isinstance(transport, asyncio.Transport):
            raise ConnectionResetError("the client left")
        return transport

    async def send(
        self,
        pieces: Sequence[bytes],
        *,
        status: int = 200,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
        pause_s: float | None = None,
    ) -> web.StreamResponse:
        """A proper answer: one piece with its length, several in chunks, with pauses between."""
        response = web.StreamResponse(status=status, headers=dict(headers or {}))
        response.content_type = kind
        if len(pieces) == 1:
            response.content_length = len(pieces[0])
        await response.prepare(self.request)
        await self._write(response, pieces, pause_s)
        await response.write_eof()
        self.journal.ended(self.number, "answered", status=status)
        return response

    async def send_cut(
        self, pieces: Sequence[bytes], *, kind: str, whole: int | None, reset: bool = False
    ) -> web.StreamResponse:
        """The pieces, then the connection ends before the answer does.

        ``whole`` is the length promised in the header; None sends chunks without a last one.
        """
        response = web.StreamResponse()
        response.content_type = kind
        response.content_length = whole
        await response.prepare(self.request)
        await self._write(response, pieces, 0)
        await asyncio.sleep(self.pace.slow_s)  # so that what was written leaves before the end
        return self.cut(reset=reset, status=200)

    async def _write(
        self, response: web.StreamResponse, pieces: Iterable[bytes], pause_s: float | None
    ) -> None:
        for count, piece in enumerate(pieces):
            if count and pause_s is not None:
                await asyncio.sleep(pause_s)
            await response.write(piece)

    async def send_endless(
        self, pieces: AsyncIterator[bytes], *, kind: str, coding: str | None = None
    ) -> web.StreamResponse:
        """Pieces as they come, in chunks; the client may have enough before the end."""
        response = web.StreamResponse(headers={"Content-Encoding": coding} if coding else {})
        response.content_type = kind
        await response.prepare(self.request)
        async for piece in pieces:
            await response.write(piece)
        await response.write_eof()
        self.journal.ended(self.number, "answered", status=200)
        return response

    async def send_gzip(self, body: bytes, *, kind: str, keep: float = 1.0) -> web.StreamResponse:
        """The body compressed, of which only a share is sent, with a length that fits the share."""
        packed = gzip.compress(body)
        sent = packed[: int(len(packed) * keep)]
        return await self.send([sent], kind=kind, headers={"Content-Encoding": "gzip"})

    async def send_raw(
        self, pieces: Iterable[bytes], *, pause_s: float = 0.0, end: End = "cut"
    ) -> web.StreamResponse:
        """Bytes past the HTTP layer; then the connection is closed, which ends it as said."""
        transport = self._transport()
        for count, piece in enumerate(pieces):
            if count:
                await asyncio.sleep(pause_s)
            transport.write(piece)
        self.journal.ended(self.number, end)
        return self.cut()

    def cut(self, *, reset: bool = False, status: int | None = None) -> web.StreamResponse:
        """Close the connection, politely or with a reset."""
        self.journal.ended(self.number, "cut", status=status)
        transport = self._transport()
        if reset:
            sock = transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
            transport.abort()
        else:
            transport.close()
        return web.Response()

    async def hang(
        self, *, headers_first: bool = False, kind: str = "application/json"
    ) -> web.StreamResponse:
        """Say nothing, or nothing more, until the client leaves or patience ends."""
        if headers_first:
            response = web.StreamResponse()
            response.content_type = kind
            await response.prepare(self.request)
        await asyncio.sleep(self.pace.hang_s)
        return self.cut()
