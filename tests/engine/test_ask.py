import asyncio

import pytest

from benchmaker.engine.ask import ask
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


def asked(answer, *, live=True, clock=None):
    return asyncio.run(ask(Scripted([answer]), a_request(), clock=clock or HandClock(), live=live))


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


def test_the_hint_for_people_is_not_part_of_the_recorded_message():
    assert asked(ProviderError("nothing there.", hint="Look again.")).error == "nothing there."


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
    assert asked("42", live=False).attempts == ()


def test_being_cancelled_is_no_answer():
    async def cancelled():
        provider = Scripted(["42"], latency_s=60)
        task = asyncio.ensure_future(ask(provider, a_request(), clock=HandClock()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
