import numpy as np
import pytest

from benchmaker.errors import NotEnoughData
from benchmaker.stats.ratings import SCALE, battles, bradley_terry, influence
from tests.stats.ratings.drawn import drawn


@pytest.mark.parametrize("ties", ["half", "davidson", "rao_kupper"])
def test_one_step_is_close_to_fitting_again_without_the_cluster(ties):
    some = drawn(1, models=4, n=4_000)
    voters = np.arange(4_000) % 200

    got = influence(some, voters.tolist(), ties=ties)
    whole = bradley_terry(some, ties=ties).theta

    for g in (0, 57, 199):
        change = bradley_terry(some.take(voters != g), ties=ties).theta - whole
        place = int(np.abs(change).argmax())
        assert got.model[g] == place
        assert got.shift[g] == pytest.approx(SCALE * np.abs(change).max(), rel=0.05)
        assert got.lead_change[g] == pytest.approx(
            SCALE * (change[0] - change[1]), rel=0.1, abs=0.02
        )


def test_who_votes_against_all_others_stands_out_and_flips():
    some = drawn(2, models=3, n=600, spread=0.05)
    voters = (np.arange(600) % 30).tolist()
    partisan = battles(["m2"] * 100, ["m0", "m1"] * 50, ["a"] * 100, names=["m0", "m1", "m2"])
    joined = type(some)(
        some.names,
        *[np.append(getattr(some, k), getattr(partisan, k)) for k in ("a", "b", "outcome")],
    )

    got = influence(joined, [*voters, *["partisan"] * 100])

    first = got.rows(most=1)[0]
    assert got.leader == "m2"
    assert (first.label, first.n_battles, first.model, first.is_flipping) == (
        "partisan",
        100,
        "m2",
        True,
    )
    assert first.lead_change < 0
    assert sum(got.flips) == 1
    assert got.clusters == 31
    assert len(got.rows()) == 31


def test_broken_input_is_an_error():
    with pytest.raises(NotEnoughData):
        influence(battles(["x"], ["y"], ["tie"]), [1])
