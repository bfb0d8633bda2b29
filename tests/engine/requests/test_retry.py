from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.retry import Breaker, Retry, is_empty, is_race, is_retryable
from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    SpecError,
    Timeout,
)
from benchmaker.record import FinishReason
from benchmaker.testing import a_completion
from tests.engine.run_data import a_seed


def after(error, requests=1, *, stream=True, retry=None):
    retry = retry or Retry()
    return retry.after_failure(error, requests=requests, stream=stream, random=a_seed())


@given(st.integers(1, 1000), st.integers(0, 99))
def test_the_backoff_lies_between_nothing_and_a_bound_that_doubles(failures, seed):
    retry = Retry(base_s=0.5, cap_s=30)
    waited = retry.backoff_s(failures, Random(seed))  # noqa: S311  seeded on purpose

    assert 0 <= waited <= min(30, 0.5 * 2.0 ** min(failures - 1, 30))


def test_the_backoff_uses_all_of_its_range():
    random = a_seed()
    waits = [Retry().backoff_s(1, random) for _ in range(1000)]

    assert min(waits) < 0.02
    assert max(waits) > 0.98
    assert 0.45 < sum(waits) / 1000 < 0.55


@pytest.mark.parametrize(
    "error",
    [
        RateLimited("slow down"),
        Timeout("late"),
        TimeoutError("late"),
        BadResponse("html"),
        ProviderError("503", status=503, is_retryable=True),
    ],
)
def test_what_may_pass_is_tried_again_until_the_cap(error):
    assert is_retryable(error)
    assert after(error, 1) is not None
    assert after(error, 2) is not None
    assert after(error, 3) is None


@pytest.mark.parametrize(
    "error",
    [
        AuthError("wrong key"),
        QuotaExhausted("used up"),
        ContextOverflow("long"),
        Refused("no"),
        ProviderError("400", status=400),
        BadResponse("too large", is_retryable=False),
        ValueError("a user's function"),
    ],
)
def test_what_would_fail_again_is_not_tried_again(error):
    assert after(error) is None


def test_without_retries_nothing_is_tried_again():
    assert after(Timeout("late"), retry=Retry(retries=0)) is None


def test_the_providers_own_wait_is_kept():
    assert after(RateLimited("slow down", retry_after_s=7.5)).wait_s == 7.5


def test_a_wait_that_is_too_long_is_not_waited_for():
    retry = Retry(max_wait_s=300)

    assert "86,400 s" in retry.is_too_long(RateLimited("later", retry_after_s=86_400))
    assert not retry.is_too_long(RateLimited("later", retry_after_s=300))
    assert not retry.is_too_long(RateLimited("later"))


@pytest.mark.parametrize(
    "error",
    [
        BadResponse("cut"),
        Timeout("idle"),
        ProviderError("x", partial_text="4", is_retryable=True),
    ],
)
def test_what_may_be_the_streams_fault_is_tried_without_one(error):
    assert not after(error).stream


def test_a_refusal_says_nothing_against_streaming():
    assert after(RateLimited("slow down"), 2).stream


def test_the_last_request_gives_the_stream_up():
    error = ProviderError("500", status=500, is_retryable=True)

    assert after(error, 1).stream
    assert not after(error, 2).stream


def test_a_stream_that_was_not_asked_for_is_not_begun():
    assert not after(RateLimited("slow down"), stream=False).stream


def test_empty_answers_are_asked_again_after_400_and_800_milliseconds():
    retry = Retry()
    waits = [retry.after_empty(requests=n, empties=n, stream=True) for n in (1, 2, 3)]

    assert [again and again.wait_s for again in waits] == [0.4, 0.8, None]


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        (a_completion(" \n"), True),
        (a_completion("", finish=FinishReason.UNKNOWN), True),
        (a_completion("42"), False),
        (a_completion("", finish=FinishReason.LENGTH), False),
        (a_completion("", finish=FinishReason.FILTER), False),
        (a_completion("", finish=FinishReason.REFUSAL), False),
        (a_completion("", finish=FinishReason.UNKNOWN, flags=("tool_call",)), False),
    ],
)
def test_empty_is_what_says_nothing_without_a_reason(completion, expected):
    assert is_empty(completion) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RateLimited("slow down", retry_after_s=1.0), True),
        (RateLimited("slow down", retry_after_s=0.0), True),
        (RateLimited("slow down"), False),
        (ProviderError("busy", status=503, retry_after_s=1.0), False),
        (QuotaExhausted("used up", retry_after_s=1.0), False),
        (Timeout("late"), False),
        (None, False),
    ],
)
def test_a_race_is_lost_where_the_rate_is_refused_and_a_moment_named(error, expected):
    assert is_race(error) is expected


@pytest.mark.parametrize(
    "wrong",
    [{"retries": -1}, {"overtaken": -1}, {"base_s": -1.0}, {"trial_s": 0.0}, {"max_wait_s": -0.1}],
)
def test_impossible_rules_are_refused(wrong):
    with pytest.raises(SpecError):
        Retry(**wrong)


def client_error(status=400):
    return ProviderError("wrong", status=status)


def test_five_equal_client_errors_in_a_row_trip_the_breaker():
    breaker = Breaker()

    assert [breaker.note("m", client_error()) for _ in range(5)] == [False] * 4 + [True]


@pytest.mark.parametrize(
    "between", [None, client_error(404), Timeout("late"), ContextOverflow("long", status=400)]
)
def test_anything_else_in_between_begins_the_count_anew(between):
    breaker = Breaker()
    for _ in range(4):
        breaker.note("m", client_error())
    breaker.note("m", between)

    assert not breaker.note("m", client_error())


def test_models_are_counted_apart():
    breaker = Breaker()
    for _ in range(4):
        breaker.note("a", client_error())

    assert not breaker.note("b", client_error())
    assert breaker.note("a", client_error())


@pytest.mark.parametrize("error", [client_error(500), AuthError("no", status=401)])
def test_other_failures_do_not_trip_the_breaker(error):
    breaker = Breaker()

    assert not any(breaker.note("m", error) for _ in range(9))
