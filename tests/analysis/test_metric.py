import math

import numpy as np
import pytest

from benchmaker import Case, ScorerSpec, Suite, compare, power, rank, run
from benchmaker.analysis.columns import columns_of
from benchmaker.analysis.metric import by_metric, is_right_or_wrong
from benchmaker.analysis.summary.summary import summarise
from benchmaker.testing import Scripted

NEAR, HIT = "near", "hit"


@pytest.fixture
def graded(tmp_path):
    """One model is near in every case and right in none, the other right in a third and far off."""

    def made(metric="mean"):
        cases = [Case(id=f"c{n}", prompt=f"{n}?", expected=str(1000 + n)) for n in range(12)]
        suite = Suite(
            "s",
            cases,
            profile="robust",
            scorer=ScorerSpec(id="numeric"),
            grades=True,
            metric=metric,
        )
        answers = {}
        for n in range(12):
            answers[NEAR, f"c{n}"] = str(1000 + n + 5)
            answers[HIT, f"c{n}"] = str(1000 + n) if n % 3 == 0 else "5"
        return run(suite, provider=Scripted(answers), home=tmp_path)

    return made


def test_strict_counts_exactly_right_answers_alone(graded):
    columns = columns_of(graded())
    strict = by_metric(columns, "strict")
    assert by_metric(columns, "mean") is columns
    assert set(np.unique(strict.score)) == {0.0, 1.0}
    assert strict.score.sum() == (columns.score == 1).sum()
    assert not is_right_or_wrong(columns)
    assert is_right_or_wrong(strict)


def test_what_is_unscored_stays_unscored(graded):
    columns = columns_of(graded())
    columns.score[0] = math.nan
    assert np.isnan(by_metric(columns, "strict").score[0])


def test_the_metric_orders_a_summary(graded):
    result = graded()
    by_mean, by_strict = (summarise([result], metric=it) for it in ("mean", "strict"))
    assert [model.model for model in by_mean.models] == [NEAR, HIT]
    assert [model.model for model in by_strict.models] == [HIT, NEAR]
    assert by_strict.figure(by_strict.models[0]) == pytest.approx(1 / 3)


def test_comparison_rank_and_plan_take_the_metric(graded):
    result = graded()
    assert compare(result).models[0].model == NEAR
    assert compare(result, metric="strict").models[0].model == HIT
    assert rank(result).models[0].model == NEAR
    assert rank(result, metric="strict").models[0].model == HIT
    assert power(result, n=50) != power(result, n=50, metric="strict")


def test_the_suite_names_the_metric_of_all(graded):
    result = graded("strict")
    assert result.runs[0].metric == "strict"
    assert result.summary.models[0].model == HIT
    assert compare(result).models[0].model == HIT
    assert result.summary.to_dict()["metric"] == "strict"


@pytest.mark.parametrize("metric", ["mean", "strict"])
def test_setups_have_the_strict_figure_beside_the_mean(graded, metric):
    summary = graded(metric).summary
    for model, setup in zip(summary.models, summary.to_dict()["setups"], strict=True):
        assert (setup["mean"], setup["ci95"]) == (model.mean, list(model.ci95))
        strict = {"mean": model.strict_accuracy, "ci95": list(model.strict_ci95), "n": 12}
        assert setup["strict"] == strict


def test_under_strict_the_sd_of_one_run_is_that_of_right_and_wrong(graded):
    by_metric_ = {model.model: model.sd for model in graded("strict").summary.models}
    right = [1.0 if n % 3 == 0 else 0.0 for n in range(12)]
    assert by_metric_[HIT] == pytest.approx(np.std(right, ddof=1))
    assert by_metric_[NEAR] == 0
    made = graded("mean")
    columns = columns_of(made)
    assert made.summary.models[0].sd == pytest.approx(
        np.std(columns.score[columns.rows_of(NEAR)], ddof=1)
    )
