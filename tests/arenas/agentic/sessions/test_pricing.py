"""What sessions cost."""

from datetime import date

import pytest

from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.sessions.pricing import Pricer, listed_as
from benchmaker.arenas.agentic.sessions.status_line_rates import rates_of
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import TokenUsage

NOW = 1_770_000_000.0


def a_request(model="claude-sonnet-4-5", requests=1, at=NOW, **tokens):
    return Request(0, True, at, model, TokenUsage(**tokens), None, None, requests)


def price(*requests, home=None, provider=None, **given):
    return Pricer(Prices(home), now=NOW, **given).price(requests, provider)


def test_each_kind_has_its_own_rate_and_one_hour_writes_cost_more():
    found = price(
        a_request(
            "claude-opus-4-6",
            input_uncached=1_000,
            cache_read=10_000,
            cache_write_5m=2_000,
            cache_write_1h=3_000,
            output=4_000,
        )
    )
    millionths = 1_000 * 5 + 10_000 * 0.5 + 2_000 * 6.25 + 3_000 * 10 + 4_000 * 25
    assert found.usd == pytest.approx(millionths / 1e6)


def test_requests_are_priced_one_by_one_and_never_as_their_sum():
    small = a_request(input_uncached=150_000, output=10)
    assert price(small, small).usd == pytest.approx(2 * price(small).usd)
    one = a_request(input_uncached=300_000, output=20)
    assert price(one).usd == pytest.approx(2 * price(small, small).usd, rel=0.01)


def test_a_sum_of_requests_is_priced_only_where_its_size_makes_no_difference():
    assert price(a_request(requests=None, input_uncached=199_000, output=10)).usd is not None
    large = price(a_request(requests=None, input_uncached=300_000, output=10))
    assert (large.usd, large.reasons) == (None, ("price_depends_on_request",))
    assert price(a_request("gpt-5", requests=9, input_uncached=10**6, output=1)).usd is not None


def test_a_request_with_half_a_usage_has_no_known_cost():
    found = price(a_request("gpt-5", input_uncached=5))
    assert (found.usd, found.reasons) == (None, ("usage_incomplete",))


def test_one_model_without_a_price_makes_the_cost_unknown_and_is_named():
    known = a_request(input_uncached=1, output=1)
    found = price(known, a_request("inhouse-7", output=5), a_request(None, output=5))
    assert found.usd is None
    assert found.unpriced == ("inhouse-7", "unknown")


def test_requests_without_usage_are_left_out_with_a_flag():
    found = price(a_request(input_uncached=1, output=1), a_request())
    assert found.usd is not None
    assert found.reasons == ("requests_without_usage",)
    assert price(a_request()).usd is None
    assert price().usd is None


def test_the_users_own_prices_go_first(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  inhouse-*: {input: 1, output: 2}\n  anthropic/claude-*: {input: 0, output: 0}\n"
    )
    own = a_request("inhouse-7", input_uncached=1_000_000, output=1_000_000)
    assert price(own, home=tmp_path).usd == 3.0
    assert price(a_request(input_uncached=9, output=9), home=tmp_path).usd == 0.0


def test_prices_are_those_of_the_day_or_of_the_day_that_is_asked_for():
    request = a_request("o3", input_uncached=1_000_000, output=0)
    assert price(request, as_of=date(2025, 5, 1)).usd == 10.0
    assert price(request, as_of=date(2026, 1, 1)).usd == 2.0
    may = a_request("o3", at=1_746_100_000.0, input_uncached=1_000_000, output=0)
    assert price(may).usd == 10.0


@pytest.mark.parametrize(
    ("model", "provider", "expected"),
    [
        ("gpt-5.3-codex", None, ("openai", "gpt-5.3-codex")),
        ("openai/gpt-4o-mini", None, ("openai", "gpt-4o-mini")),
        ("gemini-3-flash-preview", None, ("google", "gemini-3-flash-preview")),
        ("claude-opus-4-6", "bedrock", ("aws", "claude-opus-4-6")),
        ("someone/claude-opus-4-6", None, ("anthropic", "claude-opus-4-6")),
        ("default", None, None),
        ("", None, None),
    ],
)
def test_whose_list_a_model_stands_in(model, provider, expected):
    assert listed_as(model, provider) == expected


def test_reasoning_costs_its_own_rate_within_output(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  inhouse-7: {input: 1, output: 10, reasoning: 20}\n"
    )
    half = a_request("inhouse-7", input_uncached=0, output=1_000_000, reasoning=500_000)
    unknown = a_request("inhouse-7", input_uncached=0, output=1_000_000)
    assert price(half, home=tmp_path).usd == 15.0
    assert price(unknown, home=tmp_path).usd == 10.0
    assert Pricer(Prices(tmp_path), now=NOW).parts(half) == (0.0, 0.0, 0.0, 0.0, 15.0, 0.0)


def test_a_sum_of_requests_is_not_priced_over_a_step_of_the_reasoning_rate(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  inhouse-7:\n    input: 1\n    output: 10\n    reasoning: 20\n"
        "    above: [{tokens: 200000, reasoning: 40}]\n"
    )
    large = a_request(
        "inhouse-7", requests=None, input_uncached=300_000, output=1_000, reasoning=1_000
    )
    found = price(large, home=tmp_path)
    assert (found.usd, found.reasons) == (None, ("price_depends_on_request",))


def test_rates_of_a_status_line_have_a_step_of_every_rate(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  claude-x:\n    input: 1\n    output: 10\n    cache_read: 0.1\n"
        "    reasoning: 20\n    above:\n"
        "    - {tokens: 200000, reasoning: 40}\n    - {tokens: 300000, cache_read: 0.2}\n"
    )
    steps = rates_of([("claude-x", "")], tmp_path)["claude-x", ""]
    assert [start for start, _, _ in steps] == [-1, 200_000, 300_000]
    assert [per_token[1] * 1e6 for _, per_token, _ in steps] == [0.1, 0.1, 0.2]
