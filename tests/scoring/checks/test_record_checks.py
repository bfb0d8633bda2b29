"""Checks of the record: limits, and what is unknown."""

from functools import partial

import pytest

from benchmaker.record import Completion, Outcome, Usage
from benchmaker.scoring.build import faults
from benchmaker.scoring.checks.record_checks import Cost, Latency, Tokens
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import Example, ScorerContract, a_case, a_trial


def score_of(check, **record):
    return check.score(a_case(), a_trial(completion=Completion(text="42", **record)))


@pytest.mark.parametrize(
    ("check", "notes"),
    [
        (Latency(1), "the latency is unknown"),
        (Cost(1), "the cost is unknown"),
        (Tokens(1), "the output tokens are unknown"),
        (Tokens(1, of="total"), "the total tokens are unknown"),
    ],
)
def test_what_is_unknown_has_no_score(check, notes):
    score = score_of(check)
    assert score.score is None
    assert score.notes == notes
    assert check.explain(score) == [notes]
    nothing = a_trial(completion=None, outcome=Outcome.PROVIDER_ERROR)
    assert check.score(a_case(), nothing).score is None


def test_the_limit_itself_is_within():
    assert score_of(Latency(2), latency_s=2.0).score == 1.0
    assert score_of(Latency(2), latency_s=2.001).score == 0.0
    assert score_of(Cost(0), cost_usd=0.0).score == 1.0
    assert score_of(Cost(0), cost_usd=1e-9).score == 0.0


@pytest.mark.parametrize(("of", "count"), [("output", 5), ("input", 60), ("total", 65)])
def test_tokens_are_those_of_all_kinds(of, count):
    usage = Usage(
        input_tokens=10,
        cache_read_tokens=20,
        cache_write_5m_tokens=14,
        cache_write_1h_tokens=16,
        output_tokens=5,
        reasoning_tokens=4,
    )
    assert score_of(Tokens(count, of=of), usage=usage).score == 1.0
    score = score_of(Tokens(count - 1, of=of), usage=usage)
    assert Tokens(1).explain(score) == [f"{of} tokens {count}, at most {count - 1}: 0"]


@pytest.mark.parametrize("kind", ["latency", "cost", "tokens"])
@pytest.mark.parametrize("limit", [-1, None, "fast"])
def test_a_limit_is_a_number_from_0(kind, limit):
    spec = ScorerSpec(id=kind, **({} if limit is None else {"max": limit}))
    assert [it.parameter for it in faults(spec, profile("robust"))] == ["max"]


class TestLatency(ScorerContract):
    scorer = partial(Latency, 2)
    examples = (Example("42", score=None),)


class TestCost(ScorerContract):
    scorer = partial(Cost, 2)
    examples = (Example("42", score=None),)


class TestTokens(ScorerContract):
    scorer = partial(Tokens, 2, of="total")
    examples = (Example("42", score=None),)
