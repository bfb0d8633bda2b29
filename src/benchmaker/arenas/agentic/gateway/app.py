"""The ASGI application of the gateway: authentication, requests, replies."""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from benchmaker.arenas.agentic.gateway.exchange import AgentExchange, AgentRequest, GatewayParts
from benchmaker.arenas.agentic.gateway.grants import TrialGrant
from benchmaker.arenas.agentic.gateway.replies import (
    JSON,
    CutReply,
    GatewayFailure,
    Receive,
    Send,
    send_failure,
    send_whole,
)
from benchmaker.errors import BenchmakerError, SpecError, StoreError
from benchmaker.providers.wires.form import WireCall, WireError, read_fields
from benchmaker.providers.wires.paths import find_call, model_list, wire_of_path
from benchmaker.record.agent_trial import Wire

_LOG = logging.getLogger(__name__)

BODY_BYTES = 32 * 2**20
"""The largest request that is read."""

MOST_AT_ONCE = 24
"""Requests of one trial in progress, which bounds the memory that an agent can take."""

LINGER_S = 1.0
"""How long an answer that is whole may go on after the agent has left."""

_UNKNOWN_TOKEN = "This token is not valid here. Use the token of this trial as the API key."  # noqa: S105  no secret


class GatewayApp:
    """Answers the requests of agents.

    Args:
        parts: the shared parts of exchanges.
        grants: the grants by token, as they are now.
        own: the only grant whose token is accepted; any by default.
    """

    def __init__(
        self, parts: GatewayParts, grants: Mapping[str, TrialGrant], own: TrialGrant | None = None
    ) -> None:
        self._parts, self._grants, self._own = parts, grants, own

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle one connection's request."""
        if scope["type"] != "http":
            return
        path = scope["path"]
        call = find_call(scope["method"], path)
        wire = call.wire if call else wire_of_path(path)
        try:
            await self._reply(scope, call, receive, send)
        except GatewayFailure as exc:
            await send_failure(send, wire, exc.error)
        except CutReply as exc:
            _LOG.info("a reply was cut off: %s", exc)  # without an end, its connection is closed
        except Exception as exc:  # noqa: BLE001  it is noted as the fault of the trial
            _LOG.info("a request failed at the gateway: %r", exc)
            await self._send_fault(send, wire, exc)

    async def _send_fault(self, send: Send, wire: Wire, fault: Exception) -> None:
        message = "The gateway failed, so the answer to this request is withheld."
        if isinstance(fault, StoreError):
            message = "The gateway could not store this request, so its answer is withheld."
        with suppress(RuntimeError):  # the reply has begun: its connection is closed
            await send_failure(send, wire, WireError(500, message))

    async def _reply(
        self, scope: Mapping[str, Any], call: WireCall | None, receive: Receive, send: Send
    ) -> None:
        headers = _headers(scope)
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        grant = self._authenticate(headers, dict(query))
        if call is None:
            raise GatewayFailure(404, f"The gateway has no {scope['method']} {scope['path']}.")
        if call.action == "models":
            await send_whole(send, 200, JSON, model_list(call, grant.route.model))
            return
        if headers.get("content-encoding", "identity") != "identity":
            raise GatewayFailure(415, "The gateway does not read compressed requests.")
        rest = urlencode([(name, value) for name, value in query if name != "key"])
        with _place_of(grant), _noting_faults(grant):
            fields = await _read_fields(receive)
            if grant.is_revoked:
                raise GatewayFailure(401, _UNKNOWN_TOKEN)
            exchange = self._exchange(grant, AgentRequest(call, fields, headers, rest))
            await _run(exchange, grant, receive, send)

    def _exchange(self, grant: TrialGrant, request: AgentRequest) -> AgentExchange:
        try:
            return AgentExchange(self._parts, grant, request)
        except SpecError as exc:
            raise GatewayFailure(400, exc.message) from exc

    def _authenticate(self, headers: Mapping[str, str], query: Mapping[str, str]) -> TrialGrant:
        """The grant of the request's token; every way in which a tool sends a key is accepted."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = (
            bearer.strip() if scheme.lower() == "bearer" else "",
            headers.get("x-api-key", ""),
            headers.get("x-goog-api-key", ""),
            query.get("key", ""),
        )
        for token in given:
            grant = self._grants.get(token)
            if grant is not None and self._own in (None, grant):
                return grant
        raise GatewayFailure(401, _UNKNOWN_TOKEN)


@contextmanager
def _place_of(grant: TrialGrant) -> Iterator[None]:
    """One of the places for requests in progress."""
    if grant.in_progress >= MOST_AT_ONCE:
        raise GatewayFailure(429, f"A trial may have {MOST_AT_ONCE} requests in progress.")
    grant.in_progress += 1
    try:
        yield
    finally:
        grant.in_progress -= 1


@contextmanager
def _noting_faults(grant: TrialGrant) -> Iterator[None]:
    """Note every failure of the gateway itself: the trial is not scored then."""
    try:
        yield
    except (GatewayFailure, CutReply):
        raise
    except Exception as exc:
        reason = exc.message if isinstance(exc, BenchmakerError) else repr(exc)
        grant.fail(f"the gateway failed: {reason}")
        raise


async def _run(exchange: AgentExchange, grant: TrialGrant, receive: Receive, send: Send) -> None:
    """Make the exchange; it is cancelled once the agent has left."""
    work = asyncio.ensure_future(exchange.run(send))
    grant.tasks.add(work)
    gone = asyncio.ensure_future(_wait_until_gone(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done() and exchange.is_complete:
            await asyncio.wait({work}, timeout=LINGER_S)
        if not work.done():
            work.cancel()
        with suppress(asyncio.CancelledError):
            await work
    finally:
        gone.cancel()
        work.cancel()
        grant.tasks.discard(work)


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read_fields(receive: Receive) -> dict[str, msgspec.Raw]:
    try:
        return read_fields(await _read_body(receive))
    except SpecError as exc:
        raise GatewayFailure(400, exc.message) from exc


async def _read_body(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise GatewayFailure(400, "The request ended early.")
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > BODY_BYTES:
            raise GatewayFailure(413, f"A request may have {BODY_BYTES // 2**20} MB at most.")
        if not message.get("more_body", False):
            return b"".join(pieces)


def _headers(scope: Mapping[str, Any]) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }
