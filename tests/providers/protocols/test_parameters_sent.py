"""The bodies of both protocols, as a real local server receives them."""

import json

import pytest

from benchmaker.providers.protocols.token_logprobs import MOST_TOKENS, read_logprobs
from benchmaker.record import TokenLogprob
from benchmaker.spec import Parameters
from benchmaker.testing import a_request
from tests.providers.local import DONE, as_json, as_stream, asking, chat, chunk, serving

pytestmark = pytest.mark.anyio
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
LOGPROBS = {
    "content": [
        {
            "token": "B",
            "logprob": -0.1,
            "bytes": [66],
            "top_logprobs": [{"token": "A", "logprob": -2.5}, {"token": "B", "logprob": -0.1}],
        }
    ]
}
MESSAGE = {
    "id": "m",
    "type": "message",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "42"}],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 9,
        "output_tokens": 20,
        "output_tokens_details": {"thinking_tokens": 12},
    },
}


async def asked(model, reply, *, option=None, run=1, **values):
    """The request's body and head, and the completion."""
    parameters = Parameters(temperature=None, **values)
    async with (
        serving(as_json(reply)) as seen,
        asking(seen.url, model, stream=False, seed=option) as live,
    ):
        done = await live.complete(a_request(model=model, parameters=parameters, run=run))
    return seen.bodies[0], seen.heads[0], done


async def test_chat_completions_are_sent_every_parameter_in_their_words():
    body, head, _ = await asked(
        "openai/gpt-4o",
        chat(),
        run=3,
        max_tokens=50,
        stop=["END"],
        seed=7,
        response_format=FORMAT,
        logprobs=2,
        top_k=9,
        extra_body={"logit_bias": {"1": 5}, "max_completion_tokens": 60},
        extra_headers={"X-Title": "sums", "user-agent": "mine"},
    )
    assert body == {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "What is 6 x 7?"}],
        "max_completion_tokens": 60,
        "stop": ["END"],
        "seed": 9,
        "response_format": FORMAT,
        "logprobs": True,
        "top_logprobs": 2,
        "logit_bias": {"1": 5},
    }
    assert (head["x-title"], head["user-agent"]) == ("sums", "mine")
    assert head["authorization"].startswith("Bearer ")


async def test_messages_are_sent_every_parameter_in_their_words():
    body, head, done = await asked(
        "anthropic/claude-sonnet-4-5",
        MESSAGE,
        max_tokens=50,
        reasoning_effort="low",
        stop=["END"],
        seed=7,
        response_format=FORMAT,
        logprobs=2,
        extra_body={"metadata": {"user_id": "a"}},
        extra_headers={"anthropic-beta": "context-1m-2025-08-07"},
    )
    assert body == {
        "model": "claude-sonnet-4-5",
        "messages": [{"role": "user", "content": "What is 6 x 7?"}],
        "max_tokens": 50 + 4096,
        "thinking": {"type": "enabled", "budget_tokens": 4096},
        "stop_sequences": ["END"],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "metadata": {"user_id": "a"},
    }
    assert head["anthropic-beta"] == "context-1m-2025-08-07"
    assert head["x-api-key"]
    assert {"unsent_seed", "unsent_logprobs"} <= set(done.flags)
    assert (done.usage.output_tokens, done.usage.reasoning_tokens) == (20, 12)


@pytest.mark.parametrize(
    ("form", "schema"),
    [(FORMAT, SCHEMA), ("json", {"type": "object", "additionalProperties": True})],
)
async def test_older_claudes_answer_in_a_format_through_a_tool(form, schema):
    reply = MESSAGE | {"content": [{"type": "tool_use", "name": "reply", "input": {"a": 42}}]}
    body, _, done = await asked("anthropic/claude-sonnet-4-0", reply, response_format=form)
    assert body["tools"] == [{"name": "reply", "input_schema": schema}]
    assert body["tool_choice"] == {"type": "tool", "name": "reply"}
    assert done.text == '{"a":42}'


async def test_a_claude_that_thinks_is_not_forced_to_use_the_tool():
    body, _, _ = await asked(
        "anthropic/claude-sonnet-4-0", MESSAGE, response_format="json", thinking_budget=2000
    )
    assert body["tool_choice"] == {"type": "auto"}


async def test_plain_json_is_requested_by_json_mode():
    body, _, _ = await asked("openai/gpt-4o", chat(), response_format="json")
    assert body["response_format"] == {"type": "json_object"}


async def test_the_seed_of_the_call_goes_before_the_suites():
    body, _, _ = await asked("openai/gpt-4o", chat(), option=100, seed=7, run=2)
    assert body["seed"] == 101


async def test_without_newer_parameters_a_body_is_as_ever():
    body, _, done = await asked("openai/gpt-x", chat())
    assert body == {
        "model": "gpt-x",
        "messages": [{"role": "user", "content": "What is 6 x 7?"}],
        "max_completion_tokens": 2048,
    }
    assert (done.flags, done.logprobs) == ((), ())


async def test_another_effort_than_the_set_one_is_a_flag():
    _, _, done = await asked("anthropic/claude-opus-4-8", MESSAGE, reasoning_effort="minimal")
    assert "sent_reasoning_effort_low" in done.flags


async def test_logprobs_of_a_whole_answer_are_read():
    reply = chat("B")
    reply["choices"][0]["logprobs"] = LOGPROBS
    _, _, done = await asked("openai/gpt-4o", reply, logprobs=2)
    assert done.logprobs == (TokenLogprob("B", -0.1, (("B", -0.1), ("A", -2.5))),)


async def test_logprobs_of_a_stream_are_read_up_to_a_bound():
    def piece(text: str) -> bytes:
        data = {
            "model": "gpt-4o",
            "choices": [
                {
                    "index": 0,
                    "delta": {"content": text},
                    "logprobs": {"content": [{"token": text, "logprob": -1.0}]},
                }
            ],
        }
        return b"data: " + json.dumps(data).encode() + b"\n\n"

    pieces = [piece(f"t{number} ") for number in range(40)]
    async with (
        serving(as_stream(*pieces, chunk(finish="stop"), DONE)) as seen,
        asking(seen.url, "openai/gpt-4o") as live,
    ):
        request = a_request(model="openai/gpt-4o", parameters=Parameters(logprobs=0))
        done = await live.complete(request)
    assert len(done.logprobs) == MOST_TOKENS
    assert [it.token for it in done.logprobs] == [f"t{it} " for it in range(MOST_TOKENS)]
    assert done.text == "".join(f"t{it} " for it in range(40))


def test_logprobs_in_parallel_lists_are_read():
    reported = {"tokens": ["B"], "token_logprobs": [-0.1], "top_logprobs": [{"A": -2.0, "B": -0.1}]}
    assert list(read_logprobs(reported)) == [TokenLogprob("B", -0.1, (("B", -0.1), ("A", -2.0)))]


@pytest.mark.parametrize(
    "reported",
    [
        None,
        3,
        {},
        {"content": [3, {"token": 1}]},
        {"content": [{"token": "a", "logprob": "x"}]},
        {"content": [{"token": "a", "logprob": float("-inf")}]},
        {"tokens": ["a"], "token_logprobs": [None]},
    ],
)
def test_other_logprobs_are_ignored(reported):
    assert list(read_logprobs(reported)) == []
