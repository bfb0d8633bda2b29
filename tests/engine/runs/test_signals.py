import asyncio
import os
import signal
import threading

import pytest

from benchmaker.engine.runs.signals import stop_on_signals


@pytest.fixture(autouse=True)
def heeded():
    """Signals do what they do in a terminal, even where they are ignored here, as under nohup."""
    hows = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, how) for number, how in hows.items()}
    yield
    for number, how in before.items():
        signal.signal(number, how)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_asks_to_stop(number):
    async def work():
        stop = asyncio.Event()
        with stop_on_signals(stop):
            os.kill(os.getpid(), number)
            await asyncio.wait_for(stop.wait(), 120)
        return stop.is_set()

    assert asyncio.run(work())


def test_twice_stops_at_once():
    async def work():
        with stop_on_signals(asyncio.Event()):
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(120)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())


def test_a_hangup_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def work():
        stop = asyncio.Event()
        with stop_on_signals(stop):
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.05)
        return stop.is_set()

    try:
        assert not asyncio.run(work())
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_handlers_of_before_are_back_afterwards():
    before = signal.getsignal(signal.SIGTERM)

    async def work():
        with stop_on_signals(asyncio.Event()):
            assert signal.getsignal(signal.SIGTERM) is not before

    asyncio.run(work())

    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread_nothing_is_changed():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    async def work():
        with stop_on_signals(asyncio.Event()):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    thread.join()

    assert seen == [before]
