"""Real servers on this machine that answer as a test says."""

import asyncio
import itertools
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from benchmaker.providers.live import Live
from benchmaker.providers.network.http import Http
from benchmaker.providers.network.transport import HttpLimits

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEY = "sk-test-canary-0123456789abcdef"

PATIENT = HttpLimits(
    connect_s=60.0,
    first_byte_s=60.0,
    idle_s=60.0,
    total_s=60.0,
    body_bytes=2**20,
    line_bytes=2**16,
)
"""Limits that no answer of a local server reaches, however busy the machine is."""


@dataclass
class Seen:
    """What a server was asked."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    connections: set[Any] = field(default_factory=set)


@asynccontextmanager
async def serving(handler: Handler, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Seen]:
    """A server that hands every request to ``handler`` and notes it."""
    seen = Seen()

    async def noted(request: web.Request) -> web.StreamResponse:
        data = await request.read()
        seen.bodies.append(json.loads(data) if data else {})
        seen.heads.append({name.lower(): value for name, value in request.headers.items()})
        seen.paths.append(request.path_qs)
        seen.connections.add(request.transport)
        return await handler(request)

    runner = web.AppRunner(_app(noted), handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    seen.url = f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield seen
    finally:
        await runner.cleanup()


def _app(handler: Handler) -> web.Application:
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", handler)
    return app


@asynccontextmanager
async def speaking(
    *replies: Sequence[bytes] | None, pause_s: float = 0.0
) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that writes these bytes for one request after the other, whatever they are.

    Requests on a connection are answered in turn; None closes the connection without a word. The
    list counts the requests of each connection.
    """
    coming = iter(replies)
    counts: list[int] = []
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine = len(counts)
        counts.append(0)
        try:
            while await _request(reader):
                counts[mine] += 1
                reply = next(coming, None)
                if reply is None:
                    return
                for piece in reply:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(pause_s)
                if reply and b"close" in b"".join(reply).lower():
                    return
        except ConnectionError:
            pass
        finally:
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(connection(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", counts
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> bool:
    """Read one request; False at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return False
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ),
        0,
    )
    await reader.readexactly(length)
    return True


def reply_of(
    body: bytes, *, status: str = "200 OK", kind: str = "application/json", more: str = ""
) -> list[bytes]:
    """A reply in HTTP with its length."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return [head.encode() + body]


def chat(content: Any = "42", *, finish: str | None = "stop", **fields: Any) -> dict[str, Any]:
    """A reply of chat completions."""
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "gpt-x",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
        **fields,
    }


def logprobs(*tokens: dict[str, float]) -> dict[str, Any]:
    """The log probabilities of tokens as OpenAI reports them, the first alternative chosen."""
    tops = [[{"token": it, "logprob": value} for it, value in one.items()] for one in tokens]
    return {"content": [{**top[0], "top_logprobs": top} for top in tops]}


def with_logprobs(reply: dict[str, Any], *tokens: dict[str, float]) -> dict[str, Any]:
    """A whole reply of chat completions with log probabilities."""
    (choice,) = reply["choices"]
    return {**reply, "choices": [{**choice, "logprobs": logprobs(*tokens)}]}


def chunk(
    content: str | None = None,
    *,
    finish: str | None = None,
    tokens: Sequence[dict[str, float]] = (),
    **fields: Any,
) -> bytes:
    """One event of a chat stream, with the log probabilities of these tokens."""
    delta = {} if content is None else {"content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    if tokens:
        choice["logprobs"] = logprobs(*tokens)
    data = {"model": "gpt-x", "choices": [choice], **fields}
    return b"data: " + json.dumps(data).encode() + b"\n\n"


USAGE = (
    b'data: {"model":"gpt-x","choices":[],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n'
)
DONE = b"data: [DONE]\n\n"
STREAM = (chunk("4"), chunk("2"), chunk(finish="stop"), USAGE, DONE)


def as_json(data: Any, *, status: int = 200, **headers: str) -> Handler:
    """A handler that sends this as JSON."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()

    async def handle(request: web.Request) -> web.StreamResponse:
        del request
        return web.Response(
            body=body, status=status, content_type="application/json", headers=headers
        )

    return handle


def as_stream(*pieces: bytes, pause_s: float = 0.0, hang_s: float = 0.0) -> Handler:
    """A handler that sends these as an event stream."""

    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(pause_s)
        if hang_s:
            await asyncio.sleep(hang_s)
        await response.write_eof()
        return response

    return handle


@asynccontextmanager
async def asking(
    url: str, *models: str, limits: HttpLimits = PATIENT, **options: Any
) -> AsyncIterator[Live]:
    """Live models whose base URLs are all this one."""
    environ = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        **options.pop("environ", {}),
    }
    live = Live(models or ("openai/gpt-x",), environ=environ, limits=limits, **options)
    try:
        yield live
    finally:
        await live.close()


@asynccontextmanager
async def network(limits: HttpLimits = PATIENT, **options: Any) -> AsyncIterator[Http]:
    """The transport, closed in the end."""
    http = Http(limits, **options)
    try:
        yield http
    finally:
        await http.close()


def every_split(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    """The data in pieces that begin at these offsets."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in itertools.pairwise(places)]
