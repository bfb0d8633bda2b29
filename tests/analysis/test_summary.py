import json

import pytest

from benchmaker.analysis import detailed_aggregate_scores, multi_run_stats, summarise
from benchmaker.errors import NotComparable
from benchmaker.record import Outcome, RunState


def only(summary):
    (model,) = summary.models
    return model


def test_a_single_run_is_read_over_its_cases(a_trial, a_run):
    trials = [a_trial(0, 1.0), a_trial(1, 0.5), a_trial(2, 0.0)]
    summary = summarise(trials, [a_run(planned=3)])
    model, detail = only(summary), detailed_aggregate_scores(trials)["m"]
    assert (model.mean, model.sd, model.ci95) == (0.5, detail.std_dev, detail.confidence95)
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
    assert model.ci95 == detailed_aggregate_scores(trials)["m"].confidence95
    assert (model.sd, model.sd_over) == (repeat.std_dev, "runs")
    assert model.runs.scores == repeat.scores
    assert model.runs.ci95 == repeat.confidence95
    assert model.ci95[1] - model.ci95[0] > repeat.std_dev
    assert summary.mean_of == "case means over 2 runs"


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
    assert (model["ci95"], model["ci95_over"]) == (None, "cases")
    assert model["ci95_reason"] == "1 scored case, at least 2 are needed"


def test_the_published_fields_are_there(a_trial):
    (model,) = summarise([a_trial(0, 1.0), a_trial(1, 0.0)]).to_dict()["models"]
    published = {"model", "mean", "strict_accuracy", "sd", "ci95", "n_scored", "outcomes"}
    assert published | {"cost_usd", "latency_s", "auto_pass", "flags"} <= model.keys()
    low, high = model["ci95"]
    assert (low < 0, high > 1) == (True, True)  # not clipped


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
    assert summary.models[-1].ci95_reason == "nothing is scored"


def test_outcomes_are_counted_apart_and_scored_is_always_there(a_trial):
    trials = [
        a_trial(0, None, outcome=Outcome.TIMEOUT),
        a_trial(1, None, outcome=Outcome.TIMEOUT),
        a_trial(2, 0.0, outcome=Outcome.EMPTY),
    ]
    model = only(summarise(trials))
    assert model.outcomes == {"scored": 0, "empty": 1, "timeout": 2}
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
    assert (model.input_tokens, model.output_tokens, model.latency_s) == (30, 6, 1.0)


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
