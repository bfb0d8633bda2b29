from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.judging.label_queue import Candidate, LabelPlan, draw_items, spread_of
from benchmaker.record import Score
from benchmaker.record.label import Label

MODELS = ("a", "b", "c")


def candidates(number=40, *, models=MODELS, scores=None, spreads=None, run="r"):
    return [
        Candidate(
            run, model, f"c{at}", at, f"{run}-{model}-{at}",
            score=(scores or {}).get((model, at), 0.5),
            spread=(spreads or {}).get((model, at), 0.0),
        )
        for at in range(number)
        for model in models
    ]  # fmt: skip


def a_label(candidate, score, *, source="random", actor="local"):
    return Label(
        run_id=candidate.run_id,
        case_id=candidate.case_id,
        model=candidate.model,
        blind_id=candidate.blind_id,
        source=source,
        score=score,
        actor=actor,
    )


def of(items, source):
    return [it for it in items if it.source == source]


@settings(deadline=None)
@given(
    n=st.integers(1, 150),
    share=st.floats(0, 1),
    traps=st.integers(0, 10),
    seed=st.integers(0, 9),
)
def test_a_queue_has_what_was_wished_for_each_answer_once(n, share, traps, seed):
    items = draw_items(candidates(), LabelPlan(n, share, traps, seed))
    names = Counter(it.blind_id for it in items)
    assert max(names.values()) == 1
    assert len(of(items, "trap")) == traps
    rest = len(items) - traps
    assert min(n, 120) <= rest <= min(n, 120) + len(MODELS) - 1
    assert len(of(items, "random")) >= min(120, n * share)


def test_the_random_part_takes_every_model_of_a_case():
    items = of(draw_items(candidates(), LabelPlan(30, 0.5, 0)), "random")
    assert set(Counter(it.case_id for it in items).values()) == {len(MODELS)}


@settings(deadline=None, max_examples=30)
@given(data=st.data(), seed=st.integers(0, 9))
def test_the_random_part_does_not_depend_on_scores_or_doubt(data, seed):
    keys = [(model, at) for model in MODELS for at in range(10)]
    values = st.fixed_dictionaries({key: st.floats(0, 1) for key in keys})
    odd = candidates(10, scores=data.draw(values), spreads=data.draw(values))
    wish = LabelPlan(12, 0.5, 0, seed)
    plain, other = draw_items(candidates(10), wish), draw_items(odd, wish)
    assert {it.blind_id for it in of(plain, "random")} == {
        it.blind_id for it in of(other, "random")
    }


def test_a_larger_number_goes_on_where_the_smaller_ended():
    small, large = (
        {it.blind_id for it in draw_items(candidates(), LabelPlan(n, 1.0, 0, 3))} for n in (15, 60)
    )
    assert small < large


def test_every_case_is_as_likely_as_any_other():
    seen = Counter(
        it.case_id
        for seed in range(400)
        for it in draw_items(candidates(8, models=("a",)), LabelPlan(2, 1.0, 0, seed))
    )
    assert all(70 <= seen[f"c{at}"] <= 130 for at in range(8))


def test_another_seed_draws_others():
    one, two = (
        {it.blind_id for it in draw_items(candidates(), LabelPlan(15, 1.0, 0, it))} for it in (1, 2)
    )
    assert one != two


def test_targeted_are_the_answers_whose_judgments_lie_farthest_apart():
    spreads = {("a", 3): 0.9, ("b", 7): 0.8, ("c", 1): 0.1}
    items = draw_items(candidates(spreads=spreads), LabelPlan(2, 0.0, 0))
    assert [it.blind_id for it in sorted(items, key=lambda it: it.blind_id)] == ["r-a-3", "r-b-7"]
    assert {it.source for it in items} == {"targeted"}


def test_targeted_are_the_answers_like_those_on_which_people_and_judge_differ():
    scores = {(model, at): 0.9 if at % 2 else 0.2 for model in MODELS for at in range(40)}
    every = candidates(scores=scores)
    known = [a_label(it, 0.2 if it.score == 0.2 else 0.4, actor="bob") for it in every[:60]]
    items = draw_items(every, LabelPlan(20, 0.0, 0), labels=known)
    assert {scores[it.model, it.position] for it in items} == {0.9}


def test_without_a_sign_of_doubt_the_middle_of_the_scale_comes_first():
    scores = {("a", at): at / 10 for at in range(10)}
    items = draw_items(candidates(10, models=("a",), scores=scores), LabelPlan(1, 0.0, 0))
    assert [it.position for it in items] == [5]


def test_what_a_person_was_given_before_counts_towards_the_number():
    every = candidates(spreads={("a", at): at / 40 for at in range(40)})
    first = draw_items(every, LabelPlan(5, 0.0, 0))
    given_before = [a_label(it, 0.5, source="targeted") for it in every
                    if it.blind_id in {one.blind_id for one in first}]  # fmt: skip
    again = draw_items(every, LabelPlan(5, 0.0, 0), labels=given_before)
    assert {it.blind_id for it in again} == {it.blind_id for it in first}


def test_traps_have_a_known_worth_of_both_kinds_and_no_model():
    traps = of(draw_items(candidates(), LabelPlan(10, 0.5, 4)), "trap")
    assert sorted(it.known for it in traps) == [0.0, 0.0, 1.0, 1.0]
    assert {it.model for it in traps} == {""}
    assert all(it.answer for it in traps)


@pytest.mark.parametrize("seed", range(20))
def test_no_trap_comes_first(seed):
    items = draw_items(candidates(), LabelPlan(4, 0.5, 8, seed))
    assert items[0].source != "trap"
    assert len(of(items, "trap")) == 8


@pytest.mark.parametrize("seed", range(5))
def test_labels_leave_the_order_of_the_queue_as_it_is(seed):
    spreads = {(model, at): at / 40 for model in MODELS for at in range(40)}
    every, wish = candidates(spreads=spreads), LabelPlan(30, 0.2, 4, seed)
    before = draw_items(every, wish)
    known = {it.blind_id: it for it in every}
    given = [
        a_label(known[it.blind_id], 0.9, source=it.source)
        for it in before[:20]
        if it.source != "trap"
    ]
    after = draw_items(every, wish, labels=given)
    both = {it.blind_id for it in before} & {it.blind_id for it in after}
    assert {it.blind_id for it in given} <= both
    assert [it.blind_id for it in after if it.blind_id in both] == [
        it.blind_id for it in before if it.blind_id in both
    ]


def test_two_people_are_shown_the_same_random_part_and_traps():
    ann, bob = (draw_items(candidates(), LabelPlan(30, 0.5, 4), by=name) for name in ("ann", "bob"))
    assert ann == bob


@pytest.mark.parametrize(
    "wish", [LabelPlan(0), LabelPlan(5, 1.5), LabelPlan(5, -0.1), LabelPlan(5, 0.5, -1)]
)
def test_a_wish_that_can_not_be_fulfilled_is_refused(wish):
    with pytest.raises(SpecError, match="can't draw"):
        draw_items(candidates(), wish)


@pytest.mark.parametrize(
    ("score", "spread"),
    [
        (Score.of(0.5, detail={"spread": 0.25}), 0.25),
        (Score.of(0.5, flags=("order_disagreement",)), 1.0),
        (Score.of(0.5), 0.0),
        (Score.of(0.5, detail={"spread": "wide"}), 0.0),
        (Score.of(0.5, detail={"spread": float("nan")}), 0.0),
    ],
)
def test_the_spread_of_judgments_is_read_from_the_score(score, spread):
    assert spread_of(score) == spread
