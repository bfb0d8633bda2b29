from math import inf

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.token_bucket import TokenBucket

AMOUNTS = st.floats(0.01, 10)


@given(st.lists(st.tuples(st.floats(0, 10), AMOUNTS), max_size=30), AMOUNTS, AMOUNTS)
def test_what_is_taken_is_never_more_than_flowed_in(steps, gain, most):
    bucket = TokenBucket(gain, most)
    now = taken = 0.0
    for passed, amount in steps:
        now += passed
        if bucket.ready_at(now, amount) <= now and amount <= most:
            bucket.take(now, amount)
            taken += amount

    assert taken <= most + now * gain + 1e-6


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_it_is_ready_when_it_says(gain, most, amount):
    bucket = TokenBucket(gain, most)
    bucket.take(0.0, most)
    at = bucket.ready_at(0.0, amount)

    assert bucket.level(at) >= min(amount, most) - 1e-6


def test_an_amount_that_never_fits_waits_for_a_full_bucket():
    bucket = TokenBucket(1.0, 2.0, level=0.0, at=0.0)

    assert bucket.ready_at(0.0, 100.0) == 2.0


def test_a_bucket_that_gains_nothing_is_never_ready_again():
    assert TokenBucket(0.0, 1.0, level=0.0, at=0.0).ready_at(0.0, 1.0) == inf


def test_what_was_taken_too_much_comes_back_first():
    bucket = TokenBucket(1.0, 1.0)
    bucket.take(0.0, 3.0)

    assert bucket.ready_at(0.0, 1.0) == 3.0


def test_giving_back_never_overfills():
    bucket = TokenBucket(1.0, 1.0)
    bucket.take(0.0, -5.0)

    assert bucket.level(0.0) == 1.0


def test_a_clock_that_goes_back_takes_nothing_away():
    bucket = TokenBucket(1.0, 2.0)
    bucket.take(10.0, 2.0)

    assert bucket.level(5.0) == 0.0
