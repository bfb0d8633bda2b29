from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.requests.budget import Budget, BudgetDecision, refuse_unpriced
from benchmaker.errors import PrerequisiteError, SpecError

DOLLARS = st.floats(0, 1)


@dataclass
class Flight:
    worst: float
    cost: float | None


@given(
    st.floats(0, 5),
    st.floats(0, 5),
    st.lists(st.tuples(DOLLARS, st.none() | DOLLARS, st.booleans()), max_size=50),
)
def test_what_is_spent_never_passes_the_budget(most, before, steps):
    budget = Budget(most, spent_usd=before)
    flying = []
    for worst, share, comes_back in steps:
        if budget.decide(worst) is BudgetDecision.YES:
            budget.take(worst)
            flying.append(Flight(worst, None if share is None else share * worst))
        if comes_back and flying:
            flight = flying.pop(0)
            budget.settle(flight.worst, flight.cost)

        assert budget.spent_usd + budget.in_flight_usd <= max(most, before) + 1e-9


@given(DOLLARS, DOLLARS)
def test_it_waits_for_what_is_in_flight_only_where_that_may_help(first, second):
    budget = Budget(1.0)
    budget.take(first)
    verdict = budget.decide(second)

    assert (verdict is BudgetDecision.YES) == (first + second <= 1.0)
    assert verdict is not BudgetDecision.NO


def test_a_request_that_fits_never_is_refused_at_once():
    budget = Budget(1.0, spent_usd=0.8)
    budget.take(0.1)

    assert budget.decide(0.3) is BudgetDecision.NO


def test_an_unknown_cost_counts_with_its_worst_case():
    budget = Budget(1.0)
    budget.take(0.4)
    budget.settle(0.4, None)

    assert (budget.spent_usd, budget.in_flight_usd) == (0.4, 0)


def test_a_budget_of_nothing_allows_what_costs_nothing():
    assert Budget(0.0).decide(0.0) is BudgetDecision.YES
    assert Budget(0.0).decide(0.01) is BudgetDecision.NO


@pytest.mark.parametrize("most", [-1.0, float("nan")])
def test_an_impossible_budget_is_refused(most):
    with pytest.raises(SpecError):
        Budget(most)


def test_the_refusal_says_what_is_spent_and_what_is_missing():
    budget = Budget(2.0, spent_usd=1.5)
    budget.refuse(0.75)

    assert budget.refusal == (
        "the budget of $2.00 does not cover another request: $1.50 spent, "
        "and the next request may cost up to $0.75"
    )


def test_the_refusal_counts_the_requests_that_returned_after_it():
    budget = Budget(1.0)
    budget.take(0.25)
    budget.take(0.5)
    budget.settle(0.5, 0.5)
    assert budget.admit(0.75) is BudgetDecision.NO
    assert "$0.50 spent" in budget.refusal
    budget.settle(0.25, 0.125)
    assert "$0.625 spent" in budget.refusal
    assert budget.refusal.endswith("the next request may cost up to $0.75")


def test_a_refusal_of_the_first_request_says_that_nothing_is_spent():
    budget = Budget(0.00005)
    budget.refuse(0.00007935)

    assert budget.refusal == (
        "the budget of $0.00005 does not cover another request: "
        "nothing spent yet, and the next request may cost up to $0.0000794"
    )


class Priced:
    def __init__(self, prices):
        self._prices = prices

    async def complete(self, request):
        raise NotImplementedError

    def most_usd(self, request):
        return self._prices.get(request.model)


def test_models_without_a_price_are_all_named():
    with pytest.raises(PrerequisiteError, match="b, c") as caught:
        refuse_unpriced(Priced({"a": 0.1}), ["a", "b", "c"])

    assert "prices.yaml" in caught.value.hint
    refuse_unpriced(Priced({"a": 0.0}), ["a"])
