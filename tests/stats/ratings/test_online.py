import numpy as np
import pytest

from benchmaker.errors import SpecError
from benchmaker.stats.ratings import battles, elo
from tests.stats.ratings.drawn import drawn


def test_a_win_between_equals_moves_both_by_half_of_k():
    got = elo(battles(["x"], ["y"], ["a"]), k=32)

    assert got.score.tolist() == [1016, 984]


def test_odds_of_ten_to_one_are_400_points():
    some = battles(["x", "x"], ["y", "y"], ["a", "a"])
    first = elo(some.take(np.array([True, False])), k=400).score

    got = elo(some, k=400)

    assert got.score[0] - first[0] == pytest.approx(400 * (1 - 10 / 11))


def test_points_are_neither_made_nor_lost():
    assert elo(drawn(1, weighted=True), k=30).score.mean() == pytest.approx(1000)


def test_the_order_matters_and_that_is_said():
    some = drawn(1)
    turned = type(some)(some.names, some.a[::-1], some.b[::-1], some.outcome[::-1])

    assert elo(some).score.tolist() != elo(turned).score.tolist()
    assert elo(some).is_order_dependent
    assert elo(some).warnings == ("the order of the battles changes these ratings",)


def test_a_weight_of_zero_moves_nobody():
    got = elo(battles(["x", "x"], ["y", "y"], ["a", "b"], weight=[0, 0.5]), k=4)

    assert got.score.tolist() == [999, 1001]
    assert got.n == 1


def test_far_apart_models_do_not_overflow():
    assert np.isfinite(elo(battles(["x", "y"], ["y", "x"], ["a", "a"]), k=1e6).score).all()


@pytest.mark.parametrize("wrong", [{"k": 0}, {"scale": -1}, {"initial": float("nan")}])
def test_arguments_that_cannot_be_used_are_errors(wrong):
    with pytest.raises(SpecError):
        elo(drawn(1), **wrong)
