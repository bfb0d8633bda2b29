"""Tables of commands on narrow terminals: names fold, score, cost and outcome stay."""

import pytest

LONG = "openai/plain-a-very-long-model-name-a-very-long-model-name-a"
WIDTHS = (60, 80, 88, 140)

SETUPS = """
name: sums
models: [openai/gpt-4o-mini, {model: openai/gpt-4o, label: a-rather-long-label-of-a-model}]
efforts: [low, high]
prompts:
  - {id: plain, prompt: "{{ n }} + 2?"}
  - {id: worked-example, prompt: "Please: {{ n }} + 2?"}
scorer: exact
cases:
  - {id: c1, vars: {n: 41}, expected: 43}
"""


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def fits(text, width):
    return all(len(line) <= width for line in text.splitlines() if "benchmaker " not in line)


def test_show_keeps_model_outcome_and_score(live, sums, width):
    live("run", sums, "--model", LONG, "--model", "openai/fault:http_404", "--retries", 0, code=4)
    said = live("show", "latest", "--limit", 3)
    head = said.stdout.splitlines()[0].split()
    assert head[:4] == ["Case", "Model", "Outcome", "Score"]
    assert "404" in said.stdout
    assert fits(said.stdout + said.stderr, width)


def test_show_has_the_run_of_each_trial_of_a_series(live, sums, width):
    live("run", sums, "--model", "openai/plain", "--runs", 2, code=None)
    first, *rows = live("show", "latest", "--all").stdout.splitlines()
    assert "Run" in first
    at = first.index("Run")
    assert {row[at : at + 3].strip() for row in rows if row.startswith("c")} == {"1", "2"}
    assert fits(first, width)


def test_estimate_keeps_the_cost_of_long_names_and_of_setups(cli, sums, tmp_path, width):
    suite = tmp_path / "setups.yaml"
    suite.write_text(SETUPS)
    for words in ((sums, "--model", "openai/gpt-4o-mini", "--model", LONG), (suite,)):
        said = cli("estimate", *words)
        assert "Cost" in said.stdout.splitlines()[2] + said.stdout.splitlines()[3]
        assert " to $" in said.stdout
        assert fits(said.stdout + said.stderr, width)


def test_a_failed_trial_has_its_reason_and_no_answer(live, sums):
    live("run", sums, "--model", "openai/fault:http_401", "--retries", 0, code=4)
    said = live("show", "latest", "--limit", 1).stdout.splitlines()[2]
    assert "provider error: HTTP 401" in said
    assert said.endswith("none")
    case = said.split()[0]
    assert "openai/fault:http_401: provider error: HTTP 401" in live("show", "latest", case).stdout
    told = live("explain", "latest", case, "--model", "openai/fault:http_401").stdout
    assert "Answer     none\nOutcome    provider error: HTTP 401\nError      127.0.0.1" in told
