"""Models that call tools: scripted ones, and a server that speaks both protocols."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from aiohttp import web

from benchmaker.providers.base import Request
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, ToolCall, Usage
from benchmaker.spec import Suite

FUNCTIONS = """
import time

def add(a, b):
    return a + b

def fail(a):
    raise KeyError(a)

def busy():
    while True:
        pass

def odd():
    return object()

async def later(a):
    return {"a": [a]}

counted = 0

def count():
    global counted
    counted += 1
    return counted

def meet(folder, others):
    import os, tempfile
    tempfile.mkstemp(prefix="here-", dir=folder)
    while sum(name.startswith("here-") for name in os.listdir(folder)) < others:
        time.sleep(0.01)
    return "all here"

def nap(seconds):
    time.sleep(seconds)
    return "rested"
"""
SIGNATURES = {
    "add": ("a", "b"), "fail": ("a",), "odd": (), "later": ("a",), "count": (),
    "meet": ("folder", "others"),
}  # fmt: skip


def a_tool_suite(folder, *cases: dict[str, Any], **header: Any) -> Suite:
    """A suite with tools whose functions lie in a file of the folder."""
    (folder / "functions.py").write_text(FUNCTIONS)
    tools = [
        {"name": name, "parameters": _schema(*given), "python": f"{folder}/functions.py:{name}"}
        for name, given in SIGNATURES.items()
    ]
    tools.append({"name": "busy", "python": f"{folder}/functions.py:busy", "timeout": 0.2})
    nap = {"name": "nap", "python": f"{folder}/functions.py:nap", "timeout": 0.3}
    tools.append(nap | {"parameters": _schema("seconds")})
    tools.append({"name": "clock", "reply": {"time": "12:00"}})
    known = [one["name"] for one in tools]
    own = cases or ({"id": "sum"},)
    return Suite(
        "tools",
        [{"prompt": "2 + 3?", "tools": known, **case} for case in own],
        tools=tools,
        **{"checks": [{"type": "contains", "value": "5"}], "profile": "robust", **header},
    )


def _schema(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {it: {} for it in names}, "required": list(names)}


def calling(*calls: tuple[str, Any], text: str = "", **fields: Any) -> Completion:
    """An answer that calls tools."""
    made = (
        ToolCall(name=name, arguments=given, id=f"id{at}") for at, (name, given) in enumerate(calls)
    )
    figures = {"usage": Usage(input_tokens=10, output_tokens=2), "cost_usd": 0.25, "latency_s": 0.5}
    figures["finish"] = FinishReason.TOOL_CALLS
    return Completion(text=text, tool_calls=tuple(made), **{**figures, **fields})


def answering(text: str, **fields: Any) -> Completion:
    """A last answer."""
    figures = {"usage": Usage(input_tokens=20, output_tokens=3), "cost_usd": 0.5, "latency_s": 1.0}
    return Completion(text=text, **{**figures, **fields})


def step_by_step(*answers: Any) -> Scripted:
    """A model that gives these answers to the steps of each trial, by their number."""

    def answer(request: Request) -> Any:
        it = answers[min(len(request.steps), len(answers) - 1)]
        return it(request) if callable(it) else it

    return Scripted(answer, models=["m"])


class Priced(Scripted):
    """A scripted model whose requests cost at most half a dollar each."""

    def __init__(self, model: Scripted) -> None:
        super().__init__(model._answer, models=["m"])
        self.requests = model.requests

    def most_usd(self, _: Request) -> float:
        return 0.5


def last_results(request: Request) -> Completion:
    """An answer that repeats the results of the last calls."""
    return answering(" | ".join(it.text for it in request.steps[-1].results))


def chat_reply(body: dict[str, Any]) -> dict[str, Any]:
    """A model of chat completions: it calls add twice at once, then clock, then answers."""
    results = [it["content"] for it in body["messages"] if it["role"] == "tool"]
    if not results:
        sums = [{"a": 2, "b": 3}, {"a": 1.5, "b": 1}]
        return {"calls": [("add", json.dumps(it)) for it in sums], "reasoning": "Add them."}
    if len(results) == 2:
        return {"calls": [("clock", "")]}
    return {"text": f"{results[0]} and {results[1]} at {results[2]}"}


def chat_pieces(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The deltas of a reply; the arguments of parallel calls arrive in turns."""
    if reasoning := reply.get("reasoning"):
        yield {"reasoning_content": reasoning[:4]}
        yield {"reasoning_content": reasoning[4:]}
    calls = reply.get("calls", ())
    for at, (name, _) in enumerate(calls):
        yield {"tool_calls": [_delta(at, name, "")]}
    for start in range(0, max((len(it) for _, it in calls), default=0), 5):
        for at, (_, given) in enumerate(calls):
            if piece := given[start : start + 5]:
                yield {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}
    if text := reply.get("text"):
        yield {"content": text}


def _delta(at: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": at, "id": f"call-{name}-{at}", "type": "function", "function": function}


def chat_handler(reply: Callable[[dict[str, Any]], dict[str, Any]] = chat_reply) -> Any:
    """A handler of chat completions, streamed or in one piece as requested."""

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        said = reply(body)
        finish = "tool_calls" if "calls" in said else "stop"
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        if not body.get("stream"):
            message = {"role": "assistant", "content": said.get("text")}
            if "calls" in said:
                message["tool_calls"] = [_delta(at, *it) for at, it in enumerate(said["calls"])]
                message["reasoning_content"] = said.get("reasoning")
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return web.json_response({"model": "gpt-x", "choices": [choice], "usage": usage})
        deltas = [(delta, None) for delta in chat_pieces(said)] + [({}, finish)]
        chunks = [
            {"model": "gpt-x", "choices": [{"index": 0, "delta": it, "finish_reason": end}]}
            for it, end in deltas
        ]
        return await _stream(request, [*chunks, {"choices": [], "usage": usage}, None])

    return handle


def messages_handler() -> Any:
    """The same model with Anthropic's protocol, which thinks before its first call."""

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        blocks = [it for turn in body["messages"] for it in _blocks(turn["content"])]
        results = [it["content"] for it in blocks if it["type"] == "tool_result"]
        content = _content(results)
        stop = "tool_use" if len(results) < 3 else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 2}
        head = {"id": "m", "type": "message", "model": "claude-x", "usage": usage}
        if not body.get("stream"):
            return web.json_response({**head, "content": content, "stop_reason": stop})
        events = [{"type": "message_start", "message": {**head, "content": []}}]
        for at, block in enumerate(content):
            events += _block_events(at, block)
        end = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}
        return await _stream(request, [*events, end, {"type": "message_stop"}])

    return handle


def _blocks(content: Any) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else []


def _content(results: list[str]) -> list[dict[str, Any]]:
    def call(number: int, name: str, **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}

    if not results:
        thinking = {"type": "thinking", "thinking": "Add them.", "signature": "c2lnbmVk"}
        return [thinking, call(1, "add", a=2, b=3), call(2, "add", a=1.5, b=1)]
    if len(results) == 2:
        return [{"type": "text", "text": "And now the time."}, call(3, "clock")]
    return [{"type": "text", "text": f"{results[0]} and {results[1]} at {results[2]}"}]


def _block_events(at: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    """A block in pieces, as the protocol streams it."""
    empty = {"thinking": "", "signature": "", "text": "", "input": {}}
    start = {name: empty.get(name, it) for name, it in block.items()}
    found = [{"type": "content_block_start", "index": at, "content_block": start}]

    def delta(kind: str, **piece: Any) -> None:
        inner = {"type": kind, **piece}
        found.append({"type": "content_block_delta", "index": at, "delta": inner})

    if block["type"] == "thinking":
        delta("thinking_delta", thinking=block["thinking"][:3])
        delta("thinking_delta", thinking=block["thinking"][3:])
        delta("signature_delta", signature=block["signature"])
    elif block["type"] == "text":
        delta("text_delta", text=block["text"])
    else:
        text = json.dumps(block["input"])
        delta("input_json_delta", partial_json=text[:4])
        delta("input_json_delta", partial_json=text[4:])
    return [*found, {"type": "content_block_stop", "index": at}]


async def _stream(request: web.Request, events: list[dict[str, Any] | None]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for event in events:
        data = "[DONE]" if event is None else json.dumps(event)
        await response.write(f"data: {data}\n\n".encode())
    await response.write_eof()
    return response
