"""A gateway in front of the scripted model: a token for each trial, caps, and a meter."""

import asyncio
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any
from urllib.parse import parse_qs

from benchmaker.arenas.agentic.running.scripted.model import Scripted
from benchmaker.arenas.agentic.running.scripted.script import ScriptedReply, Tokens
from benchmaker.arenas.agentic.running.scripted.server import Refusal, ScriptedHandler, running
from benchmaker.arenas.agentic.running.scripted.wire import Wire
from benchmaker.record.agent_trial import GatewayRequest, TrialKey, TrialMeter
from benchmaker.record.agent_trial import Wire as WireName
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.record.usage import Usage

_NAMES = {
    "Chat": WireName.CHAT,
    "Responses": WireName.RESPONSES,
    "Messages": WireName.MESSAGES,
    "Generate": WireName.GEMINI,
}
_ENDPOINT = "scripted"


@dataclass(slots=True)
class ScriptedGrant:
    """The admission of one trial: its token, its requests, and the event of a refusal.

    ``fault`` is empty, since this gateway has no failures of its own.
    """

    key: TrialKey
    model: str
    most_requests: int | None
    socket: Path
    fault: str = ""
    pause_file: Path | None = None
    paused_s: float = 0.0
    given_up_s: float = 0.0
    token: str = field(default_factory=lambda: f"trial-{secrets.token_hex(16)}")
    refused: asyncio.Event = field(default_factory=asyncio.Event)
    rows: list[GatewayRequest] = field(default_factory=list)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def meter(self) -> TrialMeter:
        """The sums over the requests so far."""
        return TrialMeter.of(self.rows)


@dataclass(slots=True)
class ScriptedGateway:
    """Meters what the scripted model sends to each trial.

    ``price_usd`` is the cost of an answer, None if it is unknown. With ``fails`` every request is
    answered with that status.
    """

    model: Scripted
    socket: Path
    price_usd: float | None = 0.001
    fails: int | None = None
    _grants: dict[str, ScriptedGrant] = field(default_factory=dict)
    _ended: dict[TrialKey, ScriptedGrant] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def grant(self, key: TrialKey, model: str, caps: Any = None) -> ScriptedGrant:  # noqa: ANN401
        """Admit a trial; of its caps, the one on requests is kept."""
        made = ScriptedGrant(key, model, getattr(caps, "requests", None), self.socket)
        self._grants[made.token] = made
        return made

    async def revoke(self, grant: ScriptedGrant) -> TrialMeter:
        """End the admission of a trial."""
        self._grants.pop(grant.token, None)
        self._ended[grant.key] = grant
        return grant.meter()

    def requests(self, key: TrialKey) -> tuple[GatewayRequest, ...]:
        """The requests of a trial."""
        every = (*self._grants.values(), *self._ended.values())
        return tuple(row for it in every if it.key == key for row in it.rows)

    def admit(self, handler: ScriptedHandler, wire: Wire) -> Refusal | None:
        """Refuse requests without the token of a trial, and those beyond its cap."""
        grant = self._grants.get(token_of(handler))
        if grant is None:
            return Refusal(401, "no valid token of a trial")
        if self.fails is not None:
            self._add(grant, wire, status=self.fails)
            return Refusal(self.fails, "the endpoint does not answer")
        with self._lock:
            is_over = (
                grant.most_requests is not None and grant.meter().requests >= grant.most_requests
            )
        if not is_over:
            return None
        reason = f"the cap of {grant.most_requests} requests is reached"
        self._add(grant, wire, status=403, refused=reason)
        grant.loop.call_soon_threadsafe(grant.refused.set)
        return Refusal(403, reason)

    def note(self, handler: ScriptedHandler, wire: Wire, reply: ScriptedReply) -> None:
        """Meter an answer."""
        if grant := self._grants.get(token_of(handler)):
            usage = usage_of(wire.count(reply.turn.tokens))
            self._add(grant, wire, status=200, usage=usage, cost_usd=self.price_usd)

    def _add(self, grant: ScriptedGrant, wire: Wire, **known: Any) -> None:  # noqa: ANN401
        with self._lock:
            row = GatewayRequest(
                key=grant.key,
                number=len(grant.rows) + 1,
                wire=_NAMES[type(wire).__name__],
                model=grant.model,
                endpoint=_ENDPOINT,
                started_at=iso_timestamp(time.time()),
                **known,
            )
            grant.rows.append(row)


def usage_of(tokens: Tokens) -> Usage:
    """Scripted tokens as a usage."""
    return Usage(
        input_tokens=tokens.uncached,
        cache_read_tokens=tokens.cached,
        cache_write_5m_tokens=tokens.written,
        output_tokens=tokens.output,
        reasoning_tokens=tokens.reasoning,
    )


def token_of(handler: ScriptedHandler) -> str:
    """The token of a request, wherever its wire has the key."""
    headers = handler.headers
    bearer = headers.get("Authorization", "").removeprefix("Bearer ").strip()
    named = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
    query = parse_qs(handler.path.partition("?")[2])
    return named or query.get("key", [""])[0]


@contextmanager
def scripted_gateway(model: Scripted, **settings: Any) -> Iterator[ScriptedGateway]:  # noqa: ANN401
    """Serve the model behind a gateway on a Unix socket until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="benchmaker-gateway-") as folder:
        path = Path(folder) / "gateway.sock"
        gateway = ScriptedGateway(model, path, **settings)
        parts = {"model": model, "gate": gateway}
        server = ThreadingUnixStreamServer(str(path), type("Handler", (ScriptedHandler,), parts))
        os.chmod(path, 0o666)  # noqa: PTH101, S103  the sandbox's user; the folder is private
        with running(server):
            yield gateway
