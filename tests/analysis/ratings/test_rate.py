import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from benchmaker.analysis import columns_of, compare, rank
from benchmaker.analysis.comparison.pairing import case_table
from benchmaker.analysis.ratings.battles import Rounds, rounds_of_battles, rounds_of_scores
from benchmaker.errors import (
    AnalysisError,
    DisconnectedBattles,
    NotComparable,
    NotEnoughData,
    SpecError,
)
from benchmaker.record.battle import Battle, BattleSource, Verdict
from benchmaker.stats.ratings import battles, bradley_terry
from tests.analysis.conftest import make_trial

MODELS = ("a", "b", "c", "d")


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def suite(a_trial, rng):
    """Trials of four models of different strength over so many cases."""

    def make(cases=60, *, runs=("r1",), **more):
        hard = rng.normal(size=cases)

        def passed(at, i):
            return float(rng.random() < 1 / (1 + math.exp(hard[at] - 0.6 * i)))

        return [
            a_trial(at, passed(at, i), model=model, run=run, **more)
            for run in runs
            for i, model in enumerate(MODELS)
            for at in range(cases)
        ]

    return make


def a_battle(a, b, outcome, **more):
    return Battle(a=a, b=b, outcome=Verdict(outcome), source=BattleSource.VOTE, **more)


@pytest.fixture
def votes(rng):
    """Votes of ten voters on twelve prompts."""
    return [
        a_battle(
            *rng.permutation(["x", "y", "z"])[:2].tolist(),
            str(rng.choice(["a", "b", "tie"])),
            actor=f"u{rng.integers(10)}",
            case_id=f"p{rng.integers(12)}",
        )
        for _ in range(200)
    ]


def by_hand(trials):
    """Every case a round of battles, written out."""
    cells = {}
    for one in trials:
        cells.setdefault((one.position, one.model), []).append(one.score.score)
    means = {cell: sum(row) / len(row) for cell, row in cells.items()}
    fought = [
        (i, j, {1: "a", -1: "b", 0: "tie"}[np.sign(means[at, i] - means[at, j])], at)
        for at in sorted({position for position, _ in means})
        for i, j in combinations(sorted({model for _, model in means}), 2)
        if (at, i) in means and (at, j) in means
    ]  # fmt: skip
    a, b, outcome, at = zip(*fought, strict=True)
    return battles(a, b, outcome), at


def test_a_suite_is_rated_like_battles_written_out_and_clustered_by_case(suite):
    trials = suite()
    rows, at = by_hand(trials)
    want = bradley_terry(rows, clusters=at)
    got = rank(trials)
    for one in want.rows():
        line = next(row for row in got.models if row.model == one.name)
        assert line.score == pytest.approx(one.score, abs=1e-8)
        assert (line.low, line.high) == pytest.approx((one.low, one.high), abs=1e-8)
        assert (line.rank, line.n_battles) == (one.rank, one.n_battles)
    assert (got.n, got.n_prompts, got.clusters) == (360, 60, 60)


def test_a_case_counts_with_its_mean_over_runs(suite):
    trials = suite(30, runs=("r1", "r2", "r3"))
    rows, _ = by_hand(trials)
    made = rounds_of_scores(case_table(columns_of(trials)))
    assert np.array_equal(made.battles.counts().win, rows.counts().win)
    assert np.array_equal(made.battles.counts().tie, rows.counts().tie)


def test_cases_that_share_a_group_are_one_cluster(suite):
    assert rank(suite(20, group="g"), cluster="none").clusters is None
    with pytest.raises(NotEnoughData, match="only one cluster"):
        rank(suite(20, group="g"))


@st.composite
def score_tables(draw):
    """Scores of two to five models over few cases: right and wrong, or graded."""
    cases, models = draw(st.integers(5, 25)), draw(st.integers(2, 5))
    score = st.sampled_from([0.0, 1.0] if draw(st.booleans()) else [0.0, 0.3, 0.7, 1.0])
    row = st.lists(score, min_size=models, max_size=models)
    table = draw(st.lists(row, min_size=cases, max_size=cases))
    weights = draw(
        st.none() | st.lists(st.sampled_from([1.0, 4.0, 40.0]), min_size=cases, max_size=cases)
    )
    groups = draw(st.none() | st.lists(st.integers(0, 6), min_size=cases, max_size=cases))
    return table, weights, groups


def ranked_and_compared(a_trial, table, weights, groups, **chosen):
    """The ranking and the comparison of the same scores; nothing where there are no ranks."""
    trials = [
        a_trial(at, score, model=f"m{i}", group=f"g{groups[at]}" if groups else None)
        for at, row in enumerate(table)
        for i, score in enumerate(row)
    ]
    cases = {f"c{at}": weight for at, weight in enumerate(weights)} if weights else None
    try:
        made = rank(trials, cases=cases, prior=1.0, **chosen)
    except (NotEnoughData, DisconnectedBattles):
        return None
    return (made, compare(trials, cases=cases)) if not made.provisional else None


def assert_no_surer(made, compared):
    """No two models have separate rank intervals, or a sure chance, without being separated."""
    lines = {one.model: one for one in made.models}
    ahead = {(one.model_a, one.model_b) for one in compared.pairs if one.verdict == "ahead"}
    for one in compared.pairs:
        a, b = lines[one.model_a], lines[one.model_b]
        assert (a.model, b.model) in ahead or (a.best <= b.worst and b.best <= a.worst)
    for one in made.models:
        behind = sum(higher == one.model for higher, _ in ahead)
        is_sure = one.p_top is not None and one.p_top > 0.975
        assert not is_sure or len(lines) - behind <= made.top
    if made.models[0].worst == 1:
        first = made.models[0].model
        assert all((first, other) in ahead for other in lines if other != first)


@given(score_tables(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_ranking_is_surer_than_the_comparison(scores, simultaneous):
    found = ranked_and_compared(make_trial, *scores, simultaneous=simultaneous)
    if found is not None:
        assert_no_surer(*found)


def test_models_that_few_equal_cases_do_not_separate_share_a_rank(a_trial):
    """One model wins five rounds and loses none: McNemar's mid-p is .03, Holm's over three .09."""
    table = [[1.0, 1.0, 1.0 if at > 4 else 0.0] for at in range(20)]
    made, compared = ranked_and_compared(a_trial, table, None, None)
    assert compared.headline.verdict == "not_tested"
    assert {(one.best, one.worst) for one in made.models} == {(1, 3)}


def test_groups_of_cases_are_no_surer_than_the_comparison(a_trial):
    table = [[1.0, 0.0] for _ in range(18)]
    made, compared = ranked_and_compared(a_trial, table, None, [at % 3 for at in range(18)])
    assert compared.headline.verdict == "not_significant"
    assert [(one.best, one.worst) for one in made.models] == [(1, 2)] * 2
    assert_no_surer(made, compared)


def test_weights_of_cases_are_weights_of_battles(suite, a_trial):
    trials = suite(20)
    twice = [a_trial(one.position + 20, one.score.score, model=one.model) for one in trials]
    heavy = {f"c{at}": 2.0 for at in range(20)}
    one = rank(trials, cases=heavy)
    two = rank([*trials, *twice])
    assert [row.score for row in one.models] == pytest.approx([row.score for row in two.models])


def test_the_order_of_the_trials_changes_nothing(suite):
    trials = suite()
    assert rank(trials[::-1]) == rank(trials)


@pytest.mark.parametrize(
    "method", ["bradley_terry", "davidson", "rao_kupper", "newman", "win_rate", "elo", "glicko2"]
)
def test_every_method_ranks_a_suite(suite, method):
    got = rank(suite(200), method=method)
    assert got.models[0].model == "d"
    assert [row.rank for row in got.models] == [1, 2, 3, 4]
    assert got.is_order_dependent == (method in {"elo", "glicko2"})
    assert (got.unit == "share") == (method == "win_rate")
    assert bool(got.rank_method) == (method not in {"win_rate", "elo", "glicko2"})


def test_a_rank_is_a_range_that_holds_its_place(suite):
    for row in rank(suite()).models:
        assert row.best <= row.rank <= row.worst
        assert 0 <= row.p_top <= 1


def test_few_cases_are_provisional_and_have_no_ranks(suite):
    got = rank(suite(4))
    assert got.provisional == ("4 cases, at least 5 are needed",)
    assert all(row.rank is row.best is row.p_top is None for row in got.models)
    assert all(row.score is not None for row in got.models)
    assert got.sentence.startswith("Provisional, without ranks")


def test_groups_on_different_scales_are_provisional_and_named():
    rows = [
        a_battle(i, j, out, case_id=f"p{at}", actor=f"u{at}")
        for i, j in (("x", "y"), ("v", "w"))
        for at in range(8)
        for out in "ab"
    ]
    got = rank([*rows, a_battle("x", "v", "a", case_id="p0", actor="u0")])
    assert "v, w; x, y" in got.provisional[0]
    assert {row.group for row in got.models} == {0, 1}
    assert all(row.n_battles == row.wins + row.ties + row.losses for row in got.models)
    assert all(row.rank is None for row in got.models)


def test_one_side_that_won_everything_is_an_error():
    with pytest.raises(DisconnectedBattles, match=r"one side won everything"):
        rank([a_battle("x", "y", "a", case_id=f"p{at}") for at in range(8)])


def test_a_winner_of_everything_is_an_error_with_arguments_that_rank_takes(a_trial):
    scores = [a_trial(at, float(i), model=name) for at in range(8) for i, name in enumerate("xy")]
    with pytest.raises(DisconnectedBattles) as caught:
        rank(scores)
    assert "prior=1 or method='win_rate'" in caught.value.hint
    assert rank(scores, prior=1).models[0].model == "y"
    assert rank(scores, method="win_rate").models[0].model == "y"


def test_a_prior_puts_everybody_on_one_scale():
    rows = [a_battle("x", "y", "a", case_id=f"p{at}") for at in range(8)]
    assert rank(rows, prior=1.0, cluster="none").models[0].model == "x"


def test_votes_are_clustered_by_voter_and_prompt(votes):
    got = rank(votes)
    want = bradley_terry(
        battles([v.a for v in votes], [v.b for v in votes], [v.outcome.value for v in votes]),
        clusters=[v.actor for v in votes],
        crossed_with=[v.case_id for v in votes],
        degrees="effective",
    )
    assert got.cluster == "both"
    assert [row.low for row in got.models] == pytest.approx([row.low for row in want.rows()])
    assert got.source == "votes"


@pytest.mark.parametrize(("cluster", "clusters"), [("voter", 10), ("prompt", 12), ("none", None)])
def test_votes_are_clustered_as_asked(votes, cluster, clusters):
    assert rank(votes, cluster=cluster).clusters == clusters


def test_the_hinge_names_a_set_that_does_flip_the_first_place(votes):
    got = rank(votes)
    assert got.hinge.leader == got.models[0].model
    assert got.hinge.follower != got.hinge.leader
    assert 0 < got.hinge.removed < got.hinge.total == 200
    assert f"Without {got.hinge.removed} of 200 votes" in got.hinge.sentence


def test_the_hinge_of_a_suite_counts_cases(suite):
    assert rank(suite()).hinge.total == 60


def test_style_is_held_equal(votes, rng):
    rows = battles([v.a for v in votes], [v.b for v in votes], [v.outcome.value for v in votes])
    lengths = rng.integers(1, 900, (2, 200)).tolist()
    made = Rounds(rows, "votes", features={"length": (lengths[0], lengths[1])})
    got = rank(made, style=["length"])
    assert [one.feature for one in got.style] == ["length"]
    assert "features held equal" in got.method
    assert got.method.endswith("without a penalty")
    gaps = [(a - b) / (a + b) for a, b in zip(*lengths, strict=True)]
    assert got.style[0].spread == pytest.approx(np.sqrt(np.mean(np.square(gaps))))


def test_a_few_votes_are_fitted_by_maximum_likelihood(rng):
    """Three models, so few votes that a penalty would show; a general maximiser is the oracle."""
    pairs = [("x", "y"), ("y", "z"), ("z", "x")] * 10
    lengths = rng.integers(1, 900, (2, 30)).tolist()
    rows = [(*pair, "ab"[at % 7 < 3], *sizes) for at, (pair, sizes) in enumerate(
        zip(pairs, zip(*lengths, strict=True), strict=True)
    )]  # fmt: skip
    made = Rounds(
        battles([it[0] for it in rows], [it[1] for it in rows], [it[2] for it in rows]),
        "votes",
        features={"length": tuple(lengths)},
    )
    (effect,) = rank(made, style=["length"]).style
    gaps = np.array([(a - b) / (a + b) for *_, a, b in rows])
    sides = np.array([[(name == a) - (name == b) for name in "xy"] for a, b, *_ in rows], float)
    won = np.array([said == "a" for _, _, said, *_ in rows])

    def loss(free):
        odds = sides @ free[:2] + gaps / effect.spread * free[2]
        return np.logaddexp(0, np.where(won, -odds, odds)).sum()

    found = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    assert effect.coefficient == pytest.approx(found[2], abs=1e-5)


def test_style_is_clustered_by_voter_and_prompt(votes, rng):
    people = [f"v{at % 9}" for at in range(200)]
    rows = battles([v.a for v in votes], [v.b for v in votes], [v.outcome.value for v in votes])
    lengths = rng.integers(1, 900, (2, 200)).tolist()
    prompts = [f"p{at % 7}" for at in range(200)]
    made = Rounds(rows, "votes", people, prompts, features={"length": (lengths[0], lengths[1])})
    got = rank(made, style=["length"])
    assert (got.cluster, got.clusters) == ("both", 7)
    assert "two-way" in got.method


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "best"}, "Unknown method 'best'"),
        ({"top": 9}, "top=9"),
        ({"style": ["length"]}, "no feature 'length'"),
        ({"style": ["x"], "method": "elo"}, "Style control requires Bradley-Terry"),
        ({"prior": 1.0, "method": "elo"}, "prior requires Bradley-Terry"),
        ({"models": ["x", "y"]}, "selected from scores"),
        ({"method": "glicko2"}, "no times"),
    ],
)
def test_what_cannot_be_ranked_is_refused(votes, given, said):
    with pytest.raises(SpecError, match=said):
        rank(votes, **given)


def test_glicko_rates_day_by_day():
    rows = [a_battle("x", "y", "a", at=f"2026-01-0{1 + at % 3}T10:00:00Z") for at in range(9)]
    assert rank(rows, method="glicko2").method == "Glicko-2 over 3 periods"


def test_a_suite_has_no_voters(suite):
    with pytest.raises(SpecError, match="no column 'voter'"):
        rank(suite(), cluster="voter")


def test_one_model_cannot_be_ranked(a_trial):
    with pytest.raises(NotEnoughData, match="ranking needs 2 scored models"):
        rank([a_trial(at, 1.0) for at in range(9)])


def test_models_that_share_no_case_cannot_be_ranked(a_trial):
    with pytest.raises(NotEnoughData, match="No case has scores for two models"):
        rank([a_trial(at, 1.0, model="mn"[at % 2]) for at in range(9)])


def test_runs_of_different_profiles_do_not_mix(suite, a_run):
    with pytest.raises(NotComparable, match="scoring profile"):
        rank(suite(), [a_run("r1"), a_run("r2", profile="classic")])


def test_results_bring_their_records_to_be_checked(suite, a_run):
    class Result:
        def __init__(self, profile):
            self.runs = (a_run("r1", profile=profile),)

        def columns(self):
            return columns_of(suite())

    with pytest.raises(NotComparable, match="scoring profile"):
        rank([Result("classic"), Result("robust")])


def test_too_many_battles_are_refused_before_they_are_made(suite, monkeypatch):
    monkeypatch.setattr("benchmaker.analysis.ratings.battles.MOST", 100)
    with pytest.raises(AnalysisError, match="make 360 battles, more than 100"):
        rank(suite())


def test_the_json_holds_every_line(suite):
    told = rank(suite(300), top=2).to_dict()
    assert told["models"][0]["model"] == "d"
    assert (told["top"], told["scale"], told["source"]) == (2, "points", "suite")
    assert sum(row["p_top"] for row in told["models"]) == pytest.approx(2)


def votes_of(won, *, voters, prompts=None):
    """Votes on x and y, one for each letter of ``won``, the winner."""
    return [
        a_battle(
            "x", "y", "a" if one == "x" else "b", actor=f"u{voters(i)}",
            case_id=None if prompts is None else f"p{prompts(i)}",
        )
        for i, one in enumerate(won)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "votes",
    [
        votes_of("xxxxyy" * 6, voters=lambda i: i // 6),
        votes_of("xxxxyy" * 6, voters=lambda i: i, prompts=lambda i: i // 6),
    ],
    ids=["voters", "prompts"],
)
def test_votes_that_agree_exactly_between_clusters_are_no_surer_than_single_votes(votes):
    """24 of 36 votes for x, by six voters who each vote 4 : 2: the exact p is .065."""
    got, alone = rank(votes), rank(votes, cluster="none")

    assert got.provisional == ()
    assert_wider(got, alone)
    assert got.sentence == "First place is undecided between x (highest rating) and y."
    assert "at least independent battles" in got.method


def test_a_voter_with_nearly_all_votes_is_no_surer_than_single_votes():
    """705 of 1,010 votes for x: 700 of 1,000 by one voter, and one vote each by ten others."""
    won = "x" * 700 + "y" * 300 + "xy" * 5

    assert_without_intervals(rank(votes_of(won, voters=lambda i: max(0, i - 999))), 11)


@pytest.mark.parametrize("grouped", [False, True], ids=["case", "group"])
def test_a_case_with_nearly_all_weight_leaves_no_interval(a_trial, grouped):
    """y is right on the heavy case, x on most others."""
    table = [[0.0, 1.0], *([[1.0, 0.0]] * 14), *([[0.0, 1.0]] * 6)]
    groups = [0, *(at // 2 for at in range(2, 22))] if grouped else None

    made, compared = ranked_and_compared(a_trial, table, [1000.0, *[1.0] * 20], groups)

    assert compared.headline.verdict == "not_significant"
    assert_without_intervals(made, 11 if grouped else 21)


def assert_without_intervals(made, clusters):
    said = f"{clusters} clusters of unequal weight count as 1.0 equal ones, at least 2 are needed"
    names = ", ".join(sorted(one.model for one in made.models))
    assert {(one.low, one.high, one.p_top) for one in made.models} == {(None, None, None)}
    assert {(one.best, one.worst) for one in made.models} == {(1, len(made.models))}
    assert {one.reason for one in made.models} == {f"no interval: {said}"}
    assert f"no interval for {names}: {said}" in made.warnings
    assert made.sentence.startswith("First place is undecided")


def assert_wider(got, alone):
    assert all(
        one.low < two.low and one.high > two.high
        for one, two in zip(got.models, alone.models, strict=True)
    )


def test_voters_and_prompts_that_agree_exactly_are_no_surer_than_single_votes():
    """A Latin square of 36 votes: each voter, and each prompt, is 4 : 2 for x."""
    won = ["x" if (i // 6 + i) % 6 < 4 else "y" for i in range(36)]
    votes = votes_of(won, voters=lambda i: i // 6, prompts=lambda i: i % 6)

    got, alone = rank(votes), rank(votes, cluster="none")

    assert got.cluster == "both"
    assert_wider(got, alone)
    assert [(one.best, one.worst) for one in got.models] == [(1, 2)] * 2
    assert got.models[0].p_top < 0.97


@pytest.mark.parametrize(("voters", "said"), [(2, "2 voters"), (4, "4 voters"), (5, None)])
def test_votes_of_few_voters_are_provisional_without_a_column_of_prompts(voters, said):
    got = rank(votes_of("xxy" * voters, voters=lambda i: i // 3))

    assert got.provisional == ((f"{said}, at least 5 are needed",) if said else ())


def test_few_voters_count_only_as_clusters():
    votes = votes_of("xxyxxyxyx", voters=lambda i: i % 3, prompts=lambda i: i)

    said = ("3 voters, at least 5 are needed",)
    assert rank(votes, cluster="voter").provisional == said
    assert rank(votes, cluster="both").provisional == said
    assert rank(votes, cluster="prompt").provisional == ()
    one = votes_of("xxyxxyxyx", voters=lambda _: 1, prompts=lambda i: i)
    assert rank(one).provisional == ()


def test_voters_whose_votes_weigh_nothing_do_not_count():
    votes = [
        a_battle("x", "y", "ab"[i % 3 == 0], actor=f"u{i // 6}", weight=float(i < 24))
        for i in range(48)
    ]
    assert rank(votes).provisional == ("4 voters, at least 5 are needed",)


def test_groups_of_cases_that_agree_exactly_are_no_surer_than_single_cases(a_trial):
    """Six groups, in each of which x and z are right on the same two of three cases."""
    table = [[float(at % 3 < 2), float(at % 3 == 2), float(at % 3 < 2)] for at in range(18)]
    made, compared = ranked_and_compared(a_trial, table, None, [at // 3 for at in range(18)])
    alone, _ = ranked_and_compared(a_trial, table, None, None)

    assert compared.headline.verdict == "not_tested"
    assert_wider(made, alone)
    assert [(one.best, one.worst) for one in made.models] == [(1, 3)] * 3


RANDOM_VOTES = [
    *(((1,), trial) for trial in (211, 319)),
    *(((1, 1, 0, 2, 1e-6, 1e6), trial) for trial in (154, 189, 251, 255)),
]
"""Weights, and trials of a generator, in which rounding made a variance negative."""


def random_votes(weights, trial):
    """Votes on few prompts by few voters, and the clusters, of one trial after the others."""
    rng = np.random.default_rng(2)
    for _ in range(trial + 1):
        models, n, prompts, voters = (
            int(rng.integers(*ends)) for ends in ((2, 6), (2, 25), (2, 6), (1, 5))
        )
        votes = [
            a_battle(
                f"m{i}", f"m{j}", ("a", "b", "tie")[rng.integers(3)],
                case_id=f"p{rng.integers(prompts)}", actor=f"v{rng.integers(voters)}",
                weight=float(rng.choice(weights)),
            )
            for i, j in (rng.choice(models, 2, replace=False) for _ in range(n))
        ]  # fmt: skip
        cluster = str(rng.choice(["auto", "voter", "prompt", "none", "both"]))
    return votes, cluster


def widths(ranking):
    return {
        one.model: None if one.low is None else one.high - one.low
        for one in ranking.models
        if one.score is not None
    }


@pytest.mark.parametrize(("weights", "trial"), RANDOM_VOTES)
def test_a_variance_that_rounding_makes_negative_is_that_of_independent_votes(weights, trial):
    votes, cluster = random_votes(weights, trial)

    made = rank(votes, cluster=cluster)

    assert all(width is None or width > 1 for width in widths(made).values())


def test_a_difference_of_equal_models_that_rounding_makes_negative_is_unknown():
    """Weights from 1e-6 to 1e6; two models have the same rating but for rounding."""
    votes, cluster = random_votes((1, 1, 0, 2, 1e-6, 1e6), 208)

    made = rank(votes, cluster=cluster)

    assert all(width is None or width > 1 for width in widths(made).values())


@pytest.mark.parametrize("trial", range(40))
def test_two_ways_are_never_surer_than_one_or_none(trial):
    found = rounds_of_battles(random_votes((1,), trial)[0])
    fitted = partial(bradley_terry, found.battles)
    voter, prompt = found.voter, found.prompt
    try:
        both = fitted(clusters=voter, crossed_with=prompt)
        plain = [fitted(), fitted(clusters=voter), fitted(clusters=prompt)]
        floored = [fitted(clusters=it, at_least="battles") for it in (voter, prompt)]
    except (DisconnectedBattles, NotEnoughData):
        return

    for one, others in ((both, plain), (floored[0], plain[:2]), (floored[1], plain[::2])):
        for other in others:
            assert (one.se >= np.nan_to_num(other.se) * (1 - 1e-9)).all()


_NOT_BY_HOW_MUCH = (
    "ratings count which answer has the higher score in each case, not by how much. By mean, "
)


def graded(a_trial, **scores):
    return [
        a_trial(at, score, model=model)
        for model, values in scores.items()
        for at, score in enumerate(values)
    ]


def test_means_of_graded_scores_in_another_order_are_mentioned(a_trial):
    alpha, beta = [0.6, 0.6, 0.6, 0.6, 0.6, 0.0], [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]
    made = rank(graded(a_trial, alpha=alpha, beta=beta))
    assert made.models[0].model == "alpha"
    assert sum(alpha) < sum(beta)
    assert f"{_NOT_BY_HOW_MUCH}beta is first" in made.warnings


def test_a_lower_place_of_another_order_is_mentioned_by_its_two_models(a_trial):
    top = [0.9, 0.9, 0.9, 0.9, 0.9, 0.95]
    alpha, beta = [0.6, 0.6, 0.6, 0.6, 0.6, 0.0], [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]
    made = rank(graded(a_trial, top=top, alpha=alpha, beta=beta))
    assert [one.model for one in made.models] == ["top", "alpha", "beta"]
    assert f"{_NOT_BY_HOW_MUCH}beta is above alpha" in made.warnings


def test_equal_orders_and_right_or_wrong_answers_need_no_such_sentence(a_trial, suite):
    alike = rank(graded(a_trial, alpha=[0.6, 0.7, 0.6, 0.2, 0.9], beta=[0.5, 0.5, 0.7, 0.1, 0.5]))
    assert not any("by how much" in one for one in alike.warnings)
    assert not any("by how much" in one for one in rank(suite()).warnings)
    uneven = rank(graded(a_trial, a=[1, 0, 1, 1, 0, 1], b=[0, 1, 0, 0, 1, 0]))
    assert not any("by how much" in one for one in uneven.warnings)
