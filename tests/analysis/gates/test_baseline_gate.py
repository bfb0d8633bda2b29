import numpy as np
import pytest

from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.analysis.gates.further import MISSING
from benchmaker.errors import NotComparable, NotEnoughData, SpecError
from benchmaker.stats.pairs.mcnemar import tango

GRADES = [0.0, 0.5, 0.9, 1.0]


@pytest.fixture
def compared(a_trial):
    """The interval of ``compare`` for the same scores under two names: run − baseline."""

    def make(after, before, *, groups=None, weights=None):
        trials = [
            a_trial(
                at,
                float(score),
                model=name,
                group=groups[at] if groups else None,
                weight=weights[at] if weights else 1.0,
            )
            for name, row in (("run", after), ("baseline", before))
            for at, score in enumerate(row)
        ]
        pair = compare(trials).pair("run", "baseline")
        if pair.model_a == "run":
            return pair.diff, pair.low, pair.high
        return -pair.diff, -pair.high, -pair.low

    return make


@pytest.mark.parametrize("size", [40, 80])
@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize("layout", ["plain", "groups", "weights"])
def test_figures_are_those_of_compare(side, compared, size, kind, layout):
    random = np.random.default_rng(20261129)
    values = [0.0, 1.0] if kind == "binary" else GRADES
    after, before = random.choice(values, (2, size)).tolist()
    more = {}
    if layout == "groups":
        more["groups"] = [f"g{at // 2}" if at % 5 else None for at in range(size)]
    if layout == "weights":
        more["weights"] = random.choice([0.5, 1.0, 2.0], size).tolist()
    (model,) = decide_gate(side({"m": after}, **more), side({"m": before}, **more)).models
    assert (model.diff, model.low, model.high) == pytest.approx(
        compared(after, before, **more), rel=1e-12, abs=1e-15
    )


def test_few_changed_grades_have_a_wider_interval_than_in_compare(side, compared):
    before = [0.5] * 30
    after = [0.6, 0.4, 0.7, *before[3:]]
    (model,) = decide_gate(side({"m": after}), side({"m": before})).models
    diff, low, high = compared(after, before)
    shares = tango(2, 1, 30, level=0.95)
    assert model.diff == diff
    assert model.low == pytest.approx(min(low, 0.2 * shares[0]))
    assert model.high == pytest.approx(max(high, 0.2 * shares[1]))


@pytest.mark.parametrize(
    ("dropped", "max_drop", "verdict"),
    [(30, 0.02, "fail"), (0, 0.02, "pass"), (4, 0.02, "undecided"), (30, 0.5, "pass")],
)
def test_the_interval_decides(side, dropped, max_drop, verdict):
    before = [1.0] * 100
    after = [0.0] * dropped + [1.0] * (100 - dropped)
    made = decide_gate(side({"m": after}), side({"m": before}), max_drop=max_drop)
    assert made.verdict == made.models[0].verdict == verdict


def test_unchanged_answers_pass_with_an_interval_of_width_0(side):
    made = decide_gate(side({"m": [1.0, 0.0]}), side({"m": [1.0, 0.0]}), max_drop=0)
    (model,) = made.models
    assert made.verdict == "pass"
    assert (model.diff, model.low, model.high, model.is_unchanged) == (0.0, 0.0, 0.0, True)


@pytest.mark.parametrize("scores", [[1.0] * 3, [0.5] * 3])
def test_few_equal_scores_of_changed_answers_prove_nothing(side, answer, scores):
    after = [[answer(score, f"new {at}")] for at, score in enumerate(scores)]
    made = decide_gate(side({"m": after}), side({"m": scores}))
    (model,) = made.models
    assert made.verdict == "undecided"
    assert (model.low, model.high) == tango(0, 0, 3, level=0.95)
    assert made.more_cases is not None


@pytest.mark.parametrize("size", [188, 189])
def test_more_cases_of_equal_scores_are_the_least_that_pass(side, answer, size):
    after = [[answer(1.0, f"new {at}")] for at in range(size)]
    made = decide_gate(side({"m": after}), side({"m": [1.0] * size}))
    needed = next(n for n in range(2, 400) if tango(0, 0, n, level=0.95)[0] > -0.02)
    assert (made.verdict == "pass") == (size >= needed)
    if size < needed:
        assert made.more_cases == needed - size


def test_models_are_paired_by_name(side):
    run = side({"a": [1.0] * 40, "b": [0.0] * 40, "new": [1.0] * 40})
    made = decide_gate(run, side({"b": [1.0] * 40, "a": [1.0] * 40}))
    assert [(one.model, one.verdict) for one in made.models] == [("a", "pass"), ("b", "fail")]
    assert made.verdict == "fail"
    assert "new" in made.notes[0]


def test_the_only_models_of_both_sides_are_compared_as_they_are(side):
    made = decide_gate(side({"new": [0.0] * 40}), side({"old": [1.0] * 40}))
    assert (made.models[0].model, made.models[0].baseline_model) == ("new", "old")
    assert made.verdict == "fail"
    assert made.notes == ("new is compared with old, the baseline's only model.",)


def test_no_common_model_is_an_error(side):
    with pytest.raises(NotEnoughData, match="has no model of the run"):
        decide_gate(side({"a": [1.0], "b": [1.0]}), side({"c": [1.0], "d": [1.0]}))


def test_models_can_be_chosen(side):
    run, baseline = side({"a": [1.0] * 9, "b": [0.0] * 9}), side({"a": [1.0] * 9, "b": [1.0] * 9})
    assert decide_gate(run, baseline, models=["a"]).verdict == "pass"
    with pytest.raises(SpecError, match="No model 'x'"):
        decide_gate(run, baseline, models=["x"])


def test_a_drop_of_one_of_many_models_fails_only_after_adjustment(side):
    before = [1.0] * 60
    barely = [0.0] * 8 + [1.0] * 52
    alone = decide_gate(side({"m0": barely}), side({"m0": before}), max_drop=0.06)
    assert alone.verdict == "fail"
    names = [f"m{at}" for at in range(12)]
    run = side({name: barely if name == "m0" else before for name in names})
    made = decide_gate(run, side(dict.fromkeys(names, before)), max_drop=0.06)
    assert (made.models[0].verdict, made.verdict) == ("fail", "undecided")
    assert made.more_cases is not None


def test_cases_of_one_side_are_counted_and_named(side):
    run = side({"m": [1.0] * 6}, ids=list("abcdef"), scoring={"b": "new"}, question={"c": "new"})
    made = decide_gate(run, side({"m": [1.0] * 6}, ids=list("abcdxy"), suite_sha256="cd"))
    assert (made.n_common, made.n_run, made.n_baseline) == (3, 6, 6)
    (said,) = made.notes
    assert "1 case with another question, compared (c)" in said
    assert "1 case with another expected answer or scorer, excluded (b)" in said
    assert "2 cases only in the run (e, f)" in said
    assert "2 cases only in the baseline (x, y)" in said


def test_no_common_case_is_an_error_with_the_remedy(side):
    with pytest.raises(NotEnoughData, match="no case in common") as caught:
        decide_gate(side({"m": [1.0]}, ids=["a"]), side({"m": [1.0]}, ids=["b"]))
    assert "benchmaker export RUN --baseline" in caught.value.hint


def test_other_scoring_rules_are_refused_with_rescore(side):
    with pytest.raises(NotComparable, match="robust/2") as caught:
        decide_gate(side({"m": [1.0]}), side({"m": [1.0]}, profile="robust/1"))
    assert "benchmaker rescore r1" in caught.value.hint


def test_unscored_answers_are_excluded_and_counted(side, answer):
    after = [[answer(None, "x")], *[1.0] * 20]
    made = decide_gate(side({"m": after}), side({"m": [1.0] * 21}))
    assert (made.models[0].n, made.n_common) == (20, 20)
    assert (made.verdict, made.models[0].missing) == ("undecided", 1)
    assert made.notes == (
        "m: 1 of 21 cases with a score in the baseline has none in the run (1 unscored).",
    )
    back = decide_gate(side({"m": [1.0] * 21}), side({"m": after}))
    assert back.notes == ("m: 1 of 21 common cases has no score in the baseline, excluded.",)
    assert back.verdict == "pass"


def test_cases_of_weight_0_are_not_compared(side):
    weights = [1.0] * 20 + [0.0]
    made = decide_gate(
        side({"m": [1.0] * 20 + [0.0]}, weights=weights), side({"m": [1.0] * 21}, weights=weights)
    )
    assert (made.n_common, made.n_run, made.verdict) == (20, 20, "pass")


def test_changed_cases_have_both_answers_and_the_worst_drop_first(side):
    made = decide_gate(side({"m": [0.9, 0.0, 1.0, 0.5]}), side({"m": [1.0, 1.0, 0.0, 0.5]}))
    assert [(one.case_id, one.before, one.after) for one in made.changed] == [
        ("c1", 1.0, 0.0),
        ("c0", 1.0, 0.9),
        ("c2", 0.0, 1.0),
    ]
    assert (made.changed[0].answer_before, made.changed[0].answer_after) == ("1.0", "0.0")


def test_of_several_runs_the_telling_answers_are_shown(side, answer):
    after = [[answer(1.0, "good"), answer(0.0, "bad")]]
    made = decide_gate(
        side({"m": after}), side({"m": [[answer(1.0, "good"), answer(1.0, "fine")]]})
    )
    (changed,) = made.changed
    assert (changed.after, changed.answer_before, changed.answer_after) == (0.5, "good", "bad")


def test_a_judge_scores_unchanged_answers_once_for_both(side, answer):
    before = [[answer(0.8, f"text {at}", judged=True)] for at in range(30)]
    after = [[answer(0.3, f"text {at}", judged=True)] for at in range(30)]
    made = decide_gate(side({"m": after}), side({"m": before}))
    assert (made.verdict, made.models[0].diff, made.models[0].high) == ("pass", 0.0, 0.0)
    assert made.changed == ()


def test_other_scores_of_unchanged_answers_count_without_a_judge(side, answer):
    before = [[answer(1.0, f"text {at}")] for at in range(30)]
    after = [[answer(0.0, f"text {at}")] for at in range(30)]
    assert decide_gate(side({"m": after}), side({"m": before})).verdict == "fail"


def test_strict_and_metrics_of_checks(side, answer):
    metrics = {"short": 0.0}
    after = [[answer(0.9, metrics=metrics)] for _ in range(30)]
    before = [[answer(1.0, metrics={"short": 1.0})] for _ in range(30)]
    sides = side({"m": after}), side({"m": before})
    assert decide_gate(*sides).models[0].diff == pytest.approx(-0.1)
    assert decide_gate(*sides, metric="strict").models[0].diff == -1.0
    assert decide_gate(*sides, metric="short").models[0].diff == -1.0
    with pytest.raises(SpecError, match=r"unknown metric 'shrot'\. Did you mean 'short'"):
        decide_gate(*sides, metric="shrot")


def test_other_suites_and_bad_limits_are_refused(side):
    with pytest.raises(NotComparable, match="suite 'capitals', the baseline 'x'"):
        decide_gate(side({"m": [1.0]}), side({"m": [1.0]}, suite="x"))
    with pytest.raises(SpecError, match="out of range"):
        decide_gate(side({"m": [1.0]}), side({"m": [1.0]}), max_drop=2)


def test_models_of_the_baseline_without_scores_leave_the_gate_undecided(side, answer):
    same = [1.0] * 40
    none = [[answer(None)]] * 40
    baseline = side({"a": same, "b": same, "c": same})
    made = decide_gate(side({"a": same, "b": none}), baseline)
    assert made.verdict == "undecided"
    assert [(one.model, one.missing, one.reason) for one in made.unscored_models] == [
        ("b", 40, "40 unscored"),
        ("c", 40, "not in the run"),
    ]
    assert made.more_cases_reason == MISSING
    assert decide_gate(side({"a": same}), baseline, models=["a"]).verdict == "pass"
    assert decide_gate(side({"a": [0.0] * 40, "b": none}), baseline).verdict == "fail"


def test_a_run_without_any_score_is_undecided(side, answer):
    made = decide_gate(side({"m": [[answer(None)]] * 9}), side({"m": [1.0] * 9}))
    assert (made.verdict, made.models, made.n_common) == ("undecided", (), 0)
    assert made.unscored_models[0].missing == 9


@pytest.mark.parametrize(
    ("missing", "max_drop", "verdict"),
    [(1, 0.02, "undecided"), (1, 0.2, "pass"), (20, 0.2, "fail")],
)
def test_missing_scores_count_as_0_before_a_model_passes(side, answer, missing, max_drop, verdict):
    size = 60
    after = [[answer(None)]] * missing + [1.0] * (size - missing)
    made = decide_gate(side({"m": after}), side({"m": [1.0] * size}), max_drop=max_drop)
    lowest = [0.0] * missing + [1.0] * (size - missing)
    at_worst = decide_gate(side({"m": lowest}), side({"m": [1.0] * size}), max_drop=max_drop)
    assert (made.verdict == "pass") == (at_worst.verdict == "pass")
    (model,) = made.models
    assert (model.n, model.missing, model.missing_reason) == (
        size - missing,
        missing,
        f"{missing} unscored",
    )
    assert made.verdict == ("undecided" if verdict == "fail" else verdict)
    assert model.passes_without_missing == (made.verdict == "undecided")


def test_a_drop_fails_although_scores_are_missing(side, answer):
    after = [[answer(None)], *[0.0] * 39]
    made = decide_gate(side({"m": after}), side({"m": [1.0] * 40}))
    assert (made.verdict, made.models[0].missing) == ("fail", 1)


def test_cases_that_the_baseline_did_not_score_are_not_missing(side, answer):
    none = [[answer(None)], *[1.0] * 20]
    made = decide_gate(side({"m": none}), side({"m": none}))
    assert (made.verdict, made.models[0].missing) == ("pass", 0)


def test_missing_cases_are_scored_before_more_are_needed(side, answer):
    after = [[answer(None)], *[1.0] * 20]
    made = decide_gate(side({"m": after}), side({"m": [1.0] * 21}))
    assert (made.more_cases, made.more_cases_reason) == (None, MISSING)
    assert (made.more_runs, made.more_runs_reason) == (None, MISSING)


def test_changed_weights_and_groups_are_named(side):
    scores = {"m": [1.0] * 4}
    run = side(scores, weights=[2.0, 1.0, 1.0, 0.0], groups=[None, "g", None, None])
    baseline = side(scores, weights=[1.0, 1.0, 0.0, 1.0], groups=[None] * 4, suite_sha256="cd")
    made = decide_gate(run, baseline)
    assert made.n_common == 3
    (said,) = made.notes
    assert "3 cases with another weight or group, where those of the run count (c0, c1, c2)" in said
    assert "1 case with the weight 0 in the run, excluded (c3)" in said
    assert "only in" not in said


def test_an_unfinished_run_is_named(side):
    made = decide_gate(
        side({"m": [1.0] * 9}, unfinished="was interrupted"),
        side({"m": [1.0] * 9}, unfinished="is paused"),
    )
    assert made.notes == ("The run was interrupted.", "The baseline's run is paused.")
