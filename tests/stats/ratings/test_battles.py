import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import AnalysisError, NotEnoughData, SpecError
from benchmaker.stats.ratings import battles, counts
from tests.stats.ratings.drawn import ROWS, columns, drawn


def slow(rows, weights):
    """The table, one battle at a time."""
    names = sorted({name for a, b, _ in rows for name in (a, b)})
    win, tie = {}, {}
    for (a, b, outcome), w in zip(rows, weights, strict=True):
        if outcome == "tie":
            for pair in ((a, b), (b, a)):
                tie[pair] = tie.get(pair, 0) + w
        else:
            pair = (a, b) if outcome == "a" else (b, a)
            win[pair] = win.get(pair, 0) + w

    def table(cells):
        return [[cells.get((i, j), 0) for j in names] for i in names]

    return table(win), table(tie)


@given(ROWS)
def test_counts_are_those_of_the_slow_road(rows):
    got = counts(*columns(rows))

    win, tie = slow(rows, [1] * len(rows))
    assert got.win.tolist() == win
    assert got.tie.tolist() == tie
    assert got.n == len(rows)
    assert got.n_eff == pytest.approx(len(rows))


@given(ROWS, st.randoms(use_true_random=False))
def test_order_and_sides_change_no_digit(rows, random):
    weights = [random.uniform(0.1, 3) for _ in rows]
    order = random.sample(range(len(rows)), len(rows))
    other = {"a": "b", "b": "a", "tie": "tie"}
    turned = [(rows[i][1], rows[i][0], other[rows[i][2]]) for i in order]

    one = counts(*columns(rows), weight=weights)
    two = counts(*columns(turned), weight=[weights[i] for i in order])

    assert one.win.tolist() == two.win.tolist()
    assert one.tie.tolist() == two.tie.tolist()
    assert one.win_squares.tolist() == two.win_squares.tolist()


@given(ROWS)
def test_whole_weights_count_as_repeats(rows):
    weights = [1 + i % 3 for i in range(len(rows))]
    repeated = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]

    assert counts(*columns(rows), weight=weights).win.tolist() == (
        counts(*columns(repeated)).win.tolist()
    )


def test_each_model_has_its_effective_battles():
    got = counts(["x", "x", "y"], ["y", "z", "z"], ["a", "tie", "b"], weight=[1, 3, 1])

    assert got.effective_battles.tolist() == pytest.approx([16 / 10, 4 / 2, 16 / 10])
    assert got.n_eff == pytest.approx(25 / 11)
    assert got.n_battles.tolist() == [2, 2, 2]


def test_numbers_texts_and_arrays_say_the_same():
    a, b = ["x", "x", "y"], ["y", "y", "x"]
    words = battles(a, b, ["a", "tie", "b"]).outcome.tolist()

    assert words == [2, 1, 0]
    assert battles(a, b, [1, 0.5, 0]).outcome.tolist() == words
    assert battles(np.array(a), np.array(b), np.array([1.0, 0.5, 0.0])).outcome.tolist() == words
    assert battles(a, b, [True, 0.5, False]).outcome.tolist() == words


def test_other_labels_are_translated_when_named():
    got = battles(
        ["x", "x"], ["y", "y"], ["left", "both bad"], labels={"left": "a", "both bad": "tie"}
    )

    assert got.outcome.tolist() == [2, 1]


@pytest.mark.parametrize("outcome", ["lft", None, float("nan"), 0.4, "A", ""])
def test_an_unknown_outcome_is_an_error_with_its_rows_and_never_a_tie(outcome):
    with pytest.raises(AnalysisError, match=r"An outcome can't be read, first .*: rows 2, 4\."):
        battles(["x"] * 4, ["y"] * 4, ["a", outcome, "tie", outcome])


def test_many_bad_rows_are_counted_and_the_first_named():
    with pytest.raises(AnalysisError, match="rows 1, 2, 3, 4, 5 and 7 more"):
        battles(["x"] * 12, ["y"] * 12, ["?"] * 12)


@pytest.mark.parametrize("outcome", [["a", ["b"]], ["a", {}]])
def test_an_outcome_that_is_no_label_is_an_error(outcome):
    with pytest.raises(AnalysisError, match="An outcome can't be read"):
        battles(["x", "x"], ["y", "y"], outcome)


def test_a_model_against_itself_is_an_error_with_its_rows():
    with pytest.raises(AnalysisError, match=r"A model is set against itself, first 'y': row 2"):
        battles(["x", "y"], ["y", "y"], ["a", "a"])


@pytest.mark.parametrize("name", [None, float("nan"), "", "  ", 3])
def test_what_is_no_name_is_an_error_with_its_rows(name):
    with pytest.raises(AnalysisError, match=r"is no model's name: rows 2, 3\."):
        battles(["x", name, "y"], ["y", "x", name], ["a", "a", "a"])


def test_a_model_outside_the_given_names_is_an_error():
    with pytest.raises(AnalysisError, match="'z' is not among the names given: row 2"):
        battles(["x", "z"], ["y", "x"], ["a", "a"], names=["x", "y"])


def test_names_given_without_battles_keep_their_place():
    assert counts(["x"], ["y"], ["a"], names=["y", "w", "x"]).names == ("w", "x", "y")


def test_too_many_names_are_an_error_before_the_table_is_made():
    a = [f"text {i}" for i in range(5_001)]
    with pytest.raises(AnalysisError, match="at most 5,000"):
        battles(a, ["y"] * len(a), ["a"] * len(a))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_an_error_with_its_row(weight):
    with pytest.raises(AnalysisError, match=r"A weight is negative or not finite, first .*: row 2"):
        battles(["x", "x"], ["y", "y"], ["a", "b"], weight=[1.0, weight])


def test_weights_that_are_all_zero_are_not_enough():
    with pytest.raises(NotEnoughData, match="positive weight"):
        battles(["x"], ["y"], ["a"], weight=[0.0])


def test_a_battle_of_weight_zero_counts_in_nothing():
    got = counts(["x", "x"], ["y", "y"], ["a", "b"], weight=[2.0, 0.0])

    assert (got.n, got.win.sum(), got.n_battles.tolist()) == (1, 2.0, [1, 1])


def test_no_battle_is_not_enough():
    with pytest.raises(NotEnoughData, match="no battle"):
        battles([], [], [])


def test_columns_of_different_lengths_are_an_error():
    with pytest.raises(SpecError, match="have 2, 2 and 1 rows"):
        battles(["x", "x"], ["y", "y"], ["a"])
    with pytest.raises(SpecError, match="weights of shape"):
        battles(["x", "x"], ["y", "y"], ["a", "b"], weight=[1.0])


def test_a_label_that_means_nothing_known_is_an_error():
    with pytest.raises(SpecError, match="say a, b or tie"):
        battles(["x"], ["y"], ["left"], labels={"left": "model_a"})


@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_battles_give_each_frequent_pair_the_same_weight(weighted):
    given = drawn(3, models=3, n=500, weighted=weighted)
    given = given.take((given.a + given.b != 1) | (np.arange(500) % 4 == 0))
    number = given.counts().met

    got = given.balance_pairs(floor=1)

    assert got.weight.sum() == pytest.approx(
        given.counts().win.sum() + given.counts().tie.sum() / 2
    )
    if not weighted:
        table = got.counts()
        pair = table.win + table.win.T + table.tie
        assert pair[np.triu_indices(3, 1)] == pytest.approx(pair[0, 1])
        assert number.min(initial=9_999, where=number > 0) < number.max() / 2
        assert table.n_eff < table.n


def test_huge_and_tiny_weights_are_brought_into_range():
    for size in (1e200, 1e-200):
        assert counts(["x"], ["y"], ["a"], weight=[size]).n_eff == 1.0


@pytest.mark.parametrize("models", [2, 256, 257, 300])
def test_any_number_of_names_is_coded(models):
    names = [f"m{i:03d}" for i in range(models)]
    some = battles(names, names[1:] + names[:1], ["a"] * models)

    assert [some.names[i] for i in some.a] == names
    assert some.counts().n_battles.tolist() == [2] * models


def test_long_columns_are_read_in_stretches():
    n = 70_001
    a = [("x", "y")[i % 2] for i in range(n)]
    b = [("z", "w")[i % 3 % 2] for i in range(n)]
    outcome = [("a", "tie", "b")[i % 5 % 3] for i in range(n)]

    got = counts(a, b, outcome)

    win, tie = slow(list(zip(a, b, outcome, strict=True)), [1] * n)
    assert (got.win.tolist(), got.tie.tolist()) == (win, tie)


@given(ROWS)
def test_polars_columns_count_as_lists_do(rows):
    lists = columns(rows)

    one, two = counts(*lists), counts(*map(pl.Series, lists))

    assert one.names == two.names
    assert one.n == two.n
    for field in ("win", "tie", "win_squares", "tie_squares", "met"):
        assert getattr(one, field).tolist() == getattr(two, field).tolist()


def test_what_is_wrong_with_polars_columns_is_said_by_its_rows():
    a, b = pl.Series(["x", "x", "x", "y"]), pl.Series(["y", "y", "y", "y"])
    won = pl.Series(["a"] * 4)

    with pytest.raises(AnalysisError, match=r"against itself.*row 4"):
        counts(a, b, won)
    with pytest.raises(AnalysisError, match=r"rows 2, 3"):
        counts(a[:3], b[:3], pl.Series(["a", None, "?"]))
    with pytest.raises(SpecError, match="4, 3 and 4 rows"):
        counts(a, b[:3], won)
