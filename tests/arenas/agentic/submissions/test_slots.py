"""How many work at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmaker.arenas.agentic.submissions.slots import Slots


def test_no_more_work_at_once_than_there_are_seats():
    seats, lock = Slots(2), threading.Lock()
    now, most = 0, 0

    def work(_):
        nonlocal now, most
        with seats.acquire():
            with lock:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.001)
            with lock:
                now -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert most == 2


def test_a_seat_given_back_early_is_given_back_once():
    seats = Slots(1)
    with seats.acquire() as first:
        first.end()
        with seats.acquire():
            first.end()
            assert not seats._among.acquire(blocking=False)
    assert seats._among.acquire(blocking=False)


def test_a_seat_is_free_after_an_error():
    seats = Slots(1)
    with pytest.raises(ValueError, match="broken"), seats.acquire():
        raise ValueError("broken")
    with seats.acquire():
        pass
