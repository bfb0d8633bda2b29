"""What a fault is: a name, its row in the catalogue, where it makes sense, and what it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from tests.live.server.exchange import Exchange
from tests.live.server.question import Protocol

Answer = Callable[[Exchange], Awaitable[web.StreamResponse]]

BOTH: tuple[Protocol, ...] = ("openai", "anthropic")
OPENAI: tuple[Protocol, ...] = ("openai",)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to go wrong.

    ``row`` is its row in the catalogue; 0 is beyond it. A fault that ``needs_stream`` answers
    rightly when no stream was asked for.
    """

    name: str
    row: int
    answer: Answer
    protocols: tuple[Protocol, ...] = BOTH
    needs_stream: bool = False


async def good(exchange: Exchange) -> web.StreamResponse:
    """The right answer."""
    return await answered(exchange, exchange.pieces())


async def answered(
    exchange: Exchange, pieces: list[bytes], *, pause_s: float | None = None
) -> web.StreamResponse:
    """A complete answer in a proper envelope; its tokens are billed."""
    bill(exchange)
    return await exchange.sender.send(pieces, kind=exchange.kind, pause_s=pause_s)


def bill(exchange: Exchange) -> None:
    """Note the tokens of the good reply, which were made whatever was reported of them."""
    counts = exchange.reply.counts
    if counts:
        sender = exchange.sender
        sender.journal.billed(sender.number, counts.given, counts.made)
