import numpy as np
import pytest

from benchmaker.analysis import aggregate_scores, columns_of, compare, power, rank
from benchmaker.errors import NotComparable, SpecError
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Case, Suite


class Result:
    def __init__(self, columns):
        self._columns = columns

    def columns(self):
        return self._columns


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("latest", "'latest' is a string, not a result"),
        (["r1", "r2"], "'r1' is a string, not a result"),
        ({"m": 1.0}, "has no scores"),
        (5, "5 has no scores"),
        ([5], "5 has no scores"),
    ],
)
@pytest.mark.parametrize("analysis", [aggregate_scores, compare, power, rank])
def test_what_holds_no_scores_is_refused_by_every_analysis(source, said, analysis):
    with pytest.raises(SpecError, match=said):
        analysis(source)


def test_the_name_of_a_run_is_refused_with_the_call_that_reads_it():
    with pytest.raises(SpecError, match=r"benchmaker\.results\('latest'\)"):
        compare("latest")


def test_trials_become_one_row_each(a_trial):
    columns = columns_of(
        [
            a_trial(0, 0.5, model="b", weight=2.0, tokens=(7, 3), cost_usd=0.25, latency_s=1.5),
            a_trial(1, None, model="a", group="g", flags=("late",), score_flags=("auto_pass",)),
        ]
    )
    assert columns.models == ("b", "a")
    assert columns.case_ids == {0: "c0", 1: "c1"}
    assert columns.score[0] == 0.5
    assert np.isnan(columns.score[1])
    assert np.isnan(columns.cost_usd[1])
    assert (columns.weight[0], columns.cost_usd[0], columns.latency_s[0]) == (2.0, 0.25, 1.5)
    assert (columns.input_tokens[0], columns.output_tokens[0]) == (7, 3)
    assert columns.group.tolist() == [-1, 0]
    assert columns.flag_counts(columns.rows_of("a")) == {"late": 1}
    assert columns.flag_counts(columns.rows_of("b")) == {}


def test_no_trials_are_no_rows():
    assert len(columns_of([])) == 0


def test_columns_and_results_are_taken_as_they_are(a_trial):
    columns = columns_of([a_trial()])
    assert columns_of(columns) is columns
    assert columns_of(Result(columns)) is columns


def test_several_results_are_joined_by_name(a_trial):
    one = columns_of([a_trial(0, 1.0, model="a"), a_trial(1, 0.0, model="b")])
    two = columns_of([a_trial(0, 0.5, model="b", run="r2", flags=("late",))])
    both = columns_of([Result(one), two])
    assert isinstance(both, ScoreColumns)
    assert both.run_ids == ("r1", "r2")
    assert [both.models[code] for code in both.model] == ["a", "b", "b"]
    assert both.run.tolist() == [0, 0, 1]
    assert both.flag_counts(both.run == 1) == {"late": 1}
    assert both.flag_counts(both.run == 0) == {}


def test_groups_of_joined_results_are_told_apart_by_their_cases(a_trial):
    one = columns_of([a_trial(0, group="x"), a_trial(1, group="y")])
    two = columns_of(
        [a_trial(1, group="y", run="r2"), a_trial(2, group="z", run="r2"), a_trial(3, run="r2")]
    )
    assert columns_of([one, two]).group.tolist() == [0, 1, 1, 2, -1]


def test_results_of_different_suites_are_not_joined(a_trial):
    one, two = columns_of([a_trial(0)]), columns_of([a_trial(0, case_id="other", run="r2")])
    with pytest.raises(NotComparable, match="Place 1 is case 'c0' in one run and 'other'"):
        columns_of([one, two])


@pytest.mark.parametrize(
    "cases",
    [
        {"c0": 3.0, "unknown": 1.0},
        [Case(id="c0", prompt="?", weight=3.0)],
        Suite(name="s", cases=(Case(id="c0", prompt="?", weight=3.0),)),
    ],
)
def test_given_cases_choose_rows_and_weights(a_trial, cases):
    chosen = columns_of([a_trial(0, 0.25), a_trial(1, 1.0)], cases)
    assert chosen.score.tolist() == [0.25]
    assert chosen.weight.tolist() == [3.0]
    assert chosen.case_ids == {0: "c0"}


def test_cases_of_another_suite_are_refused(a_trial):
    with pytest.raises(SpecError, match="None of these cases"):
        columns_of([a_trial(0)], {"other": 1.0})


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_cannot_be_used_is_refused_by_its_case(a_trial, weight):
    with pytest.raises(SpecError, match="case 'c0'"):
        columns_of([a_trial(0)], {"c0": weight})
