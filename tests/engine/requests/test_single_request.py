import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.single_request import ask, look_up
from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    SpecError,
    StoreError,
    Timeout,
)
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome, Usage
from benchmaker.testing import a_completion, a_request
from tests.engine.clocks import HandClock
from tests.engine.run_data import CLOCK, a_seed

ONCE = Retry(retries=0)


def asked(answer, *, clock=None):
    provider = Scripted([answer])
    return asyncio.run(ask(provider, a_request(), clock=clock or HandClock(), retry=ONCE))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Timeout("late"), Outcome.TIMEOUT),
        (TimeoutError("late"), Outcome.TIMEOUT),
        (BadResponse("html"), Outcome.BAD_RESPONSE),
        (Refused("no"), Outcome.REFUSED),
        (ContextOverflow("long"), Outcome.CONTEXT_OVERFLOW),
        (RateLimited("slow down"), Outcome.PROVIDER_ERROR),
        (ProviderError("no recorded answer"), Outcome.PROVIDER_ERROR),
        (ValueError("a user's function"), Outcome.PROVIDER_ERROR),
    ],
)
def test_a_failure_becomes_data(error, outcome):
    answer = asked(error)

    assert answer.outcome is outcome
    assert answer.completion is None
    assert (answer.error_type, answer.error) == (type(error).__name__, str(error))
    assert not answer.stops_model


@pytest.mark.parametrize("error", [AuthError("wrong key"), QuotaExhausted("used up")])
def test_a_refused_key_and_a_used_up_quota_stop_the_model(error):
    answer = asked(error)

    assert answer.outcome is Outcome.PROVIDER_ERROR
    assert answer.stops_model


@pytest.mark.parametrize("error", [StoreError("disk full"), SpecError("no such case")])
def test_what_is_not_about_the_trial_is_raised_on(error):
    with pytest.raises(type(error)):
        asked(error)


def test_what_to_do_is_part_of_the_recorded_message():
    error = asked(ProviderError("nothing there.", hint="Look again.")).error
    assert error == "nothing there. Look again."


def test_an_answer_waits_for_its_mark():
    answer = asked("42")

    assert answer.outcome is Outcome.UNSCORED
    assert answer.completion.text == "42"


def test_a_request_leaves_an_attempt_with_its_seconds():
    clock = HandClock()

    async def slow(seconds):
        clock.advance(seconds)

    usage = Usage(output_tokens=3)
    answers = [a_completion(usage=usage, cost_usd=0.5)]
    provider = Scripted(answers, latency_s=1.5, sleep=slow)
    [attempt] = asyncio.run(ask(provider, a_request(), clock=clock)).attempts

    assert (attempt.number, attempt.status, attempt.last_byte_s) == (1, "ok", 1.5)
    assert attempt.started_at == clock.wall
    assert (attempt.usage, attempt.cost_usd) == (usage, 0.5)


def test_a_failed_request_leaves_an_attempt_with_its_error():
    [attempt] = asked(BadResponse("html")).attempts

    assert (attempt.status, attempt.error_type, attempt.error) == ("failed", "BadResponse", "html")


def test_recorded_answers_were_no_requests_of_ours():
    looked_up = asyncio.run(look_up(Scripted(["42"]), a_request(), clock=HandClock()))

    assert looked_up.completion.text == "42"
    assert looked_up.attempts == ()


def test_being_cancelled_is_no_answer():
    async def cancelled():
        provider = Scripted(["42"], latency_s=60)
        task = asyncio.ensure_future(ask(provider, a_request(), clock=HandClock()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def asked_in_turn(answers, *, retry=None, request=None):
    """The answer, what was asked, and how long it was waited in between."""
    waits, provider = [], Scripted(answers)

    async def sleep(seconds):
        waits.append(seconds)

    answer = asyncio.run(
        ask(
            provider,
            request or a_request(),
            clock=HandClock(),
            retry=retry,
            random=a_seed(),
            sleep=sleep,
        )
    )
    return answer, provider.requests, waits


def test_a_failure_that_passes_leaves_each_attempt_on_record():
    usage = Usage(input_tokens=3, output_tokens=1)
    last = a_completion(usage=usage, cost_usd=0.25, latency_s=1.5, first_byte_s=0.5)
    failures = [RateLimited("slow down", status=429), Timeout("late")]
    answer, _, _ = asked_in_turn([*failures, last])
    first, second, third = answer.attempts

    assert answer.completion is last
    assert [attempt.number for attempt in answer.attempts] == [1, 2, 3]
    assert [attempt.status for attempt in answer.attempts] == ["429", "failed", "ok"]
    assert (first.error_type, first.cost_usd) == ("RateLimited", 0.0)
    assert (second.error_type, second.cost_usd) == ("Timeout", None)
    assert (third.first_byte_s, third.last_byte_s) == (0.5, 1.5)
    assert (third.usage, third.cost_usd) == (usage, 0.25)


@given(st.integers(0, 4), st.integers(0, 9))
def test_a_trial_makes_at_most_one_request_and_its_retries(retries, failures):
    answers = [Timeout("late")] * failures + ["42"]
    answer, asked_for, _ = asked_in_turn(answers, retry=Retry(retries=retries))

    assert len(asked_for) == min(failures, retries) + 1
    assert (answer.completion is not None) == (failures <= retries)


def test_empty_answers_are_asked_for_again_and_count_with_their_cost():
    empty = a_completion("", cost_usd=0.1)
    answer, asked_for, waits = asked_in_turn([empty, empty, a_completion("42", cost_usd=0.2)])

    assert (len(asked_for), waits) == (3, [0.4, 0.8])
    assert answer.completion.text == "42"
    assert [attempt.status for attempt in answer.attempts] == ["empty", "empty", "ok"]
    assert sum(attempt.cost_usd for attempt in answer.attempts) == pytest.approx(0.4)


def test_an_answer_that_stays_empty_is_kept_as_it_is():
    answer, asked_for, _ = asked_in_turn(["", " ", "\n", "42"])

    assert (answer.outcome, answer.completion.text) == (Outcome.UNSCORED, "\n")
    assert len(asked_for) == 3


def test_empty_answers_and_failures_share_one_cap():
    answer, asked_for, _ = asked_in_turn(["", Timeout("late"), "", "42"])

    assert len(asked_for) == 3
    assert answer.completion.text == ""


def test_a_broken_stream_is_followed_by_a_request_without_one():
    broken = BadResponse("cut off", partial_text="4")
    answer, asked_for, _ = asked_in_turn([broken, "42"])

    assert [request.stream for request in asked_for] == [True, False]
    assert (answer.attempts[0].partial_text, answer.completion.text) == ("4", "42")


def test_the_providers_wait_is_slept_through():
    _, _, waits = asked_in_turn([RateLimited("slow down", retry_after_s=7.5), "42"])

    assert waits == [7.5]


def test_a_wait_beyond_the_longest_parks_the_model():
    answer, asked_for, _ = asked_in_turn([RateLimited("later", retry_after_s=86_400), "42"])

    assert len(asked_for) == 1
    assert answer.stops_model
    assert "paused" in answer.reason
    assert "86,400 s" in answer.reason
    assert answer.outcome is Outcome.PROVIDER_ERROR


def test_a_trial_ends_when_its_time_is_over_whatever_may_be_left_to_try():
    retry = Retry(retries=9, trial_s=30)
    answer, asked_for, _ = asked_in_turn([RateLimited("x", retry_after_s=31)] * 9, retry=retry)

    assert len(asked_for) == 1
    assert answer.error_type == "RateLimited"


def test_a_provider_that_never_answers_is_given_up_when_the_trials_time_is_over():
    provider = Scripted(["42"], latency_s=3600, sleep=asyncio.sleep)
    answer = asyncio.run(ask(provider, a_request(), clock=CLOCK, retry=Retry(trial_s=0.05)))

    assert answer.outcome is Outcome.TIMEOUT
    assert len(answer.attempts) == 1


def test_a_refusal_by_status_costs_nothing_and_a_broken_answer_nobody_knows_what():
    errors = [ProviderError("503", status=503, is_retryable=True), BadResponse("cut", status=200)]
    answer, _, _ = asked_in_turn([*errors, "42"])

    assert [attempt.cost_usd for attempt in answer.attempts] == [0.0, None, None]


def test_a_very_long_piece_of_a_broken_answer_is_cut():
    answer, _, _ = asked_in_turn([BadResponse("cut", partial_text="x" * 100_000), "42"])

    assert len(answer.attempts[0].partial_text) == 20_000
