"""Faults below HTTP, and answers that never come or come slowly."""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import web

from tests.live.server.event import dumped
from tests.live.server.exchange import Exchange
from tests.live.server.fault import Fault, answered, bill, good

_GARBAGE = b"SSH-2.0-OpenSSH_9.6\r\n\x00\x01\x02\xffnot http at all\r\n\r\n"


async def reset_at_once(exchange: Exchange) -> web.StreamResponse:
    return exchange.sender.cut(reset=True)


async def close_no_reply(exchange: Exchange) -> web.StreamResponse:
    return exchange.sender.cut()


async def garbage_http(exchange: Exchange) -> web.StreamResponse:
    return await exchange.sender.send_raw([_GARBAGE])


async def reset_after_headers(exchange: Exchange) -> web.StreamResponse:
    return await exchange.sender.send_cut([], kind=exchange.kind, whole=1000, reset=True)


async def truncated_body(exchange: Exchange) -> web.StreamResponse:
    """Half of the body with the length of the whole one."""
    body = b"".join(exchange.pieces())
    half = body[: len(body) // 2]
    return await exchange.sender.send_cut([half], kind=exchange.kind, whole=len(body))


async def bad_chunking(exchange: Exchange) -> web.StreamResponse:
    """A first good chunk, and at once another whose size is no number."""
    head, good_chunk, bad_chunk = _bad_chunks(exchange)
    return await exchange.sender.send_raw([head + good_chunk + bad_chunk])


async def bad_chunking_late(exchange: Exchange) -> web.StreamResponse:
    """The same, with the bad chunk in a packet of its own."""
    head, good_chunk, bad_chunk = _bad_chunks(exchange)
    pause_s = exchange.sender.pace.slow_s
    return await exchange.sender.send_raw([head + good_chunk, bad_chunk], pause_s=pause_s)


def _bad_chunks(exchange: Exchange) -> tuple[bytes, bytes, bytes]:
    body = b"".join(exchange.pieces())
    half = body[: len(body) // 2]
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {exchange.kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode(), b"%x\r\n%s\r\n" % (len(half), half), b"ZZZ\r\nwhat?\r\n"


async def hang(exchange: Exchange) -> web.StreamResponse:
    return await exchange.sender.hang()


async def hang_after_headers(exchange: Exchange) -> web.StreamResponse:
    return await exchange.sender.hang(headers_first=True, kind=exchange.kind)


async def slow_body(exchange: Exchange) -> web.StreamResponse:
    """The body in pieces with pauses that stay below any idle limit."""
    pace = exchange.sender.pace
    body = b"".join(exchange.pieces())
    return await answered(exchange, _cut_up(body, pace.slow_pieces), pause_s=pace.slow_s)


async def slow_ok(exchange: Exchange) -> web.StreamResponse:
    """Everything at once, but late."""
    pace = exchange.sender.pace
    await asyncio.sleep(pace.slow_s * pace.slow_pieces)
    return await good(exchange)


async def drip(exchange: Exchange) -> web.StreamResponse:
    """White space or comments for ever: never idle, never done."""
    pace = exchange.sender.pace
    piece = b": still here\n\n" if exchange.is_streamed else b" "

    async def drops() -> AsyncIterator[bytes]:
        until = asyncio.get_running_loop().time() + pace.hang_s
        while asyncio.get_running_loop().time() < until:
            yield piece
            await asyncio.sleep(pace.slow_s)

    return await exchange.sender.send_endless(drops(), kind=exchange.kind)


async def stale_keepalive(exchange: Exchange) -> web.StreamResponse:
    """The first request of a connection is answered, the second finds it closed."""
    if exchange.sender.served > 1:
        return exchange.sender.cut()
    return await good(exchange)


async def bytewise(exchange: Exchange) -> web.StreamResponse:
    """Every byte by itself."""
    body = b"".join(exchange.pieces())
    return await answered(exchange, [body[at : at + 1] for at in range(len(body))], pause_s=0)


async def split_headers(exchange: Exchange) -> web.StreamResponse:
    """The head in pieces: within a name, between the line ends; odd case and spaces."""
    body = b"".join(exchange.pieces()) or dumped(None)
    head = (
        f"HTTP/1.1 200 OK\r\ncOnTeNt-TyPe:   {exchange.kind}; charset=utf-8\r\n"
        f"x-padding: {'a' * 4000}\r\nContent-Length:{len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    pieces = [head[:3], head[3:20], head[20:4050], head[4050:-3], head[-3:-1], head[-1:], body]
    pause_s = exchange.sender.pace.slow_s / 2
    bill(exchange)
    return await exchange.sender.send_raw(pieces, pause_s=pause_s, end="answered")


def _cut_up(body: bytes, number: int) -> list[bytes]:
    size = max(1, -(-len(body) // number))
    return [body[at : at + size] for at in range(0, len(body), size)]


CONNECTION_FAULTS: tuple[Fault, ...] = (
    Fault("reset_at_once", 13, reset_at_once),
    Fault("close_no_reply", 13, close_no_reply),
    Fault("garbage_http", 13, garbage_http),
    Fault("reset_after_headers", 14, reset_after_headers),
    Fault("truncated_body", 14, truncated_body),
    Fault("bad_chunking", 14, bad_chunking),
    Fault("bad_chunking_late", 14, bad_chunking_late),
    Fault("hang", 15, hang),
    Fault("hang_after_headers", 15, hang_after_headers),
    Fault("drip", 15, drip),
    Fault("slow_body", 16, slow_body),
    Fault("slow_ok", 16, slow_ok),
    Fault("stale_keepalive", 17, stale_keepalive),
    Fault("bytewise", 37, bytewise),
    Fault("split_headers", 37, split_headers),
)
