"""One request of an agent: admitted, forwarded, passed back, metered."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import NoReturn

import msgspec

from benchmaker.arenas.agentic.gateway.admission import Admission, CapReached
from benchmaker.arenas.agentic.gateway.grants import TrialGrant
from benchmaker.arenas.agentic.gateway.most_used import most_used
from benchmaker.arenas.agentic.gateway.recording import (
    RecordedExchange,
    RecordedReplies,
    Recorder,
    ReplayedReply,
    request_digest,
)
from benchmaker.arenas.agentic.gateway.replies import (
    CutReply,
    GatewayFailure,
    Send,
    send_body,
    send_start,
    send_whole,
)
from benchmaker.arenas.agentic.gateway.request_rows import RequestRows
from benchmaker.arenas.agentic.gateway.sending import Sender, Sent
from benchmaker.arenas.agentic.gateway.stream_relay import StreamRelay
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import ProviderError, Timeout
from benchmaker.providers.forwarding import FORWARD_LIMITS, Forwarding, KeyMask
from benchmaker.providers.network.transport import Reply
from benchmaker.providers.wires.form import (
    Fields,
    WireCall,
    decode_or_none,
    is_error_report,
    reported_status,
    value_of,
)
from benchmaker.providers.wires.paths import FORMS
from benchmaker.record.agent_trial import AGENT_LEFT, GatewayRequest, has_counts, total_tokens
from benchmaker.record.usage import Usage

_STREAM = "text/event-stream"
_REFUSED = 300
_FORBIDDEN, _NOT_FOUND, _BAD_GATEWAY, _LATE = 403, 404, 502, 504
_MOST_REFUSALS = 100
_GIVES_UP_S = 10.0
"""Seconds in the gateway without which an agent that leaves has not waited for it."""

_NO_TOKENS = Usage(input_tokens=0, output_tokens=0)
_NOT_RECORDED = "a request was not recorded, so the replay has no reply to it"
_UNRECORDED = (
    "This request was not recorded. A replay answers only the requests of the recorded trial; "
    "run the trial with a model instead."
)


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """The shared parts of exchanges."""

    forwarding: Forwarding
    sender: Sender
    admission: Admission
    rows: RequestRows
    clock: Clock
    recorder: Recorder | None
    replay: RecordedReplies | None


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """A request as it came in; names of headers are in lower case."""

    call: WireCall
    fields: Fields
    headers: Mapping[str, str]
    query: str


class AgentExchange:
    """One request, and its row.

    The row is durable before the end of the answer is passed on. ``is_complete`` is true once the
    answer is whole, although more may follow.
    """

    def __init__(self, parts: GatewayParts, grant: TrialGrant, request: AgentRequest) -> None:
        self._parts, self._grant, self._request = parts, grant, request
        self._route = grant.route
        call = request.call
        self._form = FORMS[call.wire]
        sent = self._form.rewrite(request.fields, self._route.model, self._route.endpoint)
        self._body = msgspec.json.encode(sent)
        self._hides_usage = "stream_options" in sent and (
            sent["stream_options"] is not request.fields.get("stream_options")
        )
        asks_stream = value_of(request.fields, "stream") is True
        self._is_streamed = asks_stream if call.is_streamed is None else call.is_streamed
        self._is_metered = call.action == "generate"
        self._most = most_used(self._form, request.fields, self._body, self._route.tariff)
        self._arrival, self._arrived, self._held_s, self._began = 0, 0.0, 0.0, 0.0
        self._row: GatewayRequest | None = None
        self._settling: asyncio.Task[None] | None = None
        self._relay: StreamRelay | None = None
        self._usage: Usage | None = None
        self._hash = sha256()
        self._chunks: list[bytes] = []
        self._head: dict[str, str] = {}
        self._status = self._refused_status = self._sends = 0
        self._first_byte_s: float | None = None
        self._is_whole = self._is_free = self._has_left = self._is_sent = False

    @property
    def is_complete(self) -> bool:
        """True once the answer is whole."""
        return self._is_whole or (self._relay is not None and self._relay.reader.is_complete)

    async def run(self, send: Send) -> None:
        """Make the exchange.

        Raises:
            GatewayFailure: the gateway replies itself.
            CutReply: the reply was cut off after its start.
            StoreError: its row can't be stored.
        """
        self._arrived = self._parts.clock.monotonic()
        try:
            await self._admit()
            await self._store_begin()
            await self._forward(send)
        except asyncio.CancelledError:
            self._has_left = self._settling is None and not self.is_complete
            self._note_giving_up()
            raise
        finally:
            await self._settle()

    async def _admit(self) -> None:
        """Reserve the most that the request may use."""
        if not self._is_metered:
            return
        self._arrival = self._grant.count_arrival()
        try:
            await self._parts.admission.admit(self._grant.spending, self._most, self._pause)
        except CapReached as exc:
            await self._refuse(exc)
            raise GatewayFailure(_FORBIDDEN, str(exc)) from exc
        self._began = self._parts.clock.monotonic()
        self._row = self._new_row(most_usd=self._most.usd, most_tokens=self._most.tokens)
        self._grant.note(self._row)

    @contextmanager
    def _pause(self) -> Iterator[None]:
        """The time of the block is the gateway's, not the agent's."""
        began = self._parts.clock.monotonic()
        try:
            with self._grant.paused.pause():
                yield
        finally:
            self._held_s += self._parts.clock.monotonic() - began

    def _note_giving_up(self) -> None:
        """Note that the agent left since the gateway held the request for most of its time.

        A refusal by the endpoint is the reason where there was one.
        """
        lasted_s = self._parts.clock.monotonic() - self._arrived
        is_held = self._held_s >= max(_GIVES_UP_S, lasted_s / 2)
        if self._has_left and is_held and not self._refused_status:
            self._grant.give_up(self._arrival, self._held_s)

    async def _store_begin(self) -> None:
        """Store that the request was begun, before it is sent: a killed gateway loses none."""
        if self._row is None:
            return
        self._is_free = True
        await self._parts.rows.begin(self._row)
        self._is_free = False

    async def _refuse(self, reached: CapReached) -> None:
        """Note the refusal; of an agent that goes on and on, only the first ones have rows."""
        self._grant.refuse(str(reached), is_agents=reached.is_agents)
        if self._grant.meter().refusals < _MOST_REFUSALS:
            refused = self._new_row(
                status=_FORBIDDEN,
                refused=str(reached),
                sends=0,
                usage=_NO_TOKENS,
                cost_usd=self._known_cost(_NO_TOKENS),
            )
            self._grant.note(refused)
            await self._parts.rows.put(refused)

    def _new_row(self, **fields: object) -> GatewayRequest:
        call = self._request.call
        asked = call.model or value_of(self._request.fields, "model")
        row = GatewayRequest(
            key=self._grant.key,
            number=self._grant.next_number(),
            wire=call.wire,
            model=self._route.model,
            requested_model=_printable(asked) if isinstance(asked, str) else "",
            endpoint=self._route.endpoint.name,
            started_at=self._parts.clock.now_utc(),
            stream=self._is_streamed,
            request_sha256=sha256(self._body).hexdigest(),
        )
        return msgspec.structs.replace(row, **fields)

    async def _forward(self, send: Send) -> None:
        try:
            async with self._open() as sent:
                await self._pass_back(sent, send)
        except ProviderError as exc:
            self._is_free = not exc.is_sent
            message = self._parts.forwarding.redactor.text(exc.message)
            if self._status:
                await self._send_rest(send)
                raise CutReply(message) from exc
            status = _LATE if isinstance(exc, Timeout) else _BAD_GATEWAY
            await self._fail(status, f"The model can't be reached: {message}")

    async def _fail(self, status: int, message: str) -> NoReturn:
        """Settle a request without a reply, and say so to the agent.

        Raises:
            GatewayFailure: always.
        """
        self._status = status
        await self._settle()
        raise GatewayFailure(status, message)

    async def _send_rest(self, send: Send) -> None:
        """Settle a cut reply, and pass on what came before the cut."""
        rest = self._relay.finish() if self._relay else b""
        await self._settle()
        await send_body(send, rest, is_more=True)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Sent]:
        """The reply: from the endpoint, or from a recording."""
        parts = self._parts
        if parts.replay is not None:
            found = parts.replay.find(self._grant.key, self._digest())
            if found is None:
                self._status, self._is_free = _NOT_FOUND, True
                self._grant.fail(_NOT_RECORDED)
                raise GatewayFailure(_NOT_FOUND, _UNRECORDED)
            reply = ReplayedReply(found)
            failed = await reply.read() if found.status >= _REFUSED else None
            self._note_send()
            yield Sent(reply, failed)
            return
        opening = parts.sender.send(
            self._route,
            self._to_endpoint,
            self._used_tokens,
            self._note_refusal,
            pause=self._pause,
        )
        async with opening as sent:
            yield sent

    @asynccontextmanager
    async def _to_endpoint(self) -> AsyncIterator[Reply]:
        """The reply to one send to the endpoint, whose time is the agent's."""
        request = self._request
        sent = self._parts.forwarding.request(
            self._route,
            self._form,
            request.call,
            self._body,
            headers=request.headers,
            query=request.query,
            on_send=self._note_send,
        )
        with self._grant.paused.work():
            async with sent as reply:
                yield reply

    def _note_send(self) -> None:
        """The request is on its way; it may cost something until it is refused."""
        self._sends += 1
        self._is_sent = True

    def _note_refusal(self, status: int) -> None:
        """The endpoint refused the request for now; it is sent again."""
        self._refused_status = status
        self._is_sent = False

    def _digest(self) -> str:
        request = self._request
        return request_digest(request.call, request.fields, is_streamed=self._is_streamed)

    async def _pass_back(self, sent: Sent, send: Send) -> None:
        reply = sent.reply
        self._head = self._parts.forwarding.reply_headers(reply.headers)
        kind = reply.headers.get("content-type", "")
        if sent.failed is not None:
            self._is_free = self._is_whole = True
            self._take(sent.failed)
            await self._send_whole(send, reply.status, sent.failed)
        elif kind.startswith(_STREAM):
            await self._pass_stream(sent, send)
        else:
            body = await reply.read()
            self._take(body)
            self._usage = self._form.whole_usage(body, self._route.endpoint)
            await self._pass_body(send, reply.status, body)

    async def _pass_body(self, send: Send, status: int, body: bytes) -> None:
        """Pass an answer of one piece on; a failure with status 200 gets that of a failure.

        An answer that can't be read may have been paid for, so its usage is unknown.
        """
        said = decode_or_none(body)
        if self._usage is None and not isinstance(said, (dict, list)):
            await self._fail(_BAD_GATEWAY, "The answer of the model's endpoint is not JSON.")
        self._is_whole = True
        if is_error_report(said):
            parts = said if isinstance(said, list) else [said]
            self._is_free = self._usage is None and all(map(is_error_report, parts))
            status = reported_status(said)
        await self._send_whole(send, status, body)

    async def _send_whole(self, send: Send, status: int, body: bytes) -> None:
        mask = KeyMask(self._parts.forwarding.secrets)
        masked = mask.feed(body) + mask.finish()
        self._note_first_byte()
        self._status = status
        await self._settle()
        await send_whole(send, status, self._head, masked)

    async def _pass_stream(self, sent: Sent, send: Send) -> None:
        """Pass events on as they come, and the last one once the row is durable."""
        reply = sent.reply
        reader = self._form.stream_usage(self._route.endpoint)
        relay = self._relay = StreamRelay(
            reader, hides_usage=self._hides_usage, line_bytes=FORWARD_LIMITS.line_bytes
        )
        mask = KeyMask(self._parts.forwarding.secrets)
        self._status = reply.status
        await send_start(send, reply.status, self._head)
        while not reader.is_ended and (chunk := await reply.chunk()):
            self._take(chunk)
            if ready := relay.feed(mask.feed(chunk)):
                self._note_first_byte()
                await send_body(send, ready, is_more=True)
        rest = await reply.drain()
        self._take(rest)
        ready = relay.feed(mask.feed(rest)) + relay.feed(mask.finish()) + relay.finish()
        self._is_free = relay.has_failed and not relay.has_begun and reader.usage() is None
        await self._settle()
        await send_body(send, ready, is_more=False)

    def _take(self, chunk: bytes) -> None:
        """Note bytes of the endpoint."""
        self._hash.update(chunk)
        if self._parts.recorder is not None and chunk:
            self._chunks.append(chunk)

    def _note_first_byte(self) -> None:
        if self._first_byte_s is None:
            self._first_byte_s = self._parts.clock.monotonic() - self._began

    def _used_tokens(self) -> int | None:
        usage = self._known_usage()
        return total_tokens(usage) if has_counts(usage) else None

    def _known_usage(self) -> Usage | None:
        """The usage; of a cut answer the output is unknown, since counts in it are partial."""
        if self._costs_nothing:
            return _NO_TOKENS
        if self._relay is None:
            return self._usage
        usage = self._relay.reader.usage()
        if usage is None or self._relay.reader.is_complete:
            return usage
        partial = msgspec.structs.replace(usage, output_tokens=None, reasoning_tokens=None)
        return None if partial == Usage() else partial

    @property
    def _costs_nothing(self) -> bool:
        """True if it was not sent, or the endpoint refused each send."""
        return self._is_free or not self._is_sent

    def _known_cost(self, usage: Usage | None) -> float | None:
        """The cost; a refused request, or one that was never sent, has not even a fee."""
        tariff = self._route.tariff
        if self._costs_nothing:
            return None if tariff.card() is None else 0.0
        return tariff.cost_usd(usage)

    async def _settle(self) -> None:
        """Store the row, once; an interruption does not stop that."""
        if self._settling is None:
            self._settling = self._grant.start_settling(self._store())
        await asyncio.shield(self._settling)

    async def _store(self) -> None:
        """Store what was used, which replaces the reservation."""
        self._record()
        if self._row is None:
            return
        usage = self._known_usage()
        cost_usd = self._known_cost(usage)
        done = msgspec.structs.replace(
            self._row,
            status=self._final_status,
            sends=self._sends,
            usage=usage,
            cost_usd=cost_usd,
            latency_s=self._parts.clock.monotonic() - self._began,
            first_byte_s=self._first_byte_s,
            was_cut=self._was_cut,
            response_sha256=self._hash.hexdigest(),
        )
        self._grant.note(done)
        await self._parts.admission.settle(
            self._grant.spending, self._most, usage, cost_usd, is_failed=done.is_endpoint_failure
        )
        await self._parts.rows.put(done)

    @property
    def _final_status(self) -> int:
        """The status; an agent that left while a refused request was sent again left for that.

        A request that the runner interrupted has none, like one of a killed runner.
        """
        if self._has_left:
            left = self._refused_status or AGENT_LEFT
            return 0 if self._grant.is_interrupted else left
        return self._status or _BAD_GATEWAY

    @property
    def _was_cut(self) -> bool:
        has_failed = self._relay is not None and self._relay.has_failed
        return self._has_left or has_failed or not (self.is_complete or self._is_free)

    def _record(self) -> None:
        if self._parts.recorder is None or not self._head:
            return
        mask = KeyMask(self._parts.forwarding.secrets)
        chunks = [*map(mask.feed, self._chunks), mask.finish()]
        exchange = RecordedExchange.of(
            self._grant.key,
            self._digest(),
            status=self._status,
            headers=self._head,
            chunks=[chunk for chunk in chunks if chunk],
            was_cut=self._was_cut,
        )
        self._parts.recorder.add(exchange)


def _printable(text: str) -> str:
    """The start of a text of the agent without control characters, which databases refuse."""
    return "".join(filter(str.isprintable, text[:200]))
