"""Moments of logs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.record.timestamps import optional_timestamp


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-10T21:11:52.438Z",
        "2026-02-10T22:11:52.438+01:00",
        "2026-02-10 21:11:52.438",
        1770757912.438,
        "1770757912.438",
        1770757912438,
        "1770757912438",
        1770757912438000,
        1770757912438000000,
    ],
)
def test_every_way_to_tell_a_moment_gives_the_same(value):
    assert seconds(value) == pytest.approx(1770757912.438, abs=1e-5)


@pytest.mark.parametrize(
    "value",
    [None, True, "", "soon", 0, -5, math.nan, math.inf, 1e30, "1e400", [], {}, "10000-01-01"],
)
def test_what_is_no_moment_is_none(value):
    assert seconds(value) is None


@given(st.floats(1e9, 4e9))
def test_a_moment_comes_back_to_the_millisecond(at):
    assert seconds(optional_timestamp(at)) == pytest.approx(at, abs=0.001)


@given(st.text() | st.floats() | st.integers())
def test_nothing_raises(value):
    seconds(value)
