from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from benchmaker.analysis import columns_of
from benchmaker.analysis.trends.trends import trend
from benchmaker.errors import NotComparable, NotEnoughData, SpecError
from benchmaker.record.run import Selection


class Result:
    """What a run's result offers."""

    def __init__(self, runs, trials):
        self.runs = tuple(runs)
        self.trials = trials

    def columns(self):
        return columns_of(self.trials)


@pytest.fixture
def a_result(a_trial, a_run):
    """A run of one day with scores by model."""

    def make(day, scores, *, runs=None, first=0, **more):
        ids = runs or (f"day{day}",)
        trials = [
            a_trial(first + at, score, model=model, run=run)
            for run in ids
            for model, row in scores.items()
            for at, score in enumerate(row)
        ]
        made = [
            a_run(run, models=tuple(scores), started_at=f"2026-01-0{day}T00:00:00Z", **more)
            for run in ids
        ]
        return Result(made, trials)

    return make


GOOD, BAD = [1.0] * 30, [1.0] * 12 + [0.0] * 18


def test_steps_are_mcnemar_tests_adjusted_after_holm(a_result):
    days = [{"m": [1.0] * k + [0.0] * (30 - k)} for k in (10, 18, 17, 30)]
    got = trend([a_result(day, scores) for day, scores in enumerate(days, start=1)])
    raw = []
    for wins, losses in ((8, 0), (0, 1), (13, 0)):
        n = wins + losses
        edge = binomtest(min(wins, losses), n, 0.5).pvalue
        raw.append(edge - 0.5**n)
    (model,) = got.models
    assert [step.p_value for step in model.steps] == pytest.approx(raw)
    assert [step.p_adjusted for step in model.steps] == pytest.approx(
        multipletests(raw, method="holm")[1]
    )
    assert [step.change for step in model.steps] == ["higher", "not_significant", "higher"]
    assert [step.diff for step in model.steps] == pytest.approx([8 / 30, -1 / 30, 13 / 30])


def test_the_points_stand_in_the_order_of_time(a_result):
    got = trend([a_result(2, {"m": BAD}), a_result(1, {"m": GOOD})])
    assert [point.mean for point in got.models[0].points] == pytest.approx([1.0, 0.4])
    assert got.models[0].steps[0].change == "lower"
    assert got.sentence == "1 of 1 step is significant."


def test_an_interval_of_a_step_leaves_out_0_exactly_where_the_step_is_a_change(a_result):
    days = [{"m": [1.0] * k + [0.0] * (30 - k)} for k in (10, 15, 16, 23, 28)]
    got = trend([a_result(day, scores) for day, scores in enumerate(days, start=1)])
    (model,) = got.models
    assert {step.change for step in model.steps} == {"higher", "not_significant"}
    assert any(step.p_value < 0.05 <= step.p_adjusted for step in model.steps)
    for step in model.steps:
        assert (not step.low <= 0.0 <= step.high) == (step.change == "higher")
        assert -1.0 <= step.low <= step.diff <= step.high <= 1.0
    assert got.ci_name == "Holm-adjusted CI"


def test_where_nothing_can_be_tested_there_is_no_verdict(a_result):
    got = trend([a_result(1, {"m": [0.25]}), a_result(2, {"m": [0.75]})])
    (step,) = got.models[0].steps
    assert (step.p_value, step.low, step.change) == (None, None, "not_tested")
    assert step.reason
    assert got.sentence == f"No testable change: {step.reason}."


def test_equal_runs_are_not_tested(a_result):
    got = trend([a_result(day, {"m": BAD}) for day in (1, 2, 3)])
    assert {step.change for step in got.models[0].steps} == {"not_tested"}
    assert all(step.reason for step in got.models[0].steps)
    assert got.sentence == "No change in any case."
    assert "day1 to day2: no change in any case." in got.models[0].sentence(got.models[0].steps[0])


def test_noise_alone_is_rarely_flagged(a_result):
    rng = np.random.default_rng(3)
    flagged = 0
    for _ in range(60):
        p = rng.random(40)
        days = [
            a_result(day, {"m": (rng.random(40) < p).astype(float).tolist()}) for day in range(1, 6)
        ]
        flagged += bool(trend(days).models[0].changes)
    assert flagged <= 7


def test_a_series_is_one_point_with_its_means_over_runs(a_result):
    got = trend([a_result(1, {"m": GOOD}), a_result(2, {"m": BAD}, runs=("s1", "s2"))])
    assert got.models[0].points[1].run_ids == ("s1", "s2")
    assert got.models[0].points[1].mean == pytest.approx(0.4)


def test_a_change_of_the_suite_is_marked_and_not_tested(a_result):
    got = trend([a_result(1, {"m": GOOD}), a_result(2, {"m": BAD}, suite_hash="cd" * 32)])
    (step,) = got.models[0].steps
    assert (step.change, step.reason) == ("not_tested", "the suite changed")
    assert got.models[0].points[1].markers == ("suite abababab to cdcdcdcd",)
    assert got.sentence == "No testable change: the suite changed."


def test_a_new_version_is_compared_over_its_equal_cases_in_any_order(a_result):
    first, second = a_result(1, {"m": GOOD}), a_result(2, {"m": BAD}, suite_hash="cd" * 32)
    equal = {f"c{at}": bytes([at]) for at in range(10, 30)}
    first.case_digests = lambda: equal | {"c0": b"old"}
    second.case_digests = lambda: equal | {"c0": b"new"}
    (step,) = trend([first, second]).models[0].steps
    assert (step.n, step.diff, step.change) == (20, pytest.approx(-0.9), "lower")


def test_an_unfinished_run_hides_no_earlier_one(a_result):
    got = trend([
        a_result(1, {"m": GOOD}),
        a_result(2, {"m": [1.0]}, state="interrupted"),
        a_result(3, {"m": [0.0] * 3}, selection=Selection(failed_of="day1")),
        a_result(4, {"m": BAD}),
    ])  # fmt: skip
    steps = got.models[0].steps
    assert [(step.before, step.after, step.n) for step in steps] == [
        (0, 1, 1), (0, 2, 3), (0, 3, 30),
    ]  # fmt: skip
    assert got.warnings == ("unfinished: day2",)


def test_an_unfinished_series_has_the_id_of_its_row(a_result):
    cut = a_result(2, {"m": BAD}, runs=("r1", "r2"), state="interrupted", series_id="s-2")
    got = trend([a_result(1, {"m": GOOD}), cut])
    assert got.models[0].points[1].name == "s-2"
    assert got.warnings == ("unfinished: s-2",)


def test_a_finished_run_of_the_version_before_stands_before_a_killed_one(a_result):
    equal = {f"c{at}": b"same" for at in range(30)}
    results = [
        a_result(1, {"m": GOOD}),
        a_result(2, {"m": [1.0]}, state="interrupted", suite_hash="cd" * 32),
        a_result(3, {"m": BAD}, suite_hash="cd" * 32),
    ]
    for one in results:
        one.case_digests = lambda: equal
    assert [(step.before, step.n) for step in trend(results).models[0].steps] == [(0, 1), (0, 30)]


def test_a_new_version_of_the_package_is_marked_and_tested(a_result):
    got = trend([
        a_result(1, {"m": GOOD}, package_version="0.1"),
        a_result(2, {"m": BAD}, package_version="0.2", parameters={"temperature": 0}),
    ])  # fmt: skip
    assert got.models[0].points[1].markers == ("Benchmaker 0.1 to 0.2", "other parameters")
    assert got.models[0].steps[0].change == "lower"


def test_only_common_cases_are_compared(a_result):
    got = trend([a_result(1, {"m": GOOD}), a_result(2, {"m": GOOD}, first=10)])
    assert got.models[0].steps[0].n == 20


def test_runs_without_a_common_case_are_not_tested(a_result):
    got = trend([a_result(1, {"m": GOOD}), a_result(2, {"m": GOOD}, first=50)])
    assert got.models[0].steps[0].reason == "no case has scores in both"


def test_a_model_that_pauses_is_compared_with_its_last_run(a_result):
    got = trend([
        a_result(1, {"m": GOOD, "n": GOOD}),
        a_result(2, {"n": GOOD}),
        a_result(3, {"m": BAD, "n": BAD}),
    ])  # fmt: skip
    m = next(model for model in got.models if model.model == "m")
    assert [point.run_ids for point in m.points] == [("day1",), ("day3",)]
    assert len(m.steps) == 1
    assert got.n_steps == 2


def test_all_may_be_compared_with_a_baseline(a_result):
    days = [a_result(1, {"m": GOOD}), a_result(2, {"m": BAD}), a_result(3, {"m": BAD})]
    got = trend(days, baseline="day1")
    assert [(step.before, step.after) for step in got.models[0].steps] == [(0, 1), (0, 2)]
    assert [step.change for step in got.models[0].steps] == ["lower", "lower"]
    assert got.baseline == ("day1",)


def test_models_can_be_chosen(a_result):
    days = [a_result(day, {"m": GOOD, "n": BAD}) for day in (1, 2)]
    assert [model.model for model in trend(days, models=["n"]).models] == ["n"]
    with pytest.raises(SpecError, match="No model 'x'"):
        trend(days, models=["x"])


@pytest.mark.parametrize("days", [(), (1,)])
def test_a_trend_takes_two_runs(a_result, days):
    with pytest.raises(NotEnoughData, match="2 runs"):
        trend([a_result(day, {"m": GOOD}) for day in days])


def test_runs_of_two_suites_are_refused(a_result):
    with pytest.raises(NotComparable, match="capitals, rivers"):
        trend([a_result(1, {"m": GOOD}), a_result(2, {"m": GOOD}, suite_name="rivers")])


def test_an_unknown_baseline_is_refused(a_result):
    with pytest.raises(SpecError, match="baseline 'x'"):
        trend([a_result(day, {"m": GOOD}) for day in (1, 2)], baseline="x")


def test_the_json_tells_each_step_in_words(a_result):
    told = trend([a_result(1, {"m": GOOD}), a_result(2, {"m": BAD})]).to_dict()
    (step,) = told["models"][0]["steps"]
    assert step["sentence"].startswith("m, day1 to day2: 60.0 points lower (adjusted p < 0.001)")


def test_equal_means_of_unequal_answers_are_called_equal(a_result):
    told = trend([a_result(1, {"m": BAD}), a_result(2, {"m": BAD[::-1]})]).to_dict()
    (step,) = told["models"][0]["steps"]
    assert (
        step["sentence"]
        == "m, day1 to day2: no significant change, equal accuracies (adjusted p = 1.000)."
    )


def test_what_is_no_list_of_results_is_refused_in_words(a_result):
    one = a_result(1, {"m": [1.0, 0.0]})
    for source in ("latest", one, ["latest"]):
        with pytest.raises(SpecError, match="trend needs the results of several runs"):
            trend(source)


VERSIONS = [("v1", "1"), ("v2", "1"), ("v1", "2")]


def test_a_copy_of_another_version_between_two_runs_keeps_nothing_from_being_tested(a_result):
    first, last = a_result(1, {"m": GOOD}), a_result(3, {"m": BAD})
    again = a_result(2, {"m": GOOD}, suite_hash="v2", rescored_from="day1")
    (model,) = trend([first, again, last]).models
    assert [(step.before, step.after) for step in model.steps] == [(0, 1), (0, 2)]
    assert [step.change for step in model.steps] == ["not_tested", "lower"]
    assert model.steps[1] == replace(trend([first, last]).models[0].steps[0], after=2)
    assert model.points[2].markers == ()


@given(given_versions=st.lists(st.sampled_from(VERSIONS), min_size=2, max_size=6))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_points_of_one_version_are_tested_as_they_are_alone(a_result, given_versions):
    days = [
        a_result(day, {"m": [1.0] * (5 * day % 11) + [0.0] * (11 - 5 * day % 11)},
                 suite_hash=suite, profile_version=profile)
        for day, (suite, profile) in enumerate(given_versions, start=1)
    ]  # fmt: skip
    tested = {}
    for step in trend(days).models[0].steps:
        if step.change != "not_tested":
            tested[step.before, step.after] = step.p_value
    for version in set(given_versions):
        places = [at for at, one in enumerate(given_versions) if one == version]
        if len(places) > 1:
            for step in trend([days[at] for at in places]).models[0].steps:
                if step.p_value is not None:
                    found = tested.pop((places[step.before], places[step.after]))
                    assert found == pytest.approx(step.p_value)
    assert not tested
