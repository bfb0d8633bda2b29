"""Shares of one endpoint: places in turn, within its limit, none lost."""

import asyncio
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import RateLimiter
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.shared_endpoints import (
    POLL_S,
    SharedEndpoints,
    SharedRateLimiters,
    limiters_for,
    sharing_endpoints,
)
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.providers.protocols.rate_hints import EndpointKey

KEY = EndpointKey("here", "host")


class Job:
    """A job that always has more to send; ``woken`` counts the times it was woken."""

    def __init__(self, endpoints, room):
        self.woken = 0
        self.flights = []
        self.share = endpoints.share(KEY, room, lambda: RateLimiter(room), self.wake)

    def wake(self):
        self.woken += 1

    def try_to_send(self, now=0.0):
        if self.share.ready_at(now) > now:
            return False
        self.flights.append(self.share.send(now))
        return True

    def send_all(self, now=0.0):
        while self.try_to_send(now):
            pass
        return len(self.flights)

    def land(self, now=0.0):
        self.share.record_answer(now, self.flights.pop())


def test_a_job_alone_has_all_places():
    job = Job(SharedEndpoints(), 5)
    assert job.send_all() == 5
    assert job.share.ready_at(0.0) == inf


def test_the_next_places_go_to_a_job_that_joins():
    endpoints = SharedEndpoints()
    long = Job(endpoints, 5)
    long.send_all()
    small = Job(endpoints, 5)
    assert not small.try_to_send()
    long.land()
    assert small.woken == 1
    assert not long.try_to_send()
    assert small.try_to_send()


def test_jobs_that_always_want_more_have_equal_places():
    endpoints = SharedEndpoints()
    jobs = [Job(endpoints, 6) for _ in range(3)]
    jobs[0].send_all()
    for _ in range(50):
        for job in jobs:
            job.try_to_send()
        next(job for job in sorted(jobs, key=lambda one: -len(one.flights))).land()
    for job in jobs:
        job.try_to_send()
    assert sorted(len(job.flights) for job in jobs) == [2, 2, 2]


def test_places_that_a_job_does_not_want_go_to_others():
    endpoints = SharedEndpoints()
    long, small = Job(endpoints, 5), Job(endpoints, 5)
    assert small.try_to_send()
    assert long.send_all() == 4
    small.land()
    assert long.try_to_send()


def test_a_job_that_does_not_look_again_loses_its_turn():
    endpoints = SharedEndpoints()
    long, paused = Job(endpoints, 2), Job(endpoints, 2)
    long.send_all()
    assert not paused.try_to_send()
    long.land()
    at = long.share.ready_at(0.0)
    assert 0.0 < at <= 2 * POLL_S
    assert long.try_to_send(3 * POLL_S)


def test_the_limit_is_that_of_the_widest_job():
    endpoints = SharedEndpoints()
    narrow, wide = Job(endpoints, 2), Job(endpoints, 6)
    for _ in range(10):
        narrow.try_to_send()
        wide.try_to_send()
    assert len(narrow.flights) + len(wide.flights) == 6
    wide.share.resize(6, 3)
    assert narrow.share.state(0.0).limit == 3
    wide.share.leave()
    assert narrow.share.state(0.0).limit == 2


def test_a_job_that_ends_leaves_its_places():
    endpoints = SharedEndpoints()
    ended, other = Job(endpoints, 3), Job(endpoints, 3)
    ended.send_all()
    assert not other.try_to_send()
    ended.share.leave()
    assert other.woken
    assert other.send_all() == 3
    ended.land()  # a late answer
    assert other.share.state(0.0).flying == 3


def test_a_refusal_slows_all_jobs_down():
    endpoints = SharedEndpoints()
    first, second = Job(endpoints, 2), Job(endpoints, 2)
    first.try_to_send()
    flight = first.flights.pop()
    first.share.record_refusal(0.0, flight, retry_after_s=7.0, is_rate=True)
    assert second.share.ready_at(0.0) >= 0.5
    assert first.share.gate_until == 7.0
    assert second.share.rate == first.share.rate is not None


def test_an_endpoint_is_forgotten_with_its_last_job():
    endpoints = SharedEndpoints()
    first = Job(endpoints, 2)
    first.share.hold(0.0, 100.0)
    first.share.leave()
    assert Job(endpoints, 2).try_to_send()


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=200))
def test_the_limit_holds_whatever_the_order(steps):
    endpoints = SharedEndpoints()
    jobs = [Job(endpoints, 4) for _ in range(3)]
    for now, (number, is_sent) in enumerate(steps):
        job = jobs[number]
        if is_sent:
            job.try_to_send(float(now))
        elif job.flights:
            job.land(float(now))
        flying = sum(len(one.flights) for one in jobs)
        assert flying <= 4
        assert job.share.state(0.0).flying == flying


def test_only_a_job_among_others_shares():
    limits, clock = RunLimits(concurrency=3), SystemClock()
    assert type(limiters_for(object(), limits, clock=clock)) is RateLimiters
    with sharing_endpoints(SharedEndpoints()):
        first, second = (limiters_for(object(), limits, clock=clock) for _ in range(2))
    assert isinstance(first, SharedRateLimiters)
    for _ in range(3):
        first.limiter_of("a").send(0.0)
    assert second.limiter_of("b").ready_at(0.0) > 0.0
    first.close()
    assert second.limiter_of("b").ready_at(0.0) == 0.0


@pytest.mark.parametrize("number", [1, 4])
def test_a_waiting_job_is_woken_through_its_limiters(number):
    async def both():
        with sharing_endpoints(SharedEndpoints()):
            limits, clock = RunLimits(concurrency=1), SystemClock()
            first, second = (limiters_for(object(), limits, clock=clock) for _ in range(2))
        room = [asyncio.Event() for _ in range(number)]
        second.on_room.update(event.set for event in room)
        flight = first.limiter_of("a").send(0.0)
        assert second.limiter_of("a").ready_at(0.0) > 0.0
        first.limiter_of("a").record_answer(0.0, flight)
        return all(event.is_set() for event in room)

    assert asyncio.run(both())
