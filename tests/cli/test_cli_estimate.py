import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.cli.estimating import Span, estimate_of
from benchmaker.cli.header import money_range
from benchmaker.providers.rates import Rate, RateCard
from benchmaker.spec import Case

CARD = RateCard(input=Rate(1.0), output=Rate(4.0))
texts = st.text(min_size=1, max_size=200)


def a_case(prompt="What is 40 + 2?", expected="42", number=0):
    return Case(id=f"c{number}", prompt=prompt, expected=expected)


def test_nothing_is_sent_and_no_key_is_needed(cli, server, sums):
    before = len(server.settled())
    said = cli("estimate", sums, "--model", "openai/gpt-4o-mini", "--runs", 3)
    assert "Estimate for sums: 4 cases × 3 runs, at most 2,048 tokens an answer." in said.stdout
    assert "In all: an estimated $0.00 to $0.0" in said.stdout
    assert "genai-prices" in said.stderr
    assert len(server.settled()) == before


def test_an_unknown_price_is_named_and_counts_as_nothing(cli, sums):
    models = ["--model", "openai/gpt-4o-mini", "--model", "ollama/any", "--model", "command:cat"]
    said = cli("estimate", sums, *models)
    assert "without ollama/any, command:cat: price not known." in said.stdout
    data = cli("estimate", sums, *models, "--json").data
    assert data["cost_usd"] is None
    assert data["cost_usd_of_priced"] == data["models"][0]["cost_usd"]
    assert data["unpriced"] == ["ollama/any", "command:cat"]


def test_without_any_price_there_is_no_estimate_of_money(cli, sums):
    assert "no price is known" in cli("estimate", sums, "--model", "ollama/any").stdout


def test_an_own_price_counts(cli, sums, home):
    home.mkdir()
    (home / "prices.yaml").write_text("prices: {ollama/*: {input: 0, output: 1000000}}\n")
    data = cli("estimate", sums, "--model", "ollama/any", "--max-tokens", 10, "--json").data
    assert data["cost_usd"] == [4.0, 40.0]
    assert "prices.yaml" in data["price_version"]


def test_fewer_cases_and_runs_take_less(cli, sums):
    words = ["estimate", sums, "--model", "openai/gpt-4o-mini", "--json"]
    one, two = cli(*words, "--limit", 1).data, cli(*words, "--runs", 2).data
    assert one["models"][0]["requests"] == 1
    assert two["models"][0]["requests"] == 8


def test_a_model_is_needed(cli, sums):
    assert "--model" in cli("estimate", sums, code=2).stderr


def test_a_faulty_suite_is_refused(cli, sums):
    sums.write_text(sums.read_text().replace("exact", "exat"))
    assert "exat" in cli("estimate", sums, "--model", "ollama/any", code=2).stderr


@given(prompts=st.lists(texts, min_size=1, max_size=5), runs=st.integers(1, 5))
def test_an_estimate_is_a_range_that_runs_multiply(prompts, runs):
    cases = [a_case(prompt, number=n) for n, prompt in enumerate(prompts)]
    once = estimate_of(cases, {"m": CARD}, max_tokens=100).models[0]
    more = estimate_of(cases, {"m": CARD}, max_tokens=100, runs=runs).models[0]
    for span in (once.input_tokens, once.output_tokens, once.cost_usd):
        assert 0 < span.low <= span.high
    assert more.requests == runs * len(prompts)
    assert more.input_tokens == once.input_tokens.times(runs)
    assert more.cost_usd == once.cost_usd.times(runs)


@given(prompt=texts, more=texts)
def test_a_longer_question_never_takes_less(prompt, more):
    short = estimate_of([a_case(prompt)], {"m": CARD}, max_tokens=9).cost_usd
    long = estimate_of([a_case(prompt + more)], {"m": CARD}, max_tokens=9).cost_usd
    assert long.low >= short.low
    assert long.high >= short.high


def test_the_cost_is_that_of_the_tokens_at_both_ends():
    # 40 bytes: 8 to 20 tokens and 3 to 16 around them; 10 bytes expected: 2 tokens, at most 50.
    made = estimate_of([a_case("x" * 40, "y" * 10)], {"m": CARD}, max_tokens=50).models[0]
    assert made.input_tokens == Span(11, 36)
    assert made.output_tokens == Span(2, 50)
    assert made.cost_usd.low == pytest.approx((11 * 1 + 2 * 4) / 1e6)
    assert made.cost_usd.high == pytest.approx((36 * 1 + 50 * 4) / 1e6)


def test_an_answer_is_never_expected_to_be_longer_than_allowed():
    made = estimate_of([a_case(expected="y" * 900)], {"m": None}, max_tokens=5).models[0]
    assert made.output_tokens == Span(5, 5)
    assert made.cost_usd is None


def test_a_system_prompt_counts():
    bare = estimate_of([a_case()], {"m": CARD}, max_tokens=5)
    told = estimate_of([a_case()], {"m": CARD}, max_tokens=5, system_prompt="Be brief.")
    assert told.cost_usd.low > bare.cost_usd.low


def test_half_a_card_gives_no_cost():
    half = RateCard(input=Rate(1.0))
    assert estimate_of([a_case()], {"m": half}, max_tokens=5).cost_usd is None


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (Span(0, 0), "$0.00"),
        (Span(0, 0.004), "under $0.01"),
        (Span(1234.5, 2e4), "$1,234.50 to $20,000.00"),
    ],
)
def test_money_has_two_decimals(span, told):
    assert money_range(span) == told
