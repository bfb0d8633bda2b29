"""Blind votes: standings, agreement with judge and checks, odd voters, influence."""

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from scipy import stats

from benchmaker.analysis.ratings.battles import rounds_of_battles
from benchmaker.analysis.ratings.odd_voters import influences, suspicions
from benchmaker.analysis.ratings.rate import rank
from benchmaker.analysis.ratings.vote_ratings import (
    PageKey,
    PageStyle,
    PageTotals,
    agreement,
    standings,
)
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.stats.means.bounded import bounded_mean
from tests.draws import draws

_ids = count(1)


def vote(a="alpha", b="beta", outcome="a", *, left=None, actor="ann", case="p1", at="", **more):
    return Vote(
        id=f"v{next(_ids)}",
        run_id=more.pop("run", "run"),
        case_id=case,
        model_a=a,
        model_b=b,
        left=left or a,
        outcome=VoteOutcome(outcome),
        actor=actor,
        at=at,
        **more,
    )


VOTES = st.lists(
    st.builds(
        vote,
        outcome=st.sampled_from(list(VoteOutcome)),
        left=st.sampled_from(["alpha", "beta"]),
        actor=st.sampled_from(["ann", "bob", "cyd"]),
        case=st.sampled_from([f"p{i}" for i in range(6)]),
        undone_at=st.sampled_from([None, None, None, "2026-11-20T12:00:00+00:00"]),
    ),
    max_size=30,
)


@given(VOTES)
@settings(max_examples=draws(20, 60), deadline=None)
def test_every_vote_is_counted_in_one_place(votes):
    made = standings(votes)
    assert made.n + made.undone == len(votes)
    assert sum(model.votes for model in made.models) == 2 * made.n
    assert all(model.both_bad.k == made.both_bad for model in made.models)
    assert (made.ranking is None) == bool(made.reason)


@given(VOTES)
@settings(max_examples=draws(20, 60), deadline=None)
def test_a_vote_taken_back_is_as_if_it_had_never_been_given(votes):
    left = [it for it in votes if it.counts]
    first, second = standings(votes).to_dict(), standings(left).to_dict()
    assert first.pop("undone") == len(votes) - len(left)
    assert second.pop("undone") == 0
    assert first == second


@given(VOTES)
@settings(max_examples=draws(20, 60), deadline=None)
def test_changing_sides_changes_no_rating(votes):
    swapped = [
        Vote(**{**{f: getattr(it, f) for f in it.__struct_fields__},
                "left": it.model_b if it.left == it.model_a else it.model_a})
        for it in votes
    ]  # fmt: skip
    assert standings(votes).models == standings(swapped).models


def test_ratings_are_those_of_the_kernel_without_both_bad():
    votes = [
        vote(outcome=outcome, case=f"p{place % 7}")
        for place, outcome in enumerate(["a"] * 9 + ["b"] * 4 + ["tie"] * 3 + ["both_bad"] * 5)
    ]
    battles = [it.battle() for it in votes if it.outcome != "both_bad"]
    assert standings(votes).ranking == rank(battles)
    assert [model.both_bad.share for model in standings(votes).models] == [5 / 21, 5 / 21]


def test_standings_by_category_count_the_verdicts_on_it_alone():
    visual = [vote(case=f"p{i}", visual=VoteOutcome.B) for i in range(6)]
    votes = [*visual, vote(case="p7"), vote(case="p8", code=VoteOutcome.TIE)]
    made = standings(votes, category="visual")
    assert (made.category, made.n, made.ties) == ("visual", 6, 0)
    assert made.models == standings([vote(case=f"p{i}", outcome="b") for i in range(6)]).models
    assert standings(votes, category="function").n == 0


@pytest.mark.long
@given(
    st.lists(
        st.builds(
            vote,
            outcome=st.sampled_from(["a", "b", "tie", "both_bad"]),
            actor=st.sampled_from(["ann", "bob"]),
            case=st.sampled_from(["page", "other"]),
            run=st.sampled_from(["r1", "r2", "r3", "r4"]),
        ),
        max_size=25,
    ),
    st.dictionaries(
        st.tuples(st.sampled_from(["r1", "r2", "r3"]), st.sampled_from(["page", "other"])),
        st.sampled_from(["a clock", "a counter", "a list"]),
    ),
)
@settings(max_examples=draws(20, 60), deadline=None)
def test_prompts_are_counted_by_what_they_ask(votes, prompts):
    def asked(some):
        return {prompts.get((it.run_id, it.case_id)) or (it.run_id, it.case_id) for it in some}

    made = standings(votes, prompts=prompts)
    assert made.prompts == len(asked(votes))
    if made.ranking is not None:
        rated = [it for it in votes if it.outcome != "both_bad"]
        assert made.ranking.n_prompts == len(asked(rated))
        repeated = 1 < len(asked(rated)) < len(rated)
        assert (made.ranking.cluster in {"prompt", "both"}) == repeated


@pytest.mark.long
def test_style_control_clusters_as_the_ratings_without_it_do():
    votes, styles = _styled_votes()
    many = [structs.replace(it, actor=f"u{at % 6}") for at, it in enumerate(votes)]
    many += [structs.replace(it, actor=f"u{(at + 1) % 6}") for at, it in enumerate(votes)]
    plain = standings(many).ranking
    made = standings(many, style=["length"], styles=styles).ranking
    assert (plain.cluster, made.cluster) == ("both", "both")
    assert made.clusters == plain.clusters


def _styled_votes():
    """Votes that mostly follow the longer page, and the features of their pages."""
    lengths = [(3000, 1000), (1000, 3000), (2000, 1000), (1000, 2000), (1500, 1400)] * 6
    outcomes = ["a", "b", "a", "b", "b", "a", "a", "a", "b", "a"] * 3
    votes, styles = [], {}
    for at, ((first, second), outcome) in enumerate(zip(lengths, outcomes, strict=True)):
        votes.append(vote(case=f"p{at}", outcome=outcome, actor=f"voter {at}"))
        styles[PageKey("run", f"p{at}", "alpha")] = PageStyle(first, 1)
        styles[PageKey("run", f"p{at}", "beta")] = PageStyle(second, 1)
    return votes, styles


def test_ratings_are_adjusted_for_style_as_by_the_kernel():
    votes, styles = _styled_votes()
    made = standings(votes, style=["length"], styles=styles)
    (effect,) = made.ranking.style
    battles = [it.battle() for it in votes]
    sides = [
        [float(styles[PageKey("run", it.case_id, model)].length) for it in votes]
        for model in ("alpha", "beta")
    ]
    rounds = replace(rounds_of_battles(battles), features={"length": tuple(sides)})
    assert made.ranking == rank(rounds, style=["length"])
    assert effect.coefficient > 0
    assert (made.style, made.unstyled) == (("length",), 0)


def test_votes_on_pages_of_unknown_style_are_left_out_and_counted():
    votes, styles = _styled_votes()
    del styles[PageKey("run", "p0", "beta")]
    made = standings(votes, style=["length"], styles=styles)
    assert (made.n, made.unstyled, made.ranking.n) == (30, 1, 29)


def test_style_is_adjusted_for_within_groups_of_models():
    """As without style, models that never met another group have ratings of their own group."""
    votes, styles = _styled_votes()
    apart = [replaced(it, model_a="gamma", model_b="omega", left="gamma") for it in votes]
    more = {PageKey("run", it.case_id, other): styles[PageKey("run", it.case_id, own)]
            for it in votes for own, other in (("alpha", "gamma"), ("beta", "omega"))}  # fmt: skip
    made = standings([*votes, *apart], style=["length"], styles=styles | more)
    alone = standings(votes, style=["length"], styles=styles)
    scores = {it.model: it.ranked.score for it in made.models}
    assert made.reason == standings([*votes, *apart]).reason != ""
    assert scores["alpha"] == pytest.approx(scores["gamma"])
    assert scores["alpha"] == pytest.approx(alone.ranking.models[0].score)
    (effect,) = made.ranking.style
    assert effect.coefficient == pytest.approx(alone.ranking.style[0].coefficient)


def replaced(one, **changes):
    return structs.replace(one, id=f"v{next(_ids)}", **changes)


def test_a_feature_without_differences_is_the_reason_for_no_rating():
    votes, styles = _styled_votes()
    made = standings(votes, style=["libraries"], styles=styles)
    assert made.ranking is None
    assert "libraries" in made.reason


def test_a_model_without_votes_still_stands_with_its_totals():
    pages = {PageKey("run", "p1", "gamma"): PageTotals(judge=80.0, checks=None)}
    (model,) = standings([], pages).models
    assert (model.model, model.votes, model.judge_mean, model.checks_mean) == ("gamma", 0, 80, None)
    assert model.both_bad is None


def totals(pairs):
    return {
        PageKey("run", case, model): PageTotals(judge=judge, checks=None)
        for case, values in pairs.items()
        for model, judge in zip(("alpha", "beta"), values, strict=True)
    }


def test_agreement_counts_winners_and_halves_equal_totals():
    votes = [vote(case=f"p{i}", outcome=o) for i, o in enumerate(["a", "a", "b", "b", "tie"])]
    pages = totals({"p0": (9, 1), "p1": (5, 5), "p2": (9, 1), "p3": (1, 2), "p4": (3, 4)})
    made = agreement(votes, pages, "judge")
    assert (made.n, made.ties, made.share) == (4, 1, (1 + 0.5 + 0 + 1) / 4)
    assert made.kappa_n == 5
    assert made.low < made.share < made.high
    assert agreement(votes, pages, "checks").reason


def test_votes_of_one_prompt_widen_the_interval():
    outcomes = ["a"] * 12 + ["b"] * 8
    apart = [vote(case=f"p{i}", outcome=it) for i, it in enumerate(outcomes)]
    pages = totals({f"p{i}": (9, 1) for i in range(20)})
    together = [vote(case="p0" if it == "a" else "p1", outcome=it) for it in outcomes]
    wide, narrow = agreement(together, pages, "judge"), agreement(apart, pages, "judge")
    assert wide.share == narrow.share == 0.6
    assert wide.high - wide.low > narrow.high - narrow.low
    assert narrow.n_eff == pytest.approx(20)


def test_the_interval_of_agreement_is_that_of_grouped_shares():
    """Three prompts, by hand: the design effect of cluster sums, and t with two degrees."""
    sides = {"p0": "aaaaab", "p1": "abbb", "p2": "aaabb"}
    votes = [vote(case=case, outcome=it) for case, row in sides.items() for it in row]
    pages = totals(dict.fromkeys(sides, (9, 1)))
    made = agreement(votes, pages, "judge")

    n, share = 15, 9 / 15
    sums = [row.count("a") * (1 - share) - row.count("b") * share for row in sides.values()]
    clustered = 3 / 2 * sum(it**2 for it in sums)
    independent = n / (n - 1) * n * share * (1 - share)
    size = n / (clustered / independent)
    t = stats.t.ppf(0.975, 2)
    middle = (share + t**2 / (2 * size)) / (1 + t**2 / size)
    half = t / (1 + t**2 / size) * (share * (1 - share) / size + t**2 / (4 * size**2)) ** 0.5
    assert (made.share, made.n_eff) == (share, pytest.approx(size))
    assert (made.low, made.high) == pytest.approx((middle - half, middle + half))


def test_votes_on_one_prompt_have_a_share_without_an_interval():
    votes = [vote(outcome=it) for it in "aab"]
    made = agreement(votes, totals({"p1": (9, 1)}), "judge")
    assert (made.share, made.low, made.high, made.n_eff) == (pytest.approx(2 / 3), None, None, None)
    assert made.interval_reason == "all votes are on one prompt"


def test_one_who_always_picks_the_left_is_suspected_and_a_fair_one_is_not():
    votes = [
        vote(actor=actor, case=f"p{i}", left=left, outcome="ab"[i % 2])
        for i in range(16)
        for actor, left in (("left-hand", ("alpha", "beta")[i % 2]), ("fair", "alpha"))
    ]
    (one,) = suspicions(votes)
    assert (one.actor, one.oddity, one.votes) == ("left-hand", "one_side", 16)
    assert one.p_adjusted == pytest.approx(2 * stats.binomtest(16, 16).pvalue)
    assert "left page in 16 of 16" in one.evidence


def test_one_who_votes_against_all_others_is_suspected():
    sides = [("alpha", "beta")[i % 2] for i in range(20)]
    votes = [
        vote(actor=actor, case=f"p{i}", left=side, outcome="b" if actor == "odd" else "a")
        for actor in ("odd", "ann", "bob")
        for i, side in enumerate(sides)
    ]
    (one,) = suspicions(votes)
    assert (one.actor, one.oddity) == ("odd", "contrary")
    assert one.p_adjusted == pytest.approx(0.5**20)


@pytest.mark.parametrize(
    ("oddity", "votes"),
    [
        ("too_quick", [vote(outcome="ab"[i % 2], ms_on_page=900) for i in range(8)]),
        ("never_decides", [vote(outcome=("tie", "both_bad")[i % 2]) for i in range(8)]),
        (
            "burst",
            [vote(outcome="ab"[i % 2], at=f"2026-11-20T12:00:{i:02}+00:00") for i in range(21)],
        ),
    ],
)
def test_a_habit_is_named_and_a_vote_less_is_none(oddity, votes):
    assert [it.oddity for it in suspicions(votes)] == [oddity]
    assert suspicions(votes[1:]) == ()


def test_influence_is_the_rating_without_the_voter():
    votes = [vote(outcome="a", case=f"p{i}") for i in range(6)]
    votes += [vote(outcome="b", case=f"p{i}") for i in range(3)]
    heavy = [vote(outcome="b", actor="heavy", case=f"p{i}") for i in range(6)]
    found = {it.actor: it for it in influences(votes + heavy)}
    scores = [
        {line.model: line.score for line in rank([it.battle() for it in part]).models}
        for part in (votes + heavy, votes)
    ]
    assert found["heavy"].largest_move == pytest.approx(
        abs(scores[0]["alpha"] - scores[1]["alpha"])
    )
    assert found["heavy"].first_without == "alpha"
    assert found["heavy"].changes_first
    assert found["ann"].reason


@given(VOTES)
def test_each_vote_is_counted_once_in_the_pairs(votes):
    made = standings(votes)
    for it in made.pairs:
        assert it.n == it.wins_a + it.wins_b + it.ties + it.both_bad
        assert it.seen_from(it.model_a) == it.seen_from(it.model_b)[::-1]
    assert sum(it.n for it in made.pairs) == made.n
    assert sum(it.ties for it in made.pairs) == made.ties
    assert sum(it.both_bad for it in made.pairs) == made.both_bad


@pytest.mark.parametrize(
    ("given_votes", "reason"),
    [
        ([vote(), vote()], "alpha won all 2 votes against beta."),
        ([vote(outcome="b"), vote(outcome="b")], "beta won all 2 votes against alpha."),
        ([vote(outcome="tie"), vote(outcome="tie")], "Every battle is a tie"),
        (
            [vote(outcome="tie"), vote("gamma", "omega", "tie")],
            "no vote decides between alpha, beta and gamma, omega. Vote on their pairs",
        ),
        (
            [vote(), vote("beta", "gamma"), vote("beta", "omega", "tie")],
            "the votes form 3 groups of models, [beta, omega]; [alpha]; [gamma].",
        ),
    ],
)
def test_votes_without_finite_ratings_say_who_won_everything(given_votes, reason):
    made = standings(given_votes)
    assert made.ranking is None
    assert made.reason.startswith(reason)


def test_a_model_that_won_every_vote_is_unrated_and_leads():
    others = [vote("beta", "gamma", won) for won in "abab"]
    made = standings([vote("beta", "zeta", "b"), vote("gamma", "zeta", "b"), *others])
    assert [it.model for it in made.models] == ["zeta", "beta", "gamma"]
    assert made.models[0].ranked.score is None
    assert made.reason.startswith("zeta won all 2 votes against beta, gamma.")


def test_zeros_of_a_run_whose_judge_decided_on_no_page_of_the_model_are_not_in_its_mean():
    failed = PageTotals(judge=None, checks=None, failed="judge")
    nothing = PageTotals(judge=0.0, checks=None, has_page=False)
    pages = {
        PageKey("r1", "a", "m"): PageTotals(judge=60.0, checks=None),
        PageKey("r1", "b", "m"): nothing,
        PageKey("r1", "c", "m"): failed,
        PageKey("r2", "a", "m"): failed,
        PageKey("r2", "b", "m"): nothing,
        PageKey("r2", "a", "n"): failed,
        PageKey("r2", "b", "n"): nothing,
        PageKey("r2", "b", "o"): nothing,
        PageKey("r2", "a", "p"): failed._replace(failed="render"),
        PageKey("r2", "b", "p"): nothing,
    }
    found = {it.model: it for it in standings([], pages).models}
    assert {name: (it.judge_mean, it.judged, it.unjudged) for name, it in found.items()} == {
        "m": (30.0, 2, 2),
        "n": (None, 0, 1),
        "o": (0.0, 1, 0),
        "p": (None, 0, 0),
    }
    assert [it.without_page for it in found.values()] == [2, 1, 1, 1]


def test_both_bad_has_the_interval_of_votes_grouped_by_prompt():
    outcomes = {"p0": ["both_bad"] * 5 + ["a"], "p1": ["a"] * 6, "p2": ["b", "both_bad"] * 3}
    votes = [vote(case=case, outcome=it) for case, row in outcomes.items() for it in row]
    for model in standings(votes).models:
        found = bounded_mean([5 / 6, 0, 1 / 2])  # equal prompts: their shares, as graded scores
        assert (model.both_bad.k, model.both_bad.n) == (8, 18)
        assert model.both_bad.share == pytest.approx(found.mean)
        assert model.both_bad.low < found.mean - 0.2 < found.mean + 0.2 < model.both_bad.high
    (one, _) = standings(votes[:6]).models
    assert (one.both_bad.low, one.both_bad.reason) == (None, "1 cluster, at least 2 are needed")
