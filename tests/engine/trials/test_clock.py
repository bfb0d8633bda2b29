from datetime import datetime, timedelta

from benchmaker.engine.trials.clock import SystemClock


def test_wall_time_is_utc_with_milliseconds():
    moment = datetime.fromisoformat(SystemClock().now_utc())

    assert moment.utcoffset() == timedelta(0)
    assert len(SystemClock().now_utc()) == len("2026-11-20T10:00:00.000Z")


def test_monotonic_time_never_goes_back():
    clock = SystemClock()
    moments = [clock.monotonic() for _ in range(100)]

    assert moments == sorted(moments)
