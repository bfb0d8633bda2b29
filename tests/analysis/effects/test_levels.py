from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.errors import NotEnoughData
from benchmaker.record.setup import Setup
from tests.analysis.effects.designs import a_design, a_run, columns_for, setups_of

CASES = 80


def random_scores(setups, seed=1, cases=CASES):
    return np.random.default_rng(seed).random((cases, len(setups)))


def means(setups, scores, **levels):
    chosen = [all(getattr(one, key) == level for key, level in levels.items()) for one in setups]
    return scores[:, chosen].mean(axis=1)


def compared(setups, scores, by, **options):
    columns = columns_for(
        setups,
        scores,
        **{it: options.pop(it) for it in ("groups", "weights", "costs") if it in options},
    )
    return compare_levels(columns, by, [a_run(setups)], **options)


def test_a_pair_is_the_paired_t_test_of_the_case_means_over_the_other_dimensions():
    setups = setups_of(("a", "b", "c"), ("plain", "few"), ("low", "high"))
    scores = random_scores(setups)
    pair = compared(setups, scores, "prompt").headline
    a, b = (means(setups, scores, prompt_id=one) for one in (pair.a, pair.b))
    expected = stats.ttest_rel(a, b)
    assert pair.diff == pytest.approx((a - b).mean())
    assert pair.p == pytest.approx(expected.pvalue)
    assert (pair.low, pair.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert pair.over == {"model": ("a", "b", "c"), "effort": ("low", "high")}


def test_expansions_of_a_case_are_one_cluster():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = random_scores(setups, cases=180)
    groups = np.repeat(np.arange(60), 3)
    pair = compared(setups, scores, "prompt", groups=groups).headline
    d = means(setups, scores, prompt_id=pair.a) - means(setups, scores, prompt_id=pair.b)
    fitted = sm.OLS(d, np.ones(len(d))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    assert (pair.n_cases, pair.clusters) == (180, 60)
    assert pair.p == pytest.approx(fitted.pvalues[0], rel=1e-6)
    assert (pair.low, pair.high) == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-6)


def test_weights_of_cases_are_respected():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores, weights = random_scores(setups), np.linspace(1, 3, CASES)
    pair = compared(setups, scores, "prompt", weights=weights).headline
    d = means(setups, scores, prompt_id=pair.a) - means(setups, scores, prompt_id=pair.b)
    assert pair.diff == pytest.approx(np.average(d, weights=weights))


def test_all_pairs_are_adjusted_by_holm():
    setups = setups_of(("a", "b"), ("one", "two", "three", "four"))
    made = compared(setups, random_scores(setups), "prompt")
    expected = multipletests([one.p for one in made.pairs], method="holm")[1]
    assert [one.p_adj for one in made.pairs] == pytest.approx(expected)
    assert len(made.pairs) == 6


def test_few_clusters_get_sign_flips():
    setups = setups_of(("a", "b"), ("plain", "few"))
    assert compared(setups, random_scores(setups, cases=12), "prompt").headline.test == "sign_flip"


def test_only_combinations_that_both_levels_have_count():
    setups = tuple(
        one for one in setups_of(("a", "b", "c"), ("plain", "few")) if one.name != "c · few"
    )
    scores = random_scores(setups)
    made = compared(setups, scores, "prompt")
    pair = made.headline
    both = {
        it: means([one for one in setups if one.model != "c"], scores[:, :4], prompt_id=it)
        for it in ("plain", "few")
    }
    assert pair.over == {"model": ("a", "b"), "effort": ("default",)}
    assert pair.diff == pytest.approx(abs((both["few"] - both["plain"]).mean()))
    assert "each pair is compared over those that both have" in made.warnings[0]


def test_levels_that_share_no_combination_are_not_compared():
    setups = [
        Setup(name="a", model="a", prompt_id="one"),
        Setup(name="b", model="b", prompt_id="two"),
    ]
    with pytest.raises(NotEnoughData, match="No two prompts share a setup"):
        compared(setups, random_scores(setups), "prompt")


def test_a_case_counts_where_every_setup_of_both_levels_is_scored():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = random_scores(setups)
    scores[3, 0] = scores[7, 2] = np.nan
    made = compared(setups, scores, "prompt")
    kept = ~np.isnan(scores).any(axis=1)
    assert made.headline.n_cases == CASES - 2 == made.n_common
    assert made.headline.diff == pytest.approx(
        abs(
            (
                means(setups, scores[kept], prompt_id="few")
                - means(setups, scores[kept], prompt_id="plain")
            ).mean()
        )
    )


def test_a_setup_without_scores_is_left_out_and_named():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = random_scores(setups)
    scores[:, 3] = np.nan
    made = compared(setups, scores, "prompt")
    assert "b · few: no scores" in made.warnings
    assert made.headline.over["model"] == ("a",)


def test_a_model_that_takes_no_effort_is_left_out_of_a_comparison_by_effort():
    setups = setups_of(("alpha", "beta"), ("plain",), ("low", "high"))
    scores = np.random.default_rng(5).random((20, len(setups)))
    columns = columns_for(setups, scores)
    mute = [at for at, one in enumerate(setups) if one.model == "beta"]
    flagged = replace(
        columns,
        flag_set=np.isin(columns.model, mute).astype(np.int32),
        flag_sets=(frozenset(), frozenset({"unsent_reasoning_effort"})),
    )
    found = compare_levels(flagged, "effort", [a_run(setups)])
    alone = [one.name for one in setups if one.model == "alpha"]
    only = compare_levels(columns, "effort", [a_run(setups)], setups=alone)
    assert found.pairs == only.pairs
    assert "beta takes no effort and is left out" in found.warnings
    mute_only = [one.name for one in setups if one.model == "beta"]
    with pytest.raises(NotEnoughData, match="beta takes none") as caught:
        compare_levels(flagged, "effort", [a_run(setups)], setups=mute_only)
    assert "Remove efforts from the suite" in str(caught.value)
    by_model = compare_levels(flagged, "model", [a_run(setups)])
    assert {one.level for one in by_model.levels} == {"alpha", "beta"}


def test_one_level_is_too_few():
    setups = setups_of(("a", "b"), ("plain",))
    with pytest.raises(NotEnoughData, match="needs 2 scored prompts, found 1"):
        compared(setups, random_scores(setups), "prompt")


def test_models_of_a_run_without_dimensions_are_its_names():
    setups = [Setup(name="x", model="x"), Setup(name="y", model="y")]
    run = a_run(setups)
    bare = type(run)(**{**{f: getattr(run, f) for f in run.__struct_fields__}, "setups": ()})
    scores = random_scores(setups)
    made = compare_levels(columns_for(setups, scores), "model", [bare])
    assert {made.headline.a, made.headline.b} == {"x", "y"}


def test_strict_counts_exactly_right_answers():
    setups = setups_of(("a",), ("plain", "few"))
    scores = random_scores(setups).round()
    scores[0] = 0.99
    made = compared(setups, scores, "prompt", metric="strict")
    assert made.headline.diff == pytest.approx(abs((scores == 1).mean(axis=0) @ [1, -1]))


def test_the_sentence_names_the_prompt_and_the_models_it_is_averaged_over():
    design = a_design(prompt={"few": 0.1})
    scores = design.scores(np.random.default_rng(0), 100)
    made = compared(design.setups, scores, "prompt")
    said = made.headline.sentence
    assert said.startswith("Prompt few beats plain by ")
    assert said.endswith(", over 3 models and 2 efforts.")


def test_a_pair_without_a_clear_difference_says_so():
    setups = setups_of(("a",), ("plain", "few"))
    made = compared(setups, random_scores(setups), "prompt")
    assert made.headline.sentence.startswith("No significant difference: prompt ")


def test_a_margin_finds_equivalent_levels_and_the_cheapest():
    design = a_design(effort={"high": 0.001})
    scores = design.scores(np.random.default_rng(0), 200)
    costs = [[0.03 if one.effort == "high" else 0.01 for one in design.setups]] * 200
    made = compared(design.setups, scores, "effort", margin=0.05, costs=costs)
    assert made.headline.verdict == "equivalent"
    assert made.headline.sentence.startswith("Efforts ")
    assert made.within_margin.cheapest == "low"


def test_the_reference_leaves_its_own_pairs():
    setups = setups_of(("a", "b"), ("one", "two", "three"))
    made = compared(setups, random_scores(setups), "prompt", reference="two")
    assert len(made.pairs) == 2
    assert all("two" in (one.a, one.b) for one in made.pairs)


def test_the_document_has_the_keys_of_a_pair():
    setups = setups_of()
    pair = compared(setups, random_scores(setups), "prompt").to_dict()["pairs"][0]
    assert list(pair)[:8] == ["a", "b", "diff", "low", "high", "p", "p_adj", "verdict"]
