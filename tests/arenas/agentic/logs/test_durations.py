"""The moments of a session."""

import random
from itertools import pairwise
from math import fsum

import pytest

from benchmaker.arenas.agentic.logs.durations import EventTimes


@pytest.mark.parametrize("number", [2, 70_000])
def test_active_time_is_the_same_in_any_order_of_logs(number):
    rng = random.Random(3)  # noqa: S311  not a secret
    times = [1e9 + rng.randrange(10**6) for _ in range(number)]
    moments = EventTimes()
    for n, at in enumerate(times):
        moments.add(at, (n, ""))
    gaps = [after - before for before, after in pairwise(sorted(set(times)))]
    assert moments.active_s(20.0) == round(fsum(gap for gap in gaps if gap <= 20.0), 6)
    assert moments.wall_s() == max(times) - min(times)
