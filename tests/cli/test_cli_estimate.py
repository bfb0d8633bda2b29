import pytest

from benchmaker.engine.runs.estimate import Span
from benchmaker.report.result_tables.estimates import money_range


def test_nothing_is_sent_and_no_key_is_needed(cli, server, sums):
    before = len(server.settled())
    said = cli("estimate", sums, "--model", "openai/gpt-4o-mini", "--runs", 3)
    assert "Estimate for sums: 4 cases × 3 runs, at most 2,048 tokens an answer." in said.stdout
    assert "Total: estimated $0.0000162 to $0.0148." in said.stdout
    assert "genai-prices" in said.stdout
    assert not said.stderr
    assert len(server.settled()) == before


def test_an_unknown_price_is_named_and_counts_as_nothing(cli, sums):
    models = ["--model", "openai/gpt-4o-mini", "--model", "ollama/any", "--model", "command:cat"]
    said = cli("estimate", sums, *models)
    assert "without ollama/any, command:cat (price unknown)." in " ".join(said.stdout.split())
    data = cli("estimate", sums, *models, "--json").data
    assert data["cost_usd"] is None
    assert data["cost_usd_of_priced"] == data["models"][0]["cost_usd"]
    assert data["unpriced"] == ["ollama/any", "command:cat"]


def test_without_any_price_there_is_no_estimate_of_money(cli, sums):
    assert "prices unknown" in cli("estimate", sums, "--model", "ollama/any").stdout


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


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (Span(0, 0), "$0.00"),
        (Span(0, 0.004), "$0.00 to $0.004"),
        (Span(0.0000352, 0.012), "$0.0000352 to $0.012"),
        (Span(1234.5, 2e4), "$1,234.50 to $20,000.00"),
    ],
)
def test_money_has_as_many_digits_as_it_takes(span, told):
    assert money_range(span) == told
