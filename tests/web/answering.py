"""A real server of this machine that answers as models do, as fast as a test says."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiohttp import web

_PATIENCE_S = 120
Reply = Callable[[str], str]


class Models:
    """The models: what they say to a prompt, and how they take their time.

    While ``flows`` is cleared no answer gets further. ``asked`` are the prompts, ``most_at_once``
    the largest number of answers under way. ``by_model`` answers by the model's name instead of
    ``reply``, if there is one for it. ``bodies`` are the requests, ``usage`` the tokens of each.
    The next ``refusals`` requests are refused for ``refused_s`` seconds.
    ``lists`` counts the requests for the list of models.
    """

    def __init__(self, reply: Reply, pause_s: float) -> None:
        self.reply = reply
        self.pause_s = pause_s
        self.by_model: dict[str, Reply] = {}
        self.lists = 0
        self.asked: list[str] = []
        self.bodies: list[dict] = []
        self.usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        self.flows = threading.Event()
        self.flows.set()
        self.url = ""
        self.most_at_once = 0
        self._at_once = 0
        self.refusals = 0
        self.refused_s = 3

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One answer, counted while it lasts."""
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._stream(request)
        finally:
            self._at_once -= 1

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """One answer, word by word."""
        body = await request.json()
        prompt = body["messages"][-1]["content"]
        if self.refusals:
            self.refusals -= 1
            return web.Response(status=503, headers={"Retry-After": str(self.refused_s)})
        self.asked.append(prompt)
        self.bodies.append(body)
        reply = self.by_model.get(body["model"], self.reply)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for at, word in enumerate(reply(prompt).split(" ")):
            await response.write(_chunk({"content": word if at == 0 else f" {word}"}))
            while not self.flows.is_set():  # noqa: ASYNC110  set in another thread
                await asyncio.sleep(0.02)
            await asyncio.sleep(self.pause_s)
        await response.write(_chunk({}, finish="stop", usage=self.usage))
        await response.write(b"data: [DONE]\n\n")
        return response

    async def listed(self, _: web.Request) -> web.Response:
        """The models there are."""
        self.lists += 1
        while not self.flows.is_set():  # noqa: ASYNC110  set in another thread
            await asyncio.sleep(0.02)
        names = ({"id": name, "context_length": 8_192} for name in ("small", "large"))
        return web.json_response({"data": list(names)})


def _chunk(delta: dict, finish: str | None = None, **more) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'model': 'm', 'choices': [choice], **more})}\n\n".encode()


@contextmanager
def answering(reply: Reply = lambda _: "It is 42", *, pause_s: float = 0.0) -> Iterator[Models]:
    """The models at an address, as ``models.url``, until the end of the block."""
    models = Models(reply, pause_s)
    begun, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(models, begun, ended)))
    thread.start()
    try:
        assert begun.wait(_PATIENCE_S), "the models did not start"
        yield models
    finally:
        models.flows.set()
        ended.set()
        thread.join(_PATIENCE_S)


async def _serve(models: Models, begun: threading.Event, ended: threading.Event) -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", models.answer)
    app.router.add_get("/v1/models", models.listed)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    models.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    begun.set()
    while not ended.is_set():  # noqa: ASYNC110  set in another thread
        await asyncio.sleep(0.02)
    await runner.cleanup()
