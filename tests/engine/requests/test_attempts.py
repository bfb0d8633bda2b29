"""One trial on its way, under every mixture of faults, in simulated time."""

import asyncio
from random import Random, SystemRandom

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.rate_limiter import Flight
from benchmaker.engine.requests.retry import Retry, is_empty
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import (
    AuthError,
    BadResponse,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    StoreError,
    Timeout,
)
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome, Usage
from benchmaker.testing import a_completion, a_request
from tests.engine.run_data import a_seed
from tests.engine.simulated import SimulatedClock, simulated

WAITS = st.none() | st.floats(0, 400)
FAULTS = st.one_of(
    st.builds(lambda s: RateLimited("slow", status=429, retry_after_s=s), WAITS),
    st.builds(
        lambda s: ProviderError("busy", status=503, is_retryable=True, retry_after_s=s), WAITS
    ),
    st.sampled_from(
        [
            Timeout("late"),
            BadResponse("html"),
            BadResponse("cut", partial_text="4"),
            ProviderError("wrong", status=400),
            AuthError("no", status=401),
            QuotaExhausted("used up", status=429),
            ValueError("a user's function"),
            a_completion(""),
            a_completion("42", cost_usd=0.5),
        ]
    ),
)
SCRIPTS = st.lists(FAULTS, min_size=1, max_size=12)
RETRIES = st.builds(
    Retry, retries=st.integers(0, 4), trial_s=st.floats(1, 2000), overtaken=st.integers(0, 3)
)


class Told:
    """What one trial did: its end, when each request began, what it was told to wait."""

    def __init__(self):
        self.trying = None
        self.end = None
        self.began = []
        self.waits = []


async def _through(script, retry, *, latency_s, overtakers, seed=1, kind=Scripted):
    """All requests of a trial; between two, as many others are answered as ``overtakers`` says."""
    told, clock = Told(), SimulatedClock()
    provider = kind([*script, *[a_completion("42")] * 9], latency_s=latency_s)
    trying = told.trying = TrialRequests(a_request())
    answered, random = 0, Random(seed)  # noqa: S311  seeded on purpose
    while told.end is None:
        trying.record_sent(Flight(clock.monotonic(), 0.0), answered=answered)
        told.began.append(clock.monotonic())
        ended = await trying.attempt(provider, clock=clock, retry=retry, random=random)
        if isinstance(ended, RequestResult):
            told.end = ended
        else:
            told.waits.append(ended.wait_s)
            await asyncio.sleep(ended.wait_s)
            answered += overtakers
    return told


class Priced(Scripted):
    """A script whose models have a price."""

    def most_usd(self, request):
        del request
        return 1.0


class Unpriced(Scripted):
    """A script whose list of prices has none of its models."""

    def most_usd(self, request):
        del request


def through(script, retry=None, *, latency_s=0.1, overtakers=0, seed=1, kind=Scripted):
    retry = retry or Retry()
    return simulated(
        _through(script, retry, latency_s=latency_s, overtakers=overtakers, seed=seed, kind=kind)
    )


@settings(deadline=None, max_examples=150)
@given(SCRIPTS, RETRIES, st.integers(0, 2))
def test_no_trial_makes_more_than_one_request_and_its_retries(script, retry, overtakers):
    told = through(script, retry, overtakers=overtakers)
    refused = sum(attempt.status == "429" for attempt in told.end.attempts)

    assert len(told.began) == len(told.end.attempts)
    assert len(told.began) <= 1 + retry.retries + (min(refused, retry.overtaken, len(told.waits)))
    assert overtakers or len(told.began) <= 1 + retry.retries


@settings(deadline=None, max_examples=150)
@given(SCRIPTS, RETRIES)
def test_no_wait_is_shorter_than_the_provider_asks_for_nor_longer_than_anybody_waits(script, retry):
    told = through(script, retry)

    for error, wait_s in zip(script, told.waits, strict=False):
        asked_s = getattr(error, "retry_after_s", None)
        assert asked_s is None or wait_s == asked_s
        assert 0 <= wait_s <= max(retry.max_wait_s, retry.cap_s)


@settings(deadline=None, max_examples=150)
@given(SCRIPTS, RETRIES, st.floats(0.01, 500))
def test_a_trial_ends_in_its_time_however_slow_the_answers(script, retry, latency_s):
    told = through(script, retry, latency_s=latency_s, overtakers=1)
    last = told.end.attempts[-1]

    assert told.began[-1] + last.last_byte_s <= told.began[0] + retry.trial_s + 1e-6


@settings(deadline=None, max_examples=100)
@given(SCRIPTS, RETRIES, st.integers(0, 9))
def test_the_same_seed_waits_the_same(script, retry, seed):
    assert through(script, retry, seed=seed).waits == through(script, retry, seed=seed).waits


@settings(deadline=None, max_examples=100)
@given(SCRIPTS)
def test_attempts_are_numbered_and_tell_what_came(script):
    told = through(script)

    for number, (attempt, came) in enumerate(zip(told.end.attempts, script, strict=False), 1):
        status = getattr(came, "status", None)
        assert attempt.number == number
        if isinstance(came, Exception):
            assert attempt.status == (str(status) if status else "failed")
            assert attempt.error_type == type(came).__name__
        else:
            assert attempt.status == ("empty" if is_empty(came) else "ok")


def limited(wait_s=1.0):
    return RateLimited("slow", status=429, retry_after_s=wait_s)


def test_a_refusal_after_which_others_were_answered_costs_no_retry():
    told = through([limited()] * 5, overtakers=1)

    assert told.end.completion is not None
    assert len(told.end.attempts) == 6


def test_a_refusal_after_which_nobody_was_answered_does():
    told = through([limited()] * 5)

    assert told.end.outcome is Outcome.PROVIDER_ERROR
    assert len(told.end.attempts) == 3


def test_there_is_an_end_to_being_overtaken():
    told = through([limited()] * 50, overtakers=1)

    assert told.end.outcome is Outcome.PROVIDER_ERROR
    assert len(told.end.attempts) == 1 + 2 + Retry().overtaken


@pytest.mark.parametrize(
    "error",
    [
        RateLimited("slow", status=429),
        ProviderError("busy", status=503, is_retryable=True, retry_after_s=1.0),
        Timeout("late"),
    ],
)
def test_other_failures_always_count(error):
    told = through([error] * 5, overtakers=3)

    assert len(told.end.attempts) == 3


def test_without_retries_not_even_a_lost_race_is_run_again():
    assert len(through([limited()] * 5, Retry(retries=0), overtakers=1).end.attempts) == 1


def test_a_used_up_quota_is_no_lost_race():
    told = through([QuotaExhausted("used up", status=429, retry_after_s=1.0)], overtakers=1)

    assert told.end.stops_model
    assert len(told.end.attempts) == 1


@pytest.mark.parametrize(
    ("came", "spent"),
    [
        (a_completion("42", cost_usd=0.5), 0.5),
        (limited(), 0.0),
        (ProviderError("busy", status=503), 0.0),
        (ProviderError("cut", status=503, partial_text="4"), None),
        (ProviderError("no connection", is_sent=False), 0.0),
        (Timeout("no connection within 10 s", is_sent=False), 0.0),
        (Timeout("late"), None),
        (BadResponse("html"), None),
    ],
)
@pytest.mark.parametrize("kind", [Priced, Scripted])
def test_what_was_refused_costs_nothing_and_what_broke_nobody_knows(came, spent, kind):
    told = through([came], Retry(retries=0), kind=kind)

    assert told.trying.spent_usd == spent
    assert told.end.attempts[0].cost_usd == spent


@pytest.mark.parametrize(
    "came", [limited(), AuthError("no", status=401), ProviderError("no connection", is_sent=False)]
)
def test_the_cost_of_a_refusal_is_unknown_where_the_model_has_no_price(came):
    told = through([came], Retry(retries=0), kind=Unpriced)

    assert told.trying.spent_usd == 0.0
    assert told.end.attempts[0].cost_usd is None
    assert told.end.attempts[0].tokens == Usage(input_tokens=0, output_tokens=0)


def test_a_wait_that_would_outlast_the_trial_is_not_begun():
    told = through([limited(50.0)], Retry(trial_s=40.0))

    assert told.end.outcome is Outcome.PROVIDER_ERROR
    assert told.waits == []


def test_what_is_not_about_the_trial_is_raised_on():
    retry, clock = Retry(), SimulatedClock()
    once = TrialRequests(a_request()).attempt(
        Scripted([StoreError("gone")]), clock=clock, retry=retry, random=a_seed()
    )
    with pytest.raises(StoreError):
        simulated(once)


def test_of_a_long_answer_that_broke_off_the_start_is_kept():
    told = through([BadResponse("cut", partial_text="x" * 50_000)], Retry(retries=0))

    assert len(told.end.attempts[0].partial_text) == 20_000


def test_the_cost_of_a_cancelled_request_is_unknown():
    trying, retry = TrialRequests(a_request()), Retry()
    begun = asyncio.Event()

    class Silent:
        async def complete(self, _request):
            begun.set()
            await asyncio.Event().wait()

    async def cancel():
        work = trying.attempt(Silent(), clock=SystemClock(), retry=retry, random=SystemRandom())
        task = asyncio.create_task(work)
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert trying.spent_usd == 0
    asyncio.run(cancel())
    assert trying.spent_usd is None
