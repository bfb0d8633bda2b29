import math

import pytest

from benchmaker.errors import SpecError
from benchmaker.stats.ratings import State, battles, glicko2
from tests.stats.ratings.drawn import drawn

START = {
    "p": State(1500, 200, 0.06),
    "x": State(1400, 30, 0.06),
    "y": State(1550, 100, 0.06),
    "z": State(1700, 300, 0.06),
}


def test_the_worked_example_of_the_paper():
    """Glickman 2013: 1464.06, 151.52, 0.05999, from figures rounded on the way."""
    got = glicko2(battles(["p"] * 3, ["x", "y", "z"], [1, 0, 0]), [1, 1, 1], start=START)

    assert got.score[0] == pytest.approx(1464.06, abs=0.02)
    assert got.deviation[0] == pytest.approx(151.52, abs=0.01)
    assert got.volatility[0] == pytest.approx(0.05999, abs=0.00001)
    assert got.high[0] - got.score[0] == pytest.approx(1.959964 * got.deviation[0])


def test_who_does_not_play_becomes_less_sure():
    rows = battles(["p", "x", "x"], ["y", "z", "z"], [1, 0, 0])
    got = glicko2(rows, [1, 2, 2], start=START)
    once = glicko2(rows.take(rows.a != rows.names.index("x")), [1], start=START)

    place = rows.names.index("p")
    idle = math.hypot(once.deviation[place], 173.7178 * once.volatility[place])
    assert got.deviation[place] == pytest.approx(idle)
    assert got.score[place] == once.score[place]


def test_a_great_surprise_raises_the_volatility():
    calm = glicko2(battles(["p"], ["x"], [0.5]), [1], start=START)
    rows = battles(["p"] * 8, ["w"] * 8, [0] * 8)
    start = {"p": State(2200, 40, 0.06), "w": State(1000, 40, 0.06)}

    got = glicko2(rows, [1] * 8, start=start, tau=1.2)

    assert got.volatility[0] > 0.061 > calm.volatility[0]


def test_the_order_within_a_period_changes_nothing_and_that_of_periods_does():
    some = drawn(1)
    periods = [i // 100 for i in range(300)]
    turned = type(some)(some.names, some.a[::-1], some.b[::-1], some.outcome[::-1])

    one = glicko2(some, periods)
    same = glicko2(turned, periods[::-1])
    other = glicko2(some, [-p for p in periods])

    assert one.score.tolist() == same.score.tolist()
    assert one.score.tolist() != other.score.tolist()
    assert one.is_order_dependent
    assert one.warnings == ("the order of the periods changes these ratings",)
    assert (one.periods, one.n) == (3, 300)


def test_dates_are_periods_in_their_order():
    rows = battles(["x", "y"], ["y", "x"], [1, 1])

    early = glicko2(rows, ["2026-01-02", "2026-01-10"])
    late = glicko2(rows, ["2026-01-10", "2026-01-02"])

    assert early.score[1] > late.score[1]


@pytest.mark.parametrize("wrong", [{"tau": 0}, {"level": 1}])
def test_arguments_that_cannot_be_used_are_errors(wrong):
    with pytest.raises(SpecError):
        glicko2(drawn(1), [1] * 300, **wrong)
    with pytest.raises(SpecError, match="no weights"):
        glicko2(drawn(1, weighted=True), [1] * 300)
