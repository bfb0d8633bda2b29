import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.runs.estimate import Span, estimate_of
from benchmaker.providers.prices.rates import Rate, RateCard
from benchmaker.spec import Case

CARD = RateCard(input=Rate(1.0), output=Rate(4.0))
texts = st.text(min_size=1, max_size=200)


def a_case(prompt="What is 40 + 2?", expected="42", number=0):
    return Case(id=f"c{number}", prompt=prompt, expected=expected)


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


def test_a_sample_of_equal_cases_stands_for_all():
    cases = [a_case(number=n) for n in range(10)]
    whole = estimate_of(cases, {"m": CARD}, max_tokens=50, runs=2)
    part = estimate_of(cases, {"m": CARD}, max_tokens=50, runs=2, number=10, sample=5)
    assert part.sampled == 5
    assert (part.cases, part.models[0].requests) == (10, 20)
    assert part.models[0].input_tokens == whole.models[0].input_tokens
    assert part.cost_usd.high == pytest.approx(whole.cost_usd.high)


def test_a_sample_reads_no_further():
    def cases():
        yield a_case()
        raise AssertionError("read too far")

    assert estimate_of(cases(), {"m": None}, max_tokens=5, number=100, sample=1).cases == 100


@pytest.mark.parametrize(("number", "sample"), [(None, 1), (3, 3), (3, None)])
def test_without_a_number_or_with_few_cases_all_are_read(number, sample):
    cases = [a_case(number=n) for n in range(3)]
    made = estimate_of(cases, {"m": CARD}, max_tokens=5, number=number, sample=sample)
    assert (made.cases, made.sampled) == (3, None)


def test_a_model_without_cost_says_why():
    models = {"m": None, "n": None, "o": CARD}
    made = estimate_of([a_case()], models, max_tokens=5, reasons={"m": "a program"})
    assert [one.reason for one in made.models] == ["a program", "price unknown", ""]
    assert made.to_dict()["models"][0]["reason"] == "a program"
