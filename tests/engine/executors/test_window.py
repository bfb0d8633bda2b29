from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.executors.window import RateWindow

TIMES = st.lists(st.floats(0.0, 30.0), max_size=60)


@given(TIMES, st.integers(1, 8))
def test_no_window_of_time_has_more_than_is_allowed(gaps, most):
    window, now, taken = RateWindow(float(most), 10.0), 0.0, []
    for gap in gaps:
        now += gap
        at = window.ready_at(now, 1.0)
        assert at >= now
        window.take(at, 1.0)
        taken.append(at)
        now = at
    assert all(sum(begin <= at < begin + 10.0 for at in taken) <= most for begin in taken)


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(0.5, 4.0)), max_size=40))
def test_amounts_add_up_in_every_window(steps):
    window, now, taken = RateWindow(8.0, 10.0), 0.0, []
    for gap, amount in steps:
        now = window.ready_at(now + gap, amount)
        window.take(now, amount)
        taken.append((now, amount))
    for begin, _ in taken:
        assert sum(amount for at, amount in taken if begin <= at < begin + 10.0) <= 8.0 + 1e-9


def test_what_never_fits_waits_until_all_is_free():
    window = RateWindow(5.0, 60.0)
    window.take(1.0, 1.0)

    assert window.ready_at(2.0, 9.0) == 61.0


def test_what_turned_out_smaller_makes_room():
    window = RateWindow(2.0, 60.0)
    first = window.take(0.0, 2.0)
    window.amend(first, 1.0)

    assert window.ready_at(1.0, 1.0) == 1.0


def test_what_has_left_the_window_is_amended_in_vain():
    window = RateWindow(2.0, 60.0)
    old = window.take(0.0, 2.0)
    assert window.ready_at(61.0, 1.0) == 61.0
    window.take(61.0, 2.0)
    window.amend(old, 0.0)

    assert window.ready_at(62.0, 1.0) == 121.0
