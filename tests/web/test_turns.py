"""Few threads compute at once, and none keeps its turn while it waits for something else."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmaker.web.turns import Turns
from tests.waiting import until


def test_a_turn_is_waited_for_while_all_are_held():
    turns, begun, may_end = Turns(2), [], threading.Event()

    def work(number):
        with turns.turn():
            begun.append(number)
            assert may_end.wait(60)

    with ThreadPoolExecutor(3) as threads:
        held = [threads.submit(work, number) for number in range(2)]
        until(lambda: len(begun) == 2)
        third = threads.submit(work, 2)
        assert not third.done()
        assert len(begun) == 2
        may_end.set()
        assert [one.result(60) for one in (*held, third)] == [None] * 3
    assert sorted(begun) == [0, 1, 2]


def test_a_turn_inside_a_turn_is_the_same_one():
    turns = Turns(1)
    with turns.turn(), turns.turn():
        pass
    with turns.turn():
        pass


def test_another_thread_has_the_turn_during_a_pause():
    turns, order = Turns(1), []

    def other():
        with turns.turn():
            order.append("other")

    with ThreadPoolExecutor(1) as threads, turns.turn():
        waiting = threads.submit(other)
        with turns.pause():
            waiting.result(60)
        order.append("own")
    assert order == ["other", "own"]


def test_a_pause_without_a_turn_gives_nothing_away():
    turns = Turns(1)
    with turns.pause(), turns.turn():
        pass


def test_an_error_gives_the_turn_back():
    turns = Turns(1)
    for _ in range(2):
        with pytest.raises(KeyError), turns.turn(), turns.pause():
            raise KeyError
