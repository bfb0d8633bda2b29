import os
import subprocess
import sys
import threading

import pytest

from benchmaker.errors import Conflict
from benchmaker.store import Store

pytestmark = pytest.mark.postgresql("leases: upserts, clocks, locks")


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def held(address, clock):
    """A store on which another host holds the lease ``work``."""
    with Store.open(address, clock=clock) as store:
        store.acquire_lease("work", holder="them", ttl_s=60, pid=4242, host="elsewhere")
        yield store


def test_a_lease_says_who_holds_it(store):
    lease = store.acquire_lease("work \x00", holder="me", ttl_s=60)
    assert store.lease("work \x00") == lease
    assert (lease.holder, lease.pid, lease.fence) == ("me", os.getpid(), 1)
    assert store.lease("other") is None


def test_who_comes_second_learns_pid_and_host(held):
    with pytest.raises(Conflict, match="work is held by process 4242 on elsewhere"):
        held.acquire_lease("work", holder="me", ttl_s=60)


def test_the_holder_itself_can_not_take_it_twice(store):
    store.acquire_lease("work", holder="me", ttl_s=60)
    with pytest.raises(Conflict, match=str(os.getpid())):
        store.acquire_lease("work", holder="me", ttl_s=60)


def test_leases_of_other_names_do_not_matter(held):
    assert held.acquire_lease("rest", holder="me", ttl_s=60).fence == 1


def test_a_lease_that_ran_out_is_taken_over_under_a_higher_number(held, clock):
    clock.now += 59.9
    with pytest.raises(Conflict):
        held.acquire_lease("work", holder="me", ttl_s=60)
    clock.now += 0.1
    assert held.acquire_lease("work", holder="me", ttl_s=60).fence == 2


def test_a_heartbeat_keeps_the_lease(held, clock):
    clock.now += 50
    held.renew_lease(held.lease("work"))
    clock.now += 50
    with pytest.raises(Conflict):
        held.acquire_lease("work", holder="me", ttl_s=60)


def test_what_was_taken_over_can_neither_be_renewed_nor_released(held, clock):
    old = held.lease("work")
    clock.now += 60
    new = held.acquire_lease("work", holder="me", ttl_s=60)
    with pytest.raises(Conflict, match="another process has taken over"):
        held.renew_lease(old)
    held.release_lease(old)
    assert held.lease("work") == new


def test_a_released_lease_is_free_and_its_numbers_go_on(held):
    old = held.lease("work")
    held.release_lease(old)
    assert held.lease("work") is None
    with pytest.raises(Conflict):
        held.renew_lease(old)
    assert held.acquire_lease("work", holder="me", ttl_s=60).fence == 2


def test_a_dead_process_of_this_host_holds_nothing(store):
    pid = take_and_die(store)
    assert store.acquire_lease("work", holder="me", ttl_s=60).fence == 2
    assert store.lease("work").pid != pid


def take_and_die(store):
    """A process that lives as it takes the lease, and dies."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    store.acquire_lease("work", holder="child", ttl_s=3600, pid=child.pid)
    with pytest.raises(Conflict, match=str(child.pid)):
        store.acquire_lease("work", holder="me", ttl_s=60)
    child.kill()
    child.communicate()
    return child.pid


def test_a_process_that_ended_unnoticed_by_its_parent_is_dead(store):
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    store.acquire_lease("work", holder="child", ttl_s=3600, pid=child.pid)
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert store.acquire_lease("work", holder="me", ttl_s=60).fence == 2
    child.communicate()


def test_another_process_that_was_given_the_pid_does_not_count(store):
    lease = store.acquire_lease("work", holder="before the restart", ttl_s=3600)
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE leases SET process = '1'")
    assert store.acquire_lease("work", holder="me", ttl_s=60).fence == lease.fence + 1


def test_a_dead_pid_of_another_host_says_nothing(store):
    store.acquire_lease("work", holder="them", ttl_s=60, pid=2**22 + 1, host="elsewhere")
    with pytest.raises(Conflict, match="elsewhere"):
        store.acquire_lease("work", holder="me", ttl_s=60)


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1])
def test_a_pid_that_can_not_be_is_dead(store, pid):
    store.acquire_lease("work", holder="them", ttl_s=60, pid=pid)
    assert store.acquire_lease("work", holder="me", ttl_s=60).fence == 2


def test_of_many_that_want_it_one_gets_it(address):
    won, lost = [], []

    def want(number):
        with Store.open(address) as store:
            try:
                won.append(store.acquire_lease("work", holder=str(number), ttl_s=60))
            except Conflict as conflict:
                lost.append(conflict)

    threads = [threading.Thread(target=want, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 5)
