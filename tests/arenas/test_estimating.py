import pytest

from benchmaker import SpecError, estimate
from tests.engine.run_data import sums


def test_prices_of_the_list_and_of_the_user_are_found(tmp_path):
    (tmp_path / "prices.yaml").write_text("prices: {ollama/*: {input: 0, output: 1000000}}\n")
    made = estimate(
        sums(4),
        models=["openai/gpt-4o-mini", "ollama/any"],
        parameters={"max_tokens": 10},
        home=tmp_path,
        runs=2,
    )
    assert [one.requests for one in made.models] == [8, 8]
    assert made.models[1].cost_usd.high == 80.0
    assert made.suite == sums(4).name
    assert "prices.yaml" in made.price_version
    assert made.unpriced_models == ()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("command:cat", "a program or function has no listed price"),
        ("python:os:getcwd", "a program or function has no listed price"),
        ("ollama/any", "no price is listed for ollama/any"),
        ("openai/no-such-model", "no price is listed for openai/no-such-model"),
    ],
)
def test_what_has_no_price_says_why(tmp_path, model, reason):
    [one] = estimate(sums(1), models=model, home=tmp_path).models
    assert (one.cost_usd, one.reason) == (None, reason)


def bounds(home, *models, **parameters):
    made = estimate(sums(2), models=list(models), parameters=parameters, home=home)
    return made.max_tokens, [one.output_tokens.high for one in made.models]


def test_answers_are_bounded_by_the_limit_that_is_sent(tmp_path):
    claude, mini = "anthropic/claude-opus-4-1", "openai/gpt-4o-mini"
    assert bounds(tmp_path, claude, max_tokens=None) == (32_000, [64_000])
    assert bounds(tmp_path, mini, max_tokens=None) == (1_000_000, [2_000_000])
    assert bounds(tmp_path, mini, thinking_budget=2000) == (2048, [4096])
    assert bounds(tmp_path, mini, claude, thinking_budget=2000) == (4048, [4096, 8096])


def test_filters_and_limits_choose_the_cases(tmp_path):
    made = estimate(sums(9), models="ollama/any", limit=3, home=tmp_path)
    assert made.models[0].requests == 3
    with pytest.raises(SpecError, match="--tag none left none of 9 cases"):
        estimate(sums(9), models="ollama/any", tags=["none"], home=tmp_path, sample=2)


def test_a_sample_is_told(tmp_path):
    made = estimate(sums(9), models="ollama/any", home=tmp_path, sample=2)
    assert (made.cases, made.sampled) == (9, 2)


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"limit": 0}, {"parameters": {"heat": 1}}])
def test_wrong_arguments_are_refused(tmp_path, wrong):
    with pytest.raises(SpecError):
        estimate(sums(1), models="ollama/any", home=tmp_path, **wrong)
