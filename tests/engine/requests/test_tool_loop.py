"""Trials of cases with tools: requests, results, sums, limits, faults."""

import asyncio
import dataclasses

import pytest
from msgspec.structs import replace

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.run import execute
from benchmaker.errors import BadResponse, ProviderError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import FinishReason, Outcome, RunState, Usage
from benchmaker.store import Writer
from tests.engine.requests.tool_models import (
    Priced,
    a_tool_suite,
    answering,
    calling,
    chat_handler,
    last_results,
    messages_handler,
    step_by_step,
)
from tests.engine.run_data import a_seed, begun, executed, opened
from tests.providers.local import as_stream, asking, serving

ONE = RunLimits(concurrency=1)


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def sat(store, suite, provider, *, limits=ONE, models=("m",), run_id="run-1", **options):
    """The run, and its trials."""
    run = begun(store, suite, models, id=run_id)
    run, _ = executed(store, run, provider, limits=limits, random=a_seed(), **options)
    return run, list(store.trials(run.id))


def trial_of(store, tmp_path, *answers, **case):
    _, (trial,) = sat(store, a_tool_suite(tmp_path, {"id": "sum", **case}), step_by_step(*answers))
    return trial


def results_of(trial):
    return [it.content for it in trial.transcript.messages if it.role == "tool"]


def test_calls_are_carried_out_until_an_answer_has_none(store, tmp_path):
    both = calling(("add", {"a": 2, "b": 3}), ("clock", {}), text="Let me see.")
    trial = trial_of(store, tmp_path, both, last_results)
    assert trial.text == '5 | {"time": "12:00"}'
    assert trial.outcome is Outcome.SCORED
    assert trial.score.score == 1
    roles = [it.role for it in trial.transcript.messages]
    assert roles == ["user", "assistant", "tool", "tool", "assistant"]
    asked = trial.transcript.messages[1]
    assert (asked.content, asked.tool_calls[0].arguments) == ("Let me see.", {"a": 2, "b": 3})
    assert (trial.transcript.steps, trial.transcript.stopped_by) == (2, None)


def test_figures_of_a_trial_are_the_sums_over_its_requests(store, tmp_path):
    trial = trial_of(
        store, tmp_path, calling(("clock", {})), calling(("clock", {})), answering("5")
    )
    assert trial.completion.usage == Usage(input_tokens=40, output_tokens=7)
    assert trial.tokens == (40, 7)
    assert (trial.cost_usd, trial.completion.cost_usd, trial.latency_s) == (1.0, 1.0, 2.0)
    assert [it.number for it in trial.attempts] == [1, 2, 3]


def test_a_request_has_the_tools_and_all_steps_before_it(store, tmp_path):
    model = step_by_step(calling(("clock", {})), calling(("add", {"a": 1, "b": 4})), last_results)
    suite = a_tool_suite(tmp_path, {"id": "sum", "tools": ["add", "clock"]})
    sat(store, suite, model)
    assert [[it.name for it in one.tools] for one in model.requests] == [["add", "clock"]] * 3
    assert [len(one.steps) for one in model.requests] == [0, 1, 2]
    assert [it.text for it in model.requests[2].steps[1].results] == ["5"]


def test_a_case_without_tools_sends_none_and_has_no_transcript(store, tmp_path):
    model = step_by_step(answering("5"))
    _, (trial,) = sat(store, a_tool_suite(tmp_path, {"id": "sum", "tools": []}), model)
    assert model.requests[0].tools == ()
    assert trial.transcript is None


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("ad", {}), "there is no tool 'ad'. Did you mean 'add'?"),
        (("add", {"a": 1}), "missing a required argument: 'b'"),
        (("add", {"a": 1, "b": 2, "c": 3}), "got an unexpected keyword argument 'c'"),
        (("add", '{"a": 1'), 'the arguments of add are not a JSON object: {"a": 1'),
        (("fail", {"a": 7}), "fail raised KeyError: 7"),
        (("odd", {}), "odd raised TypeError: Object of type object is not JSON serializable"),
        (("busy", {}), "busy: timed out after 0.2 s."),
        (("nap", {"seconds": 600}), "nap: timed out after 0.3 s."),
    ],
)
def test_a_fault_of_a_call_is_an_error_for_the_model(store, tmp_path, call, error):
    trial = trial_of(store, tmp_path, calling(call), answering("5"))
    (told,) = results_of(trial)
    assert told.startswith("Error: ")
    assert error in told
    assert trial.outcome is Outcome.SCORED


@pytest.mark.parametrize(("name", "is_flagged"), [("clock", False), ("add", True), ("no", True)])
def test_a_call_of_a_tool_that_the_case_does_not_offer_is_flagged(
    store, tmp_path, name, is_flagged
):
    call = calling((name, {}))
    trial = trial_of(store, tmp_path, call, answering("5"), tools=["clock"])
    assert ("tool_call" in trial.completion.flags) is is_flagged


@pytest.mark.parametrize(
    ("given", "score"), [({"a": 2, "b": 3}, 1), ('{"a": 2, "b', 0)], ids=["complete", "cut"]
)
def test_complete_calls_at_the_token_limit_are_scored_as_received(store, tmp_path, given, score):
    cut = calling(("add", given), finish=FinishReason.LENGTH)
    checks = [{"type": "tool_called", "value": "add"}]
    suite = a_tool_suite(tmp_path, {"id": "sum"}, checks=checks)
    _, (trial,) = sat(store, suite, step_by_step(cut))
    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, score)
    assert ("policy_zero" in trial.score.flags) is (score == 0)
    assert trial.transcript.stopped_by is None


def test_a_coroutine_function_is_awaited_and_letters_stay_as_they_are(store, tmp_path):
    trial = trial_of(store, tmp_path, calling(("later", {"a": "5 é"})), last_results)
    assert trial.text == '{"a": ["5 é"]}'


def test_an_endless_caller_is_stopped_and_scored_on_what_it_has(store, tmp_path):
    checks = [{"type": "tool_called", "value": "clock", "times": 3}, {"type": "steps", "max": 3}]
    case = {"id": "sum", "max_steps": 3, "checks": checks}
    suite = a_tool_suite(tmp_path, case, checks=[])
    model = step_by_step(calling(("clock", {})))
    run, (trial,) = sat(store, suite, model)
    assert model.calls == 3
    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, 1)
    assert trial.completion.finish is FinishReason.TOOL_CALLS
    assert (trial.transcript.steps, trial.transcript.stopped_by) == (3, "max_steps")
    assert run.state is RunState.FINISHED


def test_a_stopped_trial_follows_the_policy_of_truncated_answers(store, tmp_path):
    suite = a_tool_suite(tmp_path, max_steps=1, policies={"truncated": "zero"})
    _, (trial,) = sat(store, suite, step_by_step(calling(("clock", {}), text="5")))
    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, 0)


def test_calls_in_an_answer_that_was_cut_off_are_not_carried_out(store, tmp_path):
    cut = calling(("add", '{"a": 2'), text="5", finish=FinishReason.LENGTH)
    model = step_by_step(cut)
    _, (trial,) = sat(store, a_tool_suite(tmp_path), model)
    assert (model.calls, trial.outcome) == (1, Outcome.TRUNCATED)
    assert trial.transcript.stopped_by is None


def test_a_failed_request_on_the_way_is_the_outcome_and_keeps_the_cost(store, tmp_path):
    broken = BadResponse("broken", is_retryable=False)
    trial = trial_of(store, tmp_path, calling(("clock", {})), broken)
    assert trial.outcome is Outcome.BAD_RESPONSE
    assert trial.known_cost_usd == 0.25
    assert [it.status for it in trial.attempts] == ["ok", "failed"]
    assert results_of(trial) == ['{"time": "12:00"}']
    assert (trial.transcript.steps, trial.transcript.stopped_by) == (1, None)


def test_a_failed_conversation_goes_on_after_its_stored_steps(store, tmp_path):
    replies = iter([BadResponse("broken", is_retryable=False), answering("5")])
    model = step_by_step(calling(("count", {})), calling(("count", {})), lambda _: next(replies))
    suite = a_tool_suite(tmp_path)
    run, (failed,) = sat(store, suite, model)
    assert (failed.outcome, failed.transcript.steps) == (Outcome.BAD_RESPONSE, 2)
    run, _ = executed(
        store, run, model, limits=ONE, random=a_seed(), options=RunOptions(retry_failed=True)
    )
    (trial,) = store.trials(run.id)
    assert (trial.outcome, trial.transcript.steps, model.calls) == (Outcome.SCORED, 3, 4)
    assert trial.cost_usd is None
    assert trial.known_cost_usd == 1.0
    assert [it.status for it in trial.attempts] == ["ok", "ok", "failed", "ok"]
    assert trial.conversation is None


def test_other_tools_begin_the_conversation_again_and_keep_its_cost(store, tmp_path):
    broken = BadResponse("broken", is_retryable=False)
    suite = a_tool_suite(tmp_path)
    run, (failed,) = sat(store, suite, step_by_step(calling(("clock", {})), broken))
    other = replace(failed, conversation=replace(failed.conversation, key="other"))
    with Writer(store) as writer:
        writer.put(replace(other, stored_attempts=len(other.attempts)))
    model = step_by_step(answering("5"))
    run, _ = executed(
        store, run, model, limits=ONE, random=a_seed(), options=RunOptions(retry_failed=True)
    )
    (trial,) = store.trials(run.id)
    assert [len(it.steps) for it in model.requests] == [0]
    assert trial.known_cost_usd == 0.75
    assert [it.status for it in trial.attempts] == ["ok", "failed", "ok"]


def test_each_conversation_has_its_own_state_of_a_file(store, tmp_path):
    suite = a_tool_suite(tmp_path, {"id": "a"}, {"id": "b"})
    model = step_by_step(calling(("count", {})), calling(("count", {})), answering("5"))
    _, trials = sat(store, suite, model, limits=RunLimits(concurrency=2))
    assert [results_of(trial) for trial in trials] == [["1", "2"]] * 2


def test_calls_of_several_trials_do_not_wait_for_one_another(store, tmp_path):
    suite = a_tool_suite(tmp_path, {"id": "a"}, {"id": "b"})
    meeting = {"folder": str(tmp_path), "others": 2}
    model = step_by_step(calling(("meet", meeting)), last_results)
    _, trials = sat(store, suite, model, limits=RunLimits(concurrency=2))
    assert [results_of(trial) for trial in trials] == [["all here"]] * 2


def test_only_requests_that_were_not_answered_have_retries(store, tmp_path):
    failures = iter([ProviderError("busy", status=503, is_retryable=True)])

    def answer(request):
        failure = next(failures, None) if len(request.steps) == 1 else None
        return failure or (answering("5") if len(request.steps) > 1 else calling(("clock", {})))

    seen = []
    suite = a_tool_suite(tmp_path)
    sat(store, suite, Scripted(answer, models=["m"]), on_progress=seen.append)
    assert (seen[-1].retries, seen[-1].cost_usd, seen[-1].done) == (1, 1.0, 1)


def test_a_step_is_retried_like_any_request(store, tmp_path):
    failures = iter([ProviderError("busy", status=503, is_retryable=True)])

    def answer(request):
        failure = next(failures, None) if request.steps else None
        if failure is not None:
            return failure
        return last_results(request) if request.steps else calling(("add", {"a": 2, "b": 3}))

    _, (trial,) = sat(store, a_tool_suite(tmp_path), Scripted(answer, models=["m"]))
    assert trial.text == "5"
    assert [it.status for it in trial.attempts] == ["ok", "503", "ok"]
    assert trial.cost_usd == 0.75


def test_a_budget_reached_between_two_steps_keeps_the_cost_and_resumes(store, tmp_path):
    suite = a_tool_suite(tmp_path, {"id": "a"}, {"id": "b"})
    model = step_by_step(calling(("add", {"a": 2, "b": 3}), cost_usd=0.5), last_results)
    run = begun(store, suite, ("m",))
    options = {"limits": ONE, "random": a_seed()}
    run, _ = executed(store, run, Priced(model), budget=Budget(1.6), **options)
    first, second = store.trials(run.id)
    assert (first.outcome, second.outcome) == (Outcome.SCORED, Outcome.CANCELLED)
    assert second.known_cost_usd == 0.5
    assert run.state is RunState.INTERRUPTED
    assert store.spent_usd([run.id]) == 1.5
    run, _ = executed(store, run, Priced(model), **options)
    done = {it.case_id: it for it in store.trials(run.id)}
    assert run.state is RunState.FINISHED
    assert done["b"].outcome is Outcome.SCORED
    assert done["b"].cost_usd == 1.0
    assert [it.number for it in done["b"].attempts] == [1, 2]
    assert [it.case_id for it in model.requests] == ["a", "a", "b", "b"]
    assert done["b"].transcript == done["a"].transcript


def test_an_interleaved_model_finishes_trials_before_it_begins_others(store, tmp_path):
    suite = a_tool_suite(tmp_path, *({"id": f"c{at}"} for at in range(6)))
    model = step_by_step(calling(("clock", {})), calling(("clock", {})), answering("5"))
    sat(store, suite, model)
    assert [it.case_id for it in model.requests] == [f"c{at}" for at in range(6) for _ in range(3)]


def test_every_step_is_found_in_the_cache_of_the_same_run_number(store, tmp_path):
    suite = a_tool_suite(tmp_path)
    model = step_by_step(calling(("add", {"a": 2, "b": 3})), last_results)
    cached = {"options": RunOptions(cache=True)}
    _, (first,) = sat(store, suite, model, **cached)
    _, (second,) = sat(store, suite, model, run_id="run-2", **cached)
    assert model.calls == 2
    assert (second.is_reused, first.is_reused) == (True, False)
    assert second.transcript == first.transcript
    assert second.completion.usage == first.completion.usage


def test_a_changed_file_of_a_function_is_refused_before_any_request(store, tmp_path):
    suite = a_tool_suite(tmp_path)
    tools = tuple(map(with_another_sha, suite.tools))
    model = step_by_step(answering("5"))
    with pytest.raises(SpecError, match="has changed since the suite was read"):
        sat(store, dataclasses.replace(suite, tools=tools), model)
    assert model.calls == 0


def with_another_sha(tool):
    return tool.model_copy(update={"sha256": "0" * 64}) if tool.python else tool


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    ("model", "handler"),
    [("openai/gpt-x", chat_handler()), ("anthropic/claude-x", messages_handler())],
    ids=["openai", "anthropic"],
)
def test_a_server_is_asked_step_by_step(store, tmp_path, model, handler, stream):
    suite = a_tool_suite(tmp_path, {"id": "sum", "tools": ["add", "clock"]})
    run = begun(store, suite, (model,))

    async def run_it():
        async with serving(handler) as seen, asking(seen.url, model, stream=stream) as live:
            await execute(store, run, suite, live, limits=ONE)
        return seen.bodies

    bodies = asyncio.run(run_it())
    (trial,) = store.trials(run.id)
    assert trial.text == '5 and 2.5 at {"time": "12:00"}'
    assert trial.transcript.steps == 3
    assert trial.completion.usage == Usage(input_tokens=30, output_tokens=6)
    assert [it.name for it in trial.transcript.tool_calls] == ["add", "add", "clock"]
    assert len(bodies) == 3
    assert all(len(body["tools"]) == 2 for body in bodies)
    sent = str(bodies[2]["messages"])
    assert ("c2lnbmVk" if "claude" in model else "Add them.") in sent


def test_a_stream_that_breaks_inside_a_call_is_a_failed_request(store, tmp_path):
    piece = (
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":'
        b'{"name":"add","arguments":"{\\"a\\": 2"}}]}}]}\n\n'
    )
    suite = a_tool_suite(tmp_path)
    run = begun(store, suite, ("openai/gpt-x",))
    limits = RunLimits(concurrency=1, retry=Retry(retries=0))

    async def run_it():
        async with serving(as_stream(piece)) as seen, asking(seen.url) as live:
            await execute(store, run, suite, live, limits=limits)

    asyncio.run(run_it())
    (trial,) = store.trials(run.id)
    assert trial.outcome is Outcome.BAD_RESPONSE
    assert trial.transcript is None
