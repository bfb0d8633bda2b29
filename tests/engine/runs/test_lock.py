import pytest

from benchmaker.engine.runs.lock import lease_name, lock_run
from benchmaker.errors import Conflict
from tests.engine.clocks import HandClock
from tests.engine.run_data import opened


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def test_a_run_is_held_inside_and_free_afterwards(store):
    with lock_run(store, "r", clock=HandClock(), ttl_s=60):
        inside = store.lease(lease_name("r"))

    assert inside is not None
    assert store.lease(lease_name("r")) is None


def test_it_is_given_back_after_an_error_too(store):
    with pytest.raises(ZeroDivisionError), lock_run(store, "r", clock=HandClock(), ttl_s=60):
        _ = 1 / 0

    assert store.lease(lease_name("r")) is None


def test_whoever_comes_second_is_told_the_process(store):
    def hold():
        return lock_run(store, "r", clock=HandClock(), ttl_s=60)

    with (
        hold(),
        pytest.raises(Conflict, match=r"run r is held by process \d+ on"),
        hold(),
    ):
        pass


def test_a_dead_process_of_this_machine_holds_nothing(store):
    store.acquire_lease(lease_name("r"), holder="dead", ttl_s=60, pid=2**22 + 1)

    with lock_run(store, "r", clock=HandClock(), ttl_s=60) as hold:
        assert hold.lease.fence == 2


def test_a_lease_is_renewed_after_a_quarter_of_its_time_and_not_before(store):
    clock = HandClock()
    with lock_run(store, "r", clock=clock, ttl_s=60) as hold:
        first = hold.lease
        clock.advance(14.9)
        hold.renew_in_time()
        early = hold.lease
        clock.advance(0.1)
        hold.renew_in_time()

        assert early is first
        assert hold.lease is not first
        assert hold.lease.fence == first.fence


def test_a_lease_that_another_took_over_is_not_renewed(store):
    clock = HandClock()
    with lock_run(store, "r", clock=clock, ttl_s=60) as hold:
        store.release_lease(hold.lease)
        store.acquire_lease(lease_name("r"), holder="another", ttl_s=60, pid=1)
        clock.advance(60)
        with pytest.raises(Conflict, match="another process has taken over"):
            hold.renew_in_time()
