"""The web application: routes, rate limits, and the fault that the model's name asks for."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from tests.live.server import anthropic, openai
from tests.live.server.body_faults import BODY_FAULTS
from tests.live.server.bucket import Bucket
from tests.live.server.connection_faults import CONNECTION_FAULTS
from tests.live.server.event import dumped
from tests.live.server.exchange import Exchange
from tests.live.server.fault import Answer, Fault, good
from tests.live.server.journal import Journal
from tests.live.server.pace import MIB, Pace
from tests.live.server.question import Malformed, NoKey, Protocol, Question, key_of, read_question
from tests.live.server.reply import reply_to
from tests.live.server.reply_faults import REPLY_FAULTS
from tests.live.server.sender import Sender
from tests.live.server.status_faults import STATUS_FAULTS, limited
from tests.live.server.stream_faults import STREAM_FAULTS

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        *STATUS_FAULTS,
        *CONNECTION_FAULTS,
        *BODY_FAULTS,
        *REPLY_FAULTS,
        *STREAM_FAULTS,
    )
}
"""Every fault by its name."""

MODELS = ("plain-large", "plain-small")
"""The models that the lists name; any other name is answered, too."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Service:
    """What one server does; it lives in the server's event loop."""

    def __init__(self, journal: Journal, pace: Pace) -> None:
        self.journal = journal
        self.pace = pace
        self._buckets: dict[str, Bucket] = {}

    def app(self) -> web.Application:
        """The application with its routes."""
        app = web.Application(client_max_size=64 * MIB)
        app.router.add_post("/v1/chat/completions", self._noted(self._asked("openai")))
        app.router.add_post("/v1/messages", self._noted(self._asked("anthropic")))
        app.router.add_get("/v1/models", self._noted(self._models))
        app.router.add_get("/_log", self._log)
        app.router.add_route("*", "/{anything:.*}", self._noted(self._elsewhere))
        return app

    def _noted(self, answer: Callable[[Sender], Awaitable[web.StreamResponse]]) -> Handler:
        """Every request is in the journal, and how it ended, too."""

        async def handle(request: web.Request) -> web.StreamResponse:
            key = key_of(request.headers)
            number = self.journal.opened(request.method, request.path, key)
            sender = Sender(request, self.journal, number, self.pace)
            try:
                return await answer(sender)
            except asyncio.CancelledError:
                self.journal.ended(number, "gone")
                raise
            except ConnectionError:
                self.journal.ended(number, "gone")
                return web.Response()  # to nobody

        return handle

    def _asked(self, protocol: Protocol) -> Callable[[Sender], Awaitable[web.StreamResponse]]:
        async def answer(sender: Sender) -> web.StreamResponse:
            body = await sender.request.read()
            try:
                question = read_question(protocol, sender.request.headers, body)
            except Malformed as exc:
                return await _refused(sender, protocol, 400, str(exc))
            except NoKey as exc:
                return await _refused(sender, protocol, 401, str(exc))
            return await self._answered(sender, question)

        return answer

    async def _answered(self, sender: Sender, question: Question) -> web.StreamResponse:
        ordinal = self.journal.asked(sender.number, question)
        exchange = Exchange(question, reply_to(question, sender.number), sender)
        wait_s = self._bucket(question.key).take(self.journal.now_s())
        if wait_s:
            return await _limited(exchange, wait_s)
        await asyncio.sleep(self.pace.latency_s)
        return await _behaviour(question, ordinal)(exchange)

    def _bucket(self, key: str) -> Bucket:
        rate = self.pace.rate
        if rate is None:
            return Bucket(1.0, 1.0)
        return self._buckets.setdefault(key, Bucket(rate, self.pace.burst))

    async def _models(self, sender: Sender) -> web.StreamResponse:
        if not key_of(sender.request.headers):
            return await _refused(sender, "openai", 401, "no key")
        is_anthropic = "anthropic-version" in sender.request.headers
        listed = _anthropic_list() if is_anthropic else _openai_list()
        return await sender.send([dumped(listed)])

    async def _log(self, _: web.Request) -> web.Response:
        return web.json_response(list(self.journal.as_dicts()))

    async def _elsewhere(self, sender: Sender) -> web.StreamResponse:
        """Where redirects lead: ``/_loop`` to itself, all else nowhere."""
        if sender.request.path == "/_loop":
            return await sender.send([b""], status=302, headers={"Location": "/_loop"})
        return await sender.send([dumped({"error": "not found"})], status=404)


def _behaviour(question: Question, ordinal: int) -> Answer:
    """What answers: the fault while it lasts, else the good reply."""
    if not question.fault:
        return good
    fault = FAULTS.get(question.fault)
    if fault is None or question.protocol not in fault.protocols:
        return _unknown
    is_over = question.times is not None and ordinal > question.times
    is_moot = fault.needs_stream and not question.is_streamed
    return good if is_over or is_moot else fault.answer


async def _unknown(exchange: Exchange) -> web.StreamResponse:
    """A test asks for what does not exist; 418 is no fault's status."""
    message = f"no fault {exchange.question.fault} in this protocol"
    return await _refused(exchange.sender, exchange.question.protocol, 418, message)


async def _refused(
    sender: Sender, protocol: Protocol, status: int, message: str
) -> web.StreamResponse:
    words = anthropic if protocol == "anthropic" else openai
    return await sender.send([dumped(words.error(message))], status=status)


async def _limited(exchange: Exchange, wait_s: float) -> web.StreamResponse:
    """A 429 that says how long to wait, rounded up to the unit of its header."""
    sender = exchange.sender
    if sender.pace.rate_header == "retry-after-ms":
        milliseconds = math.ceil(wait_s * 1000)
        wait_s, headers = milliseconds / 1000, {"retry-after-ms": str(milliseconds)}
    else:
        wait_s = math.ceil(wait_s)
        headers = {"Retry-After": str(wait_s)}
    sender.journal.promised(sender.number, wait_s)
    return await sender.send([limited().body(exchange)], status=429, headers=headers)


def _openai_list() -> dict[str, Any]:
    sizes = zip(MODELS, (128_000, 8_192), strict=True)
    models = [
        {"id": name, "object": "model", "created": 1, "owned_by": "us", "context_length": size}
        for name, size in sizes
    ]
    return {"object": "list", "data": models}


def _anthropic_list() -> dict[str, Any]:
    models = [
        {"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
        for name in MODELS
    ]
    return {"data": models, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}
