"""A model server for the gateway's tests, the gateway before it, and agents that query it."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import aiohttp
from aiohttp import web

from benchmaker.arenas.agentic.gateway.gateway import Gateway, open_gateway
from benchmaker.engine.requests.retry import Retry
from benchmaker.record.agent_trial import TrialKey, Wire
from benchmaker.store import Store
from tests.arenas.agentic.gateway.scripts import Answer, events, request, whole
from tests.providers.local import KEY, serving

HOME: Path | None = None
"""The data folder of gateways; its prices are looked up once."""

SERIES = "s-test"
QUICK_RETRY = Retry(retries=2, base_s=0.01, cap_s=0.01)
MODEL = "openai/gpt-4o-mini"
CLAUDE = "anthropic/claude-sonnet-4-5"
GEMINI = "google/gemini-2.5-flash"
MODELS = {
    Wire.CHAT: MODEL,
    Wire.RESPONSES: MODEL,
    Wire.MESSAGES: CLAUDE,
    Wire.GEMINI: GEMINI,
}
_MARK = re.compile(r"answer (\w+)")


@dataclass
class Model:
    """A scripted model: the answer of a request is found by the mark in it."""

    answers: dict[str, Answer] = field(default_factory=dict)
    sent: dict[str, bytes] = field(default_factory=dict)
    url: str = ""
    seen: Any = None
    hold: asyncio.Event | None = None

    def add(self, *answers: Answer) -> list[str]:
        """Marks of further answers."""
        marks = [f"answer {len(self.answers) + at}x" for at in range(len(answers))]
        self.answers |= {mark.split()[1]: it for mark, it in zip(marks, answers, strict=True)}
        return marks

    async def handle(self, asked: web.Request) -> web.StreamResponse:
        body = await asked.text()
        mark = _MARK.search(body)[1]
        answer = self.answers[mark]
        wire = wire_of(asked.path)
        if self.hold is not None:
            await self.hold.wait()
        if not answer.is_streamed:
            self.sent[mark] = json.dumps(whole(wire, answer)).encode()
            return web.Response(body=self.sent[mark], content_type="application/json")
        wants_usage = bool(json.loads(body).get("stream_options", {}).get("include_usage"))
        pieces = list(events(wire, answer, has_usage=wants_usage))
        whole_events = int(answer.cut_at * (len(pieces) - 1)) if answer.cut_at < 1 else len(pieces)
        data = b"".join(pieces[:whole_events])
        self.sent[mark] = data
        return await _stream(asked, data, answer)


async def _stream(asked: web.Request, data: bytes, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(asked)
    random = Random(answer.seed)  # noqa: S311  no secret
    while data:
        size = random.choice((3, 40, 400, 4000))
        await response.write(data[:size])
        data = data[size:]
        await asyncio.sleep(0)
    if answer.cut_at < 1 and answer.seed % 2:
        asked.transport.abort()
    elif answer.cut_at >= 1 or answer.seed % 2 == 0:
        await response.write_eof()
    return response


def wire_of(path: str) -> Wire:
    if "/models/" in path:
        return Wire.GEMINI
    ends = {"completions": Wire.CHAT, "responses": Wire.RESPONSES, "messages": Wire.MESSAGES}
    return ends[path.rpartition("/")[2]]


@asynccontextmanager
async def modelled(*answers: Answer) -> AsyncIterator[Model]:
    """A model server; its answers may be added later."""
    model = Model()
    model.add(*answers)
    async with serving(model.handle) as seen:
        model.url, model.seen = seen.url, seen
        yield model


def environ(url: str) -> dict[str, str]:
    """The environment of a runner whose endpoints are all this server."""
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "GEMINI_API_KEY": KEY,
        "GEMINI_BASE_URL": f"{url}/v1beta/openai",
    }


@asynccontextmanager
async def gatewayed(store: Store, url: str, **options: Any) -> AsyncIterator[Gateway]:
    """A gateway before a server."""
    models = options.pop("models", tuple(dict.fromkeys(MODELS.values())))
    options = {"environ": environ(url), "home": HOME, **options}
    async with open_gateway(store, models, series=SERIES, **options) as gateway:
        yield gateway


def a_key(task: str = "tidy", **fields: Any) -> TrialKey:
    return TrialKey(SERIES, task, "agent × model", 1)._replace(**fields)


class Read(NamedTuple):
    """What an agent read; ``is_cut`` is true if the connection broke."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@asynccontextmanager
async def agent(socket: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of a Unix socket."""
    connector = aiohttp.UnixConnector(path=str(socket), limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


def token_headers(wire: Wire, token: str) -> dict[str, str]:
    match wire:
        case Wire.MESSAGES:
            return {"x-api-key": token}
        case Wire.GEMINI:
            return {"x-goog-api-key": token}
        case _:
            return {"Authorization": f"Bearer {token}"}


async def post(session: aiohttp.ClientSession, path: str, body: Any, **headers: str) -> Read:
    """Send JSON and read the reply to its end, or to where it breaks."""
    async with session.post(f"http://gateway{path}", json=body, headers=headers) as reply:
        data, is_cut = b"", False
        try:
            async for piece, _ in reply.content.iter_chunks():
                data += piece
        except aiohttp.ClientPayloadError:
            is_cut = True
        found = {name.lower(): value for name, value in reply.headers.items()}
        return Read(reply.status, found, data, is_cut)


async def converse(
    session: aiohttp.ClientSession, wire: Wire, token: str, marked: Sequence[tuple[str, Answer]]
) -> list[Read]:
    """Send the requests of a session, one after the other."""
    read = []
    for mark, answer in marked:
        path, body = request(wire, answer, mark)
        read.append(await post(session, path, body, **token_headers(wire, token)))
    return read
