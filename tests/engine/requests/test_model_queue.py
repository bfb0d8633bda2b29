"""One model's tasks: the next request, and the reports to the rate limiter."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.model_queue import ModelQueue, RetryQueue, total_tokens
from benchmaker.engine.requests.rate_limiter import RateLimiter
from benchmaker.engine.trials.plan import Task
from benchmaker.errors import BadResponse, ProviderError, RateLimited
from benchmaker.record import Usage
from benchmaker.testing import a_case, a_request
from tests.engine.run_data import an_attempt

MOST = 100


def a_trying(name="c1", requests=0):
    trying = TrialRequests(a_request(case_id=name))
    trying.attempts += [an_attempt(n + 1) for n in range(requests)]
    return trying


def a_lane(cases=3, limiter=None, begun=None):
    tasks = (Task(n, a_case(f"c{n}"), "m") for n in range(cases))

    def begin(task):
        if begun is not None:
            begun.append(task.case.id)
        return a_trying(task.case.id)

    return ModelQueue("m", tasks, limiter=limiter or RateLimiter(10), begin=begin)


def taken(lane, now=0.0, most=MOST):
    """The name of what goes out next; None when nothing may."""
    if lane.ready_at(now, most) > now:
        return None
    trying = lane.look()
    lane.pop()
    return trying.request.case_id


def guessing():
    """A limiter that was refused once, and whose gate let one through since."""
    limiter = RateLimiter(10)
    flight = limiter.send(0.0)
    limiter.record_refusal(0.0, flight, retry_after_s=0.01, is_rate=True)
    limiter.record_answer(0.02, limiter.send(0.02))
    assert limiter.is_guess
    return limiter


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 3)), min_size=1, max_size=20))
def test_what_is_due_goes_by_the_requests_it_has_left_and_nothing_goes_early(added):
    waiting = RetryQueue()
    for until, requests in added:
        waiting.add(a_trying(requests=requests), until)
    due = sorted((-requests for until, requests in added if until <= 5.0))
    given_out = []
    while waiting.next_at(5.0) <= 5.0:
        given_out.append(-len(waiting.peek().attempts))
        waiting.pop()

    assert given_out == due
    assert waiting.next_at(5.0) == min((until for until, _ in added if until > 5.0), default=inf)


def test_tasks_come_in_their_order():
    lane = a_lane()

    assert [taken(lane) for _ in range(4)] == ["c0", "c1", "c2", None]
    assert lane.ready_at(0.0, MOST) == inf


def test_what_waited_long_enough_goes_before_what_is_new():
    lane = a_lane()
    lane.wait(a_trying("again", 1), 5.0)

    assert [taken(lane), taken(lane, 5.0), taken(lane, 5.0)] == ["c0", "again", "c1"]


def test_while_nobody_knows_the_rate_new_tasks_try_it_out():
    lane = a_lane(cases=1, limiter=guessing())
    lane.wait(a_trying("again", 1), 0.0)

    assert [taken(lane, 10.0), taken(lane, 10.0)] == ["c0", "again"]


def test_where_enough_wait_no_new_one_is_begun_not_even_to_try_out_a_rate():
    begun = []
    lane = a_lane(limiter=guessing(), begun=begun)
    for n in range(2):
        lane.wait(a_trying(f"again{n}", 1), 0.0)

    assert taken(lane, 10.0, most=2) == "again0"
    assert begun == []


def test_where_enough_wait_it_sleeps_until_the_first_of_them():
    begun = []
    lane = a_lane(begun=begun)
    lane.wait(a_trying(requests=1), 7.0)

    assert lane.ready_at(0.0, 1) == 7.0
    assert begun == []


def test_tasks_are_read_one_ahead_at_most():
    begun = []
    lane = a_lane(cases=50, begun=begun)
    for _ in range(5):
        lane.ready_at(0.0, MOST)

    assert begun == ["c0"]


def test_what_was_dropped_is_forgotten_and_takes_nothing_back():
    lane = a_lane()
    lane.wait(a_trying(), 0.0)
    lane.drop()
    lane.wait(a_trying(), 0.0)

    assert lane.ready_at(9.0, MOST) == inf


def test_a_cached_answer_waits_for_no_pace():
    limiter = RateLimiter(1)
    limiter.hold(0.0, 60.0)
    lane = a_lane(limiter=limiter)
    lane.ready_at(0.0, MOST)
    lane.ahead.cached = object()

    assert lane.ready_at(0.0, MOST) == 0.0


def landed(error, *, status="failed"):
    """A lane after a request that ended so at second 1."""
    lane, trying = a_lane(), a_trying()
    lane.send(trying, 0.0)
    trying.error = error
    trying.attempts.append(an_attempt(status=status))
    lane.land(trying, trying.flight, 1.0)
    return lane


@pytest.mark.parametrize(
    ("error", "held_until"),
    [
        (None, -inf),
        (RateLimited("slow", status=429, retry_after_s=5.0), 6.0),
        (ProviderError("busy", status=503, is_retryable=True, retry_after_s=5.0), 6.0),
        (ProviderError("broken", status=500, is_retryable=True, retry_after_s=5.0), 6.0),
        (ProviderError("wrong", status=400, retry_after_s=5.0), -inf),
        (BadResponse("html"), -inf),
    ],
)
def test_whoever_names_a_wait_holds_everybody(error, held_until):
    lane = landed(error)

    assert lane.limiter.gate_until == held_until
    assert lane.limiter.flying == 0
    assert lane.answered == (error is None)


@pytest.mark.parametrize(
    ("error", "is_slowed"),
    [(RateLimited("slow", status=429), True), (ProviderError("busy", status=503), False)],
)
def test_only_a_rate_limit_slows_the_rate(error, is_slowed):
    assert (landed(error).limiter.rate is not None) == is_slowed


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, None),
        (Usage(input_tokens=5), None),
        (Usage(output_tokens=5), None),
        (Usage(input_tokens=5, output_tokens=7), 12),
        (Usage(input_tokens=5, output_tokens=7, cache_read_tokens=100), 112),
    ],
)
def test_tokens_are_known_where_both_sides_are(usage, tokens):
    assert total_tokens(usage) == tokens
