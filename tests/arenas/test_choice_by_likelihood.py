"""Choice by likelihood over HTTP: requests, scores, rescoring, and refusals before a run."""

import asyncio
from contextlib import asynccontextmanager
from math import log

import pytest

from benchmaker import RunOptions, Suite, arun
from benchmaker.arenas.standard import aresume, rescore
from benchmaker.errors import SpecError
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.scoring.score import explain
from tests.providers.local import (
    DONE,
    KEY,
    USAGE,
    as_json,
    as_stream,
    chat,
    chunk,
    serving,
    with_logprobs,
)

TOKENS = (
    {"\n": log(0.9)},
    {" A": log(0.45), " B": log(0.3), "B": log(0.2), " C": log(0.04)},
)
STREAM = (
    chunk("\n", tokens=TOKENS[:1]),
    chunk(" A", tokens=TOKENS[1:]),
    chunk(finish="stop"),
    USAGE,
    DONE,
)


def a_suite(by="likelihood", **fields):
    case = {"id": "c", "prompt": "Which?", "choices": ["Oslo", "Rome", "Bern"], "expected": "Rome"}
    return Suite("capitals", [case], scorer={"id": "choice", "by": by}, **fields)


async def whole(request):
    """Reply with log probabilities only if they are requested."""
    is_wanted = (await request.json()).get("logprobs")
    reply = chat("\n A")
    return await as_json(with_logprobs(reply, *TOKENS) if is_wanted else reply)(request)


@asynccontextmanager
async def a_server(handler):
    async with serving(handler) as seen:
        variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{seen.url}/v1"}
        yield seen, {**variables, "GROQ_API_KEY": KEY, "GROQ_BASE_URL": f"{seen.url}/v1"}


def made(suite, home, *, handler=whole, models=("openai/gpt-x",), **options):
    async def ask():
        async with a_server(handler) as (seen, environ):
            wanted = RunOptions(**{"stream": False, **options})
            result = await arun(suite, models=models, home=home, environ=environ, options=wanted)
            return result, seen.bodies

    return asyncio.run(ask())


@pytest.mark.parametrize("stream", [False, True])
def test_the_likeliest_option_is_scored(tmp_path, stream):
    handler = as_stream(*STREAM) if stream else whole
    result, (body,) = made(a_suite(), tmp_path, handler=handler, stream=stream)
    (trial,) = result.trials()
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert (trial.score.score, trial.score.detail["position"]) == (1.0, 2)
    assert trial.score.detail["probabilities"] == pytest.approx({"A": 0.45, "B": 0.5, "C": 0.04})


def test_written_parameters_are_kept(tmp_path):
    _, (body,) = made(a_suite(parameters={"logprobs": 3}), tmp_path)
    assert body["top_logprobs"] == 3


def test_without_likelihood_nothing_is_requested(tmp_path):
    result, (body,) = made(a_suite("generated"), tmp_path)
    assert "logprobs" not in body
    assert result.runs[0].parameters.get("logprobs") is None


def test_setups_request_them_too(tmp_path):
    suite = a_suite(models=[{"model": "openai/gpt-x", "label": "x", "parameters": {"top_p": 0.5}}])
    _, (body,) = made(suite, tmp_path, models=())
    assert (body["top_p"], body["top_logprobs"]) == (0.5, 20)


def test_rescoring_gives_the_same_score(tmp_path):
    result, _ = made(a_suite(), tmp_path)
    again = rescore(result.run_ids[0], home=tmp_path)
    (trial,) = again.trials()
    assert (trial.score.score, trial.score.detail["says"]) == (1.0, ["B"])


def test_models_without_log_probabilities_are_refused_before_a_request(tmp_path):
    with pytest.raises(SpecError, match=r"there are none from groq/x, command:cat\."):
        made(a_suite(), tmp_path, models=("openai/gpt-x", "groq/x", "command:cat"))


def test_log_probabilities_that_a_suite_excludes_are_refused(tmp_path):
    with pytest.raises(SpecError, match="there are none from openai/gpt-x"):
        made(a_suite(parameters={"logprobs": None}), tmp_path)


def test_added_models_without_log_probabilities_are_refused(tmp_path):
    result, _ = made(a_suite(), tmp_path)

    async def add():
        environ = {"GROQ_API_KEY": KEY, "OPENAI_API_KEY": KEY}
        await aresume(result.run_ids[0], add_models=["groq/x"], home=tmp_path, environ=environ)

    with pytest.raises(SpecError, match="there are none from groq/x"):
        asyncio.run(add())


def test_auto_scores_the_generated_letter_of_models_without_them(tmp_path):
    result, bodies = made(a_suite("auto"), tmp_path, models=("openai/gpt-x", "groq/x"))
    ways = {it.model: (it.score.score, it.score.flags) for it in result.trials()}
    assert sum("logprobs" in body for body in bodies) == 1
    assert ways == {
        "openai/gpt-x": (1.0, ("by_likelihood",)),
        "groq/x": (0.0, ("by_generated",)),
    }
    (note,) = (it for it in summary_notes(result.summary) if it.startswith("Mixed choices"))
    assert "by likelihood openai/gpt-x (1 trial); by the generated letter groq/x" in note


def test_auto_without_log_probabilities_says_so_in_the_notes(tmp_path):
    def handler(request):
        return as_json(chat("A"))(request)

    result, _ = made(a_suite("auto"), tmp_path, handler=handler)
    (trial,) = result.trials()
    assert trial.score.flags == ("by_generated",)
    assert trial.score.detail["why"] == "the answer has no log probabilities"
    assert any("by the generated letter" in it for it in summary_notes(result.summary))


def test_the_arithmetic_is_explained(tmp_path):
    result, _ = made(a_suite(), tmp_path)
    (trial,) = result.trials()
    first, *rest = explain(trial.score)
    assert first.startswith("probabilities of the letters at token 2 (' A'), each the sum of")
    assert rest == [
        "  A: 0.45 to 0.46",
        "  B: 0.5 to 0.51",
        "  C: 0.04 to 0.05",
        "likeliest option B, expected B: 1",
    ]
