from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.rate_limiter import RateLimiter, RateRules
from benchmaker.providers.protocols.rate_hints import Allowance, RateHints

EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["send", "answer", "refuse", "overload", "drop", "learn"]),
        st.floats(0, 5),
        st.floats(0, 60),
    ),
    max_size=60,
)


def replay(limiter, events):
    """Play the events as far as they are possible; gives the moments of the sends."""
    now, flights, sends = 0.0, [], []
    for kind, passed, wait in events:
        now += passed
        if kind == "send" and limiter.ready_at(now) <= now:
            flights.append(limiter.send(now))
            sends.append(now)
        elif kind == "learn":
            limiter.learn(
                now, RateHints(requests=Allowance(limit=10, left=wait // 6, reset_s=wait))
            )
        elif flights:
            _land(limiter, kind, flights.pop(0), now, wait)
        yield now, sends


def _land(limiter, kind, flight, now, wait):
    if kind == "answer":
        limiter.record_answer(now, flight, tokens=int(wait))
    elif kind == "drop":
        limiter.record_drop()
    elif kind in {"refuse", "overload"}:
        limiter.record_refusal(now, flight, retry_after_s=wait, is_rate=kind == "refuse")


@given(EVENTS, st.integers(1, 20))
def test_the_limit_stays_between_one_and_the_concurrency(events, concurrency):
    limiter = RateLimiter(concurrency)
    for _ in replay(limiter, events):
        assert 1.0 <= limiter.limit <= concurrency
        assert 0 <= limiter.flying <= concurrency


@given(EVENTS, st.integers(1, 20), st.sampled_from([0.0, 1e-320, 1.0]))
def test_a_clock_that_stands_still_divides_by_nothing(events, concurrency, least):
    """Nor do rules under which a rate could come to 0."""
    limiter = RateLimiter(concurrency, rules=RateRules(slowest=least, below=least, window_s=least))
    for now, _ in replay(limiter, [(kind, 0.0, wait) for kind, _, wait in events]):
        assert limiter.rate is None or 0.0 < limiter.rate < inf
        assert limiter.limit >= 1.0
        assert limiter.ready_at(now) >= now


def test_a_rate_that_is_never_refused_again_stays_a_number():
    limiter = RateLimiter(1)
    limiter.record_refusal(0.0, limiter.send(0.0), retry_after_s=None, is_rate=True)
    for now in range(1, 20_000):
        limiter.record_answer(now, limiter.send(now))
    assert limiter.rate < inf


@given(EVENTS, st.integers(1, 20))
def test_nothing_is_sent_before_a_gate_opens(events, concurrency):
    limiter = RateLimiter(concurrency)
    for now, sends in replay(limiter, events):
        assert limiter.ready_at(now) >= min(limiter.gate_until, inf)
        assert not sends or sends[-1] <= now


@given(EVENTS, st.integers(1, 20))
def test_once_all_came_back_there_is_an_end_to_the_waiting(events, concurrency):
    limiter = RateLimiter(concurrency)
    now = max((at for at, _ in replay(limiter, events)), default=0.0)
    while limiter.flying:
        limiter.record_drop()

    assert limiter.ready_at(now) < now + 400


@given(st.integers(1, 50))
def test_before_the_first_refusal_nothing_is_held_back(concurrency):
    limiter = RateLimiter(concurrency)
    for _ in range(concurrency):
        assert limiter.ready_at(0.0) == 0.0
        limiter.send(0.0)

    assert limiter.ready_at(0.0) == inf


def test_a_refusal_takes_a_fifth_of_what_is_in_flight():
    limiter = RateLimiter(10)
    flights = [limiter.send(0.0) for _ in range(10)]
    limiter.record_refusal(1.0, flights[0], retry_after_s=None, is_rate=False)

    assert limiter.limit == 8


def test_refusals_of_what_was_in_flight_together_cut_once():
    limiter = RateLimiter(10)
    flights = [limiter.send(0.0) for _ in range(10)]
    for flight in flights:
        limiter.record_refusal(1.0, flight, retry_after_s=None, is_rate=False)

    assert limiter.limit == 8


def test_a_refusal_within_the_cooldown_cuts_nothing_and_one_after_it_does():
    limiter = RateLimiter(10, rules=RateRules(cooldown_s=5))
    limiter.record_refusal(1.0, limiter.send(0.0), retry_after_s=None, is_rate=False)
    first = limiter.limit
    limiter.record_refusal(3.0, limiter.send(2.0), retry_after_s=None, is_rate=False)
    second = limiter.limit
    flights = [limiter.send(6.0) for _ in range(int(second))]
    limiter.record_refusal(7.0, flights[0], retry_after_s=None, is_rate=False)

    assert first == second == 1.0  # one alone was in flight
    assert limiter.limit == 1.0


def test_answers_bring_the_limit_back_by_their_share():
    limiter = RateLimiter(10)
    flights = [limiter.send(0.0) for _ in range(10)]
    limiter.record_refusal(1.0, flights.pop(), retry_after_s=None, is_rate=False)
    for flight in flights[:8]:
        limiter.record_answer(2.0, flight)

    assert 8.9 < limiter.limit <= 9.0


def test_a_gate_holds_everybody_on_the_key():
    limiter = RateLimiter(10)
    limiter.record_refusal(1.0, limiter.send(0.0), retry_after_s=7.0, is_rate=True)

    assert limiter.ready_at(1.0) == 8.0
    assert limiter.state(1.0).held_s == 7.0


def test_a_shorter_wait_does_not_open_the_gate_earlier():
    limiter = RateLimiter(10)
    one, two = limiter.send(0.0), limiter.send(0.0)
    limiter.record_refusal(1.0, one, retry_after_s=7.0, is_rate=True)
    limiter.record_refusal(1.0, two, retry_after_s=1.0, is_rate=True)

    assert limiter.ready_at(1.0) == 8.0


def test_an_overload_slows_no_rate():
    limiter = RateLimiter(10)
    limiter.record_refusal(1.0, limiter.send(0.0), retry_after_s=None, is_rate=False)

    assert limiter.state(1.0).rate is None


def test_after_a_rate_refusal_requests_are_spaced():
    limiter = RateLimiter(10)
    flights = [limiter.send(0.0) for _ in range(10)]
    for flight in flights[5:]:
        limiter.record_refusal(0.0, flight, retry_after_s=None, is_rate=True)
    space = 1 / limiter.state(0.0).rate

    assert limiter.state(0.0).rate == pytest.approx(0.95 * 5)
    assert limiter.ready_at(0.0) == pytest.approx(space)


def refused_twice(limiter, *, accepted, between_s):
    """A limiter refused at 0.1, and so many seconds later by what that promised: at 0.6."""
    flights = [limiter.send(0.0) for _ in range(5)]
    limiter.record_refusal(0.1, flights.pop(), retry_after_s=0.5, is_rate=True)
    for flight in flights:
        limiter.record_answer(0.2, flight)
    for _ in range(accepted):
        limiter.record_answer(0.7, limiter.send(0.65))
    limiter.record_refusal(between_s, limiter.send(between_s), retry_after_s=0.6, is_rate=True)


@pytest.mark.parametrize(("accepted", "between_s"), [(2, 0.8), (3, 1.0), (8, 0.9)])
def test_the_rate_is_guessed_from_promise_to_promise(accepted, between_s):
    limiter = RateLimiter(10)
    refused_twice(limiter, accepted=accepted, between_s=between_s)

    assert limiter.rate == pytest.approx(0.95 * accepted / between_s)


def test_what_comes_first_behind_a_gate_is_promised_and_the_next_is_a_guess():
    limiter = RateLimiter(10)
    known_by_nobody = limiter.is_guess
    limiter.record_refusal(0.1, limiter.send(0.0), retry_after_s=0.5, is_rate=True)
    promised = limiter.is_guess
    limiter.record_answer(0.7, limiter.send(0.6))

    assert (known_by_nobody, promised, limiter.is_guess) == (False, False, True)


def test_a_rate_that_was_measured_is_no_guess():
    limiter = RateLimiter(100)
    refused_twice(limiter, accepted=12, between_s=1.0)
    limiter.record_answer(2.0, limiter.send(1.7))

    assert not limiter.is_guess
    assert limiter.rate == pytest.approx(0.95 * 12 / 0.9, rel=0.2)


def test_a_rate_that_was_only_guessed_is_tried_out_with_each_request():
    limiter = RateLimiter(10)
    refused_twice(limiter, accepted=2, between_s=1.0)
    guessed = limiter.rate
    for n in range(5):
        limiter.record_answer(2.0 + n, limiter.send(2.0 + n))

    assert limiter.rate == pytest.approx(guessed * 1.1**5)


def test_what_replies_say_of_requests_left_is_obeyed():
    limiter = RateLimiter(10)
    limiter.send(0.0)
    limiter.learn(0.0, RateHints(requests=Allowance(limit=60, left=0, reset_s=60)))

    assert limiter.ready_at(0.0) == pytest.approx(1.0)


def test_what_is_in_flight_counts_against_what_is_left():
    limiter = RateLimiter(10)
    for _ in range(3):
        limiter.send(0.0)
    limiter.learn(0.0, RateHints(requests=Allowance(limit=60, left=2, reset_s=58)))

    assert limiter.ready_at(0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("reset_s", [None, 0.0, 86_400.0])
def test_a_limit_whose_return_is_not_known_or_far_away_is_left_to_the_provider(reset_s):
    limiter = RateLimiter(10)
    limiter.send(0.0)
    limiter.learn(0.0, RateHints(requests=Allowance(limit=60, left=0, reset_s=reset_s)))

    assert limiter.ready_at(0.0) == 0.0


def test_tokens_left_are_shared_out_by_what_a_request_takes():
    limiter = RateLimiter(10)
    limiter.record_answer(0.0, limiter.send(0.0), tokens=100)
    limiter.send(0.0)
    limiter.learn(0.0, RateHints(tokens=Allowance(limit=1000, left=50, reset_s=95)))

    assert limiter.ready_at(0.0) == pytest.approx(5.0)


def test_a_stated_number_of_requests_a_minute_is_kept():
    limiter = RateLimiter(1000, requests_per_minute=120)
    now, sends = 0.0, []
    while now < 60:
        now = max(now, limiter.ready_at(now))
        sends.append(now)
        limiter.record_answer(now, limiter.send(now))

    assert 118 <= len([at for at in sends if at < 60]) <= 122


def test_a_stated_number_of_tokens_a_minute_is_kept():
    limiter = RateLimiter(1, tokens_per_minute=6_000)
    now, used = 0.0, 0
    while now < 120:
        now = max(now, limiter.ready_at(now))
        used += 500
        limiter.record_answer(now, limiter.send(now), tokens=500)

    assert used <= 6_000 * 2 + 1_000
    assert used >= 6_000 * 2 * 0.9
