from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.providers.prices.rates import Rate, RateCard
from benchmaker.record import Usage

CARD = RateCard(
    input=Rate(3.0, ((200_000, 6.0),)),
    output=Rate(15.0, ((200_000, 22.5),)),
    cache_read=Rate(0.3),
    cache_write=Rate(3.75),
    cache_write_1h=Rate(6.0),
)
COUNTS = st.integers(0, 10**6)


def test_each_kind_of_tokens_has_its_rate():
    usage = Usage(
        input_tokens=1_000,
        cache_read_tokens=10_000,
        cache_write_5m_tokens=2_000,
        cache_write_1h_tokens=500,
        output_tokens=100,
    )
    dollars = (1_000 * 3 + 10_000 * 0.3 + 2_000 * 3.75 + 500 * 6 + 100 * 15) / 1e6
    assert CARD.cost_usd(usage) == pytest.approx(dollars)


def test_a_long_context_makes_every_token_of_the_request_dearer():
    short = CARD.cost_usd(Usage(input_tokens=200_000, output_tokens=10))
    long = CARD.cost_usd(Usage(input_tokens=200_001, output_tokens=10))
    assert short == pytest.approx((200_000 * 3 + 10 * 15) / 1e6)
    assert long == pytest.approx((200_001 * 6 + 10 * 22.5) / 1e6)


def test_cached_tokens_count_for_the_length_of_the_context():
    usage = Usage(input_tokens=1, cache_read_tokens=200_000, output_tokens=10)
    assert CARD.cost_usd(usage) == pytest.approx((6 + 200_000 * 0.3 + 10 * 22.5) / 1e6)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        Usage(),
        Usage(input_tokens=5),
        Usage(output_tokens=5),
        Usage(flags=("usage_absurd",)),
    ],
)
def test_unknown_tokens_are_an_unknown_cost(usage):
    assert CARD.cost_usd(usage) is None


def test_tokens_without_a_rate_are_an_unknown_cost():
    card = RateCard(input=Rate(1.0))
    assert card.cost_usd(Usage(input_tokens=5, output_tokens=1)) is None
    assert card.cost_usd(Usage(input_tokens=5, output_tokens=0)) == pytest.approx(5e-6)


def test_cache_kinds_without_a_rate_cost_what_the_next_one_does():
    card = RateCard(input=Rate(2.0), output=Rate(0.0))
    usage = Usage(input_tokens=0, cache_read_tokens=5, cache_write_1h_tokens=5, output_tokens=0)
    assert card.cost_usd(usage) == pytest.approx(20e-6)


def test_what_a_request_costs_is_added():
    card = RateCard(input=Rate(0.0), output=Rate(0.0), request_usd=0.005)
    assert card.cost_usd(Usage(input_tokens=5, output_tokens=5)) == pytest.approx(0.005)


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
def test_nothing_costs_more_than_the_bound(plain, read, short, long, output):
    usage = Usage(
        input_tokens=plain,
        cache_read_tokens=read,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
        output_tokens=output,
    )
    sent = plain + read + short + long
    most = CARD.most_usd(input_tokens=sent, output_tokens=output)
    assert CARD.cost_usd(usage) <= most * (1 + 1e-12)


def test_the_bound_of_an_unknown_rate_is_unknown():
    assert RateCard().most_usd(input_tokens=1, output_tokens=1) is None


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_parts_add_up_to_the_cost(fresh, read, short, long, output):
    usage = Usage(
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
        output_tokens=output,
    )
    card = replace(CARD, request_usd=0.01)
    assert sum(card.parts_usd(usage)) == pytest.approx(card.cost_usd(usage))
    assert len(card.parts_usd(usage)) == 6


def test_parts_of_an_unknown_cost_are_unknown():
    assert CARD.parts_usd(None) is None
    assert CARD.parts_usd(Usage(input_tokens=5)) is None
    assert RateCard(input=Rate(1.0)).parts_usd(Usage(input_tokens=5, output_tokens=1)) is None


@given(st.integers(0, 10**6), COUNTS, st.integers(0, 10**6))
def test_reasoning_costs_its_own_rate_or_else_what_output_costs(given_tokens, made, thought):
    thought = min(made, thought)
    usage = Usage(input_tokens=given_tokens, output_tokens=made, reasoning_tokens=thought)
    apart = replace(CARD, reasoning=Rate(5.0))
    assert CARD.cost_usd(usage) == CARD.cost_usd(replace_reasoning(usage))
    rate = 22.5 if given_tokens > 200_000 else 15.0
    cheaper = (rate - 5.0) * thought / 1e6
    assert apart.cost_usd(usage) == pytest.approx((CARD.cost_usd(usage) or 0) - cheaper)
    assert sum(apart.parts_usd(usage) or ()) == pytest.approx(apart.cost_usd(usage))


def replace_reasoning(usage: Usage) -> Usage:
    return Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)


def test_the_dearest_output_bounds_the_cost():
    apart = replace(CARD, reasoning=Rate(90.0))
    assert apart.most_usd(input_tokens=0, output_tokens=1_000_000) == pytest.approx(90.0)
