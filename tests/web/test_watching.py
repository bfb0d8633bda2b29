"""One look and one drawing for many who watch: nothing missed, nothing drawn twice."""

import asyncio
import threading

import pytest

from benchmaker.web.arena.fragments import Pieces
from benchmaker.web.arena.grid import Look
from benchmaker.web.live.events import LiveChange, SharedReads


def test_who_asks_before_a_reading_begins_gets_what_it_reads():
    begun, go_on, read = threading.Event(), threading.Event(), []

    def reading():
        read.append(None)
        begun.set()
        go_on.wait(120)
        return len(read)

    async def asking():
        shared = SharedReads()
        first = asyncio.ensure_future(shared.read("key", reading))
        await asyncio.to_thread(begun.wait, 120)
        later = [asyncio.ensure_future(shared.read("key", reading)) for _ in range(20)]
        await asyncio.sleep(0)
        go_on.set()
        return await first, await asyncio.gather(*later), await shared.read("key", reading)

    first, later, last = asyncio.run(asking())

    assert first == 1
    assert later == [2] * 20, "what was begun before they asked may lack what they wait for"
    assert last == 3


def test_a_reading_that_fails_fails_for_those_who_wait_for_it_alone():
    async def asking():
        shared = SharedReads()
        with pytest.raises(ZeroDivisionError):
            await shared.read("key", lambda: 1 // 0)
        return await shared.read("key", lambda: 1)

    assert asyncio.run(asking()) == 1


def test_one_who_leaves_takes_nothing_from_the_others():
    async def asking():
        shared, go_on = SharedReads(), threading.Event()
        both = [
            asyncio.ensure_future(shared.read("key", lambda: go_on.wait(120))) for _ in range(2)
        ]
        await asyncio.sleep(0)
        both[0].cancel()
        go_on.set()
        return await both[1]

    assert asyncio.run(asking())


def test_a_change_is_drawn_once_for_all_that_look_at_the_same():
    drawn = []

    async def drawing():
        drawn.append(None)
        number = len(drawn)
        await asyncio.sleep(0)
        return number

    async def all_of_them():
        change = LiveChange(1, (), None)
        return await asyncio.gather(*(change.draw(n % 2, drawing) for n in range(10)))

    assert sorted(asyncio.run(all_of_them())) == [1] * 5 + [2] * 5


def test_a_change_under_a_newer_standing_is_one_for_all():
    change, newer, newest = LiveChange(7, (), None), object(), object()

    assert change.with_state(newer) is change.with_state(newer)
    assert change.with_state(newer) is not change.with_state(newest)
    assert change.with_state(newer).state is newer
    assert change.with_state(newer).upto == 7


def pieces(*, cells=(), **parts):
    writing = {name: parts.pop(name) for name in list(parts) if name.startswith("c")}
    return Pieces(Look("r-1"), parts, {name: f"[{name}]" for name in cells}, writing)


def test_only_what_differs_is_sent_and_every_cell_that_changed():
    first, second = pieces(tiles="a", notice="b"), pieces(tiles="c", notice="b", cells=["c0m0"])

    assert first.changes_since(None) == "ab"
    assert second.changes_since(first) == "[c0m0]c"
    assert second.changes_since(None) == "[c0m0]cb"
    assert second.changes_since(second) == "[c0m0]"


def test_a_cell_that_came_back_without_an_answer_is_queued_again():
    writing, nothing = pieces(c3m1="writing"), pieces()
    answered = pieces(cells=["c3m1"])

    assert writing.changes_since(None) == "writing"
    assert writing.changes_since(writing) == ""
    assert 'id="c3m1"' in nothing.changes_since(writing)
    assert answered.changes_since(writing) == "[c3m1]"
    assert writing.changes_since(answered) == "writing", "it was asked again"
