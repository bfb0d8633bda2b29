"""A setup that was dropped or stopped changes nothing in the comparison of the others."""

from itertools import combinations

import numpy as np
import pytest

from benchmaker.analysis import columns_of, summarise
from benchmaker.analysis.comparison.comparison import cheapest_within, compare
from benchmaker.analysis.comparison.groups import compare_by
from benchmaker.analysis.comparison.pilot import pilot_of
from benchmaker.analysis.comparison.planning import more_cases
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.analysis.early_ends import early_ends
from benchmaker.analysis.ratings.rate import rank
from benchmaker.record import MODEL_STOPPED, Outcome, RunState, Setup
from benchmaker.spec import Case
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.multiple_comparisons import adjust_p_values

CASES = 40
RIGHT = {"a": 0.9, "b": 0.7, "c": 0.4}
DROPPED_AT = 13


@pytest.fixture
def whole(a_trial):
    """Scores of 0 and 1 of three setups over all cases, the same in every test."""
    rng = np.random.default_rng(31)
    scores = {name: (rng.random(CASES) < right).astype(float) for name, right in RIGHT.items()}
    return [
        a_trial(at, score, model=name, cost_usd=0.01)
        for name, row in scores.items()
        for at, score in enumerate(row)
    ]


@pytest.fixture
def part(a_trial):
    """The setup ``d`` with its first cases only; the last trial may have a flag or an outcome."""

    def make(n=DROPPED_AT, *, flags=(), outcome=None, model="d"):
        answered = [a_trial(at, float(at % 3 > 0), model=model, cost_usd=0.01) for at in range(n)]
        if not (flags or outcome):
            return answered
        last = a_trial(n, None, model=model, flags=flags, outcome=outcome or Outcome.PROVIDER_ERROR)
        return [*answered, last]

    return make


@pytest.fixture
def dropped_run(a_run):
    """The run of all four setups, from which ``d`` was dropped."""
    return a_run(models=(*RIGHT, "d"), planned=4 * CASES, dropped=("d",))


def _pairs(made, names):
    return [one for one in made.pairs if {one.model_a, one.model_b} <= set(names)]


@pytest.mark.parametrize(
    "options", [{}, {"correction": "max_t"}, {"correction": None}, {"margin": 0.1}]
)
@pytest.mark.parametrize("n", [0, 1, DROPPED_AT, CASES - 1])
def test_a_dropped_setup_changes_no_figure_of_the_others(whole, part, dropped_run, n, options):
    without = compare(whole, **options)
    made = compare([*whole, *part(n)], [dropped_run], **options)
    assert _pairs(made, RIGHT) == list(without.pairs)
    assert made.models[:3] == without.models
    assert (made.n_common, made.n_cases, made.clusters) == (CASES, CASES, CASES)
    assert (made.method, made.headline) == (without.method, without.headline)
    assert made.within_margin == without.within_margin
    assert [more_cases(made, one) for one in _pairs(made, RIGHT)] == [
        more_cases(without, one) for one in without.pairs
    ]


def test_a_summary_has_a_dropped_setup_after_the_compared_ones(whole, a_trial, dropped_run):
    best = [a_trial(at, 1.0, model="d") for at in range(DROPPED_AT)]
    made = summarise([*whole, *best], [dropped_run])
    assert [one.model for one in made.models] == ["a", "b", "c", "d"]
    assert (made.models[-1].mean, made.models[-1].n_scored) == (1.0, DROPPED_AT)
    assert [one.setup for one in made.setups] == ["a", "b", "c", "d"]


def test_a_summary_has_a_dropped_setup_in_its_place_if_it_is_compared(whole, a_trial, a_run):
    pair = [one for one in whole if one.model == "a"]
    best = [a_trial(at, 1.0, model="d") for at in range(DROPPED_AT)]
    made = summarise([*pair, *best], [a_run(models=("a", "d"), dropped=("d",))])
    assert [one.model for one in made.models] == ["d", "a"]


def test_several_dropped_setups_change_nothing_either(whole, part, a_run):
    run = a_run(models=(*RIGHT, "d", "e"), dropped=("d", "e"))
    made = compare([*whole, *part(9), *part(20, model="e")], [run])
    assert _pairs(made, RIGHT) == list(compare(whole).pairs)
    assert made.pair("d", "e").n == 9
    assert len(made.pairs) == 10


def test_a_dropped_setup_has_its_own_mean_and_number_of_cases(whole, part, dropped_run):
    made = compare([*whole, *part()], [dropped_run])
    last = made.models[-1]
    assert (last.model, last.n_scored, last.n_cases) == ("d", DROPPED_AT, CASES)
    assert last.mean == pytest.approx(np.mean([at % 3 > 0 for at in range(DROPPED_AT)]))
    assert made.left_out == {"d": f"dropped after {DROPPED_AT} of {CASES} cases"}
    assert made.warnings == ()


def test_the_pairs_of_a_dropped_setup_are_over_the_cases_that_both_have(whole, part, dropped_run):
    """By a second computation: McNemar's test over these cases, adjusted by Holm over three."""
    made = compare([*whole, *part()], [dropped_run])
    scores = {name: [it.score.score for it in whole if it.model == name] for name in RIGHT}
    scores["d"] = [it.score.score for it in part()]
    plain = {}
    for name in RIGHT:
        both = list(zip(scores[name], scores["d"], strict=False))
        won, lost = sum(x > y for x, y in both), sum(x < y for x, y in both)
        plain[name] = mcnemar(won, lost, n=DROPPED_AT).p_mid if won or lost else None
    adjusted = dict(zip(plain, adjust_p_values(list(plain.values()), "holm"), strict=True))
    for name in RIGHT:
        pair = made.pair(name, "d")
        assert (pair.n, pair.p_value) == (DROPPED_AT, plain[name])
        assert pair.p_adjusted == adjusted[name]


def test_a_setup_whose_model_was_stopped_is_left_out(whole, part):
    made = compare([*whole, *part(flags=(MODEL_STOPPED,))])
    assert made.left_out == {"d": f"stopped after {DROPPED_AT} of {CASES} cases"}
    assert _pairs(made, RIGHT) == list(compare(whole).pairs)


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.PROVIDER_ERROR, Outcome.CANCELLED])
def test_failed_and_cancelled_trials_do_not_leave_a_setup_out(whole, part, outcome):
    made = compare([*whole, *part(outcome=outcome)])
    assert (made.left_out, made.n_common) == ({}, DROPPED_AT)


def test_few_cases_alone_do_not_leave_a_setup_out(whole, part, a_run):
    made = compare([*whole, *part()], [a_run(models=(*RIGHT, "d"))])
    assert (made.left_out, made.n_common) == ({}, DROPPED_AT)


def test_a_setup_that_was_dropped_after_its_last_case_is_compared(whole, part, dropped_run):
    made = compare([*whole, *part(CASES)], [dropped_run])
    assert (made.left_out, made.n_common) == ({}, CASES)


def test_a_setup_that_another_run_has_in_full_is_compared(whole, part, dropped_run, a_trial):
    again = [a_trial(at, 1.0, model="d", run="r2") for at in range(CASES)]
    assert early_ends(columns_of([*whole, *part(), *again]), [dropped_run]) == {}


def test_other_setups_of_a_stopped_model_are_stopped_too(whole, part, a_run):
    setups = tuple(Setup(name=it, model="d", effort=it) for it in ("low", "high"))
    run = a_run(models=(*RIGHT, "low", "high"), setups=setups)
    trials = [*whole, *part(5, model="low", flags=(MODEL_STOPPED,)), *part(7, model="high")]
    assert early_ends(columns_of(trials), [run]) == {
        "low": "stopped after 5 of 40 cases",
        "high": "stopped after 7 of 40 cases",
    }


def test_of_two_setups_both_are_compared(whole, part, dropped_run):
    made = compare([*whole, *part()], [dropped_run], models=("a", "d"))
    assert (made.left_out, made.n_common, made.n_cases) == ({}, DROPPED_AT, CASES)
    assert made.headline.n == DROPPED_AT


def test_an_unfinished_run_with_a_dropped_setup_is_compared_over_the_others(whole, part, a_run):
    run = a_run(models=(*RIGHT, "d"), dropped=("d",), state=RunState.RUNNING)
    made = compare([*whole[: 2 * CASES], *part()], [run])
    assert (list(made.left_out), made.n_common) == (["d"], CASES)


def test_the_order_of_the_trials_changes_nothing(whole, part, dropped_run):
    trials = [*whole, *part()]
    made, turned = (compare(it, [dropped_run]) for it in (trials, trials[::-1]))
    key = {"a": 0, "b": 1, "c": 2, "d": 3}

    def figures(one):
        found = ((it.model_a, it.model_b, it.diff, it.p_adjusted) for it in one.pairs)
        return sorted(found, key=lambda it: (key[it[0]], key[it[1]]))

    assert figures(made) == figures(turned)


def test_a_reference_keeps_the_families_apart(whole, part, dropped_run):
    made = compare([*whole, *part()], [dropped_run])
    seen, without = (compare_with_reference(one, "b") for one in (made, compare(whole)))
    assert _pairs(seen, RIGHT) == list(without.pairs)
    assert seen.method == without.method
    own = compare_with_reference(made, "d")
    assert [(one.n, one.adjustment) for one in own.pairs] == [
        (DROPPED_AT, own.pairs[0].adjustment)
    ] * 3


def test_groups_of_cases_are_compared_without_the_dropped_setup(whole, part, dropped_run):
    cases = [Case(id=f"c{at}", prompt="x", category=f"g{at % 2}") for at in range(CASES)]
    made = compare_by([*whole, *part()], cases, "category", runs=[dropped_run])
    plain = compare_by(whole, cases, "category")
    for label, one in made.comparisons.items():
        assert _pairs(one, RIGHT) == list(plain.comparisons[label].pairs)


def test_a_dropped_setup_is_not_ranked_and_changes_no_rank(whole, part, dropped_run):
    made, plain = rank([*whole, *part()], [dropped_run]), rank(whole)
    assert (made.models, made.n_prompts) == (plain.models, CASES)
    assert "not ranked (dropped after 13 of 40 cases): d" in made.warnings


def test_the_cheapest_setup_is_found_without_the_dropped_one(whole, part, dropped_run):
    found = cheapest_within([*whole, *part()], [dropped_run], margin=0.1)
    assert found == cheapest_within(whole, margin=0.1)
    assert found.n_cases == CASES


def test_a_pilot_takes_the_best_setups_that_were_not_dropped(whole, part):
    trials = [*whole, *part(flags=(MODEL_STOPPED,))]
    assert pilot_of(trials) == pilot_of(whole)


def test_pairs_of_the_dropped_setup_are_as_in_a_comparison_of_two(whole, part, dropped_run):
    made = compare([*whole, *part()], [dropped_run])
    for name in RIGHT:
        alone = compare([*whole, *part()], [dropped_run], models=(name, "d")).headline
        pair = made.pair(name, "d")
        assert (pair.diff, pair.p_value, pair.n) == (alone.diff, alone.p_value, alone.n)
    assert {frozenset((it.model_a, it.model_b)) for it in made.pairs} == {
        frozenset(it) for it in combinations("abcd", 2)
    }
