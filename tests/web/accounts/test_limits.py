"""How much somebody may ask: the throttle and the rates by themselves, and on a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.web.accounts.authentication import Rates
from benchmaker.web.accounts.throttle import ADDRESS, NAME, Throttle, network_of
from tests.web.accounts.people import Asker, with_token
from tests.web.serving import apps, serving


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_wait_doubles_and_ends_somewhere(clock):
    throttle, waits = Throttle(clock), []
    for n in range(40):
        while wait := throttle.try_now("ada", f"192.0.2.{n}"):
            waits.append(wait)
            clock.now += wait
    assert waits[:4] == [1.0, 2.0, 4.0, 8.0]
    assert max(waits) == NAME.most_s


def test_a_refused_try_is_not_counted(clock):
    throttle = Throttle(clock)
    while not (wait := throttle.try_now("ada", "192.0.2.1")):
        pass
    for _ in range(100):
        throttle.try_now("ada", "192.0.2.1")

    assert throttle.try_now("ada", "192.0.2.1") == wait


def test_other_names_go_on_from_other_addresses(clock):
    throttle = Throttle(clock)
    while not throttle.try_now("ada", "192.0.2.1"):
        pass

    assert throttle.try_now("ben", "192.0.2.2") == 0.0


def test_all_of_an_ipv6_network_count_as_one(clock):
    throttle = Throttle(clock)
    tries = [throttle.try_now(f"n{n}", f"2001:db8::{n:x}") for n in range(100)]

    assert sum(it == 0.0 for it in tries) == ADDRESS.free


def test_without_a_name_the_address_alone_is_counted(clock):
    throttle = Throttle(clock)
    tries = [throttle.try_now(None, "192.0.2.1") for _ in range(ADDRESS.free + 1)]
    assert [it > 0.0 for it in tries] == [False] * ADDRESS.free + [True]
    assert throttle.try_now(None, "192.0.2.2") == 0.0

    throttle = Throttle(clock)
    for _ in range(3 * ADDRESS.free):
        assert throttle.try_now(None, "192.0.2.1") == 0.0
        throttle.record_success(None, "192.0.2.1")


def test_what_is_held_against_one_is_forgotten_after_an_hour(clock):
    throttle = Throttle(clock)
    for _ in range(8):
        while wait := throttle.try_now("ada", "192.0.2.1"):
            clock.now += wait
    clock.now += 3_601

    assert [throttle.try_now("ada", "192.0.2.1") for _ in range(NAME.free)] == [0.0] * NAME.free


def test_a_name_is_kept_as_a_digest(clock):
    throttle = Throttle(clock)
    throttle.try_now("hunter2, typed too early", "192.0.2.1")

    assert "hunter2" not in str(throttle._kept)


def test_the_throttle_remembers_only_so_many(clock):
    throttle = Throttle(clock, most=50)
    for n in range(500):
        throttle.try_now(f"name {n}", f"10.0.{n // 250}.{n % 250}")

    assert len(throttle) == 50


@pytest.mark.parametrize("odd", ["", "unix:", "not an address", "fe80::1%eth0", "::ffff:192.0.2.1"])
def test_any_address_has_a_network(odd):
    assert isinstance(network_of(odd), str)


@given(st.lists(st.floats(0.0, 2.0), max_size=300))
def test_nobody_gets_more_than_the_rate_and_one_bucket(pauses):
    clock = Clock()
    rates, began = Rates(60, clock=clock), clock.now
    passed = 0
    for pause in pauses:
        clock.now += pause
        rate = rates.take("ada")
        passed += rate.wait_s == 0.0
        assert 0 <= rate.remaining <= rate.limit == 60
    assert passed <= 60 + (clock.now - began) + 1e-6


def test_after_the_wait_there_is_one_more(clock):
    rates = Rates(60, clock=clock)
    while not (rate := rates.take("ada")).wait_s:
        pass
    assert rate.remaining == 0
    assert rate.headers()["retry-after"] == "1"
    clock.now += rate.wait_s

    assert rates.take("ada").wait_s == 0.0
    assert rates.take("ben").remaining == 59


def test_only_so_many_buckets_are_kept(clock):
    rates = Rates(60, clock=clock, most=10)
    for n in range(100):
        rates.take(str(n))

    assert len(rates._buckets) == 10


def test_a_server_says_what_is_left_and_refuses_what_is_too_much(
    own_signed_home, signed_home, clock
):
    with serving(own_signed_home, works=False) as address:
        apps[address].state.signed.rates = Rates(20, clock=clock)
        ada, eve = (with_token(address, signed_home[1][it]) for it in ("read", "eve"))
        answers = [ada.get("/api/v1/health") for _ in range(25)]
        page = ada.get("/")
        other = eve.get("/api/v1/health")

    assert [it.status for it in answers].count(200) == 20
    assert answers[0].headers["ratelimit-limit"] == "20"
    assert int(answers[0].headers["ratelimit-remaining"]) == 19
    late = answers[-1]
    assert late.status == 429
    assert late.data["error"]["status"] == 429
    assert int(late.headers["retry-after"]) >= 1
    assert int(late.headers["ratelimit-reset"]) > 50
    assert (page.status, other.status) == (429, 200)


def test_nobody_in_particular_shares_what_an_address_has(own_signed_home, clock):
    with serving(own_signed_home, works=False) as address:
        apps[address].state.signed.rates = Rates(10, clock=clock)
        odd = with_token(address, "bm_made-up")
        seen = [odd.get("/api/v1/runs").status for _ in range(8)]
        seen += [Asker(address).get("/api/v1/runs").status for _ in range(8)]
        health = Asker(address).get("/healthz").status

    assert seen.count(401) == 10
    assert seen[-1] == 429
    assert health == 200
