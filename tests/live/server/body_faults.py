"""Faults in the bytes of a body: compression, size, JSON, encoding."""

import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator

from aiohttp import web

from tests.live.server.event import dumped
from tests.live.server.exchange import Exchange
from tests.live.server.fault import Fault, answered

DEPTH = 100_000
_BLOCK = 256 * 1024
_KEYS = ("choices", "delta", "content")


async def gzip_truncated(exchange: Exchange) -> web.StreamResponse:
    """A compressed body that ends too soon, though its length fits the header."""
    body = b"".join(exchange.pieces())
    return await exchange.sender.send_gzip(body, kind=exchange.kind, keep=0.6)


async def gzip_bomb(exchange: Exchange) -> web.StreamResponse:
    """A few bytes that grow a thousandfold."""
    packed = _packed(_filling(exchange))
    return await exchange.sender.send_endless(packed, kind=exchange.kind, coding="gzip")


async def huge_body(exchange: Exchange) -> web.StreamResponse:
    """A body without end, uncompressed, in lines of ordinary length."""
    return await exchange.sender.send_endless(_each(_filling(exchange)), kind=exchange.kind)


def _filling(exchange: Exchange) -> Iterator[bytes]:
    """The good answer behind more white space or comments than anybody should read."""
    line = b": " + b"x" * 125 + b"\n" if exchange.is_streamed else b" " * 128
    block = line * (_BLOCK // 128)
    for _ in range(exchange.sender.pace.bomb_bytes // _BLOCK):
        yield block
    yield from exchange.pieces()


async def _each(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    for block in blocks:
        yield block


async def _packed(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    press = zlib.compressobj(wbits=31)
    for block in blocks:
        if packed := press.compress(block):
            yield packed
    yield press.flush()


async def sse_huge_line(exchange: Exchange) -> web.StreamResponse:
    """One event whose data is as long as a bomb."""

    async def line() -> AsyncIterator[bytes]:
        yield b'data: {"choices": "'
        async for block in _each(b"x" * _BLOCK for _ in _filling(exchange)):
            yield block
        yield b'"}\n\n'

    return await exchange.sender.send_endless(line(), kind=exchange.kind)


def _malformed(data: bytes) -> bytes:
    return data[:-1] + b", oops}"


def _trailing(data: bytes) -> bytes:
    return data + b'} {"and": "more"}'


def _repeated(data: bytes) -> bytes:
    """The JSON with the key that holds the answer a second time, empty."""
    key = next(key for key in _KEYS if key in json.loads(data))
    return data[:-1] + f', "{key}": []}}'.encode()


def _deep(data: bytes) -> bytes:
    return data[:-1] + b', "deep": ' + b"[" * DEPTH + b"]" * DEPTH + b"}"


def _not_a_number(data: bytes) -> bytes:
    return data[:-1] + b', "x_logprob": NaN, "x_least": -Infinity}'


def _more_fields(data: bytes) -> bytes:
    return data[:-1] + b"," + dumped({"x_more": {"a": [1, None, "\u20ac"]}, "x_big": 2**70})[1:]


def _ill_encoded(data: bytes) -> bytes:
    """The JSON with bytes in the answer's text that are no UTF-8."""
    place = data.rindex(b'text": "' if b'"text": "' in data else b'content": "')
    at = data.index(b': "', place) + 3
    return data[:at] + b"\xff\xfe\xc3" + data[at:]


def _json(name: str, row: int, change: Callable[[bytes], bytes]) -> Fault:
    async def answer(exchange: Exchange) -> web.StreamResponse:
        return await answered(exchange, exchange.pieces_changed(change))

    return Fault(name, row, answer)


async def json_bom(exchange: Exchange) -> web.StreamResponse:
    """A byte order mark before everything."""
    first, *others = exchange.pieces()
    return await answered(exchange, [b"\xef\xbb\xbf" + first, *others])


BODY_FAULTS: tuple[Fault, ...] = (
    Fault("gzip_truncated", 14, gzip_truncated),
    Fault("gzip_bomb", 18, gzip_bomb),
    Fault("huge_body", 18, huge_body),
    Fault("sse_huge_line", 18, sse_huge_line, needs_stream=True),
    _json("malformed_json", 19, _malformed),
    _json("json_trailing", 19, _trailing),
    _json("json_dupkeys", 19, _repeated),
    _json("json_deep", 19, _deep),
    _json("invalid_utf8", 19, _ill_encoded),
    Fault("json_bom", 20, json_bom),
    _json("extra_fields", 20, _more_fields),
    _json("json_nan", 20, _not_a_number),
)
