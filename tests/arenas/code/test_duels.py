"""Pairs for voters: complete, in an order of their own, with sides drawn evenly."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.code.duels import PICKS, Duel, draw_pair, duels
from benchmaker.record.vote import VoteOutcome

NAMES = st.text(min_size=1, max_size=6)
PAGES = st.dictionaries(NAMES, st.lists(NAMES, unique=True, max_size=5), max_size=4)


@given(PAGES, NAMES)
def test_every_pair_of_each_prompt_comes_once(pages, voter):
    found = [(it.case_id, it.model_a, it.model_b) for it in duels("run", pages, voter=voter)]
    wanted = [
        (case, *pair) for case, models in pages.items() for pair in combinations(sorted(models), 2)
    ]
    assert sorted(found) == sorted(wanted)


@given(PAGES, NAMES)
def test_a_voter_comes_back_to_the_same_order_and_sides(pages, voter):
    shuffled = {case: list(reversed(models)) for case, models in reversed(pages.items())}
    assert duels("run", pages, voter=voter) == duels("run", shuffled, voter=voter)


def test_another_voter_sees_another_order():
    pages = {f"p{i}": ["alpha", "beta", "gamma"] for i in range(4)}
    orders = {
        tuple((it.case_id, it.model_a, it.model_b) for it in duels("run", pages, voter=f"v{i}"))
        for i in range(5)
    }
    assert len(orders) == 5


def test_each_side_is_drawn_about_half_of_the_time():
    left = sum(
        draw_pair("run", f"p{i}", ("beta", "alpha"), voter="ann").left == "alpha"
        for i in range(1000)
    )
    assert 430 < left < 570


def test_a_pick_of_a_side_becomes_a_verdict_on_a_model():
    duel = Duel("run", "p", "alpha", "beta", left="beta")
    assert [duel.outcome(pick) for pick in PICKS] == [
        VoteOutcome.B,
        VoteOutcome.A,
        VoteOutcome.TIE,
        VoteOutcome.BOTH_BAD,
    ]
    assert duel.right == "alpha"
