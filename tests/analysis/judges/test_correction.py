import gzip
import json
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis import columns_of
from benchmaker.analysis.judges.correction import corrected_differences, corrected_means, means_of
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.judging.label_queue import Candidate, LabelPlan, draw_items
from benchmaker.stats.means.ppi import ppi_difference, ppi_mean
from benchmaker.stats.means.proportions import wilson
from benchmaker.stats.quantiles import z_quantile
from tests.analysis.conftest import make_trial
from tests.analysis.labels import a_judged_run, a_label, labels_of
from tests.draws import draws

SOME = range(0, 60, 4)


def split(trials, truth, places, model):
    scores = {it.position: it.score.score for it in trials if it.model == model}
    rest = [at for at in scores if at not in places]
    return (
        [truth[model, at] for at in places],
        [scores[at] for at in places],
        [scores[at] for at in rest],
    )


def test_a_mean_is_ppi_of_its_columns():
    trials, truth = a_judged_run()
    found = corrected_means(trials, labels_of(truth, SOME)).mean("a")
    plain = ppi_mean(*split(trials, truth, SOME, "a"), interval="wilson")
    assert found.value == pytest.approx(plain.value)
    assert found.ci == pytest.approx(plain.interval)
    assert found.trust == pytest.approx(plain.lambda_)
    assert (found.n_labelled, found.n_judged) == (15, 60)
    assert found.raw == pytest.approx(plain.judge_only.mean)
    assert found.bias == pytest.approx(plain.bias.mean)


def test_a_difference_is_ppi_of_the_paired_columns():
    trials, truth = a_judged_run()
    (pair,) = corrected_differences(trials, labels_of(truth, SOME)).pairs
    plain = ppi_difference(*(split(trials, truth, SOME, name) for name in "ab"), interval="wilson")
    assert pair.estimate.value == pytest.approx(plain.value)
    assert pair.estimate.ci == pytest.approx(plain.interval)


WEIGHTS = {f"c{at}": 1.0 + at % 7 for at in range(60)}


def weighted(truth, model, places):
    shares = [WEIGHTS[f"c{at}"] for at in places]
    return np.average([truth[model, at] for at in places], weights=shares)


def test_with_weights_the_labels_alone_have_their_weighted_mean():
    trials, truth = a_judged_run()
    labels = labels_of(truth, SOME)
    found = corrected_means(trials, labels, cases=WEIGHTS).mean("a")
    (pair,) = corrected_differences(trials, labels, cases=WEIGHTS).pairs
    alone = [weighted(truth, model, SOME) for model in "ab"]
    assert found.labels_only == pytest.approx(alone[0])
    assert pair.estimate.labels_only == pytest.approx(alone[0] - alone[1])


def test_with_weights_the_bias_is_that_of_the_weighted_means():
    trials, truth = a_judged_run()
    found = corrected_means(trials, labels_of(truth, SOME), cases=WEIGHTS).mean("a")
    judge = {("a", it.position): it.score.score for it in trials if it.model == "a"}
    expected = weighted(judge, "a", SOME) - weighted(truth, "a", SOME)
    assert found.bias == pytest.approx(expected)


def test_a_mean_of_labels_that_are_all_alike_is_that_label_whatever_the_weights():
    trials, truth = a_judged_run()
    found = corrected_means(trials, labels_of(dict.fromkeys(truth, 1.0), SOME), cases=WEIGHTS)
    for one in found.models:
        assert one.estimate.labels_only == pytest.approx(1.0)
        assert one.estimate.value == pytest.approx(1.0)


def test_a_weighted_correction_is_ppi_of_weighted_means():
    trials, truth = a_judged_run()
    found = corrected_means(trials, labels_of(truth, SOME), cases=WEIGHTS).mean("a")
    judge = {("a", it.position): it.score.score for it in trials if it.model == "a"}
    rest = [at for at in range(60) if at not in SOME]
    trust = found.trust
    expected = trust * weighted(judge, "a", rest) + (
        weighted(truth, "a", SOME) - trust * weighted(judge, "a", SOME)
    )
    assert found.value == pytest.approx(expected)
    assert 0 < trust < 1.5


def test_differences_turn_their_sign_with_the_pair():
    trials, truth = a_judged_run()
    labels = labels_of(truth, SOME)
    one, two = corrected_differences(trials, labels, pairs=[("a", "b"), ("b", "a")]).pairs
    assert one.estimate.value == pytest.approx(-two.estimate.value)
    assert one.estimate.narrower == pytest.approx(two.estimate.narrower)


@settings(max_examples=draws(20, 100), deadline=None)
@given(
    truth=st.lists(st.integers(0, 4), min_size=40, max_size=40),
    off=st.lists(st.sampled_from((0, 0, 0, 1, -4)), min_size=40, max_size=40),
    is_weighted=st.booleans(),
)
def test_intervals_lie_within_the_scale_and_narrower_follows_from_those_that_are_shown(
    truth, off, is_weighted
):
    people = {("ab"[at % 2], at // 2): it / 4 for at, it in enumerate(truth)}
    trials = [
        make_trial(at, min(max(score + away / 4, 0.0), 1.0), model=model)
        for ((model, at), score), away in zip(people.items(), off, strict=True)
    ]
    labels = labels_of(people, range(12))
    cases = WEIGHTS if is_weighted else None
    (pair,) = corrected_differences(trials, labels, cases=cases).pairs
    means = [one.estimate for one in corrected_means(trials, labels, cases=cases).models]
    for one, low in (*((it, 0.0) for it in means), (pair.estimate, -1.0)):
        assert low <= one.ci[0] <= one.value <= one.ci[1] <= 1.0
        assert low <= one.labels_only_ci[0] <= one.labels_only <= one.labels_only_ci[1] <= 1.0
        ours, alone = (ends[1] - ends[0] for ends in (one.ci, one.labels_only_ci))
        assert one.narrower == 1 - ours / alone


def test_labels_that_are_all_alike_have_an_interval():
    trials, truth = a_judged_run()
    found = corrected_means(trials, labels_of(dict.fromkeys(truth, 1.0), SOME)).mean("a")
    assert found.ci == found.labels_only_ci == pytest.approx(wilson(1.0, 15, z_quantile(0.95)))
    assert found.narrower == 0.0


def test_the_lenient_judge_is_set_right_and_the_interval_is_narrower_than_that_of_labels():
    trials, truth = a_judged_run(400, seed=3)
    found = corrected_means(trials, labels_of(truth, range(80))).mean("b")
    people = np.mean([truth["b", at] for at in range(400)])
    assert found.raw > people + 0.05
    assert found.ci[0] < people < found.ci[1]
    assert found.narrower > 0.2


@settings(max_examples=draws(12, 20), deadline=None)
@given(order=st.permutations(range(30)), seed=st.integers(0, 50))
def test_the_order_of_labels_and_trials_changes_nothing(order, seed):
    trials, truth = a_judged_run(30, seed=seed)
    labels = labels_of(truth, range(0, 30, 2))
    before = corrected_means(trials, labels)
    after = corrected_means([trials[at] for at in order] + trials[30:], labels[::-1])
    assert {it.model: it.estimate.value for it in after.models} == pytest.approx(
        {it.model: it.estimate.value for it in before.models}
    )


@settings(max_examples=draws(12, 20), deadline=None)
@given(shift=st.floats(-0.1, 0.1), seed=st.integers(0, 50))
def test_what_the_judge_adds_to_every_score_changes_no_corrected_mean(shift, seed):
    trials, truth = a_judged_run(40, seed=seed)
    moved = [
        make_trial(it.position, min(1.0, max(0.0, 0.8 * it.score.score + 0.1 + shift)),
                   model=it.model)
        for it in trials
    ]  # fmt: skip
    labels = labels_of(truth, range(0, 40, 2))
    one, two = corrected_means(trials, labels), corrected_means(moved, labels)
    for name in "ab":
        assert two.mean(name).value == pytest.approx(one.mean(name).value, abs=1e-9)


def test_labels_that_were_not_drawn_at_random_are_left_out_and_counted():
    trials, truth = a_judged_run()
    labels = labels_of(truth, SOME)
    others = [
        a_label("a", 1, 0.0, source="targeted"),
        a_label("", 2, 0.0, source="trap", known=0.0),
        a_label("a", 99, 0.0),
        a_label("a", 3, None),
    ]
    found = corrected_means(trials, [*labels, *others])
    assert found.models == corrected_means(trials, labels).models
    assert found.basis.left_out == {"targeted": 1, "trap": 1, "unscored": 1}
    assert found.basis.n_labels == len(labels)


def test_an_answer_that_several_people_labelled_has_their_mean():
    trials, truth = a_judged_run()
    labels = labels_of(truth, SOME)
    up = [a_label(it.model, at, min(1, it.score + 0.1), actor="bob")
          for it in labels if (at := int(it.case_id[1:])) or True]  # fmt: skip
    mean = [a_label(it.model, int(it.case_id[1:]), (it.score + other.score) / 2)
            for it, other in zip(labels, up, strict=True)]  # fmt: skip
    both, one = corrected_means(trials, [*labels, *up]), corrected_means(trials, mean)
    assert both.mean("a").value == pytest.approx(one.mean("a").value)
    assert both.basis.people == ("ann", "bob")


def test_too_few_labels_are_refused_with_the_numbers():
    trials, truth = a_judged_run()
    with pytest.raises(NotEnoughData, match="more than 9 labelled answers") as caught:
        corrected_means(trials, labels_of(truth, range(9)))
    assert (caught.value.needed, caught.value.got) == (10, 9)


def test_a_model_with_too_few_labels_says_so_beside_the_others():
    trials, truth = a_judged_run()
    labels = [*labels_of(truth, SOME, models=("a",)), *labels_of(truth, range(3), models=("b",))]
    found = corrected_means(trials, labels)
    assert found.mean("a").value is not None
    assert found.mean("b").value is None
    assert (
        found.mean("b").reason
        == "at least 10 labelled answers drawn at random are needed, 3 available"
    )
    (pair,) = corrected_differences(trials, labels).pairs
    assert pair.estimate.value is None
    assert "10 cases labelled for both models" in pair.estimate.reason


def test_fewer_than_fifty_labels_are_warned_of():
    trials, truth = a_judged_run()
    (warning,) = corrected_means(trials, labels_of(truth, SOME)).mean("a").warnings
    assert "only 15 labels" in warning


def test_where_every_answer_has_a_label_their_mean_is_taken():
    trials, truth = a_judged_run(20)
    found = corrected_means(trials, labels_of(truth, range(20))).mean("a")
    assert found.value == pytest.approx(np.mean([truth["a", at] for at in range(20)]))
    assert found.method.startswith("mean of the labels")
    (pair,) = corrected_differences(trials, labels_of(truth, range(20))).pairs
    assert pair.estimate.value == pytest.approx(
        np.mean([truth["a", at] - truth["b", at] for at in range(20)])
    )


def test_weights_are_those_of_the_cases():
    trials, truth = a_judged_run(40)
    weights = {f"c{at}": 3.0 if at % 3 else 1.0 for at in range(40)} | {"c1": 0.0}
    exact = [make_trial(it.position, truth[it.model, it.position], model=it.model) for it in trials]
    labels = labels_of(truth, range(20))
    made = corrected_means(exact, labels, cases=weights)
    found = made.mean("a")
    assert made.basis.left_out == {"zero_weight": len(made.models)}
    values = [truth["a", at] for at in range(40)]
    weighted = np.average(values, weights=[weights[f"c{at}"] for at in range(40)])
    assert found.raw == pytest.approx(weighted)
    assert found.n_judged == 39
    assert found.n_labelled == 19


def test_runs_of_one_case_are_taken_together():
    first, truth = a_judged_run(40, run="r1")
    second, again = a_judged_run(40, run="r2", seed=1)
    labels = [*labels_of(truth, range(20)), *labels_of(again, range(20), run="r2")]
    found = corrected_means([*first, *second], labels).mean("a")
    assert "clustered" in found.method
    assert (found.n_labelled, found.n_judged) == (40, 80)
    assert found.raw == pytest.approx(
        np.mean([it.score.score for it in (*first, *second) if it.model == "a"])
    )


def test_cases_of_one_group_are_taken_together():
    trials, truth = a_judged_run(40)
    grouped = [
        make_trial(it.position, it.score.score, model=it.model, group=f"g{it.position // 2}")
        for it in trials
    ]
    assert "clustered" in corrected_means(grouped, labels_of(truth, range(20))).mean("a").method


def test_a_map_needs_labels_enough():
    trials, truth = a_judged_run(300)
    with pytest.raises(NotEnoughData, match="found 48") as caught:
        corrected_means(trials, labels_of(truth, range(24)), label_map="linear")
    assert (caught.value.needed, caught.value.got) == (50, 48)
    with pytest.raises(NotEnoughData, match="isotonic map needs 200"):
        corrected_means(trials, labels_of(truth, range(99)), label_map="isotonic")
    with pytest.raises(SpecError, match="Unknown map"):
        corrected_means(trials, labels_of(truth, range(99)), label_map="cubic")


@pytest.mark.parametrize(("name", "number"), [("linear", 25), ("isotonic", 100)])
def test_a_map_takes_scores_to_peoples_scale(name, number):
    trials, truth = a_judged_run(300, seed=5)
    bent = [make_trial(it.position, it.score.score**3, model=it.model) for it in trials]
    labels = labels_of(truth, range(number))
    plain, found = (means_of(columns_of(bent), labels, label_map=it) for it in (None, name))
    assert found.label_map.error_after < 0.5 * found.label_map.error_before
    people = np.mean([truth["a", at] for at in range(300)])
    assert found.mean("a").raw == plain.mean("a").raw
    assert found.mean("a").ci[0] < people < found.mean("a").ci[1]
    assert abs(found.mean("a").bias) < abs(plain.mean("a").bias)


def test_without_labels_at_hand_it_says_what_to_give():
    trials, _ = a_judged_run(12)
    with pytest.raises(SpecError, match="No labels"):
        corrected_means(trials)


def test_plain_data_holds_every_figure():
    trials, truth = a_judged_run()
    labels = labels_of(truth, SOME)
    told = corrected_means(trials, labels).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert {"raw", "corrected", "ci", "narrower", "n_labelled", "n_judged", "method"} <= set(
        told["models"][0]
    )
    assert told["labels"] == {"people": ["ann"], "n_labels": 30, "left_out": {}}
    pairs = corrected_differences(trials, labels).to_dict()
    assert json.loads(json.dumps(pairs)) == pairs


@pytest.fixture(scope="module")
def wildbench(shared):
    """Scores of one judge as trials' columns, and those of another as what people say."""
    judge, gold = defaultdict(dict), {}
    path = shared / "judging" / "wildbench_two_judges_scores.jsonl.gz"
    for line in gzip.decompress(path.read_bytes()).splitlines():
        row = json.loads(line)
        if "A_gpt-4-turbo" in row and "B_gpt-4o" in row:
            judge[row["id"]][row["model"]] = (float(row["A_gpt-4-turbo"]) - 1) / 9
            gold[row["model"], row["id"]] = (float(row["B_gpt-4o"]) - 1) / 9
    trials = [
        make_trial(at, score, model=model, case_id=name)
        for at, (name, scores) in enumerate(judge.items())
        for model, score in scores.items()
    ]
    return columns_of(trials), gold


@pytest.mark.data
@pytest.mark.parametrize("draws", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_sixty_cases_of_wildbench_drawn_by_the_queue_cover_and_narrow(wildbench, draws):
    columns, gold = wildbench
    candidates = [
        Candidate("r1", columns.models[model], columns.case_ids[at], at, f"{model}-{at}", score)
        for model, at, score in zip(
            columns.model.tolist(), columns.position.tolist(), columns.score.tolist(), strict=True
        )
    ]
    hits, widths = defaultdict(list), defaultdict(list)
    for seed in range(draws):
        items = draw_items(candidates, LabelPlan(n=355, share_random=1.0, traps=0, seed=seed))
        labels = [
            a_label(it.model, it.position, gold[it.model, it.case_id], case_id=it.case_id)
            for it in items
        ]
        for one in means_of(columns, labels).models:
            truth = np.mean([score for (model, _), score in gold.items() if model == one.model])
            low, high = one.estimate.ci
            assert 57 <= one.estimate.n_labelled <= 60
            hits[one.model].append(low <= truth <= high)
            widths[one.model].append(one.estimate.narrower)
    assert len(hits) == 6
    margin = 0.015 * max(1, math.sqrt(100 / draws))
    assert np.mean([np.mean(it) for it in hits.values()]) == pytest.approx(0.95, abs=margin)
    assert min(np.mean(it) for it in widths.values()) >= 0.25


@pytest.mark.data
def test_on_wildbench_the_judge_alone_is_wrong_and_the_order_of_models_holds(wildbench):
    columns, gold = wildbench
    places = sorted(columns.case_ids)[::17]
    labels = [
        a_label(model, at, gold[model, name], case_id=name)
        for at in places
        for model in columns.models
        if (model, name := columns.case_ids[at]) in gold
    ]
    found = corrected_means(columns, labels)
    truth = {
        model: np.mean([score for (one, _), score in gold.items() if one == model])
        for model in columns.models
    }
    assert [it.model for it in found.models] == sorted(truth, key=lambda it: -truth[it])
    for one in found.models:
        assert one.estimate.bias_ci[0] > 0.0
        assert abs(one.estimate.value - truth[one.model]) < abs(one.estimate.raw - truth[one.model])
