"""Setups on the wire: exactly the planned requests, in both protocols, with the right bodies."""

import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from itertools import product

import pytest

from benchmaker import RunOptions, Suite, arun
from benchmaker.arenas.standard import aresume
from benchmaker.scoring.check import load_checked
from tests.providers.local import KEY, as_json, chat, serving

PLACES = ("Rome", "Oslo")
EFFORTS = ("low", "high")
SUITE = Suite(
    "matrix",
    [{"id": "a", "vars": {"place": list(PLACES)}, "expected": "{{ place }}"}],
    scorer="exact",
    system_prompt="Use {{ unit }}.",
    vars={"unit": "km"},
    parameters={"temperature": 0.4, "top_p": 0.9},
    models=[
        "openai/gpt-x",
        {"model": "openai/gpt-x", "label": "hot", "parameters": {"temperature": 1.5}},
        {"model": "anthropic/claude-x", "parameters": {"top_p": None, "temperature": None}},
    ],
    efforts=EFFORTS,
    prompts=[
        {"id": "plain", "prompt": "P {{ place }}"},
        {
            "id": "ruled",
            "prompt": "R {{ place }}",
            "system_prompt": "Rules.",
            "parameters": {"max_tokens": 70_000, "temperature": 0.1},
        },
        {"id": "chat", "messages": [{"role": "user", "content": "C {{ place }} {{ id }}"}]},
    ],
)
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "Rome"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
WITHOUT_STREAM = RunOptions(stream=False)


async def answer(request):
    is_chat = request.path.endswith("/chat/completions")
    return await as_json(chat("Rome") if is_chat else MESSAGE)(request)


@asynccontextmanager
async def a_server(handler=answer):
    async with serving(handler) as seen:
        yield (
            seen,
            {
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": f"{seen.url}/v1",
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_BASE_URL": seen.url,
            },
        )


def messages_of(body):
    """The conversation of a body of either protocol, as (role, text)."""
    system = body.get("system")
    if isinstance(system, list):
        system = "".join(part["text"] for part in system)
    turns = [] if system is None else [("system", system)]
    for turn in body["messages"]:
        content = turn["content"]
        text = content if isinstance(content, str) else "".join(it["text"] for it in content)
        turns.append((turn["role"], text))
    return tuple(turns)


def test_exactly_the_planned_requests_are_sent_with_the_right_bodies(tmp_path):
    async def sent():
        async with a_server() as (seen, environ):
            result = await arun(SUITE, home=tmp_path, environ=environ, options=WITHOUT_STREAM)
            return result, list(zip(seen.paths, seen.bodies, strict=True))

    result, requests = asyncio.run(sent())
    assert len(requests) == 3 * 2 * 3 * 2 == result.runs[0].planned
    assert Counter(path for path, _ in requests) == {
        "/v1/chat/completions": 24,
        "/v1/messages": 12,
    }
    texts = {"plain": "P {}", "ruled": "R {}", "chat": "C {} a/{}"}
    planned = Counter(
        (("system", "Rules." if prompt == "ruled" else "Use km."), ("user", text.format(place, at)))
        for (prompt, text), (at, place), _, _ in product(
            texts.items(), enumerate(PLACES, 1), SUITE.models, EFFORTS
        )
    )
    assert Counter(messages_of(body) for _, body in requests) == planned


def sent_to(requests, path):
    return [body for where, body in requests if where == path]


@pytest.fixture(scope="module")
def requests(tmp_path_factory):
    async def sent():
        async with a_server() as (seen, environ):
            home = tmp_path_factory.mktemp("home")
            await arun(SUITE, home=home, environ=environ, options=WITHOUT_STREAM)
            return list(zip(seen.paths, seen.bodies, strict=True))

    return asyncio.run(sent())


def test_chat_completions_carry_the_merged_parameters(requests):
    bodies = sent_to(requests, "/v1/chat/completions")
    found = Counter(
        (
            body["model"],
            messages_of(body)[-1][1][0],
            body.get("temperature"),
            body["reasoning_effort"],
        )
        for body in bodies
    )
    assert found == {
        ("gpt-x", prompt, temperature, effort): 2
        for prompt, plain in (("P", 0.4), ("R", 0.1), ("C", 0.4))
        for temperature in (plain, 1.5)
        for effort in EFFORTS
    }
    limits = {
        body.get("max_completion_tokens", body.get("max_tokens"))
        for body in bodies
        if messages_of(body)[-1][1].startswith("R")
    }
    assert limits == {70_000}
    assert {body.get("top_p") for body in bodies} == {0.9}


def test_anthropic_messages_carry_the_effort_and_no_null(requests):
    bodies = sent_to(requests, "/v1/messages")
    assert not any({"temperature", "top_p"} & body.keys() for body in bodies)
    efforts = Counter(
        json.dumps(body.get("output_config") or body.get("thinking"), sort_keys=True)
        for body in bodies
    )
    assert sorted(efforts.values()) == [6, 6]
    assert "null" not in efforts


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    """A suite whose prompts have examples: one with a system message of its own, one without."""
    folder = tmp_path_factory.mktemp("shots")
    (folder / "shots.jsonl").write_text('{"prompt": "Spain?", "expected": "Madrid"}\n')
    (folder / "suite.yaml").write_text("""
name: shots
scorer: exact
system_prompt: Suite.
parameters: {temperature: null}
models: [openai/gpt-x, anthropic/claude-x]
prompts:
  - id: own
    messages: [{role: system, content: "Own {{ id }}."}, {role: user, content: Italy?}]
    few_shot: {file: shots.jsonl, n: 1}
  - {id: plain, prompt: Italy?, few_shot: {file: shots.jsonl, n: 1}}
cases: [{id: a, expected: Rome}]
""")
    return load_checked(folder / "suite.yaml")


def test_examples_follow_the_system_message_of_a_conversation(shots, tmp_path):
    async def sent():
        async with a_server() as (seen, environ):
            await arun(shots, home=tmp_path, environ=environ, options=WITHOUT_STREAM)
            return list(zip(seen.paths, seen.bodies, strict=True))

    requests = asyncio.run(sent())
    asked = (("user", "Spain?"), ("assistant", "Madrid"), ("user", "Italy?"))
    for path in ("/v1/chat/completions", "/v1/messages"):
        bodies = sent_to(requests, path)
        assert {messages_of(body) for body in bodies} == {
            (("system", "Own a."), *asked),
            (("system", "Suite."), *asked),
        }


def test_a_setup_added_later_is_the_only_one_that_is_requested(tmp_path):
    async def sent():
        async with a_server() as (seen, environ):
            first = RunOptions(stream=False, prompts=["plain"], efforts=["low"])
            begun = await arun(SUITE, models=["hot"], home=tmp_path, environ=environ, options=first)
            before = len(seen.bodies)
            more = RunOptions(efforts=["high"])
            await aresume(begun.run_ids[0], home=tmp_path, environ=environ, options=more)
            added = seen.bodies[before:]
            grown = await aresume(
                begun.run_ids[0],
                add_models=["anthropic/claude-x"],
                home=tmp_path,
                environ=environ,
            )
            rest = seen.paths[before + len(added) :]
            again = await aresume(begun.run_ids[0], home=tmp_path, environ=environ)
            return before, added, grown, rest, len(seen.paths), again

    before, added, grown, rest, total, again = asyncio.run(sent())
    assert before == len(PLACES)
    assert [body["reasoning_effort"] for body in added] == ["high", "high"]
    assert {body["temperature"] for body in added} == {1.5}
    assert grown.models == (
        "hot · plain · low",
        "hot · plain · high",
        "anthropic/claude-x · plain · low",
        "anthropic/claude-x · plain · high",
    )
    assert rest == ["/v1/messages"] * 4
    assert total == 8
    assert again.is_finished


def test_a_model_that_is_refused_stops_all_of_its_setups(tmp_path):
    async def refuse(request):
        if request.path.endswith("/chat/completions"):
            return await as_json({"error": {"message": "no such key"}}, status=401)(request)
        return await answer(request)

    async def ended():
        async with a_server(refuse) as (seen, environ):
            options = RunOptions(stream=False, concurrency=1)
            result = await arun(SUITE, home=tmp_path, environ=environ, options=options)
            return result, Counter(seen.paths)

    result, paths = asyncio.run(ended())
    refused = {name for name in result.models if not name.startswith("anthropic")}
    assert set(result.stopped) == refused
    assert len(refused) == 12
    assert paths == {"/v1/chat/completions": 1, "/v1/messages": 12}


def test_the_cache_is_shared_by_setups_that_send_the_same(tmp_path):
    suite = Suite(
        "s",
        [{"id": "a", "expected": "Rome"}],
        scorer="exact",
        prompts=[{"id": "p", "prompt": "P"}],
    )
    options = RunOptions(stream=False, cache=True)

    async def sent():
        async with a_server() as (seen, environ):
            for label in ("one", "two"):
                models = [{"model": "openai/gpt-x", "label": label}]
                labelled = Suite(**{**vars_of(suite), "models": models})
                await arun(labelled, home=tmp_path, environ=environ, options=options)
            return len(seen.bodies)

    assert asyncio.run(sent()) == 1


def vars_of(suite):
    return {name: getattr(suite, name) for name in ("name", "cases", "scorer", "prompts")}
