"""A stand-in for a provider: chat completions over HTTP, an answer after 50 ms, streamed or not.

``python stand_in.py`` prints its base URL and serves until its standard input ends. ``GET /seen``
says how many requests came, when the first and the last one did (on the system's monotonic clock)
and how much processor time the server took; ``POST /forget`` begins anew.
"""

import asyncio
import re
import sys
import time
from typing import Any

import msgspec
from aiohttp import web

DELAY_S = 0.05
NUMBER = re.compile(r"\d+")
USAGE = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
encode, decode = msgspec.json.encode, msgspec.json.decode


class Seen:
    """What came in since the last ``/forget``."""

    def __init__(self) -> None:
        self.requests = self.flying = self.most = 0
        self.first_at = self.last_at = 0.0
        self.cpu_s = time.process_time()

    def begin(self) -> None:
        """A request came."""
        now = time.monotonic()
        self.first_at = self.first_at or now
        self.requests += 1
        self.flying += 1
        self.most = max(self.most, self.flying)

    def end(self) -> None:
        """It was answered."""
        self.flying -= 1
        self.last_at = time.monotonic()

    def told(self) -> dict[str, float]:
        """For ``/seen``."""
        return {
            "requests": self.requests,
            "most_in_flight": self.most,
            "first_at": self.first_at,
            "last_at": self.last_at,
            "cpu_s": time.process_time() - self.cpu_s,
        }


class StandIn:
    """The routes and what they saw."""

    def __init__(self) -> None:
        self.seen = Seen()

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", self.answer)
        app.router.add_get("/seen", self.tell)
        app.router.add_post("/forget", self.forget)
        return app

    async def tell(self, _: web.Request) -> web.Response:
        """What was seen."""
        return web.json_response(self.seen.told())

    async def forget(self, _: web.Request) -> web.Response:
        """Begin anew."""
        self.seen = Seen()
        return web.Response()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """A completion."""
        self.seen.begin()
        try:
            asked = decode(await request.read())
            text = reply(asked["messages"])
            if asked.get("stream"):
                return await streamed(request, asked["model"], text)
            await asyncio.sleep(DELAY_S)
            body = encode(whole(asked["model"], text))
            return web.Response(body=body, content_type="application/json")
        finally:
            self.seen.end()


def reply(messages: list[dict[str, Any]]) -> str:
    """One more than the first number of the question, in a sentence."""
    said = messages[-1]["content"]
    text = said if isinstance(said, str) else said[0]["text"]
    found = NUMBER.search(text)
    return f"One is added to what was given. So the answer is {int(found[0]) + 1 if found else 0}."


def whole(model: str, text: str) -> dict[str, Any]:
    """The reply in one piece."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**envelope("chat.completion", model), "choices": [choice], "usage": USAGE}


async def streamed(request: web.Request, model: str, text: str) -> web.StreamResponse:
    """The reply as events, three characters each: half of them at half time, the rest at the end.

    So it arrives in two pieces, as it may from far away, and the server is not what is measured.
    """
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await asyncio.sleep(DELAY_S / 2)
    await response.prepare(request)
    events = [event(model, {"role": "assistant", "content": ""})]
    events += [event(model, {"content": text[at : at + 3]}) for at in range(0, len(text), 3)]
    middle = len(events) // 2
    await response.write(b"".join(events[:middle]))
    await asyncio.sleep(DELAY_S / 2)
    usage = {**envelope("chat.completion.chunk", model), "choices": [], "usage": USAGE}
    end = [event(model, {}, finish="stop"), b"data: %s\n\n" % encode(usage), b"data: [DONE]\n\n"]
    await response.write(b"".join(events[middle:] + end))
    return response


def event(model: str, delta: dict[str, str], *, finish: str | None = None) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {**envelope("chat.completion.chunk", model), "choices": [choice]}
    return b"data: %s\n\n" % encode(chunk)


def envelope(kind: str, model: str) -> dict[str, Any]:
    """What every reply has."""
    return {"id": "chatcmpl-1", "object": kind, "created": 1_790_000_000, "model": model}


async def main() -> None:
    runner = web.AppRunner(StandIn().app(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
