import json
import math

import numpy as np
import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, run
from benchmaker.analysis import columns_of
from benchmaker.analysis.comparison import planning
from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.ratings.rate import rank
from benchmaker.errors import NotComparable, NotEnoughData, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.record.points import points
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.multiple_comparisons import adjust_p_values
from benchmaker.stats.pairs.paired import paired_t
from benchmaker.stats.pairs.pairs import all_pairs
from benchmaker.stats.pairs.permutation import sign_flip
from benchmaker.stats.pairs.welch import welch

GRADES = [0.0, 0.5, 0.9, 1.0]


@pytest.fixture
def suite(a_trial):
    """Trials out of {model: [score per case]}."""

    def make(scores, *, groups=None, weights=None, **more):
        return [
            a_trial(
                at,
                None if score is None else float(score),
                model=model,
                group=groups[at] if groups else None,
                weight=weights[at] if weights else 1.0,
                **more,
            )
            for model, row in scores.items()
            for at, score in enumerate(row)
        ]

    return make


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


@pytest.fixture
def graded(rng):
    """Graded scores of so many cases, the same in every test."""

    def make(size, *, lead=0.0):
        return np.minimum(1.0, rng.choice(GRADES, size) + lead)

    return make


def test_passes_and_fails_of_one_run_get_mcnemars_mid_p(suite):
    a, b = [1] * 14 + [0] * 6, [1] * 5 + [0] * 15
    got = compare(suite({"a": a, "b": b}))
    want = mcnemar(9, 0, n=20)
    pair = got.headline
    assert (pair.test, pair.p_value, pair.p_adjusted) == ("mcnemar_mid_p", want.p_mid, want.p_mid)
    assert (pair.low, pair.high, pair.diff) == (want.low, want.high, pytest.approx(0.45))
    assert (pair.wins, pair.losses, pair.ties) == (9, 0, 11)
    assert (got.n_common, got.n_cases, got.is_paired) == (20, 20, True)
    assert got.method == "McNemar's binomial test with mid-p"


def test_graded_scores_of_few_cases_flip_signs(suite, graded):
    a, b = graded(30), graded(30)
    got = compare(suite({"a": a, "b": b})).pair("a", "b")
    want = sign_flip(a - b if got.model_a == "a" else b - a)
    assert (got.test, got.p_value, got.low, got.high) == (
        "sign_flip",
        want.p_value,
        want.low,
        want.high,
    )


def test_graded_scores_of_many_cases_get_student_with_clusters(suite, graded):
    a, b = graded(160, lead=0.3), graded(160)
    groups = [f"g{at // 2}" for at in range(160)]
    got = compare(suite({"a": a, "b": b}, groups=groups)).headline
    want = paired_t(a, b, clusters=groups)
    assert (got.test, got.model_a, got.clusters) == ("t", "a", 80)
    assert (got.p_value, got.low, got.high, got.se) == pytest.approx(
        (want.p_value, want.low, want.high, want.se)
    )
    assert (got.d_z, got.d_av, got.p_superior) == (want.d_z, want.d_av, want.p_superior)


def test_groups_that_are_few_flip_signs_of_groups(suite, graded):
    a, b = graded(160), graded(160)
    got = compare(suite({"a": a, "b": b}, groups=[f"g{at % 10}" for at in range(160)])).headline
    assert (got.test, got.clusters, got.n) == ("sign_flip", 10, 160)


def test_runs_are_averaged_within_the_case_first(suite, graded):
    runs = [{"a": graded(60), "b": graded(60)} for _ in range(3)]
    trials = [trial for at, run in enumerate(runs) for trial in suite(run, run=f"r{at}")]
    got = compare(trials)
    a, b = (np.mean([run[name] for run in runs], axis=0) for name in "ab")
    want = paired_t(a, b)
    assert got.run_ids == ("r0", "r1", "r2")
    assert abs(got.headline.diff) == pytest.approx(abs(want.diff))
    assert got.headline.p_value == pytest.approx(want.p_value)


def test_many_models_are_adjusted_ranked_and_lettered_as_in_all_pairs(suite, graded):
    scores = {name: graded(80, lead=at / 8) for at, name in enumerate("abcd")}
    got = compare(suite(scores))
    want = all_pairs(np.column_stack(list(scores.values())), names="abcd")
    assert tuple(one.model for one in got.models) == want.names
    assert tuple(one.letters for one in got.models) == want.letters
    assert [one.p_adjusted for one in got.pairs] == [one.p_adjusted for one in want.pairs]
    assert got.pairs[0].adjustment == "Holm over 6 pairs"
    for one in got.pairs:
        assert (one.verdict == "ahead") == (one.p_adjusted < 0.05)


def test_max_t_shows_simultaneous_intervals(suite, graded):
    scores = {name: graded(40) for name in "abc"}
    holm, both = compare(suite(scores)), compare(suite(scores), correction="max_t")
    assert {one.test for one in both.pairs} == {"t"}
    assert all(one.high - one.low > 2 * 2.02 * one.se for one in both.pairs)
    assert both.pairs[0].adjustment == "max-T over 3 pairs"
    assert holm.seed == 0


def test_only_cases_that_all_have_count_and_coverage_is_shown(suite):
    scores = {"a": [1, 0, 1, 1, None, 0], "b": [1, 0, 0, None, 1, 1], "c": [0, 0, 0, 0, 1, 1]}
    got = compare(suite(scores))
    models = {one.model: one for one in got.models}
    assert (got.n_common, got.n_cases) == (4, 6)
    assert (models["a"].mean, models["b"].mean, models["c"].mean) == (0.5, 0.5, 0.25)
    assert (models["a"].n_scored, models["a"].coverage) == (5, pytest.approx(5 / 6))
    assert models["a"].mean_of_own == pytest.approx(0.6)
    assert all(one.n == 4 for one in got.pairs)
    assert "provisional: 4 common cases, at least 5 are needed" in got.warnings


def test_a_model_that_costs_many_common_cases_is_named(suite):
    scores = {"a": [1] * 20, "b": [0.5] * 20, "c": [0.5] * 8 + [None] * 12}
    got = compare(suite(scores))
    assert got.warnings == (
        "c has scores in 8 of 20 cases: 8 cases are common to all models, 20 without c",
    )


def test_a_model_without_any_score_is_listed_last_and_not_compared(suite):
    got = compare(suite({"a": [1, 0, 1, 1, 0], "b": [0] * 5, "x": [None] * 5}))
    last = got.models[-1]
    assert (last.model, last.mean, last.coverage, last.letters) == ("x", None, 0.0, "")
    assert len(got.pairs) == 1
    assert got.n_common == 5
    assert "x: no scores" in got.warnings


def test_models_on_different_cases_are_compared_by_welch_and_it_says_so(suite, graded):
    a, b = graded(20, lead=0.4), graded(30)
    trials = suite({"a": [*a, *[None] * 30], "b": [*[None] * 20, *b]})
    got = compare(trials)
    want = welch(a, b)
    assert (got.is_paired, got.n_common) == (False, 0)
    assert (got.headline.test, got.headline.p_value) == ("welch", pytest.approx(want.p_value))
    assert (got.headline.low, got.headline.high) == pytest.approx((want.low, want.high))
    assert got.method == "Welch's t, for different cases"
    assert [one.mean for one in got.models] == pytest.approx([a.mean(), b.mean()])
    assert (got.headline.wins, got.headline.d_z) == (None, None)


def test_without_common_cases_each_pair_stands_on_what_it_shares(suite, graded):
    none = [None] * 8
    scores = {
        "a": [*graded(8, lead=0.2), *graded(8), *none],
        "b": [*none, *graded(8), *graded(8)],
        "c": [*graded(8), *none, *graded(8)],
    }
    got = compare(suite(scores))
    assert not got.is_paired
    assert {one.test for one in got.pairs} == {"sign_flip"}
    assert {one.n for one in got.pairs} == {8}
    assert all(one.diff >= 0 for one in got.pairs)
    assert got.warnings[-1].startswith("no case has scores for all models")
    with pytest.raises(NotComparable, match="max-T"):
        compare(suite(scores), correction="max_t")


def test_a_margin_lets_models_be_equivalent(suite, graded):
    a = graded(200)
    a[:13] = 0.5
    b = np.concatenate(([1, 0] * 6 + [0.6], a[13:]))
    near = compare(suite({"a": a, "b": b}), margin=0.05).headline
    assert near.p_equivalence < 0.05
    assert near.verdict == "equivalent"
    assert near.sentence.startswith(f"{near.model_a} and {near.model_b} are equivalent within 5.0")
    assert compare(suite({"a": a, "b": b}), margin=0.0001).headline.verdict == "not_significant"


def test_few_cases_are_not_called_equivalent_and_it_says_why(suite):
    scores = {"a": [0.5] * 10, "b": [0.5] * 9 + [0.51]}
    near = compare(suite(scores), margin=0.05).headline
    assert (near.p_equivalence, near.verdict) == (None, "not_significant")
    assert near.warnings[-1].startswith("equivalence needs 50 items")
    apart = {"a": [0.5, 0.9, None, None], "b": [None, None, 0.5, 0.8]}
    near = compare(suite(apart), margin=0.05).headline
    assert near.warnings[-1] == "no equivalence test without common cases"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([0.5], [0.9], "is not tested"),
        ([1, 0, 1], [1, 0, 1], "have the same score in every case"),
        ([0.9] * 4, [0.5] * 4, None),
    ],
)
def test_a_pair_without_a_test_is_called_so(suite, a, b, said):
    """As a step of a trend is; equal differences can be tested by flips of their signs."""
    pair = compare(suite({"a": a, "b": b})).headline
    is_tested = pair.p_value is not None
    assert (pair.verdict == "not_tested") is not is_tested
    assert is_tested is (said is None)
    assert said is None or said in pair.sentence
    assert planning.more_cases(compare(suite({"a": a, "b": b})), pair) is None or is_tested


def test_weights_count_and_cases_may_be_chosen_anew(suite, graded, rng):
    a, b = graded(60), graded(60)
    w = rng.random(60) + 0.5
    got = compare(suite({"a": a, "b": b}, weights=list(w)))
    want = paired_t(a, b, weights=w)
    assert got.is_weighted
    assert abs(got.headline.diff) == pytest.approx(abs(want.diff))
    some = compare(suite({"a": a, "b": b}), cases={f"c{at}": 1.0 for at in range(10)})
    assert (some.n_cases, some.n_common) == (10, 10)


def test_sentences_say_who_is_ahead_and_how_sure_that_is(suite):
    a, b = [1] * 14 + [0] * 6, [1] * 5 + [0] * 15
    ahead = compare(suite({"a": a, "b": b})).headline
    assert ahead.sentence == "a beats b by 45.0 points (95% CI 21.6 to 65.8)."
    level = compare(suite({"a": a, "b": a[::-1]})).headline
    assert level.sentence.startswith(
        "No significant difference: a and b have equal accuracies (95% CI "
    )
    same = compare(suite({"a": a, "b": a})).headline
    assert same.sentence == "No difference: a and b have the same score in every case."
    few = compare(suite({"a": [1, 0.5, 1, 0.9, 1], "b": [0.5, 0, 0.9, 0.5, 0]})).headline
    assert few.sentence == "No significant difference: a leads b by 50.0 points (p = 0.062)."


def test_sentences_name_the_adjustment_over_many_pairs(suite, graded):
    scores = {name: graded(80) for name in "abc"}
    text = compare(suite(scores)).headline.sentence
    assert "; both Holm-adjusted over 3 pairs)." in text


@pytest.mark.parametrize(
    ("score", "text"),
    [(0.0312, "3.1"), (-0.0312, "-3.1"), (0.0, "0.0"), (-1e-18, "0.0"), (0.0004, "0.04")],
)
def test_points_keep_digits_of_small_differences(score, text):
    assert points(score) == text


def test_the_dictionary_is_plain_json(suite, graded):
    got = compare(suite({"a": graded(20), "b": graded(20), "x": [None] * 20})).to_dict()
    assert json.loads(json.dumps(got, allow_nan=False)) == got
    assert (got["scale"], got["correction"], got["n_common"]) == ("0-1", "holm", 20)
    assert got["pairs"][0]["sentence"].endswith(".")


def test_the_order_of_the_trials_changes_no_digit(suite, graded, rng):
    trials = suite({name: graded(40) for name in "abc"})
    shuffled = [trials[at] for at in rng.permutation(len(trials))]
    assert compare(shuffled, models="abc").to_dict() == compare(trials, models="abc").to_dict()


def test_runs_of_different_suites_are_not_comparable(suite, a_run, a_trial):
    trials = suite({"a": [1, 0], "b": [0, 1]})
    with pytest.raises(NotComparable, match="suite"):
        compare(trials, [a_run(), a_run("r2", suite_hash="cd" * 32)])
    other = columns_of([a_trial(0, 1.0, model="b", run="r9", case_id="another")])
    with pytest.raises(NotComparable, match="Place 1"):
        compare([columns_of(trials), other])


@pytest.mark.parametrize(
    ("scores", "got"), [({"a": [1, 0]}, 1), ({"a": [1, 0], "b": [None, None]}, 1), ({}, 0)]
)
def test_fewer_than_two_models_with_scores_are_not_enough(suite, scores, got):
    with pytest.raises(NotEnoughData, match="2 scored models") as caught:
        compare(suite(scores))
    assert (caught.value.needed, caught.value.got) == (2, got)


def test_cases_that_all_weigh_nothing_are_not_enough(suite):
    with pytest.raises(NotEnoughData):
        compare(suite({"a": [1, 0], "b": [0, 1]}, weights=[0.0, 0.0]))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"models": ["a", "bb"]}, "No model 'bb'"),
        ({"level": 1.5}, "not between 0 and 1"),
        ({"margin": -1}, "margin of equivalence"),
        ({"cases": {"zz": 1.0}}, "None of these cases"),
        ({"cases": {"c0": math.nan}}, "weights are at least 0"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(suite, more, words):
    with pytest.raises(SpecError, match=words):
        compare(suite({"a": [1, 0.5], "b": [0, 1]}), **more)


def test_a_pair_of_models_that_are_not_compared_is_refused(suite):
    with pytest.raises(SpecError, match="No pair of 'a' and 'z'"):
        compare(suite({"a": [1, 0.5], "b": [0, 1]})).pair("a", "z")


def test_one_common_case_compares_nothing_and_says_why(suite):
    got = compare(suite({"a": [1, 0.5, None], "b": [None, 0, 1]}))
    assert got.headline.reason == "1 difference, at least 2 are needed"
    assert got.headline.verdict == "not_tested"


def test_results_under_two_profiles_are_not_compared(tmp_path):
    asked = Suite("s", [Case(id="a", prompt="?", expected="1")], scorer=ScorerSpec(id="exact"))
    made = [
        run(
            asked,
            provider=Scripted({(name, "a"): "1"}),
            home=tmp_path,
            options=RunOptions(profile=profile),
        )
        for name, profile in (("m", "classic"), ("n", "robust"))
    ]

    with pytest.raises(NotComparable, match="scoring profile"):
        compare(made)


def test_runs_of_different_judges_say_so(suite, a_run):
    judges = {"r1": "strict", "r2": "kind", "r3": None}
    runs = [a_run(name, models=("a", "b"), judge_model=judge) for name, judge in judges.items()]
    trials = suite({"a": [1, 0.5], "b": [0, 1]})
    words = "different judging, which may explain differences: r1 by strict, r2 by kind"
    for compared in (compare, rank):
        assert words in compared(trials, runs=runs[:2]).warnings
        assert f"{words}, r3 by no judge" in compared(trials, runs=runs).warnings
        assert not any("judged" in it for it in compared(trials, runs=runs[:1]).warnings)


def test_an_equivalence_is_told_with_its_own_p(suite, rng):
    base = 0.2 + 0.6 * rng.random(400)
    near, far = base + rng.normal(0, 0.01, 400), base - 0.1

    pair = compare(suite({"a": base, "b": near, "c": far}), margin=0.05).pair("a", "b")

    assert pair.verdict == "equivalent"
    assert "equivalence p < 0.001, Holm-adjusted over" in pair.sentence


def test_only_pairs_that_are_tested_are_counted_among_the_tests(suite, rng):
    scores = {name: rng.integers(0, 2, 40).tolist() for name in "abc"}
    scores |= {"a2": scores["a"], "a3": scores["a"]}
    got, alone = compare(suite(scores)), compare(suite({name: scores[name] for name in "abc"}))
    equal = [one for one in got.pairs if {one.model_a, one.model_b} <= {"a", "a2", "a3"}]
    assert [(one.p_value, one.p_adjusted, one.reason) for one in equal] == [
        (None, None, "no difference in any case")
    ] * 3
    assert got.method == "McNemar's binomial test with mid-p; Holm over 7 pairs"
    assert {one.adjustment for one in got.pairs} == {"Holm over 7 pairs"}
    tested = [one for one in got.pairs if one not in equal]
    assert [one.p_adjusted for one in tested] == pytest.approx(
        adjust_p_values([one.p_value for one in tested], "holm")
    )
    assert alone.pairs[0].adjustment == "Holm over 3 pairs"


def test_with_one_pair_that_is_tested_nothing_is_adjusted(suite):
    got = compare(suite({"a": [1.0] * 9 + [0.0], "a2": [1.0] * 9 + [0.0]}))
    assert got.headline.sentence == "No difference: a and a2 have the same score in every case."
    assert got.headline.adjustment == ""


def test_equivalence_is_told_with_its_own_number_of_tests(suite, rng):
    right = rng.integers(0, 2, 400).astype(float).tolist()
    other = [1 - right[0], *right[1:]]
    got = compare(suite({"a": right, "b": right, "c": other}), margin=0.2)
    assert {one.verdict for one in got.pairs} == {"equivalent"}
    tested = [one for one in got.pairs if one.p_equivalence is not None]
    assert {one.equivalence_adjustment for one in tested} == {f"Holm over {len(tested)} pairs"}
    assert all(f"Holm-adjusted over {len(tested)} pairs" in one.sentence for one in tested)


def test_too_few_differing_cases_are_warned_of(suite):
    same, some = [0.5] * 6, [0.5, 0.5, 0.5, 0.5, 0.9, 0.9]
    said = "2 of 6 cases differ; at least 6 must for a significant result"
    got = compare(suite({"a": some, "b": same}))
    assert got.warnings == got.headline.warnings == (said,)
    many = compare(
        suite({"a": [0.9, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4], "b": [0.4] * 7, "c": [0.1] * 7})
    )
    assert many.pair("a", "b").warnings == (said.replace("6 cases", "7 cases"),)
    assert many.pair("a", "c").warnings == ()


def test_a_metric_of_checks_is_compared_over_the_cases_with_such_a_check(tmp_path):
    styled = [{"type": "contains", "value": "good", "metric": "style"}]
    cases = [
        {
            "id": f"c{at}",
            "prompt": "?",
            "checks": styled if at < 6 else [styled[0] | {"metric": "x"}],
        }
        for at in range(8)
    ]
    suite = {"name": "styles", "profile": "robust", "cases": cases}

    def reply(request):
        return "good" if request.model == "a" or request.case_id in {"c0", "c7"} else "bad"

    made = run(suite, provider=Scripted(reply, models=("a", "b")), home=tmp_path)
    found = compare(made, metric="style")
    assert [(it.n_scored, it.n_cases, it.coverage) for it in found.models] == [(6, 6, 1.0)] * 2
    assert compare(made).n_cases == 8


def test_a_case_whose_check_of_the_metric_is_undecided_counts_as_not_covered(tmp_path):
    checks = [{"type": "latency", "max": 1, "metric": "speed"}]
    cases = [{"id": f"c{at}", "prompt": "?", "checks": checks} for at in range(6)]
    suite = {"name": "speeds", "profile": "robust", "cases": cases}

    def reply(request):
        return Completion(text="x", latency_s=None if request.case_id == "c0" else 0.5)

    made = run(suite, provider=Scripted(reply, models=("a", "b")), home=tmp_path)
    found = compare(made, metric="speed")
    assert [(it.n_scored, it.n_cases) for it in found.models] == [(5, 6)] * 2
