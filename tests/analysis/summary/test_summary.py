import json
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis import (
    aggregate_scores,
    compare,
    detailed_aggregate_scores,
    multi_run_stats,
    summarise,
)
from benchmaker.errors import NotComparable
from benchmaker.record import MODEL_STOPPED, Outcome, RunState
from benchmaker.stats import bounded_mean, weighted_mean
from benchmaker.stats.means.bounded import within_scale

Z = 1.959963984540054


def wilson(p, n):
    """Wilson (1927), both ends."""
    middle, half = p + Z**2 / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return [(middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)]


def only(summary):
    (model,) = summary.models
    return model


def test_a_single_run_is_read_over_its_cases(a_trial, a_run):
    trials = [a_trial(0, 1.0), a_trial(1, 0.5), a_trial(2, 0.0)]
    summary = summarise(trials, [a_run(planned=3)])
    model, detail = only(summary), detailed_aggregate_scores(trials)["m"]
    assert (model.mean, model.sd) == (0.5, detail.std_dev)
    # Wilson's on 3 · (3/4 + 1/2)/(1/2 + 1/2) observations, by hand
    assert model.ci95 == pytest.approx(wilson(0.5, 3.75), abs=1e-12)
    assert (model.sd_over, model.runs, summary.mean_of) == ("cases", None, "cases")
    assert (model.strict_accuracy, model.n_strict, model.n_scored) == (1 / 3, 1, 3)
    assert (model.n_trials, model.n_planned) == (3, 3)


def test_a_series_keeps_uncertainty_over_cases_apart_from_noise_over_runs(a_trial, a_run):
    trials = [
        a_trial(at, s, run=r)
        for r, scores in (("r1", (1.0, 0.0, 0.0)), ("r2", (1.0, 0.5, 0.0)))
        for at, s in enumerate(scores)
    ]
    summary = summarise(trials, [a_run("r1", series_id="s"), a_run("r2", series_id="s", number=2)])
    model, repeat = only(summary), multi_run_stats(trials)["m"]
    assert model.mean == pytest.approx(repeat.mean)
    assert model.ci95 == bounded_mean([1.0, 0.25, 0.0]).interval
    assert (model.sd, model.sd_over) == (repeat.std_dev, "runs")
    assert model.runs.scores == repeat.scores
    assert model.runs.ci95 == within_scale(weighted_mean(repeat.scores)).interval
    assert repeat.confidence95[0] < 0 < model.runs.ci95[0]
    assert model.ci95[1] - model.ci95[0] > repeat.std_dev
    assert summary.mean_of == "case means over 2 runs"


@pytest.mark.parametrize("metric", ["mean", "strict"])
def test_the_spread_over_runs_is_that_of_the_metric(metric, a_trial):
    """By a loop over runs; weights 1 and 2, and grades of which few are 1."""
    grades = {"r1": (1.0, 0.9, 0.0, 1.0), "r2": (1.0, 0.5, 1.0, 0.2), "r3": (0.9, 0.9, 0.1, 0.0)}
    weights = (1.0, 2.0, 1.0, 2.0)
    trials = [
        a_trial(at, score, run=run, weight=weights[at])
        for run, scores in grades.items()
        for at, score in enumerate(scores)
    ]
    want = [
        sum(w * (s if metric == "mean" else s == 1) for w, s in zip(weights, scores, strict=True))
        / 6
        for scores in grades.values()
    ]

    summary = summarise(trials, metric=metric)

    model = only(summary)
    assert model.runs.metric == metric
    assert model.runs.scores == pytest.approx(tuple(want))
    assert model.runs.common_mean == pytest.approx(summary.figure(model))
    assert model.sd == model.runs.sd == pytest.approx(statistics.stdev(want))
    for run, figure in zip(grades, model.runs.scores, strict=True):
        alone = summarise([it for it in trials if it.run_id == run], metric=metric)
        assert alone.figure(only(alone)) == pytest.approx(figure)


def test_the_json_of_a_single_run_names_the_run(a_trial, a_run):
    data = summarise([a_trial(0, 1.0)], [a_run()]).to_dict()
    assert (data["run_id"], data["series_id"], data["run_ids"]) == ("r1", None, ["r1"])
    assert (data["scale"], data["suite"], data["profile"]) == ("0-1", "capitals", "robust")
    json.dumps(data, allow_nan=False)


def test_the_json_of_a_series_names_its_runs(a_trial, a_run):
    runs = [a_run("r1", series_id="s"), a_run("r2", series_id="s", number=2)]
    data = summarise([a_trial(0, 1.0), a_trial(0, 0.0, run="r2")], runs).to_dict()
    assert (data["run_id"], data["series_id"], data["run_ids"]) == (None, "s", ["r1", "r2"])
    (model,) = data["models"]
    assert model["runs"]["scores"] == [1.0, 0.0]
    assert (model["ci95"], model["ci95_over"]) == (list(bounded_mean([0.5]).interval), "cases")
    assert (model["ci95_reason"], model["runs"]["partial"]) == (None, [])


def test_the_published_fields_are_there(a_trial):
    (model,) = summarise([a_trial(0, 1.0), a_trial(1, 0.0)]).to_dict()["models"]
    published = {"model", "mean", "strict_accuracy", "sd", "ci95", "n_scored", "outcomes"}
    assert published | {"cost_usd", "median_latency_s", "auto_pass", "flags"} <= model.keys()
    low, high = model["ci95"]
    assert 0 < low < 0.5 < high < 1


def test_models_stand_by_mean_then_by_name_and_those_without_a_mean_last(a_trial, a_run):
    trials = [
        a_trial(0, 0.5, model="b"),
        a_trial(0, 0.5, model="a"),
        a_trial(0, 1.0, model="c"),
        a_trial(0, None, model="mute"),
    ]
    summary = summarise(trials, [a_run(models=("a", "b", "c", "mute", "absent"))])
    assert [model.model for model in summary.models] == ["c", "a", "b", "absent", "mute"]
    assert summary.models[-2].n_trials == 0
    assert summary.models[-1].ci95_reason == "no scores"


def test_outcomes_are_counted_apart_and_those_of_zero_are_omitted(a_trial):
    trials = [
        a_trial(0, None, outcome=Outcome.TIMEOUT),
        a_trial(1, None, outcome=Outcome.TIMEOUT),
        a_trial(2, 0.0, outcome=Outcome.EMPTY),
    ]
    model = only(summarise(trials))
    assert model.outcomes == {"empty": 1, "timeout": 2}
    assert model.n_scored == 1


def test_an_unknown_cost_is_not_zero(a_trial):
    model = only(summarise([a_trial(0, 1.0)]))
    assert (model.cost_usd, model.cost_usd_at_least, model.cost_known_trials) == (None, None, 0)


def test_a_partly_known_cost_is_a_lower_bound_by_name(a_trial):
    model = only(summarise([a_trial(0, 1.0, cost_usd=0.5), a_trial(1, 1.0)]))
    assert (model.cost_usd, model.cost_usd_at_least, model.cost_known_trials) == (None, 0.5, 1)


def test_known_costs_tokens_and_latencies_are_added_up(a_trial):
    trials = [
        a_trial(at, 1.0, cost_usd=0.25, tokens=(10, 2), latency_s=float(at)) for at in range(3)
    ]
    model = only(summarise(trials))
    assert (model.cost_usd, model.cost_usd_at_least) == (0.75, None)
    assert (model.input_tokens, model.output_tokens, model.median_latency_s) == (30, 6, 1.0)


def test_flags_are_counted_per_model(a_trial):
    trials = [
        a_trial(0, 1.0, score_flags=("auto_pass",)),
        a_trial(1, 1.0, score_flags=("auto_pass",), flags=("late",)),
        a_trial(0, 1.0, model="other"),
    ]
    by_name = {model.model: model for model in summarise(trials).models}
    assert by_name["m"].flags == {"auto_pass": 2, "late": 1}
    assert (by_name["m"].auto_pass, by_name["other"].auto_pass) == (2, 0)


def test_fewer_than_five_scored_cases_are_provisional(a_trial):
    assert only(summarise([a_trial(at) for at in range(4)])).is_provisional
    assert not only(summarise([a_trial(at) for at in range(5)])).is_provisional


def test_an_unfinished_run_is_told(a_trial, a_run):
    assert not summarise([a_trial()], [a_run(state=RunState.INTERRUPTED)]).is_complete


def test_planned_trials_are_shared_among_the_models_and_summed_over_runs(a_trial, a_run):
    runs = [a_run(f"r{n}", models=("m", "o"), planned=20) for n in (1, 2)]
    assert [model.n_planned for model in summarise([a_trial()], runs).models] == [20, 20]


@pytest.mark.parametrize("other", [{"suite_hash": "cd" * 32}, {"profile": "classic"}])
def test_runs_of_different_suites_or_profiles_are_not_summarised_together(a_trial, a_run, other):
    with pytest.raises(NotComparable, match="2 different versions"):
        summarise([a_trial()], [a_run("r1"), a_run("r2", **other)])


def test_the_order_of_the_trials_changes_no_digit(a_trial):
    trials = [a_trial(at, s / 7, run=r) for r in ("r1", "r2", "r3") for at, s in enumerate([3, 5])]
    one, two = summarise(trials), summarise(sorted(trials, key=lambda trial: -trial.position))
    assert one == two


def test_weights_that_differ_and_weights_of_zero_are_told(a_trial):
    summary = summarise([a_trial(0, weight=2.0), a_trial(1), a_trial(2, weight=0.0)])
    assert (summary.weighted, summary.zero_weight_cases) == (True, 1)


def test_scores_of_0_and_1_have_wilsons_interval(a_trial):
    model = only(summarise([a_trial(at, float(at < 3)) for at in range(10)]))
    assert model.ci95 == pytest.approx(wilson(0.3, 10), abs=1e-12)
    assert model.strict_ci95 == model.ci95
    assert model.ci95_method == "mean, Wilson"


def test_equal_scores_have_an_interval(a_trial):
    model = only(summarise([a_trial(at) for at in range(20)]))
    assert model.ci95 == pytest.approx(wilson(1.0, 20), abs=1e-12)
    assert model.sd == 0.0


def test_cases_that_share_a_group_are_one_cluster(a_trial):
    scores = [1.0, 0.9, 0.2, 0.0, 1.0, 0.5]
    groups = ["a", "a", "b", "b", None, None]
    trials = [a_trial(at, s, group=groups[at]) for at, s in enumerate(scores)]
    model = only(summarise(trials))
    alike = bounded_mean(scores, clusters=["a", "a", "b", "b", "c", "d"])
    assert (model.mean, model.ci95, model.ci95_method) == (
        alike.mean, alike.interval, alike.method,
    )  # fmt: skip
    assert "clustered" in model.ci95_method


def test_groups_of_one_case_each_are_no_clusters(a_trial):
    trials = [a_trial(at, at / 5, group=f"g{at}") for at in range(6)]
    assert only(summarise(trials)).ci95_method == "mean, variance-matched Wilson"


def test_cases_of_one_group_alone_have_no_interval(a_trial):
    model = only(summarise([a_trial(at, at / 5, group="g") for at in range(6)]))
    assert (model.ci95, model.ci95_method) == (None, "")
    assert model.ci95_reason == "1 group of cases, at least 2 are needed"


def test_the_json_names_every_method_that_was_used(a_trial):
    trials = [a_trial(at, at / 5) for at in range(6)]
    data = summarise(trials).to_dict()
    assert data["method"] == "mean, Wilson; mean, variance-matched Wilson"
    (model,) = data["models"]
    assert model["ci95_method"] == "mean, variance-matched Wilson"
    assert model["strict_ci95_method"] == "mean, Wilson"


def test_without_any_interval_there_is_no_method(a_trial):
    data = summarise([a_trial(0, None)]).to_dict()
    assert (data["method"], data["models"][0]["ci95_method"]) == (None, None)


SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=30)


@given(SCORES, st.sampled_from([1, 3]), st.sampled_from([None, "g"]))
def test_intervals_stay_between_0_and_1_and_agree_with_the_comparison(a_trial, scores, runs, kind):
    trials = [
        a_trial(at, score / run, model=model, run=f"r{run}", group=kind and f"g{at % 5}")
        for model in ("m", "n")
        for at, score in enumerate(scores)
        for run in range(1, runs + 1)
    ]
    mine, theirs = summarise(trials).models[0], compare(trials).models[0]
    assert (mine.mean, *mine.ci95) == (theirs.mean, theirs.low, theirs.high)
    assert mine.mean == aggregate_scores(trials)["m"]
    assert 0 <= mine.ci95[0] <= mine.mean <= mine.ci95[1] <= 1


def a_series(a_trial, a_run, *, third, state=RunState.INTERRUPTED, models=("m",)):
    """Two whole runs of four cases and the third as it is given."""
    trials = [
        a_trial(at, (at + n) % 3 / 2, run=f"r{n}", model=model)
        for model in models
        for n in (1, 2)
        for at in range(4)
    ]
    runs = [
        a_run(f"r{n}", series_id="s", number=n, models=models, planned=4 * len(models))
        for n in (1, 2)
    ]
    last = a_run("r3", series_id="s", number=3, models=models, planned=4 * len(models), state=state)
    return [*trials, *third], [*runs, last]


def test_a_partial_run_is_left_out_of_the_spread_over_runs(a_trial, a_run):
    trials, runs = a_series(a_trial, a_run, third=[a_trial(0, 1.0, run="r3")])
    spread = only(summarise(trials, runs)).runs
    alone = multi_run_stats(trials[:-1])["m"]
    assert (spread.run_ids, spread.partial) == (("r1", "r2"), ("r3",))
    assert spread.sd == alone.std_dev
    assert spread.ci95 == within_scale(weighted_mean(alone.scores)).interval


def test_each_run_has_its_own_mean_and_the_spread_is_over_the_common_cases(a_trial, a_run):
    third = [a_trial(at, 1.0, run="r3") for at in range(3)] + [a_trial(3, None, run="r3")]
    trials, runs = a_series(a_trial, a_run, third=third, state=RunState.FINISHED)
    spread = only(summarise(trials, runs)).runs
    alone = [only(summarise([it for it in trials if it.run_id == run.id])).mean for run in runs]
    common = multi_run_stats(trials)["m"]
    assert list(spread.scores) == alone
    assert spread.common_scores == common.scores != spread.scores
    assert (spread.sd, spread.common_mean) == (common.std_dev, common.mean)
    assert spread.ci95 == within_scale(weighted_mean(common.scores)).interval


def test_the_mean_counts_what_the_partial_run_has(a_trial, a_run):
    trials, runs = a_series(a_trial, a_run, third=[a_trial(0, 1.0, run="r3")])
    assert only(summarise(trials, runs)).mean == aggregate_scores(trials)["m"]


def test_of_a_run_under_way_a_model_counts_that_has_all_its_trials(a_trial, a_run):
    third = [a_trial(at, 1.0, run="r3") for at in range(4)]
    third += [a_trial(0, 1.0, run="r3", model="n")]
    trials, runs = a_series(a_trial, a_run, third=third, models=("m", "n"))
    spreads = {model.model: model.runs for model in summarise(trials, runs).models}
    assert (len(spreads["m"].scores), spreads["m"].partial) == (3, ())
    assert (len(spreads["n"].scores), spreads["n"].partial) == (2, ("r3",))


def test_a_finished_run_counts_though_trials_have_no_score(a_trial, a_run):
    third = [a_trial(at, 1.0, run="r3") for at in range(3)] + [a_trial(3, None, run="r3")]
    trials, runs = a_series(a_trial, a_run, third=third, state=RunState.FINISHED)
    spread = only(summarise(trials, runs)).runs
    assert (len(spread.scores), spread.n_cases, spread.partial) == (3, 3, ())


def test_a_finished_run_with_few_scores_is_left_out_of_the_spread(a_trial, a_run):
    third = [a_trial(0, 1.0, run="r3"), a_trial(1, None, run="r3")]
    trials, runs = a_series(a_trial, a_run, third=third, state=RunState.FINISHED)
    spread = only(summarise(trials, runs)).runs
    assert (len(spread.scores), spread.n_cases, spread.partial) == (2, 4, ("r3",))


def test_a_finished_run_in_which_the_model_was_stopped_is_no_part_of_its_spread(a_trial, a_run):
    lost = a_trial(1, None, run="r3", outcome=Outcome.PROVIDER_ERROR, flags=(MODEL_STOPPED,))
    trials, runs = a_series(a_trial, a_run, third=[lost], state=RunState.FINISHED)
    spread = only(summarise(trials, runs)).runs
    assert (len(spread.scores), spread.partial) == (2, ("r3",))


def test_where_no_run_is_whole_there_is_no_spread(a_trial, a_run):
    runs = [a_run(f"r{n}", planned=2, state=RunState.INTERRUPTED) for n in (1, 2)]
    spread = only(summarise([a_trial(0, 1.0), a_trial(0, 0.0, run="r2")], runs)).runs
    assert (spread.scores, spread.sd, spread.reason) == ((), None, "no complete run")


def test_a_subset_of_the_cases_makes_no_run_partial(a_trial, a_run):
    third = [a_trial(at, 1.0, run="r3") for at in range(4)]
    trials, runs = a_series(a_trial, a_run, third=third)
    spread = only(summarise(trials, runs, cases={"c0": 1.0})).runs
    assert (len(spread.scores), spread.partial) == (3, ())


def test_a_model_that_was_stopped_is_given_up_and_its_last_trial_is_not_done(a_trial):
    lost = a_trial(1, None, outcome=Outcome.PROVIDER_ERROR, flags=(MODEL_STOPPED,))
    model = only(summarise([a_trial(0), lost]))
    assert (model.is_given_up, model.n_done, model.n_trials) == (True, 1, 2)
